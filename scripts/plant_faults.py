#!/usr/bin/python3
"""Plants the faults of tests/faults/faults.txt one at a time and asks who notices: the certificate, `converge`, or a
test that transforms scenarios (tests/invariance).

usage: plant_faults.py [--pack DIR] [--only REGEX] [--invariance]   in the root of the tree, after `mutate.py pack DIR`

A fault is one text in one file replaced by another; where the text is not there exactly once the fault must be
written anew, and the script fails. So it does when nobody notices a fault, or when the unchanged library fails.
"""
import argparse
import math
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import mutate  # noqa: E402: the neighbour

TABLE = "tests/faults/faults.txt"
ENOUGH = 3  # scenarios whose certificates fail: others need not be asked
LEAST_DIGITS = 3.0  # that `converge` must lose to count as noticing
# short ones in which everything happens that can go wrong; and all of tests/faults
SCENARIOS = ("ball_on_table", "belt_block", "bouncing_ball", "cradle_3", "disc_ball_case6", "frictional_impact_oscillator",
             "four_bar", "pendulum_stop", "rocking_block", "rod_two_ends", "slider_crank_stop", "three_balls",
             "three_contacts", "wiper", "woodpecker")


def read_faults():
    with open(TABLE, encoding="utf-8") as file:
        blocks = [b for b in re.split(r"\n\s*\n", file.read()) if not b.startswith("#")]
    faults = []
    for block in blocks:
        head, path, old, new = block.strip("\n").split("\n")
        name, _, what = head.partition(": ")
        faults.append({"name": name, "what": what, "file": path.partition(" ")[2], "old": old.partition(" ")[2],
                       "new": new.partition(" ")[2]})
    return faults


def plant(fault):
    with open(fault["file"], encoding="utf-8") as file:
        text = file.read()
    if text.count(fault["old"]) != 1:
        raise SystemExit(f"plant_faults: {fault['name']}: '{fault['old']}' stands {text.count(fault['old'])} times in "
                         f"{fault['file']}; write the fault anew in {TABLE}")
    return text.replace(fault["old"], fault["new"])


class Plot:
    """What the mutants' worker asks of its campaign."""

    def __init__(self, pack, scratch):
        self.pack, self.scratch = os.path.abspath(pack), scratch
        packed = mutate.read_pack(self.pack)
        self.sources, self.tests, self.soname = packed["sources"], packed["tests"], packed["soname"]


def watch(worker, scenarios, plain=None):
    """What certificate and convergence say of each scenario, by name; beside `plain` until enough notice."""
    env = dict(os.environ, LD_LIBRARY_PATH=f"{worker.folder}/lib:{worker.campaign.pack}/libs")
    seen = {}
    for scenario in scenarios:
        command = ["sh", "-c", 'ulimit -v 8000000; ulimit -c 0; ulimit -t 10; exec "$0" "$@"',
                   f"{worker.campaign.pack}/tests/fault_watch", scenario]
        try:
            out = subprocess.run(command, check=False, capture_output=True, text=True, env=env, timeout=300).stdout.split()
        except subprocess.TimeoutExpired:
            out = []
        name = os.path.basename(scenario)
        seen[name] = (out[1], float(out[2]), float(out[3])) if len(out) == 4 else ("crash", -1.0, math.nan)
        if plain and len(noticed(plain, seen)[0]) >= ENOUGH:
            break
    return seen


def noticed(plain, faulty):
    """Scenarios whose certificate fails or whose run ends with an error, and those of which `converge` holds less."""
    certificate = [n for n, (said, _, _) in faulty.items() if said != "passed" and plain[n][0] == "passed"]
    converge = [n for n, (_, digits, _) in faulty.items() if plain[n][1] - digits >= LEAST_DIGITS]
    return certificate, converge


def pair_differs(seen):
    """Whether a contact written twice, with half the stiffness each, gives another motion than once."""
    if "pair_once.yaml" not in seen or "pair_twice.yaml" not in seen:
        return []
    once, twice = seen["pair_once.yaml"][2], seen["pair_twice.yaml"][2]
    return [] if abs(once - twice) <= 1e-6 * abs(once) else ["pair_twice"]


def invariance_notices(worker, seen):
    return pair_differs(seen) + [name for name, test in worker.campaign.tests.items()
            if test["room"] == "invariance" and worker.test(name, 120)[0]]


def shown(names):
    return f"{len(names)} ({names[0].replace('.yaml', '')})" if names else "-"


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--pack", default="build-mutate/pack")
    parser.add_argument("--only", default="")
    parser.add_argument("--invariance", action="store_true", help="ask those tests even where others have noticed")
    options = parser.parse_args()
    faults = [f for f in read_faults() if re.search(options.only, f["name"])]
    scenarios = [f"tests/faults/{name}" for name in sorted(os.listdir("tests/faults")) if name.endswith(".yaml")]
    scenarios += [f"scenarios/{name}.yaml" for name in SCENARIOS]
    missed = []
    with tempfile.TemporaryDirectory(prefix="carom-faults-") as scratch:
        worker = mutate.Worker(Plot(options.pack, scratch), 0)
        if not worker.link():
            raise SystemExit("plant_faults: the library cannot be linked")
        plain = watch(worker, scenarios)
        for name, (said, _, _) in plain.items():
            if said != "passed":
                raise SystemExit(f"plant_faults: without any fault {name}: {said}")
        if pair_differs(plain):
            raise SystemExit("plant_faults: without any fault a contact written twice changes the motion")
        print(f"{'fault':40} {'certificate':34} {'converge':34} invariance", flush=True)
        for fault in faults:
            changed = f"{worker.folder}/fault.o"
            if not worker.compile(fault["file"], plant(fault), changed) or not worker.link({fault["file"]: changed}):
                raise SystemExit(f"plant_faults: {fault['name']}: what is planted is no program")
            seen = watch(worker, scenarios, plain)
            certificate, converge = noticed(plain, seen)
            asked = options.invariance or not (certificate or converge)
            invariance = invariance_notices(worker, seen) if asked else []
            if not certificate and not converge and not invariance:
                missed.append(fault["name"])
            print(f"{fault['name']:40} {shown(certificate):34} {shown(converge):34} "
                  f"{shown(invariance) if asked else 'not asked'}", flush=True)
    print(f"{len(faults) - len(missed)} of {len(faults)} faults are noticed")
    for name in missed:
        print(f"nobody notices: {name}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
