#!/usr/bin/env python3
"""Attacks the program from outside, by chance: damaged files, mutated inputs, kills, failing memory.

usage: scripts/attack.py KIND [--carom build/carom] [--count N] [--seed S] [--jobs J] [--keep DIR]

KIND  mutate  mutated scenarios, run and checked: no signal, no hang, no half-written output
      damage  recorded files, tables, saved states and journals with bytes changed, cut, swapped
      kill    runs and sweeps killed at random moments and taken up again: the same bytes in the end
      memory  the n-th allocation fails, for many n, in commands that write and read HDF5

Every case has a number; --seed and the number give it again. Ends with a line of counts, exit 1 where one is bad.
"""
import argparse, concurrent.futures, os, random, shutil, signal, subprocess, sys, tempfile, time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LIMIT = 60.0  # [s] for one case: longer is a hang
SANE = {0, 1, 2, 3}  # exit codes


def run(words, folder, limit=LIMIT, extra=None, term=None):
    """(exit code, stderr); a negative code is a signal, None a hang. term: SIGTERM after so many seconds."""
    env = dict(os.environ, **(extra or {}))
    process = subprocess.Popen(words, cwd=folder, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        if term is not None:
            try:
                process.wait(term)
            except subprocess.TimeoutExpired:
                process.terminate()
        said = process.communicate(timeout=limit)[1]
        return process.returncode, said.decode(errors="replace")
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return None, "hangs"


def verdict(code, said):
    if code is None:
        return "hang"
    if code < 0 or code > 128 or code not in SANE:
        return f"signal or odd exit {code}"
    if "was ended by signal" in said:
        return "caught"
    if "Sanitizer" in said or "runtime error:" in said:
        return "sanitizer"
    return "fine"


# ---- mutated scenarios ----

def corpus():
    folders = [os.path.join(ROOT, "scenarios"), os.path.join(ROOT, "tests", "fuzz", "scenario")]
    texts = []
    for folder in folders:
        for name in sorted(os.listdir(folder)):
            path = os.path.join(folder, name)
            if os.path.isfile(path) and os.path.getsize(path) < 20000:
                texts.append(open(path, "rb").read())
    return texts


TOKENS = [b"1e308", b"-1e308", b"1e-308", b"0", b"-1", b"nan", b"inf", b"'", b"\"", b"{", b"}", b"[", b"]", b":", b"#", b"\n", b"  ", b"*", b"/0",
          b"sqrt(-1)", b"log(0)", b"sin(", b"^1e9", b"t", b"x'", b"if(t > 1, 1, 0)", b"1e999", b"!!binary a", b"&a [*a]", b"99999999999999999999", b"\x00", b"\xff",
          b"accumulation", b"run", b"until", b"deg", b"abs(", b"0.0000001"]


def change(rng, text, others):
    text = bytearray(text)
    for _ in range(rng.randint(1, 6)):
        at = rng.randrange(len(text) + 1)
        what = rng.randrange(7)
        if what == 0 and at < len(text):
            text[at] = rng.randrange(256)
        elif what == 1:
            text[at:at] = rng.choice(TOKENS)
        elif what == 2:
            del text[at:at + rng.randint(1, 40)]
        elif what == 3:
            lines = bytes(text).split(b"\n")
            rng.shuffle(lines) if len(lines) < 6 else lines.insert(rng.randrange(len(lines)), rng.choice(lines))
            text = bytearray(b"\n".join(lines))
        elif what == 4:  # a number becomes another
            spots = [k for k, c in enumerate(text) if 48 <= c <= 57]
            if spots:
                k = rng.choice(spots)
                text[k:k + 1] = rng.choice([b"0", b"9", b"-1", b"1e9", b"1e-9", b"7.5", b"100"])
        elif what == 5:
            other = rng.choice(others)
            begin = rng.randrange(len(other) + 1)
            text[at:at] = other[begin:begin + rng.randint(1, 80)]
        else:
            text = text[:at] if rng.random() < 0.2 else text
    return bytes(text)


def mutate(case):
    rng, folder, carom = case["rng"], case["folder"], case["carom"]
    texts = corpus()
    name = os.path.join(folder, "mutant.yaml")
    with open(name, "wb") as out:
        out.write(change(rng, rng.choice(texts), texts))
    said_before = open(name, "rb").read()
    words = rng.choice([["check"], ["derive"], ["run", "--until", "2", "--out", "m.h5", "--save", "m.state"], ["run", "--until", "1", "--csv", "tables"],
                        ["run", "--set", "run.until=0.5", "--json"], ["equilibrium"], ["run", "--until", "3", "--events"]])
    code, said = run([carom, words[0], "mutant.yaml", *words[1:]], folder, term=case["patience"])
    found = verdict(code, said)
    if open(name, "rb").read() != said_before:
        found = "input changed"
    left = [f for f in os.listdir(folder) if ".tmp-" in f]
    if left and "interrupted in the middle" not in said:
        found = f"half-written {left}"
    if found == "fine" and os.path.exists(os.path.join(folder, "m.h5")):
        code, said = run([carom, "info", "m.h5"], folder)
        found = "fine" if code == 0 else f"half-written m.h5: {said[:200]}"
    return found


# ---- damaged files ----

def spoil(rng, data):
    data = bytearray(data)
    what = rng.randrange(6)
    at = rng.randrange(len(data)) if rng.random() < 0.6 else rng.randrange(min(4096, len(data)))
    if what == 0:
        data[at] ^= 1 << rng.randrange(8)
    elif what == 1:
        for _ in range(rng.randint(1, 30)):
            data[rng.randrange(len(data))] = rng.randrange(256)
    elif what == 2:
        del data[at:]
    elif what == 3:
        del data[at:at + rng.randint(1, 600)]
    elif what == 4:
        data[at:at + 8] = rng.choice([b"\xff" * 8, b"\x00" * 8, bytes(range(8))])
    else:
        other = rng.randrange(len(data))
        data[at:at + 64], data[other:other + 64] = data[other:other + 64], data[at:at + 64]
    return bytes(data)


def make_victims(carom, folder):
    scenario = os.path.join(ROOT, "scenarios", "frictional_impact_oscillator.yaml")
    shutil.copy(scenario, os.path.join(folder, "s.yaml"))
    short = ["--set", "run.until=6", "--set", "measure.after=3"]
    subprocess.run([carom, "run", "s.yaml", *short, "--out", "r.h5", "--save", "r.state", "--quiet"], cwd=folder, check=True)
    subprocess.run([carom, "sweep", "s.yaml", *short, "--over", "mu=0.3:0.7:5", "--out", "t.h5", "--quiet"], cwd=folder, check=True)
    subprocess.run([carom, "sweep", "s.yaml", *short, "--over", "mu=0.3:0.7:5", "--csv", "j.csv", "--part", "1/1", "--quiet"], cwd=folder, check=True)
    return short


def damage(case):
    rng, folder, carom = case["rng"], case["folder"], case["carom"]
    for name in os.listdir(case["victims"]):
        shutil.copy(os.path.join(case["victims"], name), folder)
    victim = rng.choice(["r.h5", "r.h5", "t.h5", "t.h5", "r.state", "j.csv.part-1-of-1"])
    path = os.path.join(folder, victim)
    whole = open(path, "rb").read()
    spoilt = spoil(rng, whole)
    if spoilt == whole:
        return "fine"
    open(path, "wb").write(spoilt)
    if victim == "r.state":
        words = ["run", "s.yaml", *case["short"], "--from", "r.state", "--quiet"]
    elif victim.startswith("j.csv"):
        words = rng.choice([["merge", victim, "--csv", "j.csv"], ["sweep", "s.yaml", *case["short"], "--over", "mu=0.3:0.7:5", "--csv", "j.csv", "--resume", "--quiet"]])
    elif victim == "r.h5":
        words = rng.choice([["info", "r.h5", "--json"], ["plot", "r.h5", "-o", "p.svg"], ["report", "r.h5", "-o", "p.html"], ["diff", "r.h5", "r.h5"],
                            ["movie", "r.h5", "-o", "p.gif", "--seconds", "0.2"], ["plot", "r.h5", "energy"]])
    else:
        words = rng.choice([["info", "t.h5"], ["plot", "t.h5", "-o", "p.svg"], ["diff", "t.h5", "t.h5"]])
    code, said = run([carom, *words], folder)
    found = verdict(code, said)
    if found == "fine" and victim.endswith(".h5") and code == 0:
        found = "accepted"
    if found == "fine" and victim == "r.state" and code == 0:
        found = "accepted"
    if any(os.path.exists(os.path.join(folder, f)) for f in ("p.svg", "p.html", "p.gif")) and code != 0:
        found = "half-written picture"
    if [f for f in os.listdir(folder) if ".tmp-" in f]:
        found = "temporary file left"
    return found


# ---- kills ----

# a run, told to stop or killed and gone on with from its saved state; which scenario, and with which settings
RUNS = [("frictional_impact_oscillator.yaml", ["--set", "run.until=300", "--set", "measure.after=150"]), ("rods_pile.yaml", ["--set", "N=200", "--until", "0.01"]),
        ("field_block.yaml", ["--until", "3"])]


def kill_run(case, which):
    rng, folder, carom = case["rng"], case["folder"], case["carom"]
    name, settings = RUNS[which]
    words = [carom, "run", os.path.join(ROOT, "scenarios", name), *settings, "--quiet"]
    began = time.monotonic()
    subprocess.run(words + ["--save", "whole"], cwd=folder, check=True)
    takes, start, kills = time.monotonic() - began, [], 0
    part = os.path.join(folder, "part")
    for k in range(40):
        process = subprocess.Popen(words + start + ["--save", "part"], cwd=folder, stderr=subprocess.DEVNULL)
        try:
            process.wait(LIMIT if k == 39 else rng.uniform(0.0, takes))
            break
        except subprocess.TimeoutExpired:
            process.send_signal(rng.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGINT]))
            process.wait()
            kills += 1
            start = ["--from", "part"] if os.path.exists(part) else []
    case["kills"].append(kills)
    same = os.path.exists(part) and open(part, "rb").read() == open(os.path.join(folder, "whole"), "rb").read()
    return "fine" if same else f"other bytes: {name}"


def kill(case):
    rng, folder, carom = case["rng"], case["folder"], case["carom"]
    if case["number"] % 2 == 1:
        return kill_run(case, rng.randrange(len(RUNS)))
    shutil.copy(os.path.join(case["victims"], "s.yaml"), folder)
    sweep = [carom, "sweep", "s.yaml", *case["long"], "--csv", "k.csv", "--quiet", "--threads", str(rng.randint(1, 3))]
    kills = 0
    for _ in range(40):
        process = subprocess.Popen(sweep + (["--resume"] if kills else []), cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            process.wait(rng.uniform(0.0, 1.2 * case["takes"]))
            break
        except subprocess.TimeoutExpired:
            process.send_signal(rng.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT]))
            process.wait()
            kills += 1
    else:
        subprocess.run(sweep + ["--resume"], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    case["kills"].append(kills)
    if not os.path.exists(os.path.join(folder, "k.csv")):
        return "no table"
    same = open(os.path.join(folder, "k.csv"), "rb").read() == case["table"]
    return "fine" if same else "other bytes"


# ---- failing memory ----

def memory(case):
    folder, carom, k = case["folder"], case["carom"], case["number"]
    for name in ("s.yaml", "r.h5", "t.h5"):
        shutil.copy(os.path.join(case["victims"], name), folder)
    commands = [["run", "s.yaml", *case["short"], "--out", "m.h5", "--quiet"], ["info", "r.h5"], ["diff", "r.h5", "r.h5"], ["plot", "t.h5", "-o", "p.svg"],
                ["report", "r.h5", "-o", "p.html"], ["run", "s.yaml", *case["short"], "--quiet"], ["sweep", "s.yaml", *case["short"], "--over", "mu=0.3,0.4", "--threads", "1", "--out", "m.h5", "--quiet"]]
    words = commands[k % len(commands)]
    rng = case["rng"]
    at = rng.choice([rng.randint(1, 300), rng.randint(1, 3000), rng.randint(1, 30000)])
    extra = {"LD_PRELOAD": case["preload"], "FAIL_AT": str(at)}
    if rng.random() < 0.3:
        extra["FAIL_ON"] = "1"
    code, said = run([carom, *words], folder, extra=extra)
    found = verdict(code, said)
    if found == "caught":
        found = "fine"  # an error of the program, from the outside
        case["caught"].append(1)
    made = os.path.join(folder, "m.h5")
    if found == "fine" and os.path.exists(made) and run([carom, "info", "m.h5"], folder)[0] != 0:
        found = "half-written m.h5"
    return found if found == "fine" else f"{found}: FAIL_AT={at} carom {' '.join(words)}"


KINDS = {"mutate": mutate, "damage": damage, "kill": kill, "memory": memory}


def prepare(options, base):
    shared = {"carom": options.carom, "patience": options.patience, "kills": [], "caught": []}
    if options.kind == "mutate":
        return shared
    victims = os.path.join(base, "victims")
    os.mkdir(victims)
    shared["victims"] = victims
    shared["short"] = make_victims(options.carom, victims)
    if options.kind == "kill":
        shared["long"] = ["--set", "run.until=40", "--set", "measure.after=20", "--over", "mu=0.3:0.7:24"]
        began = time.monotonic()
        subprocess.run([options.carom, "sweep", "s.yaml", *shared["long"], "--csv", "k.csv", "--quiet"], cwd=victims, check=True)
        shared["takes"] = time.monotonic() - began
        shared["table"] = open(os.path.join(victims, "k.csv"), "rb").read()
    if options.kind == "memory":
        shared["preload"] = os.path.join(base, "failing_malloc.so")
        source = os.path.join(ROOT, "tests", "cli", "failing_malloc.c")
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", shared["preload"], source, "-ldl"], check=True)
    return shared


def one(options, base, shared, number):
    folder = os.path.join(base, f"case{number}")
    os.mkdir(folder)
    case = dict(shared, rng=random.Random(options.seed * 1000003 + number), folder=folder, number=number)
    try:
        found = KINDS[options.kind](case)
    except Exception as trouble:  # a case that breaks the script is told, not lost
        found = f"script: {trouble!r}"
    if found != "fine" and options.keep:
        shutil.copytree(folder, os.path.join(options.keep, f"{options.kind}-{options.seed}-{number}"), dirs_exist_ok=True)
    shutil.rmtree(folder, ignore_errors=True)
    return found


def main():
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("kind", choices=KINDS)
    reader.add_argument("--carom", default=os.path.join(ROOT, "build", "carom"))
    reader.add_argument("--count", type=int, default=100)
    reader.add_argument("--first", type=int, default=0, help="number of the first case")
    reader.add_argument("--seed", type=int, default=1)
    reader.add_argument("--jobs", type=int, default=2)
    reader.add_argument("--patience", type=float, default=5.0, help="seconds after which a mutant is told to stop")
    reader.add_argument("--keep", help="folder for the cases that went wrong")
    options = reader.parse_args()
    options.carom = os.path.abspath(options.carom)
    counts, began = {}, time.monotonic()
    with tempfile.TemporaryDirectory(prefix="attack-") as base:
        shared = prepare(options, base)
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            numbers = range(options.first, options.first + options.count)
            for number, found in zip(numbers, pool.map(lambda k: one(options, base, shared, k), numbers)):
                counts["fine" if found == "fine" else "bad"] = counts.get("fine" if found == "fine" else "bad", 0) + 1
                if found != "fine":
                    print(f"case {number}: {found}", flush=True)
    more = f", {sum(shared['kills'])} kills" if options.kind == "kill" else ""
    more += f", {len(shared['caught'])} deaths of the child inside HDF5 told as errors" if options.kind == "memory" else ""
    print(f"{options.kind}: {counts.get('fine', 0)} fine, {counts.get('bad', 0)} bad{more}, {time.monotonic() - began:.0f} s, seed {options.seed}")
    sys.exit(1 if counts.get("bad") else 0)


main()
