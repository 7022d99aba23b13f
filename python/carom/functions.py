# SPDX-License-Identifier: MIT
"""Models from Python functions, on equal footing with scenario files.

    M(t,q) u' = h(t,q,u,z),   q' = u,   z' = f(t,q,u,z)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from ._library import CaromError, CData, check, ffi, lib, new_error
from ._source import Source
from .model import Model
from .simulation import Array

Function = Callable[..., Any]


class _Point:
    """What a function is given: t, q, u, z as arrays over C memory, parameters by name."""

    __slots__ = ("t", "q", "u", "z", "p")

    def __init__(self, raw: CData, sizes: tuple[int, int], names: list[str]):
        n, m = sizes
        self.t = raw.t
        self.q, self.u, self.z = _view(raw.q, n), _view(raw.u, n), _view(raw.z, m)
        self.p = dict(zip(names, _view(raw.parameters, len(names))))


def _view(pointer: CData, count: int) -> Array:
    if count == 0:
        return np.empty(0)
    return np.frombuffer(ffi.buffer(pointer, count * 8))


class _Borrowed:
    """The C struct of a model and all Python objects it points to. An exception of a function
    ends the run with a CaromError; its own traceback goes to standard error."""

    def __init__(self, sizes: tuple[int, int], names: list[str], recipe: dict[str, Any]):
        self.raw = ffi.new("carom_functions *", lib.carom_functions_default())
        self.sizes, self.names, self.recipe = sizes, names, recipe
        self._kept: list[object] = []

    def changed(self, settings: Mapping[str, Any]) -> Model:
        """The same functions with another end, sampling, tolerance or other parameters."""
        recipe: dict[str, Any] = {**self.recipe, "parameters": dict(self.recipe["parameters"] or {})}
        for path, value in settings.items():
            if path in ("run.until", "run.sample", "run.rtol", "run.atol"):
                recipe[path.removeprefix("run.")] = value
            elif path in recipe["parameters"]:
                recipe["parameters"][path] = value
            else:
                raise CaromError(f"'{path}' is no parameter of these functions")
        return from_functions(**recipe)

    def texts(self, names: list[str]) -> CData:
        strings = [ffi.new("char[]", name.encode()) for name in names]
        array = ffi.new("char *[]", strings) if strings else ffi.NULL
        self._kept += [strings, array]
        return array

    def numbers(self, values: Iterable[float]) -> CData:
        array = ffi.new("double[]", [float(value) for value in values])
        self._kept.append(array)
        return array

    def callback(self, kind: str, function: Function, size: int) -> CData:
        """A C callback that fills ``size`` numbers with what the function returns."""

        def call(_ctx: CData, at: CData, out: CData) -> Any:
            result = np.asarray(function(_Point(at, self.sizes, self.names)), dtype=float).ravel()
            if len(result) != size:
                return lib.CAROM_ERR_ARGUMENT
            _view(out, size)[:] = result
            return lib.CAROM_OK

        made = ffi.callback(kind, call, error=lib.CAROM_ERR_ARGUMENT)
        self._kept.append(made)
        return made

    def reset(self, function: Function) -> CData:
        """At event k the function gives the new (q, u, z); None leaves the state alone."""
        n, m = self.sizes

        def call(_ctx: CData, at: CData, k: int, q: CData, u: CData, z: CData) -> Any:
            result = function(_Point(at, self.sizes, self.names), k)
            if result is not None:
                for out, size, new in zip((q, u, z), (n, n, m), result):
                    _view(out, size)[:] = new
            return lib.CAROM_OK

        made = ffi.callback("carom_status(void *, const carom_point *, int, double *, double *, double *)", call,
                            error=lib.CAROM_ERR_ARGUMENT)
        self._kept.append(made)
        return made


_FILLS = "carom_status(void *, const carom_point *, double *)"


def from_functions(
    *,
    title: str = "functions",
    coordinates: Mapping[str, float | tuple[float, float]] | None = None,
    states: Mapping[str, float] | None = None,
    parameters: Mapping[str, float] | None = None,
    mass: Function | None = None,
    force: Function | None = None,
    equation: Function | None = None,
    events: Mapping[str, Callable[[_Point], float]] | None = None,
    reset: Function | None = None,
    until: float = 1.0,
    sample: float | None = None,
    rtol: float = 0.0,
    atol: float = 0.0,
) -> Model:
    """A model from functions of a point ``at`` (``at.t, at.q, at.u, at.z, at.p["name"]``).

    ``coordinates`` maps names to start values, or (start, rate); ``mass`` gives the n x n matrix,
    ``force`` the n forces, ``equation`` the rates of the states. An event is a zero of its
    function; ``reset(at, k)`` gives the state (q, u, z) after event k. ``sample`` is the time between two samples
    (a thousandth of ``until``; 0: none are kept).
    """
    recipe = {name: value for name, value in locals().items()}
    coordinates, states = dict(coordinates or {}), dict(states or {})
    parameters, events = dict(parameters or {}), dict(events or {})
    n, m = len(coordinates), len(states)
    b = _Borrowed((n, m), list(parameters), recipe)
    starts = [value if isinstance(value, tuple) else (value, 0.0) for value in coordinates.values()]

    f = b.raw
    f.title = title_c = ffi.new("char[]", title.encode())
    b._kept.append(title_c)
    lists: list[tuple[CData, Mapping[str, Any]]] = [(f.coordinates, coordinates), (f.states, states), (f.parameters, parameters), (f.events, events)]
    for into, named in lists:
        into.count, into.names = len(named), b.texts(list(named))
    f.start, f.start_rate = b.numbers(q for q, _ in starts), b.numbers(u for _, u in starts)
    f.state_start, f.parameter_values = b.numbers(states.values()), b.numbers(parameters.values())
    f.run.until, f.run.rtol, f.run.atol = until, rtol, atol
    f.run.sample = until / 1000 if sample is None else sample
    if mass:
        f.mass = b.callback(_FILLS, mass, n * n)
    if force:
        f.force = b.callback(_FILLS, force, n)
    if equation:
        f.equation = b.callback(_FILLS, equation, m)
    if events:
        functions = list(events.values())
        f.event = b.callback(_FILLS, lambda at: [g(at) for g in functions], len(functions))
    if reset:
        f.reset = b.reset(reset)

    error, made = new_error(), ffi.new("carom_model **")
    check(lib.carom_model_from_functions(b.raw, made, error), error)
    return Model(Source(), made[0], keep=b)
