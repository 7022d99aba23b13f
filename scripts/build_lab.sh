#!/bin/bash
# The lab: the simulator as WebAssembly (build-lab/lab.wasm), and the page around it (build-lab/lab.html). Where something is missing it
# says what, and ends with 77. usage: build_lab.sh [JOBS [simulator|without-simd]]: simulator leaves the page out, without-simd too, and
# compiles without the browser's vectors into build-lab-plain (to compare)
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${1:-2} what=${2:-all} folder=build-lab simd=ON
if [ "$what" = without-simd ]; then folder=build-lab-plain simd=OFF; fi
missing() { echo "lab: not built: $1" >&2 && exit 77; }

scripts/setup.sh --check lab || missing "packages (see above)"
scripts/fetch_libyaml.sh $folder/libyaml || missing "libyaml's sources could not be fetched"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
cmake -S . -B $folder -G Ninja -DCMAKE_TOOLCHAIN_FILE=cmake/wasm.cmake -DCMAKE_BUILD_TYPE=Release \
  -DCAROM_LIBYAML="$PWD/$folder/libyaml" -DCAROM_SIMD=$simd >"$log" 2>&1 || { cat "$log" >&2 && exit 1; }
ninja -C $folder -j "$jobs" >"$log" 2>&1 || { tail -40 "$log" >&2 && exit 1; }
if [ "$what" != all ]; then exit 0; fi
if [ ! -d web/node_modules ] || [ web/package-lock.json -nt web/node_modules ]; then
  (cd web && npm ci --no-audit --no-fund --loglevel=error >"$log" 2>&1) || { cat "$log" >&2 && missing "npm could not fetch the packages of web/"; }
  touch web/node_modules
fi
node web/build.mjs $folder
