#!/usr/bin/env python3
"""Small systems whose answers are known in closed form: friction, impacts, resets, moving floors, branches, sections.
Each is a scenario of a few lines, and what its observables are. Run: closed_forms.py PROGRAM"""
import json
import math
import os
import subprocess
import sys
import tempfile

G = 10.0
FREE = "energy: {kinetic: \"(x'^2 + y'^2)/2\"}\n"
HEAVY = "energy: {kinetic: \"(x'^2 + y'^2)/2\", potential: 10*y}\n"
ALONE = "energy: {kinetic: \"x'^2/2\"}\n"
BALL = "energy: {kinetic: \"y'^2/2\", potential: 10*y}\n"
REST = "coordinates: {x: 0, y: 0}\n"
CASES = []


def case(name, text, tolerance=1e-9, **expected):
    CASES.append((name, text, expected, tolerance))


def moving(x, y=0):
    return f"coordinates: {{x: {{start: 0, rate: {x}}}, y: {y}}}\n"


def floor(friction, slip="x'", e=0.0):
    return f"contacts: {{f: {{gap: y, slip: \"{slip}\", friction: {friction}, impact: {e}}}}}\n"


def run(until, **observe):
    names = ", ".join(f"{name}: \"{value}\"" for name, value in observe.items())
    return f"run: {{until: {until}}}\nobserve: {{{names}}}\n"


def friction():
    case("slides and stops", moving(3) + HEAVY + floor(0.4) + run(2, a="last(x)", b="last(x')"), a=9 / 8, b=0)
    for mu in (0.5, 0.1):  # up a slope: sticks at the turning point, or returns
        s, c = math.sin(0.3), math.cos(0.3)
        rise = G * (s + mu * c)
        end = 2 / rise if mu > s / c else 2 / rise - G * (s - mu * c) * (1 - 2 / rise) ** 2 / 2
        case(f"slope, mu = {mu}", moving(2) + FREE.replace("}", f", potential: 10*({s!r}*x + {c!r}*y)}}") + floor(mu)
             + run(1, a="last(x)"), a=end)
    k = 0.1 * G  # v' = -g (0.2 + 0.1 v)
    case("friction grows with speed", moving(3) + HEAVY + floor("0.2 + 0.1*abs(x')") + run(0.5, a="last(x)", b="last(x')"),
         a=5 * (1 - math.exp(-0.5 * k)) / k - 1, b=5 * math.exp(-0.5 * k) - 2)
    case("two floors", moving(3) + HEAVY + floor('"if(x < 1, 0.1, 0.5)"') + run(3, a="last(x)"), a=1 + 7 / 10)
    case("stick breaks", REST + HEAVY + "forces: {x: t}\n" + floor("{stick: 0.6, slip: 0.3}") + run(7, a="last(x)"),
         a=(64 - 27) / 6 - 4.5)
    case("stops against a force", moving(1) + HEAVY + "forces: {x: 4}\n" + floor("{stick: 0.6, slip: 0.5}") + run(4, a="last(x)"),
         a=0.5)
    case("dry oscillator", "coordinates: {x: 1.7, y: 0}\n" + HEAVY.replace("10*y", "x^2/2 + 10*y") + floor(0.05)
         + run(12, a="last(x)", b="last(x')"), tolerance=1e-8, a=-0.3, b=0)
    slips = 0.5  # the force 10 t reaches 5
    d = 1 - slips
    v = 5 * d * d
    case("ramp and release", REST + HEAVY + "forces: {x: \"if(t < 1, 10*t, 0)\"}\n" + floor(0.5) + run(1.9, a="last(x)", b="last(x')"),
         a=10 * d ** 3 / 6 + v * v / 10, b=0)
    case("damped and stopped", moving(1) + HEAVY.replace("10*y}", "10*y, dissipation: \"x'^2/2\"}") + floor(0.1)
         + run(3, a="last(x)"), a=1 - math.log(2))
    case("rolls at last", "coordinates: {x: {start: 0, rate: 3}, y: 0, p: 0}\n"
         + HEAVY.replace(")/2\"", ")/2 + p'^2/4\"") + floor(0.2, "x' + p'") + run(2, a="last(x')", b="last(p')"), a=2, b=-2)


def belts():
    case("belt takes along", REST + HEAVY + floor(0.3, "x' - 1") + run(2, a="last(x)", b="last(x')"), a=2 - 1 / 6, b=1)
    case("belt slows", moving(1) + HEAVY + floor(0.3, "x' - (1 - t)") + run(2, a="last(x)", b="last(x')"), a=0, b=-1)
    case("belt too fast", REST + HEAVY + floor(0.3, "x' - t^3") + run(2, a="last(x)", b="last(x')"),
         a=1 / 4 + 1 + 3 / 2, b=1 + 3)
    stack = ("coordinates: {x: 0, u: 0, y: 0, w: 0}\nenergy: {kinetic: \"(x'^2 + u'^2 + y'^2 + w'^2)/2\", potential: 10*(y + w)}\n"
             "contacts: {f: {gap: y, impact: 0}, t: {gap: w - y, slip: u' - x', friction: 0.3, impact: 0}}\n")
    for force, x, u in (("10", 3.5, 1.5), ("4", 1, 1), ("6 + t", 1.5 + 1 / 6, 1.5)):
        case(f"stack drawn by {force}", stack + f"forces: {{x: {force}}}\n" + run(1, a="last(x)", b="last(u)"), a=x, b=u)
    for x, y, a, b in (("t", "-2*t", 0, 0), ("2*t", "-2*t", 1 / 6, 0), ("2*t", "2*t", 1 / 3, 1 / 3)):
        case(f"forces {x}, {y} from nothing", REST + FREE + f"forces: {{x: {x}, y: {y}}}\n" + floor(0.5)
             + run(1, a="last(x)", b="last(y)"), a=a, b=b)


def floors_that_move():
    lift = math.asin(10 / 32) / 40  # 0.02*40^2 = 32 exceeds gravity
    left = 0.05 - lift
    case("lifts off a shaken floor", "coordinates: {y: {start: 0, rate: 0.8}}\n" + BALL
         + "contacts: {f: {gap: y - 0.02*sin(40*t), impact: 0}}\n" + run(0.05, a="last(y)"),
         a=0.02 * 10 / 32 + 0.8 * math.cos(40 * lift) * left - 5 * left ** 2)
    ball = "coordinates: {y: 0}\n" + BALL
    case("floor that sets off", ball + "contacts: {f: {gap: \"y - if(t > 0.5, t - 0.5, 0)\", impact: 1}}\n" + run(0.6, a="last(y)"),
         a=0.2 - 0.05)
    case("floor that pushes", ball + "contacts: {f: {gap: \"y - if(t > 0.5, (t - 0.5)^2/2, 0)\", impact: 1}}\n" + run(1, a="last(y)"),
         a=0.125)
    case("floor that falls away", "coordinates: {y: 1}\n" + BALL
         + "contacts: {f: {gap: \"y + if(t > 2, 10*(t - 2)^2, 0)\", impact: 0.5}}\n" + run(2.5, a="last(y)"), tolerance=1e-8, a=-1.25)
    case("lands on a falling floor", "coordinates: {y: 1}\n" + BALL + "contacts: {f: {gap: y + 2.5*t^2, impact: 0}}\n"
         + run(1.5, a="last(y)"), a=-2.5 * 2.25)
    case("edge of a table", moving(2) + HEAVY + "contacts: {f: {gap: \"y - if(x < 1, 0, -1)\", impact: 0}}\n"
         + run(0.7, a="last(y)"), a=-0.2)
    for force, y in (("t - 1", 1 / 6), ("-(t - 1)^2", 0), ("(t - 1)^3", 1 / 20)):
        case(f"force {force} on what rests", "coordinates: {y: 0}\nenergy: {kinetic: \"y'^2/2\"}\n" f"forces: {{y: {force}}}\n"
             "contacts: {f: {gap: y, impact: 0}}\n" + run(2, a="last(y)"), a=y)
    for begins, sign, y in ((1, 1, 1 / 6), (1.5, 1, 1 / 48), (1.5, -1, 0)):  # closed without any force since t = 1
        case(f"force from {begins} on, {sign}", "coordinates: {x: 0, y: {start: 1, rate: -1}}\n" + FREE
             + f"forces: {{y: \"if(t < {begins}, 0, {sign}*(t - {begins}))\"}}\ncontacts: {{f: {{gap: y, impact: 0}}}}\n"
             + run(2, a="last(y)"), a=y)


def impacts():
    oblique = "energy: {kinetic: \"(x'^2 + y'^2)/2\"}\n" + floor(0.2, e=0.5) + run(0.5, a="last(x')", b="last(y')")
    for speed, after in ((3, 3 - 0.2 * 1.5 * 2), (0.3, 0)):
        case(f"oblique at {speed}", f"coordinates: {{x: {{start: 0, rate: {speed}}}, y: {{start: 0.2, rate: -2}}}}\n" + oblique,
             a=after, b=1)
    case("into a corner", "coordinates: {x: {start: 1, rate: -1}, y: {start: 2, rate: -2}}\n" + FREE
         + "contacts: {a: {gap: x, impact: 0.5}, b: {gap: y, impact: 0.25}}\n" + run(2, p="last(x)", q="last(y)"), p=0.5, q=0.5)
    case("flat on two feet", "coordinates: {y: 1, a: 0}\nenergy: {kinetic: \"y'^2/2 + a'^2/6\", potential: 10*y}\n"
         "contacts: {l: {gap: y - a, impact: 0}, r: {gap: y + a, impact: 0}}\n" + run(1, p="last(y)", q="last(a)"), p=0, q=0)
    case("against a wall", moving(3) + HEAVY + "contacts: {f: {gap: y, slip: x', friction: 0.1, impact: 0}, w: {gap: 1 - x, impact: 0.5}}\n"
         + run(5, a="last(x)"), a=1 - 7 / 8)
    case("reset of what lies", "coordinates: {y: 0}\n" + BALL + "contacts: {f: {gap: y, impact: 0}}\n"
         "events: {r: {when: t - 0.3, do: {\"y'\": 2}}}\n" + run(0.5, a="last(y)"), a=0.2)
    case("bounces end, slip goes on", moving(1, 0.5) + HEAVY + floor(0, e=0.6) + run(3, a="last(x)", b="last(y)"), tolerance=1e-7, a=3, b=0)


def rules():
    case("before the last impact", "coordinates: {y: 1}\n" + BALL + "contacts: {f: {gap: y, impact: 0.5}}\n"
         + run(0.5, a="at(f, y')", b="at(f, t)"), a=-math.sqrt(20), b=math.sqrt(0.2))
    case("the size of a slip that is none", "coordinates: {x: 0, y: 0, p: 0}\nenergy: {kinetic: \"(x'^2 + y'^2)/2 + p'^2/5\", potential: 10*y}\n"
         + floor(0.5, "x' - p' - sin(3*t)") + run(5, a="max(abs(f.slip))", b="mean(abs(f.slip))"),
         a=0, b=0)
    steady = "coordinates: {x: {start: 0, rate: 1}}\n" + ALONE
    case("section passed by a reset", steady + "sections: {s: x - 0.5}\nevents: {r: {when: t - 0.3, do: {x: 1}}}\n"
         + run(1, a="count(s)"), a=1)
    case("two events of one instant", "coordinates: {x: 0}\nstates: {n: {start: 0, rate: 0}, m: {start: 0, rate: 0}}\n" + ALONE
         + "events: {a: {when: sin(pi*t), do: {n: n + 1}}, b: {when: sin(2*pi*t), do: {n: n + 1, m: m + 1}}}\n"
         + run(2.25, p="last(n)", q="last(m)"), p=6, q=4)
    for condition in ("x >= 0.75", "floor(4*x) > 2", "mod(floor(4*x), 4) >= 3"):
        case(f"stop where {condition}", steady + f"stop: {{far: \"{condition}\"}}\n" + run(2.5, a="last(x)"), a=0.75)
    case("means of stairs", steady + run(4, a="mean(floor(x))", b="mean(mod(x, 0.5))", c="mean(if(mod(floor(x), 2) < 1, 1, 0))",
                                         d="mean(sign(floor(x)))", e="mean(if(floor(x) == 2, 1, 0))"),
         tolerance=1e-8, a=1.5, b=0.25, c=0.5, d=0.75, e=0.25)
    case("rate by stairs", "coordinates: {x: 0}\nstates: {s: {start: 0, rate: \"if(floor(t) >= 1 and floor(t) < 3, 2, 0)\"}}\n" + ALONE
         + run(4, a="last(s)"), a=4)
    case("observed force", REST + HEAVY + "forces: {y: -5*t}\n" + floor(0.5) + run(2, a="max(f.normal)", b="mean(f.normal)"), a=20, b=15)


def friction_that_comes_later():
    """A coefficient that is zero at first, or for a while, or in most places."""
    smooth = "coordinates: {x: {start: 0, rate: 1}, y: 0}\nenergy: {kinetic: \"(x'^2 + y'^2)/2\"}\nforces: {y: -1}\n"
    for mu, x in (("0.2*t", 1 - 0.2 / 6), ("if(t > 0.5, 0.2, 0)", 1 - 0.2 / 8), ("max(0, t - 0.5)", 1 - 0.5 ** 3 / 6)):
        case(f"friction {mu}", smooth + floor(f'"{mu}"') + run(1, a="last(x)"), a=x)
    for force, sign in (("1", 1), ("-1", -1)):
        case(f"friction that grows from rest, {force}", REST + HEAVY + f"forces: {{x: {force}}}\n" + floor('"0.1*abs(slip)"') + run(1, a="last(x)"),
             a=sign * math.exp(-1))
    case("ice, then a force that is held back", REST + HEAVY + "forces: {x: \"if(t > 0.7, 0.2, 0)\"}\n" + floor('"if(t > 0.5, 0.01, 0)"')
         + run(1, a="last(x)"), a=0.0045)
    patch = "if(x > 0.5 and x < 0.501, 5, 0)"
    slow = math.sqrt(1 - 2 * 50 * 0.001)
    case("a narrow rough patch", moving(1) + HEAVY + floor(f'"{patch}"') + run(1, a="last(x')"), a=slow)
    case("the same by a law", moving(1) + HEAVY + f"contacts: {{f: {{gap: y, slip: x', tangential: \"-{patch}*normal*sign(slip)\", impact: 0}}}}\n"
         + run(1, a="last(x')"), a=slow)


def pairs():
    """Two bodies in touch of which something else moves one: they part where it slows down."""
    two = "coordinates: {p: {start: 0, rate: 1}, q: {start: 0, rate: 1}}\nenergy: {kinetic: \"(p'^2 + q'^2)/2\"}\n"
    touch = "contacts: {c: {gap: q - p, impact: 0}, b: {%s, slip: p', %s}}\n"
    for load, p in (("normal: 2", 0.9), ("normal: \"if(t > 0.5, 2, 0)\"", 0.975), ("normal: t", 1 - 0.1 / 6), ("normal: \"max(0, t - 0.5)\"", 1 - 0.1 / 48)):
        case(f"brake with {load}", two + touch % (load, "friction: 0.1") + run(1, a="last(p)", b="last(q)"), a=p, b=1)
    viscous = two.replace("}}", "}, y: 0}").replace("q'^2", "q'^2 + y'^2")
    case("viscous brake", viscous + touch % ("gap: y", "tangential: -0.2*slip") + run(1, a="last(p)", b="last(q)"),
         a=5 * (1 - math.exp(-0.2)), b=1)
    case("viscous brake that comes later", viscous + touch % ("gap: y", "tangential: \"-max(0, t - 0.5)*slip\"") + run(0.6, b="last(q)"), b=0.6)
    for amplitude, rate in ((0.25, 3.3), (0.1, 7)):
        leaves = math.pi / (2 * rate)
        case(f"pushed by a piston, {rate}", "coordinates: {p: 0, q: 0}\nenergy: {kinetic: \"(p'^2 + q'^2)/2\"}\n"
             f"constraints: {{drive: p = {amplitude}*(1 - cos({rate}*t))}}\ncontacts: {{c: {{gap: q - p, impact: 0}}}}\n"
             + run(leaves + 0.1, a="last(q)", b="min(c.normal)"), a=amplitude * (1 + 0.1 * rate), b=0)


def narrow_hills():
    """Flat where a step begins, steep further on."""
    for width in (0.1, 0.02, 0.005, 5e-4):
        hill = f"0.06*exp(-((x - 0.5)/{width})^2)"
        side = 0.5 + width * math.sqrt(math.log(1.2))
        case(f"over a hill, width {width}", "coordinates: {x: {start: 0, rate: 1}}\n" + ALONE + f"sections: {{s: \"0.05 - {hill}\"}}\n"
             + run(1, a="count(s)", b="at(s, x)"), a=2, b=side)
        case(f"against a hill, width {width}", "coordinates: {x: {start: 0, rate: 1}, y: 0.05}\n" + FREE
             + f"contacts: {{f: {{gap: \"y - {hill}\", impact: 1}}}}\n" + run(1, a="count(f)"), a=1)
    case("a smooth step", "coordinates: {x: {start: 0, rate: 1}}\n" + ALONE + "sections: {s: \"0.5 - abs(tanh((x - 0.3)/0.001) - tanh((x - 0.304)/0.001))/2\"}\n"
         + run(1, a="count(s)"), a=2)


def observed():
    """Means and extremes of what changes faster than the motion."""
    end, steady = 5.8557, "coordinates: {x: {start: 0, rate: 1}}\n" + ALONE
    turns = math.floor(3.2 * end / math.pi)
    case("mean of a rectified sine", steady + run(end, a="mean(abs(sin(3.2*t)))"), a=(2 * turns + 1 - math.cos(3.2 * end - turns * math.pi)) / 3.2 / end)
    for rate in (3.2, 100, 1000):
        case(f"mean of a fast square, {rate}", steady + run(end, a=f"mean(sin({rate}*x)^2)"), a=0.5 - math.sin(2 * rate * end) / (4 * rate * end))
    case("mean of a fast square, field", "engine: field\nbody: {square: 1}\nfields: {repulsion: {exponent: 5, rest: 0.02, faces: [bottom]}}\n"
         "start: {position: [0, 0.53]}\n" + run(1, a="mean(sin(1000*t)^2)"), a=0.5 - math.sin(2000) / 4000)
    top = math.floor(1000 * end / (2 * math.pi) - 0.25) * 2 * math.pi + math.pi / 2  # sin(s) s/1000: a top near s = top
    top += 1 / top  # tan(s) = -s
    case("top of a fast sine that grows", steady + run(end, a="max(sin(1000*t)*t)"), a=math.sin(top) * top / 1000)


def differences(program, folder, text, expected, tolerance):
    path = os.path.join(folder, "case.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    told = subprocess.run([program, "run", path, "--json"], capture_output=True, text=True, timeout=60, check=False)
    found = json.loads(told.stdout).get("observables", {})
    wrong = [f"{name} is {found.get(name)!r}, expected {value!r}" for name, value in expected.items()
             if not abs(found.get(name, math.nan) - value) <= tolerance * (1 + abs(value))]
    return wrong if told.returncode == 0 else wrong + [f"exit {told.returncode}: {told.stderr.strip()}"]


def main():
    for part in (friction, belts, floors_that_move, impacts, rules, friction_that_comes_later, pairs, narrow_hills, observed):
        part()
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, text, expected, tolerance in CASES:
            for line in differences(sys.argv[1], folder, text, expected, tolerance):
                print(f"{name}: {line}")
                failures += 1
    print(f"{len(CASES)} systems, {failures} wrong")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
