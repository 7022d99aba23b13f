# The same bits everywhere: compares hashes of all that commands tell with those recorded in a table, a line `HASH COMMAND...` each; what a
# command writes to $work/table.csv counts too. They must hold for every compiler, optimisation level, number of threads and x86-64 machine.
# After a deliberate change of a method take the lines that the test prints (all of them with CAROM_GOLDEN=print; CAROM_GOLDEN=first
# stops at the first that differs) and say why in the commit. Sourced with the program as $1, from the root of the sources.
folder=$(realpath "$(dirname "$0")")
. "$folder/expect.sh"
cd "$root" || exit 1

cat >"$work/hash.py" <<'PYTHON'
import hashlib, json, os, sys

# what belongs to a machine or to an hour is no result; nor is how many threads there were
LEFT_OUT = {"provenance", "file", "wall", "seconds", "timing", "date", "threads", "digest"}  # a digest is made of what is here
# younger than most of the hashes: they count where all events are asked for
if "--events=all" not in sys.argv[1]:
    LEFT_OUT |= {"rubbed", "lost_impact_friction"}

def results(value):
    if isinstance(value, dict):
        return {k: results(v) for k, v in value.items() if k not in LEFT_OUT}
    return [results(v) for v in value] if isinstance(value, list) else value

told = json.load(sys.stdin)
assert "error" not in told, told
hashed = hashlib.sha256(json.dumps(results(told), sort_keys=True).encode())
if os.path.exists("table.csv"):
    hashed.update(open("table.csv", "rb").read())
    os.remove("table.csv")
print(hashed.hexdigest()[:16])
PYTHON

compare_with() { # compare_with TABLE: a file beside this one
  while read -r recorded command; do
    case "$recorded" in "" | \#*) continue ;; esac
    found=$(eval "\"$carom\" $command --json" 2>"$work/err" | (cd "$work" && python3 hash.py "$command")) || { fail "carom $command" && cat "$work/err"; }
    if [ "${CAROM_GOLDEN:-}" = print ]; then
      echo "$found $command"
    elif [ "$found" != "$recorded" ]; then
      fail "other bits (recorded $recorded):" && echo "$found $command"
      [ "${CAROM_GOLDEN:-}" != first ] || exit 1
    fi
  done <"$folder/$1"
}
