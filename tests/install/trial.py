# SPDX-License-Identifier: MIT
"""What a stranger tries first with an installed package; run where nothing of the source tree can be seen. Packages that Carom
uses where they are installed are tried where they are."""

import importlib.util
import pickle
import pydoc
import subprocess
import sys
import tempfile
from pathlib import Path

import carom
from carom._library import find_library, find_program

BALL = """
title: Ball
parameters: {g: 9.81, e: 0.5}
coordinates: {y: 1}
energy: {kinetic: y'^2/2, potential: g*y}
contacts: {floor: {gap: y, impact: {law: newton, e: e}}}
run: {until: 0.8, sample: 0.01}
observe: {top: max(y)}
shapes: [{circle: [0, y + 0.1], radius: 0.1}]
"""

print("package", Path(carom.__file__).parent, "library", find_library(), "program", find_program())
ball = carom.parse(BALL)
run = ball.run(e=0.7)
assert run.certificate.passed and abs(run.events[0].t - (2 / 9.81) ** 0.5) < 1e-9
assert run["floor.normal"].max() == 0 and (run["floor.gap"] == run["y"]).all()
assert pickle.loads(pickle.dumps(run)).observables == run.observables
assert abs(ball.sweep({"e": (0.1, 0.9, 5)})["top"] - 1).max() < 1e-9
assert ball.run(until=0.3, rtol=1e-6).t[-1] == 0.3
print(ball.check())
assert "mass matrix" in ball.derive() and "begin{align" in ball.derive("latex")
assert "floor.normal" in pydoc.render_doc(carom.Run) or "normal" in pydoc.render_doc(carom.Run)
assert "<table" in run._repr_html_()

# a periodic motion, its branch, a basin: answers that keep what was asked
table = carom.example("ball_on_table")
orbit = table.orbit()
branches = table.follow({"Gamma": (1.0, 1.1)})
assert orbit.kind and any(abs(point.value - 1.070836) < 1e-5 for point in branches.special)
wells = carom.parse({
    "states": {"x": {"start": 0.1, "rate": "x - x^3"}, "y": {"start": 0, "rate": "-y"}},
    "run": {"until": 30}, "measure": {"after": 29}, "observe": {"end": "last(x)"},
    "regimes": {"left": "end < 0", "right": "end > 0"},
})
basin = wells.basin({"x": (-1.05, 1.0, 6), "y": (0, 1, 3)})
answers = [run, orbit, branches, basin, ball.sweep({"e": (0.1, 0.9, 5)})]
for answer in answers:
    again = pickle.loads(pickle.dumps(answer))
    assert type(again) is type(answer) and str(again) == str(answer)

optional = [name for name in ("matplotlib", "pandas", "sympy") if importlib.util.find_spec(name)]
if "sympy" in optional:
    equations = ball.derive("sympy")
    assert equations.M.shape == (1, 1) and equations.M[0, 0] == 1
if "pandas" in optional:
    assert all(len(answer.frame()) > 0 for answer in answers if answer is not orbit)
    assert len(run.frame(events=True)) == len(run.events)
if "matplotlib" in optional:
    import matplotlib

    matplotlib.use("Agg")
    for answer in answers:
        answer.plot()
print("with", ", ".join(optional) or "NumPy alone")

with tempfile.TemporaryDirectory() as folder:
    run.save(Path(folder) / "ball.h5")
    run.report(Path(folder) / "ball.html")
    assert "<html" in (Path(folder) / "ball.html").read_text().lower()
    try:
        ball.lab(Path(folder) / "lab.html", e=0.3)
        assert "content-security-policy" in (Path(folder) / "lab.html").read_text().lower()
        print("with the lab")
    except carom.CaromError as error:
        assert "not built" in str(error)
        print("without the lab")
    # the program itself, as a command
    names = subprocess.run(["carom", "examples"], check=True, capture_output=True, text=True).stdout
    assert "den_hartog" in names and carom.example("den_hartog").check().freedoms > 0
    subprocess.run(["carom", "new", "mine", "--from", "den_hartog"], check=True, cwd=folder, capture_output=True)
    again = carom.load(Path(folder) / "mine.yaml").run()
    done = subprocess.run(["carom", "run", "mine.yaml"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0 and "passed" in done.stdout and again.certificate.passed
print("all well with Python", sys.version.split()[0])
