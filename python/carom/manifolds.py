# SPDX-License-Identifier: MIT
"""Saddles of a section and their stable and unstable manifolds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ._library import CaromError, CData, check, ffi, lib, new_error, text_of
from ._watch import Watcher
from .analysis import _Axes
from .simulation import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .model import Model, Progress


@dataclass(frozen=True)
class ManifoldBranch:
    """Half of a manifold, from its saddle on."""

    stable: bool
    side: int  # 1 or -1: along the eigenvector or against it
    points: Array  # count x 2; NaN parts pieces
    end: str  # why it ends


@dataclass(frozen=True)
class Saddle:
    """A saddle of the section, with its four branches."""

    at: tuple[float, float]
    unstable: float  # multipliers of a turn
    stable: float
    period: float  # how long a turn lasts
    branches: list[ManifoldBranch]


class Manifolds:
    """All saddles that were found in a box; ``names`` are those of the axes."""

    def __init__(self, raw: CData, names: list[str]):
        self.names = names
        branches = [lib.carom_manifold_branch_at(raw, k) for k in range(lib.carom_manifold_branches(raw))]
        self.saddles = []
        for k in range(lib.carom_manifold_saddles(raw)):
            s = lib.carom_manifold_saddle(raw, k)
            own = [self._branch(b) for b in branches if b.saddle == k]
            self.saddles.append(Saddle((s.at[0], s.at[1]), s.unstable, s.stable, s.period, own))

    @staticmethod
    def _branch(b: CData) -> ManifoldBranch:
        size = 2 * b.count * ffi.sizeof("double")
        numbers = np.frombuffer(ffi.buffer(b.points, size), dtype=float).reshape(-1, 2).copy()
        return ManifoldBranch(bool(b.stable), b.side, numbers, text_of(b.end))

    def __repr__(self) -> str:
        return f"<Manifolds of {len(self.saddles)} saddles in the plane of {' and '.join(self.names)}>"

    def plot(self, axes: Axes | None = None) -> Axes:
        """The branches, stable ones black; into the picture of a basin with ``axes=basin.plot()``."""
        from .plotting import plot_manifolds

        return plot_manifolds(self, axes)


def run_manifolds(
    model: Model, over: Mapping[str, tuple[float, float]], turns: int, points: int, threads: int, progress: Progress
) -> Manifolds:
    if len(over) != 2:
        raise CaromError("manifolds are drawn over two start values")
    axes, watcher = _Axes({name: (low, high, 2) for name, (low, high) in over.items()}), Watcher(progress)
    options = ffi.new("carom_manifold_options *", lib.carom_manifold_options_default())
    options.model, options.axes, options.turns = model._raw, axes.raw, turns
    options.points, options.threads, options.watcher = points, threads, watcher.raw
    error, made = new_error(), ffi.new("carom_manifold **")
    status = lib.carom_manifold_run(options, made, error)
    watcher.finish()
    check(status, error)
    return Manifolds(ffi.gc(made[0], lib.carom_manifold_destroy), axes.names)
