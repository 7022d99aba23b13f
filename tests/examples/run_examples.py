#!/usr/bin/env python3
"""The examples that come with the program, against what is known of them. usage: run_examples.py PROGRAM [NAME...]

An example is a scenario whose head names its source. Adding one is adding its file to scenarios/. Its head has
  Source: where it comes from
  Known:  what is known of it, in words; then, indented, what is compared:
            amplitude = expected within 1e-9 with omega=0.8, k=2
          Names are observables or parameters, `=` takes the tolerance behind `within` (relative to 1 + |right|; none: exactly
          equal), `<` and `>` take none, `with` sets what --set would. Every such run must pass its certificate.
  Try:    three commands or more, indented, what is to be seen after two blanks. Each of them runs, FILE being the example.
What takes more than an expression is a function check(run) in tests/examples/NAME.py; `run` is the program: it takes its
arguments, FILE too, and returns what --json prints. It returns pairs (a word, does it hold?).
"""
import concurrent.futures
import importlib.util
import json
import math
import re
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
SCENARIOS = HERE.parent.parent / "scenarios"
LINE = re.compile(r"^(.*?) (=|<|>) (.*?)(?: within (\S+))?(?: with (.+))?$")
FUNCTIONS = {name: getattr(math, name) for name in ("sqrt", "exp", "log", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh",
                                                    "tanh", "acosh", "hypot", "pi", "floor")} | {"abs": abs, "min": min, "max": max, "deg": math.pi/180}


def parts_of(head):
    """Source, Known, Try and Picture of a head, each the lines below its word."""
    parts, lines = {"": []}, None
    for line in head.splitlines():
        word = re.match(r"(Source|Known|Try|Picture):\s*", line)
        if word:
            parts[word.group(1)] = lines = [line[word.end():]] if line[word.end():] else []
        else:
            (parts[""] if lines is None else lines).append(line)
    return parts


def indented(lines):
    return [line.strip() for line in lines if line.startswith("  ") and line.strip()]


class Example:
    def __init__(self, program, told):
        self.program, self.name, self.file = program, told["name"], told["file"]
        self.parts = parts_of(told["head"])
        self.wrong, self.count, self.answers = [], 0, {}

    def run(self, *arguments, expected=0):
        """What the program prints with --json."""
        command = [self.program, *(self.file if a == "FILE" else a for a in arguments), "--json"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        if done.returncode != expected:
            raise RuntimeError(f"carom {' '.join(arguments)}: exit {done.returncode}: {done.stderr.strip()[-500:]}")
        return json.loads(done.stdout)

    def names_of(self, settings):
        """Observables and parameters of a run with these settings, by name."""
        if settings not in self.answers:
            sets = [word for one in settings.split(",") if one.strip() for word in ("--set", one.strip())]
            done = self.run("run", "FILE", *sets)
            known = self.run("check", "FILE", *sets)["parameters"]
            self.answers[settings] = FUNCTIONS | known | {"word": done.get("word")} | done["observables"]
        return self.answers[settings]

    def holds(self, line):
        found = LINE.match(line)
        if not found:
            return f"'{line}' cannot be read"
        left, sign, right, within, settings = found.groups()
        names = self.names_of(settings or "")
        a, b = (eval(side.replace("^", "**"), {"__builtins__": {}}, names) for side in (left, right))
        if isinstance(a, str) or isinstance(b, str):
            good = a == b
        elif sign == "=":
            good = abs(a - b) <= float(within or 0)*(1 + abs(b))
        else:
            good = a < b if sign == "<" else a > b
        return None if good else f"{line}: {a!r} and {b!r}"

    def whole(self):
        text = Path(self.file).read_text(encoding="utf-8")
        for part in ("Source", "Known", "Try"):
            if not any(line.strip() for line in self.parts.get(part, [])):
                yield f"its head has no {part}:"
        picture = " ".join(self.parts.get("Picture", [""]))
        if not re.fullmatch(r"((--set \S+|--from [\d.]+|--until [\d.]+|--follow)( |$))*", picture):
            yield f"Picture: has options that are neither of carom movie nor --set: {picture}"
        if len(indented(self.parts.get("Try", []))) < 3:
            yield "its head has fewer than three lines of what to try"
        if not re.search(r"^(shapes|bodies|engine):", text, re.M) and "include:" not in text:
            yield "nothing is to be seen: it has no shapes"
        if self.count == 0:
            yield "nothing is checked"

    def check(self):
        for line in indented(self.parts.get("Known", [])):
            self.count += 1
            self.wrong += filter(None, [self.holds(line)])
        beside = HERE / f"{self.name}.py"
        if beside.exists():
            spec = importlib.util.spec_from_file_location(self.name, beside)
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            for what, good in module.check(self.run):
                self.count += 1
                self.wrong += [] if good else [f"{beside.name}: {what}"]
        self.wrong += self.whole()

    def try_all(self):
        with tempfile.TemporaryDirectory() as folder:
            for line in indented(self.parts.get("Try", [])):
                words = shlex.split(re.split(r"\s{2,}", line)[0].replace("FILE", self.file))
                done = subprocess.run([self.program, *words[1:]], capture_output=True, text=True, cwd=folder, timeout=60, check=False)
                if words[0] != "carom" or done.returncode not in (0, 3):
                    self.wrong.append(f"try {line}: exit {done.returncode}: {done.stderr.strip()[-500:]}")

    def all(self):
        begun = time.process_time(), time.monotonic()
        try:
            self.check()
            self.try_all()
        except Exception as problem:  # the others are still looked at
            self.wrong.append(str(problem))
        self.took = time.monotonic() - begun[1]
        return self


def main():
    program, chosen = str(Path(sys.argv[1]).resolve()), sys.argv[2:]
    told = json.loads(subprocess.run([program, "examples", "--json"], capture_output=True, text=True, check=True).stdout)
    examples = [Example(program, one) for one in told["examples"] if not chosen or one["name"] in chosen]
    begun = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        done = list(pool.map(Example.all, examples))
    for one in done:
        print(f"{one.name:32} {one.count:3} compared {one.took:6.2f} s  {'wrong' if one.wrong else 'right'}")
        for line in one.wrong:
            print(f"    {line}")
    lost = [path.stem for path in HERE.glob("*.py") if path.name != Path(__file__).name and not (SCENARIOS / f"{path.stem}.yaml").exists()]
    print(f"{len(done)} examples, {sum(one.count for one in done)} results compared in {time.monotonic() - begun:.1f} s")
    few = not chosen and len(done) < 40
    return 1 if lost or few or any(one.wrong for one in done) else 0


if __name__ == "__main__":
    sys.exit(main())
