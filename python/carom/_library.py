# SPDX-License-Identifier: MIT
"""The shared library and its declarations, read from the public headers themselves.

Nothing is declared twice: the text of ``include/carom/*.h`` is reduced to what cffi understands
(no comments, no preprocessor), so a function added to a header can be called from here at once.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import cffi

CData = Any  # a C object of cffi, which has no types of its own

_PACKAGE = Path(__file__).resolve().parent
_SOURCES = _PACKAGE.parent.parent

# these need HDF5 (library carom_record), or are included for the C preprocessor alone
_LEFT_OUT = {"record.h", "table.h", "carom.h"}

VERSION = "0.2.0"


def no_column(name: str, known: Iterable[str], more: str = "") -> KeyError:
    """What to raise for a column that does not exist: the nearest name, and all there are."""
    names = list(known)
    near = get_close_matches(name, names, 1)
    meant = f"did you mean '{near[0]}'? " if near else ""
    return KeyError(f"no column '{name}'; {meant}there are {', '.join(names)}{more}")


class CaromError(Exception):
    """What went wrong and where. ``status`` is the name of the C status code; ``file``, ``line``
    and ``column`` are set for mistakes in a scenario, ``t`` and ``expression`` for failed runs."""

    def __init__(self, text: str, status: str = "CAROM_ERR_ARGUMENT"):
        super().__init__(text)
        self.status = status
        self.file: str | None = None
        self.line: int | None = None
        self.column: int | None = None
        self.t: float | None = None
        self.expression: str | None = None


def _first_that_exists(candidates: Iterable[str | Path | None]) -> Path | None:
    return next((Path(path) for path in candidates if path and Path(path).exists()), None)


def find_library() -> str:
    """Where libcarom is: $CAROM_LIBRARY, beside this package, the build folder, the system."""
    found = _first_that_exists(
        [
            os.environ.get("CAROM_LIBRARY"),
            _PACKAGE / "libcarom.so",
            _SOURCES / "build" / "libcarom.so",
        ]
    )
    return str(found) if found else "libcarom.so.0"


def find_program() -> str | None:
    """The carom program: $CAROM_PROGRAM, beside this package, the build folder, the path; None: nowhere."""
    found = _first_that_exists(
        [
            os.environ.get("CAROM_PROGRAM"),
            _PACKAGE / "bin" / "carom",
            _SOURCES / "build" / "carom",
        ]
    )
    return str(found) if found else shutil.which("carom")


def find_scenarios() -> Path | None:
    """The folder of the scenarios that come along: beside this package, the source tree, the system."""
    return _first_that_exists(
        [
            _PACKAGE / "share" / "carom" / "scenarios",
            _SOURCES / "scenarios",
            Path("/usr/local/share/carom/scenarios"),
            Path("/usr/share/carom/scenarios"),
        ]
    )


def find_headers() -> Path:
    """The folder of the public headers: beside this package, the source tree, the system."""
    found = _first_that_exists(
        [
            _PACKAGE / "include",
            _SOURCES / "include" / "carom",
            Path("/usr/local/include/carom"),
            Path("/usr/include/carom"),
        ]
    )
    if not found:
        raise ImportError("carom: the headers were not found; install the package from the source tree")
    return found


def _status_enum(text: str) -> str:
    """The list of status codes, a macro in the header, as an enumeration."""
    names = re.findall(r"X\((CAROM_\w+), (-?\d+),", text)
    body = ", ".join(f"{name} = {value}" for name, value in names)
    return "typedef enum carom_status { " + body + " } carom_status;"


def _declarations_of(path: Path) -> str:
    """One header without comments, preprocessor lines and what is for the compiler alone."""
    text = path.read_text(encoding="utf-8")
    enum = _status_enum(text) if path.name == "status.h" else ""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r"//.*", "", text)
    text = re.sub(r"#ifdef __cplusplus.*?#endif", "", text, flags=re.S)
    text = re.sub(r"^[ \t]*#(?:.*\\\n)*.*$", "", text, flags=re.M)
    text = re.sub(r"typedef enum carom_status \{.*?\} carom_status;", "", text, flags=re.S)
    text = re.sub(r"\bCAROM_API\b|CAROM_PRINTF\([^)]*\)", "", text)
    return enum + text


def declarations(folder: Path) -> str:
    """All headers, each after those it includes."""
    done: list[str] = []
    texts: list[str] = []

    def visit(name: str) -> None:
        if name in done or name in _LEFT_OUT:
            return
        done.append(name)
        source = (folder / name).read_text(encoding="utf-8")
        for needed in re.findall(r'#include "carom/(\w+\.h)"', source):
            visit(needed)
        texts.append(_declarations_of(folder / name))

    for path in sorted([*folder.glob("*.h"), *folder.glob("version.h.in")]):
        visit(path.name)
    return "\n".join(texts)


def _open_library() -> CData:
    """The library, which must be of this package's version: before 1.0 interfaces change with the minor."""
    opened = ffi.dlopen(find_library())
    found = text_of(opened.carom_version())
    if found.split(".")[:2] != VERSION.split(".")[:2]:
        raise ImportError(f"carom: this package is of version {VERSION}, the library {find_library()} of {found}")
    return opened


def text_of(pointer: CData) -> str:
    """A C string, "" for NULL."""
    return str(ffi.string(pointer).decode("utf-8", "replace")) if pointer else ""


ffi = cffi.FFI()
ffi.cdef(declarations(find_headers()))
lib = _open_library()


def owned_text(pointer: CData) -> str:
    """A text that the library made for us."""
    text = text_of(pointer)
    lib.carom_text_destroy(pointer)
    return text


def new_error() -> CData:
    return ffi.new("carom_error *")


def raise_error(status: int, error: CData) -> None:
    """The C error as an exception."""
    text = text_of(error.text) or text_of(lib.carom_status_text(status))
    file = text_of(error.file)
    message = f"{file}:{error.line}:{error.column}: {text}" if file and error.line else text
    raised = CaromError(message, ffi.typeof("carom_status").elements.get(status, str(status)))
    if file:
        raised.file, raised.line, raised.column = file, error.line, error.column
    if error.moving:
        raised.t = error.t
        raised.expression = text_of(error.expression) or None
    raise raised


def check(status: int, error: CData) -> int:
    """Raises for an error; gives back what is no error (0, or an early but valid stop)."""
    if status < 0:
        raise_error(status, error)
    return status
