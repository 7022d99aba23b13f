#!/bin/bash
# Examples against known results, and the commands that find and copy them. usage: test_examples.sh CAROM
set -uo pipefail
# shellcheck source=tests/cli/expect.sh
. tests/cli/expect.sh
examples="$root/scenarios"

# Den Hartog (1930): the amplitude without stops in closed form
expect 0 run "$examples/den_hartog.yaml" --json && json 'abs(d["observables"]["off"]) < 1e-9'
expect 0 run "$examples/den_hartog.yaml" --set omega=0.8 --set "run.until=300*2*pi/omega" --set "measure.after=295*2*pi/omega" --json && json 'abs(d["observables"]["off"]) < 1e-9'

# Garcia and others (1998): the gait at slope 0.009, and what they give for small slopes, to the order left out there
expect 0 run "$examples/simplest_walker.yaml" --json && json 'abs(d["observables"]["angle"] - 0.2003109005443) < 1e-10 and d["observables"]["steps"] == 26'
expect 0 run "$examples/simplest_walker.yaml" --set slope=0.004 --until 1000 --json
json 'abs(d["observables"]["angle"] - d["observables"]["expected"]) < 5*0.004**(5/3)'

# the relay: on its line x decays as exp(-t/c)
expect 0 run "$examples/relay_control.yaml" --json && json 'abs(d["observables"]["rate"] + 0.5) < 1e-7 and d["observables"]["distance"] < 1e-7'
expect 0 run "$examples/relay_control.yaml" --set c=4 --json && json 'abs(d["observables"]["rate"] + 0.25) < 1e-7'

# mode coupling: both sides of the coefficient at which the frequencies meet
growth() { expect 0 equilibrium "$examples/brake_squeal.yaml" --set "mu=$1" --json && json "$2"; }
growth 0.999 'max(v["re"] for e in d["equilibria"] for v in e["eigenvalues"]) < 1e-12'
growth 1.001 'max(v["re"] for e in d["equilibria"] for v in e["eigenvalues"]) > 5e-3'

# the follower lifts off at its critical speed and not before
expect 0 run "$examples/cam_follower.yaml" --set ratio=0.9999 --json && json 'd["events"]["by_kind"].get("open", 0) == 0 and 0 < d["observables"]["least"] < 0.01'
expect 0 run "$examples/cam_follower.yaml" --set ratio=1.0001 --json && json 'd["events"]["by_kind"]["open"] > 20'

# Euler's equations: the eleventh quarter period of the elliptic functions, by the arithmetic-geometric mean
cat >quarter.py <<'PYTHON'
import math, sys
I1, I2, I3, s, p = 1, 2, 3, 5, float(sys.argv[1])
a, b = p, math.sqrt(p*p + I2*(I3 - I2)/(I1*(I3 - I1))*s*s)
while abs(a - b) > 1e-15*a:
    a, b = (a + b)/2, math.sqrt(a*b)
print(math.pi/2/a/((I3 - I1)/I2*math.sqrt(I2*(I2 - I1)/(I3*(I3 - I1)))))
PYTHON
for push in 1e-3 1e-2; do
  quarter=$(python3 quarter.py $push)
  expect 0 run "$examples/tennis_racket.yaml" --set push=$push --json
  json "abs(d['observables']['last_turn'] - (2*d['observables']['turns'] - 1)*$quarter) < 1e-6 and d['observables']['momentum_change'] < 1e-8"
done

# a single block of the chain: every slip is 2 d + v T long, d = (mu_s - mu) N/k and T = 2 (pi - atan(d/v)) for m = k = 1
expect 0 run "$examples/spring_block_chain.yaml" --set n=1 --json
json 'abs((d["observables"]["moved1"] + 0.05)/(0.2 + 0.02*(math.pi - math.atan(10))) - d["events"]["by_kind"]["stick"]) < 1e-7'
expect 0 run "$examples/spring_block_chain.yaml" --json && json 'abs(d["observables"]["moved1"] - d["observables"]["moved5"]) < 0.2 and d["certificate"]["passed"]'

# gear rattle: the speed of the symmetric motion, from the quadratic equation
cat >rattle.py <<'PYTHON'
import math, sys
b, e = map(float, sys.argv[1:])
r = (1 - e)/(1 + e)
p, q, c = math.pi**2/4 + r*r, -b*math.pi/2, b*b/4 - 1
print((-q + math.sqrt(q*q - 4*p*c))/(2*p))
PYTHON
for case in "4 0.5" "4 0.3" "3.5 0.4"; do
  speed=$(python3 rattle.py $case)
  expect 0 run "$examples/gear_rattle.yaml" --set "b=${case% *}" --set "e=${case#* }" --json
  json "abs(d['observables']['speed'] - $speed) < 1e-9 and abs(d['observables']['slowest'] - $speed) < 1e-9 and d['observables']['fronts'] == 20"
done

# running: the stable gait against a second method, flight in closed form and stance by Runge and Kutta's in small steps
cat >runner.py <<'PYTHON'
import math
g, push, attack, v, y = 9.81, 250.0, math.radians(68), 5.0, 1.0
def slope(s):
    x, y, vx, vy = s
    p = push*(1/math.hypot(x, y) - 1)
    return vx, vy, p*x, p*y - g
def moved(s, d, h): return tuple(u + h*w for u, w in zip(s, d))
def step(s, h):
    a = slope(s); b = slope(moved(s, a, h/2)); c = slope(moved(s, b, h/2)); d = slope(moved(s, c, h))
    return tuple(u + h/6*(i + 2*j + 2*k + l) for u, i, j, k, l in zip(s, a, b, c, d))
def free(s): return math.hypot(s[0], s[1]) >= 1 and s[0]*s[2] + s[1]*s[3] > 0
for _ in range(60):
    s = (-math.cos(attack), math.sin(attack), v, -math.sqrt(2*g*(y - math.sin(attack))))
    while not free(n := step(s, 5e-4)): s = n
    low, high = 0.0, 5e-4
    for _ in range(50):
        h = (low + high)/2
        low, high = (low, h) if free(step(s, h)) else (h, high)
    s = step(s, high)
    v, y = s[2], s[1] + s[3]**2/(2*g)
print(y)
PYTHON
expect 0 run "$examples/slip_runner.yaml" --json
json "abs(d['observables']['apex_height'] - $(python3 runner.py)) < 1e-7 and d['observables']['energy_change'] < 1e-8 and d['observables']['steps'] == 39"
expect 0 run "$examples/slip_runner.yaml" --set alpha=66*deg --json && json 'd["stopped_by"] == "stop"'

# finding and copying
expect 0 examples && contains out "den_hartog" && contains out "Den Hartog's oscillator"
expect 0 examples BURRIDGE && contains out "spring_block_chain"; grep -q den_hartog out && fail "all were listed"
expect 0 examples den_hartog && contains out "Try: carom run"
expect 0 examples walker --json && json 'any(e["name"] == "simplest_walker" for e in d["examples"])'
expect 2 examples qqqqq && contains err "no example speaks of 'qqqqq'"
expect 0 new mine --from den_hartog && cmp -s mine.yaml "$examples/den_hartog.yaml" || fail "the copy differs"
expect 2 new mine --from den_hartog && contains err "exists already"
expect 2 new other --from nonsense && contains err "is no example"
expect 2 new other --from spring_mass_table && contains err "needs other files"
[ $failures = 0 ]
