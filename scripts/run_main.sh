#!/bin/bash
# The main job of `make run`: a few scenarios, their results in out/.
set -euo pipefail
cd "$(dirname "$0")/.."
program=build/carom
out=out
scenarios=${*:-$(ls scenarios/*.yaml 2>/dev/null || true)}

if [ ! -x $program ]; then echo "run: $program is not built" >&2 && exit 1; fi
if [ -z "$scenarios" ]; then echo "run: no scenarios found" >&2 && exit 1; fi
mkdir -p $out
for scenario in $scenarios; do
  name=$(basename "$scenario" .yaml)
  echo "== $name"
  $program run "$scenario" --json --out "$out/$name.h5" >"$out/$name.json"
done
echo "results in $out/"
