"""The frequencies of small swings, from the two equations of a body on a thread."""
import math


def check(run):
    c, s, j, g = 0.01, 0.2, 0.12, 9.81
    # c s'' + s p'' = -g s; c s'' + (s + j^2/s) p'' = -g p, with w^2 = z: (c z - g)((s + j^2/s) z - g) = c s z^2
    a, b = c*(s + j*j/s) - c*s, -g*(c + s + j*j/s)
    root = math.sqrt(b*b - 4*a*g*g)
    expected = sorted(math.sqrt((-b + sign*root)/(2*a)) for sign in (1, -1))
    found = run("equilibrium", "FILE", "--set", "swing=0")["equilibria"][0]["eigenvalues"]
    got = sorted({round(abs(v["im"]), 9) for v in found if abs(v["im"]) > 1e-3})
    yield f"frequencies {got} and {expected}", len(got) == 2 and all(abs(x - y) < 1e-6*y for x, y in zip(got, expected))
