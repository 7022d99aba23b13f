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
    line = carom.parse(WELLS).sweep({"x": (-1.0, 1.1, 4)}).plot("regime")
    assert [text.get_text() for text in line.get_yticklabels()] == ["left", "right"]
    plane = carom.parse(WELLS).sweep({"x": (-1.0, 1.1, 4), "y": (0, 1, 2)}).plot("regime")
    assert [text.get_text() for text in plane.get_legend().get_texts()] == ["left", "right"]


def test_plots_of_orbits_branches_and_exponents(scenarios, tmp_path):
    table = carom.load(scenarios / "ball_on_table.yaml")
    axes = table.orbit(turns=1).plot()
    assert axes.get_ylabel() == "y'" and len(axes.lines) == 2
    axes.figure.savefig(tmp_path / "orbit.png")
    assert table.follow({"Gamma": (0.9, 0.95)}, turns=1).plot("y").get_xlabel() == "Gamma"
    assert len(carom.load(scenarios / "lorenz.yaml").lyapunov(time=20.0).plot().lines) == 3
