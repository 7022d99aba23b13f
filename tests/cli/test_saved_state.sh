#!/bin/bash
# Saved states: a run that is interrupted goes on to the same bits; files that do not belong are refused.
# usage: test_saved_state.sh CAROM
set -uo pipefail
. "$(dirname "$0")/expect.sh"

rods="$root/scenarios/rods_2d_r1.yaml --set N=20 --set L=22 --set l=4 --set run.step=4e-5 --set periods=30"
expect 0 run $rods --save whole.state --json && cp out whole.json
# Ctrl-C after a moment: wherever it comes, the same end; too early, before the run watches for it, there is no state
for moment in 0.2 1 5 20; do
  [ -f part.state ] && break
  "$carom" run $rods --save part.state --quiet 2>err &
  sleep $moment
  kill -INT $! 2>/dev/null
  wait $!
done
expect 0 run $rods --from part.state --save end.state --json
cmp -s whole.state end.state || fail "an interrupted run ends elsewhere"
python3 - <<'PYTHON' || fail "results of the whole run and of its parts"
import json
a, b = json.load(open("whole.json")), json.load(open("out"))
assert a["observables"] == b["observables"] and a["final"] == b["final"], (a["observables"], b["observables"])
PYTHON

# the motion goes on from an earlier end too; threads and samples may change
expect 0 run $rods --save half.state --until 10 --quiet
expect 0 run $rods --from half.state --set run.threads=2 --set run.sample=0.5 --json
python3 - <<'PYTHON' || fail "the end from half way"
import json
assert json.load(open("whole.json"))["final"] == json.load(open("out"))["final"]
PYTHON

# before measuring begins, too: what is measured is that of the whole
cat >late.yaml <<'Y'
coordinates: {x: 1}
energy: {kinetic: x'^2/2, potential: x^2/2}
run: {until: 10}
measure: {after: 5, over: 4}
observe: {mean: mean(x), high: max(x)}
Y
expect 0 run late.yaml --json && cp out whole.json
expect 0 run late.yaml --until 3 --save late.state && contains out "not measured"
expect 0 run late.yaml --from late.state --until 6 --save late.state --quiet
expect 0 run late.yaml --from late.state --json
python3 - <<'PYTHON' || fail "what is measured after a part that was not"
import json
a, b = json.load(open("whole.json"))["observables"], json.load(open("out"))["observables"]
assert all(abs(a[k] - b[k]) < 1e-9 for k in ("mean", "high")), (a, b)
PYTHON

# what does not belong
expect 2 run $rods --from half.state --set mu=0.2 && contains err "another scenario"
expect 2 run "$root/scenarios/rod_collision.yaml" --from half.state && contains err "another scenario"
expect 2 run $rods --from none.state && contains err "cannot read"
echo "no state" >text && expect 2 run $rods --from text && contains err "not a saved state"
head -c 3000 half.state >cut && expect 2 run $rods --from cut && contains err "not whole"
cp half.state bent && printf '\377' | dd of=bent bs=1 seek=2000 conv=notrunc status=none
expect 2 run $rods --from bent && contains err "not whole"
expect 1 run $rods --save nowhere/x.state --until 10 && contains err "cannot write"

# a run that goes wrong leaves the last good state
cp half.state good
expect 2 run $rods --from half.state --save half.state --set run.step=4e-3 && cmp -s good half.state || fail "the saved state is gone"

cat >blow.yaml <<'Y'
engine: grains
rods: {count: 20, diameter: 2e-3, length: 8e-3, density: 2700}
contact: {stiffness: 1e6, form: ratio, restitution: 0.6, friction: 0.3}
walls: {floor: {plane: [0, 0, 1], driven: yes}}
drive: 4e5*max(t - 0.15, 0)^2
start: {as: poured, size: [0.04, 0.04], seed: 3}
run: {until: 0.3, step: 1e-5}
Y
expect 0 run blow.yaml --until 0.12 --save blow.state --quiet && cp blow.state good
expect 1 run blow.yaml --from blow.state --save blow.state && contains err "went through the wall 'floor'"
cmp -s good blow.state || fail "a blow-up has changed the saved state"
expect 0 run blow.yaml --from blow.state --until 0.14 --json && json 'abs(d["t_end"] - 0.14) < 1e-9'

# the event-driven engine too
ball="$root/scenarios/bouncing_ball.yaml"
expect 0 run "$ball" --until 0.5 --save ball.state --quiet
expect 0 run "$ball" --from ball.state --json && json 'd["t_start"] >= 0 and d["certificate"]["passed"]'

# tables that a scenario reads belong to it
cp "$root"/scenarios/spring_mass_table.* .
expect 0 run spring_mass_table.yaml --until 1 --save spring.state --quiet
expect 0 run spring_mass_table.yaml --from spring.state --quiet
echo "1.01,1e-9" >>spring_mass_table.csv
expect 2 run spring_mass_table.yaml --from spring.state && contains err "another scenario"
cat >pack.yaml <<'Y'
engine: grains
rods: {diameter: 1}
contact: {stiffness: 1e4}
start: {as: table, table: pack.csv}
run: {until: 0.2, step: 1e-3}
Y
printf 'x,y,z\n0,0,0\n2,0,0\n' >pack.csv
expect 0 run pack.yaml --until 0.1 --save pack.state --quiet
expect 0 run pack.yaml --from pack.state --quiet
printf 'x,y,z\n0,0,0\n3,0,0\n' >pack.csv
expect 2 run pack.yaml --from pack.state && contains err "another scenario"
[ $failures = 0 ]
