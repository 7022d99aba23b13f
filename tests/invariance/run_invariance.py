#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Checks that what may not matter does not: every scenario under every transformation.

usage: run_invariance.py PROGRAM [--long] [--jobs N] [--seed N] [--scenario TEXT] [--only TEXT] [--keep DIR]

Prints a table (scenario x transformation) and what differs; exit 1 where anything does."""

from __future__ import annotations

import argparse
import collections
import fnmatch
import functools
import pathlib
import random
import re
import shutil
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Callable

import analyses
import beyond  # noqa: F401  (enters itself in the table)
import commands  # noqa: F401  (they enter themselves in the table)
import engines  # noqa: F401
import invent
import limits
import program as programs
import rewritings  # noqa: F401
import scenario
import tuned
from program import Program, Subject
from table import TRANSFORMATIONS, Case, Cell, NotApplicable, Transformation

# The quick part: of every row but these, a run of which takes more than a third of a second, the first EACH transformations that apply, in
# an order drawn from its name; what few rows have is tried on those named. It ends by counting that each transformation was tried twice.
SLOW = ("brick_wall", "clearance_joint", "dimer_formula", "euler_disc", "rods_pile", "slip_runner", "violin_string")
EACH = 3
RANDOM = 20
FEW_HAVE = {
    "a redundant constraint added": ("chaplygin_sleigh", "compass_walker", "four_bar", "wagons"),
    "backwards in time": ("double_pendulum", "kepler", "pi_by_collisions"),
    "beyond the horizon, in statistics": ("double_pendulum", "duffing"),
    "mirrored fields": ("field_block", "field_edge", "field_rolling"),
    "states and constraints in another order": ("abs_wheel", "four_bar", "relay_control"),
    "tangents of contacts in space turned": ("ball_pyramid", "stool", "superball"),
    "threads added": ("rod_soft", "rods_2d_r1"),
}

HERE = pathlib.Path(__file__).resolve().parent
SCENARIOS = HERE.parent.parent / "scenarios"


def stem_of(name: str, what: str = "") -> str:
    return re.sub(r"[^a-z0-9]+", "_", f"{name} {what}".lower()).strip("_")


def try_cell(program: Program, subject: Subject, what: Transformation, seed: int) -> Cell:
    stem = stem_of(subject.name, what.name)
    case = Case(program, subject, random.Random(f"{seed} {stem}"), stem)
    try:
        apart = what.check(case)
    except NotApplicable as why:
        return subject.name, what.name, "-", [str(why)]
    return subject.name, what.name, "FAIL" if apart else "ok", apart


def row(program: Program, name: str, tree: scenario.Tree, chosen: list[Transformation], seed: int, few: bool) -> list[Cell]:
    """All cells of a scenario, or a few."""
    subject = programs.measure(program, name, tree, stem_of(name))
    if isinstance(subject, str):
        told = name.startswith("random impact") and limits.NEVER_ENDS in subject
        return [(name, "runs", "-" if told else "FAIL", [subject])]
    origin = SCENARIOS / (name + ".yaml")
    subject.origin = origin if origin.exists() else None
    if not subject.base.passed:  # impacts by Newton's law may gain energy, and the certificate says so
        return [(name, "runs", "-", ["the certificate of the scenario as it is does not pass"])]
    chosen = [t for t in chosen if subject.engine in t.engines]
    if few:
        return [(name, "runs", "ok", []), *few_cells(program, subject, chosen, seed)]
    return [(name, "runs", "ok", []), *(try_cell(program, subject, what, seed) for what in chosen)]


def few_cells(program: Program, subject: Subject, chosen: list[Transformation], seed: int) -> list[Cell]:
    named = [t for t in chosen if subject.name in FEW_HAVE.get(t.name, ())]
    others = [t for t in chosen if t.name not in FEW_HAVE]
    random.Random(f"{seed} {subject.name}").shuffle(others)
    cells = [try_cell(program, subject, what, seed) for what in named]
    for what in others:
        if sum(cell[2] != "-" for cell in cells) >= EACH:
            break
        cells.append(try_cell(program, subject, what, seed))
    return cells


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("program")
    options.add_argument("--long", action="store_true", help="every cell, not the quick part")
    options.add_argument("--jobs", type=int, default=2)
    options.add_argument("--random", type=int, default=200, help="how many random scenarios")
    options.add_argument("--seed", type=int, default=1, help="of random scenarios and transformations")
    options.add_argument("--scenario", default="", help="only rows whose name contains this")
    options.add_argument("--only", default="", help="only transformations whose name contains this")
    options.add_argument("--keep", help="folder in which what was written is kept")
    given = options.parse_args()

    if given.long or given.only:  # they compile: not in the quick part
        tuned.enter()
    began = time.monotonic()
    program = Program(given.program, given.keep)
    for table in SCENARIOS.glob("*.csv"):
        shutil.copy(table, program.folder)
    known, used, rows = known_failures(), set(), []
    with ThreadPoolExecutor(given.jobs) as pool:
        for cells in pool.map(lambda work: work(), works(program, given)):
            if not cells:
                continue
            rows.append(forgive(cells, known, used))
            tell_failures(rows[-1])
    program.close()
    amiss = [f"STALE known failure: {' | '.join(entry)}" for entry in known if entry not in used] if given.long else untried(rows)
    return report(rows, [] if given.scenario or given.only else amiss, time.monotonic() - began)


def works(program: Program, given: argparse.Namespace) -> list[Callable[[], list[Cell]]]:
    """The rows of the table, each a piece of work."""
    chosen = [t for t in TRANSFORMATIONS if given.only in t.name]
    few = not (given.long or given.scenario or given.only)
    count = min(given.random, RANDOM) if few else given.random
    subjects = [(path.stem, scenario.load_for(path, program.path)) for path in sorted(SCENARIOS.glob("*.yaml"))]
    subjects += invent.scenarios(count, given.seed)
    if few:
        subjects = [s for s in subjects if s[0] not in SLOW]
    made: list[Callable[[], list[Cell]]] = []
    for name, tree in subjects:
        if given.scenario in name and chosen:
            made.append(functools.partial(row, program, name, tree, chosen, given.seed, few))
    for name, tree in invent.scenarios(count, given.seed):
        if given.scenario in name and "impact" in name and given.only in "limits":
            made.append(functools.partial(limits.row, program, name, tree, given.seed, stem_of(name, "limit")))
    agreements = [a for a in analyses.AGREEMENTS if given.only in a[0]]
    for k, motion in enumerate(analyses.MOTIONS):
        if given.scenario in motion.file and agreements:
            mine = random.Random(f"{given.seed} {k}").sample(agreements, 1) if few else agreements
            made.append(functools.partial(analyses.row, program, motion, SCENARIOS, given.seed, f"analysis_{k}", mine))
    return made


def tell_failures(cells: list[Cell]) -> None:
    for name, what, verdict, apart in cells:
        if verdict in ("FAIL", "known"):
            print(f"{verdict} {name} | {what}")
            for text in apart[:4]:
                print(f"     {text}", flush=True)


def untried(rows: list[list[Cell]]) -> list[str]:
    """What the quick part has to try and did not."""
    tried = collections.Counter(cell[1] for line in rows for cell in line if cell[2] != "-")
    return [f"TOO FEW rows have {t.name}: {tried[t.name]}" for t in TRANSFORMATIONS if tried[t.name] < 2]


def known_failures() -> list[tuple[str, str, str]]:
    lines = (HERE / "known.txt").read_text().splitlines()
    return [tuple(part.strip() for part in line.split("|")) for line in lines if line and not line.startswith("#")]  # type: ignore[misc]


def forgive(cells: list[Cell], known: list[tuple[str, str, str]], used: set) -> list[Cell]:
    """Failures that are known become "known", with the reason."""
    result = []
    for name, what, verdict, apart in cells:
        for entry in known if verdict == "FAIL" else []:
            if fnmatch.fnmatch(name, entry[0]) and fnmatch.fnmatch(what, entry[1]):
                verdict, apart = "known", [entry[2], *apart]
                used.add(entry)
                break
        result.append((name, what, verdict, apart))
    return result


def report(rows: list[list[Cell]], amiss: list[str], seconds: float) -> int:
    cells = [cell for line in rows for cell in line]
    print(f"\n{'transformation':<70} {'ok':>5} {'fail':>5} {'known':>5} {'n/a':>5}")
    for what in dict.fromkeys(cell[1] for cell in cells):
        tally = collections.Counter(cell[2] for cell in cells if cell[1] == what)
        print(f"{what:<70} {tally['ok']:>5} {tally['FAIL']:>5} {tally['known']:>5} {tally['-']:>5}")
    reasons = collections.Counter((cell[1], cell[3][0]) for cell in cells if cell[2] == "-")
    print("\nnot applicable:")
    for (what, why), count in sorted(reasons.items()):
        print(f"  {what}: {why} ({count})")
    tally = collections.Counter(cell[2] for cell in cells)
    for text in amiss:
        print(text)
    if tally["known"]:
        print(f"\n*** {tally['known']} KNOWN FAILURES, not mended yet: tests/invariance/known.txt ***")
    print(f"\n{len(rows)} scenarios, {len(cells)} cells: {tally['ok']} ok, {tally['FAIL']} failures, "
          f"{tally['known']} known failures, {tally['-']} not applicable, {seconds:.0f} s")
    return 1 if tally["FAIL"] or amiss else 0


if __name__ == "__main__":
    sys.exit(main())
