# SPDX-License-Identifier: MIT
"""Questions that take many runs: sweeps, bifurcation diagrams, basins, critical values.

Runs are shared over threads in the library; every point equals its single run to the last bit.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING

import numpy as np

from ._library import CaromError, CData, check, ffi, lib, new_error, text_of
from .simulation import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .model import Axis, Model, Progress


# ---- what all questions share ----


class _Axes:
    """Named values as an array of C axes."""

    def __init__(self, over: Mapping[str, "Axis"]):
        self.names = list(over)
        self.values = [_axis_values(name, given) for name, given in over.items()]
        self._names = [ffi.new("char[]", name.encode()) for name in self.names]
        self._arrays = [ffi.new("double[]", values.tolist()) for values in self.values]
        self.count = len(self.names)
        rows = [
            {"name": name, "count": len(values), "values": array}
            for name, values, array in zip(self._names, self.values, self._arrays)
        ]
        self.raw = ffi.new("carom_axis[]", rows)


def _axis_values(name: str, given: "Axis") -> Array:
    """(from, to, count), a list of values, or the command line's "0.3:0.7:401"."""
    if isinstance(given, tuple) and len(given) == 3 and isinstance(given[2], int):
        given = f"{float(given[0])!r}:{float(given[1])!r}:{given[2]}"
    if not isinstance(given, str):
        return np.atleast_1d(np.asarray(given, dtype=float))
    error, axis = new_error(), ffi.new("carom_axis *")
    check(lib.carom_axis_parse(f"{name}={given}".encode(), axis, error), error)
    values = np.array([axis.values[k] for k in range(axis.count)])
    lib.carom_axis_destroy(axis)
    return values


class _Watcher:
    """Progress to a function, to the cell of a notebook or to a line on standard error; Ctrl-C stops
    the work cleanly."""

    def __init__(self, progress: Progress):
        self._report = (_notebook_progress() or _print_progress) if progress is True else progress or None
        self._raised: BaseException | None = None
        # Ctrl-C may be raised at any line of a callback, also at its first: `onerror` sees all of them
        self._stopped = ffi.callback("bool(void *)", self._is_stopped, error=True, onerror=self._on_error)
        self._progress = ffi.callback("void(void *, long, long, double)", self._on_progress, onerror=self._on_error)
        self.raw = {"ctx": ffi.NULL, "stopped": self._stopped, "progress": self._progress}

    def _is_stopped(self, _ctx: CData) -> bool:
        return self._raised is not None

    def _on_progress(self, _ctx: CData, done: int, total: int, left: float) -> None:
        if self._report:
            self._report(done, total, left)

    def _on_error(self, _kind: type[BaseException], raised: BaseException, _trace: TracebackType) -> None:
        self._raised = raised

    def finish(self) -> None:
        if self._report is _print_progress:
            print(file=sys.stderr)
        if self._raised is not None:
            raise self._raised


def _left(done: int, total: int, left: float) -> str:
    return f", {left:.0f} s left" if left >= 0 and done < total else ""


def _print_progress(done: int, total: int, left: float) -> None:
    share = done / total if total else 1.0
    bar = "#" * round(30 * share)
    print(f"\r[{bar:<30}] {done}/{total}{_left(done, total, left):<15}", end="", file=sys.stderr, flush=True)


def _notebook_progress() -> Callable[[int, int, float], None] | None:
    """A bar in the output cell of a notebook; None outside of one."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if shell is None or not hasattr(shell, "kernel"):
        return None
    from IPython.display import HTML, display

    handle = display(HTML(""), display_id=True)

    def show(done: int, total: int, left: float) -> None:
        handle.update(HTML(f"<progress value={done} max={total or 1}></progress> {done}/{total}{_left(done, total, left)}"))

    return show


def _fill_sweep(
    options: CData,
    model: Model,
    axes: _Axes,
    observe: str | Iterable[str] | None,
    threads: int,
    random: int,
    seed: int,
    watcher: _Watcher,
) -> list[CData]:
    """Fills the options; what is returned must live as long as they do."""
    options.model = model._raw
    options.file = model._file
    if model._settings:
        options.setting_count, options.settings = model._settings.count, model._settings.raw
    options.axis_count, options.axes = axes.count, axes.raw
    options.threads, options.random, options.seed = threads, random, seed
    options.watcher = watcher.raw
    chosen = [observe] if isinstance(observe, str) else observe or []
    names = [ffi.new("char[]", name.encode()) for name in chosen]
    wanted = ffi.new("char *[]", names) if names else ffi.NULL
    options.observable_count, options.observables = len(names), wanted
    return [*names, wanted]


# ---- sweeps ----


class Sweep:
    """One row per point. ``sweep["drift"]`` is an array of all points; ``grid`` gives it the shape
    of the axes."""

    def __init__(self, raw: CData):
        self.axes = [text_of(lib.carom_sweep_axis(raw, k)) for k in range(lib.carom_sweep_axes(raw))]
        self.observables = [text_of(lib.carom_sweep_observable(raw, k)) for k in range(lib.carom_sweep_observables(raw))]
        self.shape = tuple(lib.carom_sweep_axis_count(raw, k) for k in range(len(self.axes)))
        self._read(raw)

    def _read(self, raw: CData) -> None:
        count = lib.carom_sweep_count(raw)
        numbers = np.full((count, len(self.axes) + len(self.observables)), np.nan)
        self.words, self.regimes, self.failures = [""] * count, [""] * count, [""] * count
        self.passed = np.zeros(count, dtype=bool)
        error, row = new_error(), ffi.new("carom_sweep_row *")
        for k in range(count):
            check(lib.carom_sweep_read(raw, k, row, error), error)
            if not row.present:
                continue
            numbers[k] = [row.at[j] for j in range(len(self.axes))] + [row.values[j] for j in range(len(self.observables))]
            self.words[k], self.regimes[k] = text_of(row.word), text_of(row.regime)
            self.failures[k], self.passed[k] = text_of(row.failure), row.passed
        self._columns = dict(zip(self.axes + self.observables, numbers.T))

    def __getitem__(self, name: str) -> Array:
        if name not in self._columns:
            raise KeyError(f"no column '{name}'; there are {', '.join(self._columns)}")
        return self._columns[name]

    def __len__(self) -> int:
        return len(self.words)

    def __repr__(self) -> str:
        failed = sum(1 for failure in self.failures if failure)
        return (
            f"<Sweep of {' x '.join(map(str, self.shape))} points over {', '.join(self.axes)}: {', '.join(self.observables)}"
            f"{f'; {failed} failed' if failed else ''}>"
        )

    def grid(self, name: str) -> Array:
        """A column in the shape of the axes."""
        return self[name].reshape(self.shape)

    def plot(self, name: str | None = None, axes: "Axes | None" = None) -> "Axes":
        from .plotting import plot_sweep

        return plot_sweep(self, name or self.observables[0], axes)


def run_sweep(
    model: Model,
    over: Mapping[str, Axis],
    observe: str | Iterable[str] | None,
    threads: int,
    random: int,
    seed: int,
    progress: Progress,
) -> Sweep:
    axes, watcher = _Axes(over), _Watcher(progress)
    options = ffi.new("carom_sweep_options *", lib.carom_sweep_options_default())
    kept = _fill_sweep(options, model, axes, observe, threads, random, seed, watcher)
    error, made = new_error(), ffi.new("carom_sweep **")
    status = lib.carom_sweep_run(options, made, error)
    del kept
    watcher.finish()
    check(status, error)
    return Sweep(ffi.gc(made[0], lib.carom_sweep_destroy))


# ---- bifurcation diagrams ----


@dataclass(frozen=True)
class DiagramPoint:
    """The attractor at one value of the parameter."""

    value: float
    direction: int
    word: str
    regime: str
    period: int
    crossings: Array
    passed: bool
    failure: str


@dataclass(frozen=True)
class Change:
    """Where the motion changes on the way of the parameter."""

    value: float
    near: float
    far: float
    near_text: str
    far_text: str
    direction: int
    located: bool


class Diagram:
    """A bifurcation diagram: ``points`` with their section crossings, ``changes`` between them."""

    def __init__(self, raw: CData, parameter: str):
        self.parameter = parameter
        self.observable = text_of(lib.carom_bifurcation_observable(raw))
        self.section = text_of(lib.carom_bifurcation_section(raw))
        self.points = [self._point(lib.carom_bifurcation_point_at(raw, k)) for k in range(lib.carom_bifurcation_points(raw))]
        self.changes = [
            self._change(lib.carom_bifurcation_change_at(raw, k)) for k in range(lib.carom_bifurcation_changes(raw))
        ]

    @staticmethod
    def _point(raw: CData) -> DiagramPoint:
        return DiagramPoint(
            value=raw.value,
            direction=raw.direction,
            word=text_of(raw.word),
            regime=text_of(raw.regime),
            period=raw.period,
            # of a motion without crossings the value at its end
            crossings=np.array([raw.crossings[k] for k in range(raw.count or (1 if raw.status >= 0 else 0))]),
            passed=bool(raw.passed),
            failure=text_of(raw.failure),
        )

    @staticmethod
    def _change(raw: CData) -> Change:
        return Change(raw.value, raw.near, raw.far, text_of(raw.near_text), text_of(raw.far_text), raw.direction, bool(raw.located))

    def __repr__(self) -> str:
        return (
            f"<Diagram of {self.observable} at {self.section} over {self.parameter}: {len(self.points)} points, "
            f"{len(self.changes)} changes>"
        )

    def plot(self, axes: "Axes | None" = None) -> "Axes":
        from .plotting import plot_diagram

        return plot_diagram(self, axes)


def run_bifurcation(
    model: Model,
    over: Mapping[str, Axis],
    section: str | None,
    observe: str | None,
    both: bool,
    skip: int | None,
    keep: int | None,
    tolerance: float | None,
    progress: Progress,
) -> Diagram:
    if len(over) != 1:
        raise CaromError("a bifurcation diagram goes along one parameter")
    axes, watcher = _Axes(over), _Watcher(progress)
    options = ffi.new("carom_bifurcation_options *", lib.carom_bifurcation_options_default())
    options.model, options.axis, options.both = model._raw, axes.raw, both
    section_c, observe_c = (ffi.new("char[]", text.encode()) if text else ffi.NULL for text in (section, observe))
    options.section, options.observable = section_c, observe_c
    if skip is not None:
        options.skip = skip
    if keep is not None:
        options.keep = keep
    if tolerance is not None:
        options.tolerance = tolerance
    options.watcher = watcher.raw
    error, made = new_error(), ffi.new("carom_bifurcation **")
    status = lib.carom_bifurcation_run(options, made, error)
    watcher.finish()
    check(status, error)
    return Diagram(ffi.gc(made[0], lib.carom_bifurcation_destroy), axes.names[0])


# ---- basins ----


@dataclass(frozen=True)
class Attractor:
    """A motion that was met, with the share of starts that lead to it (95 % interval)."""

    word: str
    regime: str
    values: dict[str, float]
    fraction: float
    low: float
    high: float
    mirror: int | None  # number of the attractor that is its mirror image, its own or another


class Basin:
    """Attractors, and for a grid of two axes the number of the attractor of each start."""

    def __init__(self, raw: CData, axes: _Axes):
        sweep = lib.carom_basin_sweep(raw)
        names = [text_of(lib.carom_sweep_observable(sweep, k)) for k in range(lib.carom_sweep_observables(sweep))]
        self.axes = axes.names
        self.attractors = [
            self._attractor(lib.carom_basin_attractor(raw, k), names) for k in range(lib.carom_basin_attractors(raw))
        ]
        columns, rows = lib.carom_basin_columns(raw), lib.carom_basin_rows(raw)
        numbers = np.array([lib.carom_basin_at(raw, k) for k in range(lib.carom_basin_count(raw))])
        self.numbers = numbers.reshape((columns, rows)) if columns else numbers
        self.runs = lib.carom_basin_runs(raw)
        if columns:
            self.x = np.array([lib.carom_basin_axis(raw, 0)[k] for k in range(columns)])
            self.y = np.array([lib.carom_basin_axis(raw, 1)[k] for k in range(rows)])

    @staticmethod
    def _attractor(raw: CData, names: list[str]) -> Attractor:
        values = {name: raw.values[k] for k, name in enumerate(names)}
        mirror = raw.mirror if raw.mirror >= 0 else None
        return Attractor(text_of(raw.word), text_of(raw.regime), values, raw.fraction, raw.low, raw.high, mirror)

    def __repr__(self) -> str:
        shares = ", ".join(f"{a.regime or a.word or 'no cycle'} {a.fraction:.1%}" for a in self.attractors[:5])
        shares += ", ..." if len(self.attractors) > 5 else ""
        return f"<Basin over {', '.join(self.axes)}: {self.numbers.size} starts, {len(self.attractors)} attractors: {shares}>"

    def plot(self, axes: "Axes | None" = None) -> "Axes":
        from .plotting import plot_basin

        return plot_basin(self, axes)


def run_basin(
    model: Model,
    over: Mapping[str, Axis],
    refine: int,
    threads: int,
    random: int,
    seed: int,
    progress: Progress,
    observe: str | Iterable[str] | None,
    same: float | None,
) -> Basin:
    axes, watcher = _Axes(over), _Watcher(progress)
    options = ffi.new("carom_basin_options *", lib.carom_basin_options_default())
    kept = _fill_sweep(options.sweep, model, axes, observe, threads, random, seed, watcher)
    options.refine = refine
    if same is not None:
        options.same = same
    error, made = new_error(), ffi.new("carom_basin **")
    status = lib.carom_basin_run(options, made, error)
    del kept
    watcher.finish()
    check(status, error)
    return Basin(ffi.gc(made[0], lib.carom_basin_destroy), axes)


# ---- critical values ----


@dataclass(frozen=True)
class Location:
    """A critical value, the last interval around it and the words on either side."""

    value: float
    near: float
    far: float
    near_word: str
    far_word: str
    runs: int


def run_locate(
    model: Model, parameter: str, between: tuple[float, float], tolerance: float | None, follow: bool
) -> Location:
    simulation = model.simulation()
    options = ffi.new("carom_locate_options *", lib.carom_locate_options_default())
    name = ffi.new("char[]", parameter.encode())
    options.what, options.parameter, options.follow = lib.CAROM_LOCATE_WORD, name, follow
    setattr(options, "from", between[0])  # a keyword of Python
    options.to = between[1]
    if tolerance is not None:
        options.tolerance = tolerance
    error, made = new_error(), ffi.new("carom_location **")
    check(lib.carom_locate_run(simulation._raw, options, made, error), error)
    owner = ffi.gc(made[0], lib.carom_location_destroy)
    found = lib.carom_location_look(owner)
    return Location(found.value, found.near, found.far, text_of(found.near_text), text_of(found.far_text), found.evaluations)


# ---- periodic motions, branches and exponents ----

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

    def __repr__(self) -> str:
        sizes = ", ".join(f"{abs(m):.4g}" for m in self.multipliers)
        virtual = f", virtual: {self.fault}" if self.virtual else ""
        return f"<Orbit {self.kind}, word {self.word!r}, period {self.period:g}, multipliers of size {sizes}{virtual}>"


def run_orbit(model: Model, period: float, turns: int, tolerance: float | None) -> Orbit:
    options = ffi.new("carom_orbit_options *", lib.carom_orbit_options_default())
    options.model, options.turns, options.period = model._raw, turns, period
    if tolerance is not None:
        options.tolerance = tolerance
    error, made = new_error(), ffi.new("carom_orbit **")
    check(lib.carom_orbit_find(options, made, error), error)
    owner = ffi.gc(made[0], lib.carom_orbit_destroy)
    found = lib.carom_orbit_look(owner)
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
    )


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
            raise KeyError(f"no column '{name}'; there are {', '.join([self.parameter, 'period', *self.columns])}")
        return np.array([point.state[self.columns.index(name)] for point in self.points])

    def __repr__(self) -> str:
        labels = ", ".join(f"{p.label} {p.value:.6g}" for p in self.special if p.label not in ("start", "end"))
        return f"<Branches over {self.parameter}: {len(self.points)} points{f'; {labels}' if labels else ''}>"

    def plot(self, name: str | None = None, axes: "Axes | None" = None) -> "Axes":
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
    (parameter, (first, last)), watcher = next(iter(over.items())), _Watcher(progress)
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


def run_lyapunov(model: Model, time: float | None, transient: float | None, progress: Progress) -> Exponents:
    watcher = _Watcher(progress)
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
    n = found.count
    return Exponents(np.array(list(found.exponents[0:n])), np.array(list(found.errors[0:n])), found.extinguished, found.dimension)
