# SPDX-License-Identifier: MIT
"""Numbers that were chosen, not derived: motions do not depend on them. They are those of src/ode/nearness.h and of other sources that
say "Chosen" beside them.

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
from table import Case, NotApplicable, transformation

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HEADER = ROOT / "src/ode/nearness.h"
NUMBER = re.compile(r"((?:^///.*\n)+)^static const double (\w+) = ([-+.\de]+);", re.MULTILINE)
OWN = re.compile(r"^static const double (\w+) =\s+([-+.\de]+);[^\n]*\bChosen\b", re.MULTILINE)  # of one source
FACTORS = (0.1, 10.0)
# Which scenarios a source has to do with: those that have this key; others never come there.
ROOMS = {"src/convex": "bodies", "src/hybrid/patch.c": "bodies"}

_building = threading.Lock()
_folder = tempfile.TemporaryDirectory(prefix="tuned-")


def chosen() -> list[str]:
    """Names of the numbers that the header calls chosen."""
    return [found[2] for found in NUMBER.finditer(HEADER.read_text()) if "Chosen" in found[1]]


def chosen_in_sources() -> list[tuple[pathlib.Path, str]]:
    """Numbers of one source: the source and the name."""
    sources = sorted(ROOT.glob("src/*/*.c"))
    return [(source, found[1]) for source in sources for found in OWN.finditer(source.read_text())]


def compile_command(words: list[str], source: pathlib.Path, target: str, first: str | None = None) -> list[str]:
    """A command of the build for another source and target, with a folder of headers in front."""
    words = list(words)
    words[words.index("-o") + 1] = target
    words[words.index("-c") + 1] = str(source)
    if first:
        words.insert(next(k for k, word in enumerate(words) if word.startswith("-I")), f"-I{first}")
    return words


def link_with(build: pathlib.Path, objects: list[str], folder: pathlib.Path) -> str:
    link = subprocess.run(["ninja", "-C", str(build), "-t", "commands", "carom"], capture_output=True, text=True, check=True)
    words = link.stdout.splitlines()[-1].split(" -o carom ")
    assert len(words) == 2, "no link command found"
    subprocess.run(f"{words[0]} -o {folder}/carom {' '.join(objects)} {words[1]}", shell=True, cwd=build, check=True)
    return str(folder / "carom")


@functools.lru_cache(maxsize=None)
def program_with_own(path: str, source: pathlib.Path, name: str, factor: float) -> str:
    """A program in which a number of one source is `factor` times of what it is."""
    build = pathlib.Path(path).resolve().parent
    folder = pathlib.Path(_folder.name, f"{source.stem}-{name}-{factor}")
    folder.mkdir(parents=True)
    value = next(float(found[2]) for found in OWN.finditer(source.read_text()) if found[1] == name)
    changed, target = folder / source.name, str(folder / (source.stem + ".o"))
    changed.write_text(re.sub(rf"(static const double {name} =\s+)[-+.\de]+;", rf"\g<1>{value * factor!r};", source.read_text()))
    for command in json.loads((build / "compile_commands.json").read_text()):
        if "carom_objects" in command["command"] and pathlib.Path(command["directory"], command["file"]).resolve() == source:
            words = compile_command(shlex.split(command["command"]), changed, target)
            subprocess.run(words, cwd=command["directory"], check=True)
            return link_with(build, [target], folder)
    raise AssertionError(f"{source} is not built")


def compile_users(build: pathlib.Path, name: str, folder: pathlib.Path) -> list[str]:
    objects = []
    for command in json.loads((build / "compile_commands.json").read_text()):
        source = pathlib.Path(command["directory"], command["file"])
        if "carom_objects" not in command["command"] or name not in source.read_text():
            continue
        objects.append(str(folder / (source.stem + ".o")))
        words = compile_command(shlex.split(command["command"]), source, objects[-1], str(folder))
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
    return link_with(build, objects, folder)


def needs_of(source: pathlib.Path) -> str | None:
    name = str(source.relative_to(ROOT))
    return next((key for room, key in ROOMS.items() if name.startswith(room)), None)


def enter_own(source: pathlib.Path, name: str, factor: float) -> None:
    needs = needs_of(source)

    def check(case: Case) -> list[str]:
        if needs and needs not in case.tree:
            raise NotApplicable(f"it has no {needs}")
        with _building:
            path = program_with_own(case.program.path, source, name, factor)
        other = programs.Program(path, str(case.program.folder))
        return case.near(other.run_tree(case.tree, case.stem))

    transformation(f"{name} of {source.stem} x {factor:g}", ("hybrid",))(check)


def enter() -> None:
    """One transformation for each number and factor."""
    for source, name in chosen_in_sources():
        for factor in FACTORS:
            enter_own(source, name, factor)
    for name in chosen():
        for factor in FACTORS:

            def check(case: Case, name: str = name, factor: float = factor) -> list[str]:
                with _building:
                    path = program_with(case.program.path, name, factor)
                other = programs.Program(path, str(case.program.folder))
                return case.near(other.run_tree(case.tree, case.stem))

            transformation(f"{name} x {factor:g}", ("hybrid", "field"))(check)
