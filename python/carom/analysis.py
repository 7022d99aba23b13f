# SPDX-License-Identifier: MIT
"""Questions that take many runs: sweeps, bifurcation diagrams, basins, critical values.

Runs are shared over threads in the library; every point equals its single run to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ._library import CaromError, CData, check, ffi, lib, new_error, no_column, text_of
from ._source import Settings
from ._watch import Watcher
from .simulation import Array, warn_of_certificate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

    from .model import Axis, Model, Progress


# ---- what all questions share ----


class _Axes:
    """Named values as an array of C axes."""

    def __init__(self, over: Mapping[str, Axis]):
        if not isinstance(over, Mapping):
            raise TypeError(f"names and their values go into a dictionary: {{{str(over)!r}: [1, 2, 3]}}")
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


def _axis_values(name: str, given: Axis) -> Array:
    """(from, to, count), a list of values, or the command line's "0.3:0.7:401"."""
    if isinstance(given, tuple) and len(given) == 3 and isinstance(given[2], int):
        given = f"{float(given[0])!r}:{float(given[1])!r}:{given[2]}"
    if not isinstance(given, str):
        return np.array(given, dtype=float, ndmin=1)
    error, axis = new_error(), ffi.new("carom_axis *")
    check(lib.carom_axis_parse(f"{name}={given}".encode(), axis, error), error)
    values = np.array([axis.values[k] for k in range(axis.count)])
    lib.carom_axis_destroy(axis)
    return values


@contextmanager
def _filled(
    options: CData,
    model: Model,
    axes: _Axes,
    observe: str | Iterable[str] | None,
    threads: int,
    random: int,
    seed: int,
    watcher: Watcher,
) -> Iterator[None]:
    """The options of a sweep, valid inside; an axis may be an entry of the scenario, for which a file is needed."""
    chosen = [observe] if isinstance(observe, str) else observe or []
    names = [ffi.new("char[]", name.encode()) for name in chosen]
    wanted = ffi.new("char *[]", names) if names else ffi.NULL
    settings = Settings(model._source.settings)
    options.model = model._raw
    options.setting_count, options.settings = settings.count, settings.raw
    options.axis_count, options.axes = axes.count, axes.raw
    options.threads, options.random, options.seed = threads, random, seed
    options.watcher = watcher.raw
    options.observable_count, options.observables = len(names), wanted
    if not any("." in name for name in axes.names):
        yield
        return
    with model._source.as_file() as path:
        options.file = file = ffi.new("char[]", path.encode())
        yield
        del file


def _warn_of(what: str, not_passed: int, count: int) -> None:
    if not_passed:
        warn_of_certificate(f"{not_passed} of {count} runs of this {what} did not pass their certificate")


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
            raise no_column(name, self._columns)
        column: Array = self._columns[name]
        return column

    def _ipython_key_completions_(self) -> list[str]:
        return list(self._columns)

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
        return np.reshape(self[name], self.shape)

    def frame(self) -> DataFrame:
        """A pandas.DataFrame, one row a point: axes, observables, word, regime, certificate."""
        from .frames import frame_of_sweep

        return frame_of_sweep(self)

    def plot(self, name: str | None = None, axes: Axes | None = None) -> Axes:
        """An observable over one axis as a line, over two as colours; "regime" shows where which regime is."""
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
    axes, watcher = _Axes(over), Watcher(progress)
    options = ffi.new("carom_sweep_options *", lib.carom_sweep_options_default())
    error, made = new_error(), ffi.new("carom_sweep **")
    with _filled(options, model, axes, observe, threads, random, seed, watcher):
        status = lib.carom_sweep_run(options, made, error)
    watcher.finish()
    check(status, error)
    sweep = Sweep(ffi.gc(made[0], lib.carom_sweep_destroy))
    done = [passed for passed, failure in zip(sweep.passed, sweep.failures) if not failure]
    _warn_of("sweep", done.count(False), len(sweep))
    return sweep


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

    def frame(self) -> DataFrame:
        """A pandas.DataFrame, one row a crossing."""
        from .frames import frame_of_diagram

        return frame_of_diagram(self)

    def plot(self, axes: Axes | None = None) -> Axes:
        """The crossings over the parameter; lines where the motion changes."""
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
    axes, watcher = _Axes(over), Watcher(progress)
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
    diagram = Diagram(ffi.gc(made[0], lib.carom_bifurcation_destroy), axes.names[0])
    _warn_of("diagram", sum(not p.passed and not p.failure for p in diagram.points), len(diagram.points))
    return diagram


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

    def frame(self) -> DataFrame:
        """A pandas.DataFrame, one row an attractor."""
        from .frames import frame_of_basin

        return frame_of_basin(self)

    def plot(self, axes: Axes | None = None) -> Axes:
        """The starts of a grid of two axes, coloured by where they lead."""
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
    axes, watcher = _Axes(over), Watcher(progress)
    options = ffi.new("carom_basin_options *", lib.carom_basin_options_default())
    options.refine = refine
    if same is not None:
        options.same = same
    error, made = new_error(), ffi.new("carom_basin **")
    with _filled(options.sweep, model, axes, observe, threads, random, seed, watcher):
        status = lib.carom_basin_run(options, made, error)
    watcher.finish()
    check(status, error)
    basin = ffi.gc(made[0], lib.carom_basin_destroy)
    starts = Sweep(lib.carom_basin_sweep(basin))
    _warn_of("basin", int(np.sum(~starts.passed & (np.array(starts.failures) == ""))), len(starts))
    return Basin(basin, axes)


# ---- critical values ----


@dataclass(frozen=True)
class Location:
    """A critical value, the last interval around it and what was seen on either side."""

    value: float
    near: float
    far: float
    near_word: str  # words, or regimes; "" for numbers
    far_word: str
    runs: int
    passed: bool  # the certificates of the runs at the two ends


def run_locate(
    model: Model,
    parameter: str,
    between: tuple[float, float],
    what: str,
    value: float,
    tolerance: float | None,
    follow: bool,
    mode: str | None,
) -> Location:
    simulation = model.simulation()
    options = ffi.new("carom_locate_options *", lib.carom_locate_options_default())
    kinds = {"word": lib.CAROM_LOCATE_WORD, "regime": lib.CAROM_LOCATE_REGIME, "hopf": lib.CAROM_LOCATE_HOPF}
    name, observable = ffi.new("char[]", parameter.encode()), ffi.new("char[]", what.encode())
    mode_c = ffi.new("char[]", mode.encode()) if mode else ffi.NULL
    options.what, options.parameter, options.follow = kinds.get(what, lib.CAROM_LOCATE_OBSERVABLE), name, follow
    options.observable, options.value, options.mode = observable if what not in kinds else ffi.NULL, value, mode_c
    setattr(options, "from", between[0])  # a keyword of Python
    options.to = between[1]
    if tolerance is not None:
        options.tolerance = tolerance
    error, made = new_error(), ffi.new("carom_location **")
    check(lib.carom_locate_run(simulation._raw, options, made, error), error)
    owner = ffi.gc(made[0], lib.carom_location_destroy)
    found = lib.carom_location_look(owner)
    passed = bool(found.near_passed and found.far_passed)
    if what != "hopf":
        _warn_of("search", 0 if passed else 1, found.evaluations)
    return Location(
        found.value, found.near, found.far, text_of(found.near_text), text_of(found.far_text), found.evaluations, passed
    )


# ---- which digits hold ----


@dataclass(frozen=True)
class Convergence:
    """A run beside runs with tighter tolerances: which digits hold."""

    rtols: list[float]
    values: dict[str, float]  # observables of the first run
    digits: dict[str, float]  # of them that agree with the tightest run; inf: all
    final: dict[str, float]  # the same digits of the coordinates at the end
    same_word: bool
    same_events: bool
    sensitive: bool  # the runs part before the end: only statistics have a meaning from there on
    parted_at: float  # when; NaN
    rate: float  # at which their distance grew until then; NaN
    passed: bool  # the certificates of all runs

    def __repr__(self) -> str:
        digits = ", ".join(f"{name} {self.values[name]:.10g} ({count:.1f} digits)" for name, count in self.digits.items())
        motion = f"sensitive from t = {self.parted_at:g} on" if self.sensitive else "regular"
        return f"<Convergence: {digits or 'no observables'}; motion {motion}{'' if self.passed else '; a certificate did NOT pass'}>"


def run_converge(model: Model, tighter: int) -> Convergence:
    options = ffi.new("carom_converge_options *", lib.carom_converge_options_default())
    settings = Settings(model._source.settings)
    options.setting_count, options.settings, options.tighter = settings.count, settings.raw, tighter
    error, made = new_error(), ffi.new("carom_converge **")
    with model._source.as_file() as path:
        options.file = file = ffi.new("char[]", path.encode())
        check(lib.carom_converge_run(options, made, error), error)
        del file
    owner = ffi.gc(made[0], lib.carom_converge_destroy)
    view = lib.carom_converge_look(owner)
    observed = [view.observable[k] for k in range(view.observables)]
    passed = [bool(view.run[k].certificate.passed) for k in range(view.runs)]
    _warn_of("comparison", passed.count(False), len(passed))
    return Convergence(
        rtols=[view.run[k].rtol for k in range(view.runs)],
        values={text_of(item.name): item.value for item in observed},
        digits={text_of(item.name): item.digits for item in observed},
        final={text_of(view.final[k].name): view.final[k].digits for k in range(view.finals)},
        same_word=bool(view.same_word),
        same_events=bool(view.same_events),
        sensitive=bool(view.sensitive),
        parted_at=view.parted_at,
        rate=view.rate,
        passed=all(passed),
    )
