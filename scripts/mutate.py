#!/usr/bin/python3
"""Changes one operator or number of the library at a time and asks the tests to notice.

usage: mutate.py pack DIR                 gathers what workers need from build-mutate/ (cmake --preset mutate), with
                                          the sources in DIR/tree: there `scripts/mutate.py run --pack ..` can run
       mutate.py run [--pack DIR] [--workers N] [--count N] [--seed S] [--seconds T] [--results DIR]
                     [--only REGEX]       runs in the root of the source tree; goes on where it was stopped
                     [--again FILE]       only those that survived in the results FILE, found again by their lines
       mutate.py show ID [--pack DIR]     the change a mutant makes, as a diff
       mutate.py report [--results DIR]   what the results say

A mutant is one source compiled anew and one shared library linked anew; the tests load that library. Tests that
cannot reach the source are left out (by the names their objects need), those of the mutated room come first, then the
quick ones and those that have killed most; the first failure ends it, and so does taking ten times the usual time.
A change that gives the same machine code counts as none. Needs gcc and the standard library of Python only.
"""
import argparse
import collections
import difflib
import hashlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOMS = ("hybrid", "impact", "contact", "model", "ode", "analysis")
BUILD = "build-mutate"
FLAGS = "-std=c17 -fPIC -fvisibility=default -fno-semantic-interposition -ffp-contract=off -fno-math-errno " \
        "-fno-trapping-math -DCAROM_ROOM_FIELD -DCAROM_ROOM_GRAINS -w".split()
MEMORY_KB, FILE_BLOCKS = 8_000_000, 400_000  # what one test may take: a mutant may ask for everything
QUICK = 2.0  # s: tests of the mutated room that take longer wait for the quick ones of the others

# --- where a source can be changed

TOKEN = re.compile(r"""
    (?P<skip>//[^\n]*|/\*.*?\*/|^[ \t]*\#(?:[^\n\\]|\\.|\\\n)*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
  | (?P<number>0[xX][0-9a-fA-F.]+(?:[pP][+-]?\d+)?[uUlLfF]*|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[uUlLfF]*)
  | (?P<name>[A-Za-z_]\w*)
  | (?P<operator><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[-+*/%<>=!&|^~?:;,.(){}\[\]])
""", re.VERBOSE | re.MULTILINE | re.DOTALL)

BINARY = {"+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"], "%": ["/"], "&&": ["||"], "||": ["&&"],
          "<": ["<=", ">="], ">": [">=", "<="], "<=": ["<", ">"], ">=": [">", "<"], "==": ["!="], "!=": ["=="],
          "+=": ["-="], "-=": ["+="], "*=": ["/="], "/=": ["*="]}
NAMES = {"fmin": ["fmax"], "fmax": ["fmin"], "fabs": [""], "true": ["false"], "false": ["true"]}


def other_numbers(text):
    """What a number is changed to."""
    if re.fullmatch(r"\d+[uUlL]*", text):
        value, suffix = int(re.match(r"\d+", text)[0]), re.sub(r"^\d+", "", text)
        return [f"{value + 1}{suffix}"] + ([f"{value - 1}{suffix}"] if value > 0 else [])
    if re.match(r"0[xX]", text):
        return []
    value = float(re.sub(r"[fFlL]$", "", text))
    return ["1.0"] if value == 0.0 else ["0.0", f"({text} * 2.0)", f"(-{text})"]


def changes(text, token, before):
    """The texts that may stand in place of a token; `before` is the token before it."""
    kind, old = token.lastgroup, token[0]
    if kind == "number":
        return other_numbers(old)
    if kind == "name":
        return NAMES.get(old, [])
    start, end = token.span()
    spaced = text[start - 1].isspace() and text[end].isspace()  # so are operators between two operands laid out
    if spaced:
        return BINARY.get(old, [])
    if old in "-!" and before not in (")", "]"):
        return [""]
    return []


def sites(path):
    """Every place of a source that can be changed: (position, old, [new...])."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    found, before = [], ""
    for token in TOKEN.finditer(text):
        if token.lastgroup == "skip":
            continue
        new = changes(text, token, before)
        if new:
            found.append((token.start(), token[0], new))
        before = token[0]
    return text, found


def all_mutants(seed, only):
    """Mutants of all rooms in the order of the seed; a mutant's name tells file, place and change."""
    mutants = []
    for room in ROOMS:
        for name in sorted(os.listdir(f"src/{room}")):
            path = f"src/{room}/{name}"
            if not name.endswith(".c") or (only and not re.search(only, path)):
                continue
            text, found = sites(path)
            for position, old, new in found:
                mutants.append((path, position, old, new))
    chooser = random.Random(seed)
    chooser.shuffle(mutants)
    for path, position, old, new in mutants:
        yield describe(path, position, old, chooser.choice(new))


def describe(path, position, old, new):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    line = text.count("\n", 0, position) + 1
    column = position - (text.rfind("\n", 0, position) + 1)
    return {"id": f"{path}:{line}:{column}:{old}:{new}", "file": path, "line": line, "column": column, "old": old,
            "new": new, "text": text.split("\n")[line - 1].strip()}


def survivors(results):
    """Those that survived then, where their lines stand now; a line that is gone, or not alone, is left out."""
    with open(results, encoding="utf-8") as file:
        records = [r for r in map(json.loads, file) if r["verdict"] == "survived"]
    for r in records:
        with open(r["file"], encoding="utf-8") as file:
            lines = file.read().split("\n")
        places = [k for k, line in enumerate(lines) if line.strip() == r["text"]]
        near = sorted(places, key=lambda k: abs(k + 1 - r["line"]))
        if not near:
            print(f"gone: {r['file']}:{r['line']} {r['text']}", flush=True)
            continue
        line = "\n".join(lines[:near[0]] + [""])
        yield describe(r["file"], len(line) + r["column"], r["old"], r["new"])


def mutated(mutant):
    with open(mutant["file"], encoding="utf-8") as file:
        lines = file.read().split("\n")
    row, column, old = mutant["line"] - 1, mutant["column"], mutant["old"]
    if lines[row][column:column + len(old)] != old:
        raise SystemExit(f"mutate: {mutant['id']}: the source is another one")
    lines[row] = lines[row][:column] + mutant["new"] + lines[row][column + len(old):]
    return "\n".join(lines)


# --- the folder that workers need

def object_name(source):
    return source.replace("/", "_")[:-2] + ".o"


def symbols(file):
    """Names that an object defines and names it needs."""
    out = subprocess.run(["nm", "-g", file], check=True, capture_output=True, text=True).stdout
    has, needs = set(), set()
    for line in out.splitlines():
        fields = line.split()
        if len(fields) >= 2:
            (needs if fields[-2] in "Uw" else has).add(fields[-1])
    return has, needs


def reached(needs, home, needed_by):
    """The objects that somebody who needs these names reaches, as a linker finds them in an archive."""
    seen, open_names = set(), list(needs)
    while open_names:
        source = home.get(open_names.pop())
        if source and source not in seen:
            seen.add(source)
            open_names.extend(needed_by[source])
    return sorted(seen)


def carried_libraries(binary, build):
    """The shared libraries of a test that the C library does not bring."""
    env = dict(os.environ, LD_LIBRARY_PATH=build)
    out = subprocess.run(["ldd", binary], check=True, capture_output=True, text=True, env=env).stdout
    found = re.findall(r"(\S+) => (/\S+)", out)
    own = re.compile(r"lib(c|m|pthread|dl|rt|gcc_s|carom)\.so|ld-linux")
    return [(name, path) for name, path in found if not own.match(name)]


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def pack(folder):
    shutil.rmtree(folder, ignore_errors=True)
    for part in ("objects", "tests", "libs"):
        os.makedirs(f"{folder}/{part}")
    shutil.copytree(f"{BUILD}/include", f"{folder}/include")
    home, needed_by, sources = {}, {}, {}
    base = f"{BUILD}/CMakeFiles/carom_objects.dir"
    for place, _, names in sorted(os.walk(f"{base}/src")):
        for name in sorted(n for n in names if n.endswith(".c.o")):
            source = os.path.relpath(f"{place}/{name}", base)[:-2]
            shutil.copy(f"{place}/{name}", f"{folder}/objects/{object_name(source)}")
            has, needs = symbols(f"{place}/{name}")
            needed_by[source] = needs
            home.update((symbol, source) for symbol in has)
            sources[source] = digest(source)
    listed = json.loads(subprocess.run(["ctest", "--test-dir", BUILD, "--show-only=json-v1"], check=True,
                                       capture_output=True, text=True).stdout)["tests"]
    tests, libraries = {}, {}
    for test in listed:
        command = test.get("command", [""])
        if os.path.basename(command[0]) != test["name"]:
            continue  # scripts
        if not os.path.exists(command[0]):
            print(f"not built, left out: {test['name']}")
            continue
        properties = {p["name"]: p["value"] for p in test["properties"]}
        binary = command[0]
        shutil.copy(binary, f"{folder}/tests/{test['name']}")
        subprocess.run(["strip", "--strip-debug", f"{folder}/tests/{test['name']}"], check=False)
        libraries.update(carried_libraries(binary, BUILD))
        tests[test["name"]] = {"room": properties["LABELS"][0], "timeout": properties["TIMEOUT"],
                               "arguments": [os.path.relpath(a) for a in command[1:]],
                               "reaches": reached(symbols(binary)[1], home, needed_by)}
    shutil.copy(f"{BUILD}/tests/fault_watch", f"{folder}/tests/")
    for name, path in libraries.items():
        shutil.copy(path, f"{folder}/libs/{name}")
    listed = subprocess.run(["git", "ls-files", "-z"], check=True, capture_output=True, text=True).stdout
    for name in filter(None, listed.split("\0")):
        os.makedirs(os.path.dirname(f"{folder}/tree/{name}"), exist_ok=True)
        shutil.copy(name, f"{folder}/tree/{name}")
    soname = re.search(r"SONAME.*\[(.*)\]", subprocess.run(["readelf", "-d", f"{BUILD}/libcarom.so"], check=True,
                                                           capture_output=True, text=True).stdout)[1]
    with open(f"{folder}/pack.json", "w", encoding="utf-8") as file:
        json.dump({"sources": sources, "tests": tests, "soname": soname}, file, indent=1)
    size = sum(os.path.getsize(f"{place}/{n}") for place, _, names in os.walk(folder) for n in names)
    print(f"{folder}: {len(sources)} objects, {len(tests)} tests, {size / 2**20:.1f} MiB")


# --- one worker

class Worker:
    """A library of its own, a folder of its own to run in, everything else shared."""

    def __init__(self, campaign, number):
        self.campaign = campaign
        self.folder = f"{campaign.scratch}/worker-{number}"
        os.makedirs(f"{self.folder}/lib")
        os.makedirs(f"{self.folder}/room")
        for name in os.listdir("."):  # tests run in what looks like the root of the tree
            if not name.startswith((".", "build")) and name != "out":
                os.symlink(os.path.abspath(name), f"{self.folder}/room/{name}")

    def compile(self, source, text, out, level="-O1"):
        """False when the compiler refuses the text."""
        path = f"{self.folder}/{os.path.basename(source)}"
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        command = ["gcc", level, *FLAGS, "-Iinclude", "-Isrc", f"-I{self.campaign.pack}/include", "-c", path, "-o", out]
        return subprocess.run(command, check=False, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL).returncode == 0

    def same_code(self, mutant, text, level):
        """Whether the change leaves the machine code as it is."""
        with open(mutant["file"], encoding="utf-8") as file:
            original = file.read()
        pair = [f"{self.folder}/{which}.o" for which in ("plain", "changed")]
        done = [self.compile(mutant["file"], t, out, level) for t, out in zip((original, text), pair)]
        return all(done) and digest(pair[0]) == digest(pair[1])

    def link(self, source=None, changed=None):
        """False where the linker fails."""
        soname, pack_folder = self.campaign.soname, self.campaign.pack
        files = [f"{pack_folder}/objects/{object_name(s)}" for s in self.campaign.sources if s != source]
        libs = [f"{pack_folder}/libs/{n}" for n in sorted(os.listdir(f"{pack_folder}/libs")) if "yaml" in n]
        command = ["gcc", "-shared", f"-Wl,-soname,{soname}", "-o", f"{self.folder}/lib/{soname}",
                   *files, *([changed] if changed else []), *libs, "-lm", "-lpthread"]
        return subprocess.run(command, check=False, stderr=subprocess.DEVNULL).returncode == 0

    def test(self, name, limit):
        """None where a test passes, else how it failed; and how long it took."""
        test = self.campaign.tests[name]
        env = dict(os.environ, LD_LIBRARY_PATH=f"{self.folder}/lib:{self.campaign.pack}/libs", TMPDIR=self.folder)
        command = ["sh", "-c", f'ulimit -v {MEMORY_KB}; ulimit -f {FILE_BLOCKS}; ulimit -c 0; exec "$0" "$@"',
                   f"{self.campaign.pack}/tests/{name}", *test["arguments"]]
        began = time.monotonic()
        process = subprocess.Popen(command, cwd=f"{self.folder}/room", env=env, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            code = process.wait(timeout=limit)
            failed = None if code == 0 else f"exit {code}" if code > 0 else f"signal {-code}"
        except subprocess.TimeoutExpired:
            failed = "timeout"
        try:  # the whole family, whatever is left of it
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
        return failed, time.monotonic() - began

    def judge(self, mutant):
        """Fills the verdict of a mutant: killed, survived, same (code), broken (no program), or None (no time)."""
        began, text = time.monotonic(), mutated(mutant)
        changed = f"{self.folder}/mutant.o"
        if not self.compile(mutant["file"], text, changed):
            return dict(mutant, verdict="broken")
        if self.same_code(mutant, text, "-O1"):
            return dict(mutant, verdict="same")
        if not self.link(mutant["file"], changed):
            return dict(mutant, verdict="broken")
        tried = 0
        for name in self.campaign.order(mutant["file"]):
            usual = self.campaign.usual[name]
            left = self.campaign.left()
            if left <= usual:
                return None
            failed, _ = self.test(name, min(10.0 * usual + 5.0, max(left, 1.0)))
            if failed == "timeout" and self.campaign.left() <= 0.0:
                return None
            tried += 1
            if failed:
                self.campaign.count_kill(name)
                return dict(mutant, verdict="killed", by=name, how=failed, tried=tried,
                            seconds=round(time.monotonic() - began, 2))
        verdict = "same" if self.same_code(mutant, text, "-O3") else "survived"
        return dict(mutant, verdict=verdict, tried=tried, seconds=round(time.monotonic() - began, 2))


# --- the campaign

def read_pack(folder):
    """What was packed; the sources here must be those."""
    with open(f"{folder}/pack.json", encoding="utf-8") as file:
        packed = json.load(file)
    for source, value in packed["sources"].items():
        if digest(source) != value:
            raise SystemExit(f"mutate: {source} has changed since it was packed; build and pack again")
    return packed


class Campaign:
    def __init__(self, options, scratch):
        self.scratch, self.workers = scratch, []
        self.pack, self.results = os.path.abspath(options.pack), os.path.abspath(options.results)
        os.makedirs(self.results, exist_ok=True)
        packed = read_pack(self.pack)
        self.sources, self.tests, self.soname = packed["sources"], packed["tests"], packed["soname"]
        self.options, self.lock = options, threading.Lock()
        self.end = time.monotonic() + options.seconds
        self.usual, self.kills = {}, collections.Counter()
        self.file = f"{self.results}/mutants-{'again' if options.again else options.seed}.jsonl"
        self.done = {}
        if os.path.exists(self.file):
            with open(self.file, encoding="utf-8") as file:
                for record in map(json.loads, file):
                    self.done[record["id"]] = record
                    self.kills[record.get("by")] += 1
        self.counted = sum(r["verdict"] in ("killed", "survived") for r in self.done.values())
        self.mutants = survivors(options.again) if options.again else all_mutants(options.seed, options.only)

    def left(self):
        return self.end - time.monotonic()

    def count_kill(self, name):
        with self.lock:
            self.kills[name] += 1

    def order(self, source):
        """Tests that reach the source: quick ones of its room, then by time for a kill."""
        room = source.split("/")[1]

        def key(name):
            own = self.tests[name]["room"] == room and self.usual[name] <= QUICK
            return (0 if own else 1, (self.usual[name] + 0.05) / (1.0 + self.kills[name]))
        return sorted((n for n in self.usual if source in self.tests[n]["reaches"]), key=key)

    def take(self):
        """The next mutant that nobody has judged yet, or None."""
        with self.lock:
            if self.left() <= 0.0 or self.counted >= self.options.count:
                return None
            for mutant in self.mutants:
                if mutant["id"] not in self.done:
                    self.counted += 1
                    return mutant
        return None

    def keep(self, record):
        with self.lock:
            if record is None:  # no time left: it is judged when the campaign goes on
                self.counted -= 1
                return
            if record["verdict"] in ("same", "broken"):
                self.counted -= 1
            self.done[record["id"]] = record
            with open(self.file, "a", encoding="utf-8") as file:
                file.write(json.dumps(record) + "\n")
            print(f"{record['verdict']:9}{record.get('seconds', 0):7.1f} s  {record['file']}:{record['line']}: "
                  f"'{record['old']}' -> '{record['new']}'  {record.get('by', '')} {record.get('how', '')}", flush=True)

    def share(self, job):
        """Runs job(worker) in every worker."""
        threads = [threading.Thread(target=job, args=(w,)) for w in self.workers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def measure(self):
        """The usual time of every test; what fails without a change is left out, loudly."""
        file = f"{self.results}/usual.json"
        if os.path.exists(file):
            with open(file, encoding="utf-8") as old:
                known = json.load(old)
            if known["pack"] == digest(f"{self.pack}/pack.json"):
                self.usual = known["usual"]
                return
        waiting = sorted(self.tests, key=lambda n: not n.endswith("_long"))

        def job(worker):
            while True:
                with self.lock:
                    name = waiting.pop(0) if waiting else None
                if name is None:
                    return
                failed, seconds = worker.test(name, self.tests[name]["timeout"])
                with self.lock:
                    if failed:
                        print(f"left out, fails without a change ({failed}): {name}", flush=True)
                    else:
                        self.usual[name] = round(seconds, 3)
        self.share(job)
        with open(file, "w", encoding="utf-8") as new:
            json.dump({"pack": digest(f"{self.pack}/pack.json"), "usual": self.usual}, new, indent=1)

    def run(self):
        self.workers = [Worker(self, k) for k in range(self.options.workers)]
        if not all(w.link() for w in self.workers):
            raise SystemExit("mutate: the library cannot be linked")
        self.measure()
        print(f"{len(self.usual)} tests, {sum(self.usual.values()):.0f} s in all", flush=True)

        def job(worker):
            for mutant in iter(self.take, None):
                self.keep(worker.judge(mutant))
        self.share(job)
        report(self.results)


def report(results):
    """Per room killed and survived, and every survivor; to the screen and to a file beside the results."""
    lines = []
    for name in sorted(n for n in os.listdir(results) if re.fullmatch(r"mutants-.*\.jsonl", n)):
        with open(f"{results}/{name}", encoding="utf-8") as file:
            records = [json.loads(line) for line in file]
        lines.append(name)
        for room in (*ROOMS, ""):
            here = [r for r in records if r["file"].startswith(f"src/{room}")]
            count = collections.Counter(r["verdict"] for r in here)
            judged = count["killed"] + count["survived"]
            if judged:
                lines.append(f"  {room or 'all':9} {judged:4} judged, {count['killed']:4} killed "
                             f"({100.0 * count['killed'] / judged:.1f} %), {count['same']:3} same code, "
                             f"{count['broken']:3} no program")
        for r in records:
            if r["verdict"] == "survived":
                lines.append(f"  survived {r['file']}:{r['line']}:{r['column']} '{r['old']}' -> '{r['new']}'   {r['text']}")
    text = "\n".join(lines)
    print(text)
    with open(f"{results}/report.txt", "w", encoding="utf-8") as file:
        file.write(text + "\n")


def show(name):
    path, line, column, old, new = re.fullmatch(r"(.*?):(\d+):(\d+):(.*?):(.*)", name).groups()
    mutant = {"id": name, "file": path, "line": int(line), "column": int(column), "old": old, "new": new}
    with open(path, encoding="utf-8") as file:
        before = file.read()
    sys.stdout.writelines(difflib.unified_diff(before.splitlines(True), mutated(mutant).splitlines(True), path, path))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("action", choices=("pack", "run", "show", "report"))
    parser.add_argument("what", nargs="?", default=f"{BUILD}/pack")
    parser.add_argument("--pack", default=f"{BUILD}/pack")
    parser.add_argument("--results", default=f"{BUILD}/results")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 2)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=36000.0)
    parser.add_argument("--only", default="")
    parser.add_argument("--again", default="")
    options = parser.parse_args()
    if options.action == "pack":
        pack(options.what)
    elif options.action == "run":
        with tempfile.TemporaryDirectory(prefix="carom-mutate-") as scratch:
            Campaign(options, scratch).run()
    elif options.action == "show":
        show(options.what)
    else:
        report(options.results)


if __name__ == "__main__":
    main()
