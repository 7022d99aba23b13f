# SPDX-License-Identifier: MIT
"""What a stranger tries first with an installed package; run where nothing of the source tree can be seen."""

import pickle
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
print(ball.check())

with tempfile.TemporaryDirectory() as folder:
    run.save(Path(folder) / "ball.h5")
    run.report(Path(folder) / "ball.html")
    assert "<html" in (Path(folder) / "ball.html").read_text().lower()
    # the program itself, as a command
    names = subprocess.run(["carom", "examples"], check=True, capture_output=True, text=True).stdout
    assert "den_hartog" in names and carom.example("den_hartog").check().freedoms > 0
    subprocess.run(["carom", "new", "mine", "--from", "den_hartog"], check=True, cwd=folder, capture_output=True)
    again = carom.load(Path(folder) / "mine.yaml").run()
    done = subprocess.run(["carom", "run", "mine.yaml"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0 and "passed" in done.stdout and again.certificate.passed
print("all well with Python", sys.version.split()[0])
