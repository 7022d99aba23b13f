"""Five masses with Hertz springs between them, stepped through the collision."""
import math


def collision(a=1.5, n=5, h=2e-3):
    x, v = [0.0]*n, [1.0] + [0.0]*(n - 1)

    def force(x):
        f = [0.0]*n
        for i in range(n - 1):
            press = max(0.0, x[i] - x[i + 1])**a
            f[i] -= press
            f[i + 1] += press
        return f
    f = force(x)
    for _ in range(round(25/h)):  # velocity Verlet
        v = [p + h/2*q for p, q in zip(v, f)]
        x = [p + h*q for p, q in zip(x, v)]
        f = force(x)
        v = [p + h/2*q for p, q in zip(v, f)]
    return v


def check(run):
    speeds = collision()
    found = run("run", "FILE", "--until", "0.5")["observables"]
    last = math.sin(found["last"]/2)/math.sin(0.15)
    yield f"last ball {last} and {speeds[-1]}", abs(last - speeds[-1]) < 1e-5
    yield f"first ball {speeds[0]}", abs(speeds[0] + 0.0711) < 1e-3
