# SPDX-License-Identifier: MIT
"""What the program does, Python does: forces, settings, checks, equations, tables, files, players, pickles."""

import inspect
import math
import pickle
import re
import sys
import threading
import time
import types
import warnings
from pathlib import Path

import carom
import numpy as np
import pytest
from test_analysis import DECAY, WELLS
from test_motion import BALL

ROOT = Path(__file__).resolve().parent.parent.parent

# a block that slides on the floor until friction has stopped it, and then is held against a weak spring
BLOCK = {
    "title": "Block",
    "parameters": {"mu": 0.3, "k": 0.5},
    "coordinates": {"x": {"start": 0, "rate": 1}, "y": 0},
    "define": {"speed": "abs(x')"},
    "energy": {"kinetic": "(x'^2 + y'^2)/2", "potential": "9.81*y + k/2*x^2"},
    "contacts": {"floor": {"gap": "y", "slip": "x'", "friction": "mu", "impact": {"law": "newton", "e": 0}}},
    "run": {"until": 1, "sample": 0.01},
    "observe": {"far": "last(x)"},
    "shapes": [{"circle": ["x", "y + 0.1"], "radius": 0.1}],
}


def stopped(mu=0.3, k=0.5, v=1.0, g=9.81):
    """When x'' = -k x - mu g with x' = v at x = 0 comes to rest, and where: a shifted oscillation."""
    w = math.sqrt(k)
    shift = mu * g / k
    t = math.atan2(v / w, shift) / w
    return t, math.hypot(shift, v / w) - shift


def test_contact_forces_and_definitions_by_name():
    run = carom.parse(BLOCK).run()
    rest, where = stopped()
    sliding = run.t < rest
    assert 0 < sliding.sum() < len(run.t)
    assert np.allclose(run["floor.normal"], 9.81, rtol=1e-9)
    assert np.allclose(run["floor.tangential"][sliding], -0.3 * 9.81, rtol=1e-9)
    # held: friction balances the spring
    assert np.allclose(run["floor.tangential"][~sliding], 0.5 * where, rtol=1e-7)
    assert set(run["floor.mode"][sliding]) == {"+"} and set(run["floor.mode"][~sliding]) == {"K"}
    assert np.allclose(run["floor.slip"], run["x'"], atol=1e-12) and np.allclose(run["speed"], abs(run["x'"]))
    with pytest.raises(KeyError, match="floor.normal"):
        run["floor.force"]


def test_a_flying_contact_has_a_gap_and_no_force():
    run = carom.parse(BALL).run(until=0.3)
    assert np.allclose(run["floor.gap"], run["y"]) and set(run["floor.mode"]) == {"F"}
    assert np.isnan(run["floor.slip"]).all() and (run["floor.normal"] == 0).all()


def test_a_run_takes_its_end_tolerance_and_sampling():
    model = carom.parse(BALL)
    run = model.run({"y": 2.0}, until=0.5, rtol=1e-12, sample=0.25, e=0.1)
    assert list(run.t) == [0, 0.25, 0.5] and run["y"][0] == 2
    assert model.run().t[-1] == 0.8  # the model itself is as it was
    assert model.changed(e=0.1).run().events[0].after[1] == pytest.approx(0.1 * math.sqrt(2 * 9.81))
    harmonic = carom.from_functions(
        coordinates={"x": 1.0}, parameters={"k": 1.0}, mass=lambda at: [[1.0]], force=lambda at: [-at.p["k"] * at.q[0]]
    )
    assert harmonic.run(until=math.pi, rtol=1e-10)["x"][-1] == pytest.approx(-1, abs=1e-8)
    assert harmonic.changed(k=4.0).run(until=math.pi, rtol=1e-10)["x"][-1] == pytest.approx(1, abs=1e-8)
    with pytest.raises(carom.CaromError, match="no parameter"):
        harmonic.changed(c=1.0)


def test_check_says_what_was_understood():
    found = carom.parse(BLOCK).check()
    assert found.freedoms == 2 and not found.conservative and found.until == 1
    assert found.coordinates["x"] == (0, 1) and found.parameters == {"mu": 0.3, "k": 0.5}
    assert found.contacts["floor"]["gap"] == "y" and "mu" in found.contacts["floor"]["friction"]
    text = str(found)
    assert "contact floor" in text and "observables   far" in text and "Block" in text


def test_equations_for_sympy_have_the_values_of_the_library():
    sympy = pytest.importorskip("sympy")
    # every kind of function, with branches inside of conditions of branches
    model = carom.parse({
        "parameters": {"k": 1.5, "c": 2},
        "coordinates": {"x": 1, "y": 0},
        "states": {"z": {"start": 0.4, "rate": "min(x, z) - z^2"}},
        "define": {"d": "x - y"},
        "energy": {"kinetic": "(x'^2 + y'^2)/2*(1 + x^2) + x'*y'/3", "potential": "k/2*if(x < 0.1, x^2, 0) + c/4*d^4 + 1e-5*hypot(x, y)"},
        "forces": {"x": "-c*abs(x')*x' + min(x, y, 0.3) - step(x - 1) + if(x >= 0 and y < 1 or not x < 3, 1, 2)*sin(pi*y)",
                   "y": "atan2(y, x) + sqr(x) + log10(2 + x^2) + floor(3*x) + mod(x, 0.4) + tanh(y') + sign(y) + cbrt(1 + y^2) + z"},
        "run": {"until": 1},
    })
    equations = model.derive("sympy")
    symbols = equations.symbols
    for values in ({"x": 0.7, "y": 0.35, "x'": -0.4, "y'": 0.2}, {"x": -1.3, "y": -0.2, "x'": 0.6, "y'": -1.0}):
        at = model.simulation(values)
        here = {symbol: at[name] for name, symbol in symbols.items() if name != "t"}
        found = [float(value) for value in equations.accelerations().subs(here)]
        assert found == pytest.approx([at["x''"], at["y''"]], rel=1e-12)
        assert float(equations.rates[0].subs(here)) == pytest.approx(min(at["x"], at["z"]) - at["z"] ** 2)
    assert sympy.simplify(equations.M[0, 1] - sympy.Rational(1, 3)).evalf() == pytest.approx(0, abs=1e-15)
    with pytest.raises(carom.CaromError, match="notation"):
        model.derive("fortran")


def test_rows_of_contacts_for_sympy():
    sympy = pytest.importorskip("sympy")
    equations = carom.parse({**BLOCK, "contacts": {"ramp": {"gap": "y - sin(x)", "slip": "x'"}}}).derive("sympy")
    x, u = equations.symbols["x"], equations.symbols["x'"]
    assert equations.rows == ["ramp.gap", "ramp.slip"] and equations.W.row(1) == sympy.Matrix([[1, 0]])
    assert equations.W.row(0) == sympy.Matrix([[-sympy.cos(x), 1]]) and sympy.simplify(equations.zeta[0] - sympy.sin(x) * u**2) == 0


def test_speeds_for_sympy(scenarios):
    sympy = pytest.importorskip("sympy")
    skate = carom.load(scenarios / "skate.yaml")
    equations = skate.derive("sympy")
    assert skate.speeds == ["v", "w"] and equations.M.shape == (2, 2)
    v, w, m, c, J = (equations.symbols[name] for name in ("v", "w", "m", "c", "J"))
    # without a slope: m v' = m c w^2, (J + m c^2) w' = -m c v w (Chaplygin's sleigh)
    flat = equations.accelerations().subs(equations.symbols["slope"], 0)
    assert sympy.simplify(flat - sympy.Matrix([c * w**2, -m * c * v * w / (J + m * c**2)])) == sympy.zeros(2, 1)
    assert sympy.simplify(equations.rates[skate.states.index("x")] - v * sympy.cos(equations.symbols["phi"])) == 0


def test_results_are_tables():
    pandas = pytest.importorskip("pandas")
    sweep = carom.parse(DECAY).sweep({"k": (0, 3, 4)})
    frame = sweep.frame()
    assert isinstance(frame, pandas.DataFrame) and list(frame.columns) == ["k", "end", "word", "regime", "passed", "failure"]
    assert np.allclose(frame["end"], np.exp(-frame["k"])) and frame["passed"].all()
    run = carom.parse(BLOCK).run()
    frame = run.frame()
    assert frame.index.name == "t" and np.array_equal(frame["floor.normal"], run["floor.normal"])
    events = carom.parse(BALL).run().frame(events=True)
    assert events["y' after"][0] == pytest.approx(-0.5 * events["y' before"][0]) and events["kind"][0] == "impact"
    basin = carom.parse(WELLS).basin({"x": (-1.05, 1.0, 4), "y": (0, 1, 2)}).frame()
    assert sorted(basin["regime"]) == ["left", "right"] and basin["fraction"].sum() == pytest.approx(1)


def test_without_pandas_the_message_names_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(carom.CaromError, match="pip install pandas"):
        carom.parse(BALL).run().frame()


def test_a_saved_run_has_the_bits_of_the_run(tmp_path):
    h5py = pytest.importorskip("h5py")
    run = carom.parse(BLOCK, set={"run.rtol": 1e-9}).run({"x'": 0.9}, mu=0.2, until=0.7)
    run.save(tmp_path / "block.h5")
    with h5py.File(tmp_path / "block.h5") as file:
        for name in ("t", "x", "x'", "speed"):
            assert np.array_equal(file["series"][name], run[name])
        for name in ("normal", "tangential", "gap", "slip"):
            assert np.array_equal(file[f"contacts/floor/{name}"], run[f"floor.{name}"])
    run.save(tmp_path / "tables")
    assert any((tmp_path / "tables").iterdir())
    with pytest.raises(carom.CaromError, match="cannot|No such"):
        run.save(tmp_path / "nowhere" / "block.h5")


def test_pages_and_movies(tmp_path):
    run = carom.parse(BLOCK).run()
    run.report(tmp_path / "block.html", "x", "floor.normal")
    assert "<html" in (tmp_path / "block.html").read_text().lower()
    run.animate(tmp_path / "block.gif", seconds=0.5, width=160, height=120, from_=0.2)
    assert (tmp_path / "block.gif").read_bytes()[:3] == b"GIF"
    functions = carom.from_functions(states={"x": 1.0}, equation=lambda at: -at.z)
    with pytest.raises(carom.CaromError, match="functions"):
        functions.run().save(tmp_path / "no.h5")


@pytest.fixture
def notebook(monkeypatch):
    """IPython as a notebook's kernel has it."""
    shown = []
    display = types.ModuleType("IPython.display")
    display.HTML = lambda text: text
    display.display = lambda *_, **__: types.SimpleNamespace(update=shown.append)
    shell = types.ModuleType("IPython")
    shell.get_ipython = lambda: types.SimpleNamespace(kernel=True)
    monkeypatch.setitem(sys.modules, "IPython", shell)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    return shown


def test_the_player_in_a_notebook(notebook):
    run = carom.parse(BLOCK).run(progress=True)
    assert "1000/1000" in notebook[-1]
    cell = run.show(height=300)
    assert cell.startswith("<iframe srcdoc=") and "height:300px" in cell and "&lt;script" in cell and "<script" not in cell


def test_the_lab(tmp_path):
    model = carom.parse(BLOCK)
    try:
        model.lab(tmp_path / "lab.html", mu=0.25)
    except carom.CaromError as error:
        assert "make lab" in str(error)  # the page is built where WebAssembly's compiler is
    else:
        page = (tmp_path / "lab.html").read_text()
        assert '"mu":"0.25"' in page and "wasm" in page and "@scenario@" not in page


def test_the_player_outside_of_a_notebook(monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    carom.parse(BLOCK).run().show()
    page = Path(opened[0].removeprefix("file://"))
    assert "<html" in page.read_text().lower()
    page.unlink()


def test_a_long_run_hears_ctrl_c_and_tells_how_far_it_is():
    slow = carom.parse({**BALL, "contacts": {"floor": {"gap": "y", "impact": {"law": "newton", "e": 1}}}, "run": {"until": 1e7, "sample": 1e6}})
    seen = []

    def report(done, total, left):
        seen.append((done, total))
        if len(seen) == 2:
            raise KeyboardInterrupt

    began, threads = time.monotonic(), threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        slow.run(progress=report)
    assert time.monotonic() - began < 5 and threading.active_count() == threads
    assert len(seen) == 2 and 0 <= seen[0][0] <= seen[1][0] < seen[1][1]


def test_a_certificate_that_fails_is_shown(scenarios):
    wiper = carom.load(scenarios / "frictional_impact_oscillator.yaml")
    coarse = wiper.changed({"run.rtol": 0.3, "run.hold": "none"})
    with pytest.warns(carom.CertificateWarning, match="did not pass") as caught:
        run = coarse.run()
    assert caught[0].filename == __file__  # the line that asked for it
    assert not run.certificate.passed and "NOT passed" in repr(run) and "#c0392b" in run._repr_html_()
    with pytest.warns(carom.CertificateWarning, match="1 of 2 runs of this sweep"):
        sweep = coarse.sweep({"run.rtol": [0.3, 1e-10]})
    assert list(sweep.passed) == [False, True]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert wiper.run().certificate.passed


def test_results_are_pickled(scenarios, tmp_path):
    run = carom.parse(BLOCK).run(mu=0.2)
    again = pickle.loads(pickle.dumps(run))
    assert np.array_equal(again.values, run.values) and np.array_equal(again["floor.mode"], run["floor.mode"])
    assert repr(again) == repr(run) and again.events[0].kind == run.events[0].kind and again.given == {"mu": 0.2}
    assert np.array_equal(again.model.run(mu=0.2).values, run.values)
    # a file that is gone: the pickle holds its text
    (tmp_path / "ball.yaml").write_text((scenarios / "bouncing_ball.yaml").read_text())
    model = carom.load(tmp_path / "ball.yaml", set={"run.until": 0.5})
    kept = pickle.dumps(model)
    (tmp_path / "ball.yaml").unlink()
    assert np.array_equal(pickle.loads(kept).run().values, model.run().values)
    answers = [
        carom.parse(DECAY).sweep({"k": (0, 1, 2)}),
        carom.parse(WELLS).basin({"x": (-1.05, 1.0, 4), "y": (0, 1, 2)}),
        carom.load(scenarios / "ball_on_table.yaml").orbit(turns=1),
        carom.load(scenarios / "ball_on_table.yaml").follow({"Gamma": (0.9, 0.95)}, turns=1),
        carom.parse(BLOCK).check(),
    ]
    for answer in answers:
        assert repr(pickle.loads(pickle.dumps(answer))) == repr(answer)
    with pytest.raises(TypeError, match="functions"):
        pickle.dumps(carom.from_functions(states={"x": 1.0}, equation=lambda at: -at.z))


def test_an_orbit_is_seen_over_its_turn(scenarios):
    orbit = carom.load(scenarios / "ball_on_table.yaml").orbit(turns=1)
    assert orbit.t[0] == 0 or orbit.t[-1] - orbit.t[0] == pytest.approx(orbit.period)
    assert orbit["y"][0] == pytest.approx(orbit["y"][-1], abs=1e-9)
    with pytest.raises(KeyError, match="y'"):
        orbit["z"]


def test_which_digits_hold(scenarios):
    found = carom.parse(DECAY).converge(tighter=2)
    assert len(found.rtols) == 3 and found.digits["end"] > 8 and found.values["end"] == pytest.approx(math.exp(-2))
    assert not found.sensitive and found.same_events and found.passed and "regular" in repr(found)
    assert carom.load(scenarios / "lorenz.yaml", set={"run.until": 60}).converge().sensitive


def test_critical_values_of_other_kinds(scenarios):
    decay = carom.parse(DECAY)
    found = decay.locate("k", (0.5, 3), what="end", value=0.25, tolerance=1e-10)
    assert found.value == pytest.approx(math.log(4), abs=1e-8) and found.passed
    wiper = carom.load(scenarios / "frictional_impact_oscillator.yaml")
    assert wiper.locate("mu", (0.3, 0.5), what="hopf", mode="+").value == pytest.approx(0.409778166, abs=1e-6)
    wells = {**WELLS, "parameters": {"a": 0}, "states": {**WELLS["states"], "x": {"start": "a", "rate": "x - x^3"}}}
    side = carom.parse(wells).locate("a", (-0.5, 0.6), what="regime", tolerance=1e-5)
    assert side.value == pytest.approx(0, abs=1e-5) and (side.near_word, side.far_word) == ("left", "right")
    with pytest.raises(carom.CaromError, match="nothing"):
        decay.locate("k", (0.5, 3), what="nothing")


def test_equilibria_have_names_and_forces(scenarios):
    found = {item.mode: item for item in carom.load(scenarios / "frictional_impact_oscillator.yaml").equilibria(mu=0.3)}
    slip = found["+"]
    normal, tangential = slip.forces["tip"]
    # slip "+" is braked by mu times the normal force
    assert tangential == pytest.approx(-0.3 * normal) and slip["phi"] == slip.state[1] and "phi" in repr(slip)


def test_scenarios_that_come_along():
    assert carom.example("bouncing_ball", e=0.7).title == "Bouncing ball"
    with pytest.raises(carom.CaromError, match="bouncing_ball"):
        carom.example("bouncing_bal")


def test_a_sweep_over_an_entry_of_a_text():
    sweep = carom.parse(DECAY).sweep({"run.until": [1.0, 2.0]})
    assert np.allclose(sweep["end"], np.exp([-2.0, -4.0]))


def public():
    for name in carom.__all__:
        thing = getattr(carom, name)
        yield name, thing
        if inspect.isclass(thing):
            for member, value in vars(thing).items():
                if not member.startswith("_") and (callable(value) or isinstance(value, property)):
                    yield f"{name}.{member}", value


def test_everything_public_explains_itself():
    silent = [name for name, thing in public() if name != "__version__" and not (inspect.getdoc(thing) or "").strip()]
    assert silent == []


def test_one_version_everywhere():
    written = {
        "python/carom/_library.py": r'^VERSION = "([\d.]+)"',
        "CMakeLists.txt": r"^project\(carom VERSION ([\d.]+)",
        "CITATION.cff": r"^version: ([\d.]+)",
        "debian/changelog": r"^carom \(([\d.]+)",
        "CHANGELOG.md": r"^## \[([\d.]+)\]",
    }
    found = {name: re.search(form, (ROOT / name).read_text(), re.M) for name, form in written.items() if (ROOT / name).exists()}
    assert {name: match and match[1] for name, match in found.items()} == {name: carom.__version__ for name in found}
