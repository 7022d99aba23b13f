# SPDX-License-Identifier: MIT
"""Beyond the horizon of a chaotic motion: single runs cannot be compared, what they are like on average can."""

from __future__ import annotations

import math

import rewritings
import scenario
from program import END, END_RATE, Outcome
from scenario import Tree, clone
from table import Case, NotApplicable, transformation

MEMBERS = 8  # runs of each writing, which differ in their steps and so, beyond the horizon, in all
LONGER = 6.0  # times the horizon
PARTED = 0.1  # of a motion's size: by so much runs have to differ at their end to be independent
# Student's t of 14 degrees of freedom beyond which two means differ: by chance once in 30,000 times
DOUBT = 6.0
KNOWN = 1e-9  # of a mean: its rounding, and what steps are off by before the runs part


def statistics(tree: Tree) -> Tree:
    """Means that every motion has, beside the scenario's own observables."""
    result = clone(tree)
    observe = result.setdefault("observe", {})
    for name in tree.get("coordinates", {}):
        observe["beyond_speed_" + name] = f"mean(abs({name}'))"
        observe["beyond_square_" + name] = f"mean({name}'^2)"
    for name in tree.get("states", {}):
        observe["beyond_size_" + name] = f"mean(abs({name}))"
        observe["beyond_square_" + name] = f"mean({name}^2)"
    return result


def members(case: Case, tree: Tree, part: str) -> list[Outcome]:
    """Runs whose steps differ: ten per cent of the tolerance."""
    rtol, made = tree["run"].get("rtol", "1e-10"), []
    for k in range(MEMBERS):
        other = clone(tree)
        other["run"]["rtol"] = f"({rtol})*{1 + 0.1 * k!r}"
        made.append(case.run(other, part=f"{part}{k}"))
    return made


def values_of(runs: list[Outcome], name: str) -> list[float] | None:
    values = [r.values.get(name) for r in runs]
    return None if any(v is None for v in values) else values  # type: ignore[return-value]


def mean_and_variance(values: list[float]) -> tuple[float, float]:
    """The mean, and the variance of the mean."""
    mean = sum(values) / len(values)
    return mean, sum((v - mean) ** 2 for v in values) / (len(values) - 1) / len(values)


def apart(first: list[Outcome], second: list[Outcome]) -> list[str]:
    """Means that differ by more than chance explains (Welch)."""
    result = []
    for name in first[0].values:
        a, b = values_of(first, name), values_of(second, name)
        if name.startswith((END, END_RATE)) or a is None or b is None:
            continue
        (m, v), (n, w) = mean_and_variance(a), mean_and_variance(b)
        tolerance = DOUBT * math.sqrt(v + w) + KNOWN * (abs(m) + abs(n))
        if not abs(m - n) <= tolerance:
            result.append(f"{name}: means {m:.9g} and {n:.9g} of {MEMBERS} runs, apart by {abs(m - n):.2g}, known to {tolerance:.2g}")
    return result


def independent(runs: list[Outcome]) -> bool:
    """Whether runs have forgotten where they came from: their ends differ as much as the motion is large."""
    for name in runs[0].values:
        values = values_of(runs, name) if name.startswith((END, END_RATE)) else None
        if values and max(values) - min(values) > PARTED * max(abs(v) for v in values):
            return True
    return False


def rewritten(case: Case, tree: Tree) -> Tree:
    """Another writing, drawn among those in which every motion can be written."""
    names = rewritings.unknowns(case)
    writing = case.random.choice(("scaled", "mirrored", "masses", "ordered"))
    if writing == "masses" and "energy" in tree:
        return rewritings.forces_scaled(tree, 3.0)
    if writing == "ordered" and len(names) > 1:
        result = clone(tree)
        for key in ("coordinates", "states", "contacts"):
            if key in result:
                result[key] = dict(reversed(result[key].items()))
        return result
    if writing == "mirrored":
        return rewritings.slips_turned(rewritings.affine(tree, {n: -1.0 for n in names}, {n: 0.0 for n in names}))
    return rewritings.affine(tree, {n: case.random.choice((0.6, 1.7)) for n in names}, {n: 0.0 for n in names})


@transformation("beyond the horizon, in statistics")
def beyond(case: Case) -> list[str]:
    subject = case.subject
    case.need(subject.horizon is not None, "is known to its end")
    start, until = scenario.run_times(subject.whole)
    whole = statistics(subject.whole)
    whole["run"]["until"] = repr(max(until, start + LONGER * (subject.horizon - start)))
    first = members(case, whole, "-a")
    failed = [r.error for r in first if r.error]
    if failed:
        raise NotApplicable("cannot be run on")
    case.need(independent(first), "is known beyond its horizon, to fewer digits")
    second = members(case, rewritten(case, whole), "-b")
    failed = [r.error for r in second if r.error]
    if failed:
        return ["fails: " + failed[0]]
    return apart(first, second)
