#!/bin/bash
# The main job of `make run`: every scenario, a table of their certificates, pictures; all in out/.
set -euo pipefail
cd "$(dirname "$0")/.."
program=build/carom
out=out
scenarios=${*:-scenarios/*.yaml}

if [ ! -x $program ]; then echo "run: $program is not built" >&2 && exit 1; fi
mkdir -p $out
table=$out/table.txt
value() { sed -n "s/^$2,//p" "$out/$1/certificate.csv"; }

printf '%-32s %9s %8s %10s  %s\n' scenario steps events residual certificate | tee $table
for scenario in $scenarios; do
  name=$(basename "$scenario" .yaml)
  $program run "$scenario" --out "$out/$name.h5" --csv "$out/$name" >"$out/$name.txt"
  passed=passed
  if [ "$(value "$name" passed)" != 1 ]; then passed='NOT PASSED'; fi
  printf '%-32s %9s %8s %10.1e  %s\n' "$name" "$(value "$name" steps)" "$(value "$name" events)" \
    "$(value "$name" residual_relative)" "$passed" | tee -a $table
done
gnuplot -e "out='$out'" scripts/tour.gp
echo
echo "table: $table; each run in $out/NAME.txt, $out/NAME.h5 and $out/NAME/"
echo "pictures: $out/oscillator.png $out/tour.png"
