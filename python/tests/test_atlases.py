# SPDX-License-Identifier: MIT
"""Curves in two parameters, and basins along one."""

import pickle

import carom
import matplotlib

matplotlib.use("Agg")
import numpy as np
import pytest


def test_the_flip_of_a_ball_on_a_table(scenarios):
    atlas = carom.load(scenarios / "ball_on_table.yaml").atlas({"Gamma": (0.7, 1.3)}, also={"e": (0.6, 0.9)})
    (curve,) = atlas.curves
    assert curve.name == "flip" and {what for what, _, _ in curve.special} == {"start", "bound"}
    gamma, e = curve.values.T
    # Luo and Han 1996
    a, b = np.pi * (1 - e) / (1 + e), 2 * (1 + e**2) / (1 + e) ** 2
    assert np.allclose(gamma, np.hypot(a, b), rtol=1e-8)
    assert curve.coefficients.shape == (len(e), 2) and not curve.virtual.any() and not any(curve.why)
    axes = atlas.plot()
    assert axes.get_xlabel() == "Gamma" and axes.get_ylabel() == "e"
    assert pickle.loads(pickle.dumps(atlas)).curves[0].words == curve.words
    with pytest.raises(carom.CaromError):
        carom.load(scenarios / "ball_on_table.yaml").atlas({}, also={"e": (0.6, 0.9)})


def test_wells_that_are_tilted():
    text = "title: wells\nparameters: {b: 0}\ncoordinates: {x: 0}\n"
    text += "energy: {kinetic: x'^2/2, potential: x^4/4 - x^2/2 - b*x, dissipation: 0.2*x'^2}\n"
    text += "run: {until: 80, rtol: 1e-8}\nmeasure: {after: 75}\nobserve: {where: mean(x)}\n"
    course = carom.parse(text).basin_course({"x": (-2, 2, 12), "x'": (-2, 2, 12)}, along={"b": (-0.42, 0.42, 7)})
    assert course.shares.shape == (7, 2) and np.allclose(course.shares.sum(axis=1), 1)
    assert np.allclose(course.shares, course.shares[::-1, ::-1]) and course.entropy[0] == 0
    begins, ends = course.tips
    assert begins.begins and not ends.begins and ends.other == 1
    assert ends.between[0] < 2 / 27**0.5 < ends.between[1]
    assert course.attractor(0, 6) is None and course.attractor(1, 6).fraction == 1
    assert course.plot().get_xlabel() == "b"


def test_the_loops_of_two_wells():
    text = "title: wells\ncoordinates: {x: 1.2}\nenergy: {kinetic: x'^2/2, potential: x^4/4 - x^2/2}\nrun: {until: 60}\n"
    manifolds = carom.parse(text).manifolds({"x": (-2, 2), "x'": (-1, 1)}, points=300)
    (saddle,) = manifolds.saddles
    assert np.allclose(saddle.at, 0, atol=1e-9) and np.isclose(saddle.unstable * saddle.stable, 1)
    assert [b.stable for b in saddle.branches] == [True, True, False, False]
    for branch in saddle.branches:
        x, v = branch.points.T
        assert np.allclose(v**2, x**2 - x**4 / 2, atol=1e-7)
    assert len(manifolds.plot().lines) == 5 and pickle.loads(pickle.dumps(manifolds)).names == ["x", "x'"]
    with pytest.raises(carom.CaromError):
        carom.parse(text).manifolds({"x": (-2, 2)})
