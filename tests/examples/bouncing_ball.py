"""The time at which the bounces pile up is the value of `close`, and impacts come at the times of the geometric series."""
import math


def check(run):
    for e in (0.8, 0.5):
        done = run("run", "FILE", "--set", f"e={e}", "--events")
        rows = done["log"]
        expected = math.sqrt(2/9.81)*(1 + e)/(1 - e)
        close = [row for row in rows if row["kind"] == "close"][-1]
        yield f"close at {close}, expected {expected}", abs(close["value"] - expected) < 1e-9
