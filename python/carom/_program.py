# SPDX-License-Identifier: MIT
"""The carom program, which records runs and draws them: results are the same to the last bit."""

from __future__ import annotations

import html
import json
import subprocess
import sys
import tempfile
import webbrowser
from collections.abc import Callable, Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._library import CaromError, find_program

from ._source import Value, written

if TYPE_CHECKING:
    from .model import Model


def call(*words: str) -> None:
    """Runs the program; what it calls an error is one here. Exit 3 (a certificate that did not pass) is none:
    the run has said so."""
    program = find_program()
    if not program:
        raise CaromError("the carom program was not found: it is in the wheel, in Debian's package carom, or $CAROM_PROGRAM")
    done = subprocess.run([program, *words, "--json"], capture_output=True, text=True)
    if done.returncode not in (0, 3):
        raise CaromError(_reason(done.stdout) or done.stderr.strip() or f"carom {words[0]} failed")


def _reason(answer: str) -> str:
    try:
        return str(json.loads(answer)["error"]["text"])
    except (ValueError, KeyError):
        return ""


def record(model: Model, values: Mapping[str, Value], path: str | PathLike[str], option: str = "--out") -> None:
    """The run once more, recorded."""
    given = {**model._source.settings, **values}
    with model._source.as_file() as file:
        words = [word for name, value in given.items() for word in ("--set", f"{name}={written(value)}")]
        call("run", file, *words, option, fspath(path))


def page(model: Model, values: Mapping[str, Value], path: str | PathLike[str], of: Sequence[str] = ()) -> None:
    """The run as a page for a browser."""
    with tempfile.TemporaryDirectory() as folder:
        recorded = str(Path(folder) / "run.h5")
        record(model, values, recorded)
        call("report", recorded, "--out", fspath(path), *(["--of", ",".join(of)] if of else []))


def movie(model: Model, values: Mapping[str, Value], path: str | PathLike[str], options: Mapping[str, Any]) -> None:
    """The run as a movie."""
    with tempfile.TemporaryDirectory() as folder:
        recorded = str(Path(folder) / "run.h5")
        record(model, values, recorded)
        words = [word for name, value in options.items() if value is not None for word in (f"--{name}", str(value))]
        call("movie", recorded, "--out", fspath(path), *words)


def in_notebook() -> bool:
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return shell is not None and hasattr(shell, "kernel")


def lab_page(model: Model, values: Mapping[str, Value], path: str | PathLike[str]) -> None:
    """The scenario as a page in which it runs."""
    given = {**model._source.settings, **values}
    with model._source.as_file() as file:
        words = [word for name, value in given.items() for word in ("--set", f"{name}={written(value)}")]
        call("lab", file, *words, "--out", fspath(path))


def show(write: Callable[[str], None], height: int) -> Any:
    """A page that ``write`` writes: in the cell of a notebook, else in the browser."""
    if not in_notebook():
        with tempfile.NamedTemporaryFile(suffix=".html", prefix="carom-", delete=False) as kept:
            write(kept.name)
        webbrowser.open(Path(kept.name).as_uri())
        return None
    from IPython.display import HTML

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.html"
        write(str(path))
        text = html.escape(path.read_text(encoding="utf-8"))
    return HTML(f'<iframe srcdoc="{text}" style="width:100%;height:{height}px;border:1px solid #ccc"></iframe>')
