#!/bin/bash
# carom lyapunov, orbit, continue: one JSON object each, tables, exit codes
# usage: test_orbits.sh PROGRAM (from the repository root)
set -euo pipefail
carom=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $1" >&2 && exit 1; }

number() { # number FILE EXPRESSION: of the JSON object in FILE as `it`
  python3 -c "import json,sys; it = json.load(open('$1')); print($2)"
}
true_of() { [ "$(number "$1" "$2")" = True ] || fail "$2 of $(cat "$1")"; }

"$carom" lyapunov scenarios/lorenz.yaml --time 100 --quiet --json > "$work/exponents"
true_of "$work/exponents" "len(it['exponents']) == 3 and abs(it['sum'] + 41/3) < 1e-5"

"$carom" orbit scenarios/ball_on_table.yaml --json > "$work/orbit"
true_of "$work/orbit" "it['word'] == 'F I' and it['stability'] == 'stable' and abs(it['period'] - 0.04) < 1e-15"

# the word held fixed: real motions and virtual ones, with what they break; a word that is free to change
true_of "$work/orbit" "it['word_fixed'] and not it['virtual'] and it['unknowns'] == 5 and len(it['event_times']) == 1 and len(it['event_states'][0]) == 2"
"$carom" orbit scenarios/ball_on_table.yaml --free --json > "$work/free"
true_of "$work/free" "not it['word_fixed'] and it['unknowns'] == 2 and it['word'] == 'F I'"
wiper=scenarios/frictional_impact_oscillator.yaml
"$carom" orbit $wiper --set mu=0.5 --set e=0 --over mu=0.45,0.66 --keep --json --csv "$work/kept.csv" > "$work/kept"
true_of "$work/kept" "[r['virtual'] for r in it['rows']] == [False, True] and len({r['word'] for r in it['rows']}) == 1"
true_of "$work/kept" "it['rows'][1]['fault'].startswith('phase 3 (+) would last -') and it['rows'][1]['stability'].startswith('virtual')"
grep -q '^1,.*virtual.*phase 3 (+) would last' "$work/kept.csv" || fail "virtual motions in the table"
"$carom" continue $wiper --over mu=0.395:0.385 --virtual --json --out "$work/virtual.h5" > "$work/virtual"
true_of "$work/virtual" "any(s['branch'] == 1 and s['stability'].startswith('virtual') for s in it['special'])"
"$carom" plot "$work/virtual.h5" branch --out "$work/virtual.svg" --quiet && grep -q '>virtual<' "$work/virtual.svg" || fail "virtual motions in the picture"
code=0
"$carom" orbit scenarios/field_block.yaml --keep --json > /dev/null 2> "$work/complaint" || code=$?
[ $code != 0 ] && grep -q "engine 'field'" "$work/complaint" || fail "a word kept by an engine that has none"

"$carom" continue scenarios/ball_on_table.yaml --over Gamma=0.9:1.2 --switch 1 --json \
  --csv "$work/branches.csv" --out "$work/branches.h5" > "$work/branches"
true_of "$work/branches" "[s['label'] for s in it['special']] == ['start', 'flip', 'end', 'start', 'end']"
true_of "$work/branches" "abs(it['special'][1]['value'] - 1.0708364682) < 1e-8"
[ "$(wc -l < "$work/branches.csv")" = "$(number "$work/branches" "it['points'] + 1")" ] || fail "rows of the table"
head -1 "$work/branches.csv" | grep -q '^branch,label,Gamma,stability' || fail "columns of the table"
[ -s "$work/branches.h5" ] || fail "no HDF5 file"

# every command: tables in HDF5 and CSV, a picture, the same for any number of threads, Ctrl-C and --resume
stopped_by() { # stopped_by SIGNAL JOURNAL COMMAND...: as soon as something has been written down
  local signal=$1 journal=$2 code=0
  shift 2
  "$@" > /dev/null 2> "$work/complaint" &
  local pid=$!
  until [ -s "$journal" ] || ! kill -0 $pid 2> /dev/null; do sleep 0.02; done
  sleep 0.1
  kill "-$signal" $pid 2> /dev/null || true
  wait $pid 2> /dev/null || code=$?
  [ $code != 0 ]
}
stop_and_resume() { # stop_and_resume NAME COMMAND...: stopped twice, resumed: the same tables
  local name=$1 table=$work/$1-2.csv
  shift
  "$@" --csv "$work/$name.csv" --quiet > /dev/null
  if stopped_by INT "$table.journal" "$@" --csv "$table" --quiet; then
    [ -s "$table.journal" ] || fail "$name: no journal of what was done"
    grep -q -- --resume "$work/complaint" || fail "$name: no hint how to go on"
    if stopped_by KILL "$table.journal" "$@" --csv "$table" --resume --quiet; then
      "$@" --csv "$table" --resume --quiet > /dev/null
    fi
  fi
  cmp -s "$work/$name.csv" "$table" || fail "$name: what was resumed differs"
  [ ! -e "$table.journal" ] || fail "$name: the journal is left"
}
oscillator=scenarios/frictional_impact_oscillator.yaml
stop_and_resume branches "$carom" continue $oscillator --over mu=0.42:0.39
stop_and_resume exponents "$carom" lyapunov scenarios/lorenz.yaml --time 600 --transient 10
stop_and_resume points "$carom" lyapunov scenarios/lorenz.yaml --time 60 --over rho=20:40:11 --threads 2
stop_and_resume orbits "$carom" orbit $oscillator --over mu=0.42:0.6:9 --threads 2

for threads in 1 2; do
  "$carom" lyapunov scenarios/ball_on_table.yaml --time 1 --over Gamma=0.8,0.9,3 --threads $threads --quiet \
    --csv "$work/l$threads.csv" --out "$work/l.h5" --picture "$work/l.png"
  "$carom" orbit scenarios/ball_on_table.yaml --over Gamma=0.9:1.1:3 --turns 1 --threads $threads --quiet \
    --csv "$work/o$threads.csv" --out "$work/o.h5" --picture "$work/o.png"
  "$carom" continue scenarios/ball_on_table.yaml --over Gamma=0.9:1.26 --switch 3 --threads $threads --quiet \
    --csv "$work/b$threads.csv" --out "$work/b.h5" --picture "$work/b.png"
done
for name in l o b; do
  cmp -s "$work/${name}1.csv" "$work/${name}2.csv" || fail "two threads give another table ($name)"
  [ -s "$work/$name.h5" ] && [ -s "$work/$name.png" ] || fail "no HDF5 file or no picture ($name)"
done
"$carom" orbit scenarios/ball_on_table.yaml --over Gamma=0.9:1.1:3 --turns 1 --json > "$work/orbits"
true_of "$work/orbits" "[row['stability'] for row in it['rows']] == ['stable', 'stable', 'unstable'] and it['done'] == 3"
"$carom" lyapunov scenarios/ball_on_table.yaml --time 1 --over Gamma=0.8,3 --json > "$work/rows"
true_of "$work/rows" "it['rows'][0]['exponents'][0]['value'] < 0 < it['rows'][1]['exponents'][0]['value']"
# a single motion is drawn and written over one turn; a single average with its course
"$carom" orbit scenarios/ball_on_table.yaml --quiet --csv "$work/turn.csv" --picture "$work/turn.png"
[ "$(wc -l < "$work/turn-turn.csv")" = 1002 ] && [ -s "$work/turn.png" ] || fail "no turn of a single motion"
"$carom" lyapunov scenarios/ball_on_table.yaml --time 1 --quiet --csv "$work/course.csv" --picture "$work/course.png"
[ "$(wc -l < "$work/course-course.csv")" = 21 ] && [ -s "$work/course.png" ] || fail "no course of a single average"
# what stick extinguishes has exponent -inf, in the table too
"$carom" lyapunov scenarios/belt_block.yaml --set v1=0 --time 200 --json --csv "$work/stick.csv" > "$work/stick"
true_of "$work/stick" "it['extinguished'] == 1 and len(it['exponents']) == 1"
python3 -c "import csv; row = list(csv.DictReader(open('$work/stick.csv')))[0]; assert float(row['exponent 2']) == float('-inf'), row" || fail "-inf in the table"
# a point that has no periodic motion is a row that says so
"$carom" orbit scenarios/lorenz.yaml --after 20 --over rho=28 --csv "$work/none.csv" --quiet 2> "$work/complaint"
grep -q "no periodic motion" "$work/complaint" || fail "no word about a point without a periodic motion"

# progress with the time left, on a terminal: it comes after a second, so the run is far longer, and ends once it is seen
if script -qec true /dev/null > /dev/null 2>&1; then
  timeout 30 script -qfec "$carom lyapunov scenarios/lorenz.yaml --time 2000000" "$work/terminal" > /dev/null 2>&1 &
  shown=$!
  while kill -0 $shown 2> /dev/null && ! grep -qs "% .* left" "$work/terminal"; do sleep 0.1; done
  kill $shown 2> /dev/null || true
  wait $shown || true
  grep -q "% .* left" "$work/terminal" || fail "no progress on a terminal"
else
  echo "no terminal can be had here: progress on it is not tested" >&2
fi

# what is wrong with the question is said, with exit code 2
code=0
"$carom" orbit scenarios/spring_mass_table.yaml 2> "$work/complaint" || code=$?
[ $code = 2 ] && grep -q run.period "$work/complaint" || fail "a drive without period: exit $code"
code=0
"$carom" continue scenarios/ball_on_table.yaml --over Gamma=0.9 --period 1/f 2> /dev/null || code=$?
[ $code = 2 ] || fail "a range without end: exit $code"
code=0
"$carom" continue scenarios/ball_on_table.yaml --over Gama=0.9:1 --period 1/f 2> "$work/complaint" || code=$?
[ $code = 2 ] && grep -q Gamma "$work/complaint" || fail "a misspelt parameter: exit $code, $(cat "$work/complaint")"
"$carom" continue scenarios/ball_on_table.yaml --over Gamma=0.9:1 --period 1/f --observe z 2> "$work/complaint" || true
grep -q "there are y, y'" "$work/complaint" || fail "a misspelt observable: $(cat "$work/complaint")"
# an engine that lacks what is needed says so
code=0
"$carom" lyapunov scenarios/rods_2d_r1.yaml --transient 1e-4 --time 1e-3 2> "$work/complaint" || code=$?
[ $code = 1 ] && grep -q "tangent dynamics" "$work/complaint" || fail "no tangent dynamics: exit $code"
echo ok
