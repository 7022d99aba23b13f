# SPDX-License-Identifier: MIT
"""Transformations of what fields and beds of rods are written in: units, and the mirror."""

from __future__ import annotations

from typing import Any

from scenario import Tree, clone, expressions, number, put, rewrite
from table import Case, transformation

# A power of two: masses and forces are larger by it, accelerations have the same bits.
HEAVIER = "1024"
OF_A_FIELD = ("coefficient", "pressure", "normal", "tangential")  # forces; a rest, a strength are in units of the weight
OF_A_ROD = ("density", "mass", "inertia", "spin_inertia")
OF_A_CONTACT = ("stiffness", "tangential_stiffness")  # damping is counted by the mass, or by mass and stiffness
HEAVY = ("kinetic", "potential", "energy")  # numbers whose names say so are told in units of mass


def larger(entry: dict, keys: tuple[str, ...]) -> None:
    for key in keys:
        if key in entry:
            entry[key] = f"{HEAVIER}*({entry[key]})"


def heavier_field(tree: Tree) -> Tree:
    result = clone(tree)
    body = result["body"]
    density = body.setdefault("density", "1000")
    if isinstance(density, dict):
        density["value"] = f"{HEAVIER}*({density['value']})"
        density["gradient"] = [f"{HEAVIER}*({g})" for g in density.get("gradient", [])]
    else:
        body["density"] = f"{HEAVIER}*({density})"
    larger(body.get("soft", {}), ("c10", "c01", "viscosity"))
    for field in result.get("fields", {}).values():
        larger(field, OF_A_FIELD)
    return result


def heavier_bed(tree: Tree) -> Tree:
    result = clone(tree)
    kinds = result["rods"] if isinstance(result["rods"], list) else [result["rods"]]
    for kind in kinds:
        if "mass" not in kind:
            kind.setdefault("density", "1000")
        larger(kind, OF_A_ROD)
    contacts = [result["contact"], *result.get("pairs", [])]
    contacts += [wall["contact"] for wall in result.get("walls", {}).values() if "contact" in wall]
    for contact in contacts:
        larger(contact, OF_A_CONTACT)
    return result


def lighter(told: Any) -> Any:
    """Results with their energies as they were."""
    if isinstance(told, list):
        return [lighter(entry) for entry in told]
    if not isinstance(told, dict):
        return told
    return {name: value / float(HEAVIER) if isinstance(value, float) and any(word in name for word in HEAVY) else lighter(value)
            for name, value in told.items()}


@transformation("masses of fields and beds in other units", ("field", "grains"))
def heavier(case: Case) -> list[str]:
    make = heavier_field if case.subject.engine == "field" else heavier_bed
    outcome = case.run(make(case.tree))
    outcome.bits = lighter(outcome.bits)
    return case.same_bits(outcome)


OTHER_SIDE = {"left": "right", "right": "left"}
TURNS = {"x", "theta", "F12", "F21"}  # change their sign in the mirror


def turned(texts: list[str]) -> list[str]:
    """A vector of the plane in the mirror."""
    return [f"-({texts[0]})", *texts[1:]]


def mirror_places(tree: Tree) -> None:
    """Numbers of the scenario that say where something is, or which way."""
    start = tree.get("start", {})
    for key in ("position", "velocity"):
        if key in start:
            start[key] = turned(start[key])
    for key in ("angle", "rate"):
        if key in start:
            start[key] = f"-({start[key]})"
    for support in tree.get("supports", {}).values():
        for key in ("normal", "point", "shift"):
            if key in support:
                support[key] = turned(support[key])
    for name, place in tree.get("points", {}).items():
        tree["points"][name] = turned(place)
    for field in tree.get("fields", {}).values():
        if "faces" in field:
            field["faces"] = [OTHER_SIDE.get(face, face) for face in field["faces"]]
    if isinstance(tree.get("gravity"), list):
        tree["gravity"] = turned(tree["gravity"])
    density = tree["body"].get("density")
    if isinstance(density, dict) and "gradient" in density:
        density["gradient"] = turned(density["gradient"])


def in_mirror(tree: Tree) -> Tree:
    def change(name: str, primes: str) -> str | None:
        return f"(-{name}{primes})" if name in TURNS or name.endswith(".x") else None

    result = clone(tree)
    for key in ("define", "sections", "observe", "events", "stop", "regimes"):
        if key in result:
            result[key] = rewrite({key: result[key]}, change)[key]
    mirror_places(result)
    return result


@transformation("mirrored fields", ("field",))
def mirrored_field(case: Case) -> list[str]:
    """Left and right of a plane body exchanged. Forces are summed over its surface in another order."""
    body = case.tree["body"]
    case.need(any(key in body for key in ("square", "rectangle", "disc")), "is no square, rectangle or disc")
    case.need("deformation" not in case.tree.get("start", {}), "starts deformed")
    return case.near(case.run(in_mirror(case.tree)))


# What numbers of fields and beds are measured in: (metres, seconds), by the key that they stand under. A plane body is one unit thick,
# so that forces per thickness go with it. Masses stay as they are.
LENGTHS = {"square", "rectangle", "polygon", "disc", "cube", "die", "box", "prism", "polyhedron", "cylinder", "sphere", "height", "rest", "length",
           "position", "gap", "point", "shift", "diameter", "at", "centre", "size", "skin", "z"}
DIMENSIONS: dict[str, tuple[float, float]] = {
    **{key: (1, 0) for key in LENGTHS},
    "density": (-3, 0), "value": (-3, 0), "gradient": (-4, 0), "inertia": (2, 0), "spin_inertia": (2, 0),
    "c10": (-1, -2), "c01": (-1, -2), "viscosity": (-1, -1), "pressure": (-1, -2), "normal": (-1, -2), "tangential": (-2, -1),
    "velocity": (1, -1), "spread": (1, -1), "speed": (1, -1), "gravity": (1, -2),
    "rate": (0, -1), "spin": (0, -1), "angular": (0, -1), "deformation_rate": (0, -1),
    "until": (0, 1), "start": (0, 1), "sample": (0, 1), "h_max": (0, 1), "period": (0, 1), "step": (0, 1), "after": (0, 1), "over": (0, 1),
    "stiffness": (-0.5, -2), "tangential_stiffness": (-0.5, -2), "damping": (-0.5, -1), "tangential_damping": (-0.5, -1),
}
# of the names in expressions: places and distances, the time, and what a bed tells of its collisions
NAMED: dict[str, tuple[float, float]] = {
    **{name: (1, 0) for name in ("x", "y", "z", "d")}, "t": (0, 1), "vn": (1, -1), "vt": (1, -1), "swirl": (1, -1), "mean_rate(": (0, -1),
    "strike_plate": (1, -1), "strike_flight": (0, 1), "strike_turn_before": (0, -1), "strike_turn_after": (0, -1),
    **{f"strike_v{axis}_{when}": (1, -1) for axis in "xz" for when in ("before", "after")},
}
OWN_SECTIONS = ("parameters", "define", "sections", "observe", "events", "stop", "regimes")  # no keys with units of their own
LENGTH, TIME = 16.0, 4.0  # their roots, as Hertz's law takes them, are powers of two as well


def field_coefficient(tree: Tree, name: str, field: dict) -> tuple[float, float]:
    """A pressure times a length to the exponent; of damping and friction, over a velocity."""
    law = field.get("law", name)
    exponent = number(tree, field.get("exponent", "8" if law == "repulsion" else "0"))
    return (exponent - 1, -2) if law == "repulsion" else (exponent - 2, -1)


def measured(text: str, power: tuple[float, float], length: float, time: float) -> str:
    factor = length ** power[0] * time ** power[1]
    return text if factor == 1.0 else f"{factor!r}*({text})"


def in_units(tree: Tree, length: float, time: float) -> Tree:
    """The scenario where a metre is so many units of length, a second so many of time."""

    def change(name: str, primes: str) -> str | None:
        last = name.rsplit(".", 1)[-1]
        known = NAMED.get(last if name not in NAMED else name)
        if (known is None and not primes) or name in tree.get("parameters", {}):
            return None
        of_length, of_time = known or (0, 0)
        factor = length ** -of_length * time ** (len(primes) - of_time)
        text = name.rstrip("(") + primes
        return f"{factor!r}*{text}" if name.endswith("(") else f"({factor!r}*{text})"

    result = clone(tree)
    result.setdefault("gravity", "9.81")
    if "body" in result:
        result["body"].setdefault("density", "1000")
    if "contact" in result:
        result["contact"].setdefault("speed", "1")
    for rods in result.get("rods", []) if isinstance(result.get("rods"), list) else [result.get("rods", {"mass": ""})]:
        if "mass" not in rods:
            rods.setdefault("density", "1000")
    result = rewrite(result, change, ("parameters",))
    for path, text in list(expressions(result)):
        if path[0] in OWN_SECTIONS or text == "balance":
            continue
        keys = [key for key in path if isinstance(key, str)]
        power = (1, 0) if path[0] in ("points", "periodic") else DIMENSIONS.get(keys[-1], (0, 0))
        if path[0] == "fields" and keys[-1] == "coefficient":
            power = field_coefficient(tree, path[1], tree["fields"][path[1]])
        elif path[0] in ("supports", "walls") and keys[-1] in ("normal", "plane") or keys[-2:] == ["contact", "at"]:
            power = (0, 0)  # a direction, a choice
        elif keys[-1] == "damping" and tree.get("contact", {}).get("form") == "ratio":
            power = (0, 0)
        put(result, path, measured(text, power, length, time))
    return result


def same_in_units(case: Case, length: float, time: float) -> list[str]:
    """A bed has the same digits, since all factors are powers of two; the steps of a field are judged by an absolute tolerance as well,
    which allows more of rates that are smaller numbers."""
    outcome = case.run(in_units(case.tree, length, time))
    return case.near(outcome, time=time, loose=time if case.subject.engine == "field" else 0.0)


@transformation("fields and beds in other units of length", ("field", "grains"))
def other_length(case: Case) -> list[str]:
    return same_in_units(case, LENGTH, 1.0)


@transformation("fields and beds in other units of time", ("field", "grains"))
def other_time(case: Case) -> list[str]:
    return same_in_units(case, 1.0, TIME)
