"""The time of the last turn: an odd number of quarter periods, by the arithmetic-geometric mean."""
import math


def quarter(push):
    i1, i2, i3, spin = 1, 2, 3, 5
    a, b = push, math.sqrt(push*push + i2*(i3 - i2)/(i1*(i3 - i1))*spin*spin)
    while abs(a - b) > 1e-15*a:
        a, b = (a + b)/2, math.sqrt(a*b)
    return math.pi/2/a/((i3 - i1)/i2*math.sqrt(i2*(i2 - i1)/(i3*(i3 - i1))))


def check(run):
    for push in (1e-3, 1e-2):
        found = run("run", "FILE", "--set", f"push={push}")["observables"]
        yield f"quarter period for push {push}", abs(found["last_turn"] - (2*found["turns"] - 1)*quarter(push)) < 1e-6
