# SPDX-License-Identifier: MIT
"""Plots with matplotlib, which is imported only here."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .analysis import Basin, Diagram, Sweep
    from .simulation import Run

_GREYS_APART = ["#1b4f72", "#ca6f1e", "#1e8449", "#7d3c98", "#7b241c", "#5f6a6a"]


def _axes(axes: "Axes | None") -> "Axes":
    if axes is not None:
        return axes
    import matplotlib.pyplot as plt

    return plt.subplots(layout="constrained")[1]


def plot_run(run: "Run", names: tuple[str, ...], axes: "Axes | None") -> "Axes":
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


def plot_phase(run: "Run", x: str | None, y: str | None, axes: "Axes | None") -> "Axes":
    axes = _axes(axes)
    x = x or run.columns[1]
    y = y or f"{x}'"
    axes.plot(run[x], run[y], lw=0.8)
    axes.set(xlabel=x, ylabel=y, title=run.model.title)
    return axes


def plot_sweep(sweep: "Sweep", name: str, axes: "Axes | None") -> "Axes":
    axes = _axes(axes)
    if len(sweep.axes) == 1:
        axes.plot(sweep[sweep.axes[0]], sweep[name], ".-")
        axes.set(xlabel=sweep.axes[0], ylabel=name)
        return axes
    x, y = (np.unique(sweep[axis]) for axis in sweep.axes[:2])
    mesh = axes.pcolormesh(x, y, sweep.grid(name).T, shading="nearest")
    axes.figure.colorbar(mesh, ax=axes, label=name)
    axes.set(xlabel=sweep.axes[0], ylabel=sweep.axes[1])
    return axes


def plot_diagram(diagram: "Diagram", axes: "Axes | None") -> "Axes":
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


def plot_basin(basin: "Basin", axes: "Axes | None") -> "Axes":
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    axes = _axes(axes)
    colours = [_GREYS_APART[k % len(_GREYS_APART)] for k in range(len(basin.attractors))]
    shown = np.ma.masked_less(basin.numbers.T, 0)
    axes.pcolormesh(basin.x, basin.y, shown, shading="nearest", cmap=ListedColormap(colours),
                    vmin=-0.5, vmax=len(colours) - 0.5)
    axes.set(xlabel=basin.axes[0], ylabel=basin.axes[1])
    names = [a.regime or a.word or f"motion {k + 1}" for k, a in enumerate(basin.attractors)]
    patches = [Patch(color=c, label=f"{name}  {a.fraction:.0%}") for c, name, a in zip(colours, names, basin.attractors)]
    axes.legend(handles=patches, loc="upper right")
    return axes
