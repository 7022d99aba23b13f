#!/bin/bash
# Recorded files from outside: carom diff, ParaView files, and what an interrupted or a killed run leaves behind.
set -uo pipefail
program=$1
scenarios=$PWD/scenarios
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
fail() { echo "FAILED: $*" && failures=$((failures + 1)); }

# two runs are the same, provenance aside; a change is found, with its time
"$program" run "$scenarios/rocking_block.yaml" --out a.h5 --quiet || fail "run"
sleep 1.1 # another date
"$program" run "$scenarios/rocking_block.yaml" --out b.h5 --quiet || fail "run"
cmp -s a.h5 b.h5 && fail "the two files have the same date"
"$program" diff a.h5 b.h5 >same.txt || fail "two runs of one scenario differ"
grep -q 'same: all [0-9]* entries, bit for bit' same.txt || fail "$(cat same.txt)"
"$program" run "$scenarios/rocking_block.yaml" --set theta=-0.0999999 --out c.h5 --quiet || fail "run"
code=0
"$program" diff a.h5 c.h5 >differ.txt || code=$?
[ $code = 1 ] || fail "diff of different runs: exit $code"
grep -q '^series/theta .* first at t = 0$' differ.txt || fail "theta differs from the start: $(grep theta differ.txt)"
grep -q '^scenario ' differ.txt || fail "the scenarios differ"
"$program" diff a.h5 c.h5 --json >differ.json
python3 -c '
import json
found = json.load(open("differ.json"))
theta = [d for d in found["differences"] if d["path"] == "/series/theta"][0]
assert not found["same"] and 1e-8 < theta["relative"] < 1, theta' || fail "diff --json"
"$program" run "$scenarios/pendulum.yaml" --set run.rtol=1e-9 --out p.h5 --quiet
"$program" run "$scenarios/pendulum.yaml" --set run.rtol=1e-11 --out q.h5 --quiet
"$program" diff p.h5 q.h5 --tolerance 1e-13 --quiet && fail "tolerances of integration are seen"
"$program" diff p.h5 q.h5 --json --tolerance 1e-5 >loose.json
python3 -c '
import json
paths = [d["path"] for d in json.load(open("loose.json"))["differences"]]
assert not any(p.startswith("/series/") for p in paths), paths' || fail "series agree within 1e-5"
"$program" sweep "$scenarios/pendulum.yaml" --over L=0.5:1:2 --set run.until=1 --out s.h5 --quiet
code=0
"$program" diff a.h5 s.h5 2>err.txt || code=$?
[ $code = 2 ] && grep -q 'one file holds a run' err.txt || fail "a run and a sweep are not comparable"

# what is in a table of many runs
"$program" info s.h5 --json | python3 -c '
import json, sys
info = json.load(sys.stdin)
assert info["kind"] == "sweep" and info["tables"]["points"]["L"] == {"rows": 2, "min": 0.5, "max": 1}, info' || fail "info of a sweep"
"$program" info s.h5 | grep -q '^table points' || fail "info of a sweep as text"

# for ParaView: as many frames as samples, well-formed XML, an index of times
"$program" run "$scenarios/rods_2d_r0.yaml" --until 1 --set measure.after=0.5 --vtk frames --quiet || fail "vtk"
python3 - <<'P' || fail "the ParaView files are wrong"
import os
from xml.etree import ElementTree as tree
index = tree.parse("frames/motion.pvd").getroot()
sets = index.findall(".//DataSet")
times = [float(s.get("timestep")) for s in sets]
assert times == sorted(times) and len(times) > 2
piece = tree.parse(os.path.join("frames", sets[-1].get("file"))).getroot().find(".//Piece")
points = piece.find("Points/DataArray").text.split()
assert len(points) == 3 * int(piece.get("NumberOfPoints"))
lines = piece.find("Lines")
assert len(lines.find("DataArray[@Name='offsets']").text.split()) == int(piece.get("NumberOfLines")) > 10
radius = piece.find("CellData/DataArray[@Name='radius']").text.split()
assert len(radius) == int(piece.get("NumberOfLines")) + int(piece.get("NumberOfPolys")) and float(radius[0]) > 0
P

# of rods: kinds and velocities, here of free fall with a turn
cat >fall.yaml <<'Y'
engine: grains
rods: [{name: sticks, count: 3, diameter: 1, length: 4}, {name: balls, count: 2, diameter: 1}]
gravity: 10
contact: {stiffness: 1e4}
walls: {side: {plane: [1, 0, 0], at: -100}, pot: {cylinder: 50}}
start: {as: poured, size: [20, 20], velocity: [1, 2, 3], turn: [0.25, 0, 0]}
run: {until: 1, step: 1e-3, sample: 0.5}
Y
"$program" run fall.yaml --vtk fall --quiet || fail "vtk of kinds"
python3 - <<'P' || fail "the cell values of rods are wrong"
from xml.etree import ElementTree as tree
piece = tree.parse("fall/frame000002.vtp").getroot().find(".//Piece")
cells = int(piece.get("NumberOfLines")) + int(piece.get("NumberOfPolys"))
arrays = {a.get("Name"): a for a in piece.find("CellData")}
assert list(arrays) == ["part", "radius", "kind", "velocity", "angular_velocity"], list(arrays)
values = {name: [float(v) for v in a.text.split()] for name, a in arrays.items()}
for name, a in arrays.items():
    assert len(values[name]) == cells * int(a.get("NumberOfComponents", 1)), name
def near(name, k, expected):
    return all(abs(a - b) < 1e-9 for a, b in zip(values[name][3 * k:3 * k + 3], expected))
for k, part in enumerate(values["part"]):
    rod = part < 5
    assert values["kind"][k] == (0 if part < 3 else 1 if rod else -1), k
    assert near("velocity", k, [1, 2, -7] if rod else [0, 0, 0]), k
    # that of sticks turns with them
    assert part < 3 or near("angular_velocity", k, [0.25, 0, 0] if rod else [0, 0, 0]), k
assert sum(k >= 0 for k in values["kind"]) == 5 < cells
P
# other engines have no such values
"$program" run "$scenarios/pendulum.yaml" --until 1 --vtk pendulum --quiet || fail "vtk of a pendulum"
grep -q 'Name="radius"' pendulum/frame000000.vtp || fail "vtk of a pendulum has no values"
grep -q 'velocity\|"kind"' pendulum/frame000000.vtp && fail "a pendulum is no rod"

# waits until FILE holds some thousand samples, not its opening alone
grown() {
  for _ in $(seq 100); do
    [ "$(stat -c %s "$1".tmp-* 2>/dev/null || echo 0)" -gt 1000000 ] && return
    sleep 0.1
  done
  fail "$1 does not grow"
}
# Ctrl-C: the file has its name, is complete in itself and says that it was interrupted
"$program" run "$scenarios/frictional_impact_oscillator.yaml" --until 100000 --out stopped.h5 --quiet 2>/dev/null &
run=$!
grown stopped.h5
kill -INT $run
code=0
wait $run || code=$?
[ $code = 1 ] || fail "an interrupted run: exit $code"
"$program" info stopped.h5 --json | python3 -c '
import json, sys
info = json.load(sys.stdin)
assert info["outcome"] == "interrupted" and info["samples"] > 100, info["outcome"]
assert info["certificate"]["passed"] == 1' || fail "the file of an interrupted run"
# killed outright: the temporary file can be read, drawn and compared
"$program" run "$scenarios/frictional_impact_oscillator.yaml" --until 100000 --out killed.h5 --quiet 2>/dev/null &
run=$!
grown killed.h5
kill -KILL $run
wait $run 2>/dev/null
sleep 0.3 # its writer ends just after it
[ -e killed.h5 ] && fail "a killed run has a complete file"
"$program" info killed.h5.tmp-* --json | python3 -c '
import json, sys
info = json.load(sys.stdin)
assert info["outcome"] == "unfinished" and info["samples"] > 10, info' || fail "the file of a killed run cannot be read"
"$program" report killed.h5.tmp-* -o killed.html --quiet || fail "the page of a killed run"
# killed within the first moments of a slow run
"$program" run "$scenarios/rods_annulus.yaml" --out early.h5 --quiet 2>/dev/null &
run=$!
for _ in $(seq 50); do ls early.h5.tmp-* >/dev/null 2>&1 && break || sleep 0.05; done
sleep 0.3
kill -KILL $run
wait $run 2>/dev/null
sleep 0.3
"$program" info early.h5.tmp-* >early.txt 2>&1 || fail "the file of a run killed early cannot be read: $(cat early.txt)"
[ $failures = 0 ]
