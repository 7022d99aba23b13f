#!/bin/bash
# Everything on a real card: speed against all processors of its host, bits against the processor's, memory errors, and a page about it.
# usage: measure_card.sh PROGRAMS PTX OUT.md     PROGRAMS: the folder with bench_gpu and test_crew; PTX: carom.ptx of make device,
# or what ptxas -c made of it
# VALVE_CU names a plain CUDA program of the relief valve to be measured beside (valve.cu: double run(q, returns, int *steps)), VALVE what was made
# of it before (as below); PROGRAM a carom,
# by which whole commands are measured with the card and without.
# MOTIONS (1000) and SECONDS_FOR_BITS (600) limit the comparison of all scenarios, which takes CARDS_AT_ONCE (3) processes; PARTS (speed commands
# counters bits memory) says what is measured.
set -uo pipefail
cd "$(dirname "$0")/.."
programs=$1 ptx=$2 out=$3
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
export CAROM_CARD_CACHE=$work/cache
mkdir -p "$work/cache"
bench() { timeout "${LONGEST:-120}" "$programs/bench_gpu" "$card" "$@" 2>&1; }
n() { echo $(($1 / ${LESS:-1})); } # LESS: so many times fewer motions, to try the script itself
wanted() { [[ " ${PARTS:-speed commands counters bits memory} " = *" $1 "* ]]; }

card=$ptx
architecture=sm_$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -1 | tr -d .)
if [ -f "${VALVE_CU:-}" ] && command -v nvcc >/dev/null; then
  cat >"$work/main.cu" <<'CODE'
#include <cstdio>
#include "valve.cu"
__global__ void all(int n, int returns, double *lift, int *steps) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < n) lift[k] = run(5.0 + 3.0 * (k + 0.5) / n, returns, steps + k);
}
int main() {
  const int sizes[] = {30720, 245760}, returns = 64;
  for (int s = 0; s < 2; s++) {
    int n = sizes[s], *steps;
    double *lift;
    float ms;
    cudaEvent_t a, b;
    cudaMalloc(&lift, n * sizeof *lift), cudaMalloc(&steps, n * sizeof *steps);
    cudaEventCreate(&a), cudaEventCreate(&b);
    all<<<(n + 63) / 64, 64>>>(n, 2, lift, steps);
    cudaEventRecord(a), all<<<(n + 63) / 64, 64>>>(n, returns, lift, steps), cudaEventRecord(b);
    cudaEventSynchronize(b), cudaEventElapsedTime(&ms, a, b);
    printf("%d at once: %.3g returns/s (%s)\n", n, (double)n * returns / (ms * 1e-3), cudaGetErrorString(cudaGetLastError()));
  }
}
CODE
  cp "$VALVE_CU" "$work/valve.cu"
  sed -i 's/^#ifdef __CUDACC_RTC__/#ifdef __CUDACC__/' "$work/valve.cu"
  nvcc -O3 --fmad=false -arch="$architecture" -o "$work/valve" "$work/main.cu" >"$work/nvcc" 2>&1 &
fi
if [ "${ptx%.ptx}" != "$ptx" ] && command -v ptxas >/dev/null; then
  began=$SECONDS
  ptxas -c -arch="$architecture" -maxrregcount 64 "$ptx" -o "$work/carom.o" && card=$work/carom.o compiled=$((SECONDS - began))
fi
wait
[ -x "${VALVE:-}" ] && cp "$VALVE" "$work/valve"
{
  echo "# Motions on a card: measured"
  echo
  echo "Written by \`scripts/measure_card.sh\`, $(date -u +%Y-%m-%d); what it means stands in [docs/gpu.md](../docs/gpu.md)."
  echo
  echo "- card: $(nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.max.sm --format=csv,noheader | head -1)"
  echo "- host: $(nproc) cores, $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)"
  echo "- revision: ${REVISION:-$(git describe --always --dirty 2>/dev/null)}"
  echo "- program: $(basename "$ptx") $(sha256sum "$ptx" | cut -c1-16)${compiled:+, compiled by ptxas in $compiled s}"
  echo
  echo "## Speed"
  echo
  echo "Tolerances 1e-10; \`bench_gpu\` prints a row. Every fortieth motion is moved by all cores of the host and compared byte by byte."
  echo
  echo "| scenario | at once | on the card | all cores | the card is worth |"
  echo "| --- | --- | --- | --- | --- |"
} >"$out"
told=$work/told
measure() {
  BENCH_GPU_EVERY=${EVERY:-40} bench "$@" >"$work/said"
  grep '^|' "$work/said" >>"$out" || echo "| $1 | failed: $(tail -1 "$work/said") | | | |" >>"$out"
  { echo "    $*" && sed 's/^/    /' "$work/said" | grep -v '^    |'; } >>"$told"
}
if wanted speed; then
  measure scenarios/relief_valve.yaml q=5:8 "$(n 245760)" run.until=50 measure.after=10
  measure scenarios/relief_valve.yaml q=5:8 "$(n 30720)" run.until=50 measure.after=10
  measure scenarios/frictional_impact_oscillator.yaml mu=0.3:0.6 "$(n 32768)" run.until=30 measure.after=10
  measure scenarios/ball_on_table.yaml e=0.5:0.9 "$(n 131072)" Gamma=2.5 run.until=5 measure.after=2 measure.over=2 run.rtol=1e-10
fi
if wanted speed; then
{ echo && echo "What was said:" && echo && cat "$told"; } >>"$out"
cat >>"$out" <<'TEXT'

For comparison, measured before on an H200 with the same driver (issue 23 of the project), not in this run: the best program for the valve that we know,
MPGOS (commit 7cd36b9, Cash-Karp at 1e-10), 2.2e7 returns a second with 30,720 at once, 8.0e7 with 245,760; a return is a fall of the lift's rate through 0.
TEXT
fi

if [ -x "$work/valve" ]; then
  { echo && echo "## Plain CUDA" && echo && echo "Code for this valve alone (Dormand-Prince 5(4), located impacts, one thread a valve), in this run:" && echo; } >>"$out"
  timeout 60 "$work/valve" 2>&1 | tail -3 | sed 's/^/    /' >>"$out"
fi

# a whole command with the card and without, and whether it says the same
both() { # SECONDS NAME ARGUMENTS...
  local limit=$1 name=$2 began took=()
  shift 2
  for with in card cores; do
    local flag=()
    [ $with = card ] && flag=(--gpu)
    began=$(date +%s.%N)
    CAROM_CARD=$card timeout "$limit" "$PROGRAM" "$@" "${flag[@]}" --csv "$work/$with.csv" >/dev/null 2>"$work/$with.told" || echo "$name $with: $(tail -1 "$work/$with.told")" >>"$out"
    took+=("$(echo "$(date +%s.%N) - $began" | bc)")
  done
  local same=different
  cmp -s "$work/card.csv" "$work/cores.csv" && same="the same bytes"
  printf '| %s | %.2f s | %.2f s | %s |\n' "$name" "${took[@]}" "$same; $(grep -o '[0-9]* of [0-9]* motions were moved' "$work/card.told") there" >>"$out"
}
if wanted commands && [ -x "${PROGRAM:-}" ]; then
  { echo && echo "## Whole commands" && echo && echo "From start to table, with card and cores, and with the cores alone; the second time, when machine code is kept." && echo
    echo "| command | with \`--gpu\` | all cores | tables |" && echo "| --- | --- | --- | --- |"; } >>"$out"
  CAROM_CARD=$card "$PROGRAM" sweep scenarios/relief_valve.yaml --set run.until=50 --set measure.after=10 --over q=5:8:2 --gpu --quiet --csv "$work/first.csv" 2>>"$out"
  both 60 "sweep, 2 valves until 50" sweep scenarios/relief_valve.yaml --set run.until=50 --set measure.after=10 --over q=5:8:2
  both 60 "ensemble, $(n 100000) valves until 50" ensemble scenarios/relief_valve.yaml --set run.until=50 --set measure.after=10 --over q=5:8:2 --random "$(n 100000)"
  # a random 1 % of a basin of 1024 x 1024 starts on the card; a tenth of these by the cores, from which their rate follows
  dimers=(basin scenarios/dimer.yaml --set settle=100 --set cycles=30 --over h0=0.05e-3:10.25e-3:2 --over theta0=0:0.2:2 --seed 1 --observe drift)
  many=$(n 10486) some=$(n 1049)
  CAROM_CARD=$card "$PROGRAM" "${dimers[@]}" --random 2 --gpu --quiet 2>>"$out"
  took=()
  for count in $many $some; do
    flag=()
    [ "$count" = "$many" ] && flag=(--gpu)
    began=$(date +%s.%N)
    CAROM_CARD=$card timeout 80 "$PROGRAM" "${dimers[@]}" --random "$count" "${flag[@]}" --csv "$work/$count.csv" >/dev/null 2>"$work/$count.told" || echo "dimers: $(tail -1 "$work/$count.told")" >>"$out"
    took+=("$(echo "$(date +%s.%N) - $began" | bc)")
  done
  cmp -s <(head -$((some + 1)) "$work/$many.csv") "$work/$some.csv" && same="the first $some rows are the same" || same="the first $some rows differ"
  printf '| basin, %d random starts of the dimer (100 + 30 cycles) | %.2f s | %.2f s for %d | %s; %s there |\n' "$many" "${took[0]}" "${took[1]}" "$some" "$same" \
    "$(grep -o '[0-9]* of [0-9]* motions were moved' "$work/$many.told")" >>"$out"
fi

if wanted counters && command -v ncu >/dev/null; then
  { echo && echo "## What limits" && echo && echo "Counters of the card (\`ncu\`) while 65,536 valves go to 3:" && echo; } >>"$out"
  BENCH_GPU_EVERY=100000 timeout "${LONGEST:-120}" ncu --clock-control none -k 'regex:carom_entry_(small|middle|large|slab)' --launch-count 1 --metrics \
launch__registers_per_thread,sm__warps_active.avg.pct_of_peak_sustained_active,smsp__thread_inst_executed_per_inst_executed.ratio,\
smsp__inst_executed.sum,sm__inst_executed.avg.per_cycle_active,sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active,dram__bytes.sum.per_second,lts__t_bytes.sum.per_second,\
l1tex__t_sector_hit_rate.pct,smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio,\
smsp__average_warps_issue_stalled_no_instruction_per_issue_active.ratio,smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio,gpu__time_duration.sum \
    "$programs/bench_gpu" "$card" scenarios/relief_valve.yaml q=5:8 65536 run.until=3 measure.after=1 2>&1 |
    grep -E 'carom_entry|__|rror' | head -30 | sed 's/^ */    /' >>"$out"
fi

if wanted bits; then
{ echo && echo "## Bits" && echo && echo "Scenarios of the engine \`hybrid\`, ${MOTIONS:-1000} random motions each (\`test_crew\`), all that can be saved compared:" && echo; } >>"$out"
at_once=${CARDS_AT_ONCE:-3}
for ((k = 0; k < at_once; k++)); do
  CAROM_CARD=$card CAROM_SHARE=$k/$at_once CAROM_EACH=${MOTIONS:-1000} CAROM_SECONDS=${SECONDS_FOR_BITS:-600} \
    "$programs/test_crew" >"$work/crew$k" 2>&1 &
done
wait
for ((k = 0; k < at_once; k++)); do
  grep -hE ' models, |differs at|FAILED  . every' "$work/crew$k" | sort -u | head -20 | sed 's/^/    /' >>"$out"
  [ -n "${KEEP_TOLD:-}" ] && cp "$work/crew$k" "$KEEP_TOLD/crew$k"
done

fi

if wanted memory && command -v compute-sanitizer >/dev/null; then
  { echo && echo "## Memory" && echo && echo "\`compute-sanitizer --tool memcheck\`, 64 motions each:" && echo; } >>"$out"
  for scenario in relief_valve.yaml\ q=5:8 frictional_impact_oscillator.yaml\ mu=0.3:0.6; do
    { echo "${scenario% *}" && timeout 60 compute-sanitizer --tool memcheck "$programs/bench_gpu" "$card" scenarios/${scenario% *} "${scenario#* }" 64 \
      run.until=5 measure.after=1 2>&1 | grep -E 'differ|ERROR SUMMARY'; } | sed 's/^/    /' >>"$out"
  done
fi

exit 0
