# SPDX-License-Identifier: MIT
"""One motion of a model: moved by hand (Simulation), or from start to end and kept (Run)."""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsFloat, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from ._hints import no_attribute
from ._library import CaromError, CData, check, ffi, lib, new_error, no_column, text_of
from ._program import movie, page, record, show
from ._watch import move

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

    from .model import Model, Progress

Array = NDArray[np.float64]


def array_over(pointer: CData, shape: tuple[int, ...], owner: Any) -> Array:
    """A read-only array over C memory that keeps ``owner`` alive as long as it is used."""
    count = int(np.prod(shape))
    if count == 0:
        return np.empty(shape)
    buffer = ffi.buffer(pointer, count * ffi.sizeof("double"))
    base = _Owned(np.frombuffer(buffer), owner)
    array = np.asarray(base).reshape(shape)
    array.flags.writeable = False
    return array


class _Owned:
    """C memory with its owner, as NumPy's array interface understands it."""

    def __init__(self, raw: Array, owner: Any):
        self.__array_interface__ = raw.__array_interface__
        self._kept = (raw, owner)


class Energy(NamedTuple):
    """The energy on one side of an event; NaN where the model has none."""

    kinetic: float
    potential: float


@dataclass(frozen=True)
class Event:
    """What happened at an instant. ``before`` and ``after`` are the state vectors (q, q', z);
    ``value`` is the normal impulse of an impact, ``tangential`` that of friction, ``rubbed`` the energy that
    friction took meanwhile. Of a phase inside an impact ``value`` is the normal impulse up to there."""

    kind: str
    name: str
    t: float
    direction: int
    value: float
    tangential: float
    rubbed: float
    energy_before: Energy
    energy_after: Energy
    instant: int
    before: Array
    after: Array


class Certificate(Mapping[str, Any]):
    """The energy ledger and what a run can be trusted for; entries as attributes and as items."""

    def __init__(self, raw: CData):
        self._entries: dict[str, Any] = {}
        for part in (raw[0], raw.energy, raw.worst, raw.counts):
            fields = ffi.typeof(part).fields
            self._entries.update((name, getattr(part, name)) for name, field in fields if field.type.kind != "struct")
        # ways to go on that few motions need, and what every field did to the body, by name
        self._entries["uncommon"] = {
            text_of(lib.carom_uncommon_text(k)): count for k, count in enumerate(raw.counts.uncommon) if count
        }
        works = (raw.energy.works[k] for k in range(raw.energy.work_count))
        self._entries["works"] = {text_of(work.name).split("work", 1)[1][1:]: work.done for work in works}

    def __getitem__(self, name: str) -> Any:
        return self._entries[name]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self._entries[name]
        except KeyError:
            raise AttributeError(name) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __repr__(self) -> str:
        verdict = "passed" if self.passed else "NOT passed"
        return f"<Certificate {verdict}: energy residual {self.residual_relative:.1e}, {self.events} events>"


class Simulation:
    """The state of one motion, moved step by step."""

    def __init__(self, model: Model):
        self.model = model
        error, made = new_error(), ffi.new("carom_simulation **")
        check(lib.carom_simulation_create(model._raw, made, error), error)
        self._raw: CData = ffi.gc(made[0], lib.carom_simulation_destroy)

    # ---- where it stands ----

    @property
    def t(self) -> float:
        """The time that was reached."""
        return float(lib.carom_simulation_time(self._raw))

    @property
    def until(self) -> float:
        """The end of the run, as the scenario says."""
        return float(lib.carom_simulation_until(self._raw))

    @property
    def state(self) -> Array:
        """The state vector (q, q', z) as it is now: a view, which changes when the motion goes on."""
        size = ffi.new("int *")
        pointer = lib.carom_simulation_state(self._raw, size)
        return array_over(pointer, (size[0],), self)

    @property
    def columns(self) -> list[str]:
        """Names of what is sampled: coordinates, rates, states, definitions, energies."""
        count = lib.carom_simulation_columns(self._raw)
        return [text_of(lib.carom_simulation_column(self._raw, k)) for k in range(count)]

    def __getitem__(self, name: str) -> float:
        """A parameter, coordinate, rate "x'", acceleration "x''", state, definition or observable."""
        error, value = new_error(), ffi.new("double *")
        check(lib.carom_simulation_get(self._raw, name.encode(), value, error), error)
        return float(value[0])

    def __setitem__(self, name: str, value: float) -> None:
        """A parameter or start value; returns to the start."""
        error = new_error()
        check(lib.carom_simulation_set(self._raw, name.encode(), value, error), error)

    def set(self, values: Mapping[str, float]) -> None:
        """Parameters and start values, all together; returns to the start."""
        for name, value in values.items():
            if not isinstance(value, (SupportsFloat, SupportsIndex)):
                raise TypeError(f"{name}: a number expected, not {value!r}")
        names = [ffi.new("char[]", name.encode()) for name in values]
        given = ffi.new("carom_value[]", [(name, value) for name, value in zip(names, values.values())])
        error = new_error()
        check(lib.carom_simulation_set_all(self._raw, len(names), given, error), error)

    @property
    def word(self) -> str:
        """The motion in letters; empty for engines without words (bodies in fields, rods)."""
        error, room = new_error(), ffi.new("char[4096]")
        status = lib.carom_simulation_word(self._raw, room, 4096, error)
        if status != lib.CAROM_ERR_UNSUPPORTED:
            check(status, error)
        return text_of(room)

    @property
    def regime(self) -> str | None:
        """The first of the scenario's regimes that holds."""
        error, name = new_error(), ffi.new("const char **")
        check(lib.carom_simulation_regime(self._raw, name, error), error)
        return text_of(name[0]) if name[0] else None

    @property
    def certificate(self) -> Certificate:
        """The energy ledger so far, and whether the motion keeps its tolerances."""
        error, raw = new_error(), ffi.new("carom_certificate *")
        check(lib.carom_simulation_certificate(self._raw, raw, error), error)
        return Certificate(raw)

    # ---- moving it ----

    def reset(self) -> None:
        """Returns to the start."""
        error = new_error()
        check(lib.carom_simulation_reset(self._raw, error), error)

    def advance(self, t: float) -> bool:
        """Goes on to time t; False when a stop came first."""
        error = new_error()
        return check(lib.carom_simulation_advance(self._raw, t, error), error) == 0

    def next(self, t: float | None = None) -> bool:
        """Goes on to the next instant with an event, at most to t (default: the scenario's end);
        True when there was one."""
        error, end = new_error(), self.until if t is None else t
        return bool(check(lib.carom_simulation_next(self._raw, end, error), error) == lib.CAROM_STOP_EVENT)

    def change(self, name: str, value: float) -> None:
        """Changes a parameter and begins a new run at the present state."""
        error = new_error()
        check(lib.carom_simulation_change(self._raw, name.encode(), value, error), error)

    def clone(self) -> Simulation:
        """An independent copy, exact to the bit."""
        error, made = new_error(), ffi.new("carom_simulation **")
        check(lib.carom_simulation_clone(self._raw, made, error), error)
        copy = object.__new__(Simulation)
        copy.model = self.model
        copy._raw = ffi.gc(made[0], lib.carom_simulation_destroy)
        return copy

    def save(self) -> bytes:
        """The whole state, exact to the bit, for ``restore``."""
        error, size = new_error(), ffi.new("size_t *")
        check(lib.carom_simulation_save(self._raw, ffi.NULL, size, error), error)
        room = ffi.new("char[]", size[0])
        check(lib.carom_simulation_save(self._raw, room, size, error), error)
        return bytes(ffi.buffer(room, size[0]))

    def restore(self, saved: bytes) -> None:
        """Goes to a state that ``save`` gave, of the same model."""
        error = new_error()
        check(lib.carom_simulation_restore(self._raw, saved, len(saved), error), error)


# what others call it
_WORDS = {
    "df": "tables for pandas are made by run.frame()",
    "to_dataframe": "tables for pandas are made by run.frame()",
    "to_pandas": "tables for pandas are made by run.frame()",
    "time": "the times are run.t",
    "y": "columns go by name: run[\"x\"], run[\"x'\"]",
    "movie": "it is called animate",
    "to_csv": "write run.frame().to_csv(path)",
}


class CertificateWarning(UserWarning):
    """The certificate of a run, or of a point of a sweep, did not pass: its numbers do not keep their tolerances.
    ``warnings.simplefilter("error", carom.CertificateWarning)`` makes it an error."""


_CONTACT_COLUMNS = ["gap", "slip", "normal", "tangential"]


class Run:
    """A motion from start to end: samples as arrays, events, observables, certificate.

    ``run["x"]``, ``run["x'"]``, ``run["floor.normal"]`` are columns over ``run.t``: coordinates, rates, states,
    definitions, and of every contact its gap, slip, normal and tangential force and its mode ("F" flight, "K" stick,
    "+" and "-" slip, "C" closed without friction). Pictures: ``plot``, ``phase``, ``show``, ``report``, ``animate``;
    files: ``save``; tables: ``frame``.
    """

    def __init__(self, model: Model, given: Mapping[str, float], progress: Progress = False, phases: bool = False):
        simulation = model.simulation(given)
        self.model, self.given = model, dict(given)
        trace = self._record(simulation, progress, phases)
        lines = (lib.carom_trace_samples(trace), lib.carom_trace_width(trace))
        # the values live in the trace: no copy is made
        self.values = array_over(lib.carom_trace_values(trace), lines, trace)
        self.columns = ["t", *simulation.columns]
        self._contacts = _read_contacts(trace, model.contacts)
        self.events = _read_events(trace)
        self.word = simulation.word
        self.regime = simulation.regime
        self.certificate = simulation.certificate
        self.observables = {name: simulation[name] for name in model.observables}
        if not self.certificate.passed:
            warn_of_certificate(f"the certificate of this run of {model.title!r} did not pass: "
                                "do not trust it to its tolerances (run.certificate)")

    def _record(self, simulation: Simulation, progress: Progress, phases: bool) -> CData:
        error, made = new_error(), ffi.new("carom_trace **")
        check(lib.carom_trace_create(simulation._raw, made, error), error)
        trace = ffi.gc(made[0], lib.carom_trace_destroy)
        observer = ffi.new("carom_observer *", lib.carom_trace_observer(trace))
        observer.phases = phases
        lib.carom_simulation_observe(simulation._raw, observer)
        status = move(simulation, lambda: int(lib.carom_simulation_run(simulation._raw, error)), progress)
        lib.carom_simulation_observe(simulation._raw, ffi.NULL)
        check(status, error)
        if not lib.carom_trace_complete(trace):
            raise CaromError("out of memory", "CAROM_ERR_MEMORY")
        return trace

    def __getstate__(self) -> dict[str, Any]:
        # arrays over the library's memory become arrays of their own
        return {**self.__dict__, "values": np.array(self.values)}

    @property
    def t(self) -> Array:
        """The times of the samples."""
        return self._column(0)

    def _column(self, k: int) -> Array:
        column: Array = self.values[:, k]
        return column

    def __getitem__(self, name: str) -> Array:
        """A column of the samples, by name."""
        if name in self.columns:
            return self._column(self.columns.index(name))
        if name in self._contacts:
            return self._contacts[name]
        where = "; observables are in run.observables" if name in self.observables else ""
        raise no_column(name, self._ipython_key_completions_(), where)

    def __getattr__(self, name: str) -> Any:
        no_attribute(self, name, _WORDS)

    def _ipython_key_completions_(self) -> list[str]:
        return [*self.columns, *self._contacts]

    def frame(self, events: bool = False) -> DataFrame:
        """The samples as a pandas.DataFrame with the time as its index, or the events one a row."""
        from .frames import frame_of_events, frame_of_run

        return frame_of_events(self) if events else frame_of_run(self)

    def plot(self, *names: str, axes: Axes | None = None) -> Axes:
        """Time histories with the impacts marked."""
        from .plotting import plot_run

        return plot_run(self, names, axes)

    def phase(self, x: str | None = None, y: str | None = None, axes: Axes | None = None) -> Axes:
        """Phase portrait; without names the first coordinate and its rate."""
        from .plotting import plot_phase

        return plot_phase(self, x, y, axes)

    def save(self, path: str | PathLike[str]) -> None:
        """Records the run in a file that the program and ``h5py`` read (NAME.h5), or as a folder of tables (CSV)
        where the name has no ending. The run is done once more for it, to the same bits."""
        record(self.model, self.given, path, "--out" if Path(path).suffix else "--csv")

    def report(self, path: str | PathLike[str], *names: str) -> None:
        """Writes one HTML page that plays the motion, with time histories (of ``names`` at first), events and
        certificate; it needs no network."""
        page(self.model, self.given, path, names)

    def animate(self, path: str | PathLike[str], **options: float) -> None:
        """Writes a movie, NAME.mp4 or NAME.gif (needs ffmpeg). Options are those of ``carom movie``: ``seconds``,
        ``rate``, ``width``, ``height``, ``from_`` and ``until``."""
        movie(self.model, self.given, path, {name.rstrip("_"): value for name, value in options.items()})

    def show(self, height: int = 720) -> Any:
        """The player: in the cell of a notebook (as the cell's value), else in the browser."""
        return show(lambda path: page(self.model, self.given, path), height)

    def __repr__(self) -> str:
        return (
            f"<Run of {self.model.title!r} to t = {self.certificate.t_end:g}: {len(self.t)} samples, "
            f"{len(self.events)} events, {self.certificate!r}>"
        )

    def _repr_html_(self) -> str:
        """What a notebook shows: observables, events by kind, certificate."""
        kinds = Counter(event.kind for event in self.events)
        rows = {**{name: f"{value:.10g}" for name, value in self.observables.items()}}
        rows |= {"events": ", ".join(f"{count} {kind}" for kind, count in kinds.items()) or "none"}
        rows |= {"word": self.word} if self.word else {}
        rows |= {"regime": self.regime} if self.regime else {}
        table = "".join(f"<tr><td>{escape(name)}</td><td>{escape(text)}</td></tr>" for name, text in rows.items())
        colour, certificate = ("#1e8449" if self.certificate.passed else "#c0392b"), escape(repr(self.certificate)[1:-1])
        return (
            f"<b>{escape(self.model.title)}</b> to t = {self.certificate.t_end:g}<table>{table}</table>"
            f'<span style="color:{colour}">{certificate}</span>'
        )


def warn_of_certificate(text: str) -> None:
    """A warning at the line outside this package that asked for the work."""
    depth, frame = 1, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__package__") == __package__:
        depth, frame = depth + 1, frame.f_back
    warnings.warn(text, CertificateWarning, stacklevel=depth + 1)


def _read_contacts(trace: CData, names: list[str]) -> dict[str, Array]:
    """Columns "floor.normal" and the like: what every contact does at every sample."""
    count = ffi.new("int *")
    raw, samples = lib.carom_trace_contacts(trace, count), lib.carom_trace_samples(trace)
    if not raw or not samples:
        return {}
    fields = [(name, "S1" if name == "mode" else "f8") for name in ["mode", *_CONTACT_COLUMNS]]
    kind = np.dtype({
        "names": [name for name, _ in fields],
        "formats": [form for _, form in fields],
        "offsets": [ffi.offsetof("carom_contact_view", name) for name, _ in fields],
        "itemsize": ffi.sizeof("carom_contact_view"),
    })
    buffer = ffi.buffer(raw, samples * count[0] * kind.itemsize)
    views = np.frombuffer(buffer, dtype=kind).reshape(samples, count[0])
    columns: dict[str, Any] = {}
    for k, contact in enumerate(names):
        for name in _CONTACT_COLUMNS:
            columns[f"{contact}.{name}"] = views[name][:, k].copy()
        columns[f"{contact}.mode"] = views["mode"][:, k].astype("U1")
    return columns


def _read_events(trace: CData) -> list[Event]:
    size = lib.carom_trace_state_size(trace)
    return [
        Event(
            kind=text_of(lib.carom_event_kind_text(raw.kind)),
            name=text_of(raw.name),
            t=raw.t,
            direction=raw.direction,
            value=raw.value,
            tangential=raw.tangential,
            rubbed=raw.rubbed,
            energy_before=Energy(raw.energy_before.kinetic, raw.energy_before.potential),
            energy_after=Energy(raw.energy_after.kinetic, raw.energy_after.potential),
            instant=raw.instant,
            before=array_over(raw.before, (size,), trace),
            after=array_over(raw.after, (size,), trace),
        )
        for raw in (lib.carom_trace_event_at(trace, k) for k in range(lib.carom_trace_events(trace)))
    ]
