# SPDX-License-Identifier: MIT
"""Analyses that tell of the same thing tell the same."""

from __future__ import annotations

import csv
import math
import pathlib
import random
from dataclasses import dataclass, field
from typing import Any, Callable

import numpy

import rewritings
import scenario
from program import Program
from scenario import Tree, clone
from table import Cell, NotApplicable


@dataclass
class Motion:
    """A scenario, set so that it has a periodic motion that attracts."""

    file: str
    settings: dict[str, str] = field(default_factory=dict)
    words: tuple[str, ...] = ()  # for the search


MOTIONS = [
    Motion("ball_on_table"), Motion("ball_on_table", {"Gamma": "0.5", "e": "0.7"}), Motion("van_der_pol"),
    Motion("duffing", {"drive": "0.2"}), Motion("duffing", {"drive": "0.1", "x": "-1"}),
    Motion("frictional_impact_oscillator", {"mu": "0.5"}), Motion("frictional_impact_oscillator", {"mu": "0.6", "e": "0.2"}),
    Motion("relief_valve", {"q": "8.2", "run.until": "400"}), Motion("belt_block", {"v1": "0"}), Motion("woodpecker"),
]


@dataclass
class Problem:
    """One analysis check: a motion with its scenario."""

    program: Program
    tree: Tree
    motion: Motion
    stem: str
    random: random.Random

    @property
    def path(self) -> pathlib.Path:
        return self.program.write(self.tree, self.stem)

    def ask(self, command: str, *words: str, tree: Tree | None = None) -> dict[str, Any]:
        path = self.program.write(tree or self.tree, self.stem)
        result = self.program.json(command, str(path), *words)
        if "error" in result:
            raise Failed(f"{command} fails: {result['error'].get('text')}")
        return result


class Failed(Exception):
    """An analysis that gave no answer."""


Agreement = Callable[[Problem], list[str]]
AGREEMENTS: list[tuple[str, Agreement]] = []


def agreement(name: str) -> Callable[[Agreement], Agreement]:
    """Enters a function that compares analyses of one motion; it returns what does not agree."""

    def enter(check: Agreement) -> Agreement:
        AGREEMENTS.append(("analyses: " + name, check))
        return check

    return enter


def with_settings(tree: Tree, settings: dict[str, str]) -> Tree:
    result = clone(tree)
    for key, value in settings.items():
        head, dot, tail = key.partition(".")
        if dot:
            result[head][tail] = value
        elif key in result.get("parameters", {}):
            result["parameters"][key] = value
        else:
            entry = result["coordinates"][key]
            rate = entry.get("rate", "0") if isinstance(entry, dict) else "0"
            result["coordinates"][key] = {"start": value, "rate": rate}
    if "run.until" in settings:
        result.pop("measure", None)
    return result


def multipliers(told: dict[str, Any]) -> list[complex]:
    found = [complex(m["re"], m["im"]) for m in told["multipliers"]]
    return sorted(found, key=lambda m: (-abs(m), m.imag))


def begun(problem: Problem, orbit: dict[str, Any], state: dict[str, float]) -> Tree:
    """The scenario from a state of the orbit over one turn."""
    tree = clone(problem.tree)
    for name in tree.get("coordinates", {}):
        tree["coordinates"][name] = {"start": repr(state[name]), "rate": repr(state[name + "'"])}
    for name in tree.get("states", {}):
        tree["states"][name]["start"] = repr(state[name])
    tree["run"].update(start=repr(orbit["start"]), until=repr(orbit["start"] + orbit["period"]))
    tree.pop("measure", None)
    tree.pop("observe", None)
    tree.pop("regimes", None)
    return tree


def sizes(problem: Problem, orbit: dict[str, Any]) -> dict[str, float]:
    """How large each part of the state gets on the orbit."""
    tree = begun(problem, orbit, orbit["state"])
    tree["observe"] = {f"size{k}": f"max(abs({name}))" for k, name in enumerate(orbit["state"])}
    told = problem.ask("run", tree=tree)["observables"]
    return {name: told[f"size{k}"] or 1.0 for k, name in enumerate(orbit["state"])}


def turn(problem: Problem, orbit: dict[str, Any], state: dict[str, float]) -> dict[str, float]:
    return problem.ask("run", tree=begun(problem, orbit, state))["final"]


@agreement("a run over one turn of an orbit closes")
def closes(problem: Problem) -> list[str]:
    orbit = problem.ask("orbit", *problem.motion.words)
    end, scale = turn(problem, orbit, orbit["state"]), sizes(problem, orbit)
    growth = max([1.0] + [abs(m) for m in multipliers(orbit)])
    shift = orbit.get("shift") or {}
    return [f"{n}: {v:.12g} becomes {end[n]:.12g}" for n, v in orbit["state"].items()
            if abs(end[n] - v - shift.get(n, 0.0)) > 1e-7 * growth * scale[n]]


def free(problem: Problem, orbit: dict[str, Any]) -> bool:
    """Whether the orbit begins where no contact is closed, so that neighbours may be chosen at will."""
    if not problem.tree.get("contacts"):
        return True
    tree = begun(problem, orbit, orbit["state"])
    tree["observe"] = {f"gap{k}": f"at(beginning, {name}.gap)" for k, name in enumerate(tree["contacts"])}
    tree.setdefault("sections", {})["beginning"] = {"when": f"t - ({orbit['start']!r} + 1e-3*({orbit['period']!r}))"}
    told = problem.ask("run", tree=tree)["observables"]
    return all((v or 0.0) > 1e-7 for v in told.values())


@agreement("multipliers are differences of runs")
def differences(problem: Problem) -> list[str]:
    orbit = problem.ask("orbit", *problem.motion.words)
    if not free(problem, orbit):
        raise NotApplicable("the orbit begins with a contact closed")
    names, scale = list(orbit["state"]), sizes(problem, orbit)
    matrices = []
    for part in (1e-5, 5e-6):
        columns = []
        for name in names:
            h = part * scale[name]
            up = turn(problem, orbit, {**orbit["state"], name: orbit["state"][name] + h})
            down = turn(problem, orbit, {**orbit["state"], name: orbit["state"][name] - h})
            columns.append([(up[n] - down[n]) / (2 * h) for n in names])
        matrices.append(numpy.array(columns).T)
    # the error of differences is that of halving the step
    error = numpy.abs(matrices[0] - matrices[1]).max() + 1e-6 * numpy.abs(matrices[1]).max()
    found = sorted(numpy.linalg.eigvals(matrices[1]), key=abs, reverse=True)
    told = multipliers(orbit) + ([complex(orbit["along"])] if "along" in orbit else [])
    told += [1.0 + 0j] * len(orbit.get("shift") or {})
    apart = []
    for m in told:
        nearest = min(found, key=lambda f: abs(f - m))
        # a double eigenvalue answers to an error by its root
        if abs(nearest - m) > 10 * error * max(1.0, abs(m)) + 3 * math.sqrt(error) * (len(found) > 1 and near_double(found, nearest)):
            apart.append(f"multiplier {m:.9g}, differences give {nearest:.9g} (error {error:.1g})")
    return apart


def near_double(found: list, value: complex) -> bool:
    return sum(abs(f - value) < 1e-2 * (abs(value) + 1e-2) for f in found) > 1


@agreement("exponents are logarithms of multipliers")
def exponents(problem: Problem) -> list[str]:
    orbit = problem.ask("orbit", *problem.motion.words)
    start, until = scenario.run_times(problem.tree)
    turns = max(20, round(60 / max(1, len(orbit["state"]))))
    time = turns * orbit["period"]
    told = problem.ask("lyapunov", "--time", repr(time), "--transient", repr(0.9 * (until - start)))
    expected = [math.log(abs(m)) / orbit["period"] if abs(m) > 0 else -math.inf for m in multipliers(orbit)]
    expected += [0.0] * (("along" in orbit) + len(orbit.get("shift") or {}))
    expected = sorted(expected, reverse=True)
    # what is left of the way in and of the phase within a turn counts once
    room = 8.0 / time
    apart = []
    for k, e in enumerate(told["exponents"]):
        value = e["value"]
        if k >= len(expected) or value is None:
            continue
        if math.isfinite(expected[k]) and abs(value - expected[k]) > room + 4 * (e["error"] or 0.0) + 1e-6 * abs(expected[k]):
            apart.append(f"exponent {k}: {value:.6g}, ln|multiplier|/period {expected[k]:.6g}")
    return apart


def parameter_of(problem: Problem) -> tuple[str, float]:
    """A parameter that is a plain number and moves the motion."""
    for name in ("Gamma", "drive", "mu", "q", "v0", "e"):
        text = problem.tree.get("parameters", {}).get(name)
        if text is not None:
            return name, scenario.number(problem.tree, text)
    raise NotApplicable("has no parameter to follow")


@agreement("continue begins with the orbit")
def begins(problem: Problem) -> list[str]:
    name, value = parameter_of(problem)
    orbit = problem.ask("orbit", *problem.motion.words)
    branch = problem.ask("continue", "--over", f"{name}={value!r}:{value * 1.01!r}")
    start = branch["special"][0]
    leading = multipliers(orbit)[0] if multipliers(orbit) else 0j
    told = complex(start["re"], start["im"])
    apart = []
    if min(abs(told - leading), abs(told - leading.conjugate())) > 1e-6 * max(1.0, abs(leading)):
        apart.append(f"leading multiplier {leading:.9g} of orbit, {told:.9g} of continue")
    if abs(start["period"] - orbit["period"]) > 1e-8 * orbit["period"]:
        apart.append(f"period {orbit['period']:.12g} of orbit, {start['period']:.12g} of continue")
    return apart


@agreement("a branch has the same special points both ways")
def both_ways(problem: Problem) -> list[str]:
    name, value = parameter_of(problem)
    low, high = 0.97 * value, 1.03 * value
    found = []
    for a, b in ((low, high), (high, low)):
        branch = problem.ask("continue", "--over", f"{name}={a!r}:{b!r}")
        found.append(sorted((s["value"], s["label"]) for s in branch["special"] if s["label"] not in ("start", "end")))
    if [label for _, label in found[0]] != [label for _, label in found[1]]:
        return [f"upwards {found[0]}, downwards {found[1]}"]
    return [f"{label} at {a:.9g} and {b:.9g}" for (a, label), (b, _) in zip(*found) if abs(a - b) > 1e-6 * abs(a)]


@agreement("observables and tables change no analysis")
def unseen(problem: Problem) -> list[str]:
    """Asked for anything more, an analysis answers the same bits."""
    tree = clone(problem.tree)
    name = next(iter(tree.get("coordinates") or tree["states"]))
    rate = f"{name}'" if tree.get("coordinates") else name
    more = {"added_a": f"max(abs({name}))", "added_b": f"last(max({name}, 0))", "added_c": f"mean(sign({rate}))", "added_d": f"min({rate})"}
    tree["observe"] = {**tree.get("observe", {}), **more}
    start, until = scenario.run_times(problem.tree)
    parameter, value = parameter_of(problem)
    questions = [("orbit", problem.motion.words), ("lyapunov", ("--time", repr(0.1 * (until - start)))),
                 ("continue", ("--over", f"{parameter}={value!r}:{value * 1.02!r}"))]
    apart = []
    for command, words in questions:
        plain = answer(problem.ask(command, *words))
        table = str(problem.program.folder / (problem.stem + ".csv"))
        if answer(problem.ask(command, *words, tree=tree)) != plain:
            apart.append(f"{command}: observables added change it")
        if answer(problem.ask(command, *words, "--csv", table)) != plain:
            apart.append(f"{command}: --csv changes it")
    return apart


@agreement("a section that nothing uses changes no multiplier")
def looked_at(problem: Problem) -> list[str]:
    """It may change where a turn is taken to begin."""
    tree = clone(problem.tree)
    name = next(iter(tree.get("coordinates") or tree["states"]))
    tree["sections"] = {**tree.get("sections", {}), "added": {"when": f"{name} - 0.0123"}}
    orbit, other = problem.ask("orbit", *problem.motion.words), problem.ask("orbit", *problem.motion.words, tree=tree)
    apart = [] if abs(orbit["period"] - other["period"]) < 1e-9 * orbit["period"] else [f"period {orbit['period']!r} and {other['period']!r}"]
    return apart + [f"multiplier {a:.9g} and {b:.9g}" for a, b in zip(multipliers(orbit), multipliers(other))
                    if min(abs(a - b), abs(a - b.conjugate())) > 1e-7 * max(abs(a), 1e-3)]


def answer(told: dict[str, Any]) -> str:
    return repr({k: v for k, v in told.items() if k not in ("file", "provenance", "turns", "timing", "seconds")})


@agreement("multipliers do not depend on coordinates")
def other_coordinates(problem: Problem) -> list[str]:
    orbit = problem.ask("orbit", *problem.motion.words)
    names = list(problem.tree.get("coordinates", {})) + list(problem.tree.get("states", {}))
    tree = shifted_and_scaled(problem, names)
    for key in ("coordinates", "states"):
        if key in tree:
            tree[key] = dict(reversed(tree[key].items()))
    other = problem.ask("orbit", *problem.motion.words, tree=tree)
    apart = []
    if abs(orbit["period"] - other["period"]) > 1e-8 * orbit["period"]:
        apart.append(f"period {orbit['period']:.12g} and {other['period']:.12g}")
    if orbit["word"] != other["word"]:
        apart.append(f"word {orbit['word']} and {other['word']}")
    for a, b in zip(multipliers(orbit), multipliers(other)):
        if min(abs(a - b), abs(a - b.conjugate())) > 1e-6 * max(abs(a), 1e-3):
            apart.append(f"multiplier {a:.9g} and {b:.9g}")
    return apart


def shifted_and_scaled(problem: Problem, names: list[str]) -> Tree:
    rng = problem.random
    scales = {n: rng.choice((0.6, 1.7, 2.0)) for n in names}
    shifts = {n: rng.choice((0.37, -0.2)) for n in names}
    return rewritings.affine(problem.tree, scales, shifts)


@agreement("a bifurcation diagram shows the orbit")
def diagram(problem: Problem) -> list[str]:
    """At a section the orbit goes through the points that bifurcate draws."""
    if not problem.tree.get("sections"):
        raise NotApplicable("has no section")
    name, value = parameter_of(problem)
    orbit = problem.ask("orbit", *problem.motion.words)
    seen = next(n for n in problem.tree.get("coordinates") or problem.tree["states"] if n not in (orbit.get("shift") or {}))
    section = next(iter(problem.tree["sections"]))
    table = problem.program.folder / (problem.stem + ".csv")
    problem.ask("bifurcate", "--over", f"{name}={value!r},{value!r}", "--section", section, "--observe", seen, "--keep", "1", "--csv", str(table))
    tree = begun(problem, orbit, orbit["state"])
    tree["run"]["until"] = repr(orbit["start"] + 2.2 * orbit["period"])
    log = problem.ask("run", "--events", tree=tree)["log"]
    crossed = [row["after"][seen] for row in log if row["kind"] == "section" and row["name"] == section]
    rows = [r for r in csv.DictReader(line for line in table.read_text().splitlines() if not line.startswith("#"))]
    column = seen if seen in rows[0] else next(k for k in rows[0] if k.startswith(seen))
    drawn = float(rows[-1][column])
    scale = sizes(problem, orbit)[seen]
    if not crossed:
        return [f"the orbit never crosses {section}"]
    nearest = min(crossed, key=lambda c: abs(c - drawn))
    return [] if abs(nearest - drawn) < 1e-5 * scale else [f"{seen} is {drawn:.9g} in the diagram, {nearest:.9g} on the orbit"]


def equilibria(problem: Problem, *settings: str) -> list[dict[str, Any]]:
    if any("t" in scenario.names_in(text) for path, text in scenario.expressions(problem.tree) if path[0] not in ("observe", "sections")):
        raise NotApplicable("is driven")
    found = [e for e in problem.ask("equilibrium", *settings)["equilibria"] if e["admissible"]]
    if not found:
        raise NotApplicable("has no equilibrium")
    return found


def leading(entry: dict[str, Any]) -> complex | None:
    values = [complex(v["re"], v["im"]) for v in entry.get("eigenvalues", [])]
    return max(values, key=lambda v: (v.real, v.imag)) if values else None


@agreement("a motion begun at an equilibrium stays there")
def stays(problem: Problem) -> list[str]:
    apart = []
    for entry in equilibria(problem):
        growth = leading(entry)
        tree = clone(problem.tree)
        for name in tree.get("coordinates", {}):
            tree["coordinates"][name] = {"start": repr(entry["state"][name]), "rate": "0"}
        for name in tree.get("states", {}):
            tree["states"][name]["start"] = repr(entry["state"][name])
        for key in ("measure", "observe", "regimes", "stop"):
            tree.pop(key, None)
        # rounding grows by the largest eigenvalue: as long as it stays small
        rate = max(growth.real, 0.0) if growth else 0.0
        tree["run"]["until"] = repr(min(5.0, 10.0 / rate if rate else 5.0))
        final = problem.ask("run", tree=tree)["final"]
        apart += [f"mode {entry['mode']}: {n} {v:.12g} becomes {final[n]:.12g}" for n, v in entry["state"].items()
                  if abs(final[n] - v) > 1e-7 * max(1.0, abs(v))]
    return apart


@agreement("continue follows the equilibria that equilibrium finds")
def followed(problem: Problem) -> list[str]:
    name, value = parameter_of(problem)
    apart = []
    for entry in equilibria(problem):
        expected = leading(entry)
        if expected is None or "K" in entry["mode"]:
            continue
        words = ("--mode", entry["mode"]) if problem.tree.get("contacts") else ()
        branch = problem.ask("continue", "--equilibrium", *words, "--over", f"{name}={value!r}:{1.02 * value!r}")
        start = branch["special"][0]
        told = complex(start["re"], start["im"])
        if min(abs(told - expected), abs(told - expected.conjugate())) > 1e-6 * max(1.0, abs(expected)):
            apart.append(f"mode {entry['mode']}: eigenvalue {expected:.9g} of equilibrium, {told:.9g} of continue")
    return apart


@agreement("locate and continue find one Hopf point")
def hopf(problem: Problem) -> list[str]:
    name, value = parameter_of(problem)
    over = f"{name}={0.4 * value!r}:{1.2 * value!r}"
    equilibria(problem)
    begins = problem.program.write(with_settings(problem.tree, {name: repr(0.4 * value)}), problem.stem)
    if not any(e["admissible"] for e in problem.program.json("equilibrium", str(begins))["equilibria"]):
        raise NotApplicable("rests in a part of the range only")
    branch = problem.ask("continue", "--equilibrium", "--over", over)
    points = [s["value"] for s in branch["special"] if s["label"] == "hopf"]
    if len(points) != 1:
        raise NotApplicable("has not one Hopf point near by")
    # back from where the branch came to: a contact that slides there may meet Painleve's paradox before the end of the range
    last = branch["special"][-1]["value"]
    backwards = problem.ask("continue", "--equilibrium", "--over", f"{name}={0.4 * value + 0.999 * (last - 0.4 * value)!r}:{0.4 * value!r}")
    points += [s["value"] for s in backwards["special"] if s["label"] == "hopf"]
    around = f"{name}={0.9 * points[0]!r}:{1.15 * points[0]!r}"  # far from it the pair may be none
    points.append(problem.ask("locate", "--over", around, "--when", "hopf")["value"])
    tree = with_settings(problem.tree, {name: repr(points[0])})
    path = problem.program.write(tree, problem.stem)
    rest = [leading(e) for e in problem.program.json("equilibrium", str(path))["equilibria"] if e["admissible"]]
    apart = [] if len(points) == 3 else [f"Hopf points {points}"]
    if max(points) - min(points) > 1e-7 * abs(points[0]):
        apart.append(f"Hopf points {points}")
    if not any(e is not None and abs(e.real) < 1e-5 * abs(e) for e in rest):
        apart.append(f"eigenvalues {rest} at the Hopf point {points[0]:.9g}")
    return apart


@agreement("a point of a basin is its single run")
def basin(problem: Problem) -> list[str]:
    names = list(problem.tree.get("coordinates", {}))
    if not names or not problem.tree.get("observe"):
        raise NotApplicable("has no coordinates or no observables")
    seen = next(iter(problem.tree["observe"]))
    start, rate = (scenario.number(problem.tree, text) for text in scenario.start_and_rate(problem.tree["coordinates"][names[0]]))
    room = 0.05 * (abs(start) + 0.1 * abs(rate) + 1e-3)
    overs = [f"{names[0]}={start!r}:{start + room!r}:2", f"{names[0]}'={rate!r}:{rate + room!r}:2"]
    table = problem.program.folder / (problem.stem + "_basin.csv")
    words = [w for o in overs for w in ("--over", o)]
    told = problem.ask("basin", *words, "--observe", seen, "--csv", str(table))
    kinds = {a["attractor"]: a["observables"][seen] for a in told["attractors"]}
    apart = []
    for point in csv.DictReader(line for line in table.read_text().splitlines() if not line.startswith("#")):
        settings = [w for n in (names[0], names[0] + "'") for w in ("--set", f"{n}={point[n]}")]
        value = problem.ask("run", *settings)["observables"][seen]
        expected = kinds[int(point["attractor"])]
        if value is not None and abs(value - expected) > 0.011 * max(abs(value), abs(expected)):
            apart.append(f"{seen} is {value:.9g} from ({point[names[0]]}, {point[names[0] + chr(39)]}), {expected:.9g} in the basin")
    return apart


def row(program: Program, motion: Motion, folder: pathlib.Path, seed: int, stem: str, chosen: list[tuple[str, Agreement]]) -> list[Cell]:
    tree = with_settings(scenario.load_for(folder / (motion.file + ".yaml"), program.path), motion.settings)
    name = " ".join([motion.file, *(f"{k}={v}" for k, v in motion.settings.items())])
    cells: list[Cell] = []
    for what, check in chosen:
        problem = Problem(program, tree, motion, stem, random.Random(f"{seed} {name} {what}"))
        try:
            apart = check(problem)
        except NotApplicable as why:
            cells.append((name, what, "-", [str(why)]))
            continue
        except Failed as why:
            apart = [str(why)]
        cells.append((name, what, "FAIL" if apart else "ok", apart))
    return cells
