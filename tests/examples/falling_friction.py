"""The eigenvalues of steady sliding."""
import math


def check(run):
    for c in (0.3, 2.0):
        slope = 10*0.2/0.5*math.exp(-1)
        half = (slope - c)/2
        values = [v for e in run("equilibrium", "FILE", "--set", f"c={c}")["equilibria"] for v in e["eigenvalues"]]
        close = [v for v in values if abs(v["re"] - half) < 1e-9 and abs(abs(v["im"]) - math.sqrt(100 - half*half)) < 1e-9]
        yield f"eigenvalues for c = {c}: {values}", len(close) == 2
