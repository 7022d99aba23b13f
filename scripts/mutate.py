#!/usr/bin/python3
"""Changes one operator or number of the library at a time and asks the tests to notice.

usage: mutate.py pack DIR                 gathers what workers need from build-mutate/ (cmake --preset mutate), with
                                          the sources in DIR/tree: there `scripts/mutate.py run --pack ..` can run
       mutate.py cover [--pack DIR] [--workers N] [--slow S]   which test executes which line, kept in the pack (twice the time of
                                          tests that take less than S seconds; needs gcov); the others count as executing all
       mutate.py idle [--pack DIR] [--only REGEX]   lines that no test executes
       mutate.py run [--pack DIR] [--workers N] [--count N] [--seed S] [--seconds T] [--results DIR]
                     [--only REGEX]       runs in the root of the source tree; goes on where it was stopped
                     [--first S]          every mutant meets S seconds of tests before any meets the others
                     [--again FILE]       only those that survived in the results FILE, found again by their lines
       mutate.py show ID [--pack DIR]     the change a mutant makes, as a diff
       mutate.py report [--results DIR]   what the results say

A mutant is one source compiled anew and one shared library linked anew; the tests and the program load that library.
Tests that cannot reach the source (by the names their objects need) or did not execute the line are left out: they
cannot notice. Those of the mutated room come first, then the quick ones and those that have killed most; the first
failure ends it, and so does taking far longer than usual. The slow tests wait until every mutant has met the quick
ones: what is still alive counts as survived when the time is over before they have spoken. A change that gives the same machine
code counts as none, and so does one of tests/mutants/equivalent.txt, where it is proved that nobody can see it. What the
quick tests leave alive meets the quickest of them once more in a library made with the address and undefined-behaviour
sanitizers in the mutated source and in the arena: a loop one too long, a room one too small. Needs gcc with its sanitizers and the standard library
of Python only.
"""
import argparse
import collections
import difflib
import hashlib
import json
import math
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
SCRIPTS = ("test_engines", "test_golden_analyses", "test_golden_runs", "test_keys", "test_saved_state", "test_studies", "test_theory")
# of the program: those that need neither HDF5 files nor pictures and do not look at the clock
QUICK = 2.0  # s of processor time, as all times of tests: tests of the mutated room that take longer wait for the quick ones of the others
SLOW = 25.0  # s: tests that take longer with a counting library, and those called long, wait until every mutant has met the others
EQUIVALENT = "tests/mutants/equivalent.txt"
ARENA = "src/base/arena.c"  # tells the sanitizer where a piece of memory ends
SANITIZERS = ["-fsanitize=address,undefined"]
SANITIZED_FLAGS = SANITIZERS + ["-fno-sanitize-recover=all", "-fno-omit-frame-pointer"]
SANITIZED_LIMIT = 12.0, 10.0  # as PATIENCE, with the sanitizers; who is later then has told nothing
PATIENCE = 4.0, 4.0  # a test may take so many times its usual processor time and so many seconds more before it counts as hung
IDLE = 10.0, 60.0  # and so on for time on the wall, of which a loaded machine takes any amount: who waits for ever hangs too

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


def function_at(lines, row):
    """The function that the line `row` (from 0) belongs to, as our sources are laid out."""
    for line in reversed(lines[:row + 1]):
        head = re.match(r"[A-Za-z_][^;=]*?\b(\w+)\(", line)
        if head:
            return head[1]
    return ""


def equivalents():
    """{id: reason} of the changes that are proved to change nothing; a line of the list must be true of the sources."""
    found = {}
    with open(EQUIVALENT, encoding="utf-8") as file:
        entries = [e.rstrip("\n") for e in file if e.strip() and not e.startswith("#")]
    for entry in entries:
        place, *text, change, reason = entry.split(" | ")
        path, _, function = place.partition(":")
        old, _, new = change.partition(" -> ")
        old, _, which = old.partition("#")
        source, sites_here = sites(path)
        lines = source.split("\n")
        rows = [k for k, line in enumerate(lines) if line.strip() == " | ".join(text) and function in ("", function_at(lines, k))]
        if len(rows) != 1:
            raise SystemExit(f"mutate: {EQUIVALENT}: {len(rows)} lines of {place} are as in: {entry}")
        start = len("\n".join(lines[:rows[0]] + [""]))
        here = [at for at, token, others in sites_here if start <= at < start + len(lines[rows[0]]) and token == old and new in others]
        if not reason or not (len(here) == 1 and not which or which and 1 <= int(which) <= len(here)):
            raise SystemExit(f"mutate: {EQUIVALENT}: {len(here)} such changes, or no reason: {entry}")
        found[describe(path, here[int(which or 1) - 1], old, new)["id"]] = reason
    return found


def last_words(file, equivalent):
    """{id: record}, the last of each mutant in the results; a survivor proved equivalent since is no survivor any more."""
    with open(file, encoding="utf-8") as lines:
        records = {r["id"]: r for r in map(json.loads, lines)}
    for r in records.values():
        if r["verdict"] == "survived" and r["id"] in equivalent:
            r.update(verdict="equivalent", waits=[], reason=equivalent[r["id"]])
    return records


def survivors(results):
    """Those that survived then, where their lines stand now; a line that is gone, or not alone, is left out."""
    with open(results, encoding="utf-8") as file:
        records = [r for r in {r["id"]: r for r in map(json.loads, file)}.values() if r["verdict"] == "survived"]
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

def read_text(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


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


def stand_in_for_hdf5(program, folder):
    """A library that does nothing in place of HDF5, whose own libraries are many: scripts that look into
    HDF5 files fail with it and are left out."""
    loaded = subprocess.run(["readelf", "-d", program], check=True, capture_output=True, text=True).stdout
    name = re.search(r"\[(libhdf5\S*)\]", loaded)[1]
    needed = subprocess.run(["nm", "-D", program], check=True, capture_output=True, text=True).stdout
    found = set(re.findall(r"\b(H5\w+)(?:@+(\S+))?", needed))
    text = "".join(f"long long {n};\n" if n.endswith("_g") else f"long long {n}(void) {{ return {int('exists' not in n)}; }}\n"
                   for n in sorted({n for n, _ in found}))
    with tempfile.NamedTemporaryFile("w", suffix=".map") as versions:
        for version in sorted({v for _, v in found if v}):
            versions.write(f"{version} {{ global: {' '.join(n + ';' for n, v in sorted(found) if v == version)} }};\n")
        versions.flush()
        subprocess.run(["gcc", "-shared", "-fPIC", "-w", f"-Wl,-soname,{name},--version-script={versions.name}", "-x", "c", "-",
                        "-o", f"{folder}/{name}"], check=True, input=text, text=True)


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def pack(folder):
    counted = f"{folder}/coverage.json"  # still true of what has not changed
    kept = open(counted, encoding="utf-8").read() if os.path.exists(counted) else None
    shutil.rmtree(folder, ignore_errors=True)
    for part in ("objects", "tests", "libs"):
        os.makedirs(f"{folder}/{part}")
    if kept:
        with open(counted, "w", encoding="utf-8") as file:
            file.write(kept)
    shutil.copytree(f"{BUILD}/include", f"{folder}/include")
    home, needed_by, sources = {}, {}, {}
    base = f"{BUILD}/CMakeFiles/carom_objects.dir"
    for place, _, names in sorted(os.walk(f"{base}/src")):
        for name in sorted(n for n in names if n.endswith(".c.o")):
            source = os.path.relpath(f"{place}/{name}", base)[:-2]
            if not os.path.exists(source):
                continue  # left from an older tree
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
        if test["name"] in SCRIPTS:
            tests[test["name"]] = {"room": "cli", "timeout": 120, "script": os.path.relpath(command[1]),
                                   "arguments": [], "reaches": sorted(sources)}
            continue
        if os.path.basename(command[0]) != test["name"]:
            continue  # other scripts
        if not os.path.exists(command[0]):
            print(f"not built, left out: {test['name']}")
            continue
        properties = {p["name"]: p["value"] for p in test["properties"]}
        binary = command[0]
        carried = carried_libraries(binary, BUILD)
        if any(name.startswith("libhdf5") for name, _ in carried):
            continue  # of the edge: see stand_in_for_hdf5
        shutil.copy(binary, f"{folder}/tests/{test['name']}")
        subprocess.run(["strip", "--strip-debug", f"{folder}/tests/{test['name']}"], check=False)
        libraries.update(carried)
        tests[test["name"]] = {"room": properties["LABELS"][0], "timeout": properties["TIMEOUT"],
                               "arguments": [os.path.relpath(a) for a in command[1:]],
                               "reaches": reached(symbols(binary)[1], home, needed_by)}
    shutil.copy(f"{BUILD}/tests/fault_watch", f"{folder}/tests/")
    shutil.copy(f"{BUILD}/carom", f"{folder}/tests/carom")
    stand_in_for_hdf5(f"{folder}/tests/carom", f"{folder}/libs")
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

def end_family(leader):
    try:
        os.killpg(leader, signal.SIGKILL)
    except ProcessLookupError:
        pass


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

    def compile(self, source, text, out, level="-O1", more=()):
        """False when the compiler refuses the text."""
        path = f"{self.folder}/{os.path.basename(source)}"
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        command = ["gcc", level, *FLAGS, *more, "-Iinclude", "-Isrc", f"-I{self.campaign.pack}/include",
                   f"-ffile-prefix-map={self.folder}=.", "-c", path, "-o", out]
        return subprocess.run(command, check=False, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL).returncode == 0

    def code(self, source, text, level):
        """What the compiler makes of a text, or None."""
        out = f"{self.folder}/code.o"
        return digest(out) if self.compile(source, text, out, level) else None

    def link(self, others=(), more=()):
        """False where the linker fails. Others: objects in place of those packed, by source."""
        soname, pack_folder = self.campaign.soname, self.campaign.pack
        files = [dict(others).get(s, f"{pack_folder}/objects/{object_name(s)}") for s in self.campaign.sources]
        libs = [f"{pack_folder}/libs/{n}" for n in sorted(os.listdir(f"{pack_folder}/libs")) if "yaml" in n]
        command = ["gcc", "-shared", *more, f"-Wl,-soname,{soname}", "-o", f"{self.folder}/lib/{soname}",
                   *files, *libs, "-lm", "-lpthread"]
        return subprocess.run(command, check=False, stderr=subprocess.DEVNULL).returncode == 0

    def test(self, name, limit, memory=f"ulimit -v {MEMORY_KB}; ", **more):
        """None where a test passes, else how it failed; and its processor time, which `limit` bounds. More: further variables of the
        environment."""
        test, programs = self.campaign.tests[name], f"{self.campaign.pack}/tests"
        env = dict(os.environ, LD_LIBRARY_PATH=f"{self.folder}/lib:{self.campaign.pack}/libs", TMPDIR=self.folder,
                   CAROM_GOLDEN="first", **more)
        run = ["bash", test["script"], f"{programs}/carom"] if "script" in test else [f"{programs}/{name}", *test["arguments"]]
        command = ["sh", "-c", f'{memory}ulimit -t {math.ceil(limit)}; ulimit -f {FILE_BLOCKS}; ulimit -c 0; exec "$0" "$@"', *run]
        process = subprocess.Popen(command, cwd=f"{self.folder}/room", env=env, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, start_new_session=True)
        hung = threading.Timer(IDLE[0] * limit + IDLE[1], end_family, [process.pid])
        hung.start()
        _, status, spent = os.wait4(process.pid, 0)
        hung.cancel()
        process.returncode = code = os.waitstatus_to_exitcode(status)
        end_family(process.pid)  # whatever is left of it
        seconds = spent.ru_utime + spent.ru_stime
        if -code in (signal.SIGKILL, signal.SIGXCPU):  # by the system at the limit, or by us
            return "timeout", seconds
        return None if code == 0 else f"exit {code}" if code > 0 else f"signal {-code}", seconds

    def make(self, mutant):
        """Makes the library of a mutant: None, or the verdict where there is no other program."""
        text, changed = mutated(mutant), f"{self.folder}/mutant.o"
        if not self.compile(mutant["file"], text, changed):
            return "broken"
        if digest(changed) == self.campaign.plain_code(self, mutant["file"], "-O1"):
            return "same"
        return None if self.link({mutant["file"]: changed}) else "broken"

    def judge(self, mutant):
        """The record of a mutant with its verdict: killed, survived, equivalent (listed), same (code), broken (no program); None: no time.
        A survivor of the quick tests waits for the sanitizers and the slow tests named in its record, and is judged again by them."""
        began = time.monotonic()
        if mutant["id"] in self.campaign.equivalent:
            return dict(mutant, verdict="equivalent", reason=self.campaign.equivalent[mutant["id"]])
        verdict = self.make(mutant)
        if verdict:
            return dict(mutant, verdict=verdict)
        again = "waits" in mutant
        quick, slow = self.campaign.order(mutant)
        name, failed = self.sanitized(mutant, quick) if again else (None, None)
        if again and not failed and self.make(mutant):
            return None
        names = [] if failed else [n for n in mutant["waits"] if n in slow] if again else quick
        tried, spent = mutant.get("tried", 0), mutant.get("seconds", 0.0)
        for name in names:
            if self.campaign.left() <= 0.0:
                return None
            failed, _ = self.test(name, self.limit(name))
            tried += 1
            if failed and again and not self.passes(name):
                failed = None
                self.make(mutant)
            if failed:
                break
        if not failed and not again:
            if self.code(mutant["file"], mutated(mutant), "-O3") == self.campaign.plain_code(self, mutant["file"], "-O3"):
                return dict(mutant, verdict="same", tried=tried)
        record = dict(mutant, verdict="killed" if failed else "survived", tried=tried, waits=[] if failed or again else ["sanitizers", *slow],
                      seconds=round(spent + time.monotonic() - began, 2))
        if failed:
            self.campaign.count_kill(name)
            record.update(by=name, how=failed)
        return record

    def limit(self, name):
        return min(PATIENCE[0] * self.campaign.usual[name] + PATIENCE[1], self.campaign.tests[name]["timeout"])

    def passes(self, name):
        """Whether a test passes without any change."""
        if name not in self.campaign.passing:
            self.campaign.passing[name] = self.link() and not self.test(name, self.limit(name))[0]
        return self.campaign.passing[name]

    def sanitized_test(self, name):
        """How a test fails with the sanitized library now in place, or None; being late is no failure here."""
        options = f"exitcode=99:detect_leaks=0:hard_rss_limit_mb={MEMORY_KB // 1000}"
        limit = SANITIZED_LIMIT[0] * self.campaign.usual[name] + SANITIZED_LIMIT[1]
        failed, _ = self.test(name, limit, memory="", ASAN_OPTIONS=options, UBSAN_OPTIONS="exitcode=98",
                              LD_PRELOAD=self.campaign.sanitizer)
        return None if failed == "timeout" else failed

    def sanitized(self, mutant, names):
        """The first of the quickest tests that fails when the mutated source and the arena are compiled with the sanitizers (all would
        take long), and how; one that fails without the change says nothing."""
        quickest = [n for n in names if self.campaign.usual[n] <= QUICK and "script" not in self.campaign.tests[n]]
        if not self.link_sanitized(mutant["file"], mutated(mutant)):
            return None, None
        for name in quickest:
            if self.campaign.left() <= 0.0:
                break
            failed = self.sanitized_test(name)
            if failed and self.passes_sanitized(name, mutant["file"]):
                return name, f"{failed}, sanitized"
            if failed and not self.link_sanitized(mutant["file"], mutated(mutant)):
                break
        return None, None

    def link_sanitized(self, source, text):
        made = {}
        for path, content in {ARENA: read_text(ARENA), source: text}.items():
            made[path] = f"{self.folder}/sanitized-{os.path.basename(path)}.o"
            if (path == source or not os.path.exists(made[path])) and not self.compile(path, content, made[path], more=SANITIZED_FLAGS):
                return False
        return self.link(made, SANITIZERS)

    def passes_sanitized(self, name, source):
        """Whether a test passes with a source under the sanitizers and without any change."""
        if (name, source) not in self.campaign.passing:
            self.campaign.passing[name, source] = self.link_sanitized(source, read_text(source)) and not self.sanitized_test(name)
        return self.campaign.passing[name, source]


# --- the campaign

def read_pack(folder):
    """What was packed; the sources here must be those."""
    with open(f"{folder}/pack.json", encoding="utf-8") as file:
        packed = json.load(file)
    for source, value in packed["sources"].items():
        if digest(source) != value:
            raise SystemExit(f"mutate: {source} has changed since it was packed; build and pack again")
    return packed


def share(workers, job):
    """Runs job(worker) in every worker."""
    threads = [threading.Thread(target=job, args=(w,)) for w in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Coverage:
    """Which test executes which line. What has changed since it was recorded, or was not there, counts as executed."""

    def __init__(self, kept, tests):
        self.kept, self.tests = kept, tests
        self.seconds = kept.get("seconds", {})

    def place(self, source, line):
        """The line whose count tells whether a line was executed: itself or the nearest above in its function; or None."""
        file = self.kept.get("files", {}).get(source)
        for first, last in file["functions"] if file and file["digest"] == digest(source) else ():
            if first <= line <= last:
                counted = [k for k in file["lines"] if first <= k <= line]
                return max(counted) if counted else None
        return None

    def reaches(self, source, line, test):
        at = self.place(source, line)
        executed = self.kept.get("executed", {}).get(test)
        if at is None or executed is None:
            return True
        return int(executed.get(source, "0"), 16) >> at & 1 == 1


def read_coverage(folder, packed):
    file = f"{folder}/coverage.json"
    if not os.path.exists(file):
        return Coverage({}, packed["tests"])
    with open(file, encoding="utf-8") as old:
        kept = json.load(old)
    for name in [n for n in kept["executed"] if kept["tests"][n] != test_digest(folder, packed["tests"].get(n), n)]:
        del kept["executed"][name]
    return Coverage(kept, packed["tests"])


def test_digest(folder, test, name):
    if test is None:
        return None
    return digest(test["script"]) if "script" in test else digest(f"{folder}/tests/{name}")


class Cover:
    """Runs every test once with a library that counts lines; only those that may tell something new since the last time."""

    def __init__(self, options, scratch):
        self.pack, self.scratch, self.longest = os.path.abspath(options.pack), scratch, options.slow
        packed = read_pack(self.pack)
        self.sources, self.tests, self.soname = packed["sources"], packed["tests"], packed["soname"]
        self.workers = [Worker(self, k) for k in range(options.workers)]
        self.lock = threading.Lock()
        self.kept = read_coverage(self.pack, packed).kept or {"files": {}, "executed": {}, "seconds": {}, "tests": {}}
        changed = {s for s, file in self.kept["files"].items() if self.sources.get(s) != file["digest"]}
        for source in changed:
            del self.kept["files"][source]
        executed = self.kept["executed"]
        again = [n for n in self.tests if n not in executed or changed & set(executed[n] or ())]
        for name in again:
            executed.pop(name, None)
        self.waiting = collections.deque(sorted(again, key=lambda n: -self.kept["seconds"].get(n, 600.0 * n.endswith("_long"))))

    def make(self):
        """The counting library, the same for all workers."""
        counted = [s for s in self.sources if s.split("/")[1] in ROOMS]
        waiting = collections.deque(counted)
        os.makedirs(f"{self.scratch}/counting")

        def job(_):
            while waiting:
                source = waiting.popleft()
                command = ["gcc", "-O1", "-fno-inline", "--coverage", *FLAGS, "-Iinclude", "-Isrc", f"-I{self.pack}/include", "-c", source,
                           "-o", f"{self.scratch}/counting/{object_name(source)}"]
                subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
        share(self.workers, job)
        files = [f"{self.scratch}/counting/{object_name(s)}" if s in counted else f"{self.pack}/objects/{object_name(s)}"
                 for s in self.sources]
        libs = [f"{self.pack}/libs/{n}" for n in sorted(os.listdir(f"{self.pack}/libs")) if "yaml" in n]
        for worker in self.workers:
            subprocess.run(["gcc", "-shared", "--coverage", f"-Wl,-soname,{self.soname}", "-o", f"{worker.folder}/lib/{self.soname}",
                            *files, *libs, "-lm", "-lpthread"], check=True)

    def write(self):
        with open(f"{self.pack}/coverage.json", "w", encoding="utf-8") as file:
            json.dump(self.kept, file)

    def read_counts(self, folder):
        """Lines executed, per source, from the counts that a test left; remembers where functions and counted lines are."""
        left = f"{folder}{self.scratch}/counting"
        if not os.path.isdir(left):
            return {}
        names = [n for n in os.listdir(left) if n.endswith(".gcda")]
        for name in names:
            os.symlink(f"{self.scratch}/counting/{name[:-5]}.gcno", f"{left}/{name[:-5]}.gcno")
        out = subprocess.run(["gcov", "--json-format", "--stdout", *names], cwd=left, check=True, capture_output=True, text=True).stdout
        executed = {}
        for told in (json.loads(line) for line in out.splitlines() if line.startswith("{")):
            for file in told["files"]:
                source = os.path.relpath(file["file"])
                if source not in self.sources:
                    continue
                with self.lock:
                    if source not in self.kept["files"]:
                        self.kept["files"][source] = {
                            "digest": digest(source), "lines": sorted({k["line_number"] for k in file["lines"]}),
                            "functions": sorted({(f["start_line"], f["end_line"]) for f in file["functions"]})}
                bits = sum(1 << n for n in {k["line_number"] for k in file["lines"] if k["count"] > 0})
                if bits:
                    executed[source] = f"{bits:x}"
        return executed

    def run(self):
        self.make()

        def job(worker):
            while True:
                with self.lock:
                    name = self.waiting.popleft() if self.waiting else None
                if name is None:
                    return
                folder = f"{self.scratch}/of-{name}"
                failed, seconds = ("timeout", 0.0) if name.endswith("_long") else worker.test(name, self.longest, GCOV_PREFIX=folder)
                if failed == "timeout":
                    failed, seconds = "not counted", self.tests[name]["timeout"]
                executed = None if failed else self.read_counts(folder)
                shutil.rmtree(folder, ignore_errors=True)
                with self.lock:
                    print(f"{seconds:7.1f} s  {name} {failed or ''}", flush=True)
                    if failed not in (None, "not counted"):
                        continue
                    self.kept["executed"][name], self.kept["seconds"][name] = executed, round(seconds, 2)
                    self.kept["tests"][name] = test_digest(self.pack, self.tests[name], name)
                    self.write()
        share(self.workers, job)


def idle(folder, only):
    """Lists the lines with something to change that no test executes."""
    coverage = read_coverage(folder, read_pack(folder))
    for source in sorted(coverage.kept["files"]):
        if only and not re.search(only, source):
            continue
        text, found = sites(source)
        lines, idle_lines = text.split("\n"), []
        for number in sorted({text.count("\n", 0, position) + 1 for position, _, _ in found}):
            if not any(coverage.reaches(source, number, t) for t in coverage.kept["executed"]):
                idle_lines.append(number)
        for number in idle_lines:
            print(f"{source}:{number}: {lines[number - 1].strip()}")


class Campaign:
    def __init__(self, options, scratch):
        self.scratch, self.workers = scratch, []
        self.pack, self.results = os.path.abspath(options.pack), os.path.abspath(options.results)
        os.makedirs(self.results, exist_ok=True)
        packed = read_pack(self.pack)
        self.sources, self.tests, self.soname = packed["sources"], packed["tests"], packed["soname"]
        self.options, self.lock = options, threading.Lock()
        self.end = time.monotonic() + options.seconds
        self.kills = collections.Counter()
        self.coverage = read_coverage(self.pack, packed)
        self.usual = {n: t for n, t in self.coverage.seconds.items() if n in self.tests}
        self.slow = sorted((n for n in self.usual if self.coverage.kept["executed"].get(n) is None), key=self.usual.get)
        if not self.usual:
            raise SystemExit("mutate: which test executes which line is not known: `mutate.py cover` first")
        self.file = f"{self.results}/mutants-{'again' if options.again else options.seed}.jsonl"
        self.equivalent, self.sanitizer, self.passing, self.plain = equivalents(), None, {}, {}
        self.done = last_words(self.file, self.equivalent) if os.path.exists(self.file) else {}
        self.kills.update(r.get("by") for r in self.done.values())
        self.counted = sum(r["verdict"] in ("killed", "survived") for r in self.done.values())
        self.waiting = collections.deque(r for r in self.done.values() if r.get("waits"))
        self.mutants = survivors(options.again) if options.again else all_mutants(options.seed, options.only)

    def plain_code(self, worker, source, level):
        """What the compiler makes of a source without any change; each is compiled once."""
        if (source, level) not in self.plain:
            self.plain[source, level] = worker.code(source, read_text(source), level)
        return self.plain[source, level]

    def left(self):
        return self.end - time.monotonic()

    def count_kill(self, name):
        with self.lock:
            self.kills[name] += 1

    def order(self, mutant):
        """Tests that reach the line, those it meets at once and those that wait: of its room first, then by time for a kill."""
        source, room = mutant["file"], mutant["file"].split("/")[1]
        here = [n for n in self.tests if source in self.tests[n]["reaches"] and self.coverage.reaches(source, mutant["line"], n)]

        def key(name):
            own = self.tests[name]["room"] == room and self.usual[name] <= QUICK
            return (0 if own else 1, (self.usual[name] + 0.05) / (1.0 + self.kills[name]))
        quick = sorted((n for n in here if n in self.usual and n not in self.slow), key=key)
        first = [n for k, n in enumerate(quick) if sum(self.usual[m] for m in quick[:k]) <= self.options.first]
        return first, quick[len(first):] + [n for n in self.slow if n in here]

    def take(self):
        """The next mutant that nobody has judged yet; then those that wait for the slow tests; or None."""
        with self.lock:
            if self.left() <= 0.0:
                return None
            for mutant in self.mutants if self.counted < self.options.count else ():
                if mutant["id"] not in self.done:
                    self.counted += 1
                    return mutant
            return self.waiting.popleft() if self.waiting else None

    def keep(self, mutant, record):
        with self.lock:
            if record is None:  # no time left: it is judged when the campaign goes on
                self.counted -= "waits" not in mutant
                return
            if record["verdict"] in ("same", "broken", "equivalent"):
                self.counted -= 1
            self.done[record["id"]] = record
            if record.get("waits"):
                self.waiting.append(record)
            with open(self.file, "a", encoding="utf-8") as file:
                file.write(json.dumps(record) + "\n")
            print(f"{'alive' if record.get('waits') else record['verdict']:9}{record.get('seconds', 0):7.1f} s  "
                  f"{record['file']}:{record['line']}: '{record['old']}' -> '{record['new']}'  "
                  f"{record.get('by', '')} {record.get('how', '')}", flush=True)

    def find_sanitizer(self):
        """The library that tests load before all others to run sanitized code; where gcc has none there is no campaign."""
        found = subprocess.run(["gcc", "-print-file-name=libasan.so"], check=True, capture_output=True, text=True).stdout.strip()
        if not os.path.isabs(found):
            raise SystemExit("mutate: gcc has no libasan.so here (Debian: libgcc-12-dev, libasan8)")
        return found

    def run(self):
        self.workers = [Worker(self, k) for k in range(self.options.workers)]
        self.sanitizer = self.find_sanitizer()
        if not all(w.link() for w in self.workers):
            raise SystemExit("mutate: the library cannot be linked")
        def job(worker):
            for mutant in iter(self.take, None):
                self.keep(mutant, worker.judge(mutant))
        share(self.workers, job)
        report(self.results)


def report(results):
    """Per room killed and survived, and every survivor; to the screen and to a file beside the results."""
    lines, equivalent = [], equivalents()
    for name in sorted(n for n in os.listdir(results) if re.fullmatch(r"mutants-.*\.jsonl", n)):
        records = list(last_words(f"{results}/{name}", equivalent).values())
        lines.append(name)
        for room in (*ROOMS, ""):
            here = [r for r in records if r["file"].startswith(f"src/{room}")]
            count = collections.Counter(r["verdict"] for r in here)
            judged = count["killed"] + count["survived"]
            if judged:
                lines.append(f"  {room or 'all':9} {judged:4} judged, {count['killed']:4} killed "
                             f"({100.0 * count['killed'] / judged:.1f} %), {count['same']:3} same code, "
                             f"{count['equivalent']:3} equivalent, "
                             f"{count['broken']:3} no program")
        for r in records:
            if r["verdict"] == "survived":
                open_ones = f" ({len(r['waits'])} slow ones not tried)" if r.get("waits") else ""
                lines.append(f"  survived {r['file']}:{r['line']}:{r['column']} '{r['old']}' -> '{r['new']}'   {r['text']}"
                             f"  [{r['tried']} tests{open_ones}]")
        lines.extend(f"  equivalent {r['file']}:{r['line']} '{r['old']}' -> '{r['new']}': {r['reason']}" for r in records
                     if r["verdict"] == "equivalent")
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
    parser.add_argument("action", choices=("pack", "cover", "idle", "run", "show", "report"))
    parser.add_argument("what", nargs="?", default=f"{BUILD}/pack")
    parser.add_argument("--pack", default=f"{BUILD}/pack")
    parser.add_argument("--results", default=f"{BUILD}/results")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 2)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=36000.0)
    parser.add_argument("--slow", type=float, default=SLOW)
    parser.add_argument("--first", type=float, default=math.inf)
    parser.add_argument("--only", default="")
    parser.add_argument("--again", default="")
    options = parser.parse_args()
    if options.action == "pack":
        pack(options.what)
    elif options.action == "cover":
        with tempfile.TemporaryDirectory(prefix="carom-cover-") as scratch:
            Cover(options, scratch).run()
    elif options.action == "idle":
        idle(options.pack, options.only)
    elif options.action == "run":
        with tempfile.TemporaryDirectory(prefix="carom-mutate-") as scratch:
            Campaign(options, scratch).run()
    elif options.action == "show":
        show(options.what)
    else:
        report(options.results)


if __name__ == "__main__":
    main()
