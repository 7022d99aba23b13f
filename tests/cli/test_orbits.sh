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

"$carom" continue scenarios/ball_on_table.yaml --over Gamma=0.9:1.2 --switch 1 --json \
  --csv "$work/branches.csv" --out "$work/branches.h5" > "$work/branches"
true_of "$work/branches" "[s['label'] for s in it['special']] == ['start', 'flip', 'end', 'start', 'end']"
true_of "$work/branches" "abs(it['special'][1]['value'] - 1.0708364682) < 1e-8"
[ "$(wc -l < "$work/branches.csv")" = "$(number "$work/branches" "it['points'] + 1")" ] || fail "rows of the table"
head -1 "$work/branches.csv" | grep -q '^branch,label,Gamma,stability' || fail "columns of the table"
[ -s "$work/branches.h5" ] || fail "no HDF5 file"

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
# an engine that lacks what is needed says so
code=0
"$carom" lyapunov scenarios/field_block.yaml --transient 1e-4 --time 1e-3 2> "$work/complaint" || code=$?
[ $code = 1 ] && grep -q "tangent dynamics" "$work/complaint" || fail "no tangent dynamics: exit $code"
echo ok
