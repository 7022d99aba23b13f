# SPDX-License-Identifier: MIT
"""Rows, columns and cells: a transformation is a function of a case that returns what differs."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Callable

import program as programs
from program import Outcome, Program, Subject
from scenario import Tree


Cell = tuple[str, str, str, list[str]]  # scenario, transformation, verdict, what differs or why not


class NotApplicable(Exception):
    """Why a transformation says nothing about a scenario."""


@dataclass
class Case:
    """One cell of the table: a scenario under a transformation, with random numbers of its own."""

    program: Program
    subject: Subject
    random: random.Random
    stem: str

    @property
    def tree(self) -> Tree:
        return self.subject.tree

    def run(self, tree: Tree, *words: str, part: str = "") -> Outcome:
        return self.program.run_tree(tree, self.stem + part, *words)

    def same_bits(self, other: Outcome) -> list[str]:
        return programs.same_bits(self.subject, other)

    def near(self, other: Outcome, names: dict[str, str] | None = None, time: float = 1.0, shift: float = 0.0,
             counted: bool = True, loose: float = 1.0) -> list[str]:
        return programs.near(self.subject, other, names, time, shift, counted, loose)

    def need(self, holds: object, why: str) -> None:
        if not holds:
            raise NotApplicable(why)


Check = Callable[[Case], list[str]]


@dataclass
class Transformation:
    name: str
    engines: tuple[str, ...]
    check: Check


TRANSFORMATIONS: list[Transformation] = []


def transformation(name: str, engines: tuple[str, ...] = ("hybrid",)) -> Callable[[Check], Check]:
    """Enters a function in the table. It gets a case and returns what differs, or raises NotApplicable."""

    def enter(check: Check) -> Check:
        def ask(case: Case) -> list[str]:
            # what is written anew here are coordinates and gaps; those of bodies the program writes
            case.need("bodies" not in case.tree or check.__module__ in ("commands", "tuned"), "has bodies, which the program writes out")
            return check(case)

        TRANSFORMATIONS.append(Transformation(name, engines, ask))
        return check

    return enter
