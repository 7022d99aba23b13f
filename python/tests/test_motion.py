# SPDX-License-Identifier: MIT
"""Single motions from Python, against closed forms."""

import gc
import math

import carom
import numpy as np
import pytest

BALL = {
    "title": "Ball",
    "parameters": {"g": 9.81, "e": 0.5},
    "coordinates": {"y": 1},
    "energy": {"kinetic": "y'^2/2", "potential": "g*y"},
    "contacts": {"floor": {"gap": "y", "impact": {"law": "newton", "e": "e"}}},
    "run": {"until": 0.8, "sample": 0.001},
    "observe": {"top": "max(y)"},
}


def test_a_dictionary_runs_like_its_closed_form():
    run = carom.parse(BALL).run()
    fall = math.sqrt(2 / 9.81)
    s = run.t - fall
    y = np.where(s < 0, 1 - 9.81 / 2 * run.t**2, 9.81 / 2 * fall * s - 9.81 / 2 * s**2)
    assert np.abs(run["y"] - y).max() < 1e-9
    assert [event.kind for event in run.events] == ["impact"]
    assert run.events[0].t == pytest.approx(fall, abs=1e-10)
    assert run.events[0].after[1] == pytest.approx(-0.5 * run.events[0].before[1], rel=1e-12)
    # the ball falls through g*1 and keeps e^2 of that
    assert run.events[0].energy_before.kinetic == pytest.approx(9.81) and run.events[0].energy_before.potential == pytest.approx(0, abs=1e-9)
    assert run.events[0].energy_after.kinetic == pytest.approx(9.81 / 4) and run.events[0].tangential == 0
    assert run.observables["top"] == pytest.approx(1)
    assert run.certificate.passed and run.certificate["impacts"] == 1


def test_samples_are_the_library_s_memory():
    run = carom.parse(BALL).run()
    column = run["y"]
    assert np.shares_memory(column, run.values) and not column.flags.owndata
    with pytest.raises(ValueError):
        column[0] = 3.0
    kept = column.copy()
    del run
    gc.collect()
    assert np.array_equal(column, kept)  # the array keeps its memory alive


def test_parameters_by_keyword_and_by_path():
    model = carom.parse(BALL, set={"run.until": 0.5}, e=0.25)
    assert model.run().t[-1] == 0.5
    assert model.run().events[0].after[1] == pytest.approx(math.sqrt(2 * 9.81) / 4)
    assert model.run(e=1.0).events[0].after[1] == pytest.approx(math.sqrt(2 * 9.81))
    assert model.run({"y'": 2.0})["y'"][0] == 2.0


def test_a_simulation_is_moved_saved_and_cloned():
    simulation = carom.parse(BALL).simulation()
    assert simulation.next() and simulation.t == pytest.approx(math.sqrt(2 / 9.81))
    saved, copy = simulation.save(), simulation.clone()
    simulation.advance(0.7)
    there = simulation["y"]
    copy.advance(0.7)
    assert copy["y"] == there
    simulation.restore(saved)
    simulation.advance(0.7)
    assert simulation["y"] == there
    assert simulation.state.shape == (2,)


def test_mistakes_have_a_place():
    with pytest.raises(carom.CaromError) as caught:
        carom.parse("title: x\nenergie: 3\n")
    assert caught.value.line == 2 and "energy" in str(caught.value)
    assert caught.value.status == "CAROM_ERR_INPUT"
    with pytest.raises(carom.CaromError, match="e"):
        carom.load("there_is_no_such_file.yaml")
    with pytest.raises(KeyError):
        carom.parse(BALL).run()["z"]


def test_other_names_are_answered_by_what_stands_here():
    model = carom.parse(BALL)
    for ask, word in [
        (lambda: model.plot(), "run"),
        (lambda: model.branch, "follow"),
        (lambda: model.e, r"run\(e="),
        (lambda: model.run().df, "frame"),
    ]:
        with pytest.raises(AttributeError, match=word):
            ask()
    with pytest.raises(TypeError, match="e: a number expected"):
        model.run(e="soft")
    with pytest.raises(TypeError, match=r"sweep\(\{'e': \[0, 1\]\}\)"):
        model.sweep(e=[0, 1])
    assert not hasattr(model, "_repr_png_")


def test_a_run_that_fails_says_when_and_why():
    model = carom.parse({"states": {"x": {"start": 1, "rate": "-1"}, "y": {"start": 0, "rate": "sqrt(x)"}}, "run": {"until": 2}})
    with pytest.raises(carom.CaromError) as caught:
        model.run()
    assert caught.value.t == pytest.approx(1, abs=1e-3)
    assert caught.value.expression == "sqrt(x)"


def test_functions_are_models():
    # a pendulum with a stop at 0 that gives back the speed
    model = carom.from_functions(
        coordinates={"phi": (0.5, 0.0)},
        parameters={"g": 9.81},
        mass=lambda at: [[1.0]],
        force=lambda at: [-at.p["g"] * math.sin(at.q[0])],
        events={"stop": lambda at: at.q[0]},
        reset=lambda at, k: (at.q, -at.u, at.z) if at.u[0] < 0 else None,
        until=5.0,
        sample=0.01,
        rtol=1e-10,
    )
    run = model.run()
    energy = run["phi'"] ** 2 / 2 - 9.81 * np.cos(run["phi"])
    assert np.ptp(energy) < 1e-7
    assert run["phi"].min() > -1e-9
    assert len(run.events) >= 3


def test_equations_and_equilibria(scenarios):
    model = carom.load(scenarios / "frictional_impact_oscillator.yaml")
    assert "M[" in model.derive() and "\\" in model.derive("latex")
    modes = {item.mode: item for item in model.equilibria()}
    assert modes["+"].admissible and len(modes["+"].eigenvalues) >= 2


def test_works_of_fields_are_told_by_name():
    body = {
        "engine": "field",
        "body": {"square": 1},
        "fields": {"repulsion": {"rest": 0.02}, "pad": {"law": "damping", "exponent": 2, "coefficient": 1}},
        "start": {"gap": 0.05},
        "run": {"until": 0.3, "rtol": 1e-10},
    }
    certificate = carom.parse(body).run().certificate
    assert set(certificate.works) == {"gravity", "repulsion", "pad"}
    assert sum(certificate.works.values()) == pytest.approx(certificate.kinetic - certificate.kinetic_start, rel=1e-8)
    assert certificate.works["pad"] == pytest.approx(-certificate.lost_dampers)


def test_rods_start_from_a_table(tmp_path):
    (tmp_path / "pack.csv").write_text("x,y,z,vx\n0,0,1,2\n3,0,1,-2\n")
    (tmp_path / "bed.yaml").write_text(
        "engine: grains\nparameters: {g: 0}\nrods: {diameter: 1, density: 1}\ngravity: g\ncontact: {stiffness: 1e5}\n"
        "start: {as: table, table: pack.csv}\nrun: {until: 2, step: 2e-5}\nobserve: {low: last(z)}\n"
    )
    # two balls of one mass that meet head on exchange their velocities
    run = carom.load(tmp_path / "bed.yaml").run()
    assert run["vx"][-1] == pytest.approx(0, abs=1e-12) and run["kinetic"][-1] == pytest.approx(run["kinetic"][0], rel=1e-6)
    assert run["x"][-1] == pytest.approx(1.5) and run["z"][-1] == 1
    assert carom.load(tmp_path / "bed.yaml").run(g=0.5)["z"][-1] == pytest.approx(0, abs=1e-9)
    (tmp_path / "pack.csv").write_text("x,y,z\n0,0,1\n0,0,one\n")
    with pytest.raises(carom.CaromError, match="pack.csv:3:5: z is 'one'; a number expected"):
        carom.load(tmp_path / "bed.yaml")


def test_units_are_told_where_they_are_written():
    model = carom.parse(
        "parameters: {m: 80 kg, k: 20 kN/m}\ncoordinates: {y: 1 m}\n"
        "energy: {kinetic: m/2*y'^2, potential: k/2*y^2}\nrun: {until: 1 s}\nobserve: {fast: \"max(y')\"}\n"
    )
    assert model.units == {"m": "kg", "k": "N/m", "y": "m", "fast": "m/s"}


def test_mistyped_names_get_the_nearest_one():
    ball = carom.parse(BALL)
    run = ball.run(until=0.5)
    with pytest.raises(KeyError, match="did you mean 'floor.normal'"):
        run["floor.norml"]
    assert "floor.normal" in run._ipython_key_completions_()
    with pytest.raises(carom.CaromError, match="did you mean 'until'"):
        ball.run(utnil=0.5)
