"""The height of the top where the ladder leaves the wall."""
import math


def check(run):
    for length, angle in ((4, math.radians(60)), (2.5, 1.2)):
        log = run("run", "FILE", "--set", f"L={length}", "--set", f"theta0={angle!r}", "--events")["log"]
        state = next(row for row in log if row["kind"] == "open" and row["name"] == "wall")["after"]
        top = state["y"] + length/2*math.sin(state["theta"])
        yield f"leaves at {top}", abs(top - 2/3*length*math.sin(angle)) < 1e-9
