# What tests of the program from outside share: sourced with the program as $1, from the root of the sources. Leaves
# the test in an empty folder; ends with `[ $failures = 0 ]`.
carom=$(realpath "$1")
root=$PWD
[ -x "$carom" ] || { echo "no program $carom" && exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() { echo "FAILED: $1" && failures=$((failures + 1)); }
# expect CODE ARGUMENT...: runs carom, leaves stdout in `out` and stderr in `err`
expect() {
  local code=$1
  shift
  "$carom" "$@" >out 2>err
  local got=$?
  [ $got = "$code" ] || { fail "carom $*: exit $got, expected $code" && cat err; }
}
contains() { grep -qF -- "$2" "$1" || { fail "$1 lacks '$2'" && cat "$1"; }; }
empty() { [ ! -s "$1" ] || { fail "$1 is not empty" && cat "$1"; }; }
json() { # json EXPRESSION: `out` is exactly one JSON object d for which the expression holds
  python3 - "$1" <<'PYTHON' || { fail "JSON: $1" && cat out; }
import json, math, sys
d = json.load(open("out"))
sys.exit(0 if isinstance(d, dict) and eval(sys.argv[1]) else 1)
PYTHON
}
