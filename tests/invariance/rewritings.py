# SPDX-License-Identifier: MIT
"""Transformations that write the same system another way."""

from __future__ import annotations

import math
import random

import program as programs
import scenario
from scenario import Tree, clone, names_in, replace_names, rewrite
from table import Case, NotApplicable, transformation

ALL = ("hybrid", "field", "grains")


def coordinates(case: Case) -> list[str]:
    names = list(case.tree.get("coordinates", {}))
    case.need(names, "has no coordinates")
    own_rates(case)
    return names


def own_rates(case: Case) -> None:
    """Rewriting knows coordinates whose rates are the velocities."""
    case.need("speeds" not in case.tree, "has speeds of its own")


def unknowns(case: Case) -> list[str]:
    return list(case.tree.get("coordinates", {})) + list(case.tree.get("states", {}))


def shuffled(entries: dict, rng: random.Random) -> dict:
    names = list(entries)
    rng.shuffle(names)
    if names == list(entries):
        names.reverse()
    return {name: entries[name] for name in names}


# ---------------------------------------------------------------------------------- order and names


@transformation("written anew", ALL)
def written_anew(case: Case) -> list[str]:
    """The file as it was, with its includes, and the tree that was made of it."""
    origin, until = case.subject.origin, case.tree["run"]["until"]
    case.need(origin, "was never written otherwise")
    words = ["--set", f"run.until={until}"]
    if "measure" in case.subject.whole and "measure" not in case.tree:
        case.need(until == case.subject.whole["run"]["until"], "is cut before its measuring begins")
    outcome = case.program.run(origin, *words)
    if outcome.error:
        return ["fails: " + outcome.error]
    base = case.subject.base.bits["final"]
    return [] if base == outcome.bits["final"] else [programs.first_difference(base, outcome.bits["final"])]


def borrows(contact: Tree) -> bool:
    """Whether the load of a contact is the normal force of others."""
    return ".normal" in contact.get("normal", "")


@transformation("contacts in another order")
def contact_order(case: Case) -> list[str]:
    tree = clone(case.tree)
    case.need(len(tree.get("contacts", {})) > 1, "has fewer than two contacts")
    mixed = shuffled(tree["contacts"], case.random)
    # those loaded by others have to stand below them
    tree["contacts"] = dict(sorted(mixed.items(), key=lambda item: borrows(item[1])))
    return case.near(case.run(tree))


@transformation("coordinates in another order")
def coordinate_order(case: Case) -> list[str]:
    tree = clone(case.tree)
    case.need(len(coordinates(case)) > 1, "has fewer than two coordinates")
    tree["coordinates"] = shuffled(tree["coordinates"], case.random)
    return case.near(case.run(tree))


@transformation("states and constraints in another order")
def other_order(case: Case) -> list[str]:
    tree = clone(case.tree)
    case.need(max(len(tree.get(k, {})) for k in ("states", "constraints")) > 1, "has fewer than two of each")
    for key in ("states", "constraints"):
        if key in tree:
            tree[key] = shuffled(tree[key], case.random)
    return case.near(case.run(tree))


@transformation("parameters in another order", ALL)
def parameter_order(case: Case) -> list[str]:
    """Parameters are used below where they stand: any order that keeps to this, and of definitions any."""
    tree = clone(case.tree)
    left = tree.get("parameters", {})
    case.need(len(left) > 1, "has fewer than two parameters")
    ordered: dict = {}
    while len(ordered) < len(left):
        ready = [n for n in left if n not in ordered and all(u in ordered or u not in left for u in names_in(left[n]))]
        name = case.random.choice(ready)
        ordered[name] = left[name]
    tree["parameters"] = ordered
    for key in ("define", "sections", "observe"):
        if key in tree and isinstance(tree[key], dict):
            tree[key] = shuffled(tree[key], case.random)
    outcome = case.run(tree)
    # sums may be formed in the order of parameters
    return case.near(outcome)


@transformation("keys of the file in another order", ALL)
def key_order(case: Case) -> list[str]:
    return case.same_bits(case.run(shuffled(clone(case.tree), case.random)))


NAMED = ("parameters", "coordinates", "states", "define", "contacts", "sections", "events", "constraints")
MEANT = {"seed"}  # a parameter of this name is the seed


@transformation("other names", ALL)
def other_names(case: Case) -> list[str]:
    """Every name another one, in another alphabetical order."""
    own_rates(case)
    tree, names = case.tree, {}
    for key in NAMED:
        for name in tree.get(key, {}):
            if name not in MEANT:
                names[name] = f"n{case.random.randrange(10**6):06d}_{len(names)}"
    case.need(names, "names nothing")

    def change(name: str, primes: str) -> str | None:
        head, dot, tail = name.partition(".")
        return names[head] + dot + tail + primes if head in names else None

    result = rewrite(tree, change)
    for key in (*NAMED, "forces"):
        if isinstance(result.get(key), dict):
            result[key] = {names.get(n, n): v for n, v in result[key].items()}
    for event in result.get("events", {}).values():
        event["do"] = {replace_names(n, change): v for n, v in event["do"].items()}
    outcome = case.run(result)
    back = {new: old for old, new in names.items()}
    outcome.bits = renamed(outcome.bits, back)
    return case.same_bits(outcome)


def renamed(tree: Tree, back: dict[str, str]) -> Tree:
    """Results with the names they had."""

    def old(name: object) -> object:
        if not isinstance(name, str):
            return name
        return replace_names(name, lambda n, primes: back[n] + primes if n in back else None)

    if isinstance(tree, dict):
        return {old(k): old(v) if k == "name" else renamed(v, back) for k, v in tree.items()}
    return [renamed(v, back) for v in tree] if isinstance(tree, list) else tree


# ------------------------------------------------------------------------- coordinates and frames


def substitute(tree: Tree, way: dict[str, str], rate: dict[str, str], back: dict[str, str], back_rate: dict[str, str],
               columns: dict[str, dict[str, str]]) -> Tree:
    """The system in new coordinates of the old names: `way` and `rate` say what an old coordinate and its rate are, `back`
    and `back_rate` what a new one is. Generalised force of a new coordinate: columns[new][old] times that of the old."""

    def change(name: str, primes: str) -> str | None:
        if name not in way:
            return None
        if len(primes) > 1:
            raise NotApplicable("uses second derivatives of coordinates")
        return "(" + (rate if primes else way)[name] + ")"

    result = rewrite(tree, change, leave=("parameters", "coordinates", "run", "measure"))
    starts = {n: scenario.start_and_rate(v) for n, v in tree.get("coordinates", {}).items()}
    t0 = tree["run"].get("start", "0")

    def at_start(expression: str) -> str:
        """A new coordinate, written with the old starts in place of the old coordinates."""
        def old(name: str, primes: str) -> str | None:
            if name == "t":
                return f"({t0})"
            return f"({starts[name][1 if primes else 0]})" if name in starts else None
        return replace_names(expression, old)

    for name in back:
        result["coordinates"][name] = {"start": at_start(back[name])}
        if not left_open(tree, [n.rstrip("'") for n in names_in(back_rate[name])]):
            result["coordinates"][name]["rate"] = at_start(back_rate[name])
    old_forces = result.get("forces", {})
    forces = {n: f for n, f in old_forces.items() if n not in columns}
    for new, column in columns.items():
        terms = [f"({factor})*({old_forces[old]})" for old, factor in column.items() if old in old_forces]
        if terms:
            forces[new] = " + ".join(terms)
    if forces:
        result["forces"] = forces
    for name, event in result.get("events", {}).items():
        event["do"] = new_values(event["do"], way, rate, back, back_rate)
    return result


def left_open(tree: Tree, names: list[str]) -> bool:
    """Whether the rates of these are not written, and follow from constraints."""
    if "constraints" not in tree:
        return False
    written = [isinstance(tree["coordinates"][n], dict) and "rate" in tree["coordinates"][n] for n in names if n in tree["coordinates"]]
    if any(written) and not all(written):
        raise NotApplicable("mixes a rate that is written with one that follows from constraints")
    return not any(written)


def new_values(do: dict, way: dict[str, str], rate: dict[str, str], back: dict[str, str], back_rate: dict[str, str]) -> dict:
    """What an event does to new coordinates, from what it does to the old ones."""
    def after(name: str, primes: str) -> str | None:
        if name not in way:
            return None
        return "(" + do.get(name + primes, (rate if primes else way)[name]) + ")"

    result = {key: value for key, value in do.items() if key.rstrip("'") not in way}
    for name in back:
        for key, expression in ((name, back[name]), (name + "'", back_rate[name])):
            if any(used in do for used in names_in(expression)):
                result[key] = replace_names(expression, after)
    return result


def affine(tree: Tree, scales: dict[str, float], shifts: dict[str, float]) -> Tree:
    """Coordinates, and states beside them, as scale times new + shift."""
    states = tree.get("states", {})
    tree = substitute_states(tree, {n: (s, shifts[n]) for n, s in scales.items() if n in states})
    scales = {n: s for n, s in scales.items() if n not in states}
    way = {n: f"{s!r}*{n} + {shifts[n]!r}" for n, s in scales.items()}
    rate = {n: f"{s!r}*{n}'" for n, s in scales.items()}
    back = {n: f"({n} - {shifts[n]!r})/{s!r}" for n, s in scales.items()}
    back_rate = {n: f"{n}'/{s!r}" for n, s in scales.items()}
    return substitute(tree, way, rate, back, back_rate, {n: {n: repr(s)} for n, s in scales.items()})


def substitute_states(tree: Tree, lines: dict[str, tuple[float, float]]) -> Tree:
    def change(name: str, primes: str) -> str | None:
        if name not in lines:
            return None
        if primes:
            return f"({lines[name][0]!r}*{name}{primes})"
        return f"({lines[name][0]!r}*{name} + {lines[name][1]!r})"

    result = rewrite(tree, change, leave=("parameters", "coordinates", "run", "measure"))
    for name, (scale, shift) in lines.items():
        state, old = scenario.in_full(result["states"][name]), scenario.in_full(tree["states"][name])
        for key in ("equation", "rate"):
            if key in state:
                state[key] = f"({state[key]})/{scale!r}"
        state["start"] = f"(({old.get('start', '0')}) - {shift!r})/{scale!r}"
        result["states"][name] = state
    for event in result.get("events", {}).values():
        event["do"] = {k: f"(({v}) - {lines[k][1]!r})/{lines[k][0]!r}" if k in lines else v for k, v in event["do"].items()}
    return result


@transformation("coordinates shifted")
def shifted(case: Case) -> list[str]:
    """By about their size: what is small beside its shift would lose digits by it."""
    own_rates(case)
    names, sizes = unknowns(case), case.subject.base.sizes
    shifts = {n: float(f"{case.random.choice((0.37, -1.25, 2.0, -0.8)) * (sizes.get(n) or 1.0):.3g}") for n in names}
    return case.near(case.run(affine(case.tree, {n: 1.0 for n in names}, shifts)))


@transformation("coordinates scaled")
def scaled(case: Case) -> list[str]:
    own_rates(case)
    names = unknowns(case)
    scales = {n: case.random.choice((0.6, 1.7, 2.0, 0.5, -1.3)) for n in names}
    return case.near(case.run(affine(case.tree, scales, {n: 0.0 for n in names})))


@transformation("coordinates combined")
def combined(case: Case) -> list[str]:
    """One coordinate is replaced by its sum with a part of another."""
    names = coordinates(case)
    case.need(len(names) > 1, "has fewer than two coordinates")
    a, b = case.random.sample(names, 2)
    c = case.random.choice((1.0, -0.7, 0.4))
    tree = substitute(case.tree, {a: f"{a} + {c}*{b}", b: b}, {a: f"{a}' + {c}*{b}'", b: f"{b}'"},
                      {a: f"{a} - {c}*{b}", b: b}, {a: f"{a}' - {c}*{b}'", b: f"{b}'"},
                      {a: {a: "1"}, b: {b: "1", a: repr(c)}})
    return case.near(case.run(tree))


@transformation("mirrored")
def mirrored(case: Case) -> list[str]:
    """All coordinates and slips of the other sign."""
    own_rates(case)
    names = unknowns(case)
    tree = affine(case.tree, {n: -1.0 for n in names}, {n: 0.0 for n in names})
    return case.near(case.run(slips_turned(tree)))


def spatial(tree: Tree) -> list[str]:
    """Contacts whose slip has two components."""
    return [name for name, contact in tree.get("contacts", {}).items() if isinstance(contact.get("slip"), list)]


def write_slip(contact: dict, form: str) -> None:
    """The slip in another form, such as `-({})`; in space both of its components."""
    slip = contact.get("slip")
    if slip is not None:
        contact["slip"] = [form.format(s) for s in slip] if isinstance(slip, list) else form.format(slip)


def slips_turned(tree: Tree) -> Tree:
    """Slip counted the other way round, forces and laws with it. In space the sizes of both stay."""
    space = spatial(tree)

    def change(name: str, primes: str) -> str | None:
        contact, _, what = name.partition(".")
        turned = ("slip1", "slip2", "tangential1", "tangential2") if contact in space else ("slip", "tangential")
        return f"(-{name}{primes})" if what in turned else None

    result = rewrite(tree, change)
    for contact in result.get("contacts", {}).values():
        turn_contact(contact)
    return result


def turn_contact(contact: dict) -> None:
    def change(name: str, primes: str) -> str | None:
        return "(-slip)" if name == "slip" else None

    write_slip(contact, "-({})")
    if isinstance(contact.get("slip"), list):
        return  # laws are of the speed
    if isinstance(contact.get("friction"), str):
        contact["friction"] = replace_names(contact["friction"], change)
    elif "friction" in contact:
        contact["friction"] = rewrite({"friction": contact["friction"]}, change)["friction"]
    if "tangential" in contact:
        contact["tangential"] = f"-({replace_names(contact['tangential'], change)})"


@transformation("slips counted the other way")
def slips(case: Case) -> list[str]:
    case.need(any("slip" in c for c in case.tree.get("contacts", {}).values()), "nothing slips")
    return case.near(case.run(slips_turned(case.tree)))


@transformation("tangents of contacts in space turned")
def tangents(case: Case) -> list[str]:
    """The same plane, other axes in it: components turn, sizes stay."""
    space = spatial(case.tree)
    case.need(space, "has no contact in space")
    angle = case.random.uniform(0.0, 6.28)
    c, s = repr(math.cos(angle)), repr(math.sin(angle))

    def change(name: str, primes: str) -> str | None:
        contact, _, what = name.partition(".")
        if contact not in space or what[-1:] not in ("1", "2"):
            return None
        one, two = f"{name[:-1]}1{primes}", f"{name[:-1]}2{primes}"
        return f"({c}*{one} - {s}*{two})" if what.endswith("1") else f"({s}*{one} + {c}*{two})"

    tree = rewrite(clone(case.tree), change)
    for name in space:
        one, two = tree["contacts"][name]["slip"]
        tree["contacts"][name]["slip"] = [f"{c}*({one}) + {s}*({two})", f"{c}*({two}) - {s}*({one})"]
    return case.near(case.run(tree))


def with_rates(case: Case) -> list[str]:
    """Coordinates whose rates are known in any frame: with constraints, one that is not written may follow from them."""
    case.need("assemble" not in case.tree["run"], "is brought to its start, at rest in its frame")
    entries = {n: case.tree["coordinates"][n] for n in coordinates(case)}
    names = [n for n, v in entries.items() if "constraints" not in case.tree or isinstance(v, dict) and "rate" in v]
    case.need(names, "has rates that follow from constraints")
    return names


@transformation("seen from a moving frame")
def moving_frame(case: Case) -> list[str]:
    """Coordinates counted from a point that moves evenly: energies then depend on time."""
    names = with_rates(case)
    chosen = case.random.sample(names, min(2, len(names)))
    speeds = {n: case.random.choice((0.3, -0.21)) for n in chosen}
    tree = substitute(case.tree, {n: f"{n} + {w!r}*t" for n, w in speeds.items()}, {n: f"{n}' + {w!r}" for n, w in speeds.items()},
                      {n: f"{n} - {w!r}*t" for n, w in speeds.items()}, {n: f"{n}' - {w!r}" for n, w in speeds.items()},
                      {n: {n: "1"} for n in chosen})
    return case.near(case.run(tree))


@transformation("seen from a shaking frame")
def shaking_frame(case: Case) -> list[str]:
    names = with_rates(case)
    name = case.random.choice(names)
    a, w = 0.1, 2.0 * case.random.choice((1.0, 1.7))
    tree = substitute(case.tree, {name: f"{name} + {a}*sin({w}*t)"}, {name: f"{name}' + {a * w}*cos({w}*t)"},
                      {name: f"{name} - {a}*sin({w}*t)"}, {name: f"{name}' - {a * w}*cos({w}*t)"}, {name: {name: "1"}})
    return case.near(case.run(tree))


# ------------------------------------------------------------------------------------------ units


@transformation("masses in other units")
def mass_units(case: Case) -> list[str]:
    case.need("energy" in case.tree, "has no energies")
    return case.near(case.run(forces_scaled(case.tree, case.random.choice((1000.0, 0.001, 3.0)))))


def forces_scaled(tree: Tree, factor: float) -> Tree:
    """All energies and forces times a factor: kilograms become grams."""
    s = repr(factor)
    result = rewrite(tree, lambda n, p: f"({n}/{s})" if n.endswith((".normal", ".tangential")) else None)
    for key in result.get("energy", {}):
        result["energy"][key] = f"{s}*({result['energy'][key]})"
    for key in result.get("forces", {}):
        result["forces"][key] = f"{s}*({result['forces'][key]})"
    for contact in result.get("contacts", {}).values():
        if "normal" in contact:
            contact["normal"] = f"{s}*({contact['normal']})"
        if "tangential" in contact:
            law = replace_names(contact["tangential"], lambda n, p: f"(normal/{s})" if n == "normal" else None)
            contact["tangential"] = f"{s}*({law})"
        impact = contact.get("impact")
        if isinstance(impact, dict) and impact.get("law") == "energetic":
            impact["stiffness"] = f"{s}*({impact.get('stiffness', '1')})"
    if "compliant" in result["run"]:
        result["run"]["compliant"] = f"{s}*({result['run']['compliant']})"
    return result


@transformation("gaps in other units")
def gap_units(case: Case) -> list[str]:
    case.need(case.tree.get("contacts"), "has no contacts")
    return case.near(case.run(gaps_scaled(case.tree, case.random.choice((1000.0, 0.01, 3.0)))))


def gaps_scaled(tree: Tree, factor: float) -> Tree:
    """Gaps and slips in another unit of length."""
    s = repr(factor)

    def change(name: str, primes: str) -> str | None:
        if name.endswith((".gap", ".slip", ".slip1", ".slip2")):
            return f"({name}{primes}/{s})"
        forces = (".normal", ".tangential", ".tangential1", ".tangential2")
        return f"({name}*{s})" if name.endswith(forces) else None

    result = rewrite(tree, change)
    for contact in result.get("contacts", {}).values():
        scale_contact(contact, s)
    scale_chatter(result, f"{s}*")
    if "compliant" in result["run"]:
        raise NotApplicable("the stiffness of compliant runs is per length")
    return result


def scale_contact(contact: dict, s: str) -> None:
    def law(name: str, primes: str) -> str | None:
        return {"slip": f"(slip/{s})", "normal": f"(normal*{s})"}.get(name)

    if "gap" in contact:
        contact["gap"] = f"{s}*({contact['gap']})"
    if "normal" in contact:  # a given load: its friction does the same work
        contact["normal"] = f"({contact['normal']})/{s}"
    write_slip(contact, f"{s}*({{}})")
    if "friction" in contact:
        contact["friction"] = rewrite({"friction": contact["friction"]}, law)["friction"]
    if "tangential" in contact:
        contact["tangential"] = f"({replace_names(contact['tangential'], law)})/{s}"
    impact = contact.get("impact")
    if isinstance(impact, dict) and impact.get("law") == "energetic":
        impact["stiffness"] = f"({impact.get('stiffness', '1')})/{s}^(1 + ({impact.get('exponent', '3/2')}))"


def scale_chatter(tree: Tree, factor: str) -> None:
    chatter = tree["run"].get("chatter")
    if isinstance(chatter, dict) and "speed" in chatter:
        chatter["speed"] = f"{factor}({chatter['speed']})"


@transformation("time in other units")
def time_units(case: Case) -> list[str]:
    """Where rates become smaller, `run.atol` as it is would ask for less."""
    own_rates(case)
    c = case.random.choice((1000.0, 0.5, 3.0))
    tree = time_scaled(case.tree, c)
    run = tree["run"]
    run["atol"] = f"({run.get('atol', '(' + run.get('rtol', '1e-10') + ')/100')})/{max(c, 1.0)!r}"
    return case.near(case.run(tree), time=c)


def time_scaled(tree: Tree, factor: float) -> Tree:
    """Time counted in a unit that is `factor` times shorter: every prime is worth less by that."""
    c = repr(factor)

    def change(name: str, primes: str) -> str | None:
        if name == "t":
            return f"(t/{c})"
        if primes or name.endswith((".slip", ".slip1", ".slip2")):
            return f"({name}{primes}*{'*'.join([c] * max(1, len(primes)))})"
        if name == "mean_rate(":
            return f"{c}*mean_rate"
        return None

    def law(name: str, primes: str) -> str | None:
        return f"({c}*slip)" if name == "slip" else None

    result = rewrite(tree, change, leave=("parameters",))
    for contact in result.get("contacts", {}).values():
        write_slip(contact, f"({{}})/{c}")  # in the unit that the rate of the gap is in
        for key in ("friction", "tangential"):
            if key in contact:
                contact[key] = rewrite({key: contact[key]}, law)[key]
    for name, entry in tree.get("coordinates", {}).items():
        start, rate = scenario.start_and_rate(entry)
        result["coordinates"][name] = {"start": start}
        if not left_open(tree, [name]):
            result["coordinates"][name]["rate"] = f"({rate})/{c}"
    for state in map(scenario.in_full, result.get("states", {}).values()):
        for key in ("equation", "rate"):
            if key in state:
                state[key] = f"({state[key]})/{c}"
    if "dissipation" in result.get("energy", {}):
        result["energy"]["dissipation"] = f"({result['energy']['dissipation']})/{c}"
    for event in result.get("events", {}).values():
        event["do"] = {k: f"({v})/{c}" if k.endswith("'") else v for k, v in event["do"].items()}
    times = {"run": ("until", "start", "sample", "h_max", "period"), "measure": ("after", "over")}
    for section, keys in times.items():
        for key in keys:
            if key in result.get(section, {}):
                result[section][key] = f"{c}*({result[section][key]})"
    scale_chatter(result, f"1/{c}*")
    chatter = result["run"].get("chatter")
    if isinstance(chatter, dict) and "time" in chatter:
        chatter["time"] = f"{c}*({chatter['time']})"
    return result


@transformation("metres to millimetres, kilograms to grams, seconds to milliseconds")
def all_units(case: Case) -> list[str]:
    """Coordinates in other units too; `run.atol` as it is then asks for more, since numbers become larger."""
    own_rates(case)
    names = unknowns(case)
    tree = affine(case.tree, {n: 1e-3 for n in names}, {n: 0.0 for n in names})
    tree = time_scaled(forces_scaled(tree, 1000.0), 1000.0)
    if case.tree.get("contacts"):
        tree = gaps_scaled(tree, 1000.0)
    return case.near(case.run(tree), time=1000.0)


# ------------------------------------------------------------------------------------------- time


@transformation("time and drive shifted", ("hybrid", "field"))
def time_shifted(case: Case) -> list[str]:
    s = case.random.choice((1.0, 0.37, -0.71, 16.0))
    tree = rewrite(case.tree, lambda n, p: f"(t - ({s!r}))" if n == "t" else None, leave=("parameters", "coordinates"))
    run = tree["run"]
    run["start"] = f"{run.get('start', '0')} + ({s!r})"
    run["until"] = f"({run['until']}) + ({s!r})"
    if "after" in tree.get("measure", {}):
        tree["measure"]["after"] = f"({tree['measure']['after']}) + ({s!r})"
    return case.near(case.run(tree), shift=s)


# ------------------------------------------------------------------------------- redundant writing


@transformation("a contact written twice")
def contact_twice(case: Case) -> list[str]:
    contacts = case.tree.get("contacts")
    case.need(contacts, "has no contacts")
    case.need(not any(borrows(contact) for contact in contacts.values()), "has contacts loaded by others")
    name = case.random.choice(list(contacts))
    impact = contacts[name].get("impact")
    alone = isinstance(impact, dict) and impact.get("stop", "energetic") != "energetic"
    case.need(not alone, "its contact has to strike alone")
    twin = "twin_of_" + name

    def both(n: str, primes: str) -> str | None:
        return f"({n} + {twin}.{n.split('.')[1]})" if n in (f"{name}.normal", f"{name}.tangential") else None

    tree = rewrite(case.tree, both)
    contact = tree["contacts"][name]
    if isinstance(impact, dict) and impact.get("law") == "energetic":
        contact["impact"]["stiffness"] = f"({impact.get('stiffness', '1')})/2"
    if "tangential" in contact:
        law = replace_names(contact["tangential"], lambda n, p: "(2*normal)" if n == "normal" else None)
        contact["tangential"] = f"({law})/2"
    if "normal" in contact:  # a given load is shared
        contact["normal"] = f"({contact['normal']})/2"
    tree["contacts"][twin] = clone(contact)
    # impulses are halved, so that it would be others that are too slight to count
    apart = case.near(without(case.run(tree), twin), counted=case.subject.log_tolerance is not None)
    case.need(case.subject.base.unique or not apart, "rigid bodies leave this motion open, and the run says so")
    return apart


def without(outcome, twin: str):  # type: ignore[no-untyped-def]
    """The events of a twin are told as well; they are not compared."""
    outcome.log = [e for e in outcome.log if not e.which.endswith(" " + twin)]
    outcome.counts = {w: n for w, n in outcome.counts.items() if not w.endswith(" " + twin)}
    return outcome


@transformation("a redundant constraint added")
def redundant_constraint(case: Case) -> list[str]:
    tree = clone(case.tree)
    constraints = tree.get("constraints")
    case.need(constraints, "has no constraints")
    name = case.random.choice(list(constraints))
    written = constraints[name]
    left, equals, right = (written["hold"] if isinstance(written, dict) else written).partition("=")
    twice = f"2*({left})" + (f" = 2*({right})" if equals else "")
    constraints["once_more"] = {**written, "hold": twice} if isinstance(written, dict) else twice
    return case.near(case.run(tree), {name: "once_more"})  # one that appears with an impact does so in both names


@transformation("a body cut in two, glued by a constraint")
def cut_and_glued(case: Case) -> list[str]:
    """Half of all energies in a coordinate of its own, held to the first by a constraint."""
    name = case.random.choice(coordinates(case))
    tree, half = clone(case.tree), "other_" + name
    case.need("energy" in tree, "has no energies")
    defined = dict(tree.get("define", {}))

    def glued(n: str, primes: str) -> str | None:
        """The same expression of the other half; definitions are of the first, so each gets a twin."""
        if n == name:
            return half + primes
        return f"other_{n}{primes}" if n in defined else None

    tree["coordinates"][half] = clone(tree["coordinates"][name])
    tree.setdefault("define", {}).update({f"other_{n}": replace_names(v, glued) for n, v in defined.items()})
    for key, text in tree["energy"].items():
        if key == "dissipation":
            continue
        tree["energy"][key] = f"({text})/2 + ({replace_names(text, glued)})/2"
    tree.setdefault("constraints", {})["glue"] = f"{half} = {name}"
    for event in tree.get("events", {}).values():
        event["do"].update({replace_names(k, glued): v for k, v in event["do"].items() if k.rstrip("'") == name})
    # the force of the glue is among those whose least norm shares a load that the law leaves open
    apart = case.near(case.run(tree))
    case.need(case.subject.base.unique or not apart, "rigid bodies leave this motion open, and the run says so")
    return apart
