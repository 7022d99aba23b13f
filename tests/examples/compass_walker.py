"""The compass gait by hand: two equations between strikes, two angular momenta kept at a strike."""
import math

MH, M, L, G, SLOPE = 10.0, 5.0, 1.0, 9.81, math.radians(3)


def slope(s):
    a, b, da, db = s  # stance and swing, from the normal of the slope
    c, d = math.cos(a - b), math.sin(a - b)
    m11, m12, m22 = M*L*L/4 + MH*L*L + M*L*L, -M*L*L/2*c, M*L*L/4
    f1 = M*L*L/2*d*db*db + G*L*(M/2 + MH + M)*math.sin(a + SLOPE)
    f2 = -M*L*L/2*d*da*da - M*G*L/2*math.sin(b + SLOPE)
    det = m11*m22 - m12*m12
    return da, db, (m22*f1 - m12*f2)/det, (m11*f2 - m12*f1)/det


def step(s, h):
    def moved(d, f):
        return tuple(x + f*y for x, y in zip(s, d))
    a = slope(s)
    b = slope(moved(a, h/2))
    c = slope(moved(b, h/2))
    d = slope(moved(c, h))
    return tuple(x + h/6*(i + 2*j + 2*k + l) for x, i, j, k, l in zip(s, a, b, c, d))


def bodies(a, b, da, db):
    """Masses with places from the standing foot and velocities; hip first, then the standing and the swinging leg."""
    hip, v = (L*math.sin(a), L*math.cos(a)), (L*math.cos(a)*da, -L*math.sin(a)*da)
    one, w = (hip[0]/2, hip[1]/2), (v[0]/2, v[1]/2)
    two = (hip[0] - L/2*math.sin(b), hip[1] - L/2*math.cos(b))
    u = (v[0] - L/2*math.cos(b)*db, v[1] + L/2*math.sin(b)*db)
    return [(MH, hip, v), (M, one, w), (M, two, u)]


def momentum(parts, about):
    return sum(m*((p[0] - about[0])*v[1] - (p[1] - about[1])*v[0]) for m, p, v in parts)


def strike(s):
    a, b, da, db = s
    before = bodies(a, b, da, db)
    hip = before[0][1]
    foot = (hip[0] - L*math.sin(b), hip[1] - L*math.cos(b))
    kept = momentum(before, foot), momentum(before[1:2], hip)

    def after(x, y):  # the swinging leg stands now
        parts = bodies(b, a, x, y)
        return momentum(parts, (0, 0)), momentum(parts[2:], parts[0][1])
    zero, one, two = after(0, 0), after(1, 0), after(0, 1)
    p, q, r, t = one[0] - zero[0], two[0] - zero[0], one[1] - zero[1], two[1] - zero[1]
    det = p*t - q*r
    return b, a, (t*kept[0] - q*kept[1])/det, (p*kept[1] - r*kept[0])/det


def gait(steps=40, h=1e-3):
    s = (-0.271, 0.271, 1.0918, 0.3772)
    for _ in range(steps):
        time, low = 0.0, 0.0
        while True:
            new = step(s, h)
            if s[0] + s[1] < 0 <= new[0] + new[1] and s[0] - s[1] > 0.1:
                break
            s, time = new, time + h
        high = h
        for _ in range(50):
            middle = (low + high)/2
            n = step(s, middle)
            low, high = (middle, high) if n[0] + n[1] < 0 else (low, middle)
        s, time = step(s, high), time + high
        length = 2*L*math.sin(s[0])
        s = strike(s)
    return time, length


def check(run):
    time, length = gait()
    done = run("run", "FILE")
    found = done["observables"]
    yield f"time {found['time']} and {time}", abs(found["time"] - time) < 1e-7
    yield f"length {found['length']} and {length}", abs(found["length"] - length) < 1e-7
    yield "as in the literature: a step of 0.734 s", abs(found["time"] - 0.734) < 1e-3
    # one step more or less of the same gait: what impacts take is what gravity gives
    more, less = (run("run", "FILE", "--until", str(t), "--set", "measure=null") for t in (50, 50 + found["time"]))
    lost = less["certificate"]["lost_impacts"] - more["certificate"]["lost_impacts"]
    yield f"loss of a step {lost}", abs(abs(lost) - 20*G*math.sin(SLOPE)*found["length"]) < 1e-5
