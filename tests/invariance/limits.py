# SPDX-License-Identifier: MIT
"""Limits of impacts: restitution and friction at their ends, slow approaches, contacts that just touch."""

from __future__ import annotations

import random

from program import Program
from scenario import Tree, clone
from table import Cell

# velocities may differ by this times what was changed: random impacts amplify it by what their contacts are worth to each other
AMPLIFIED = 3e3
FLOOR = 3e-9  # what velocities after an impact are good to, with room


# the program says of these that there is no outcome, or more than one
NOT_UNIQUE = "the law has more than one outcome, and the run says so"
NEVER_ENDS = "never ends by its law"


def velocities(program: Program, tree: Tree, stem: str) -> dict[str, float] | str:
    """The rates after the instant, or why there are none to compare."""
    result = program.json("run", str(program.write(tree, stem)), "--events")
    if "error" in result:
        return str(result["error"].get("text"))
    if any(row["kind"] == "non-unique" and row["name"] == "impact" for row in result["log"]):
        return NOT_UNIQUE
    if not result["certificate"]["passed"]:
        return "certificate not passed"
    return {name: value for name, value in result["final"].items() if name.endswith("'")}


def set_law(tree: Tree, key: str, value: str) -> Tree:
    """The same impact with e or mu of every contact another."""
    result = clone(tree)
    for contact in result["contacts"].values():
        if key == "e":
            contact["impact"]["e"] = value
        elif "slip" in contact:
            contact["friction"] = value
    return result


def slower(tree: Tree, factor: float) -> Tree:
    """All speeds, and with them what counts as none (`run.atol`, 1e-12 unless given)."""
    result = clone(tree)
    result["run"]["atol"] = repr(float(result["run"].get("atol", 1e-12)) * factor)
    for entry in result["coordinates"].values():
        entry["rate"] = repr(float(entry["rate"]) * factor)
    return result


def without_speeds(tree: Tree) -> Tree:
    """Friction that does not depend on the sliding speed: then impacts at all speeds are alike."""
    result = clone(tree)
    for contact in result["contacts"].values():
        friction = contact.get("friction")
        if isinstance(friction, dict) and "exp(" in friction["slip"]:
            contact["friction"] = friction["stick"]
    return result


def just_touching(tree: Tree, rng: random.Random) -> tuple[Tree, list[float]] | None:
    """Turns one gap so that its contact touches at rest; with the way that would make it move apart."""
    names = list(tree["coordinates"])
    rates = [float(tree["coordinates"][n]["rate"]) for n in names]
    contacts = list(tree["contacts"])
    if len(contacts) < 2:
        return None
    chosen = rng.choice(contacts[1:])
    row = [float(part.split("*")[0]) for part in tree["contacts"][chosen]["gap"].split(" + ")]
    speed = sum(a * v for a, v in zip(row, rates)) / sum(v * v for v in rates)
    row = [a - speed * v for a, v in zip(row, rates)]  # rests to rounding
    result = clone(tree)
    result["contacts"][chosen]["gap"] = " + ".join(f"{a!r}*{n}" for a, n in zip(row, names))
    length = sum(a * a for a in row)
    return result, [a / length for a in row]


def moved(tree: Tree, way: list[float], speed: float) -> Tree:
    result = clone(tree)
    for entry, a in zip(result["coordinates"].values(), way):
        entry["rate"] = repr(float(entry["rate"]) + speed * a)
    return result


def apart(a: dict[str, float], b: dict[str, float]) -> float:
    return max(abs(a[n] - b[n]) for n in a)


def compare(name: str, what: str, first: dict[str, float] | str, second: dict[str, float] | str, change: float, scale: float = 1.0) -> Cell:
    if isinstance(first, str):
        return name, what, "-", [first]
    if isinstance(second, str):
        told = second == NOT_UNIQUE or NEVER_ENDS in second
        return name, what, "-" if told else "FAIL", [second]
    second = {n: v / scale for n, v in second.items()}
    distance, tolerance = apart(first, second), AMPLIFIED * change + FLOOR
    if distance <= tolerance:
        return name, what, "ok", []
    worst = max(first, key=lambda n: abs(first[n] - second[n]))  # type: ignore[index]
    return name, what, "FAIL", [f"{worst}: {first[worst]:.12g} and {second[worst]:.12g}, apart by {distance:.2g}, may be {tolerance:.2g}"]


SPEEDS = (1e-12, 1e-9, 1e-6)


LAWS = (("e to 0", "e", "0", "1e-7", 1e-7), ("e to 1", "e", "1", "1 - 1e-7", 1e-7),
        ("mu to 0", "mu", "0", "1e-8", 1e-8), ("mu to infinity", "mu", "1e6", "1e7", 1e-6))


def row(program: Program, name: str, tree: Tree, seed: int, stem: str) -> list[Cell]:
    """A random impact in its limits."""
    made: list[Cell] = []

    def tried(changed: Tree, part: str) -> dict[str, float] | str:
        return velocities(program, changed, f"{stem}_{part}")

    for what, key, at, near, change in LAWS:
        if what == "mu to infinity" and len(tree["contacts"]) > 1:
            made.append((name, f"limit: {what}", "-", ["among several contacts the limit is reached at no known rate"]))
            continue
        made.append(compare(name, f"limit: {what}", tried(set_law(tree, key, at), "at"), tried(set_law(tree, key, near), "near"), change))
    plain = without_speeds(tree)
    for factor in (1e-3, 1e-6):
        made.append(compare(name, "limit: slow approach", tried(plain, "plain"), tried(slower(plain, factor), "slow"), 0.0, factor))
    touching = just_touching(tree, random.Random(f"{seed} {name}"))
    if touching:
        still, way = touching
        rest = tried(still, "rest")
        for speed in SPEEDS:
            for sign, word in ((1.0, "apart"), (-1.0, "together")):
                made.append(compare(name, f"limit: touching, {word}", rest, tried(moved(still, way, sign * speed), "moved"), speed))
    return made
