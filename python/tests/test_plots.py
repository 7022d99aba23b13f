# SPDX-License-Identifier: MIT
"""Every plot draws what it is given."""

import carom
import pytest

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

from test_analysis import DECAY, WELLS  # noqa: E402
from test_motion import BALL  # noqa: E402


def test_plots_of_runs(tmp_path):
    run = carom.parse(BALL).run()
    axes = run.plot("y", "y'")
    assert [line.get_label() for line in axes.lines] == ["y", "y'", "impacts"]
    assert run.phase().get_ylabel() == "y'"
    axes.figure.savefig(tmp_path / "run.png")


def test_plots_of_many_runs(tmp_path):
    assert len(carom.parse(DECAY).sweep({"k": (0, 3, 7)}).plot("end").lines) == 1
    axes = carom.parse(WELLS).basin({"x": (-1.05, 1.0, 10), "y": (0, 1, 3)}).plot()
    assert len(axes.get_legend().get_texts()) == 2
    axes.figure.savefig(tmp_path / "basin.png")
