# SPDX-License-Identifier: MIT
"""Curves in two parameters, and basins along one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ._library import CaromError, CData, check, ffi, lib, new_error, text_of
from ._watch import Watcher
from .analysis import Attractor, Basin, Sweep, _Axes, _filled, _warn_of
from .orbits import Branches
from .simulation import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .model import Axis, Model, Progress


@dataclass(frozen=True)
class Curve:
    """Special points of one kind in the plane of two parameters, from end to end."""

    name: str  # "fold", "flip", "graze", "crossing-sliding" ...
    values: Array  # of the two parameters, points x 2
    periods: Array  # 0: an equilibrium
    coefficients: Array  # of the normal form, points x 2 with the error; NaN: not known
    corners: list[str]  # of each point: "cusp", "bound" ...; "" for points in between
    words: list[str]
    virtual: Array  # do the motions break an inequality of their word?
    why: list[str]  # of each point: at an end the reason why nothing was found beyond, else ""

    @property
    def special(self) -> list[tuple[str, float, float]]:
        """Points at which two things happen at once, and ends: what, and the parameters."""
        return [(what, float(p), float(r)) for what, (p, r) in zip(self.corners, self.values) if what]


class Atlas:
    """Curves through the special points of branches; ``branches`` are these."""

    def __init__(self, raw: CData, over: str, also: str, columns: list[str]):
        self.over, self.also = over, also
        self.turns = lib.carom_atlas_turns(raw)  # what the curves have cost
        self.branches = Branches(lib.carom_atlas_branches(raw), over, columns)
        points = [lib.carom_atlas_point_at(raw, k) for k in range(lib.carom_atlas_points(raw))]
        numbers = sorted({p.curve for p in points})
        self.curves = [self._curve([p for p in points if p.curve == n]) for n in numbers]

    @staticmethod
    def _curve(points: list[CData]) -> Curve:
        return Curve(
            name=text_of(points[0].name),
            values=np.array([[p.value, p.also] for p in points]),
            periods=np.array([p.period for p in points]),
            coefficients=np.array([[p.coefficient, p.coefficient_error] for p in points]),
            corners=[text_of(lib.carom_corner_text(p.corner)) if p.corner != lib.CAROM_CORNER_NONE else "" for p in points],
            words=[text_of(p.word) for p in points],
            virtual=np.array([bool(p.virtual_motion) for p in points]),
            why=[text_of(p.why) for p in points],
        )

    def __repr__(self) -> str:
        told = ", ".join(f"{c.name} ({len(c.values)} points)" for c in self.curves)
        return f"<Atlas over {self.over} and {self.also}: {told or 'no curves'}>"

    def plot(self, axes: Axes | None = None) -> Axes:
        """All curves, a colour for each kind, virtual parts dashed, special points with their names."""
        from .plotting import plot_atlas

        return plot_atlas(self, axes)


@dataclass(frozen=True)
class Tip:
    """Between two values of the parameter an attractor begins or ends."""

    attractor: int
    begins: bool
    between: tuple[float, float]
    other: int | None  # to which most of its starts lead then, or led before


class BasinCourse:
    """Basins along a parameter: shares of attractors, where these begin and end, and measures."""

    def __init__(self, raw: CData, along: str, axes: _Axes):
        self.along = along
        count = lib.carom_basin_course_count(raw)
        self.values = np.array([lib.carom_basin_course_value(raw, k) for k in range(count)])
        self.shares = np.zeros((count, lib.carom_basin_course_names(raw)))
        self.basins, self.names, measures = [], [], []
        for k in range(count):
            basin = Basin(lib.carom_basin_course_basin(raw, k), axes)
            names = [lib.carom_basin_course_name(raw, k, a) for a in range(len(basin.attractors))]
            self.shares[k, names] = [a.fraction for a in basin.attractors]
            self.basins.append(basin)
            self.names.append(names)
            m = lib.carom_basin_course_measures(raw, k)
            measures.append([m.entropy, m.boundary_entropy, m.exponent, m.exponent_error])
        self.entropy, self.boundary_entropy, self.exponent, self.exponent_error = np.array(measures).T
        tips = [lib.carom_basin_course_tip(raw, k) for k in range(lib.carom_basin_course_tips(raw))]
        self.tips = [
            Tip(t.attractor, bool(t.begins), (getattr(t, "from"), t.to), t.other if t.other >= 0 else None) for t in tips
        ]

    def attractor(self, number: int, k: int) -> Attractor | None:
        """The attractor followed under this number, at value k; None: there is none."""
        names = self.names[k]
        return self.basins[k].attractors[names.index(number)] if number in names else None

    def __repr__(self) -> str:
        return f"<Basins along {self.along}: {len(self.values)} values, {self.shares.shape[1]} attractors, {len(self.tips)} tips>"

    def plot(self, axes: Axes | None = None) -> Axes:
        """The shares of all attractors over the parameter, stacked."""
        from .plotting import plot_basin_course

        return plot_basin_course(self, axes)


def run_atlas(
    model: Model,
    over: Mapping[str, tuple[float, float]],
    also: Mapping[str, tuple[float, float]],
    switches: int,
    equilibrium: bool,
    virtual: bool,
    corners: bool,
    progress: Progress,
) -> Atlas:
    if len(over) != 1 or len(also) != 1:
        raise CaromError("an atlas has one parameter over which branches go, and one also")
    (first, (begin, end)), (second, (low, high)) = next(iter(over.items())), next(iter(also.items()))
    watcher = Watcher(progress)
    options = ffi.new("carom_atlas_options *", lib.carom_atlas_options_default())
    names = [ffi.new("char[]", name.encode()) for name in (first, second)]
    branch = options.branch
    branch.model, branch.parameter, branch.to = model._raw, names[0], end
    setattr(branch, "from", begin)  # a keyword of Python
    branch.equilibrium, branch.switches, branch.virtual_too = equilibrium, switches, virtual
    branch.watcher = watcher.raw
    options.also, options.low, options.high = names[1], low, high
    options.from_corners = corners
    error, made = new_error(), ffi.new("carom_atlas **")
    status = lib.carom_atlas_run(options, made, error)
    watcher.finish()
    check(status, error)
    owner = ffi.gc(made[0], lib.carom_atlas_destroy)
    return Atlas(owner, first, second, model.simulation().columns)


def run_basin_course(
    model: Model,
    over: Mapping[str, Axis],
    along: Mapping[str, Axis],
    threads: int,
    progress: Progress,
    observe: str | Iterable[str] | None,
    same: float | None,
) -> BasinCourse:
    if len(along) != 1:
        raise CaromError("basins are followed along one parameter")
    axes, parameter, watcher = _Axes(over), _Axes(along), Watcher(progress)
    options = ffi.new("carom_basin_course_options *", lib.carom_basin_course_options_default())
    if same is not None:
        options.basin.same = same
    options.along = parameter.raw[0]
    error, made = new_error(), ffi.new("carom_basin_course **")
    with _filled(options.basin.sweep, model, axes, observe, threads, 0, 0, watcher):
        status = lib.carom_basin_course_run(options, made, error)
    watcher.finish()
    check(status, error)
    course = ffi.gc(made[0], lib.carom_basin_course_destroy)
    runs = Sweep(lib.carom_basin_course_sweep(course))
    _warn_of("basins", int(np.sum(~runs.passed & (np.array(runs.failures) == ""))), len(runs))
    return BasinCourse(course, parameter.names[0], axes)
