"""Growth rates of the equilibrium from the closed form of the two frequencies."""
import cmath


def check(run):
    for mu in (0.999, 1.001, 1.3):
        found = run("equilibrium", "FILE", "--set", f"mu={mu}")["equilibria"][0]["eigenvalues"]
        growth = max(value["re"] for value in found)
        squares = [-1.5 + cmath.sqrt(0.25 + 0.25 - mu*0.5), -1.5 - cmath.sqrt(0.25 + 0.25 - mu*0.5)]
        expected = max(abs(cmath.sqrt(s).real) for s in squares)
        yield f"growth {growth} at mu = {mu}", abs(growth - expected) < 1e-7
