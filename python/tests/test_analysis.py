# SPDX-License-Identifier: MIT
"""Many runs from Python."""

import sys
import types

import carom
import numpy as np
import pytest

DECAY = {
    "parameters": {"k": 2},
    "states": {"x": {"start": 1, "rate": "-k*x"}},
    "run": {"until": 1, "sample": 0.1},
    "observe": {"end": "last(x)"},
}


def test_names_and_values_of_a_sweep_go_into_a_dictionary():
    with pytest.raises(TypeError, match="'omega': "):
        carom.parse(DECAY).sweep("omega", [1, 2])
    with pytest.raises(TypeError, match=r"follow\(\{'k': \(0, 1\)\}\)"):
        carom.parse(DECAY).follow("k", (0, 1))


def test_a_sweep_point_equals_its_single_run():
    model = carom.parse(DECAY)
    seen = []
    sweep = model.sweep({"k": (0, 3, 7), "x": [1.0, 2.0]}, progress=lambda *state: seen.append(state))
    assert sweep.shape == (7, 2) and len(sweep) == 14 and sweep.passed.all()
    assert np.allclose(sweep.grid("end"), np.exp(-np.linspace(0, 3, 7))[:, None] * [1, 2], rtol=1e-8)
    for k, x, end in zip(sweep["k"], sweep["x"], sweep["end"]):
        assert model.run({"k": k, "x": x}).observables["end"] == end
    assert seen and seen[-1][:2] == (14, 14)


def test_threads_change_nothing():
    model = carom.parse(DECAY)
    one, two = (model.sweep({"k": (0, 3, 40)}, threads=n)["end"] for n in (1, 2))
    assert np.array_equal(one, two)


def test_random_points_repeat_with_their_seed():
    model = carom.parse(DECAY)
    first, again, other = (model.sweep({"k": (0, 3, 2)}, random=9, seed=s)["k"] for s in (1, 1, 2))
    assert len(first) == 9 and np.array_equal(first, again) and not np.array_equal(first, other)


# x' = x - x^3: two attractors, divided at 0
WELLS = {
    "states": {"x": {"start": 0.1, "rate": "x - x^3"}, "y": {"start": 0, "rate": "-y"}},
    "run": {"until": 30, "sample": 1},
    "measure": {"after": 29},
    "observe": {"end": "last(x)"},
    "regimes": {"left": "end < 0", "right": "end > 0"},
}


def test_a_basin_has_two_sides():
    basin = carom.parse(WELLS).basin({"x": (-1.05, 1.0, 10), "y": (0, 1, 3)})
    assert sorted(a.regime for a in basin.attractors) == ["left", "right"]
    names = np.array([a.regime for a in basin.attractors])[basin.numbers]
    assert np.array_equal(names == "right", (basin.x > 0)[:, None].repeat(3, axis=1))
    assert sum(a.fraction for a in basin.attractors) == pytest.approx(1)


def test_a_diagram_of_the_ball_on_a_table(scenarios):
    model = carom.load(scenarios / "ball_on_table.yaml")
    parameter = "A" if "A" in model.parameters else model.parameters[0]
    value = model.simulation()[parameter]
    diagram = model.bifurcate({parameter: (value, 1.01 * value, 3)}, section=model.contacts[0], keep=4)
    assert [p.value for p in diagram.points] == pytest.approx([value, 1.005 * value, 1.01 * value])
    assert all(len(p.crossings) for p in diagram.points)


def test_a_critical_value_is_located():
    # the stop is reached when the start is high enough: the word gains an impact
    wall = {
        "parameters": {"a": 0.5},
        "coordinates": {"x": "a"},
        "energy": {"kinetic": "x'^2/2", "potential": "x^2/2"},
        "contacts": {"stop": {"gap": "1 + x", "impact": {"law": "newton", "e": 1}}},
        "run": {"until": 40, "sample": 0.1},
    }
    found = carom.parse(wall).locate("a", (0.5, 1.5), tolerance=1e-6)
    assert found.value == pytest.approx(1.0, abs=2e-6)
    assert "I" in found.far_word and "I" not in found.near_word


def test_two_axes_for_a_diagram_are_refused():
    with pytest.raises(carom.CaromError):
        carom.parse(DECAY).bifurcate({"k": (0, 1, 2), "x": (0, 1, 2)})


def test_the_periodic_motion_of_the_ball_and_its_multipliers(scenarios):
    # one impact per period: the product of the multipliers is e^2 (Luo and Han 1996)
    model = carom.load(scenarios / "ball_on_table.yaml")
    e, f = model.simulation()["e"], model.simulation()["f"]
    orbit = carom.load(scenarios / "ball_on_table.yaml", set={"run.period": "1/f"}).orbit(turns=1)
    assert orbit.period == pytest.approx(1 / f) and orbit.kind == "stable"
    assert orbit.state.shape == (2,) and orbit.word == "F I"
    assert np.prod(orbit.multipliers) == pytest.approx(e**2, rel=1e-9)


def test_exponents_of_lorenz(scenarios):
    # 0.9056, 0, -14.5723 (Sprott 2003); their sum is the trace of the Jacobian
    found = carom.load(scenarios / "lorenz.yaml").lyapunov(time=300.0)
    assert found.values[0] == pytest.approx(0.906, abs=0.05)
    assert found.values.sum() == pytest.approx(-41 / 3, rel=1e-6)


def test_a_branch_is_followed_beyond_its_flip(scenarios):
    # one impact a period loses its stability at sqrt((pi (1-e)/(1+e))^2 + (2 (1+e^2)/(1+e)^2)^2) (Luo and Han 1996)
    model = carom.load(scenarios / "ball_on_table.yaml", set={"run.period": "1/f"})
    e = model.simulation()["e"]
    flip = np.hypot(np.pi * (1 - e) / (1 + e), 2 * (1 + e**2) / (1 + e) ** 2)
    found = model.follow({"Gamma": (0.9, 1.2)}, switches=1, turns=1)
    (special,) = [p for p in found.special if p.label == "flip" and p.branch == 0]
    assert special.value == pytest.approx(flip, rel=1e-8) and special.multiplier.real == pytest.approx(-1, abs=1e-5)
    first = [p for p in found.points if p.branch == 0]
    assert {p.kind for p in first if p.value > 1.001 * flip} == {"unstable"}
    assert {p.kind for p in first if p.value < 0.999 * flip} == {"stable"}
    # twice the period branches off there, and is stable
    second = [p for p in found.points if p.branch == 1]
    assert second and second[-1].period == pytest.approx(2 * first[0].period) and second[-1].kind == "stable"
    assert found["Gamma"].shape == found["y"].shape == (len(found),)
    assert {p.why for p in found.points} == {""}


def test_a_word_goes_on_beyond_its_end_as_virtual_motions(scenarios):
    wiper = carom.load(scenarios / "frictional_impact_oscillator.yaml", set={"mu": 0.395, "e": 0})
    orbit = wiper.orbit()
    assert orbit.word_fixed and not orbit.virtual and orbit.fault == "" and orbit.event_states.shape == (len(orbit.event_times), len(orbit.state)) == (4, 4)
    found = wiper.follow({"mu": (0.395, 0.385)}, virtual=True)
    assert {p.virtual for p in found.points if p.branch == 0} == {False}
    assert {p.virtual for p in found.points if p.branch == 1} == {True}


def test_an_equilibrium_is_followed_through_its_hopf_point(scenarios):
    # tan(phi) = mu where the sliding arm begins to swing
    wiper = carom.load(scenarios / "frictional_impact_oscillator.yaml")
    found = wiper.follow({"mu": (0.3, 0.5)}, equilibrium=True, mode="+")
    (hopf,) = [p for p in found.special if p.label == "hopf"]
    assert hopf.value == pytest.approx(np.tan(hopf.state[1]), rel=1e-8) and hopf.value == pytest.approx(0.409778166, abs=1e-8)


def test_results_say_what_they_are_and_what_they_have(scenarios):
    model = carom.load(scenarios / "frictional_impact_oscillator.yaml", set={"run.until": "12", "measure.after": "8"})
    sweep = model.sweep({"mu": (0.3, 0.5, 2), "e": [0.0, 0.2]}, observe=["hop"])
    assert repr(sweep) == "<Sweep of 2 x 2 points over mu, e: hop>"
    with pytest.raises(KeyError, match="there are mu, e, hop"):
        sweep["hopp"]
    run = model.run()
    with pytest.raises(KeyError, match="run.observables"):
        run["hop"]
    # at mu = 0.3 the arm comes to rest: one value, that of the rest
    diagram = model.bifurcate({"mu": (0.3, 0.31, 2)})
    assert "y at turn over mu: 2 points, 0 changes" in repr(diagram)
    assert [len(point.crossings) for point in diagram.points] == [1, 1]
    assert 0.92 < diagram.points[0].crossings[0] < 0.93


def test_progress_in_a_notebook(monkeypatch):
    # a stand-in for Jupyter: a shell with a kernel, and a display that can be updated
    shown: list[str] = []
    handle = types.SimpleNamespace(update=lambda html: shown.append(html))
    display = types.ModuleType("IPython.display")
    display.HTML, display.display = (lambda text: text), (lambda *_, **__: handle)
    shell = types.ModuleType("IPython")
    shell.get_ipython = lambda: types.SimpleNamespace(kernel=True)
    monkeypatch.setitem(sys.modules, "IPython", shell)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    carom.parse(DECAY).sweep({"k": (1, 2, 5)}, progress=True)
    assert shown and "5/5" in shown[-1] and "left" not in shown[-1]


@pytest.mark.parametrize("mistake", [KeyboardInterrupt(), ValueError("no")])
def test_work_ends_where_its_progress_raises(mistake):
    seen = []

    def report(done, total, left):
        seen.append(done)
        raise mistake

    with pytest.raises(type(mistake)):
        carom.parse(DECAY).sweep({"k": (1, 2, 50000)}, progress=report, threads=1)
    assert seen[-1] < 50000


def test_interruption_at_the_door_of_a_callback():
    # a signal may come before the first line of a callback is run; it must not be lost
    class Late(carom._watch.Watcher):
        @property
        def _report(self):
            raise KeyboardInterrupt

        @_report.setter
        def _report(self, value):
            pass

        def finish(self):
            if self._raised is not None:
                raise self._raised

    watcher = Late(None)
    watcher._progress(carom.analysis.ffi.NULL, 1, 2, 0.0)
    assert watcher._stopped(carom.analysis.ffi.NULL)
    with pytest.raises(KeyboardInterrupt):
        watcher.finish()


def test_what_tells_attractors_apart():
    # the largest y is that of the start, which says nothing of where the motion ends
    wells = carom.parse(WELLS | {"measure": {"after": 0}, "observe": {"end": "last(x)", "most": "max(y)"}})
    starts = {"x": (-1.05, 1.0, 10), "y": (0, 1, 7)}
    assert len(wells.basin(starts).attractors) == 14 and "..." in repr(wells.basin(starts))
    apart = wells.basin(starts, observe=["end"])
    assert [list(a.values) for a in apart.attractors] == [["end"], ["end"]] and "..." not in repr(apart)
    assert len(wells.basin(starts, same=10).attractors) == 2
    with pytest.raises(carom.CaromError, match="nothing"):
        wells.basin(starts, observe=["nothing"])


def test_mirror_images(scenarios):
    basin = carom.parse(WELLS).basin({"x": (-1.05, 1.0, 10), "y": (0, 1, 3)})
    assert [a.mirror for a in basin.attractors] == [1, 0]
    orbit = carom.load(scenarios / "duffing.yaml", set={"drive": 0.2}).orbit(turns=1)
    assert orbit.image == "other" and orbit.mirror == "x -> -x, half a period later"
    assert np.allclose(orbit.image_state, -orbit.state)
    ball = carom.load(scenarios / "ball_on_table.yaml").orbit(turns=1)
    assert repr(ball) == "<Orbit stable, word 'F I', period 0.04, multipliers of size 0.8, 0.8>"
    assert ball.image == "" and ball.other_multipliers == []


def test_one_observable_needs_no_list():
    model = carom.parse({**DECAY, "observe": {"end": "last(x)", "top": "max(x)"}})
    one, listed = (model.sweep({"k": (0, 3, 4)}, observe=names) for names in ("end", ["end"]))
    assert repr(one) == repr(listed) == "<Sweep of 4 points over k: end>"
    assert np.array_equal(one["end"], listed["end"])
    assert len(model.basin({"x": (1, 2, 3), "k": (1, 2, 2)}, observe="end").attractors) >= 1
