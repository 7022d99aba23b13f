#!/bin/bash
# Runs every libFuzzer target for some seconds. New inputs stay in build-fuzz/; an input that crashes is
# left there too: copy it to tests/fuzz/<target>/ so that every later test run tries it. usage: run_fuzz.sh SECONDS
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-60}
shopt -s nullglob
found=no
for source in tests/fuzz/fuzz_*.c; do
  found=yes
  name=$(basename "$source" .c)
  seeds=tests/fuzz/${name#fuzz_}
  mkdir -p "build-fuzz/corpus/$name" "build-fuzz/crashes/$name"
  echo "== $name, $seconds s"
  "build-fuzz/tests/$name" -max_total_time="$seconds" -timeout=5 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="build-fuzz/crashes/$name/" "build-fuzz/corpus/$name" "$seeds"
done
if [ $found = no ]; then echo "fuzz: no target found" >&2 && exit 1; fi
