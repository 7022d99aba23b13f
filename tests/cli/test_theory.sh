#!/bin/bash
# carom theory rods, from outside: numbers, wrong input
. "$(dirname "$0")/expect.sh"

expect 0 theory rods && grep -q "22.65684 to 84.04240" out || fail "critical angles"
# the regimes by their conditions (14), (16) and (20), with the same letters in the picture
expect 0 theory rods --diagram --eps 0.8 --ratio 2 && cp out picture
expect 0 theory rods --diagram --eps 0.8 --ratio 2 --json
python3 - <<'PYTHON' || fail "diagram"
import json, math
d = json.load(open("out"))["diagram"]
picture = [line.split() for line in open("picture").read().splitlines()[1:-1]]
assert len(d["rows"]) == 20 and [p[1] for p in picture] == [r["regimes"] for r in d["rows"]][::-1]
seen = set()
for row in d["rows"]:
    mu = row["mu"]
    assert abs(float(picture[20 - round(20 * mu)][0]) - mu) < 1e-9
    for k, letter in enumerate(row["regimes"]):
        phi = math.radians(d["first_tilt"] + d["tilts_apart"] * k)
        X, Z, k2 = math.sin(phi) / 2, math.cos(phi) / 2, 1 / 12
        D, E = mu * (k2 + Z * Z) + X * Z, k2 + X * X + mu * X * Z
        slide = 1 - D / E * 2 * 1.8 > 0
        assert letter == ("." if slide else "#" if mu * (k2 + Z * Z) >= X * Z else "o"), (mu, k)
        seen.add(letter)
assert seen == set(".#o")
PYTHON
expect 0 theory rods --json --mu 0.3 --eps 0.65 --from 30 --to 30 --speed 8.587
python3 - <<'PYTHON' || fail "JSON"
import json, math
d = json.load(open("out"))
(row,) = d["rows"]
s, c = math.sin(math.pi / 6), math.cos(math.pi / 6)
drift = 1.65 * (0.3 * (1 + 3 * c * c) + 3 * s * c) / (0.35 + 6 * s * s) * 8.587 / 2
assert abs(row["drift"] - drift) < 1e-9 and row["collision"] == "slip reversal"
PYTHON
# H(theta): shares of the twelfths add up to one, and weigh the plate velocity to V0/2
python3 - <<'PYTHON' || fail "phases"
import json, math
d = json.load(open("out"))
assert abs(sum(p["share"] for p in d["phases"]) - 1) < 1e-12 and abs(d["plate_speed"] - 8.587 / 2) < 1e-12
for p in d["phases"]:
    a, b = math.radians(p["theta"] - 15), math.radians(p["theta"] + 15)
    assert abs(p["density"] - (1 + math.cos(math.radians(p["theta"]))) / (2 * math.pi)) < 1e-12
    steps = [(1 + math.cos(a + (b - a) * (k + 0.5) / 1000)) / (2 * math.pi) * (b - a) / 1000 for k in range(1000)]
    assert abs(p["share"] - sum(steps)) < 1e-7
PYTHON
expect 0 theory rods --phases --speed 8.587 && contains out "mean plate velocity 4.2935"
expect 2 theory cones && grep -q "there is: rods" err || fail "unknown theory"
expect 2 theory rods --eps 2 && grep -q "from 0 to 1" err || fail "restitution beyond 1"

[ $failures = 0 ] && echo "all passed"
exit $((failures > 0))
