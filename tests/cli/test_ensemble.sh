#!/bin/bash
# An ensemble says of its runs what is computed here from the rows of the same sweep, and says it in the same bytes for any threads, with a card,
# in parts, after it was killed. usage: test_ensemble.sh CAROM
set -uo pipefail
carom=$(realpath "$1")
card=$(dirname "$carom")/carom_card_here.so
folder=$(mktemp -d)
top=$folder
trap 'rm -rf "$top"' EXIT
failures=0
fail() { echo "FAIL: $*" && failures=$((failures + 1)); }
first=$("$carom" sweep scenarios/bouncing_ball.yaml --over e=0.5 --json | /usr/bin/python3 -c 'import json,sys; print(list(json.load(sys.stdin)["rows"][0]["observables"])[0])')

# second method: the rows
runs=(scenarios/bouncing_ball.yaml --over e=0.5:0.9:300 --over h=-0.5:2:5)
"$carom" sweep "${runs[@]}" --csv "$folder/rows.csv" --quiet 2>/dev/null
"$carom" ensemble "${runs[@]}" --histogram "$first=0:4:7" --csv "$folder/sums.csv" --json >"$folder/sums.json" 2>"$folder/told"
grep -q '300 runs failed, the first of them run 0' "$folder/told" || fail "told: $(cat "$folder/told")"
/usr/bin/python3 - "$folder" "$first" <<'CODE' || fail "not what the rows say"
import csv, json, math, statistics, sys
folder, first = sys.argv[1:]
rows = list(csv.DictReader(line for line in open(f"{folder}/rows.csv") if not line.startswith("#")))
told = json.load(open(f"{folder}/sums.json"))
good = [row for row in rows if int(row["status"]) >= 0]
assert told["points"] == told["done"] == len(rows) == 1500 and told["failed"] == len(rows) - len(good) > 0
for name, found in told["observables"].items():
    values = {int(row["index"]): float(row[name]) for row in good if not math.isnan(float(row[name]))}
    assert found["count"] == len(values) and found["missing"] == len(good) - len(values), name
    if len(values) < 2:
        continue
    scale = max(abs(v) for v in values.values())
    assert abs(found["mean"] - statistics.fmean(values.values())) <= 1e-13 * scale, (name, found)
    assert abs(found["deviation"] - statistics.stdev(values.values())) <= 1e-12 * scale, (name, found)
    assert found["least"] == min(values.values()) and values[found["least_at"]] == found["least"], (name, found)
    assert found["most"] == max(values.values()) and values[found["most_at"]] == found["most"], (name, found)
kinds = {}
for row in good:
    kinds[row["regime"] or row["word"]] = kinds.get(row["regime"] or row["word"], 0) + 1
found = {kind["motion"]: kind["count"] for kind in told["motions"]}
assert sum(found.values()) == len(good)
assert all(kinds[name] == count for name, count in found.items() if name in kinds), (kinds, found)
h = told["histograms"][first]
values = [float(row[first]) for row in good if not math.isnan(float(row[first]))]
assert h["edges"][0] == 0 and h["edges"][-1] == 4 and len(h["counts"]) == 7
last = len(h["counts"]) - 1
for k, count in enumerate(h["counts"]):
    a, b = h["edges"][k], h["edges"][k + 1]
    assert count == sum(a <= v < b or (k == last and v == b) for v in values), k
assert h["below"] == sum(v < 0 for v in values) and h["above"] == sum(v > 4 for v in values)
CODE

# the same bytes, whoever does it
random=(ensemble scenarios/bouncing_ball.yaml --over e=0.5:0.9:2 --over h=0.5:2:2 --random 3000 --seed 7 --histogram "$first=0.1,1,3,10")
same() {
  for table in a*.csv; do cmp "$table" "${table/a/b}" || fail "$1: other bytes"; done
  rm -f b*
}
scenarios=$PWD/scenarios
random[1]=$scenarios/bouncing_ball.yaml
cd "$folder" || exit 1
"$carom" "${random[@]}" --csv a.csv --threads 1 --quiet
[ -f a.csv ] && ls a*histogram* >/dev/null && ls a*motions* >/dev/null || fail "tables: $(ls)"
"$carom" "${random[@]}" --csv b.csv --threads 3 --quiet
same "three threads"
"$carom" "${random[@]}" --csv b.csv --part 1/2 --quiet
"$carom" "${random[@]}" --csv b.csv --part 2/2 --quiet
"$carom" "${random[@]}" --csv b.csv --resume --quiet
same parts
timeout -s KILL 0.2 "$carom" "${random[@]}" --csv b.csv --quiet --threads 1
"$carom" "${random[@]}" --csv b.csv --quiet --resume
same "killed and resumed"
if [ -f "$card" ]; then
  CAROM_CARD=$card "$carom" "${random[@]}" --gpu --csv b.csv 2>told >/dev/null
  grep -q '[1-9][0-9]* of 3000 motions were moved by this processor' told || fail "card: $(cat told)"
  same "a card"
  CAROM_CARD=$card timeout -s KILL 0.5 "$carom" "${random[@]}" --gpu --csv b.csv --quiet
  "$carom" "${random[@]}" --csv b.csv --quiet --resume
  same "a card that was killed"
fi
# a journal of blocks does not grow with the runs
"$carom" "${random[@]}" --csv b.csv --part 1/1 --quiet && [ "$(stat -c %s b.csv.part-1-of-1)" -lt 100000 ] || fail "journal: $(ls -l)"

# wrong input
wrong() { # WHAT-IS-SAID ARGUMENTS...
  local said=$1
  shift
  "$carom" ensemble "$scenarios/bouncing_ball.yaml" "$@" >/dev/null 2>told
  local code=$?
  [ $code = 2 ] && grep -qE -- "$said" told || fail "$*: $code, $(cat told)"
}
wrong "not observed" --over e=0.5:0.9:3 --histogram nothing=0:1:3
wrong "do not increase" --over e=0.5:0.9:3 --histogram "$first=1:0:3"
wrong "NAME=FROM:TO:BINS" --over e=0.5:0.9:3 --histogram "$first=0:1:0"
wrong "needs .*--over" --random 3
wrong "whole number" --over e=0:1:2 --random 0
[ $failures = 0 ]
