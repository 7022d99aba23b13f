# SPDX-License-Identifier: MIT
"""Transformations of what fields and beds of rods are written in: units of mass, and the mirror."""

from __future__ import annotations

from typing import Any

from scenario import Tree, clone, rewrite
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
