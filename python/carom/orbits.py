# SPDX-License-Identifier: MIT
"""Periodic motions, stable or not, their branches along a parameter, and Lyapunov exponents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ._library import CaromError, CData, check, ffi, lib, new_error, no_column, text_of
from ._watch import Watcher
from .simulation import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

    from .model import Model, Progress

_ORBIT_KINDS = ["stable", "unstable", "marginal"]
_IMAGES = ["", "own", "other"]


@dataclass(frozen=True)
class Orbit:
    """A periodic motion, stable or not."""

    period: float
    word: str
    state: Array
    shift: Array  # of each coordinate after a turn: 0 unless it may drift, alone or with others
    multipliers: list[complex]
    extinguished: int  # multipliers that are 0 because of stick or plastic impacts
    kind: str  # "stable", "unstable", "marginal"
    residual: float
    mirror: str  # the reflection under which the system is the same; "": none is known
    image: str  # "own": the motion is its own mirror image; "other": that is another motion; ""
    image_word: str  # of the mirror image
    image_state: Array  # where its turn begins
    other_multipliers: list[complex]  # where contacts that are not linked strike at one instant: of
    # neighbours that meet them in the other order (of several the one whose largest is largest); else empty
    word_fixed: bool  # the word was held fixed, with times and states of its events as unknowns
    virtual: bool  # it breaks an inequality of its word: no real motion does that
    fault: str  # the one it breaks
    event_times: Array  # after the start of the turn
    event_states: Array  # behind each event, one row each
    columns: list[str]  # names of the state's components
    t: Array  # one turn, from its start
    states: Array  # the state at these times, one row each

    def __getitem__(self, name: str) -> Array:
        """A component of the state over one turn, at the times ``orbit.t``."""
        if name not in self.columns:
            raise no_column(name, self.columns)
        return np.array(self.states[:, self.columns.index(name)])

    def _ipython_key_completions_(self) -> list[str]:
        return list(self.columns)

    def plot(self, x: str | None = None, y: str | None = None, axes: Axes | None = None) -> Axes:
        """One turn in the phase plane, with its start; without names the first coordinate and its rate."""
        from .plotting import plot_orbit

        return plot_orbit(self, x, y, axes)

    def __repr__(self) -> str:
        sizes = ", ".join(f"{abs(m):.4g}" for m in self.multipliers)
        virtual = f", virtual: {self.fault}" if self.virtual else ""
        return f"<Orbit {self.kind}, word {self.word!r}, period {self.period:g}, multipliers of size {sizes}{virtual}>"


_TURN = 801  # instants at which a turn is kept


def run_orbit(model: Model, period: float, turns: int, tolerance: float | None, progress: Progress) -> Orbit:
    watcher = Watcher(progress)
    options = ffi.new("carom_orbit_options *", lib.carom_orbit_options_default())
    options.model, options.turns, options.period, options.watcher = model._raw, turns, period, watcher.raw
    if tolerance is not None:
        options.tolerance = tolerance
    error, made = new_error(), ffi.new("carom_orbit **")
    status = lib.carom_orbit_find(options, made, error)
    watcher.finish()
    check(status, error)
    owner = ffi.gc(made[0], lib.carom_orbit_destroy)
    found = lib.carom_orbit_look(owner)
    times, states = np.empty(_TURN), np.empty((_TURN, found.size))
    check(lib.carom_orbit_trace(options, owner, _TURN, _doubles(times), _doubles(states), error), error)
    size, fixed, sides = found.size, found.fixed_word, found.sides
    return Orbit(
        period=found.period,
        word=text_of(found.word),
        state=np.array(list(found.state[0:size])),
        shift=np.array(list(found.shift[0:size])),
        multipliers=[complex(found.floquet.re[k], found.floquet.im[k]) for k in range(found.floquet.count)],
        extinguished=found.floquet.extinguished,
        kind=_ORBIT_KINDS[found.kind],
        residual=found.residual,
        mirror=text_of(found.mirrored.mirror),
        image=_IMAGES[found.mirrored.image],
        image_word=text_of(found.mirrored.word),
        image_state=np.array(list(found.mirrored.state[0:size])),
        other_multipliers=[complex(sides.re[k], sides.im[k]) for k in range(sides.multipliers)],
        word_fixed=bool(fixed.held),
        virtual=bool(fixed.virtual_motion),
        fault=text_of(fixed.fault),
        event_times=np.array(list(fixed.time[0 : fixed.events])),
        event_states=np.array(list(fixed.state[0 : fixed.events * size])).reshape(fixed.events, size),
        columns=model.simulation().columns[:size],
        t=times,
        states=states,
    )


def _doubles(array: Array) -> CData:
    """The numbers of an array, to be written by the library."""
    return ffi.from_buffer("double[]", array, require_writable=True)


@dataclass(frozen=True)
class BranchPoint:
    """A periodic motion or equilibrium on a branch."""

    branch: int  # 0: the first; others branch off at flips
    label: str  # "fold", "flip", "torus", "hopf", "graze", ...; "" for points in between
    value: float  # of the parameter
    period: float
    kind: str  # "stable", "unstable", "marginal"
    multiplier: complex  # the largest; of an equilibrium the eigenvalue of largest real part
    word: str
    state: Array
    top: Array  # largest values of the state over a turn
    virtual: bool  # it solves the equations of its word, but breaks one of its inequalities
    why: str  # the branch is lost here, in words; else ""


class Branches:
    """Solutions along a parameter, stable or not; ``special`` are those with a label."""

    def __init__(self, raw: CData, parameter: str, columns: list[str]):
        self.parameter = parameter
        self.columns = columns[: lib.carom_continuation_states(raw)]
        self.points = [self._point(lib.carom_continuation_point_at(raw, k)) for k in range(lib.carom_continuation_points(raw))]

    def _point(self, raw: CData) -> BranchPoint:
        size = len(self.columns)
        label = text_of(lib.carom_branch_label_text(raw.label)) if raw.label != lib.CAROM_LABEL_NONE else ""
        top = np.array(list(raw.top[0:size])) if raw.top else np.full(size, np.nan)
        return BranchPoint(
            branch=raw.branch,
            label=label,
            value=raw.value,
            period=raw.period,
            kind=_ORBIT_KINDS[raw.kind],
            multiplier=complex(raw.re, raw.im),
            word=text_of(raw.word),
            state=np.array(list(raw.state[0:size])),
            top=top,
            virtual=bool(raw.virtual_motion),
            why=text_of(raw.why),
        )

    @property
    def special(self) -> list[BranchPoint]:
        """The points with a label: folds, flips, grazes and the like, start and end."""
        return [point for point in self.points if point.label]

    def __len__(self) -> int:
        return len(self.points)

    def __getitem__(self, name: str) -> Array:
        """The parameter, "period", or a component of the state, over all points."""
        if name == self.parameter:
            return np.array([point.value for point in self.points])
        if name == "period":
            return np.array([point.period for point in self.points])
        if name not in self.columns:
            raise no_column(name, self._ipython_key_completions_())
        return np.array([point.state[self.columns.index(name)] for point in self.points])

    def _ipython_key_completions_(self) -> list[str]:
        return [self.parameter, "period", *self.columns]

    def __repr__(self) -> str:
        labels = ", ".join(f"{p.label} {p.value:.6g}" for p in self.special if p.label not in ("start", "end"))
        return f"<Branches over {self.parameter}: {len(self.points)} points{f'; {labels}' if labels else ''}>"

    def frame(self) -> DataFrame:
        """A pandas.DataFrame, one row a point."""
        from .frames import frame_of_branches

        return frame_of_branches(self)

    def plot(self, name: str | None = None, axes: Axes | None = None) -> Axes:
        """The largest value of a coordinate over a turn: stable solid, unstable dashed."""
        from .plotting import plot_branches

        return plot_branches(self, name or self.columns[0], axes)


def run_follow(
    model: Model,
    over: Mapping[str, tuple[float, float]],
    switches: int,
    equilibrium: bool,
    mode: str | None,
    period: float,
    turns: int,
    progress: Progress,
    virtual: bool = False,
) -> Branches:
    if len(over) != 1:
        raise CaromError("a branch goes along one parameter")
    (parameter, (first, last)), watcher = next(iter(over.items())), Watcher(progress)
    options = ffi.new("carom_continuation_options *", lib.carom_continuation_options_default())
    name = ffi.new("char[]", parameter.encode())
    mode_c = ffi.new("char[]", mode.encode()) if mode else ffi.NULL
    options.model, options.parameter, options.mode = model._raw, name, mode_c
    setattr(options, "from", first)  # a keyword of Python
    options.to, options.equilibrium, options.switches = last, equilibrium, switches
    options.orbit.period, options.orbit.turns, options.looks = period, turns, 200
    options.virtual_too = virtual
    options.watcher = watcher.raw
    error, made = new_error(), ffi.new("carom_continuation **")
    status = lib.carom_continuation_run(options, made, error)
    watcher.finish()
    check(status, error)
    return Branches(ffi.gc(made[0], lib.carom_continuation_destroy), parameter, model.simulation().columns)


@dataclass(frozen=True)
class Exponents:
    """Lyapunov exponents, largest first, with their standard errors."""

    values: Array
    errors: Array
    extinguished: int  # exponents -infinity
    dimension: float  # Kaplan and Yorke
    time: float  # averaged over
    course: Array  # how they have settled: averages up to the end of each stretch, one row each

    def __repr__(self) -> str:
        told = ", ".join(f"{value:.6g} +- {error:.2g}" for value, error in zip(self.values, self.errors))
        return f"<Exponents {told}{f', {self.extinguished} of -inf' if self.extinguished else ''}; dimension {self.dimension:.4g}>"

    def plot(self, axes: Axes | None = None) -> Axes:
        """How the averages settle."""
        from .plotting import plot_exponents

        return plot_exponents(self, axes)


def run_lyapunov(model: Model, time: float | None, transient: float | None, progress: Progress) -> Exponents:
    watcher = Watcher(progress)
    options = ffi.new("carom_lyapunov_options *", lib.carom_lyapunov_options_default())
    options.model, options.watcher = model._raw, watcher.raw
    if time is not None:
        options.time = time
    if transient is not None:
        options.transient = transient
    error, made = new_error(), ffi.new("carom_lyapunov **")
    status = lib.carom_lyapunov_run(options, made, error)
    watcher.finish()
    check(status, error)
    owner = ffi.gc(made[0], lib.carom_lyapunov_destroy)
    found = lib.carom_lyapunov_look(owner)
    n, stretches = found.count, found.stretches
    return Exponents(
        values=np.array(list(found.exponents[0:n])),
        errors=np.array(list(found.errors[0:n])),
        extinguished=found.extinguished,
        dimension=found.dimension,
        time=found.time,
        course=np.array(list(found.course[0 : n * stretches])).reshape(stretches, n),
    )
