"""Running by a second method: flight in closed form, stance by Runge and Kutta's in small steps."""
import math

G, PUSH, ATTACK, H = 9.81, 250.0, math.radians(68), 5e-4


def slope(s):
    x, y, vx, vy = s
    p = PUSH*(1/math.hypot(x, y) - 1)
    return vx, vy, p*x, p*y - G


def moved(s, d, h):
    return tuple(u + h*w for u, w in zip(s, d))


def step(s, h):
    a = slope(s)
    b = slope(moved(s, a, h/2))
    c = slope(moved(s, b, h/2))
    d = slope(moved(s, c, h))
    return tuple(u + h/6*(i + 2*j + 2*k + l) for u, i, j, k, l in zip(s, a, b, c, d))


def free(s):
    return math.hypot(s[0], s[1]) >= 1 and s[0]*s[2] + s[1]*s[3] > 0


def apex():
    v, y = 5.0, 1.0
    for _ in range(60):
        s = (-math.cos(ATTACK), math.sin(ATTACK), v, -math.sqrt(2*G*(y - math.sin(ATTACK))))
        while not free(step(s, H)):
            s = step(s, H)
        low, high = 0.0, H
        for _ in range(50):
            middle = (low + high)/2
            low, high = (low, middle) if free(step(s, middle)) else (middle, high)
        s = step(s, high)
        v, y = s[2], s[1] + s[3]**2/(2*G)
    return y


def check(run):
    yield "height of the apex", abs(run("run", "FILE")["observables"]["apex_height"] - apex()) < 1e-7
    yield "stumbles at 66 deg", run("run", "FILE", "--set", "alpha=66*deg")["stopped_by"] == "stop"
