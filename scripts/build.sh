#!/bin/bash
# Configures and builds one preset, quietly unless something is wrong. usage: build.sh PRESET [JOBS [CMAKE-OPTION...]]
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1 jobs=${2:-2}
shift $(($# < 2 ? $# : 2))
log=$(mktemp)
trap 'rm -f "$log"' EXIT
cmake --preset "$preset" "$@" >"$log" 2>&1 || { cat "$log" >&2 && exit 1; }
cmake --build --preset "$preset" -j "$jobs"
