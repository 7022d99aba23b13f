#!/bin/bash
# Pages of recorded runs in a real browser, without network: they play, scrubbing moves the cursor in every plot, the
# console stays empty. The page tries itself (#selftest) and writes down what it found. Skipped, and said so, where
# Chromium is not installed; what needs no browser is tested all the same.
set -uo pipefail
program=$1
scenarios=$PWD/scenarios
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
fail() { echo "FAILED: $*" && failures=$((failures + 1)); }

"$program" run "$scenarios/rocking_block.yaml" --out block.h5 --quiet || fail "run"
"$program" run "$scenarios/field_cube_corner.yaml" --until 1 --out cube.h5 --quiet || fail "run"
"$program" run "$scenarios/rods_2d_r0.yaml" --until 2 --set measure.after=1 --out rods.h5 --quiet || fail "run"
"$program" run "$scenarios/relief_valve.yaml" --out plain.h5 --quiet || fail "run"
# without shapes: a coordinate that is no place is a bead between its stops; places are points on lines
cat >beads.yaml <<'YAML'
coordinates: {phi: 0.5}
states: {z: {start: 1, rate: phi - z}}
energy: {kinetic: phi'^2/2}
forces: {phi: sin(t)}
contacts: {front: {gap: 1 - phi, impact: 0.8}, back: {gap: phi + 1, impact: 0.8}}
run: {until: 50}
YAML
"$program" run beads.yaml --out beads.h5 --quiet || fail "run"
cat >points.yaml <<'YAML'
coordinates: {x: 0, y: 1}
energy: {kinetic: (x'^2 + y'^2)/2, potential: 10*y}
contacts: {floor: {gap: y, impact: 0.7}}
run: {until: 3}
YAML
"$program" run points.yaml --out points.h5 --quiet || fail "run"
# symbols, colours, names
cat >symbols.yaml <<'YAML'
coordinates: {x: 0.3, phi: 0.5}
energy: {kinetic: (x'^2 + phi'^2)/2, potential: x^2/2 + phi^2/2}
shapes:
  - {plane: -0.2, color: grey, label: ground}
  - {spring: [[-2, 0], [x - 0.2, 0]], color: green}
  - {damper: [[-2, 0.1], [x - 0.2, 0.1]], label: damper}
  - {polygon: [[x - 0.2, -0.2], [x + 0.2, -0.2], [x + 0.2, 0.2], [x - 0.2, 0.2]], color: orange, label: mass}
  - {angle: [1.5, 0], radius: 0.5, to: phi, label: phi}
  - {circle: [1.5 + cos(phi), sin(phi)], radius: 0.1, fill: none, color: red, label: mass}
run: {until: 12}
YAML
"$program" run symbols.yaml --out symbols.h5 --quiet || fail "run"
# a certificate that does not pass is told at the top (exit 3)
"$program" run "$scenarios/frictional_impact_oscillator.yaml" --set run.rtol=0.3 --set run.hold=none --until 5 --set measure.after=1 --out bad.h5 --quiet 2>err.txt
[ $? = 3 ] || fail "a run that does not pass"
# a title that tries to leave its place
"$program" run "$scenarios/bouncing_ball.yaml" --set 'title=</script><b>&"x"' --out title.h5 --quiet || fail "run"
for name in block cube rods plain title beads points symbols bad; do
  [ "$("$program" report $name.h5)" = $name.html ] || fail "report $name"
  # the name of a language of documents is no address that anything is fetched from
  sed 's|http://www.w3.org/1999/xhtml||g' $name.html | grep -q 'https\?://' && fail "$name.html names an address"
done
[ "$(grep -c '</script>' title.html)" = 2 ] || fail "the title ends the script"
"$program" report block.h5 --from 1 --until 2 --of theta -o part.html --json | python3 -c 'import json, sys; json.load(sys.stdin)' || fail "json"
python3 - <<'P' || fail "the data of the page are not those of the run"
import base64, json, re, struct
page = open("part.html", encoding="utf-8").read()
data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S).group(1))
raw = base64.b64decode(data["t"])
t = struct.unpack("<%dd" % (len(raw) // 8), raw)
assert t[0] >= 1 and t[-1] <= 2 and list(t) == sorted(t), (t[0], t[-1], len(t))
# every sample, and events on both sides of their jumps
assert all(any(abs(x - 1 - k / 100) < 1e-9 for x in t) for k in range(101))
assert all(e[0] in t for e in data["events"]) and any(a == b for a, b in zip(t, t[1:]))
assert data["chosen"] == ["theta"] and data["certificate"]["passed"] == 1
assert all(1 <= e[0] <= 2 for e in data["events"]) and data["events"]
P
grep -q '"kind":"bead"' beads.html && grep -q '"kind":"stop"' beads.html && grep -q '"made":true' beads.html || fail "beads and stops"
grep -q '"kind":"circle"' points.html && grep -q '"kind":"level"' points.html || fail "points and lines"
grep -q '"kind":"spring","label":"","color":"green"' symbols.html && grep -q '"color":"red","fill":"none"' symbols.html || fail "looks of shapes"
"$program" sweep "$scenarios/pendulum.yaml" --over L=0.5:1:2 --set run.until=1 --out sweep.h5 --quiet
"$program" report sweep.h5 2>err.txt && fail "tables have no page"
grep -q 'holds tables' err.txt || fail "why tables have no page"

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
if [ -z "$browser" ]; then
  echo "skipped: Chromium is not installed, the pages were not opened in a browser"
  [ $failures = 0 ] && exit 77
  exit 1
fi
for name in block cube rods plain title part beads points symbols bad; do
  timeout 100 "$browser" --headless=new --no-sandbox --disable-gpu --user-data-dir="$work/profile" --enable-logging=stderr \
    --virtual-time-budget=12000 --dump-dom "file://$work/$name.html#selftest" >dom.txt 2>log.txt
  grep -q 'selftest passed' dom.txt || { sed -n '/<pre id="selftest"/,/<\/pre>/p' dom.txt && fail "$name.html does not pass its own test"; }
  # what the browser says of its own driver, which computes pictures in space here, is not the page's
  grep 'CONSOLE' log.txt | grep -v 'software WebGL\|GL Driver Message' && fail "$name.html writes to the console"
done
[ $failures = 0 ]
