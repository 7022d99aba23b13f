"""The acrobot by hand: its two equations, Runge and Kutta's steps, impacts of the elbow that keep the momentum of the shoulder."""
import math

G, KP, KD, ALPHA, REACH, E = 9.81, 30, 3, 2, 0.8, 0.5


def mass(q):
    c = math.cos(q)
    return 5/3 + c, 1/3 + c/2, 1/3  # m = l = 1: m11, m12, m22


def forces(s):
    p, q, dp, dq = s
    h = math.sin(q)/2
    return (h*(2*dp*dq + dq*dq) - G*(1.5*math.sin(p) + 0.5*math.sin(p + q)),
            -h*dp*dp - G*0.5*math.sin(p + q) + KP*(ALPHA*math.atan(dp) - q) - KD*dq)


def slope(s):
    a, b, d = mass(s[1])
    f1, f2 = forces(s)
    det = a*d - b*b
    return s[2], s[3], (d*f1 - b*f2)/det, (a*f2 - b*f1)/det


def step(s, h):
    def moved(d, f):
        return tuple(x + f*y for x, y in zip(s, d))
    a = slope(s)
    b = slope(moved(a, h/2))
    c = slope(moved(b, h/2))
    d = slope(moved(c, h))
    return tuple(x + h/6*(i + 2*j + 2*k + l) for x, i, j, k, l in zip(s, a, b, c, d))


def struck(s):
    a, b, _ = mass(s[1])
    return s[0], math.copysign(REACH*(1 - 1e-15), s[1]), s[2] + b/a*(1 + E)*s[3], -E*s[3]


def motion(until, h=1e-4):
    s, t, hits = (1.0, 0.0, 0.0, 0.0), 0.0, 0
    while t < until - 1e-12:
        dt = min(h, until - t)
        new = step(s, dt)
        if abs(new[1]) > REACH:
            low, high = 0.0, dt
            for _ in range(50):
                middle = (low + high)/2
                low, high = (low, middle) if abs(step(s, middle)[1]) > REACH else (middle, high)
            new, dt, hits = struck(step(s, low)), low, hits + 1
        s, t = new, t + dt
    return s, hits


def check(run):
    s, hits = motion(0.36)
    done = run("run", "FILE", "--until", "0.36")["observables"]
    yield f"{hits} impacts: {s[:2]} and {done}", hits == done["hits"] == 2 and abs(done["p_end"] - s[0]) < 1e-6 and abs(done["q_end"] - s[1]) < 1e-6
