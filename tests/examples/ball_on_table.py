"""Multipliers of the motion of one impact a period, from the map of Holmes written out."""
import math


def check(run):
    e = 0.8
    flip = math.hypot(math.pi*(1 - e)/(1 + e), 2*(1 + e*e)/(1 + e)**2)
    for gamma in (0.7, 0.99*flip):
        found = run("orbit", "FILE", "--set", f"Gamma={gamma!r}")["multipliers"]
        # eigenvalues of the map of phase and speed: product e^2, sum 1 + e^2 - (1 + e)^2 sqrt(Gamma^2 - (pi (1 - e)/(1 + e))^2)
        total = 1 + e*e - (1 + e)**2*math.sqrt(gamma**2 - (math.pi*(1 - e)/(1 + e))**2)
        values = [complex(v["re"], v["im"]) for v in found]
        yield f"sum of multipliers at {gamma}: {values}", abs(sum(values) - total) < 1e-7
        yield f"product of multipliers at {gamma}", abs(values[0]*values[1] - e*e) < 1e-8
