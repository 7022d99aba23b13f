# SPDX-License-Identifier: MIT
"""Plots with matplotlib, which is imported only here."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .analysis import Basin, Diagram, Sweep
    from .atlases import Atlas, BasinCourse
    from .manifolds import Manifolds
    from .orbits import Branches, BranchPoint, Exponents, Orbit
    from .simulation import Run

_GREYS_APART = ["#1b4f72", "#ca6f1e", "#1e8449", "#7d3c98", "#7b241c", "#5f6a6a"]


def _axes(axes: Axes | None) -> Axes:
    if axes is not None:
        return axes
    import matplotlib.pyplot as plt

    return plt.subplots(layout="constrained")[1]


def plot_run(run: Run, names: tuple[str, ...], axes: Axes | None) -> Axes:
    axes = _axes(axes)
    names = names or tuple(run.columns[1:3])
    for name, style in zip(names, ["-", "--", "-.", ":"] * len(names)):
        axes.plot(run.t, run[name], style, label=name)
    impacts = [event.t for event in run.events if event.kind == "impact"]
    if 0 < len(impacts) <= 200:
        # ticks along the lower edge: an impact is an instant, not a value
        axes.plot(impacts, np.zeros(len(impacts)), "|", color="0.4", label="impacts",
                  transform=axes.get_xaxis_transform(), clip_on=False, markersize=9)
    axes.set(xlabel="t", title=run.model.title)
    axes.legend()
    return axes


def plot_phase(run: Run, x: str | None, y: str | None, axes: Axes | None) -> Axes:
    axes = _axes(axes)
    x = x or run.columns[1]
    y = y or f"{x}'"
    axes.plot(run[x], run[y], lw=0.8)
    axes.set(xlabel=x, ylabel=y, title=run.model.title)
    return axes


def plot_orbit(orbit: Orbit, x: str | None, y: str | None, axes: Axes | None) -> Axes:
    axes = _axes(axes)
    x = x or orbit.columns[0]
    y = y or (f"{x}'" if f"{x}'" in orbit.columns else orbit.columns[1])
    axes.plot(orbit[x], orbit[y], "-" if orbit.kind == "stable" else "--", lw=1)
    axes.plot(orbit[x][0], orbit[y][0], "o", ms=4, color="0.2")
    axes.set(xlabel=x, ylabel=y, title=f"{orbit.word or 'orbit'}, period {orbit.period:.6g}, {orbit.kind}")
    return axes


def plot_exponents(exponents: Exponents, axes: Axes | None) -> Axes:
    axes = _axes(axes)
    times = np.linspace(0, exponents.time, len(exponents.course) + 1)[1:]
    for k, value in enumerate(exponents.values):
        axes.plot(times, exponents.course[:, k], label=f"{value:.4g}")
    axes.set(xlabel="time averaged over", ylabel="exponents")
    axes.legend()
    return axes


def _plot_regimes(sweep: Sweep, axes: Axes) -> Axes:
    """The regime, or the word where there is none, as colours."""
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    told = np.array([regime or word or "none" for regime, word in zip(sweep.regimes, sweep.words)])
    names, numbers = np.unique(told, return_inverse=True)
    colours = [_GREYS_APART[k % len(_GREYS_APART)] for k in range(len(names))]
    if len(sweep.axes) == 1:
        axes.scatter(sweep[sweep.axes[0]], numbers, c=[colours[k] for k in numbers], s=12)
        axes.set(xlabel=sweep.axes[0], yticks=range(len(names)), yticklabels=names)
        return axes
    x, y = (np.unique(sweep[axis]) for axis in sweep.axes[:2])
    axes.pcolormesh(x, y, numbers.reshape(sweep.shape).T, shading="nearest", cmap=ListedColormap(colours),
                    vmin=-0.5, vmax=len(names) - 0.5)
    axes.set(xlabel=sweep.axes[0], ylabel=sweep.axes[1])
    axes.legend(handles=[Patch(color=c, label=name) for c, name in zip(colours, names)], loc="upper right")
    return axes


def plot_sweep(sweep: Sweep, name: str, axes: Axes | None) -> Axes:
    axes = _axes(axes)
    if name in ("regime", "word"):
        return _plot_regimes(sweep, axes)
    if len(sweep.axes) == 1:
        axes.plot(sweep[sweep.axes[0]], sweep[name], ".-")
        axes.set(xlabel=sweep.axes[0], ylabel=name)
        return axes
    x, y = (np.unique(sweep[axis]) for axis in sweep.axes[:2])
    mesh = axes.pcolormesh(x, y, sweep.grid(name).T, shading="nearest")
    axes.figure.colorbar(mesh, ax=axes, label=name)
    axes.set(xlabel=sweep.axes[0], ylabel=sweep.axes[1])
    return axes


def plot_diagram(diagram: Diagram, axes: Axes | None) -> Axes:
    axes = _axes(axes)
    for direction, marker, label in ((1, ".", "up"), (-1, "x", "down"), (0, ".", None)):
        points = [p for p in diagram.points if p.direction == direction and len(p.crossings)]
        if points:
            x = np.concatenate([np.full(len(p.crossings), p.value) for p in points])
            axes.plot(x, np.concatenate([p.crossings for p in points]), marker, ms=3, label=label)
    for change in diagram.changes:
        axes.axvline(change.value, color="0.7", lw=0.6, zorder=0)
    axes.set(xlabel=diagram.parameter, ylabel=f"{diagram.observable} at {diagram.section}")
    if any(p.direction for p in diagram.points):
        axes.legend()
    return axes


def plot_branches(branches: Branches, name: str, axes: Axes | None) -> Axes:
    axes = _axes(axes)
    k = branches.columns.index(name)
    told: set[str] = set()
    for number in sorted({point.branch for point in branches.points}):
        branch = _rooted([point for point in branches.points if point.branch == number], branches)
        # a line for each stretch that is stable or not; one begins where the other ends, at a marginal point
        stays = [point.kind == "stable" for point in branch]
        for j, point in enumerate(branch):
            stays[j] = stays[j - 1] if j and point.kind == "marginal" else stays[j]
        if len(branch) > 1 and branch[0].kind == "marginal":
            stays[0] = stays[1]
        ends = [j for j in range(1, len(branch)) if stays[j] != stays[j - 1]]
        for first, end in zip([0, *ends], [*ends, len(branch)]):
            part, stable = branch[max(first - 1, 0) : end], stays[first]
            kind = "stable" if stable else "unstable"
            axes.plot([p.value for p in part], [p.top[k] for p in part], "-" if stable else "--",
                      color="#1b4f72" if stable else "#ca6f1e", label=None if kind in told else kind)
            told.add(kind)
    _mark_special(branches, k, axes)
    axes.set(xlabel=branches.parameter, ylabel=f"top of {name}")
    axes.legend()
    return axes


def _rooted(branch: list[BranchPoint], branches: Branches) -> list[BranchPoint]:
    """A branch of doubled motions from the flip on, of which its own first point is a step away."""
    flips = [point for point in branches.special if point.label == "flip" and point.branch < branch[0].branch]
    near = 0.01 * np.ptp([point.value for point in branches.points])
    return [flip for flip in flips if abs(flip.value - branch[0].value) < near][:1] + branch


def _mark_special(branches: Branches, k: int, axes: Axes) -> None:
    """Folds, flips and the like; labels that would lie on each other are one."""
    near = 2e-3 * np.ptp([point.value for point in branches.points])
    apart = 0.05 * np.diff(axes.get_ylim())[0]
    marks: list[tuple[float, float, list[str]]] = []
    for point in branches.special:
        if point.label in ("start", "end"):
            continue
        value, top, labels = marks[-1] if marks else (np.inf, np.inf, [])
        # where a motion was lost its size is not known: it is that of what comes next
        if abs(value - point.value) <= near and not abs(top - point.top[k]) > apart:
            marks[-1] = (value, top if np.isfinite(top) else float(point.top[k]), [*labels, point.label])
        else:
            marks.append((point.value, float(point.top[k]), [point.label]))
    for value, top, labels in marks:
        axes.plot(value, top, "o", color="0.2", ms=3)
        text = ", ".join(dict.fromkeys(labels))
        axes.annotate(text, (value, top), xytext=(-5, 5), textcoords="offset points", fontsize=8, ha="right",
                      bbox={"boxstyle": "square,pad=0.1", "fc": "white", "ec": "none", "alpha": 0.8})
        # the legend keeps away from lines, not from texts: an unseen line lies behind each
        (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
        across = value - 0.015 * len(text) * (right - left) * np.linspace(0, 1, 9)
        axes.plot(across, np.full(9, top + 0.03 * (high - low)), alpha=0, scalex=False, scaley=False)


def plot_atlas(atlas: Atlas, axes: Axes | None) -> Axes:
    axes = _axes(axes)
    kinds = sorted({curve.name for curve in atlas.curves})
    for curve in atlas.curves:
        colour = f"C{kinds.index(curve.name)}"
        for beyond, style in ((False, "-"), (True, "--")):
            x, y = np.where((curve.virtual == beyond)[:, None], curve.values, np.nan).T
            axes.plot(x, y, style, color=colour, label=None if beyond else curve.name)
        for what, p, r in curve.special:
            if what not in ("start", "bound", "end"):
                axes.plot([p], [r], "o", color="black", ms=4)
                axes.annotate(what, (p, r), textcoords="offset points", xytext=(5, 4), fontsize="small")
    handles, labels = axes.get_legend_handles_labels()
    if labels:
        named = dict(zip(labels, handles))
        axes.legend(named.values(), named.keys())
    axes.set(xlabel=atlas.over, ylabel=atlas.also)
    return axes


def plot_basin_course(course: BasinCourse, axes: Axes | None) -> Axes:
    axes = _axes(axes)
    axes.stackplot(course.values, course.shares.T, labels=[f"attractor {k}" for k in range(course.shares.shape[1])], alpha=0.8)
    for tip in course.tips:
        axes.axvspan(*tip.between, color="0.5", alpha=0.25, lw=0)
    axes.set(xlabel=course.along, ylabel="share of starts", ylim=(0, 1))
    axes.legend(loc="center left")
    return axes


def plot_manifolds(manifolds: Manifolds, axes: Axes | None) -> Axes:
    alone, axes = axes is None, _axes(axes)
    named = set()
    for saddle in manifolds.saddles:
        for branch in saddle.branches:
            name = "stable manifold" if branch.stable else "unstable manifold"
            axes.plot(*branch.points.T, color="black" if branch.stable else "#a00028", lw=1.2, label=None if name in named else name)
            named.add(name)
        axes.plot(*saddle.at, "o", color="black", ms=5)
    if alone:
        axes.set(xlabel=manifolds.names[0], ylabel=manifolds.names[1])
        axes.legend()
    return axes


def plot_basin(basin: Basin, axes: Axes | None) -> Axes:
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    axes = _axes(axes)
    colours = [_GREYS_APART[k % len(_GREYS_APART)] for k in range(len(basin.attractors))]
    shown = np.where(basin.numbers.T < 0, np.nan, basin.numbers.T)
    axes.pcolormesh(basin.x, basin.y, shown, shading="nearest", cmap=ListedColormap(colours),
                    vmin=-0.5, vmax=len(colours) - 0.5)
    axes.set(xlabel=basin.axes[0], ylabel=basin.axes[1])
    names = [a.regime or a.word or f"motion {k + 1}" for k, a in enumerate(basin.attractors)]
    patches = [Patch(color=c, label=f"{name}  {a.fraction:.0%}") for c, name, a in zip(colours, names, basin.attractors)]
    axes.legend(handles=patches, loc="upper right")
    return axes
