# SPDX-License-Identifier: MIT
"""Derivatives by inputs, and inputs from measurements."""

from pathlib import Path

import carom
import numpy as np
import pytest


BALL = Path(__file__).resolve().parents[2] / "scenarios" / "bouncing_ball.yaml"


def clicks(e, h, g, count):
    return np.sqrt(2 * h / g) * (1 + 2 * np.array([sum(e**k for k in range(1, n + 1)) for n in range(count)]))


def test_times_of_bounces_know_restitution():
    found = carom.load(BALL, {"run.until": 2}).sensitivity(of=["y", "y'"], by=["e", "h"])
    assert found.slopes.shape == (2, 2) and found.grazes == 0
    assert np.allclose(found.event_times, clicks(0.8, 1, 9.81, 3), rtol=1e-12)
    assert np.allclose(found.event_slopes[:, 1], found.event_times / 2, rtol=1e-9)


def test_clicks_do_not_know_gravity(tmp_path):
    path = tmp_path / "clicks.csv"
    path.write_text("floor\n" + "\n".join(map(repr, map(float, clicks(0.7, 1.2, 9.81, 7)))) + "\n")
    model = carom.load(BALL)
    fit = model.fit([path], {"e": (0.3, 0.99), "h": (0.1, 3)}, errors={"floor": 1e-3})
    assert np.allclose(fit.values, [0.7, 1.2], rtol=1e-8) and fit.unknown.shape == (0, 2)
    fit = model.fit([path], {"e": (0.3, 0.99), "h": (0.1, 3), "g": (5, 15)}, priors={"e": (0.7, 0.1)})
    assert np.isinf(fit.errors[1:]).all() and np.allclose(np.abs(fit.unknown[0]), [0, 0.5**0.5, 0.5**0.5], atol=1e-6)
    with pytest.raises(carom.CaromError, match="is no parameter|q"):
        model.fit([path], {"q": (0, 1)})
