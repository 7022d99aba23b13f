#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Checks that what may not matter does not: every scenario under every transformation.

usage: run_invariance.py PROGRAM [--long] [--jobs N] [--seed N] [--scenario TEXT] [--only TEXT] [--keep DIR]

Prints a table (scenario x transformation) and what differs; exit 1 where anything does."""

from __future__ import annotations

import argparse
import collections
import pathlib
import random
import re
import shutil
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import commands  # noqa: F401  (they enter themselves in the table)
import invent
import program as programs
import rewritings  # noqa: F401
import scenario
from program import Program, Subject
from table import TRANSFORMATIONS, Case, NotApplicable, Transformation

HERE = pathlib.Path(__file__).resolve().parent
SCENARIOS = HERE.parent.parent / "scenarios"

Cell = tuple[str, str, str, list[str]]  # scenario, transformation, verdict, what differs or why not


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


def row(program: Program, name: str, tree: scenario.Tree, chosen: list[Transformation], seed: int) -> list[Cell]:
    subject = programs.measure(program, name, tree, stem_of(name))
    if isinstance(subject, str):
        return [(name, "runs", "FAIL", [subject])]
    origin = SCENARIOS / (name + ".yaml")
    subject.origin = origin if origin.exists() else None
    if not subject.base.passed:  # impacts by Newton's law may gain energy, and the certificate says so
        return [(name, "runs", "-", ["the certificate of the scenario as it is does not pass"])]
    cells = [(name, "runs", "ok", [])]
    for what in chosen:
        if subject.engine in what.engines:
            cells.append(try_cell(program, subject, what, seed))
    return cells


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("program")
    options.add_argument("--long", action="store_true", help="every cell, not a sample of them")
    options.add_argument("--jobs", type=int, default=2)
    options.add_argument("--random", type=int, default=200, help="how many random scenarios")
    options.add_argument("--seed", type=int, default=1, help="of random scenarios and transformations")
    options.add_argument("--scenario", default="", help="only rows whose name contains this")
    options.add_argument("--only", default="", help="only transformations whose name contains this")
    options.add_argument("--keep", help="folder in which what was written is kept")
    given = options.parse_args()

    began = time.monotonic()
    program = Program(given.program, given.keep)
    for table in SCENARIOS.glob("*.csv"):
        shutil.copy(table, program.folder)
    subjects = [(path.stem, scenario.load(path)) for path in sorted(SCENARIOS.glob("*.yaml"))]
    subjects += invent.scenarios(given.random, given.seed)
    subjects = [s for s in subjects if given.scenario in s[0]]
    chosen = [t for t in TRANSFORMATIONS if given.only in t.name]
    rows = []
    with ThreadPoolExecutor(given.jobs) as pool:
        for cells in pool.map(lambda s: row(program, s[0], s[1], chosen, given.seed), subjects):
            rows.append(cells)
            tell_failures(cells)
    program.close()
    return report(rows, time.monotonic() - began)


def tell_failures(cells: list[Cell]) -> None:
    for name, what, verdict, apart in cells:
        if verdict == "FAIL":
            print(f"FAIL {name} | {what}")
            for text in apart[:4]:
                print(f"     {text}", flush=True)


def report(rows: list[list[Cell]], seconds: float) -> int:
    cells = [cell for line in rows for cell in line]
    print(f"\n{'transformation':<75} {'ok':>5} {'fail':>5} {'n/a':>5}")
    for what in dict.fromkeys(cell[1] for cell in cells):
        tally = collections.Counter(cell[2] for cell in cells if cell[1] == what)
        print(f"{what:<75} {tally['ok']:>5} {tally['FAIL']:>5} {tally['-']:>5}")
    tally = collections.Counter(cell[2] for cell in cells)
    print(f"\n{len(rows)} scenarios, {len(cells)} cells: {tally['ok']} ok, {tally['FAIL']} failures, "
          f"{tally['-']} not applicable, {seconds:.0f} s")
    return 1 if tally["FAIL"] else 0


if __name__ == "__main__":
    sys.exit(main())
