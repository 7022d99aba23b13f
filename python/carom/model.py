# SPDX-License-Identifier: MIT
"""A model: a system read from a scenario, with its equations derived and compiled."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Literal, overload

from ._hints import no_attribute, over_dictionary
from ._library import CaromError, CData, check, ffi, find_scenarios, lib, new_error, no_column, owned_text, text_of
from ._program import lab_page, show
from ._source import Source, Value
from .simulation import Array, Run, Simulation, array_over

if TYPE_CHECKING:
    from .analysis import Basin, Convergence, Diagram, Location, Sweep
    from .atlases import Atlas, BasinCourse
    from .equations import Equations
    from .fits import Fit, Sensitivity
    from .manifolds import Manifolds
    from .orbits import Branches, Exponents, Orbit

# what others call it
_WORDS = {
    "plot": "a motion is drawn: model.run().plot()",
    "simulate": "it is called run",
    "solve": "it is called run",
    "continue_": "branches are followed: model.follow({name: (from, to)})",
    "continuation": "branches are followed: model.follow({name: (from, to)})",
    "branch": "branches are followed: model.follow({name: (from, to)})",
    "bifurcation": "it is called bifurcate",
    "equilibrium": "it is called equilibria",
    "set": "a model is constant: model.run(name=value), or model.changed(name=value) for another model",
    "events": "events are of a motion: model.run().events",
}

Progress = bool | Callable[[int, int, float], None]
Axis = str | tuple[float, float, int] | Iterable[float]


def load(path: str | PathLike[str], set: Mapping[str, Value] | None = None, **parameters: Value) -> Model:
    """A model from a scenario file. Overrides as keywords, or by path in ``set``::

        carom.load("dimer.yaml", Ar=5.7, set={"contacts.left.friction.slip": 0.1})
    """
    return Model(Source(path=fspath(path), settings={**(set or {}), **parameters}))


def example(name: str, set: Mapping[str, Value] | None = None, **parameters: Value) -> Model:
    """A model of a scenario that comes along, such as "bouncing_ball"; ``carom examples`` tells what they are."""
    folder = find_scenarios()
    if folder is None:
        raise CaromError("the scenarios were not found: they are in the wheel and in Debian's package carom")
    if not (folder / f"{name}.yaml").exists():
        near = get_close_matches(name, [path.stem for path in folder.glob("*.yaml")], 3)
        raise CaromError(f"there is no scenario '{name}' in {folder}{'; near are ' + ', '.join(near) if near else ''}")
    return load(folder / f"{name}.yaml", set, **parameters)


def parse(
    scenario: str | Mapping[str, Any], name: str = "scenario", set: Mapping[str, Value] | None = None, **parameters: Value
) -> Model:
    """A model from the text of a scenario, or from a dictionary of the same shape."""
    text = scenario if isinstance(scenario, str) else json.dumps(scenario, ensure_ascii=False)
    return Model(Source(text=text, name=name, settings={**(set or {}), **parameters}))


@dataclass(frozen=True)
class Equilibrium:
    """An equilibrium in one contact mode. ``equilibrium["x"]`` is the place of a coordinate."""

    mode: str
    state: Array
    columns: list[str]  # names of the state's components
    eigenvalues: list[complex]
    forces: dict[str, tuple[float, float]]  # of each contact: normal, tangential
    margin: float
    admissible: bool  # it exists in the real system, not only in its mode
    kind: str  # "stable", "unstable", "marginal", "stuck"

    def __getitem__(self, name: str) -> float:
        if name not in self.columns:
            raise no_column(name, self.columns)
        return float(self.state[self.columns.index(name)])

    def __repr__(self) -> str:
        place = ", ".join(f"{name} = {value:.6g}" for name, value in zip(self.columns, self.state) if not name.endswith("'"))
        return f"<Equilibrium {self.kind}{'' if self.admissible else ', virtual'}, mode {self.mode!r}: {place}>"


@dataclass(frozen=True)
class Check:
    """What was understood of a scenario; ``print(model.check())`` tells it as ``carom check`` does."""

    title: str
    engine: str
    freedoms: int
    conservative: bool  # is the energy constant on every smooth motion?
    start: float
    until: float
    coordinates: dict[str, tuple[float, float]]  # value and rate at the start
    speeds: dict[str, float]  # velocities that are the rate of no coordinate
    states: dict[str, float]
    parameters: dict[str, float]
    contacts: dict[str, dict[str, str]]  # gap, slip, friction and impact, in words
    names: dict[str, list[str]]  # of definitions, constraints, events, sections, stops, observables, regimes
    units: dict[str, str]
    description: str  # what an engine of many bodies is made of

    def __str__(self) -> str:
        lines = [self.title, f"engine        {self.engine}"]
        lines += [f"{name:<14}{text.strip()}" for name, _, text in (line.partition(":") for line in self.description.splitlines())]
        if not self.description:
            lines.append(f"freedoms      {self.freedoms}")
        if self.coordinates or self.speeds:
            lines.append(f"energy        {'conserved by every smooth motion' if self.conservative else 'not conserved'}")
        lines.append(f"run           from t = {self.start:.12g} to {self.until:.12g}")
        starts = {name: f"{q:.12g}{self._unit(name)}   rate {u:.12g}" for name, (q, u) in self.coordinates.items()}
        lines += _listed("coordinates at the start", starts)
        plain = (("speeds at the start", self.speeds), ("states at the start", self.states), ("parameters", self.parameters))
        for heading, values in plain:
            lines += _listed(heading, {name: f"{value:.12g}{self._unit(name)}" for name, value in values.items()})
        for name, laws in self.contacts.items():
            lines += _listed(f"contact {name}", laws)
        lines += [f"{heading:<13} {', '.join(names)}" for heading, names in self.names.items() if names]
        return "\n".join(lines)

    def _unit(self, name: str) -> str:
        return f" {self.units[name]}" if name in self.units else ""


def _listed(heading: str, entries: Mapping[str, str]) -> list[str]:
    return [heading, *(f"  {name:<14} {text}" for name, text in entries.items())] if entries else []


_CONTACT_ITEMS = ["gap", "slip", "friction", "impact"]  # in the order of carom_contact_item
_PLAIN_ITEMS = ["definitions", "constraints", "events", "sections", "stops", "observables", "regimes"]
_EQUILIBRIUM_KINDS = ["stable", "unstable", "marginal", "stuck"]


class Model:
    """A system with its equations derived and compiled, made by ``carom.load``, ``carom.parse`` or
    ``carom.from_functions``. It is constant: one model serves any number of runs in any threads.

    What it is: ``check``, ``derive``, ``scenario``, ``parameters``, ``coordinates``, ``contacts``, ``units``.
    One motion: ``run``, ``simulation``, ``converge``. Rest: ``equilibria``. Periodic motions: ``orbit``, ``follow``.
    Many runs: ``sweep``, ``bifurcate``, ``basin``, ``locate``. Chaos: ``lyapunov``. Measurements: ``sensitivity``, ``fit``.
    """

    def __init__(self, source: Source, raw: CData = None, keep: Any = None):
        self._source = source
        self._raw = ffi.gc(raw or source.make(), lib.carom_model_destroy)
        self._keep = keep  # what the model borrows (Python functions)

    def __reduce__(self) -> tuple[Any, ...]:
        if self._keep is not None:
            raise TypeError("models of Python functions cannot be pickled")
        return _unpickled, (self._source.lasting(self.scenario),)

    def changed(self, set: Mapping[str, Value] | None = None, **parameters: Value) -> Model:
        """The same system with other values, by name or by path: ``model.changed(mu=0.3, set={"run.rtol": 1e-10})``."""
        if self._keep is not None:
            remade: Model = self._keep.changed({**(set or {}), **parameters})
            return remade
        return Model(self._source.changed({**(set or {}), **parameters}))

    def __getattr__(self, name: str) -> Any:
        no_attribute(self, name, _WORDS, () if name.startswith("_") else [*self.parameters, *self.coordinates])

    # ---- what it is ----

    def _names(self, item: str) -> list[str]:
        number = getattr(lib, f"CAROM_{item.upper()}")
        return [text_of(lib.carom_model_name(self._raw, number, k)) for k in range(lib.carom_model_count(self._raw, number))]

    @property
    def title(self) -> str:
        """The title of the scenario."""
        return text_of(lib.carom_model_title(self._raw))

    @property
    def engine(self) -> str:
        """What computes it: "hybrid", "field", "grains", "functions"."""
        return text_of(lib.carom_model_engine(self._raw))

    @property
    def parameters(self) -> list[str]:
        """Names of the parameters."""
        return self._names("parameters")

    @property
    def coordinates(self) -> list[str]:
        """Names of the coordinates."""
        return self._names("coordinates")

    @property
    def speeds(self) -> list[str]:
        """Names of the velocities that are the rate of no coordinate."""
        return self._names("speeds")

    @property
    def states(self) -> list[str]:
        """Names of the first-order states; coordinates whose rates are given come first."""
        return self._names("states")

    @property
    def definitions(self) -> list[str]:
        """Names of the definitions."""
        return self._names("definitions")

    @property
    def contacts(self) -> list[str]:
        """Names of the contacts."""
        return self._names("contacts")

    @property
    def sections(self) -> list[str]:
        """Names of the sections."""
        return self._names("sections")

    @property
    def observables(self) -> list[str]:
        """Names of what the scenario observes."""
        return self._names("observables")

    @property
    def regimes(self) -> list[str]:
        """Names of the regimes."""
        return self._names("regimes")

    @property
    def scenario(self) -> str:
        """The scenario as resolved: includes merged, settings applied."""
        return owned_text(lib.carom_model_scenario_text(self._raw))

    @property
    def units(self) -> dict[str, str]:
        """SI units of parameters, coordinates, speeds, states, definitions and observables, where the scenario
        writes enough of them to know."""
        found, text = {}, ffi.new("char[80]")
        for item in ("parameters", "coordinates", "speeds", "states", "definitions", "observables"):
            for k, name in enumerate(self._names(item)):
                if lib.carom_model_unit(self._raw, getattr(lib, f"CAROM_{item.upper()}"), k, text, len(text)):
                    found[name] = text_of(text)
        return found

    def lab(self, path: str | PathLike[str] | None = None, *, height: int = 900, **values: float) -> Any:
        """The scenario as a page in which it runs, with sliders and analyses (docs/lab.md): written to ``path``, else
        shown in the cell of a notebook (as the cell's value) or in the browser. ``values`` are set at first."""
        if path is not None:
            return lab_page(self, values, path)
        return show(lambda made: lab_page(self, values, made), height)

    def check(self) -> Check:
        """What was understood: coordinates and parameters with their values, contacts in words."""
        at, text = self.simulation(), ffi.new("char[2000]")
        lib.carom_simulation_describe(at._raw, text, len(text))
        coordinates, contacts = self.coordinates, self.contacts
        laws = {}
        for k, name in enumerate(contacts):
            words = (owned_text(lib.carom_model_contact_text(self._raw, k, item)) for item in range(len(_CONTACT_ITEMS)))
            laws[name] = {item: word for item, word in zip(_CONTACT_ITEMS, words) if word}
        return Check(
            title=self.title,
            engine=self.engine,
            freedoms=max(0, len(coordinates) + len(self.speeds) - len(self._names("constraints"))),
            conservative=bool(lib.carom_model_conservative(self._raw)),
            start=at.t,
            until=at.until,
            coordinates={name: (at[name], at[f"{name}'"]) for name in coordinates},
            speeds={name: at[name] for name in self.speeds},
            states={name: at[name] for name in self.states},
            parameters={name: at[name] for name in self.parameters},
            contacts=laws,
            names={item: self._names(item) for item in _PLAIN_ITEMS},
            units=self.units,
            description=text_of(text),
        )

    @overload
    def derive(self, notation: Literal["text", "latex"] = "text") -> str: ...

    @overload
    def derive(self, notation: Literal["sympy"]) -> Equations: ...

    def derive(self, notation: str = "text") -> str | Equations:
        """The equations of motion that were derived: mass matrix M, forces h, rows W of contacts and constraints,
        one equation a line as "text" or "latex"; with "sympy" as matrices (``equations.M``, ``equations.h``)."""
        if notation not in ("text", "latex", "sympy"):
            raise CaromError(f"notation is 'text', 'latex' or 'sympy', not {notation!r}")
        error, text = new_error(), ffi.new("char **")
        kind = lib.CAROM_LATEX if notation == "latex" else lib.CAROM_PLAIN
        check(lib.carom_model_derive(self._raw, kind, text, error), error)
        lines = owned_text(text[0])
        if notation != "sympy":
            return lines
        from .equations import read_equations

        return read_equations(lines, self.coordinates, self.speeds, self.states)

    # ---- single motions ----

    def simulation(self, values: Mapping[str, float] | None = None, **parameters: float) -> Simulation:
        """A simulation at the start, to be moved by hand; parameters and start values ("x", "x'") as keywords
        or in ``values``."""
        made = Simulation(self)
        given = {**(values or {}), **parameters}
        if given:
            made.set(given)
        return made

    def run(
        self,
        values: Mapping[str, float] | None = None,
        *,
        until: float | None = None,
        rtol: float | None = None,
        atol: float | None = None,
        sample: float | None = None,
        phases: bool = False,
        progress: Progress = False,
        **parameters: float,
    ) -> Run:
        """The motion from start to end.

        Parameters and start values are keywords, or entries of ``values`` where their names are no names of
        Python: ``model.run({"x'": 2.0}, mu=0.3)``. ``until``, ``rtol``, ``atol`` and ``sample`` stand for those
        of the scenario's ``run``; with ``phases`` the events tell what happens while impacts last, too. A run whose
        certificate does not pass gives a ``CertificateWarning``.
        """
        wanted = {"until": until, "rtol": rtol, "atol": atol, "sample": sample}
        for name in parameters:
            near = get_close_matches(name, [*wanted, "phases", "progress"], 1, 0.75)
            if near and not get_close_matches(name, [*self.parameters, *self.coordinates, *self.states], 1, 0.75):
                raise CaromError(f"unknown name '{name}'; did you mean '{near[0]}'?")
        settings = {f"run.{name}": value for name, value in wanted.items() if value is not None}
        model = self.changed(settings) if settings else self
        return Run(model, {**(values or {}), **parameters}, progress, phases)

    def converge(self, tighter: int = 1) -> Convergence:
        """Which digits hold: runs again with tolerances a hundred times tighter, ``tighter`` times."""
        from .analysis import run_converge

        return run_converge(self, tighter)

    def equilibria(self, values: Mapping[str, float] | None = None, **parameters: float) -> list[Equilibrium]:
        """Where the system can rest: one equilibrium for each set of open and closed contacts that has one."""
        simulation = self.simulation(values, **parameters)
        error, made = new_error(), ffi.new("carom_equilibria **")
        check(lib.carom_equilibria_find(simulation._raw, made, error), error)
        found = ffi.gc(made[0], lib.carom_equilibria_destroy)
        return [
            Equilibrium(
                mode=text_of(item.mode),
                state=array_over(item.state, (item.size,), found),
                columns=simulation.columns[: item.size],
                eigenvalues=[complex(item.re[k], item.im[k]) for k in range(item.eigenvalues)],
                forces={name: (item.normal[k], item.tangential[k]) for k, name in enumerate(self.contacts)},
                margin=item.margin,
                admissible=bool(item.admissible),
                kind=_EQUILIBRIUM_KINDS[item.kind],
            )
            for item in (lib.carom_equilibria_at(found, k) for k in range(lib.carom_equilibria_count(found)))
        ]

    # ---- many motions ----

    @over_dictionary
    def sweep(
        self,
        over: Mapping[str, Axis],
        observe: str | Iterable[str] | None = None,
        threads: int = 0,
        random: int = 0,
        seed: int = 0,
        progress: Progress = False,
    ) -> Sweep:
        """Runs over a grid, ``{"mu": (0.3, 0.7, 401), "e": [0, 0.5]}``; axes are parameters, start values or entries of
        the scenario (``"run.rtol"``). ``observe``: which observables (default: all); ``random``: so many points between the
        ends of the axes, drawn with ``seed``, instead of the grid; ``threads`` 0: all processors."""
        from .analysis import run_sweep

        return run_sweep(self, over, observe, threads, random, seed, progress)

    @over_dictionary
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
        """Follows the attractor along a parameter and marks where the motion changes. At crossings of ``section`` (a
        section, event or contact; default: the first section) ``observe`` is kept (default: the first coordinate): the last
        ``keep`` after ``skip``. ``both``: up and down again; ``tolerance``: to which changes are located (default: not)."""
        from .analysis import run_bifurcation

        return run_bifurcation(self, over, section, observe, both, skip, keep, tolerance, progress)

    @over_dictionary
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
        """Which start leads to which motion, on a grid of two axes (``refine``: how often it is halved at boundaries) or
        for ``random`` starts in any number of them. Attractors are told apart by regime, word and the observables
        named by ``observe`` (default: all); those that differ by less than ``same`` are the same."""
        from .analysis import run_basin

        return run_basin(self, over, refine, threads, random, seed, progress, observe, same)

    @over_dictionary
    def basin_course(
        self,
        over: Mapping[str, Axis],
        along: Mapping[str, Axis],
        threads: int = 0,
        progress: Progress = False,
        observe: str | Iterable[str] | None = None,
        same: float | None = None,
    ) -> BasinCourse:
        """Basins of a grid of starts, followed along a parameter, ``along={"b": (-0.4, 0.4, 21)}``: shares, uncertainty exponent,
        basin entropy, and between which values attractors begin and end. ``observe`` and ``same`` as for ``basin``."""
        from .atlases import run_basin_course

        return run_basin_course(self, over, along, threads, progress, observe, same)

    @over_dictionary
    def manifolds(
        self,
        over: Mapping[str, tuple[float, float]],
        turns: int = 1,
        points: int = 2000,
        threads: int = 0,
        progress: Progress = False,
    ) -> Manifolds:
        """Saddles in a box, ``over={"x": (-2, 2), "x'": (-1, 1)}``, and their stable and unstable manifolds: of a driven
        system those of ``turns`` periods of the drive, of one without drive its equilibria."""
        from .manifolds import run_manifolds

        return run_manifolds(self, over, turns, points, threads, progress)

    def orbit(
        self, period: float = 0.0, turns: int = 0, tolerance: float | None = None, progress: Progress = False
    ) -> Orbit:
        """A periodic motion by Newton's method from where the run ends: stable or not, with its
        multipliers. ``period`` is a rough guess for an autonomous system, ``turns`` the number of
        periods of the drive (the scenario's ``run.period``) in one turn; 0: found from the motion."""
        from .orbits import run_orbit

        return run_orbit(self, period, turns, tolerance, progress)

    @over_dictionary
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
        from .orbits import run_follow

        return run_follow(self, over, switches, equilibrium, mode, period, turns, progress, virtual)

    @over_dictionary
    def atlas(
        self,
        over: Mapping[str, tuple[float, float]],
        also: Mapping[str, tuple[float, float]],
        switches: int = 0,
        equilibrium: bool = False,
        virtual: bool = False,
        progress: Progress = False,
        corners: bool = False,
    ) -> Atlas:
        """Special points of branches as curves in two parameters, ``atlas({"Gamma": (0.7, 1.3)}, also={"e": (0.5, 0.95)})``:
        folds, flips, torus and Hopf points, grazes and other ends of words; ``corners``: also those that begin where two of these meet."""
        from .atlases import run_atlas

        return run_atlas(self, over, also, switches, equilibrium, virtual, corners, progress)

    def lyapunov(
        self,
        time: float | None = None,
        transient: float | None = None,
        progress: Progress = False,
    ) -> Exponents:
        """The spectrum of Lyapunov exponents, averaged over ``time`` after ``transient`` (default: nine tenths of the run
        after one)."""
        from .orbits import run_lyapunov

        return run_lyapunov(self, time, transient, progress)

    def sensitivity(
        self,
        of: Sequence[str],
        by: Sequence[str],
        *,
        second: bool = False,
        values: Mapping[str, float] | None = None,
        adjoint: bool = False,
        sides: bool = True,
    ) -> Sensitivity:
        """Exact derivatives of what a run ends with (observables, definitions, components of the state) by
        parameters and start values, and of the times of its events; second derivatives where asked for. ``values`` are set
        before the run; ``adjoint``: brought back from the end, for many inputs; ``sides``: neighbours beside grazes and impacts of
        several contacts are followed as well. ``carom.frameworks`` makes functions for PyTorch and JAX of this."""
        from .fits import run_sensitivity

        return run_sensitivity(self, of, by, second, values or {}, adjoint, sides)

    def fit(
        self,
        data: Sequence[str | PathLike[str]],
        free: Mapping[str, tuple[float, float]],
        errors: Mapping[str, float] | None = None,
        priors: Mapping[str, tuple[float, float]] | None = None,
        huber: float = 0.0,
        starts: int = 1,
        seed: int = 1,
        each: Mapping[str, tuple[float, float]] | None = None,
        sweep: int = 0,
        profiles: bool = False,
        samples: int = 0,
        walkers: int = 0,
        threads: int = 0,
        parts: int = 0,
    ) -> Fit:
        """Finds parameters and start values within bounds, ``{"e": (0.3, 1)}``, from CSV files of samples or of times of
        impacts. ``errors`` are standard errors of columns, ``priors`` values and errors known beforehand; residuals
        beyond ``huber`` errors count linearly; ``starts`` - 1 random places are started from as well,
        the best of ``sweep`` if given. ``each``: inputs of which every file has its own, ``t`` its clock. ``profiles``: intervals
        of 95 % by profiles; ``samples`` of the posterior by each of ``walkers``; ``parts``: begin with the first 1/2**parts of the
        data."""
        from .fits import run_fit

        return run_fit(
            self, data, free, errors or {}, priors or {}, huber, starts, seed, each or {}, sweep, profiles, samples, walkers, threads, parts
        )

    def locate(
        self,
        parameter: str,
        between: tuple[float, float],
        what: str = "word",
        value: float = 0.0,
        tolerance: float | None = None,
        follow: bool = False,
        mode: str | None = None,
    ) -> Location:
        """The value of a parameter at which something changes: the "word" of the motion, its "regime", the sign of
        the real part of an equilibrium's complex eigenvalues ("hopf", in contact mode ``mode``), or an observable,
        named by ``what``, which passes ``value``. ``follow``: runs begin where the last one on the same side ended."""
        from .analysis import run_locate

        return run_locate(self, parameter, between, what, value, tolerance, follow, mode)

    def __repr__(self) -> str:
        return f"<Model {self.title!r}: {len(self.coordinates)} coordinates, {len(self.contacts)} contacts>"


def _unpickled(source: Source) -> Model:
    return Model(source.found())
