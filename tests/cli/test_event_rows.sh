#!/bin/bash
# Every event is recorded with what it did: impulses, states and energies on both sides. Checked against closed forms,
# against the ledger of the certificate, and the same in all forms of the record.
source tests/cli/expect.sh

# a point mass thrown obliquely on a rough floor: friction takes mu times the normal impulse
cat >thrown.yaml <<'YAML'
title: Thrown
parameters: {m: 2, g: 9.81, e: 0.6, mu: 0.1}
coordinates: {x: {start: 0, rate: 3}, y: 1}
energy: {kinetic: m/2*(x'^2 + y'^2), potential: m*g*y}
contacts:
  floor: {gap: y, slip: x', friction: {stick: mu, slip: mu}, impact: {law: newton, e: e}}
sections: {level: y - 0.5}
run: {until: 1, sample: 0.01}
YAML
expect 0 run thrown.yaml --events --json --out thrown.h5 --csv thrown
cp out thrown.json
/usr/bin/python3 - <<'P' || fail "the event of a thrown mass"
import csv, json, math
import h5py
log = json.load(open("thrown.json"))["log"]
strike = next(e for e in log if e["kind"] == "impact")
m, g, e, mu = 2, 9.81, 0.6, 0.1
fall = math.sqrt(2 * g)
assert math.isclose(strike["value"], m * (1 + e) * fall, rel_tol=1e-9)
assert math.isclose(strike["tangential"], -mu * m * (1 + e) * fall, rel_tol=1e-9)
assert math.isclose(strike["before"]["kinetic"], m / 2 * (9 + 2 * g), rel_tol=1e-9)
after = m / 2 * ((3 - mu * (1 + e) * fall) ** 2 + (e * fall) ** 2)
assert math.isclose(strike["after"]["kinetic"], after, rel_tol=1e-9)
assert abs(strike["before"]["potential"]) < 1e-9 and abs(strike["after"]["y"]) < 1e-9
# an event that changes nothing has the same energies on both sides, potential included
level = next(e for e in log if e["name"] == "level")
assert level["before"] == level["after"] and math.isclose(level["before"]["potential"], m * g * 0.5, rel_tol=1e-9)
# the file and the table hold the same numbers
file = h5py.File("thrown.h5")["events"]
rows = list(csv.DictReader(open("thrown/events.csv")))
assert len(rows) == len(log) == len(file["t"])
for k, event in enumerate(log):
    for side in ("before", "after"):
        for name in ("kinetic", "potential"):
            assert event[side][name] == file[f"{name}_{side}"][k] == float(rows[k][f"{name}_{side}"])
    assert event["tangential"] == file["tangential"][k] == float(rows[k]["tangential"])
    assert event["before"]["x'"] == float(rows[k]["before x'"])
P

# against obstacles at rest: what all impacts took together is what the ledger says, for laws and systems of many kinds
for scenario in woodpecker rocking_block rod_two_ends disc_ball_case1; do
  expect 0 run "$root/scenarios/$scenario.yaml" --out run.h5 --quiet
  /usr/bin/python3 - <<'P' || fail "impacts of $scenario against its ledger"
import h5py, math
run = h5py.File("run.h5")
events, certificate = run["events"], run["certificate"]
kinds = events["kind"].asstr()[:]
lost, last, count = 0.0, None, 0
for k, kind in enumerate(kinds):
    if kind != "impact":
        continue
    sides = tuple(events[f"kinetic_{s}"][k] for s in ("before", "after"))
    if (events["instant"][k], sides) == last:  # contacts that strike together are one impact
        continue
    last, count = (events["instant"][k], sides), count + 1
    lost += sides[0] - sides[1]
assert count > 0
assert math.isclose(lost, certificate["lost_impacts"][()], rel_tol=1e-7), (lost, certificate["lost_impacts"][()])
P
done

# a body in a field: a rule that halves its speed takes three quarters of its kinetic energy
cat >braked.yaml <<'YAML'
title: Braked
engine: field
body: {cube: 1, density: 1000}
fields: {repulsion: {exponent: 8, rest: 0.002}}
start: {position: [0, 0, 4]}
events: {brake: {when: z - 3, direction: falling, do: {"z'": z'/2}}}
run: {until: 0.5, sample: 0.01}
YAML
expect 0 run braked.yaml --events --json && cp out braked.json
/usr/bin/python3 - <<'P' || fail "the event of a braked body"
import json, math
(brake,) = json.load(open("braked.json"))["log"]
before, after = brake["before"], brake["after"]
assert math.isclose(before["kinetic"], 1000 * 9.81, rel_tol=1e-6), before
assert math.isclose(after["kinetic"], before["kinetic"] / 4, rel_tol=1e-12) and before["potential"] == after["potential"]
P

# what every field did stands in the summary, the certificate, the recording and its tables, and together they are
# the change of the kinetic energy
cat >pads.yaml <<'YAML'
engine: field
body: {square: 1}
fields:
  repulsion: {rest: 0.02}
  sole pad: {law: damping, exponent: 2, coefficient: 1, faces: [bottom]}
  side pad: {law: friction, exponent: 2, coefficient: 5, faces: [left]}
start: {gap: 0.05, angle: 0.2, velocity: [0.5, 0]}
run: {until: 0.3, sample: 0.01, rtol: 1e-10}
YAML
expect 0 run pads.yaml --out pads.h5 --csv pads && contains out "work on the body" && contains out "sole pad"
expect 0 run pads.yaml --json && cp out pads.json
expect 0 plot pads.h5 energy --out pads.svg && grep -q "side pad" pads.svg || fail "the fields in the picture of the ledger"
expect 0 report pads.h5 --out pads.html && grep -q "work.sole pad" pads.html || fail "the fields in the report"
/usr/bin/python3 - <<'P' || fail "the works of fields"
import csv, json, math
import h5py
certificate = json.load(open("pads.json"))["certificate"]
names = ["work_gravity", "work.repulsion", "work.sole pad", "work.side pad"]
change = certificate["kinetic"] - certificate["kinetic_start"]
assert math.isclose(sum(certificate[name] for name in names), change, rel_tol=1e-9)
assert math.isclose(certificate["work.sole pad"], -certificate["lost_dampers"], rel_tol=1e-12)
assert certificate["work.side pad"] == -certificate["lost_friction"] < 0
table = list(csv.DictReader(open("pads/energy.csv")))
with h5py.File("pads.h5") as file:
    for name in names:
        assert file["certificate"][name][()] == certificate[name] == file["energy"][name][-1] == float(table[-1][name])
P
expect 0 run "$root/scenarios/bouncing_ball.yaml" --events && contains out "energy before"
[ $failures = 0 ]
