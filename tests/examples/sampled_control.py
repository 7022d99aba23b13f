"""The map of a sampling time, iterated."""
import math


def check(run):
    a, k, period, unit = 1.0, 2.0, 0.1, 0.1
    for start in (1.0, 0.7, -0.33):
        x = start
        for _ in range(25):
            read = math.copysign(unit*math.floor(abs(x)/unit), x)
            x = math.exp(a*period)*x - k/a*(math.exp(a*period) - 1)*read
        found = run("run", "FILE", "--set", f"x0={start}", "--until", "2.5")["observables"]["x_end"]
        yield f"from {start}: {found} and {x}", abs(found - x) < 1e-9
