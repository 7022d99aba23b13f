# SPDX-License-Identifier: MIT
"""Random scenarios: polygons that fall, chains of masses, blocks on belts, single impacts of up to eight contacts."""

from __future__ import annotations

import math
import random

from scenario import Tree


def scenarios(count: int, seed: int) -> list[tuple[str, Tree]]:
    """The first `count` of an endless list; each has its own random numbers, so that a shorter list is a part of a longer."""
    kinds = (polygon, chain, belt, impact)
    made = []
    for k in range(count):
        make = kinds[k % len(kinds)]
        made.append((f"random {make.__name__} {k}", make(random.Random(f"{seed} {k}"))))
    return made


def between(rng: random.Random, low: float, high: float) -> str:
    return f"{rng.uniform(low, high):.4g}"


def law(rng: random.Random, only: str | None = None) -> Tree:
    which = only or rng.choice(("newton", "poisson", "energetic", "energetic"))
    made = {"law": which, "e": rng.choice(("0", between(rng, 0.1, 0.9)))}
    if which == "energetic":
        made.update(stiffness=between(rng, 0.3, 3), exponent=rng.choice(("3/2", "1")))
    return made


def friction(rng: random.Random) -> Tree:
    mu = rng.uniform(0.05, 0.8)
    kind = rng.randrange(4)
    if kind == 0:
        return f"{mu:.4f}"
    if kind == 1:
        return {"stick": f"{1.4 * mu:.4f}", "slip": f"{mu:.4f}"}
    if kind == 2:  # Stribeck's
        return {"stick": f"{1.3 * mu:.4f}", "slip": f"{1.3 * mu:.4f} - {0.3 * mu:.4f}*(1 - exp(-(slip/0.3)^2))"}
    return {"stick": f"{mu:.4f}", "slip": f"{mu:.4f}", "impact": {"stick": f"{mu:.4f}", "slip": f"{0.7 * mu:.4f}"}}


def contact(rng: random.Random, gap: str, slip: str, impact_law: Tree) -> Tree:
    made: Tree = {"gap": gap}
    if rng.random() < 0.8:
        made.update(slip=slip, friction=friction(rng))
    made["impact"] = dict(impact_law)
    return made


def polygon(rng: random.Random) -> Tree:
    """Three to six corners over a floor that is level or not, at rest or shaken, now and then beside a wall."""
    corners, size = rng.randrange(3, 7), rng.uniform(0.2, 0.5)
    slope = rng.choice((0.0, rng.uniform(-0.3, 0.3)))
    floor = rng.choice(("0", f"{between(rng, 0.005, 0.02)}*(cos({between(rng, 8, 20)}*t) - 1)"))
    exponent = rng.choice(("3/2", "1"))
    impact_law = law(rng)
    define, contacts = {"floor": floor}, {}
    for k in range(corners):
        reach, angle = size * rng.uniform(0.8, 1.2), 2 * math.pi * (k + rng.uniform(0, 0.5)) / corners
        define[f"px{k}"] = f"x + {reach:.5f}*cos(turn + {angle:.5f})"
        define[f"py{k}"] = f"y + {reach:.5f}*sin(turn + {angle:.5f})"
        own = dict(impact_law)
        if own["law"] == "energetic":
            own.update(exponent=exponent, stiffness=between(rng, 0.3, 3))
        contacts[f"foot{k}"] = contact(rng, f"py{k}*cos(a) - px{k}*sin(a) - floor", f"px{k}'*cos(a) + py{k}'*sin(a)", own)
        if k < 2 and rng.random() < 0.4:
            contacts[f"side{k}"] = contact(rng, f"{1.5 * size + 0.1:.4f} - px{k}", f"py{k}'", own)
    return {
        "title": "A polygon falls",
        "parameters": {"m": between(rng, 0.5, 2), "J": between(rng, 0.02, 0.1), "g": "9.81", "a": f"{slope:.4f}"},
        "coordinates": {"x": {"start": "0", "rate": between(rng, -1.5, 1.5)},
                        "y": {"start": f"{1.6 * size + 0.05:.5f}", "rate": "0"},
                        "turn": {"start": between(rng, 0, 6), "rate": between(rng, -3, 3)}},
        "define": define,
        "energy": {"kinetic": "m/2*(x'^2 + y'^2) + J/2*turn'^2", "potential": "m*g*y"},
        "contacts": contacts,
        "run": {"until": between(rng, 0.4, 0.9), "rtol": "1e-10"},
    }


def chain(rng: random.Random) -> Tree:
    """Masses in a row with springs between, that strike each other and a wall; some hang on a rod of constant length."""
    n = rng.randrange(2, 7)
    names = [f"x{k}" for k in range(n)]
    exponent = rng.choice(("3/2", "1"))
    only = rng.choice(("newton", "energetic", "poisson"))

    def strike() -> Tree:
        made = law(rng, only)
        if only == "energetic":
            made["exponent"] = exponent
        return made

    touching = rng.random() < 0.4
    at = [0.0]
    for _ in range(n - 1):
        at.append(at[-1] + 0.2 + (0.0 if touching else rng.uniform(0.0, 0.1)))
    coordinates = {name: {"start": f"{x:.5f}", "rate": between(rng, -1, 1) if not touching or k == 0 else "0"}
                   for k, (name, x) in enumerate(zip(names, at))}
    if touching:
        coordinates["x0"] = {"start": f"{at[0] - 0.05:.5f}", "rate": "1"}
    contacts = {f"c{k}": {"gap": f"x{k + 1} - x{k} - 0.2", "impact": strike()} for k in range(n - 1)}
    contacts["wall"] = {"gap": f"{at[-1] + 0.15:.5f} - x{n - 1}", "impact": strike()}
    springs = " + ".join(f"{between(rng, 5, 30)}*(x{k + 1} - x{k} - 0.21)^2/2" for k in range(n - 1))
    tree: Tree = {
        "title": "A chain of masses",
        "parameters": {f"m{k}": between(rng, 0.3, 2) for k in range(n)},
        "coordinates": coordinates,
        "energy": {"kinetic": " + ".join(f"m{k}/2*x{k}'^2" for k in range(n)),
                   "potential": f"{springs or '0'} + {between(rng, 1, 10)}*x0^2/2"},
        "contacts": contacts,
        "run": {"until": between(rng, 0.8, 2), "rtol": "1e-10"},
    }
    if rng.random() < 0.5:
        tree["energy"]["dissipation"] = f"{between(rng, 0.02, 0.3)}*x0'^2/2"
    if rng.random() < 0.3:
        tree["coordinates"]["hung"] = "0.1"
        tree["coordinates"]["low"] = "-sqrt(0.25 - 0.01)"
        tree["energy"]["kinetic"] += " + 0.4/2*(hung'^2 + low'^2)"
        tree["energy"]["potential"] += " + 0.4*9.81*low + 3*(hung - x0)^2/2"
        tree["constraints"] = {"rod": "hung^2 + low^2 - 0.25"}
    return tree


def belt(rng: random.Random) -> Tree:
    """Blocks on a belt, held by springs: stick and slip."""
    n = rng.randrange(1, 4)
    swing = rng.choice(("0", between(rng, 0.02, 0.2)))
    coordinates: Tree = {}
    kinetic, potential, contacts = [], [], {}
    for k in range(n):
        coordinates[f"x{k}"] = {"start": between(rng, -0.3, 0.3), "rate": between(rng, -0.3, 0.3)}
        coordinates[f"y{k}"] = "0"
        kinetic.append(f"m{k}/2*(x{k}'^2 + y{k}'^2)")
        potential.append(f"m{k}*9.81*y{k} + {between(rng, 3, 20)}*x{k}^2/2")
        if k:
            potential.append(f"{between(rng, 2, 15)}*(x{k} - x{k - 1})^2/2")
        contacts[f"belt{k}"] = {"gap": f"y{k}", "slip": f"x{k}' - v", "friction": friction(rng), "impact": law(rng)}
    return {
        "title": "Blocks on a belt",
        "parameters": {"v0": between(rng, 0.05, 0.5), **{f"m{k}": between(rng, 0.5, 2) for k in range(n)}},
        "coordinates": coordinates,
        "define": {"v": f"v0 + {swing}*sin({between(rng, 1, 6)}*t)"},
        "energy": {"kinetic": " + ".join(kinetic), "potential": " + ".join(potential)},
        "contacts": contacts,
        "run": {"until": between(rng, 2, 6), "rtol": "1e-10"},
    }


def impact(rng: random.Random) -> Tree:
    """One instant: up to eight contacts of a body with two to five freedoms, some approaching, some at rest, some moving apart."""
    n, freedoms = rng.randrange(1, 9), rng.randrange(2, 6)
    names = [f"q{k}" for k in range(freedoms)]
    only = rng.choice(("energetic", "energetic", "newton", "poisson"))
    exponent = rng.choice(("3/2", "1"))
    away = [rng.uniform(-1, 1) for _ in names]  # a way that opens all contacts: no cage
    rates = [rng.uniform(-1, 1) for _ in names]
    contacts = {}
    for k in range(n):
        row = [rng.uniform(-1, 1) for _ in names]
        if sum(a * u for a, u in zip(row, away)) < 0:
            row = [-a for a in row]
        if k == 0 and sum(a * v for a, v in zip(row, rates)) > 0:
            rates = [-v for v in rates]  # one at least approaches
        gap = " + ".join(f"{a:.4f}*{name}" for a, name in zip(row, names))
        slip = " + ".join(f"{rng.uniform(-1, 1):.4f}*{name}'" for name in names)
        own = law(rng, only)
        if only == "energetic":
            own["exponent"] = exponent
        contacts[f"c{k}"] = contact(rng, gap, slip, own)
    mass = [f"m{k}/2*{name}'^2" for k, name in enumerate(names)]
    return {
        "title": "One impact",
        "parameters": {f"m{k}": between(rng, 0.5, 2) for k in range(freedoms)},
        "coordinates": {name: {"start": "0", "rate": f"{v:.5f}"} for name, v in zip(names, rates)},
        "energy": {"kinetic": " + ".join(mass), "potential": "0"},
        "contacts": contacts,
        "run": {"until": "0.01", "rtol": "1e-10"},
    }
