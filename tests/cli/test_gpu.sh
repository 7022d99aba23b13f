#!/bin/bash
# A sweep whose motions are moved by a card gives the bytes of one without: rows, failures, parts, resumption. The card is a library that takes its
# place. Without any card --gpu says so. usage: test_gpu.sh CAROM
set -uo pipefail
carom=$(realpath "$1")
card=$(dirname "$carom")/carom_card_here.so
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0
fail() { echo "FAIL: $*" && failures=$((failures + 1)); }
[ -f "$card" ] || exit 77 # not built with sanitizers

same() { # NAME ARGUMENTS...
  local name=$1
  rm -f "$folder"/*.csv
  shift
  "$carom" sweep "$@" --csv "$folder/here.csv" --quiet
  local here=$?
  CAROM_CARD=$card "$carom" sweep "$@" --gpu --csv "$folder/there.csv" 2>"$folder/told" >"$folder/said"
  [ $? = $here ] || fail "$name: another exit code"
  cmp "$folder/here.csv" "$folder/there.csv" || fail "$name: other bytes"
}

same bounces scenarios/bouncing_ball.yaml --over e=0.5:0.9:300 --over h=1,2
grep -qE '[1-6][0-9]{2} of 600 motions were moved by this processor' "$folder/told" || fail "told: $(cat "$folder/told")"
same friction scenarios/frictional_impact_oscillator.yaml --set run.until=40 --over mu=0.3:0.6:20
same "starts that fail" scenarios/bouncing_ball.yaml --over h=-1:1:9
same "given back" scenarios/abs_wheel.yaml --set run.until=2 --over "$("$carom" check scenarios/abs_wheel.yaml --json |
  python3 -c 'import json,sys; print(list(json.load(sys.stdin)["parameters"])[0])' 2>/dev/null || echo m)=1:1.1:3"

# other commands
other() { # COMMAND ARGUMENTS...
  "$carom" "$@" --csv "$folder/o/here.csv" --quiet 2>/dev/null
  local here=$?
  CAROM_CARD=$card "$carom" "$@" --gpu --csv "$folder/o/there.csv" --quiet 2>"$folder/told" || [ $? = $here ] || fail "$*: $(cat "$folder/told")"
  for table in "$folder"/o/here*; do
    cmp "$table" "${table/here/there}" || fail "$*: other bytes"
  done
  rm -f "$folder"/o/*
}
mkdir "$folder/o"
other map scenarios/bouncing_ball.yaml --over e=0.5:0.9:6 --over h=1:2:5
other basin scenarios/impact_oscillator.yaml --over "$("$carom" check scenarios/impact_oscillator.yaml --json |
  python3 -c 'import json,sys; print(list(json.load(sys.stdin)["parameters"])[0])' 2>/dev/null || echo m)=1:1.1:9" --set run.until=30 --set measure.after=10
other bifurcate scenarios/relief_valve.yaml --over q=4:8:70 --fresh --set run.until=60 --set measure.after=20
other bifurcate scenarios/relief_valve.yaml --over q=4:8:70 --fresh --skip 4 --keep 6 --section seat
CAROM_CARD=$card "$carom" bifurcate scenarios/relief_valve.yaml --over q=4:8:3 --gpu 2>"$folder/told" && fail "values that follow each other"
grep -q -- '--fresh' "$folder/told" || fail "follow: $(cat "$folder/told")"

# the parts of one sweep, one moved by the card and one not
sweep=(scenarios/bouncing_ball.yaml --over e=0.5:0.9:40)
"$carom" sweep "${sweep[@]}" --csv "$folder/whole.csv" --quiet
CAROM_CARD=$card "$carom" sweep "${sweep[@]}" --gpu --part 1/2 --csv "$folder/p.csv" --quiet 2>/dev/null
"$carom" sweep "${sweep[@]}" --part 2/2 --csv "$folder/p.csv" --quiet
CAROM_CARD=$card "$carom" sweep "${sweep[@]}" --gpu --resume --csv "$folder/p.csv" --quiet 2>/dev/null
cmp "$folder/whole.csv" "$folder/p.csv" || fail "parts"

CAROM_CARD=$card "$carom" sweep scenarios/bouncing_ball.yaml --over run.rtol=1e-8,1e-9 --gpu 2>"$folder/told" && fail "paths are swept"
grep -q 'a card has one' "$folder/told" || fail "paths: $(cat "$folder/told")"
CAROM_CARD=$card "$carom" sweep scenarios/rods_theory.yaml --over seed=1,2 --gpu 2>"$folder/told" && fail "another engine"
CAROM_CARD=/nowhere.ptx "$carom" sweep "${sweep[@]}" --gpu 2>"$folder/told"
[ $? = 1 ] || fail "exit code without a program"
grep -q 'make device' "$folder/told" || fail "no program: $(cat "$folder/told")"
echo "// no program" >"$folder/empty.ptx"
CAROM_CARD=$folder/empty.ptx "$carom" sweep "${sweep[@]}" --gpu 2>"$folder/told"
[ $? = 1 ] || fail "exit code without a card"
grep -q 'card' "$folder/told" || fail "no card: $(cat "$folder/told")"
[ $failures = 0 ]
