#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs the code blocks of the documentation.  usage: check_docs.py BUILD_FOLDER PAGE.md...

A page is one story: its blocks run in order, in one empty folder that sees scenarios/ and studies/.
  ```sh      run by bash, stopping at the first error
  ```yaml    written to the file its first line names ("# ball.yaml") and checked
  ```python  run by Debian's Python with the package of the source tree
  ```c       compiled, not linked
  Blocks for other programs say so in their first line, "# ball.py, needs siconos", and are left out where that is not
  installed (scripts/packages.txt, group peers); a name there is the file the block is written to:
  ```octave  run by GNU Octave
  ```c       compiled, linked with the library and run
  ```fortran, ```auto   written only
  A notebook (NAME.py) is run as a whole, in such a folder too.
  ```text    takes too long or asks for machines that are not here: of its carom commands the words are checked
  ```console and languages that are not here (julia, matlab) are only shown
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCES = Path(__file__).resolve().parent.parent
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)


def environment(build: Path) -> dict[str, str]:
    return {
        **os.environ,
        "PATH": f"{build}:{os.environ['PATH']}",
        "PYTHONPATH": str(SOURCES / "python"),
        "CAROM_LIBRARY": str(build / "libcarom.so"),
        "CAROM_PROGRAM": str(build / "carom"),
        "MPLBACKEND": "Agg",
        "NO_COLOR": "1",
    }


def yaml_block(text: str, folder: Path) -> list[str]:
    name = re.match(r"# ([\w.-]+\.yaml)\n", text)
    file = folder / (name.group(1) if name else "unnamed.yaml")
    file.write_text(text, encoding="utf-8")
    return ["carom", "check", file.name]


def c_block(text: str, folder: Path, build: Path) -> list[str]:
    if "main(" not in text:
        head = "".join(re.findall(r"^#include.*\n", text, re.M))
        body = re.sub(r"^#include.*\n", "", text, flags=re.M)
        text = f"{head}int main(void) {{\n{body}\nreturn 0;\n}}\n"
    (folder / "block.c").write_text(text, encoding="utf-8")
    flags = [f"-I{SOURCES / 'include'}", f"-I{build / 'include'}"]
    return ["cc", "-std=c17", "-fsyntax-only", *flags, "block.c"]


PEERS = {
    "siconos": ["/usr/bin/python3", "-c", "import siconos.kernel"],
    "octave": ["octave-cli", "--version"],
    "auto-07p": ["sh", "-c", "command -v auto-07p gfortran"],
    "mujoco": ["cc", "-include", "mujoco/mujoco.h", "-E", "-x", "c", "/dev/null"],
}


def peer_of(text: str) -> str:
    """The program of others that a block needs, "" for none."""
    found = re.search(r"\bneeds ([\w-]+)$", text.partition("\n")[0])
    return found.group(1) if found else ""


def is_installed(peer: str) -> bool:
    try:
        return subprocess.run(PEERS[peer], capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


def peer_command(language: str, peer: str, text: str, folder: Path) -> list[str] | None:
    named = re.search(r"([\w-]+\.\w+), needs", text.partition("\n")[0])
    if named:
        (folder / named.group(1)).write_text(text, encoding="utf-8")
    match language:
        case "octave":
            return ["octave-cli", "--quiet", named.group(1)] if named else ["octave-cli", "--quiet", "--eval", text]
        case "c" if named:
            return ["sh", "-c", f"cc {named.group(1)} -l{peer} -lm -o peer && ./peer"]
        case "sh" | "python":
            return command_of(language, text, folder, Path())
    return None


def command_of(language: str, text: str, folder: Path, build: Path) -> list[str] | None:
    match language:
        case "sh":
            return ["bash", "-euo", "pipefail", "-c", text]
        case "python":
            return ["/usr/bin/python3", "-c", text]
        case "yaml":
            return yaml_block(text, folder)
        case "c":
            return c_block(text, folder, build)
    return None


def misspelt(text: str, folder: Path, build: Path) -> list[str]:
    """What is wrong in the words of carom commands that are not run: commands, options, files of scenarios/."""
    wrong = []
    for line in text.replace("\\\n", " ").splitlines():
        found = re.search(r"(?:^|[(&] *|-n \d+ )carom ([a-z]+)( [^)]*)?", line)
        if not found:
            continue
        told = subprocess.run(["carom", "help", found.group(1)], env=environment(build), capture_output=True, text=True)
        if told.returncode != 0:
            wrong.append(f"there is no command '{found.group(1)}': {line}")
        for word in shlex.split(found.group(2) or "", comments=True):
            option = re.match(r"--[a-z-]+", word)
            if option and not re.search(rf"^  {option.group(0)}\b", told.stdout, re.M):
                wrong.append(f"carom {found.group(1)} has no {option.group(0)}: {line}")
            if word.startswith("scenarios/") and not (folder / word).exists():
                wrong.append(f"there is no {word}: {line}")
    return wrong


def blocks_of(page: Path) -> list[tuple[int, str, str]]:
    """Line, language and text of each block."""
    content = page.read_text(encoding="utf-8")
    if page.suffix == ".py":
        return [(1, "python", content)]
    return [(content.count("\n", 0, found.start()) + 1, found.group(1), found.group(2)) for found in FENCE.finditer(content)]


def check_page(page: Path, build: Path) -> int:
    """How many blocks failed."""
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for shared in ("scenarios", "studies"):
            (folder / shared).symlink_to(SOURCES / shared)
        for line, language, text in blocks_of(page):
            wrong = misspelt(text, folder, build) if language == "text" else []
            failed += len(wrong)
            for problem in wrong:
                print(f"{page.name}:{line}: {problem}")
            peer = peer_of(text)
            if peer and not is_installed(peer):
                print(f"{page.name}:{line}: {language}: not tried, {peer} is not installed")
                continue
            command = peer_command(language, peer, text, folder) if peer else command_of(language, text, folder, build)
            if not command:
                continue
            done = subprocess.run(command, cwd=folder, env=environment(build), capture_output=True, text=True)
            print(f"{page.name}:{line}: {language}: {'ok' if done.returncode == 0 else 'FAILED'}")
            if done.returncode != 0:
                failed += 1
                print(done.stdout[-2000:], done.stderr[-2000:], sep="\n")
    return failed


def main() -> int:
    build = Path(sys.argv[1]).resolve()
    failed = sum(check_page(Path(page), build) for page in sys.argv[2:])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
