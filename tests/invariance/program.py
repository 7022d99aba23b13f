# SPDX-License-Identifier: MIT
"""Runs the program and says how far two motions are apart, measured by how well each is known."""

from __future__ import annotations

import bisect
import collections
import json
import math
import pathlib
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field
from typing import Any

import scenario
from scenario import Tree

# A motion is known to the spread of runs that differ only in their steps. Two of them may part by a
# multiple of that, and by a multiple of what each step may be off.
SPREADS = 20.0
STEP_ERRORS = 1000.0
# beyond the time at which these runs are apart by this part of the motion's size there is no comparing
HORIZON = 1e-5
NOTHING = 1e-11  # what is smaller may be rest
LIMIT_S = 60
STEPS = {"grains": 600, "stepping": 100}  # of these engines, which take equal ones, so many are compared

# Events that are compared one by one. Contacts that lie on each other may open and close in the last digit, stick may end
# and begin there: what comes of it is seen in the motion. An impact that is SLIGHT beside the hardest is one of that kind.
SEEN = ("impact", "section", "event", "stop")
SLIGHT = 1e-5

END, END_RATE = "probe_of_", "probe_of_rate_of_"


@dataclass
class Event:
    t: float
    which: str
    weight: float  # of an impact its impulse, beside the hardest one


@dataclass
class Outcome:
    """What a run came to."""

    error: str = ""
    values: dict[str, float | None] = field(default_factory=dict)  # observables, the probes among them
    counts: dict[str, int] = field(default_factory=dict)  # events by kind and name
    log: list[Event] = field(default_factory=list)
    unique: bool = True  # impulses are
    passed: bool = False
    t_end: float = math.nan
    stopped_by: str = ""
    bits: dict[str, Any] = field(default_factory=dict)  # all that may not change where arithmetic is the same
    sizes: dict[str, float] = field(default_factory=dict)  # largest values of coordinates at events


class Program:
    """The program under test, with a folder to write scenarios to."""

    def __init__(self, path: str, keep: str | None) -> None:
        self.path = path
        self.folder = pathlib.Path(keep or tempfile.mkdtemp(prefix="invariance-"))
        self.folder.mkdir(parents=True, exist_ok=True)
        self.temporary = keep is None

    def close(self) -> None:
        if self.temporary:
            shutil.rmtree(self.folder, ignore_errors=True)

    def write(self, tree: Tree, name: str) -> pathlib.Path:
        path = self.folder / (name + ".yaml")
        path.write_text(scenario.dump(tree))
        return path

    def call(self, *words: str) -> tuple[int, str, str]:
        try:
            done = subprocess.run([self.path, *words], capture_output=True, text=True, timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            return -1, "", f"no end within {LIMIT_S} s"
        return done.returncode, done.stdout, done.stderr

    def json(self, *words: str) -> dict[str, Any]:
        """The object that a command prints; {"error": ...} where it fails."""
        code, out, err = self.call(*words, "--json")
        try:
            result = json.loads(out)
        except ValueError:
            return {"error": {"text": f"exit {code}: {err.strip() or out[:200]}"}}
        # 3: done, but the certificate did not pass
        if code not in (0, 3) and "error" not in result:
            result["error"] = {"text": f"exit {code}: {err.strip()}"}
        return result

    def run(self, path: pathlib.Path, *words: str) -> Outcome:
        return outcome_of(self.json("run", str(path), "--events", *words))

    def run_tree(self, tree: Tree, name: str, *words: str) -> Outcome:
        return self.run(self.write(tree, name), *words)


def outcome_of(result: dict[str, Any]) -> Outcome:
    if "error" in result:
        error = result["error"]
        return Outcome(error=str(error.get("text", error) if isinstance(error, dict) else error))
    made = Outcome(values=result["observables"], t_end=result["t_end"], stopped_by=result["stopped_by"])
    made.passed = result["certificate"]["passed"]
    hardest = max((row["value"] or 0.0 for row in result.get("log", []) if row["kind"] == "impact"), default=0.0)
    for row in result.get("log", []):
        made.unique &= row["kind"] != "non-unique"
        if row["kind"] in SEEN:
            weight = (row["value"] or 0.0) / hardest if row["kind"] == "impact" and hardest else 1.0
            made.log.append(Event(row["t"], row["kind"] + " " + row["name"], weight))
        for side in ("before", "after"):
            for name, value in (row.get(side) or {}).items():
                made.sizes[name] = max(made.sizes.get(name, 0.0), abs(value or 0.0))
    made.counts = dict(collections.Counter(event.which for event in made.log if event.weight > SLIGHT))
    for name, value in result["final"].items():
        made.sizes[name] = max(made.sizes.get(name, 0.0), abs(value or 0.0))
    made.bits = {key: result.get(key) for key in
                 ("t_end", "stopped_by", "observables", "final", "events", "log", "certificate")}
    return made


@dataclass
class Subject:
    """A scenario, cut where it can be predicted no longer, and what is known of its motion."""

    name: str
    tree: Tree
    path: pathlib.Path
    base: Outcome
    tolerance: dict[str, float]
    count_tolerance: dict[str, float]
    log_tolerance: list[float] | None  # None: even the sequence of events is not known
    whole: Tree  # as written, not cut
    horizon: float | None  # where it was cut
    engine: str
    origin: pathlib.Path | None = None  # the file it came from


def probes(tree: Tree) -> Tree:
    """Adds observables that tell the end of every coordinate and state; transformations rewrite them as any other."""
    result = scenario.clone(tree)
    observe = result.setdefault("observe", {})
    for name in tree.get("coordinates", {}):
        observe[END + name] = name
        observe[END_RATE + name] = name + "'"
    for name in tree.get("states", {}):
        observe[END + name] = name
    return result


def cut(tree: Tree, until: float) -> Tree:
    """The same run, ended earlier. What was to be measured later is measured over the whole."""
    result = scenario.clone(tree)
    result["run"]["until"] = repr(until)
    result.pop("measure", None)
    return result


def family(tree: Tree) -> list[Tree]:
    """The same motion computed by other steps."""
    members = [tree]
    rtol = tree["run"].get("rtol", "1e-10")
    for factor in ("10", "100"):
        other = scenario.clone(tree)
        other["run"]["rtol"] = f"max(({rtol})/{factor}, 1e-13)"
        if "atol" in other["run"]:
            other["run"]["atol"] = f"({other['run']['atol']})/{factor}"
        members.append(other)
    # a little looser, and nothing held constant: energies that time enters cannot be
    other = scenario.clone(tree)
    other["run"].update({"rtol": f"3*({rtol})", "hold": "none"})
    members.append(other)
    return members


def size_of(outcome: Outcome, name: str) -> float:
    """How large a value is in this motion: zero at the end does not mean that it is small."""
    value = abs(outcome.values.get(name) or 0.0)
    for prefix, rate in ((END_RATE, "'"), (END, "")):
        if name.startswith(prefix):
            return max(value, outcome.sizes.get(name[len(prefix):] + rate, 0.0))
    # any other observable: at least as large as what it is likely made of
    return max(value, 1e-2 * max([s for n, s in outcome.sizes.items() if n not in ("kinetic", "potential")], default=0.0))


def spread(members: list[Outcome], name: str) -> float:
    values = [m.values.get(name) for m in members]
    if any(v is None for v in values):
        return math.inf if any(v is not None for v in values) else 0.0
    return max(values) - min(values)  # type: ignore[type-var,operator]


def measure(program: Program, name: str, tree: Tree, stem: str) -> Subject | str:
    """Runs a scenario and finds to which tolerance, and up to which time, its motion is known."""
    engine = "stepping" if tree["run"].get("method") == "stepping" else tree.get("engine", "hybrid")
    whole = probes(tree) if engine == "hybrid" else tree
    if engine in STEPS:
        return measure_steps(program, name, whole, stem, engine)
    start, until = scenario.run_times(tree)
    subject_tree, horizon = whole, None
    for attempt in range(14):
        members = [program.run_tree(t, f"{stem}-step{k}") for k, t in enumerate(family(subject_tree))]
        failed = [m.error for m in members if m.error]
        if failed and attempt == 13:
            return failed[0]
        if not failed and not parted(members):
            break
        # the first cut is where `converge` sees the runs part
        told = program.json("converge", str(program.write(subject_tree, stem))) if not attempt else {}
        end = told.get("parted_at") or scenario.run_times(subject_tree)[1]
        horizon = start + 0.6 * (end - start)
        subject_tree = cut(whole, horizon)
    else:
        return "has no stretch of time over which its own runs agree"
    base = members[0]
    rtol = scenario.number(subject_tree, subject_tree["run"].get("rtol", "1e-10"))
    atol = scenario.number(subject_tree, subject_tree["run"].get("atol", repr(rtol / 100)))
    tolerance = {n: SPREADS * spread(members, n) + STEP_ERRORS * rtol * size_of(base, n) + 10 * atol for n in base.values}
    counts = {key: SPREADS * (max(m.counts.get(key, 0) for m in members) - min(m.counts.get(key, 0) for m in members))
              for m in members for key in m.counts}
    path = program.write(subject_tree, stem)
    return Subject(name, subject_tree, path, base, tolerance, counts, log_tolerance(members, rtol), whole, horizon, engine)


def measure_steps(program: Program, name: str, tree: Tree, stem: str, engine: str) -> Subject | str:
    """Beds and piles take equal steps and are chaotic: some steps of them, compared by their bits."""
    start, until = scenario.run_times(tree)
    step = scenario.number(tree, tree["run"]["step"])
    horizon = start + min(until - start, STEPS[engine] * step)
    short = cut(tree, horizon)
    if "sample" in short["run"]:
        short["run"]["sample"] = repr(STEPS[engine] / 10 * step)
    path = program.write(short, stem)
    base = program.run(path)
    if base.error:
        return base.error
    return Subject(name, short, path, base, {n: 0.0 for n in base.values}, {}, None, tree, horizon, engine)


def parted(members: list[Outcome]) -> bool:
    base = members[0]
    if any(m.stopped_by != base.stopped_by for m in members):
        return True
    ends = [n for n in base.values if n.startswith((END, END_RATE))] or list(base.values)
    return any(spread(members, n) > HORIZON * size_of(base, n) + NOTHING for n in ends)


def log_tolerance(members: list[Outcome], rtol: float) -> list[float] | None:
    """How well the time of each event is known; None where not even their sequence is."""
    logs = [[e for e in m.log if e.weight > SLIGHT] for m in members]
    if any([e.which for e in log] != [e.which for e in logs[0]] for log in logs):
        return None
    result = []
    for events in zip(*logs):
        times = [e.t for e in events]
        result.append(SPREADS * (max(times) - min(times)) + STEP_ERRORS * rtol * (abs(times[0]) + abs(members[0].t_end)))
    return result


def counted_events(bits: dict[str, Any]) -> dict[str, Any]:
    """Results without the switches of observables, which are named by their expressions."""
    log = [row for row in bits["log"] or [] if row["kind"] != "switch"]
    names = [row for row in bits["events"].get("by_name", []) if row["kind"] != "switch"]
    # instants are numbered with them
    log = [{key: value for key, value in row.items() if key != "instant"} for row in log]
    return {**bits, "log": log, "events": names}


def same_bits(subject: Subject, other: Outcome, parts: tuple[str, ...] = ("t_end", "stopped_by", "observables", "final", "events", "log"),
              ) -> list[str]:
    """What differs in any bit."""
    if other.error:
        return ["fails: " + other.error]
    apart = []
    base, there = counted_events(subject.base.bits), counted_events(other.bits)
    for part in parts:
        a, b = base[part], there[part]
        if part == "observables":  # more of them may have been added
            b = {k: v for k, v in b.items() if k in a}
        if json.dumps(a) != json.dumps(b):
            apart.append(f"{part}: {first_difference(a, b)}")
    if subject.base.passed and not other.passed:
        apart.append("certificate not passed")
    return apart


def first_difference(a: Any, b: Any, where: str = "") -> str:
    if isinstance(a, dict) and isinstance(b, dict):
        for key in {**a, **b}:
            if json.dumps(a.get(key)) != json.dumps(b.get(key)):
                return first_difference(a.get(key), b.get(key), f"{where}.{key}")
    if isinstance(a, list) and isinstance(b, list):
        for k, (x, y) in enumerate(zip(a, b)):
            if json.dumps(x) != json.dumps(y):
                return first_difference(x, y, f"{where}[{k}]")
        return f"{where}: {len(a)} entries and {len(b)}"
    return f"{where}: {a} and {b}"


def near(subject: Subject, other: Outcome, names: dict[str, str] | None = None, time: float = 1.0,
         shift: float = 0.0, counted: bool = True, loose: float = 1.0) -> list[str]:
    """What differs by more than is known of the motion. Times of the other are `time` t + `shift`;
    `names` says how its events are called here."""
    if other.error:
        return ["fails: " + other.error]
    base, apart = subject.base, []
    if other.stopped_by != base.stopped_by:
        apart.append(f"stopped by {base.stopped_by} and {other.stopped_by}")
    for name, value in base.values.items():
        there, tolerance = other.values.get(name), loose * subject.tolerance[name]
        if "count(" in str(subject.tree.get("observe", {}).get(name, "")):
            tolerance += abs(slight_ones(base) - slight_ones(other))  # they may come and go
        if value is None or there is None:
            if value is not there and math.isfinite(tolerance):
                apart.append(f"{name}: {value} and {there}")
        elif not abs(value - there) <= tolerance:
            apart.append(f"{name}: {value:.15g} and {there:.15g}, apart by {abs(value - there):.2g}, known to {tolerance:.2g}")
    back = {new: old for old, new in (names or {}).items()}

    def here(event: Event) -> Event:
        kind, _, name = event.which.partition(" ")
        return Event((event.t - shift) / time, f"{kind} {back.get(name, name)}", event.weight)

    # where impulses are not unique, who takes part in an impact is not either
    if counted and base.unique and other.unique:
        apart += event_differences(subject, [here(e) for e in other.log])
    if base.passed and not other.passed:
        apart.append("certificate not passed")
    return apart


def slight_ones(outcome: Outcome) -> int:
    """Impacts that need no partner."""
    return sum(event.weight <= SLIGHT for event in outcome.log)


def event_differences(subject: Subject, log: list[Event]) -> list[str]:
    """Events one by one; those of one instant may be listed in any order. Impacts that are slight beside the hardest
    need no partner, but may be one."""
    base, known = subject.base.log, subject.log_tolerance
    if known is None:
        counts = collections.Counter(e.which for e in log if e.weight > SLIGHT)
        return [f"{which}: {subject.base.counts.get(which, 0)} times and {counts[which]}" for which in {**subject.base.counts, **counts}
                if abs(subject.base.counts.get(which, 0) - counts[which]) > subject.count_tolerance.get(which, 0.0)]
    heavy = [e for e in base if e.weight > SLIGHT]
    largest = max(known, default=0.0)
    for event, tolerance in zip(heavy, known):
        if not has_partner(event, log, tolerance):
            return [f"{event.which} at {event.t:.15g} (known to {tolerance:.2g}, weight {event.weight:.2g}) is missing there"]
    for event in log:
        if event.weight > 2 * SLIGHT and not has_partner(event, base, largest):
            return [f"{event.which} at {event.t:.15g} (weight {event.weight:.2g}) is missing here"]
    return []


def has_partner(event: Event, log: list[Event], tolerance: float) -> bool:
    """Whether a log, which is in the order of time, has this event too."""
    first = bisect.bisect_left(log, event.t - tolerance, key=lambda e: e.t)
    for k in range(first, len(log)):
        other = log[k]
        if other.t > event.t + tolerance:
            return False
        if other.which == event.which:
            return True
    return False
