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


def test_second_derivatives_and_grazes():
    ball = carom.load(BALL, {"run.until": 0.7})
    found = ball.sensitivity(of=["y"], by=["e", "h"], second=True)
    s = np.sqrt(2 * 9.81)
    assert np.allclose(found.second[0], [[0, 0.35 * s - 2], [0.35 * s - 2, -1.8 * 0.7 * s / 4]], atol=1e-7)
    assert found.jumps == [] and found.orders == {} and found.touches == []
    text = "title: graze\ncoordinates: {y: {rate: 2}}\nenergy: {kinetic: y'^2/2, potential: y^2/2}\n"
    text += "contacts: {top: {gap: 2 - y, impact: 0.5}}\nrun: {until: 4}\n"
    (touch,) = carom.parse(text).sensitivity(of=["y'"], by=["y'"]).touches
    assert touch.name == "top" and touch.strikes[0] == 1
    # struck at the speed sqrt(4 dv), which the spring turns into -1.5 cos(4 - pi/2) of it
    assert np.allclose(touch.coefficients, -1.5 * 2 * np.cos(4 - np.pi / 2), atol=1e-6)


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


def test_profiles_and_samples_agree_with_errors(tmp_path):
    paths = [tmp_path / "one.csv", tmp_path / "two.csv"]
    for path, h in zip(paths, (1.0, 0.6)):
        path.write_text("floor\n" + "\n".join(map(repr, map(float, clicks(0.8, h, 9.81, 7)))) + "\n")
    fit = carom.load(BALL).fit(
        paths, {"e": (0.3, 0.99)}, errors={"floor": 1e-3}, each={"h": (0.1, 3)}, profiles=True, samples=200, threads=2
    )
    assert fit.names == ["e", "h@1", "h@2"] and np.allclose(fit.values, [0.8, 1, 0.6], rtol=1e-7)
    assert np.allclose(fit.profiles[:, 1] - fit.values, 1.96 * fit.errors, rtol=0.05)
    assert fit.samples.shape == (200, 12, 3) and np.allclose(fit.samples.std(axis=(0, 1)), fit.errors, rtol=0.4)
