"""The least thickness with which a line of thrust fits into an arch of n stones, by equilibrium alone."""
import math


def fits(n, thick):
    inner, outer, h = 1 - thick/2, 1 + thick/2, math.pi/(2*n)
    area = math.sin(h)*math.cos(h)*(outer**2 - inner**2)
    middle = math.cos(h)*(inner + (outer - inner)/3*(inner + 2*outer)/(inner + outer))
    # Of the right half down to a joint at the angle f from the top: weight W and moment M about the centre. With the thrust H at the height y
    # of the top the line meets the joint at the radius (H y + M)/(H cos f + W sin f). For n odd the top is within a stone, a half of which counts.
    a, b = (inner*math.sin(h), inner*math.cos(h)), (outer*math.sin(h), outer*math.cos(h))
    corners = [(0, a[1]), a, b, (0, b[1])]
    weight = moment = 0.0
    for (x0, y0), (x1, y1) in zip(corners, corners[1:] + corners[:1]):
        weight += (x0*y1 - x1*y0)/2
        moment += (x0 + x1)*(x0*y1 - x1*y0)/6
    angle, limits = h, []
    while True:
        c, s = math.cos(angle), math.sin(angle)
        limits.append((-inner*c, 1.0, inner*weight*s - moment))   # p H + q (H y) >= r
        limits.append((outer*c, -1.0, moment - outer*weight*s))
        if angle > math.pi/2 - 1e-9:
            break
        weight, moment = weight + area, moment + area*middle*math.sin(angle + h)
        angle += 2*h
    for i, (p1, q1, r1) in enumerate(limits):                     # a corner of what is allowed
        for p2, q2, r2 in limits[:i]:
            d = p1*q2 - p2*q1
            if abs(d) < 1e-14:
                continue
            H, K = (r1*q2 - r2*q1)/d, (p1*r2 - p2*r1)/d
            if H > 0 and all(p*H + q*K >= r - 1e-12 for p, q, r in limits):
                return True
    return False


def least(n):
    low, high = 0.01, 0.3
    for _ in range(50):
        middle = (low + high)/2
        low, high = (low, middle) if fits(n, middle) else (middle, high)
    return high


def check(run):
    yield f"many stones {least(101)}", abs(least(101) - 0.1075) < 1e-4
    thick = least(5)
    yield f"five stones {thick}", abs(thick - 0.09498) < 1e-5
    for part, falls in ((1.001, False), (0.999, True)):
        found = run("run", "FILE", "--set", f"thick={thick*part!r}")["observables"]
        yield f"{part} of it: sunk by {found['sunk']}", (found["sunk"] > 1e-6) == falls
