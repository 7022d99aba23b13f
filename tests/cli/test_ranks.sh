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

# commands that do not share their work say so instead of doing it twice
mpi 2 "$carom" map "$scenario" --over mu=0.3,0.5 --over e=0,0.5 2>err >/dev/null && fail "map under mpirun"
grep -q "not shared by mpirun" err || fail "no word about map under mpirun"

[ $failures = 0 ] && echo "all passed"
exit $((failures > 0))
