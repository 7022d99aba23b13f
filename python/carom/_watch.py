# SPDX-License-Identifier: MIT
"""Long work is watched: progress to a function, to the cell of a notebook or to standard error; Ctrl-C stops it."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING

from ._library import CData, ffi, lib

if TYPE_CHECKING:
    from .model import Progress
    from .simulation import Simulation

Report = Callable[[int, int, float], None]


class Watcher:
    """Progress to a function, to the cell of a notebook or to a line on standard error; Ctrl-C stops
    the work cleanly."""

    def __init__(self, progress: Progress):
        self._report = _reporter(progress)
        self._raised: BaseException | None = None
        # Ctrl-C may be raised at any line of a callback, also at its first: `onerror` sees all of them
        self._stopped = ffi.callback("bool(void *)", self._is_stopped, error=True, onerror=self._on_error)
        self._progress = ffi.callback("void(void *, long, long, double)", self._on_progress, onerror=self._on_error)
        self.raw = {"ctx": ffi.NULL, "stopped": self._stopped, "progress": self._progress}

    def _is_stopped(self, _ctx: CData) -> bool:
        return self._raised is not None

    def _on_progress(self, _ctx: CData, done: int, total: int, left: float) -> None:
        if self._report:
            self._report(done, total, left)

    def _on_error(self, _kind: type[BaseException], raised: BaseException, _trace: TracebackType) -> None:
        self._raised = raised

    def finish(self) -> None:
        if self._report is _print_progress:
            print(file=sys.stderr)
        if self._raised is not None:
            raise self._raised


def move(simulation: Simulation, call: Callable[[], int], progress: Progress) -> int:
    """Lets ``call`` move the simulation in a thread of its own, while this one listens to Ctrl-C and shows
    the time that was reached in thousandths of the run. Gives back what ``call`` does."""
    report, flag, result = _reporter(progress), ffi.new("int *"), [0]

    def work() -> None:
        result[0] = call()

    worker = threading.Thread(target=work, daemon=True)
    lib.carom_simulation_heed(simulation._raw, ffi.addressof(lib, "carom_stop_flag"), flag)
    worker.start()
    try:
        _wait(worker, simulation, report)
    finally:
        # also where Ctrl-C or the report has raised: the thread ends before its next step
        flag[0] = 1
        worker.join()
        lib.carom_simulation_heed(simulation._raw, ffi.NULL, ffi.NULL)
        if report is _print_progress:
            print(file=sys.stderr)
    return result[0]


def _wait(worker: threading.Thread, simulation: Simulation, report: Report | None) -> None:
    first, began = simulation.t, time.monotonic()
    worker.join(0.1)
    while worker.is_alive():
        share = (simulation.t - first) / (simulation.until - first)
        left = (time.monotonic() - began) * (1 / share - 1) if share > 0 else -1.0
        if report:
            report(round(1000 * share), 1000, left)
        worker.join(0.1)
    if report:
        report(1000, 1000, 0.0)


def _reporter(progress: Progress) -> Report | None:
    return (_notebook_progress() or _print_progress) if progress is True else progress or None


def _left(done: int, total: int, left: float) -> str:
    return f", {left:.0f} s left" if left >= 0 and done < total else ""


def _print_progress(done: int, total: int, left: float) -> None:
    share = done / total if total else 1.0
    bar = "#" * round(30 * share)
    print(f"\r[{bar:<30}] {done}/{total}{_left(done, total, left):<15}", end="", file=sys.stderr, flush=True)


def _notebook_progress() -> Report | None:
    """A bar in the output cell of a notebook; None outside of one."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if shell is None or not hasattr(shell, "kernel"):
        return None
    from IPython.display import HTML, display

    handle = display(HTML(""), display_id=True)

    def show(done: int, total: int, left: float) -> None:
        handle.update(HTML(f"<progress value={done} max={total or 1}></progress> {done}/{total}{_left(done, total, left)}"))

    return show
