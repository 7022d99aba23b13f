#!/bin/bash
# The reference of keys: printed for people, for pages and for programs, and docs/scenario.md is up to date.
# usage: test_keys.sh CAROM
set -uo pipefail
carom=$(realpath "$1")
page=$(dirname "$(realpath "$0")")/../../docs/scenario.md
failures=0
fail() { echo "FAILED: $1" && failures=$((failures + 1)); }

"$carom" keys friction.slip | grep -q 'while sliding' || fail "keys friction.slip"
"$carom" keys contacts.floor.friction | grep -q '^contacts.\*.friction ' || fail "keys contacts.floor.friction: a name of the user's own"
"$carom" keys no.such.key >/dev/null 2>&1
[ $? = 2 ] || fail "an unknown key must exit 2"
("$carom" keys frictoin 2>&1 || true) | grep -q "did you mean 'friction'" || fail "a mistyped key: no suggestion"
"$carom" keys --json | python3 -c 'import json, sys
keys = json.load(sys.stdin)["keys"]
assert any(k["key"] == "run.until" and k["unit"] == "s" for k in keys)' || fail "keys --json"
"$carom" keys functions | grep -A2 '^hypot(a, b)' | grep -q 'hypot(x, y)' || fail "keys functions"
"$carom" keys functions --json | python3 -c 'import json, sys
functions = json.load(sys.stdin)["functions"]
names = [f["name"] + f["arguments"] for f in functions]
assert {"floor(a)", "mod(a, b)", "step(a)", "pi", "count(name)"} <= set(names) and len(names) == len(set(names))
assert all(f["meaning"] and f["name"] in f["example"] for f in functions)' || fail "keys functions --json"
"$carom" keys --markdown | diff - "$page" ||
  fail "docs/scenario.md is out of date: carom keys --markdown > docs/scenario.md"
[ $failures = 0 ]
