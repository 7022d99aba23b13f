# SPDX-License-Identifier: MIT
"""Results as tables of pandas, which is imported only here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from ._library import CaromError

if TYPE_CHECKING:
    from pandas import DataFrame

    from .analysis import Basin, Diagram, Sweep
    from .orbits import Branches
    from .simulation import Run


def _frame(columns: Mapping[str, Any], index: str | None = None) -> DataFrame:
    try:
        import pandas
    except ImportError:
        raise CaromError("pandas is not installed: `pip install pandas`, or python3-pandas in Debian") from None
    made = pandas.DataFrame(dict(columns))
    return made.set_index(index) if index else made


def _rows(items: Iterable[Any], left_out: tuple[str, ...] = ()) -> dict[str, list[Any]]:
    """Fields of a list of dataclasses as columns."""
    items = list(items)
    names = [field.name for field in fields(items[0]) if field.name not in left_out] if items else []
    return {name: [getattr(item, name) for item in items] for name in names}


def frame_of_run(run: Run) -> DataFrame:
    columns = {name: run[name] for name in [*run.columns, *run._contacts]}
    return _frame({name: np.array(values) for name, values in columns.items()}, index="t")


def frame_of_events(run: Run) -> DataFrame:
    columns: dict[str, Any] = _rows(run.events, ("before", "after", "energy_before", "energy_after"))
    state = run.columns[1 : 1 + len(run.events[0].before)] if run.events else []
    for k, name in enumerate(state):
        columns[f"{name} before"] = [event.before[k] for event in run.events]
        columns[f"{name} after"] = [event.after[k] for event in run.events]
    return _frame(columns)


def frame_of_sweep(sweep: Sweep) -> DataFrame:
    told = {"word": sweep.words, "regime": sweep.regimes, "passed": sweep.passed, "failure": sweep.failures}
    return _frame({**{name: sweep[name] for name in [*sweep.axes, *sweep.observables]}, **told})


def frame_of_diagram(diagram: Diagram) -> DataFrame:
    """One row a crossing."""
    seen = [(p, value) for p in diagram.points for value in p.crossings]
    return _frame({
        diagram.parameter: [p.value for p, _ in seen],
        diagram.observable: [value for _, value in seen],
        "direction": [p.direction for p, _ in seen],
        "period": [p.period for p, _ in seen],
        "word": [p.word for p, _ in seen],
    })


def frame_of_branches(branches: Branches) -> DataFrame:
    columns: dict[str, Any] = {branches.parameter: branches[branches.parameter], **_rows(branches.points, ("value", "state", "top"))}
    return _frame({**columns, **{name: branches[name] for name in branches.columns}})


def frame_of_basin(basin: Basin) -> DataFrame:
    """One row an attractor."""
    columns = _rows(basin.attractors, ("values",))
    names = list(basin.attractors[0].values) if basin.attractors else []
    return _frame({**columns, **{name: [a.values[name] for a in basin.attractors] for name in names}})
