#!/bin/bash
# The main job of `make run`: some scenarios with their certificates, a page that plays each, pictures, and the quick
# part of two studies as a gallery; all in out/. Ends with the page to open. Other scenarios may be named.
set -euo pipefail
cd "$(dirname "$0")/.."
program=build/carom
out=out
short='bouncing_ball ball_on_table rocking_block frictional_impact_oscillator woodpecker dimer painleve_rod spinning_top
  field_cube_corner field_soft_cylinder rods_2d_r0'
scenarios=${*:-$(printf 'scenarios/%s.yaml ' $short)}
studies='discball fio'

if [ ! -x $program ]; then echo "run: $program is not built" >&2 && exit 1; fi
mkdir -p $out
table=$out/table.txt
index=$out/index.html
value() { sed -n "s/^$2,//p" "$out/$1/certificate.csv"; }

cat >$index <<'P'
<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Carom</title>
<style>body{font:16px/1.5 sans-serif;max-width:960px;margin:2em auto;padding:0 1em;color:#1c2733}
table{border-collapse:collapse}td,th{padding:3px 16px 3px 0;text-align:left;border-bottom:1px solid #dde3e8}
td:nth-child(n+2):nth-child(-n+4){text-align:right}img{max-width:100%}</style></head><body>
<h1>Carom</h1>
<p><a href="gallery/index.html">Published results, computed anew</a></p>
<h2>Motions</h2>
<table><tr><th>scenario</th><th>steps</th><th>events</th><th>residual</th><th>certificate</th></tr>
P
printf '%-32s %9s %8s %10s  %s\n' scenario steps events residual certificate | tee $table
for scenario in $scenarios; do
  name=$(basename "$scenario" .yaml)
  $program run "$scenario" --out "$out/$name.h5" --csv "$out/$name" >"$out/$name.txt"
  $program report "$out/$name.h5" --quiet
  passed=passed
  if [ "$(value "$name" passed)" != 1 ]; then passed='NOT PASSED'; fi
  printf '%-32s %9s %8s %10.1e  %s\n' "$name" "$(value "$name" steps)" "$(value "$name" events)" \
    "$(value "$name" residual_relative)" "$passed" | tee -a $table
  printf '<tr><td><a href="%s.html">%s</a></td><td>%s</td><td>%s</td><td>%.1e</td><td>%s</td></tr>\n' "$name" "$name" \
    "$(value "$name" steps)" "$(value "$name" events)" "$(value "$name" residual_relative)" "$passed" >>$index
done
echo '</table><h2>Pictures</h2>' >>$index
if [ -e $out/frictional_impact_oscillator.h5 ]; then
  $program plot $out/frictional_impact_oscillator.h5 history --from 59 --of "phi,tip_y,tip.normal" -o $out/oscillator.svg --quiet
  $program plot $out/frictional_impact_oscillator.h5 phase --from 58 --of "phi,phi'" -o $out/portrait.svg --quiet
  echo '<img src="oscillator.svg" alt="the oscillator over time"> <img src="portrait.svg" alt="its portrait">' >>$index
fi
echo '</body></html>' >>$index
echo
for study in $studies; do
  $program reproduce "$study" --report $out/gallery | tail -2 | head -1 | sed "s/^/study $study: /"
done
echo
echo "table: $table; each run in $out/NAME.txt, $out/NAME.h5 and $out/NAME/"
echo "page to open: $PWD/$index"
