#!/bin/bash
# carom sensitivity, carom fit: one JSON object each, words, exit codes
# usage: test_fits.sh PROGRAM (from the repository root)
set -euo pipefail
carom=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $1" >&2 && exit 1; }
true_of() { [ "$(python3 -c "import json; from math import *; it = json.load(open('$1')); print($2)")" = True ] || fail "$2 of $(cat "$1")"; }
refuses() { # refuses CODE TEXT WORDS...
  local code=0 wanted=$1 says=$2
  shift 2
  "$carom" "$@" > "$work/out" 2> "$work/complaint" || code=$?
  [ "$code" = "$wanted" ] || fail "exit $code of $*: $(cat "$work/complaint")"
  grep -q -- "$says" "$work/complaint" || fail "'$says' is not said: $(cat "$work/complaint")"
}
ball=scenarios/bouncing_ball.yaml

"$carom" sensitivity $ball --by e,h,"y'" --of y,bounces --events --set run.until=2 --json > "$work/slopes"
true_of "$work/slopes" "[s['of'] for s in it['sensitivities']] == ['y', 'bounces'] and it['sensitivities'][1]['value'] == 3"
true_of "$work/slopes" "it['sensitivities'][1]['by'] == {'e': 0, 'h': 0, \"y'\": 0}"
true_of "$work/slopes" "abs(it['events'][1]['by']['e'] - 2*sqrt(2/9.81)) < 1e-9 and it['grazes'] == 0"
"$carom" sensitivity $ball --by e --set run.until=2 | grep -q "^y'  *-0.1658691358" || fail "the end state as text"
"$carom" sensitivity $ball --by e,h --of y --set run.until=0.7 --second --json > "$work/second"
true_of "$work/second" "abs(it['second'][1]['by']['e'] - (0.35 * (2 * 9.81)**0.5 - 2)) < 1e-7 and it['jumps'] == [] == it['grazing']"
refuses 2 "needed" sensitivity $ball
refuses 2 "separated by commas" sensitivity $ball --by e,,h
refuses 2 "'q' is no parameter" sensitivity $ball --by q
"$carom" sensitivity $ball --by contacts.floor.impact.e --of y --set contacts.floor.impact.e=0.8 --set run.until=0.7 --json > "$work/opened"
true_of "$work/opened" "abs(it['sensitivities'][0]['by']['contacts.floor.impact.e'] - (0.7 * (2 * 9.81)**0.5 - 2)) < 1e-9"
refuses 2 "'q' is no observable" sensitivity $ball --by e --of q
"$carom" sensitivity $ball --by e --of height --set run.until=2 --set measure.after=0.5 | grep -q "^height .* 1.6$" || fail "the second height"
refuses 1 "are not known to run.rtol = 1e-12: a larger tolerance may do" sensitivity scenarios/ball_space.yaml --by m --set run.rtol=1e-12
refuses 1 "engine 'hybrid'" sensitivity scenarios/field_block.yaml --by alpha_d

python3 -c "
sum = 1
print('floor')
for n in range(8):
    print(repr((2/9.81)**0.5 * sum))
    sum += 2 * 0.8**(n + 1)" > "$work/clicks.csv"
"$carom" fit $ball --set e=0.7 --data "$work/clicks.csv" --free e=0.3:0.99,h=0.1:3 --starts 3 --json > "$work/fit"
true_of "$work/fit" "abs(it['inputs'][0]['value'] - 0.8) < 1e-9 and abs(it['inputs'][1]['value'] - 1) < 1e-8"
true_of "$work/fit" "it['unknown'] == [] and len(it['data']) == 8 and it['starts_best'] == it['starts_converged']"
"$carom" fit $ball --data "$work/clicks.csv" --free e=0.3:0.99,h=0.1:3,g=5:15 > "$work/words"
grep -q "^g .*the data cannot tell" "$work/words" || fail "g is known: $(cat "$work/words")"
grep -q "^unknown: .* h moves by .* g moves by" "$work/words" || fail "what is unknown: $(cat "$work/words")"
refuses 2 "--data FILE is needed" fit $ball --free e=0:1
refuses 2 "--free NAME=LOW:HIGH" fit $ball --data "$work/clicks.csv"
refuses 2 "NAME=A:B" fit $ball --data "$work/clicks.csv" --free e=0.3
refuses 2 "low < high" fit $ball --data "$work/clicks.csv" --free e=1:0.3
refuses 2 "'q'" fit $ball --data "$work/clicks.csv" --free q=0:1
refuses 2 "cannot read" fit $ball --data "$work/none.csv" --free e=0.3:1
printf 't,y\n0.1,1\n0.2,nan\n' > "$work/bad.csv"
refuses 2 "bad.csv:3:5: 'nan' is not finite" fit $ball --data "$work/bad.csv" --free e=0.3:1
