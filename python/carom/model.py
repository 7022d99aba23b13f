# SPDX-License-Identifier: MIT
"""A model: a system read from a scenario, with its equations derived and compiled."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from ._library import CData, check, ffi, lib, new_error, owned_text, text_of
from .simulation import Array, Run, Simulation, array_over

if TYPE_CHECKING:
    from .analysis import Basin, Branches, Diagram, Exponents, Location, Orbit, Sweep

Value = float | int | str
Progress = bool | Callable[[int, int, float], None]
Axis = str | tuple[float, float, int] | Iterable[float]


class _Settings:
    """Overrides ("Gamma", "contacts.left.friction.slip") as an array of C structs."""

    def __init__(self, settings: Mapping[str, Value]):
        self._kept = [
            (ffi.new("char[]", path.encode()), ffi.new("char[]", _written(value).encode()))
            for path, value in settings.items()
        ]
        self.count = len(self._kept)
        self.raw = ffi.new("carom_setting[]", self._kept) if self._kept else ffi.NULL


def _written(value: Value) -> str:
    """A value as it would be written in the file; numbers keep all their digits."""
    return value if isinstance(value, str) else repr(float(value)) if isinstance(value, float) else str(value)


def load(path: str | PathLike[str], set: Mapping[str, Value] | None = None, **parameters: Value) -> "Model":
    """A model from a scenario file. Overrides as keywords, or by path in ``set``::

        carom.load("dimer.yaml", Ar=5.7, set={"contacts.left.friction.slip": 0.1})
    """
    settings = _Settings({**(set or {}), **parameters})
    error, made = new_error(), ffi.new("carom_model **")
    check(lib.carom_model_load(fspath(path).encode(), settings.count, settings.raw, made, error), error)
    return Model(made[0], file=fspath(path), settings=settings)


def parse(
    scenario: str | Mapping[str, Any], name: str = "scenario", set: Mapping[str, Value] | None = None, **parameters: Value
) -> "Model":
    """A model from the text of a scenario, or from a dictionary of the same shape."""
    text = scenario if isinstance(scenario, str) else json.dumps(scenario, ensure_ascii=False)
    settings = _Settings({**(set or {}), **parameters})
    error, made = new_error(), ffi.new("carom_model **")
    status = lib.carom_model_parse(text.encode(), name.encode(), settings.count, settings.raw, made, error)
    check(status, error)
    return Model(made[0], file=None, settings=settings)


@dataclass(frozen=True)
class Equilibrium:
    """An equilibrium in one contact mode."""

    mode: str
    state: Array
    eigenvalues: list[complex]
    margin: float
    admissible: bool
    kind: str  # "stable", "unstable", "marginal", "stuck"


class Model:
    """A constant description: one model serves any number of simulations in any threads."""

    def __init__(self, raw: CData, file: str | None, settings: _Settings | None, keep: Any = None):
        self._raw = ffi.gc(raw, lib.carom_model_destroy)
        self._file = ffi.new("char[]", file.encode()) if file else ffi.NULL
        self._settings = settings
        self._keep = keep  # what the model borrows (Python functions)

    def _names(self, item: int) -> list[str]:
        return [text_of(lib.carom_model_name(self._raw, item, k)) for k in range(lib.carom_model_count(self._raw, item))]

    title = property(lambda self: text_of(lib.carom_model_title(self._raw)))
    engine = property(lambda self: text_of(lib.carom_model_engine(self._raw)))
    parameters = property(lambda self: self._names(lib.CAROM_PARAMETERS))
    coordinates = property(lambda self: self._names(lib.CAROM_COORDINATES))
    states = property(lambda self: self._names(lib.CAROM_STATES))
    definitions = property(lambda self: self._names(lib.CAROM_DEFINITIONS))
    contacts = property(lambda self: self._names(lib.CAROM_CONTACTS))
    sections = property(lambda self: self._names(lib.CAROM_SECTIONS))
    observables = property(lambda self: self._names(lib.CAROM_OBSERVABLES))
    regimes = property(lambda self: self._names(lib.CAROM_REGIMES))

    @property
    def scenario(self) -> str:
        """The scenario as resolved: includes merged, settings applied."""
        return owned_text(lib.carom_model_scenario_text(self._raw))

    @property
    def units(self) -> dict[str, str]:
        """SI units of parameters, coordinates, states, definitions and observables, where the scenario
        writes enough of them to know."""
        found, text = {}, ffi.new("char[80]")
        for item in (lib.CAROM_PARAMETERS, lib.CAROM_COORDINATES, lib.CAROM_STATES, lib.CAROM_DEFINITIONS, lib.CAROM_OBSERVABLES):
            for k, name in enumerate(self._names(item)):
                if lib.carom_model_unit(self._raw, item, k, text, len(text)):
                    found[name] = text_of(text)
        return found

    def derive(self, latex: bool = False) -> str:
        """Mass matrix, bias forces and Jacobians, one equation per line."""
        error, text = new_error(), ffi.new("char **")
        notation = lib.CAROM_LATEX if latex else lib.CAROM_PLAIN
        check(lib.carom_model_derive(self._raw, notation, text, error), error)
        return owned_text(text[0])

    # ---- single motions ----

    def simulation(self, values: Mapping[str, float] | None = None, **parameters: float) -> Simulation:
        """A simulation at the start; parameters and start values ("x", "x'") as keywords or in
        ``values``."""
        made = Simulation(self)
        given = {**(values or {}), **parameters}
        if given:
            made.set(given)
        return made

    def run(self, values: Mapping[str, float] | None = None, **parameters: float) -> Run:
        """The motion from start to end."""
        return Run(self.simulation(values, **parameters))

    def equilibria(self, values: Mapping[str, float] | None = None, **parameters: float) -> list[Equilibrium]:
        """One equilibrium for each set of open and closed contacts that has one."""
        simulation = self.simulation(values, **parameters)
        error, made = new_error(), ffi.new("carom_equilibria **")
        check(lib.carom_equilibria_find(simulation._raw, made, error), error)
        found = ffi.gc(made[0], lib.carom_equilibria_destroy)
        kinds = ["stable", "unstable", "marginal", "stuck"]
        return [
            Equilibrium(
                mode=text_of(item.mode),
                state=array_over(item.state, (item.size,), found),
                eigenvalues=[complex(item.re[k], item.im[k]) for k in range(item.eigenvalues)],
                margin=item.margin,
                admissible=bool(item.admissible),
                kind=kinds[item.kind],
            )
            for item in (lib.carom_equilibria_at(found, k) for k in range(lib.carom_equilibria_count(found)))
        ]

    # ---- questions that take many runs ----

    def sweep(
        self,
        over: Mapping[str, Axis],
        observe: str | Iterable[str] | None = None,
        threads: int = 0,
        random: int = 0,
        seed: int = 0,
        progress: Progress = False,
    ) -> Sweep:
        """Runs over a grid, ``{"mu": (0.3, 0.7, 401), "e": [0, 0.5]}``, or over random points."""
        from .analysis import run_sweep

        return run_sweep(self, over, observe, threads, random, seed, progress)

    def bifurcate(
        self,
        over: Mapping[str, Axis],
        section: str | None = None,
        observe: str | None = None,
        both: bool = False,
        skip: int | None = None,
        keep: int | None = None,
        tolerance: float | None = None,
        progress: Progress = False,
    ) -> Diagram:
        """Follows the attractor along a parameter and marks where the motion changes."""
        from .analysis import run_bifurcation

        return run_bifurcation(self, over, section, observe, both, skip, keep, tolerance, progress)

    def basin(
        self,
        over: Mapping[str, Axis],
        refine: int = 0,
        threads: int = 0,
        random: int = 0,
        seed: int = 0,
        progress: Progress = False,
        observe: str | Iterable[str] | None = None,
        same: float | None = None,
    ) -> Basin:
        """Which start leads to which motion. Attractors are told apart by regime, word and the observables
        named by ``observe`` (default: all); those that differ by less than ``same`` are the same."""
        from .analysis import run_basin

        return run_basin(self, over, refine, threads, random, seed, progress, observe, same)

    def orbit(self, period: float = 0.0, turns: int = 0, tolerance: float | None = None) -> Orbit:
        """A periodic motion by Newton's method from where the run ends: stable or not, with its
        multipliers. ``period`` is a rough guess for an autonomous system, ``turns`` the number of
        periods of the drive (the scenario's ``run.period``) in one turn; 0: found from the motion."""
        from .analysis import run_orbit

        return run_orbit(self, period, turns, tolerance)

    def follow(
        self,
        over: Mapping[str, tuple[float, float]],
        switches: int = 0,
        equilibrium: bool = False,
        mode: str | None = None,
        period: float = 0.0,
        turns: int = 0,
        progress: Progress = False,
        virtual: bool = False,
    ) -> Branches:
        """Follows a periodic motion (or an equilibrium) along a parameter, ``{"Gamma": (0.8, 1.5)}``,
        stable or not, through folds; ``switches``: how often motions that branch off at flips are
        followed too. ``period`` and ``turns`` as for ``orbit``, ``mode`` is the contact mode of the
        equilibrium; ``virtual``: words are followed beyond their end too."""
        from .analysis import run_follow

        return run_follow(self, over, switches, equilibrium, mode, period, turns, progress, virtual)

    def lyapunov(
        self,
        time: float | None = None,
        transient: float | None = None,
        progress: Progress = False,
    ) -> Exponents:
        """The spectrum of Lyapunov exponents."""
        from .analysis import run_lyapunov

        return run_lyapunov(self, time, transient, progress)

    def locate(self, parameter: str, between: tuple[float, float], tolerance: float | None = None, follow: bool = False) -> Location:
        """The value of a parameter at which the word of the motion changes."""
        from .analysis import run_locate

        return run_locate(self, parameter, between, tolerance, follow)

    def __repr__(self) -> str:
        return f"<Model {self.title!r}: {len(self.coordinates)} coordinates, {len(self.contacts)} contacts>"
