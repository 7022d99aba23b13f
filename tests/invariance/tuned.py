# SPDX-License-Identifier: MIT
"""Numbers that were chosen, not derived (src/ode/nearness.h says which): motions do not depend on them.

For each of them the files that use it are compiled once more with a tenth and with ten times of it, and a program is linked with
these in front of the library; the scenario's motion must be the same within what is known of it."""

from __future__ import annotations

import functools
import json
import pathlib
import re
import shlex
import subprocess
import tempfile
import threading

import program as programs
from table import Case, transformation

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HEADER = ROOT / "src/ode/nearness.h"
NUMBER = re.compile(r"((?:^///.*\n)+)^static const double (\w+) = ([-+.\de]+);", re.MULTILINE)
FACTORS = (0.1, 10.0)

_building = threading.Lock()
_folder = tempfile.TemporaryDirectory(prefix="tuned-")


def chosen() -> list[str]:
    """Names of the numbers that the header calls chosen."""
    return [found[2] for found in NUMBER.finditer(HEADER.read_text()) if "Chosen" in found[1]]


def compile_users(build: pathlib.Path, name: str, folder: pathlib.Path) -> list[str]:
    objects = []
    for command in json.loads((build / "compile_commands.json").read_text()):
        source = pathlib.Path(command["directory"], command["file"])
        if "carom_objects" not in command["command"] or name not in source.read_text():
            continue
        words = shlex.split(command["command"])
        objects.append(str(folder / (source.stem + ".o")))
        words[words.index("-o") + 1] = objects[-1]
        first = next(k for k, word in enumerate(words) if word.startswith("-I"))
        words.insert(first, f"-I{folder}")
        subprocess.run(words, cwd=command["directory"], check=True)
    return objects


@functools.lru_cache(maxsize=None)
def program_with(path: str, name: str, factor: float) -> str:
    """A program in which the number is `factor` times of what it is."""
    build = pathlib.Path(path).resolve().parent
    folder = pathlib.Path(_folder.name, f"{name}-{factor}")
    (folder / "ode").mkdir(parents=True)
    text = HEADER.read_text()
    value = next(float(found[3]) for found in NUMBER.finditer(text) if found[2] == name)
    (folder / "ode/nearness.h").write_text(re.sub(rf"({name} = )[-+.\de]+;", rf"\g<1>{value * factor!r};", text))
    objects = compile_users(build, name, folder)
    assert objects, f"no file uses {name}"
    link = subprocess.run(["ninja", "-C", str(build), "-t", "commands", "carom"], capture_output=True, text=True, check=True)
    words = link.stdout.splitlines()[-1].split(" -o carom ")
    assert len(words) == 2, "no link command found"
    subprocess.run(f"{words[0]} -o {folder}/carom {' '.join(objects)} {words[1]}", shell=True, cwd=build, check=True)
    return str(folder / "carom")


def enter() -> None:
    """One transformation for each number and factor."""
    for name in chosen():
        for factor in FACTORS:

            def check(case: Case, name: str = name, factor: float = factor) -> list[str]:
                with _building:
                    path = program_with(case.program.path, name, factor)
                other = programs.Program(path, str(case.program.folder))
                return case.near(other.run_tree(case.tree, case.stem))

            transformation(f"{name} x {factor:g}", ("hybrid", "field"))(check)
