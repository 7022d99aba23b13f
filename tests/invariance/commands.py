# SPDX-License-Identifier: MIT
"""Transformations of what is asked for: outputs, observers, pieces of a run."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import time

import program as programs
import scenario
from scenario import Tree, clone
from table import Case, NotApplicable, transformation

ALL = ("hybrid", "field", "grains", "stepping")


# --------------------------------------------------------------------------- what is looked at


def places(tree: Tree) -> list[str]:
    """Names of what moves."""
    held = ("plane", "cup", "fixed", "moved")
    bodies = [f"{name}.x" for name, body in tree.get("bodies", {}).items() if not any(key in body for key in held)]
    return list(tree.get("coordinates", {})) or list(tree.get("states", {})) or bodies or ["y"]


@transformation("observables added", ("hybrid", "field", "stepping"))
def observables(case: Case) -> list[str]:
    """Observables of every kind, with kinks that the motion meets."""
    tree = clone(case.tree)
    seen = places(tree)
    rate = bool(tree.get("coordinates") or tree.get("bodies")) or tree.get("engine") == "field"
    x = case.random.choice(seen)
    v = x + "'" if rate else x
    tree.setdefault("observe", {}).update({
        "added_amplitude": f"max(abs({x}))", "added_low": f"min({x})", "added_sign": f"mean(sign({v}))",
        "added_part": f"mean(if({x} > 0.1, 1, 0))", "added_rate": f"mean_rate({x})", "added_now": f"max({v}, 0)",
        "added_last": f"last(max({x}, {v}))"})
    if case.subject.engine == "hybrid":
        for name in [n for n, contact in tree.get("contacts", {}).items() if "between" not in contact]:
            tree["observe"].update({f"added_n_{name}": f"max({name}.normal)", f"added_g_{name}": f"min({name}.gap)"})
    return case.same_bits(case.run(tree))


@transformation("sections added", ("hybrid", "field"))
def sections(case: Case) -> list[str]:
    tree = clone(case.tree)
    x = case.random.choice(places(tree))
    tree.setdefault("sections", {}).update({"added_zero": {"when": x}, "added_above": {"when": f"{x} > 0.01"},
                                            "added_beat": {"when": "sin(7*t)"}})
    outcome = case.run(tree)
    return without_sections(case, outcome)


def without_sections(case: Case, outcome: programs.Outcome) -> list[str]:
    """All bits but those of the added sections themselves."""
    if not outcome.error:
        outcome.bits["log"] = [row for row in outcome.bits["log"] or [] if not row["name"].startswith("added_")]
        names = outcome.bits["events"].get("by_name", [])
        outcome.bits["events"]["by_name"] = [row for row in names if not row["name"].startswith("added_")]
    return case.same_bits(outcome)


def in_space(shape: scenario.Tree) -> bool:
    return bool({"sphere", "ellipsoid", "box", "cylinder"} & set(shape)) or len((shape.get("segment") or [[]])[0]) == 3


@transformation("shapes added")
def shapes(case: Case) -> list[str]:
    tree = clone(case.tree)
    name = case.random.choice(places(tree))
    shapes = list(tree.get("shapes", []))
    if any(in_space(shape) for shape in shapes):
        more = [{"sphere": [name, "0", "0"], "radius": "0.1"}, {"segment": [["0", "0", "0"], [name, "1", "0"]]}]
    else:
        more = [{"circle": [name, "0"], "radius": "0.1"}, {"segment": [["0", "0"], [name, "1"]]}]
    tree["shapes"] = shapes + more
    return case.same_bits(case.run(tree))


@transformation("sampled otherwise", ("hybrid", "field", "stepping"))
def sampled(case: Case) -> list[str]:
    tree = clone(case.tree)
    start, until = scenario.run_times(tree)
    tree["run"]["sample"] = repr((until - start) / case.random.choice((7, 333, 1000.5)))
    return case.same_bits(case.run(tree))


@transformation("recorded", ALL)
def recorded(case: Case) -> list[str]:
    """An HDF5 file and tables are written beside."""
    folder = case.program.folder
    words = ["--out", str(folder / (case.stem + ".h5")), "--csv", str(folder / (case.stem + "-tables"))]
    outcome = case.program.run(case.subject.path, *words)
    (folder / (case.stem + ".h5")).unlink(missing_ok=True)
    shutil.rmtree(folder / (case.stem + "-tables"), ignore_errors=True)
    return case.same_bits(outcome)


@transformation("without events", ALL)
def without_events(case: Case) -> list[str]:
    """Nothing is listed."""
    outcome = programs.outcome_of(case.program.json("run", str(case.subject.path)))
    outcome.bits["log"] = case.subject.base.bits["log"]
    return case.same_bits(outcome)


@transformation("threads added", ("grains",))
def threads(case: Case) -> list[str]:
    tree = clone(case.tree)
    tree["run"]["threads"] = "2"
    return case.same_bits(case.run(tree))


@transformation("one point of a sweep", ("hybrid", "field", "stepping"))
def swept(case: Case) -> list[str]:
    """A row of a sweep over a parameter, by two threads, beside the single run."""
    parameters = case.tree.get("parameters", {})
    plain = [n for n, v in parameters.items() if v.replace(".", "").isdigit()]
    case.need(plain, "has no parameter that is a plain number")
    name = case.random.choice(plain)
    table = case.program.folder / (case.stem + ".csv")
    value = parameters[name]
    case.program.json("sweep", str(case.subject.path), "--over", f"{name}={value},{value},{value}", "--threads", "2", "--csv", str(table))
    if not table.exists():
        return ["the sweep wrote no table"]
    lines = [line.split(",") for line in table.read_text().splitlines() if not line.startswith("#")]
    table.unlink()
    apart = []
    for row in lines[1:]:
        told = dict(zip(lines[0], row))
        for key, there in case.subject.base.values.items():
            if there is not None and key in told and float(told[key] or "nan") != there:
                apart.append(f"{key}: {there!r} and {told[key]} in the sweep")
    if len(lines) != 4:
        apart.append(f"{len(lines) - 1} rows of 3")
    return apart[:3]


# ------------------------------------------------------------------------------ run in pieces


def moments(case: Case, count: int) -> list[float]:
    start, _ = scenario.run_times(case.tree)
    until = case.subject.base.t_end
    return sorted(case.random.uniform(start, until) for _ in range(count))


@transformation("split by --until and --from", ALL)
def split(case: Case) -> list[str]:
    """Saved at two random times and gone on with. Steps end at these times, so that bits may differ where steps are chosen."""
    state = str(case.program.folder / (case.stem + ".state"))
    path = str(case.subject.path)
    words: list[str] = []
    for t in whole_steps(case, moments(case, 2)):
        told = case.program.json("run", path, *words, "--until", repr(t), "--save", state)
        if "error" in told:
            return ["fails: " + str(told["error"].get("text"))]
        words = ["--from", state]
    outcome = case.program.run(case.subject.path, *words)
    if case.subject.engine in programs.STEPS:
        # a mean over a run in parts holds one more look, that at the end of each part
        return programs.same_bits(case.subject, outcome, ("t_end", "final"))
    # the log is of the last piece alone; observables are of the whole
    return case.near(outcome, counted=False)


def whole_steps(case: Case, times: list[float]) -> list[float]:
    """A bed takes equal steps: ended between two of them it would take another one."""
    if case.subject.engine not in programs.STEPS:
        return times
    start, step = scenario.run_times(case.tree)[0], scenario.number(case.tree, case.tree["run"]["step"])
    return [start + step * round((t - start) / step) for t in times]


@transformation("ended and gone on with at the end of a save", ALL)
def saved(case: Case) -> list[str]:
    """Saving changes no bit; a state saved at the end, run on to the same end, is the same."""
    state = str(case.program.folder / (case.stem + ".state"))
    apart = case.same_bits(case.program.run(case.subject.path, "--save", state))
    if apart:
        return apart
    outcome = case.program.run(case.subject.path, "--from", state)
    if outcome.error:
        return ["fails: " + outcome.error]
    base = case.subject.base.bits
    return [f"{k}: {programs.first_difference(base[k], outcome.bits[k])}" for k in ("t_end", "observables", "final")
            if json.dumps(base[k]) != json.dumps(outcome.bits[k])]


@transformation("Ctrl-C and resumed", ALL)
def interrupted(case: Case) -> list[str]:
    """Stopped by SIGINT at a random moment, gone on with from what was saved: the same bits."""
    state = case.program.folder / (case.stem + ".state")
    state.unlink(missing_ok=True)
    words = [case.program.path, "run", str(case.subject.path), "--json", "--quiet", "--save", str(state)]
    began = time.monotonic()
    subprocess.run(words, capture_output=True, timeout=programs.LIMIT_S)
    lasted = time.monotonic() - began
    state.unlink(missing_ok=True)
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    time.sleep(case.random.uniform(0.2, 1.0) * lasted)
    process.send_signal(signal.SIGINT)
    try:
        _, err = process.communicate(timeout=programs.LIMIT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return ["Ctrl-C was not heard"]
    if process.returncode not in (0, 1, 3, -signal.SIGINT, 130):
        return [f"exit {process.returncode} after Ctrl-C: {err.strip()}"]
    if not state.exists():
        raise NotApplicable("stopped before anything was saved")
    outcome = case.program.run(case.subject.path, "--from", str(state))
    if outcome.error:
        return ["fails: " + outcome.error]
    base = case.subject.base.bits
    return [f"{k}: {programs.first_difference(base[k], outcome.bits[k])}" for k in ("t_end", "stopped_by", "observables", "final")
            if json.dumps(base[k]) != json.dumps(outcome.bits[k])]


def started_at(tree: Tree, t: float, final: dict[str, float]) -> Tree:
    """The scenario begun at another time from another state."""
    result = clone(tree)
    result["run"]["start"] = repr(t)
    for name in result.get("coordinates", {}):
        result["coordinates"][name] = {"start": repr(final[name])}
        if name + "'" in final:  # else its rate follows from speeds
            result["coordinates"][name]["rate"] = repr(final[name + "'"])
    for name in result.get("states", {}):
        result["states"][name] = scenario.in_full(result["states"][name]) | {"start": repr(final[name])}
    for name in result.get("speeds", {}):
        result["speeds"][name] = repr(final[name])
    return result


@transformation("begun in the middle of another run")
def begun_in_the_middle(case: Case) -> list[str]:
    """Only numbers are handed on: which contacts are closed is found again. Bodies begin where they are written, at another time."""
    moved = any("moved" in body for body in case.tree.get("bodies", {}).values())
    case.need(not (moved and case.tree.get("joints")), "has joints with a body that is elsewhere at another time")
    t = moments(case, 1)[0]
    first = case.run(programs.cut(case.tree, t))
    if first.error:
        return ["fails: " + first.error]
    tree = started_at(case.tree, t, first.bits["final"])
    tree.pop("measure", None)
    outcome = case.run(tree, part="-on")
    # what is observed over the whole run is not seen by its second part
    outcome.values = {n: v if n.startswith(programs.END) else case.subject.base.values[n] for n, v in outcome.values.items()}
    return case.near(outcome, counted=False)


@transformation("backwards in time")
def backwards(case: Case) -> list[str]:
    """Where nothing is lost and contacts strike one at a time, the way back leads to the start."""
    case.need("speeds" not in case.tree and "bodies" not in case.tree, "has speeds of its own, or bodies")
    tree, base = case.tree, case.subject.base
    case.need(not tree.get("states") and "events" not in tree and "stop" not in tree, "has states, events or stops")
    case.need("assemble" not in tree["run"], "is brought to its start")
    case.need("dissipation" not in tree.get("energy", {}) and not any("'" in f for f in tree.get("forces", {}).values()), "is damped")
    latches = [c for c in tree.get("constraints", {}).values() if isinstance(c, dict) and "when" in c]
    case.need(not latches, "loses energy where a constraint appears")
    contacts = tree.get("contacts", {}).values()
    case.need(not any("friction" in c or "tangential" in c for c in contacts), "has friction")
    case.need(all(restitution(tree, c) == 1.0 for c in contacts), "loses energy in impacts")
    struck = [e.t for e in base.log if e.which.startswith("impact ")]
    case.need(len(struck) == len(set(struck)), "strikes several contacts at once")
    final, start = base.bits["final"], scenario.run_times(tree)[0]
    end = base.t_end
    # q(t) becomes q(start + end - t): rates of the other sign, and a drive that runs backwards
    back = started_at(tree, start, {n: -v if n.endswith("'") else v for n, v in final.items()})
    back = scenario.rewrite(back, lambda n, p: f"({start + end!r} - t)" if n == "t" else (f"(-{n}{p})" if p else None),
                            leave=("parameters", "coordinates", "run", "measure"))
    back["run"].update(start=repr(start), until=repr(end))
    outcome = case.run(back)
    if outcome.error:
        return ["fails: " + outcome.error]
    apart = []
    for name, entry in tree["coordinates"].items():
        at, rate = (scenario.number(tree, text) for text in scenario.start_and_rate(entry))
        for key, begun, now in ((name, at, outcome.bits["final"][name]), (name + "'", rate, -outcome.bits["final"][name + "'"])):
            probe = (programs.END_RATE if key.endswith("'") else programs.END) + name
            # errors of the way there and of the way back, each grown over the other
            tolerance = 100 * case.subject.tolerance[probe]
            if abs(begun - now) > tolerance:
                apart.append(f"{key} was {begun:.12g}, comes back as {now:.12g}, known to {tolerance:.2g}")
    return apart


def restitution(tree: Tree, contact: dict) -> float:
    impact = contact.get("impact", "0")
    return scenario.number(tree, impact.get("e", "0") if isinstance(impact, dict) else impact)
