#!/bin/bash
# A sweep shared by the processes of mpirun: same results, a killed process, resumption.
# usage: test_ranks.sh CAROM
set -uo pipefail
carom=$(realpath "$1")
scenario=$(realpath scenarios/frictional_impact_oscillator.yaml)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
fail() { echo "FAILED: $1" && failures=$((failures + 1)); }

# a process that mpirun did not start loads nothing of it, and one it cannot load says so
plain=("$carom" sweep "$scenario" --over mu=0.3,0.5 --set run.until=1 --set measure.after=0.5 --quiet)
if command -v strace >/dev/null; then
  strace -f -e trace=openat -o trace "${plain[@]}" && grep -q libmpi trace && fail "a plain run loads MPI"
fi

if ! mpirun --version 2>/dev/null | grep -q "Open MPI"; then
  echo "SKIPPED: Open MPI is not installed (Debian: openmpi-bin), so sharing over processes was not tested"
  exit $((failures > 0))
fi
# as root, on few processors, and without looking for networks
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_btl=self,vader OMPI_MCA_hwloc_base_binding_policy=none
# the library leaves memory behind on purpose
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
mpi() { mpirun -n "$@"; }

sweep=("$carom" sweep "$scenario" --over mu=0.3:0.7:17 --set run.until=8 --set measure.after=4 --quiet)
"${sweep[@]}" --csv one.csv || fail "sweep of one process"
mpi 2 "${sweep[@]}" --csv two.csv || fail "two processes"
cmp -s one.csv two.csv || fail "two processes give another table"
ls ./*.journal* >/dev/null 2>&1 && fail "left over files"

# without files the results go to the first process, which speaks for all
"${sweep[@]}" --json >one.json
mpi 2 "${sweep[@]}" --json >two.json || fail "two processes without files"
cmp -s one.json two.json || fail "two processes give another summary"

# one of two is killed: what both had finished is kept, and three go on from there
long=("$carom" sweep "$scenario" --over mu=0.3:0.7:40 --set run.until=60 --threads 1 --quiet)
"${long[@]}" --csv whole.csv || fail "long sweep"
# the second process kills itself once both have something to lose
cat >shoot.sh <<EOF
#!/bin/bash
"\$@" &
[ "\$OMPI_COMM_WORLD_RANK" = 1 ] || { wait \$!; exit; }
for k in \$(seq 400); do
  [ "\$(stat -c %s killed.csv.journal.rank-1 2>/dev/null || echo 0)" -gt $(($(stat -c %s whole.csv) / 8)) ] && break
  sleep 0.01
done
kill -KILL \$!
wait \$!
EOF
chmod +x shoot.sh
mpi 2 ./shoot.sh "${long[@]}" --csv killed.csv >/dev/null 2>&1 && fail "a killed process goes unnoticed"
[ ! -e killed.csv ] || fail "a table of half a sweep"
if [ -s killed.csv.journal.rank-0 ] && [ -s killed.csv.journal.rank-1 ]; then
  # nothing finished is computed again: the journal of rank 1 is found by whoever does its points
  before=$(cat killed.csv.journal.rank-* | wc -c)
  [ "$before" -gt 0 ] || fail "empty journals"
  mpi 3 "${long[@]}" --csv killed.csv --resume || fail "three processes go on"
  cmp -s whole.csv killed.csv || fail "a resumed sweep differs"
else
  fail "no journals of the two processes"
fi
ls ./killed.csv.journal* >/dev/null 2>&1 && fail "journals are left after the resumed sweep"

# the same by one process alone
mpi 2 ./shoot.sh "${long[@]}" --csv killed.csv >/dev/null 2>&1
"${long[@]}" --csv killed.csv --resume || fail "one process goes on"
cmp -s whole.csv killed.csv || fail "a sweep resumed by one process differs"
ls ./killed.csv.journal* >/dev/null 2>&1 && fail "journals are left after one process went on"

# Every command of many points: one process, two of them, and three parts that are joined by the same
# command with --resume give the same tables, and all is tidied up.
shared() { # shared NAME COMMAND...
  local name=$1 k
  shift
  "$@" --csv "$name-1.csv" --quiet || fail "$name"
  mpi 2 "$@" --csv "$name-2.csv" --quiet || fail "$name: two processes"
  for k in 1 2 3; do "$@" --csv "$name-3.csv" --part $k/3 --quiet || fail "$name: part $k"; done
  [ ! -e "$name-3.csv" ] || fail "$name: a table of parts"
  "$@" --csv "$name-3.csv" --resume --quiet || fail "$name: parts joined"
  rm "$name-3.csv".part-*
  for k in "$name-1"*.csv; do
    cmp -s "$k" "${k/-1/-2}" || fail "$name: two processes give another table"
    cmp -s "$k" "${k/-1/-3}" || fail "$name: parts give another table"
  done
  ls "$name"*.journal* >/dev/null 2>&1 && fail "$name: journals are left"
}
folder=$(dirname "$scenario")
wells=("$carom" basin "$folder/duffing.yaml" --set drive=0 --set run.until=60 --set measure.after=50 --over x=-1.5:1.5:9 --over "x'=-1:1:9" --observe x --refine 2)
shared map "$carom" map "$scenario" --over mu=0.3:0.5:3 --over e=0,0.2 --set run.until=8 --set measure.after=4
shared basin "${wells[@]}"
shared diagram "$carom" bifurcate "$folder/relief_valve.yaml" --over q=1:8:7 --fresh --skip 50 --keep 8
shared exponents "$carom" lyapunov "$folder/lorenz.yaml" --time 20 --over rho=20:40:5

# parts of which one is missing: the rest is done when they are joined
"$carom" sweep "$scenario" --over mu=0.3:0.7:17 --set run.until=8 --set measure.after=4 --quiet --csv two.csv --part 2/2 || fail "part of a sweep"
"${sweep[@]}" --csv two.csv --resume && cmp -s one.csv two.csv || fail "a sweep of which one part was done"

# one of two is killed while boundaries are looked at again: three go on there, to the same table
cat >shoot.sh <<EOF
#!/bin/bash
"\$@" &
[ "\$OMPI_COMM_WORLD_RANK" = 1 ] || { wait \$!; exit; }
until [ -s killed.csv.journal.level-1.rank-1 ] || ! kill -0 \$!; do sleep 0.005; done
kill -KILL \$!
wait \$!
EOF
mpi 2 ./shoot.sh "${wells[@]}" --set run.until=600 --set measure.after=590 --threads 1 --csv killed.csv --quiet >/dev/null 2>&1 && fail "a process killed in a refinement goes unnoticed"
[ -s killed.csv.journal ] && [ -s killed.csv.journal.level-1.rank-0 ] || fail "no journals of a refinement"
"${wells[@]}" --set run.until=600 --set measure.after=590 --csv whole-basin.csv --quiet
mpi 3 "${wells[@]}" --set run.until=600 --set measure.after=590 --csv killed.csv --quiet --resume || fail "three processes go on in a refinement"
cmp -s killed.csv whole-basin.csv || fail "a basin resumed in its refinement differs"
ls ./killed.csv.journal* >/dev/null 2>&1 && fail "journals are left after the resumed basin"

# what cannot be shared says why instead of being done twice; one object of JSON all the same
alone() { # alone TEXT COMMAND...
  local text=$1
  shift
  # mpirun ends the others as soon as one has failed, on a busy machine before the first has spoken
  for _ in 1 2 3 4; do
    mpi 2 "$carom" "$@" --json >out 2>err && fail "$1 under mpirun"
    if grep -qF -- "$text" err; then break; fi
  done
  grep -qF -- "$text" err || fail "$1 under mpirun: no '$text'"
  python3 -c 'import json; json.load(open("out"))["error"]' || fail "$1 under mpirun: JSON"
}
alone "'carom continue' is not shared by mpirun: a branch is followed step by step" continue "$folder/ball_on_table.yaml" --over Gamma=0.9:1
alone "parts are not shared once more by mpirun" sweep "$scenario" --over mu=0.3:0.5:3 --part 1/2 --csv parts.csv
no_parts() { # no_parts TEXT COMMAND...
  local text=$1
  shift
  "$carom" "$@" --part 1/2 --csv parts.csv 2>err && fail "part of $1"
  grep -qF -- "has no parts: $text" err || fail "$1: no word about parts"
}
no_parts "the state is carried" bifurcate "$scenario" --over mu=0.3:0.5:3
no_parts "there is one average; --over makes several" lyapunov "$folder/lorenz.yaml"
no_parts "there is one search; --over makes several" orbit "$folder/ball_on_table.yaml"

[ $failures = 0 ] && echo "all passed"
exit $((failures > 0))
