#!/bin/bash
# The commands that ask questions of scenarios: equilibrium, locate, converge, reproduce.
# usage: test_studies.sh CAROM (from the root of the sources)
set -uo pipefail
. "$(dirname "$0")/expect.sh"

fio=$root/scenarios/frictional_impact_oscillator.yaml

# equilibrium: tan(phi) = mu at the Hopf point; flight is virtual, the slip mode pushes
expect 0 equilibrium "$fio" --set mu=0.3
contains out "mode +" && contains out "stable, admissible" && contains out "virtual"
expect 0 equilibrium "$fio" --set mu=0.45 --json
json '[e["stability"] for e in d["equilibria"] if e["mode"] == "+"] == ["unstable"]'
json '[e for e in d["equilibria"] if e["mode"] == "+"][0]["contacts"][0]["normal"] > 0'
expect 2 equilibrium missing.yaml
expect 1 equilibrium "$root/scenarios/wiper.yaml" && contains err "time"

# locate
expect 0 locate "$fio" --over mu=0.2:0.6 --when hopf --mode + --tolerance 1e-11 --json
json 'abs(d["value"] - 0.409778166) < 5e-10 and d["evaluations"] < 30'
cat >block.yaml <<'EOF'
parameters: {mu: 0.5, alpha: 0.35}
coordinates: {x: 0, y: 0}
energy: {kinetic: (x'^2 + y'^2)/2, potential: 9.81*(y*cos(alpha) - x*sin(alpha))}
contacts: {foot: {gap: y, slip: x', friction: mu}}
run: {until: 1}
EOF
expect 0 locate block.yaml --over mu=0.1:1 --tolerance 1e-8 && contains out "mu = 0.3650284"
expect 0 locate block.yaml --over mu=0.1:1 --follow down --json
json 'd["near"]["word"] == "K" and d["far"]["word"] == "+" and d["near"]["mu"] > d["far"]["mu"]'
expect 1 locate block.yaml --over mu=0.5:1 && contains err "nothing changes"
expect 2 locate block.yaml && contains err "--over expects"
expect 2 locate block.yaml --over mu=0.5 && contains err "--over expects"
expect 2 locate block.yaml --over mu=0.1:1 --when x && contains err "--when expects"
expect 2 locate block.yaml --over mu=0.1:1 --follow left && contains err "up or down"
expect 2 locate block.yaml --over mu=0.1:1 --tolerance -1 && contains err "positive"
expect 2 locate block.yaml --over nu=0.1:1 && contains err "nu"
expect 1 locate "$root/scenarios/rods_2d_r1.yaml" --over Gamma=1:2 --set N=10 --set l=4 --set periods=1 && contains err "--when regime"

# converge
expect 0 converge "$root/scenarios/kepler.yaml" && contains out "regular" && contains out "passed"
expect 0 converge "$root/scenarios/double_pendulum.yaml" --set run.until=80 --set run.rtol=1e-8 --json
json 'd["motion"] == "sensitive" and 0 < d["parted_at"] < 80 and d["rate"] > 0'
json 'len(d["runs"]) == 2 and all(r["passed"] for r in d["runs"])'
expect 2 converge "$root/scenarios/kepler.yaml" --tighter 0 && contains err "--tighter expects"
expect 2 converge missing.yaml

# reproduce: a small study with every verdict
expect 1 reproduce "$root/tests/study/verdicts.yaml" --json
json 'set(d) == {"studies", "match", "explained", "open", "fail"}'
json 'd["explained"] == 1 and d["open"] == 1 and d["fail"] == 8'
json 'd["match"] + d["explained"] + d["open"] + d["fail"] == len(d["studies"])'
json 'all(k in s for s in d["studies"] for k in ("id", "paper", "expected", "carom", "tolerance", "verdict"))'
json '"only-full" not in [s["id"] for s in d["studies"]]'
cp out once
expect 1 reproduce "$root/tests/study/verdicts.yaml" --json
cmp -s out once || fail "reproduce is not the same twice"
expect 1 reproduce "$root/tests/study/verdicts.yaml" --full
contains out "the digits are swapped" && contains out "only-full" && contains out "1 open"
expect 0 reproduce "$root/tests/study/verdicts.yaml" --list && contains out "a misprint"
CAROM_STUDIES=$root/studies expect 0 reproduce fio --list && contains out "set1-hopf"
CAROM_STUDIES=$root/studies expect 0 reproduce --list && contains out "set1-hopf"
CAROM_STUDIES=$root/studies expect 2 reproduce fo && contains err "no study 'fo'" && contains err "field, fio, rods"
printf 'title: x\nscenario: none.yaml\nlines:\n  - {id: a, paper: p, what: w, expected: 1, observable: x}\n' >bad.yaml
expect 2 reproduce bad.yaml && contains err "none.yaml"
printf 'title: x\nlines: 3\n' >bad.yaml
expect 2 reproduce bad.yaml --json && json '"list" in d["error"]["text"] and d["error"]["line"] == 2'

[ $failures = 0 ] && echo "all good"
exit $((failures > 0))
