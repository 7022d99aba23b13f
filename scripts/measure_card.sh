#!/bin/bash
# Everything on a real card: speed against all processors of its host, bits against the processor's, memory errors, and a page about it.
# usage: measure_card.sh PROGRAMS PTX OUT.md     PROGRAMS: the folder with bench_gpu and test_crew; PTX: carom.ptx of make device,
# or what ptxas -c made of it
# VALVE_CU names a plain CUDA program of the relief valve to be measured beside (valve.cu: double run(q, returns, int *steps)).
# MOTIONS (1000) and SECONDS_FOR_BITS (600) limit the comparison of all scenarios, which takes CARDS_AT_ONCE (3) processes.
set -uo pipefail
cd "$(dirname "$0")/.."
programs=$1 ptx=$2 out=$3
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
export CAROM_CARD_CACHE=$work/cache
mkdir -p "$work/cache"
bench() { "$programs/bench_gpu" "$card" "$@" 2>&1; }

card=$ptx
architecture=sm_$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -1 | tr -d .)
if [ "${ptx%.ptx}" != "$ptx" ] && command -v ptxas >/dev/null; then
  began=$SECONDS
  ptxas -c -arch="$architecture" -maxrregcount 64 "$ptx" -o "$work/carom.o" && card=$work/carom.o compiled=$((SECONDS - began))
fi
{
  echo "# Motions on a card: measured"
  echo
  echo "Written by \`scripts/measure_card.sh\`, $(date -u +%Y-%m-%d); what it means stands in [docs/gpu.md](../docs/gpu.md)."
  echo
  echo "- card: $(nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.max.sm --format=csv,noheader | head -1)"
  echo "- host: $(nproc) cores, $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)"
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
measure scenarios/relief_valve.yaml q=0.2:8.6 245760 run.until=50 measure.after=10
measure scenarios/relief_valve.yaml q=5:8 131072 run.until=50 measure.after=10
measure scenarios/relief_valve.yaml q=5:8 30720 run.until=50 measure.after=10
measure scenarios/frictional_impact_oscillator.yaml mu=0.3:0.6 65536 run.until=30 measure.after=10
measure scenarios/ball_on_table.yaml e=0.5:0.9 131072 Gamma=2.5 run.until=5 measure.after=2 measure.over=2 run.rtol=1e-10
{ echo && echo "What was said:" && echo && cat "$told"; } >>"$out"
cat >>"$out" <<'TEXT'

The best program for this that we know, MPGOS (commit 7cd36b9, Cash-Karp at 1e-10), was measured on an H200 with the same driver before:
2.2e7 returns of the relief valve a second with 30,720 at once, 8.0e7 with 245,760; a return is a fall of the lift's rate through 0.
TEXT

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
  { echo && echo "## Plain CUDA" && echo && echo "Code for this valve alone for this valve alone (Dormand-Prince 5(4), one thread a valve), in the same run:" && echo; } >>"$out"
  { nvcc -O3 --fmad=false -arch="$architecture" -o "$work/valve" "$work/main.cu" && timeout 60 "$work/valve"; } 2>&1 | grep -v warning | tail -3 | sed 's/^/    /' >>"$out"
fi

if command -v compute-sanitizer >/dev/null; then
  { echo && echo "## Memory" && echo && echo "\`compute-sanitizer --tool memcheck\`, 64 motions each:" && echo; } >>"$out"
  for scenario in relief_valve.yaml\ q=5:8 frictional_impact_oscillator.yaml\ mu=0.3:0.6; do
    { echo "${scenario% *}" && timeout 60 compute-sanitizer --tool memcheck "$programs/bench_gpu" "$card" scenarios/${scenario% *} "${scenario#* }" 64 \
      run.until=5 measure.after=1 2>&1 | grep -E 'differ|ERROR SUMMARY'; } | sed 's/^/    /' >>"$out"
  done
fi

exit 0
