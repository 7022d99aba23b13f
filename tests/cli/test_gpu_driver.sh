#!/bin/bash
# What is said and done about drivers and cards of every kind, with a driver that has no card (tests/device/driver_here.c): none, too old, broken, a
# card that is too old, too small or fails while motions are there; machine code that is kept; a command that is killed and resumed.
# usage: test_gpu_driver.sh CAROM
set -uo pipefail
carom=$(realpath "$1")
driver=$(dirname "$carom")/driver_here
[ -f "$driver/libcuda.so.1" ] || exit 77 # not built with sanitizers
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0
fail() { echo "FAIL: $*" && failures=$((failures + 1)); }
printf '.version 7.0\n' >"$folder/engine.ptx"
export CAROM_CARD=$folder/engine.ptx CAROM_CARD_CACHE=$folder/cache DRIVER_HERE_TOLD=$folder/log
sweep=(sweep scenarios/bouncing_ball.yaml --over e=0.5:0.9:700)
"$carom" "${sweep[@]}" --csv "$folder/here.csv" --quiet || fail "the sweep itself"

# VARIABLES... -- EXIT-CODE WHAT-IS-SAID ARGUMENTS...: with a card of the driver; rows must be those of the processor
gpu() {
  local given=()
  while [ "$1" != -- ]; do given+=("$1") && shift; done
  local code=$2 said=$3
  shift 3
  rm -f "$folder/there.csv" "$folder/log"
  env LD_LIBRARY_PATH="$driver" "${given[@]}" "$carom" "$@" --gpu --csv "$folder/there.csv" >"$folder/out" 2>"$folder/told"
  local found=$?
  [ $found = "$code" ] || fail "${given[*]}: exit code $found, not $code: $(cat "$folder/told")"
  grep -qE -- "$said" "$folder/told" || fail "${given[*]}: $(cat "$folder/told")"
  [ "$code" != 0 ] || cmp "$folder/here.csv" "$folder/there.csv" || fail "${given[*]}: other bytes"
}
compiled() { [ "$(grep -c compiled "$folder/log")" = "$1" ] || fail "$2: $(cat "$folder/log")"; }

gpu LD_LIBRARY_PATH= -- 1 'libcuda.so.1.*not installed: version 450 or newer' "${sweep[@]}"
gpu DRIVER_HERE_CARDS=0 -- 1 'finds no card' "${sweep[@]}"
gpu DRIVER_HERE_CARDS=6 -- 1 'compute capability is 6.0, 7.0' "${sweep[@]}"
gpu DRIVER_HERE_VERSION=10020 -- 1 'too old, it is of CUDA 10.2: version 450' "${sweep[@]}"
gpu DRIVER_HERE_INIT=803 -- 1 'does not start: .*803' "${sweep[@]}"
echo nothing >"$folder/broken.ptx"
gpu CAROM_CARD="$folder/broken.ptx" -- 1 'compiling: a PTX JIT compilation failed.*no version in carom' "${sweep[@]}"
gpu DRIVER_HERE_MEMORY=1000000 -- 1 'too little memory' "${sweep[@]}"
gpu A=1 -- 0 'of 700 motions were moved by card 0 of driver_here' "${sweep[@]}"
gpu DRIVER_HERE_SLOW=40 -- 0 '[1-9][0-9]* of 700 motions' "${sweep[@]}"
gpu DRIVER_HERE_SLOW=100000 -- 0 ' 0 of 700 motions' "${sweep[@]}"
gpu DRIVER_HERE_SLOW=300 -- 0 'of 700 motions' "${sweep[@]}" --threads 1
LD_LIBRARY_PATH=$driver "$carom" --version | grep -q 'cards for --gpu: card 0 of driver_here' || fail "--version"

# machine code is kept, and what is kept is not trusted when it is not whole
rm -r "$folder/cache"
gpu A=1 -- 0 moved "${sweep[@]}"
compiled 1 "the first time"
gpu A=1 -- 0 moved "${sweep[@]}"
compiled 0 "kept"
kept=$(ls "$folder"/cache/*)
truncate -s 300 "$kept"
gpu A=1 -- 0 moved "${sweep[@]}"
compiled 1 "cut off"
printf 'X' | dd of="$kept" bs=1 seek=200 conv=notrunc status=none
gpu A=1 -- 0 moved "${sweep[@]}"
compiled 1 "written over"
gpu DRIVER_HERE_VERSION=12080 -- 0 moved "${sweep[@]}"
compiled 1 "another driver"
touch "$folder/file"
gpu CAROM_CARD_CACHE="$folder/file" -- 0 moved "${sweep[@]}"
gpu CAROM_CARD_CACHE=/proc/none -- 0 moved "${sweep[@]}"
rm -r "$folder/cache"
(trap '' XFSZ && ulimit -f 3 && LD_LIBRARY_PATH=$driver "$carom" sweep scenarios/bouncing_ball.yaml --over e=0.5,0.6 --gpu >/dev/null 2>"$folder/told") || fail "a full disk: $(cat "$folder/told")"
[ -z "$(ls "$folder/cache")" ] || fail "a full disk leaves $(ls "$folder/cache")"

# a card that fails: no motion is lost
gpu DRIVER_HERE_FAILS=1 -- 0 'the card failed .*illegal memory access.*moved here' "${sweep[@]}"
gpu DRIVER_HERE_FAILS=2 -- 0 'the card failed' "${sweep[@]}" --threads 2
gpu DRIVER_HERE_MEMORY=350000000 -- 0 'of 700 motions' "${sweep[@]}"
"$carom" basin scenarios/impact_oscillator.yaml --over x=-1:1:9 --set run.until=30 --set measure.after=10 --csv "$folder/here.csv" --quiet
gpu DRIVER_HERE_FAILS=1 -- 0 'the card failed' basin scenarios/impact_oscillator.yaml --over x=-1:1:9 --set run.until=30 --set measure.after=10
diagram=(bifurcate scenarios/relief_valve.yaml --over q=4:8:70 --fresh --set run.until=60 --set measure.after=20)
"$carom" "${diagram[@]}" --csv "$folder/here.csv" --quiet
gpu DRIVER_HERE_FAILS=1 -- 0 'the card failed .*moved here' "${diagram[@]}"
gpu A=1 -- 0 'of 70 motions were moved by' "${diagram[@]}"

# killed, and resumed with a card and without
long=(sweep scenarios/bouncing_ball.yaml --over e=0.5:0.9:6000 --csv "$folder/k.csv" --quiet)
"$carom" "${long[@]}" && mv "$folder/k.csv" "$folder/whole.csv"
export LD_LIBRARY_PATH=$driver
killed() { { timeout -s KILL 0.3 "$carom" "${long[@]}" "$@"; } >/dev/null 2>&1; }
for first in --gpu --threads=2; do
  killed $first
  killed --gpu --resume
  killed --threads 3 --resume
  "$carom" "${long[@]}" --gpu --resume 2>/dev/null
  cmp "$folder/whole.csv" "$folder/k.csv" || fail "killed and resumed after $first"
  rm -f "$folder"/k.csv*
done
unset LD_LIBRARY_PATH

# the processes of an mpirun take the cards in turn
if command -v mpirun >/dev/null; then
  "$carom" "${sweep[@]}" --csv "$folder/here.csv" --quiet
  rm -f "$folder/log"
  LD_LIBRARY_PATH=$driver DRIVER_HERE_CARDS=9,6,8 mpirun --allow-run-as-root --oversubscribe -x LD_LIBRARY_PATH -n 2 "$carom" "${sweep[@]}" --gpu --csv "$folder/there.csv" \
    >/dev/null 2>"$folder/told" || fail "mpirun: $(cat "$folder/told")"
  cmp "$folder/here.csv" "$folder/there.csv" || fail "mpirun: other bytes"
  [ "$(grep card "$folder/log" | sort | tr '\n' ' ')" = "card 0 card 2 " ] || fail "cards of mpirun: $(cat "$folder/log")"
  LD_LIBRARY_PATH=$driver timeout 60 mpirun --allow-run-as-root --oversubscribe -x LD_LIBRARY_PATH -n 2 bash -c \
    'DRIVER_HERE_CARDS=$((9 * OMPI_COMM_WORLD_RANK)) exec "$@"' - "$carom" "${sweep[@]}" --gpu --csv "$folder/there.csv" >/dev/null 2>"$folder/told"
  code=$?
  [ $code = 1 ] || fail "one process without a card: $code, $(cat "$folder/told")"
fi
[ $failures = 0 ]
