#!/bin/bash
# The program from outside: exit codes, which stream gets what, JSON, places of mistakes.
# usage: test_cli.sh CAROM
set -uo pipefail
. "$(dirname "$0")/expect.sh"

# help and version
expect 0 --help && contains out "commands:" && empty err
expect 0 help && contains out "commands:"
expect 0 --version && contains out "carom 0." && contains out "cards for --gpu: "
expect 2 && contains err "usage:" && empty out
"$carom" help --man >manual
for command in $("$carom" --help | sed -n '/^commands:/,/^$/p' | awk 'NF == 0 {exit} NR > 1 && $1 != "help" {print $1}'); do
  grep -q "^\.SS carom $command" manual || fail "the manual page lacks $command"
  expect 0 "$command" --help
  contains out "usage: carom $command"
  contains out "examples:"
  cp out by_option
  expect 0 help "$command"
  cmp -s out by_option || fail "help $command differs from $command --help"
done
[ "$(grep -c '^\.SS carom ' manual)" -ge 20 ] || fail "commands of the manual page"
# every option that takes a value and need not be given says what holds without it
"$carom" --help | sed -n 's/^  \([a-z]*\) .*/\1/p' | sort -u | grep -v '^carom$\|^help$' >names
while read -r command; do
  "$carom" "$command" --help | grep -E '^  --[a-z-]+ [A-Z]' | grep -v 'default: \|--over \|needed: ' && fail "$command: an option without a default"
done <names
[ "$(wc -l <names)" -ge 20 ] || fail "names of the commands"
# every scenario that comes along is understood
for scenario in "$root"/scenarios/*.yaml; do expect 0 check "$scenario" && empty err; done
# colours on a terminal only, and not where NO_COLOR forbids them
if script -qec true /dev/null >/dev/null 2>&1; then
  script -qec "'$carom' run nowhere.yaml" /dev/null >seen 2>&1
  grep -q "$(printf '\033')" seen || fail "no colour on a terminal"
  script -qec "NO_COLOR=1 '$carom' run nowhere.yaml" /dev/null >seen 2>&1
  grep -q "$(printf '\033')" seen && fail "colour in spite of NO_COLOR"
else
  echo "no terminal can be had here: its colours are not tested" >&2
fi
expect 2 run nowhere.yaml
grep -q "$(printf '\033')" err && fail "colour in a file"
for word in NO_COLOR CAROM_STUDIES 'EXIT STATUS'; do contains manual "$word"; done
expect 0 run --help && contains out "--until T" && contains out "default:"

# wrong command lines
expect 2 rum && contains err "did you mean 'run'?" && empty out
expect 2 help chekc && contains err "did you mean 'check'?"
expect 2 run && contains err "needs FILE"
expect 2 run x.yaml --jsn && contains err "did you mean --json?"
expect 2 run x.yaml --until && contains err "needs a value"
expect 2 run x.yaml --json=1 && contains err "takes no value"
expect 2 run x.yaml --set g && contains err "NAME=VALUE"
expect 2 run x.yaml y.yaml && contains err "y.yaml"
expect 2 run x.yaml m=3 && contains err "--set m=3"
expect 2 x.yaml && contains err "did you mean 'carom run x.yaml'?"
expect 2 run x.yaml -j && contains err "two dashes"
expect 2 run --json --nonsense && json '"nonsense" in d["error"]["text"] and d["command"] == "run"'
expect 2 rum --json && json '"did you mean" in d["error"]["text"]'
expect 2 run missing.yaml && contains err "missing.yaml" && empty out
expect 2 run missing.yaml --json && json 'd["error"]["status"] in ("CAROM_ERR_IO", "CAROM_ERR_INPUT")'

# new, then everything with it
expect 0 new swing && contains out "swing.yaml" && empty err
expect 2 run swing && contains err "did you mean 'swing.yaml'?"
cp swing.yaml before.yaml
expect 2 new swing && contains err "exists already"
expect 2 new swing.yaml
cmp -s swing.yaml before.yaml || fail "new changed an existing file"
expect 2 new nowhere/swing && contains err "nowhere"
expect 0 new other --json && json 'd["file"] == "other.yaml"'
[ -z "$(ls ./*.tmp* 2>/dev/null)" ] || fail "new left temporary files"

expect 2 run swing.yaml --out swing.csv && contains err "writes an HDF5 file"
[ ! -e swing.csv ] || fail "a record was written as a table"
expect 0 check swing.yaml && empty err
for word in swing "1 coordinate" phi omega lowest mean_power; do contains out "$word"; done
expect 0 check swing.yaml --json
json 'd["freedoms"] == 1 and d["conservative"] is False and d["engine"] == "hybrid"'
json 'd["coordinates"][0]["name"] == "phi" and abs(d["coordinates"][0]["start"] - 0.3490658503988659) < 1e-15'
json 'd["parameters"]["g"] == 9.81 and d["observables"] == ["swing", "mean_power", "passages"]'
expect 0 check swing.yaml --set g=1.62 --set drive=0 --json
json 'd["parameters"]["g"] == 1.62 and d["parameters"]["drive"] == 0'

# the laws of contacts as they were understood
cat >laws.yaml <<'YAML'
title: Laws
parameters: {mu: 0.3, e: 0.5}
coordinates: {x: 0, y: 1}
energy: {kinetic: (x'^2 + y'^2)/2, potential: y}
contacts:
  floor: {gap: y, slip: x', friction: {stick: 2*mu, slip: mu}, impact: {law: poisson, e: e}}
  wall: {gap: 5 - x, impact: {law: energetic, e: 1, stiffness: 100}}
run: {until: 1}
YAML
expect 0 check laws.yaml && contains out "stick 2*mu, slip mu" && contains out "poisson, e = e"
contains out "energetic, e = 1, stiffness 100, exponent 1.5" && contains out "none"
expect 0 check laws.yaml --json && json 'd["laws"]["floor"]["gap"] == "y" and d["laws"]["wall"]["friction"] is None and d["contacts"] == ["floor", "wall"]'

# next to rest there is no energy to measure a residual by: the tolerance of the state is the measure
cat >rest.yaml <<'YAML'
title: Next to rest
coordinates: {x: 1e-20}
energy: {kinetic: x'^2/2, potential: x^2/2, dissipation: x'^2/20}
run: {until: 100}
YAML
expect 0 run rest.yaml --json && json 'd["certificate"]["passed"] and abs(d["certificate"]["residual_relative"]) <= d["certificate"]["tolerance"]'

expect 0 derive swing.yaml && empty err && contains out "phi"
expect 0 derive swing.yaml --latex && contains out "\\dot"
expect 0 derive swing.yaml --json && json 'd["notation"] == "plain" and "phi" in d["equations"]'

expect 0 run swing.yaml && empty err
for word in observables mean_power section lowest certificate "lost to dampers" passed; do contains out "$word"; done
expect 0 run swing.yaml --quiet && empty out && empty err
expect 0 run swing.yaml --json && empty err
json 'd["command"] == "run" and d["file"] == "swing.yaml" and d["t_start"] == 0 and d["t_end"] == 60'
json 'd["stopped_by"] == "until" and d["certificate"]["passed"] is True'
json 'set(d["final"]) == {"phi", "phi'"'"'"} and set(d["observables"]) == {"swing", "mean_power", "passages"}'
json 'sum(d["events"]["by_kind"].values()) == d["events"]["total"] == sum(e["count"] for e in d["events"]["by_name"])'
json 'd["events"]["by_kind"]["section"] >= d["observables"]["passages"] > 10'
json 'd["provenance"]["timing"]["run"] >= 0 and d["provenance"]["host"]'
# in the steady state the drive gives what the damper takes
expect 0 run swing.yaml --json --set measure.after=300 --until 600
json 'd["t_end"] == 600 and d["observables"]["mean_power"] > 0'
# without drive and damper the energy stays, and the small swing has the period 2 pi sqrt(L/g)
expect 0 run swing.yaml --json --set drive=0 --set damping=0 --set phi=0.02 --set measure.after=0 --until=100.35
json 'abs(d["certificate"]["residual_relative"]) < 1e-7 and d["observables"]["passages"] == round(100.35*(9.81/0.25)**0.5/6.283185307179586)'
# everything but provenance repeats
expect 0 run swing.yaml --json
python3 -c 'import json; d = json.load(open("out")); del d["provenance"]; print(json.dumps(d))' >first
expect 0 run swing.yaml --json
python3 -c 'import json; d = json.load(open("out")); del d["provenance"]; print(json.dumps(d))' >second
cmp -s first second || fail "two runs differ"

# mistakes in the file: the place, the line, the caret
cat >wrong.yaml <<'YAML'
title: Wrong
parameters: {g: 9.81}
coordinates: {x: 0}
energy:
  kinetic: x'^2/2
  potential: gg*x
run: {until: 1}
YAML
expect 2 run wrong.yaml && empty out
contains err "carom: wrong.yaml:6:14: "
contains err "     6 |   potential: gg*x"
contains err "       |              ^"
grep -q $'\x1b' err && fail "colours without a terminal"
expect 2 check wrong.yaml --json
json 'd["error"]["status"] == "CAROM_ERR_INPUT" and d["error"]["file"] == "wrong.yaml" and (d["error"]["line"], d["error"]["column"]) == (6, 14)'
expect 2 run swing.yaml --set gravity=1 && contains err gravity
expect 2 run swing.yaml --set g=1+ && empty out
# what a stranger's file says cannot command the terminal
printf 'title: a\n\x1b[31mfoo: 1\n' >evil.yaml
expect 2 run evil.yaml
grep -q $'\x1b' err && fail "an escape sequence of the file reached the terminal"

# a run that fails: 1/x at x = 0
cat >fails.yaml <<'YAML'
title: Fails
states:
  x: {start: 1, rate: -1}
  y: {start: 0, rate: 'sqrt(x)'}
run: {until: 2}
YAML
expect 1 run fails.yaml && empty out && contains err "carom: "
expect 1 run fails.yaml --json --out fails.h5
json 'd["error"]["status"].startswith("CAROM_ERR_") and 0 <= d["error"]["t"] <= 1.001'
json 'd["error"]["expression"] and d["error"]["state"]'
expect 0 info fails.h5 --json && json 'd["outcome"] == "failed" and d["samples"] > 100'

# a stop
expect 0 run swing.yaml --json --set stop="phi < 0" && json 'd["stopped_by"] == "stop" and d["t_end"] < 1'

# recording
expect 0 run swing.yaml --out run.h5 --csv tables --json && empty err
ls run.h5.tmp* >/dev/null 2>&1 && fail "the temporary recording is left"
expect 0 info run.h5 && empty err
for word in complete "phi'" mean_power residual compiler; do contains out "$word"; done
expect 0 info run.h5 --json
json 'd["samples"] == 3001 and d["outcome"] == "complete" and d["series"]["t"]["max"] == 60'
expect 0 info run.h5 --scenario && mv out again.yaml
expect 0 run again.yaml --json --quiet
python3 -c 'import json; d = json.load(open("out")); print(d["final"], d["observables"])' >second
python3 -c 'import json; d = json.load(open("first")); print(d["final"], d["observables"])' | cmp -s - second || fail "the recorded scenario gives another motion"
python3 - <<'PYTHON' || fail "tables"
import csv, json
series = list(csv.DictReader(open("tables/series.csv")))
events = list(csv.DictReader(open("tables/events.csv")))
observables = {row["name"]: float(row["value"]) for row in csv.DictReader(open("tables/observables.csv"))}
d = json.load(open("first"))
assert len(series) == 3001 and list(series[0])[:3] == ["t", "phi", "phi'"]
assert abs(float(series[0]["phi"]) - 0.3490658503988659) < 1e-15
assert len(events) == d["events"]["total"] and all(abs(float(e["before phi"])) < 1e-9 for e in events if e["kind"] == "section")
assert observables == d["observables"]
PYTHON
ls tables/*.tmp* >/dev/null 2>&1 && fail "temporary tables are left"
expect 2 run swing.yaml --out nowhere/run.h5 && contains err "nowhere"
expect 2 run swing.yaml --csv nowhere/tables && contains err "nowhere"
expect 2 info swing.yaml && contains err "HDF5"
expect 2 info missing.h5 && contains err "missing.h5"

# Ctrl-C: a long run stops with what it has
"$carom" run swing.yaml --until 1e7 --json --out long.h5 >out 2>err &
until [ "$(stat -c %s long.h5.tmp-* 2>/dev/null || echo 0)" -gt 100000 ] || ! kill -0 $! 2>/dev/null; do sleep 0.02; done
kill -TERM $!
wait $!
[ $? = 1 ] || fail "an interrupted run did not exit with 1"
json 'd["stopped_by"] == "interrupt" and 0 < d["t_end"] < 1e7'
contains err interrupted
expect 0 info long.h5 --json && json 'd["outcome"] == "interrupted" and d["samples"] > 10'

# files of a page lie in one folder: two of one name must not be taken for each other
for k in 1 2; do
  mkdir -p lab$k
  printf 'parameters: {k: %s}\n' $k >lab$k/common.yaml
  printf 'include: common.yaml\ncoordinates: {x: 1}\nenergy: {kinetic: x'"'"'^2/2, potential: k*x^2/2}\nrun: {until: 1}\n' >lab$k/mine$k.yaml
done
expect 2 lab lab1/mine1.yaml --with lab2/mine2.yaml -o lab.html && contains err "two files of the page are called 'common.yaml'"

# output that cannot be written is a failure
"$carom" run swing.yaml --json >/dev/full 2>err
[ $? = 1 ] || fail "a full disk was not noticed"

[ $failures = 0 ] && echo "all passed"
exit $((failures > 0))
