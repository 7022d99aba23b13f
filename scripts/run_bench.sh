#!/bin/bash
# Runs every benchmark of build-bench/bench, one after the other, so that none disturbs another.
set -euo pipefail
cd "$(dirname "$0")/.."
shopt -s nullglob
found=no
for bench in build-bench/bench/bench_*; do
  [ -f "$bench" ] && [ -x "$bench" ] || continue
  found=yes
  echo "== $(basename "$bench")"
  "$bench"
done
if [ $found = no ]; then echo "bench: no benchmark was built" >&2 && exit 1; fi
