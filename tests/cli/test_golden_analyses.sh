#!/bin/bash
# The same bits everywhere, in analyses too: hashes of all that they tell, recorded once in golden_analyses.txt. They must hold for every
# compiler, optimisation level, number of threads and x86-64 machine. After a deliberate change of a method take the lines that this test
# prints (all of them with CAROM_GOLDEN=print) and say why in the commit.
table=$(realpath "$(dirname "$0")")/golden_analyses.txt
. "$(dirname "$0")/expect.sh"
cd "$root" || exit 1

cat >"$work/hash.py" <<'PYTHON'
import hashlib, json, sys

# what belongs to a machine or to an hour is no result; nor is how many threads there were
LEFT_OUT = {"provenance", "file", "wall", "seconds", "timing", "date", "threads"}

def results(value):
    if isinstance(value, dict):
        return {k: results(v) for k, v in value.items() if k not in LEFT_OUT}
    return [results(v) for v in value] if isinstance(value, list) else value

told = json.load(sys.stdin)
assert "error" not in told, told
print(hashlib.sha256(json.dumps(results(told), sort_keys=True).encode()).hexdigest()[:16])
PYTHON

while read -r recorded command; do
  case "$recorded" in "" | \#*) continue ;; esac
  found=$(eval "\"$carom\" $command --json" 2>"$work/err" | python3 "$work/hash.py") || { fail "carom $command" && cat "$work/err"; }
  if [ "${CAROM_GOLDEN:-}" = print ]; then
    echo "$found $command"
  elif [ "$found" != "$recorded" ]; then
    fail "other bits (recorded $recorded):" && echo "$found $command"
  fi
done <"$table"
[ $failures = 0 ]
