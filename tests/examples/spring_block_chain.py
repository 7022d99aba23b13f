"""A single block: every slip is 2 d + v T long."""
import math


def check(run):
    d, v, omega = 0.1, 0.01, 1.0
    slip = 2*d + v*2/omega*(math.pi - math.atan(d*omega/v))
    done = run("run", "FILE", "--set", "n=1")
    yield "length of slips", abs((done["observables"]["moved1"] + 0.05)/slip - done["events"]["by_kind"]["stick"]) < 1e-7
