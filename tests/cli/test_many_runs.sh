#!/bin/bash
# Sweeps from outside: tables, threads, parts, Ctrl-C and resumption, wrong input.
# usage: test_many_runs.sh CAROM
set -uo pipefail
# shellcheck source=tests/cli/expect.sh
. tests/cli/expect.sh
scenario=$root/scenarios/frictional_impact_oscillator.yaml
short=(--set run.until=8 --set measure.after=4)
sweep=("$carom" sweep "$scenario" --over mu=0.3:0.7:9 --observe hop,top "${short[@]}")

# tables, the same for any number of threads
"${sweep[@]}" --threads 1 --csv one.csv --out one.h5 || fail "sweep"
"${sweep[@]}" --threads 2 --csv two.csv || fail "two threads"
cmp -s one.csv two.csv || fail "two threads give another table"
[ "$(wc -l <one.csv)" = 10 ] || fail "the table has not 9 rows"
head -1 one.csv | grep -q '^index,mu,hop,top,word,regime,status' || fail "head of the table"
[ -s one.h5 ] || fail "no HDF5 file"
ls ./*.journal ./*.tmp* >/dev/null 2>&1 && fail "left over files"

# a point equals its run
row=$(sed -n 4p one.csv | cut -d, -f3)
"$carom" run "$scenario" --set mu=0.4 "${short[@]}" --json >run.json
grep -q "\"hop\": $row," run.json || fail "point $row is not the single run"

# a motion that begins anew knows nothing of the one before, which ended in the middle of a slip
"$carom" sweep "$(dirname "$scenario")/two_blocks_belt.yaml" --over v=0.1,0.1,0.1,0.1,0.1,0.1 --threads 1 --observe period --csv again.csv --quiet
[ "$(sed '/^#/d; /^index/d' again.csv | cut -d, -f3 | sort -u | wc -l)" = 1 ] || fail "equal points differ: $(cat again.csv)"

# parts
for part in 1 2 3; do "${sweep[@]}" --part $part/3 --csv parts.csv --quiet || fail "part $part"; done
"$carom" merge parts.csv.part-1-of-3 parts.csv.part-2-of-3 --csv parts.csv 2>err && fail "a part is missing"
grep -q "3 of 9 points" err || fail "no word about the missing part"
"$carom" merge parts.csv.part-* --csv parts.csv || fail "merge"
cmp -s one.csv parts.csv || fail "parts give another table"

# Ctrl-C and resumption: a sweep that takes a while
long=("$carom" sweep "$scenario" --over mu=0.3:0.7:40 --set run.until=60 --threads 2)
"${long[@]}" --csv whole.csv || fail "long sweep"
begun() { until [ -s "$1" ] || ! kill -0 "$2" 2>/dev/null; do sleep 0.02; done; } # JOURNAL PROCESS
"${long[@]}" --csv stopped.csv --json >out 2>err &
begun stopped.csv.journal $!
kill -INT $! 2>/dev/null
wait $!
code=$?
if [ $code = 1 ]; then
  grep -q resume err || fail "no hint how to go on"
  python3 -c 'import json; d = json.load(open("out")); assert d["interrupted"] and d["done"] < d["points"] == 40' || fail "JSON of a stopped sweep"
  [ -s stopped.csv.journal ] || fail "no journal"
  [ ! -e stopped.csv ] || fail "a table of half a sweep"
  "${long[@]}" --csv stopped.csv --resume || fail "resume"
  [ ! -e stopped.csv.journal ] || fail "the journal is left"
else
  [ $code = 0 ] || fail "exit $code of a stopped sweep"
fi
cmp -s whole.csv stopped.csv || fail "a resumed sweep differs"

# killed without warning: what is finished is not lost, the rest is the same
"${long[@]}" --csv killed.csv &
begun killed.csv.journal $!
kill -KILL $! 2>/dev/null
wait $! 2>/dev/null
[ -e killed.csv ] || "${long[@]}" --csv killed.csv --resume || fail "resume after a kill"
cmp -s whole.csv killed.csv || fail "a killed and resumed sweep differs"

# an observable may be called like a column that every table has: headings stay different, and it is drawn
"$carom" sweep "$scenario" --over mu=0.3,0.4 --set run.until=2 --set measure.after=0 --csv twice.csv --out twice.h5 --quiet || fail "sweep of impacts"
head -1 twice.csv | grep -q ',impacts,.*,impacts_$' || fail "two columns of one name: $(head -1 twice.csv)"
"$carom" plot twice.h5 -o twice.svg --quiet && grep -q '>impacts<' twice.svg || fail "an observable named impacts is not drawn"
# bifurcation diagrams, charts, basins
"$carom" bifurcate "$scenario" --over mu=0.38:0.42:3 --both --keep 4 "${short[@]}" --csv b.csv --json >out || fail "bifurcate"
python3 -c 'import csv, json
d = json.load(open("out")); rows = list(csv.DictReader(open("b.csv")))
assert d["points"] == 6 and d["section"] == "turn" and {r["direction"] for r in rows} == {"1", "-1"}
assert d["changes"] and len(list(csv.DictReader(open("b-changes.csv")))) == len(d["changes"])' || fail "diagram"
"$carom" map "$scenario" --over mu=0.3,0.5 --over e=0,0.2 "${short[@]}" --json --picture map.png >out || fail "map"
python3 -c 'import json; d = json.load(open("out")); assert sum(r["points"] for r in d["regions"]) == 4 and d["regions"][0]["name"] == "+"' || fail "regions"
[ -s map.png ] || fail "no picture"
"$carom" basin "$(dirname "$scenario")/duffing.yaml" --over x=-1.5:1.5:7 --over "x'=-1:1:7" --set run.until=60 --set measure.after=20 \
  >out 2>err || fail "basin of a chaotic motion"
grep -q "nearly every start" err && grep -q "^and [0-9]* more" out || fail "no word about attractors by the dozen"
duffing="$(dirname "$scenario")/duffing.yaml"
"$carom" basin "$duffing" --set run.until=60 --set measure.after=50 --over x=-1.5:1.5:5 --over "x'=-1:1:5" --along drive=0:0.02:2 \
  --observe x --same 0.2 --json --csv course >out 2>err || fail "basins along a parameter"
python3 - <<'PYTHON' || fail "what was followed"
import csv, json
d = json.load(open("out"))
assert d["along"] == "drive" and [v["value"] for v in d["values"]] == [0, 0.02]
for v in d["values"]:
    assert abs(sum(s["fraction"] for s in v["shares"]) - 1) < 1e-12 and v["entropy"] >= 0
PYTHON
"$carom" basin "$duffing" --set drive=0 --set run.until=60 --set measure.after=50 --over x=-1.5:1.5:3 --over "x'=-1:1:3" --observe x \
  --manifolds --json --csv border --picture border.png >out 2>err || fail "manifolds: $(cat err)"
grep -q '"end": "leaves the box"' out && [ "$(wc -l <border-saddles.csv)" = 2 ] && [ -s border.png ] || fail "manifolds of the wells"
expect 2 basin "$duffing" --over x=-1:1:3 --over "x'=-1:1:3" --manifolds --random 10
expect 2 basin "$duffing" --over x=-1:1:3 --along drive=0.1
expect 2 basin "$duffing" --over x=-1:1:3 --along drive=0:1:3 --random 10
"$carom" basin "$(dirname "$scenario")/duffing.yaml" --set drive=0 --set run.until=60 --set measure.after=50 --over x=-1.5:1.5:4 --over "x'=-1:1:4" --observe x --json --out basin.h5 >out || fail "basin"
python3 -c 'import json; d = json.load(open("out")); a = d["attractors"]; assert len(a) == 2 and a[0]["points"] == a[1]["points"] == 8 and abs(abs(a[0]["observables"]["x"]) - 1) < 1e-2' || fail "attractors"

# a motion that has not settled only seems to change: said so; a section that is never met too
"$carom" bifurcate "$scenario" --over mu=0.396:0.4:3 --keep 4 --set run.until=8 --set measure.after=4 --tolerance 1e-5 >out 2>err || fail "changes"
grep -q "not located" out && fail "a change that was located is marked"
"$carom" bifurcate "$scenario" --over mu=0.3:0.302:5 --keep 4 --set run.until=3 --set measure.after=1 --set phi=0.38 --set "y=cos(0.38)" --tolerance 1e-5 >out 2>err || fail "no change"
grep -q "not located" out && grep -q "had not settled" err || fail "no word about a motion that has not settled"
"$carom" bifurcate "$scenario" --over mu=0.2,0.21 --section tip --set run.until=8 --set measure.after=4 >out 2>err || fail "a section that is not met"
grep -q "met at no value" err || fail "no word about a section that is not met"

# stopped and resumed: the same tables
resumed() {
  local name=$1; shift
  "$@" --csv "$name.csv" --quiet >/dev/null || fail "$name"
  "$@" --csv "$name-2.csv" --quiet >/dev/null 2>err &
  begun "$name-2.csv.journal" $!
  sleep 0.1
  kill -INT $! 2>/dev/null
  if ! wait $!; then
    grep -q resume err || fail "$name: no hint how to go on"
    "$@" --csv "$name-2.csv" --resume --quiet >/dev/null || fail "$name: resume"
  fi
  cmp -s "$name.csv" "$name-2.csv" || fail "$name: a resumed computation differs"
}
resumed diagram "$carom" bifurcate "$scenario" --over mu=0.38:0.42:6 --both --keep 4 --set run.until=60
resumed chart "$carom" map "$scenario" --over mu=0.3:0.6:7 --over e=0:0.2:3 --set run.until=60
resumed basins "$carom" basin "$(dirname "$scenario")/duffing.yaml" --set drive=0 --set run.until=60 --set measure.after=50 --over x=-1.5:1.5:9 --over "x'=-1:1:9" --observe x --refine 2

# seeds: one row each, different where the start is random, and the row of seed 2 is the run with it
rods=$(dirname "$scenario")/rods_2d_r1.yaml
"$carom" sweep "$rods" --over Gamma=3,3.3 --seeds 2 --observe drift --set run.until=0.02 --set measure.after=0 --csv seeds.csv || fail "seeds"
[ "$(wc -l <seeds.csv)" = 5 ] || fail "not two points with two seeds each"
[ "$(tail -n +2 seeds.csv | cut -d, -f4 | sort -u | wc -l)" = 2 ] || fail "seeds make no difference"
"$carom" run "$rods" --set Gamma=3 --set seed=2 --set run.until=0.02 --set measure.after=0 --json >run.json
grep -q "\"drift\": $(sed -n 3p seeds.csv | cut -d, -f4)," run.json || fail "the row of a seed is not its run"

# JSON
"${sweep[@]}" --json >out || fail "json"
python3 -c 'import json; d = json.load(open("out")); assert len(d["rows"]) == 9 and d["failed"] == 0 and d["rows"][0]["word"] == "+"' || fail "JSON"

# a journal torn at its very beginning: all is computed anew, and said so
"${sweep[@]}" --csv torn.csv --quiet --part 1/1
head -c 50 torn.csv.part-1-of-1 >torn.csv.journal
"${sweep[@]}" --csv torn.csv --quiet --resume 2>err || fail "a torn journal"
grep -q "computed anew" err && cmp -s one.csv torn.csv || fail "no word about a torn journal"

# wrong input
wrong() { local text=$1; shift; "$carom" "$@" >out 2>err; [ $? = 2 ] || fail "$*: not exit 2"; grep -qF -- "$text" err || { fail "$*: no '$text'"; cat err; }; }
wrong "needs --over" sweep "$scenario"
wrong "NAME=FROM:TO:COUNT" sweep "$scenario" --over mu=0.3:0.5
wrong "did you mean 'mu'" sweep "$scenario" --over nu=0.3:0.5:3
wrong "carom: there is no parameter, coordinate or section 'nu'" sweep "$scenario" --over nu=0.3:0.5:3
wrong "carom: --set nu: there is no parameter" run "$scenario" --set nu=1
wrong "carom: --set parameters.mu, character 3: unknown name 'z'" run "$scenario" --set mu=1+z
wrong "did you mean 'hop'" sweep "$scenario" --over mu=0.3:0.5:3 --observe hopp
wrong "K/N" sweep "$scenario" --over mu=0.3:0.5:3 --part 3/2 --csv a.csv
wrong "twice" sweep "$scenario" --over mu=0.3:0.5:3 --over mu=1,2
wrong "nowhere" sweep "$scenario" --over mu=0.3:0.5:3 --csv nowhere/a.csv
wrong "nothing in this scenario is random" sweep "$scenario" --over mu=0.3:0.5:3 --seeds 2
wrong "--resume needs" sweep "$scenario" --over mu=0.3:0.5:3 --resume
wrong "two times" map "$scenario" --over mu=0.3:0.5:3
wrong "--refine and --tolerance follow a motion" bifurcate "$scenario" --over mu=0.3:0.5:3 --fresh --tolerance 1e-3
wrong "there are turn, tip" bifurcate "$scenario" --over mu=0.3:0.5:3 --section nowhere
wrong "there is no parameter 'nuu'; did you mean 'mu'" bifurcate "$scenario" --over nuu=0.3:0.5:3
wrong "there are top, hop, impacts, y, phi" bifurcate "$scenario" --over mu=0.3:0.5:3 --observe nowhere
wrong "drift, tilt" sweep "$(dirname "$scenario")/rods_2d_r0.yaml" --over N=3,4 --observe nowhere
wrong "lowest, bounces" sweep "$(dirname "$scenario")/field_block.yaml" --over v0=0.1,0.2 --observe nowhere
wrong "No such file" sweep nowhere.yaml --over mu=0.3:0.5:3
wrong "--refine expects" basin "$scenario" --over phi=0.3:0.5:3 --refine x
wrong "no journal" merge "$scenario"
"${sweep[@]}" --part 1/2 --csv a.csv --quiet
cp a.csv.part-1-of-2 b.csv.journal
wrong "another computation" sweep "$scenario" --over mu=0.1:0.2:9 --csv b.csv --resume

[ $failures = 0 ] && echo "all passed"
exit $((failures > 0))
