#!/bin/bash
# Settings in any order, options given twice, and the exit codes. usage: test_settings.sh CAROM
set -uo pipefail
# shellcheck source=tests/cli/expect.sh
. tests/cli/expect.sh

# --set of a coordinate or state is its start value; the rate stays, in any order, as in sweeps
cat >free.yaml <<'YAML'
parameters: {a: 1}
coordinates: {y: {start: 1, rate: 2}, x: 0}
states: {z: {start: 1, rate: 0-z}}
energy: {kinetic: (y'^2+x'^2)/2}
observe: {ly: last(y), lx: last(x), lz: last(z)}
run: {until: 1}
YAML
gives() { # gives Y X Z(0) SETTING...
  local y=$1 x=$2 z=$3 words=()
  shift 3
  for word in "$@"; do words+=(--set "$word"); done
  expect 0 run free.yaml "${words[@]}" --json
  json "abs(d['observables']['ly'] - $y) < 1e-12 and abs(d['observables']['lx'] - $x) < 1e-12 and abs(d['observables']['lz'] - $z*math.exp(-1)) < 1e-9"
}
gives 5 0 1 y=3
gives 5 0 1 coordinates.y=3
gives 5 0 1 coordinates.y.start=3
gives 3 1.5 1 "x'=1" x=0.5
gives 3 1.5 1 x=0.5 "x'=1"
gives 2 0 1 "y'=1" y=1
gives 3 0 3 z=3
gives 3 0 3 states.z=3
gives 2 0 1 'y={start: 2}'
gives 4 0 1 y=3 "y'=1" y=3
expect 0 sweep free.yaml --over y=3 --over z=3 --csv swept.csv
grep -q '^0,3,3,[45]' swept.csv || { fail "the sweep" && cat swept.csv; }

# a sweep of runs that end before they are measured has nothing to show: refused, or told in each row; a run may go on later
cat >measured.yaml <<'YAML'
parameters: {a: 1}
coordinates: {x: {start: 0, rate: a}}
energy: {kinetic: x'^2/2}
run: {until: 4}
measure: {after: 2}
observe: {top: max(x)}
YAML
expect 0 run measured.yaml --set run.until=1 --json && json 'd["observables"]["top"] is None'
for words in "sweep measured.yaml --over a=1,2" "basin measured.yaml --over x=0:1:2 --over a=1:2:2 --observe top"; do
  # shellcheck disable=SC2086
  expect 2 $words --set run.until=1 && contains err "measured.yaml:5:" && contains err "measuring would begin at 2, but the run ends at run.until = 1"
done
expect 0 sweep measured.yaml --over run.until=1,3 --json
json 'd["failed"] == 1 and "measuring would begin" in json.dumps(d["rows"][0]) and abs(d["rows"][1]["observables"]["top"] - 3) < 1e-9'
expect 0 sweep measured.yaml --set run.until=1 --set measure.after=0.5 --over a=1,2 --json && json 'd["failed"] == 0'

# null takes away what an included file says, or the file itself when it is set; a null without anything to take away is a mistake
cat >base.yaml <<'YAML'
parameters: {g: 9.81, e: 0.5}
coordinates: {x: {start: 0, rate: 1}, y: 1}
energy: {kinetic: x'^2/2 + y'^2/2, potential: g*y}
contacts:
  floor: {gap: y, slip: x', friction: 0.3, impact: e}
run: {until: 1, chatter: accumulation}
observe: {a: last(x)}
YAML
printf 'include: base.yaml\ncontacts:\n  floor: {friction: null}\nobserve: {a: ~, b: last(x)}\n' >smooth.yaml
expect 0 run smooth.yaml --json && json 'd["observables"] == {"b": 1.0}'
expect 0 run base.yaml --set contacts.floor.friction=null --json && json 'd["observables"]["a"] == 1.0'
expect 0 run base.yaml --json && json 'd["observables"]["a"] < 0.9'
sed 's/friction: null/frictoin: null/' smooth.yaml >wrong.yaml
expect 2 run wrong.yaml && contains err "wrong.yaml:3:21:" && contains err "did you mean 'friction'"
expect 2 run base.yaml --set observe.z=null && contains err "there is no 'observe.z' to take away"
expect 2 check base.yaml --set contacts.flor.friction=null && contains err "did you mean 'floor'"

# of keys that exclude each other the one that is set replaces the other; both set is a mistake
expect 0 run base.yaml --set contacts.floor.tangential=-slip --json
expect 0 run base.yaml --set run.chatter.speed=1e-3 --json
expect 2 run base.yaml --set contacts.floor.tangential=-slip --set contacts.floor.friction=0.2 && contains err "leaves no room for"
expect 0 check "$root/scenarios/rods_pile.yaml" --set contact.damping=3 --scenario && contains out "damping: 3" && ! grep -q "restitution" out
grep -q "restitution" "$root/scenarios/rods_pile.yaml" || fail "the pile has no restitution to replace"

# a minus sign with a blank is a list in YAML
sed "s/^run:/forces:\n  x: - 1*x\nrun:/" base.yaml >minus.yaml
expect 2 check minus.yaml && contains err "minus.yaml:7:6:" && contains err "without the blank"
sed "s/^run:/forces:\n  x:\n    - 1*x\nrun:/" base.yaml >minus.yaml
expect 2 check minus.yaml && contains err "minus.yaml:8:5:" && contains err "without the blank"

# an option that would replace itself is refused
for words in "continue free.yaml --over a=1:2 --over a=2:3" "locate free.yaml --over a=1:2 --over a=2:3" \
  "run free.yaml --until 1 --until 2" "run free.yaml --out a.h5 -o b.h5" "sweep free.yaml --over a=1 --csv a.csv --csv b.csv"; do
  # shellcheck disable=SC2086
  expect 2 $words && contains err "is given twice"
done

# exit 3: done, but a certificate did not pass
coarse=("$root/scenarios/frictional_impact_oscillator.yaml" --set run.rtol=0.3 --set run.hold=none)
expect 3 run "${coarse[@]}" --out coarse.h5 && contains out "NOT PASSED" && contains err "did not pass"
expect 3 run "${coarse[@]}" --json && json 'not d["certificate"]["passed"]'
# and says why: Newton's law with e = 1, beside a contact that moves apart, gives energy
cat >gives.yaml <<'YAML'
coordinates: {a: {start: 0, rate: 1}, b: 0, c: {start: 0, rate: 1e-3}}
energy: {kinetic: (a'^2 + b'^2 + c'^2)/2}
contacts: {one: {gap: b - a, impact: 1}, two: {gap: c - b, impact: 1}}
run: {until: 1e-3}
YAML
expect 3 run gives.yaml && contains out "energy that impacts gave           0.000333"
expect 3 sweep "${coarse[@]}" --over run.rtol=0.3,1e-10 --csv coarse.csv && contains err "did not pass"
[ "$(wc -l <coarse.csv)" = 3 ] && [ ! -e coarse.csv.journal ] || fail "the table of a sweep that did not pass"
expect 3 converge "${coarse[@]}"
expect 0 info coarse.h5
expect 0 run free.yaml
expect 0 run --help && contains out "Exit 3"
expect 0 --help && contains out "3 done but a certificate did not pass"

# exit 2: a file that is missing, for all commands
for words in run check derive sweep map basin bifurcate orbit continue lyapunov locate converge equilibrium info plot report movie "diff coarse.h5" merge reproduce; do
  # shellcheck disable=SC2086
  "$carom" $words missing.h5 --over a=1:2:3 --over b=1:2:3 >out 2>err
  got=$?
  [ $got = 2 ] || { fail "carom $words missing.h5: exit $got" && cat err; }
  # shellcheck disable=SC2086
  "$carom" $words missing.h5 >out 2>err
  got=$?
  [ $got = 2 ] || { fail "carom $words missing.h5: exit $got" && cat err; }
done
[ $failures = 0 ]
