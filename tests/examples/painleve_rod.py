"""The coefficient at which the paradox begins, for the angle of the start."""
import math


def check(run):
    c, s = math.cos(1), math.sin(1)
    critical = (1 + 3*c*c)/(3*s*c)
    for part, count in ((0.999, 0), (1.001, 1)):
        found = run("run", "FILE", "--set", f"mu={part*critical}", "--until", "1e-3")["certificate"]["painleve"]
        yield f"{found} paradoxes at {part} of the critical coefficient", found == count
