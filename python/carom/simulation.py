# SPDX-License-Identifier: MIT
"""One motion of a model: moved by hand (Simulation), or from start to end and kept (Run)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._library import CaromError, CData, check, ffi, lib, new_error, text_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .model import Model

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
    ``value`` is the normal impulse of an impact, ``tangential`` that of friction."""

    kind: str
    name: str
    t: float
    direction: int
    value: float
    tangential: float
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
        # what every field did to the body, by name
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

    def __init__(self, model: "Model"):
        self.model = model
        error, made = new_error(), ffi.new("carom_simulation **")
        check(lib.carom_simulation_create(model._raw, made, error), error)
        self._raw = ffi.gc(made[0], lib.carom_simulation_destroy)
        self._observer = None

    # ---- where it stands ----

    @property
    def t(self) -> float:
        return lib.carom_simulation_time(self._raw)

    @property
    def until(self) -> float:
        return lib.carom_simulation_until(self._raw)

    @property
    def state(self) -> Array:
        """The state vector (q, q', z) as it is now: a view, which changes when the motion goes on."""
        size = ffi.new("int *")
        pointer = lib.carom_simulation_state(self._raw, size)
        return array_over(pointer, (size[0],), self)

    @property
    def columns(self) -> list[str]:
        count = lib.carom_simulation_columns(self._raw)
        return [text_of(lib.carom_simulation_column(self._raw, k)) for k in range(count)]

    def __getitem__(self, name: str) -> float:
        """A parameter, coordinate, rate "x'", acceleration "x''", state, definition or observable."""
        error, value = new_error(), ffi.new("double *")
        check(lib.carom_simulation_get(self._raw, name.encode(), value, error), error)
        return value[0]

    def __setitem__(self, name: str, value: float) -> None:
        """A parameter or start value; returns to the start."""
        error = new_error()
        check(lib.carom_simulation_set(self._raw, name.encode(), value, error), error)

    def set(self, values: Mapping[str, float]) -> None:
        """Parameters and start values, all together; returns to the start."""
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
        error, name = new_error(), ffi.new("const char **")
        check(lib.carom_simulation_regime(self._raw, name, error), error)
        return text_of(name[0]) if name[0] else None

    @property
    def certificate(self) -> Certificate:
        error, raw = new_error(), ffi.new("carom_certificate *")
        check(lib.carom_simulation_certificate(self._raw, raw, error), error)
        return Certificate(raw)

    # ---- moving it ----

    def reset(self) -> None:
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
        return check(lib.carom_simulation_next(self._raw, end, error), error) == lib.CAROM_STOP_EVENT

    def change(self, name: str, value: float) -> None:
        """Changes a parameter and begins a new run at the present state."""
        error = new_error()
        check(lib.carom_simulation_change(self._raw, name.encode(), value, error), error)

    def clone(self) -> "Simulation":
        """An independent copy, exact to the bit."""
        error, made = new_error(), ffi.new("carom_simulation **")
        check(lib.carom_simulation_clone(self._raw, made, error), error)
        copy = object.__new__(Simulation)
        copy.model, copy._observer = self.model, None
        copy._raw = ffi.gc(made[0], lib.carom_simulation_destroy)
        return copy

    def save(self) -> bytes:
        error, size = new_error(), ffi.new("size_t *")
        check(lib.carom_simulation_save(self._raw, ffi.NULL, size, error), error)
        room = ffi.new("char[]", size[0])
        check(lib.carom_simulation_save(self._raw, room, size, error), error)
        return bytes(ffi.buffer(room, size[0]))

    def restore(self, saved: bytes) -> None:
        error = new_error()
        check(lib.carom_simulation_restore(self._raw, saved, len(saved), error), error)


class Run:
    """A motion from start to end: samples as arrays, events, observables, certificate."""

    def __init__(self, simulation: Simulation):
        self.model = simulation.model
        self._simulation = simulation
        self._trace = self._record(simulation)
        lines = (lib.carom_trace_samples(self._trace), lib.carom_trace_width(self._trace))
        # the values live in the trace: no copy is made
        self.values = array_over(lib.carom_trace_values(self._trace), lines, self._trace)
        self.columns = ["t", *simulation.columns]
        self.events = self._read_events()
        self.word = simulation.word
        self.regime = simulation.regime
        self.certificate = simulation.certificate
        self.observables = {name: simulation[name] for name in self.model.observables}

    def _record(self, simulation: Simulation) -> CData:
        error, made = new_error(), ffi.new("carom_trace **")
        check(lib.carom_trace_create(simulation._raw, made, error), error)
        trace = ffi.gc(made[0], lib.carom_trace_destroy)
        observer = ffi.new("carom_observer *", lib.carom_trace_observer(trace))
        lib.carom_simulation_observe(simulation._raw, observer)
        self.status = lib.carom_simulation_run(simulation._raw, error)
        lib.carom_simulation_observe(simulation._raw, ffi.NULL)
        check(self.status, error)
        if not lib.carom_trace_complete(trace):
            raise CaromError("out of memory", "CAROM_ERR_MEMORY")
        return trace

    def _read_events(self) -> list[Event]:
        size = lib.carom_trace_state_size(self._trace)
        events = []
        for k in range(lib.carom_trace_events(self._trace)):
            raw = lib.carom_trace_event_at(self._trace, k)
            events.append(
                Event(
                    kind=text_of(lib.carom_event_kind_text(raw.kind)),
                    name=text_of(raw.name),
                    t=raw.t,
                    direction=raw.direction,
                    value=raw.value,
                    tangential=raw.tangential,
                    energy_before=Energy(raw.energy_before.kinetic, raw.energy_before.potential),
                    energy_after=Energy(raw.energy_after.kinetic, raw.energy_after.potential),
                    instant=raw.instant,
                    before=array_over(raw.before, (size,), self._trace),
                    after=array_over(raw.after, (size,), self._trace),
                )
            )
        return events

    @property
    def t(self) -> Array:
        return self.values[:, 0]

    def __getitem__(self, name: str) -> Array:
        """A column of the samples (coordinate, rate "x'", state, definition), by name."""
        try:
            return self.values[:, self.columns.index(name)]
        except ValueError:
            where = "; observables are in run.observables" if name in self.observables else ""
            raise KeyError(f"no column '{name}'; there are {', '.join(self.columns)}{where}") from None

    def plot(self, *names: str, axes: "Axes | None" = None) -> "Axes":
        """Time histories with the impacts marked."""
        from .plotting import plot_run

        return plot_run(self, names, axes)

    def phase(self, x: str | None = None, y: str | None = None, axes: "Axes | None" = None) -> "Axes":
        """Phase portrait; without names the first coordinate and its rate."""
        from .plotting import plot_phase

        return plot_phase(self, x, y, axes)

    def __repr__(self) -> str:
        return (
            f"<Run of {self.model.title!r} to t = {self._simulation.t:g}: {len(self.t)} samples, "
            f"{len(self.events)} events, {self.certificate!r}>"
        )
