#!/bin/bash
# The main job of `make run`: some scenarios with their certificates, a page that plays each, pictures, and the quick
# part of two studies as a gallery; all in out/. Ends with the page to open. Other scenarios may be named.
set -euo pipefail
cd "$(dirname "$0")/.."
program=build/carom
out=out
short='dominoes bouncing_ball ball_on_table rocking_block frictional_impact_oscillator woodpecker dimer slip_runner painleve_rod spinning_top
  field_cube_corner field_soft_cylinder rods_2d_r0'
scenarios=${*:-$(printf 'scenarios/%s.yaml ' $short)}
studies='discball fio'

if [ ! -x $program ]; then echo "run: $program is not built" >&2 && exit 1; fi
mkdir -p $out
table=$out/table.txt
index=$out/index.html
value() { sed -n "s/^$2,//p" "$out/$1/certificate.csv"; }

# what is to be seen of a scenario, in one line; of others the first line of their file
seen() {
  case $1 in
    dominoes) echo 'Each stone strikes the next; the arrows are the forces between them and from the floor.' ;;
    bouncing_ball) echo 'Bounces become shorter and shorter and end at a finite time: from then on the ball rests.' ;;
    ball_on_table) echo 'A ball keeps time with a shaken table: one bounce a period.' ;;
    rocking_block) echo 'A block goes from corner to corner; watch the force change sides at every impact.' ;;
    frictional_impact_oscillator) echo 'A wiper that flies, strikes, sticks and slips, five times a second and always the same way.' ;;
    woodpecker) echo 'The sleeve jams on the pole and lets go, the beak knocks, and the bird comes down.' ;;
    dimer) echo 'Two beads on a rod walk sideways on a plate that only goes up and down.' ;;
    slip_runner) echo 'Running on a spring: flight, touch-down and lift-off; the camera goes along.' ;;
    painleve_rod) echo 'Where sliding has no solution: an impact without a collision stops the tip and throws it up.' ;;
    spinning_top) echo 'A heavy top goes round and nods, as Lagrange found.' ;;
    field_cube_corner) echo 'A cube spins on its corner over a field that pushes it up. Drag to look around.' ;;
    field_soft_cylinder) echo 'A soft cylinder falls, flattens and bounces.' ;;
    rods_2d_r0) echo 'Rods on a shaken plate lean over and drift the way they lean.' ;;
    *) sed -n '1s/^# *//p' "scenarios/$1.yaml" 2>/dev/null || true ;;
  esac
}
# the part of a run that a small moving picture shows, and how
part() {
  case $1 in
    frictional_impact_oscillator) echo --from 58 --until 59 ;;
    ball_on_table) echo --from 15.5 ;;
    woodpecker) echo --from 2 --until 3 --follow ;;
    dimer) echo --until 3 --follow ;;
    slip_runner) echo --until 5 --follow ;;
    rods_2d_r0) echo --until 1 ;;
    *) ;;
  esac
}

cat >$index <<'P'
<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>Carom</title>
<style>
:root{--ink:#1c2733;--soft:#5d6b7a;--line:#d7dde3;--paper:#fff;--back:#f3f5f7;--link:#12407a}
@media(prefers-color-scheme:dark){:root{--ink:#e4e9ee;--soft:#9fabb7;--line:#38424d;--paper:#1b2127;--back:#12161a;--link:#7db0ee}}
body{font:15px/1.5 "DejaVu Sans",sans-serif;max-width:1200px;margin:0 auto;padding:1.5em;color:var(--ink);background:var(--back)}
a{color:var(--link);text-decoration:none}ul{list-style:none;padding:0;display:grid;gap:16px;grid-template-columns:repeat(auto-fill,minmax(270px,1fr))}
li{background:var(--paper);border:1px solid var(--line);border-radius:8px;overflow:hidden}li img{display:block;width:100%;aspect-ratio:3/2;object-fit:contain;background:#fbfcfd}
li div{padding:10px 14px}li b{display:block;color:var(--link)}li p{margin:2px 0 6px}small{color:var(--soft)}.bad{color:#c8453b;font-weight:bold}
.wide img{max-width:100%;background:#fff;border-radius:8px;border:1px solid var(--line)}
</style></head><body>
<h1>Carom</h1>
<p>Every picture opens a page that plays the motion, with its forces, curves, events and certificate.</p>
P
if [ -e build-lab/lab.html ]; then
  echo '<p>In <a href="lab/index.html">the lab</a> all scenarios run in the browser: change a number and see what it does.</p>' >>$index
fi
echo '<ul>' >>$index
printf '%-32s %9s %8s %10s  %s\n' scenario steps events residual certificate | tee $table
for scenario in $scenarios; do
  name=$(basename "$scenario" .yaml)
  $program run "$scenario" --out "$out/$name.h5" --csv "$out/$name" >"$out/$name.txt"
  link=()
  if [ -e build-lab/lab.html ]; then link=(--lab "lab/$name.html"); fi
  $program report "$out/$name.h5" "${link[@]}" --quiet
  # a run without bodies has no moving picture
  # shellcheck disable=SC2046
  $program movie "$out/$name.h5" $(part "$name") --seconds 4 --rate 12 --width 360 --height 240 -o "$out/$name.gif" --quiet 2>/dev/null || true
  passed=passed class=good
  if [ "$(value "$name" passed)" != 1 ]; then passed='NOT PASSED' class=bad; fi
  # equations without energies have nothing to balance
  printf '%-32s %9s %8s %10.1e  %s\n' "$name" "$(value "$name" steps)" "$(value "$name" events)" \
    "$(value "$name" residual_relative)" "$passed" | sed 's/ nan / -   /' | tee -a $table
  {
    printf '<li><a href="%s.html"><img src="%s.gif" alt="%s moves" loading="lazy"></a><div><a href="%s.html"><b>%s</b></a>' \
      "$name" "$name" "$name" "$name" "$(sed -n 's/^title: *//p' "$scenario" | head -1)"
    printf '<p>%s</p><small>%s events, <span class="%s">certificate %s</span></small></div></li>\n' \
      "$(seen "$name")" "$(value "$name" events)" "$class" "$passed"
  } >>$index
done
{
  echo '</ul><h2>Published results, computed anew</h2>'
  echo '<p><a href="gallery/index.html">Two of five studies</a>: every number of a paper beside that of Carom, and whether they agree.</p>'
} >>$index
if [ -e $out/frictional_impact_oscillator.h5 ]; then
  $program plot $out/frictional_impact_oscillator.h5 history --from 59 --of "phi,tip_y,tip.normal" -o $out/oscillator.svg --quiet
  $program plot $out/frictional_impact_oscillator.h5 phase --from 58 --of "phi,phi'" -o $out/portrait.svg --quiet
  {
    echo '<h2>Pictures</h2><p class="wide"><img src="oscillator.svg" alt="the oscillator over time">'
    echo '<img src="portrait.svg" alt="its portrait"></p><p>The oscillator over a second, and its cycle in the plane of angle and rate, by <code>carom plot</code>.</p>'
  } >>$index
fi
echo '</body></html>' >>$index
echo
for study in $studies; do
  $program reproduce "$study" --report $out/gallery | tail -2 | head -1 | sed "s/^/study $study: /"
done
# the lab: every scenario to be run in a browser, where the page was built
if [ -e build-lab/lab.html ]; then
  mkdir -p $out/lab
  {
    cat <<'P'
<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>Carom lab</title>
<style>body{font:15px/1.6 "DejaVu Sans",sans-serif;max-width:900px;margin:2em auto;padding:0 1em}a{color:#12407a}small{color:#5d6b7a}
@media(prefers-color-scheme:dark){body{color:#e4e9ee;background:#12161a}a{color:#7db0ee}small{color:#9fabb7}}</style></head><body>
<h1>Scenarios that run in the browser</h1>
<p>Each page is the simulator with one scenario inside: its numbers can be changed, its text too. <a href="../index.html">Back</a></p><ul>
P
    for scenario in scenarios/*.yaml; do
      name=$(basename "$scenario" .yaml)
      $program lab "$scenario" -o "$out/lab/$name.html" --quiet
      title=$(sed -n 's/^title: *//p' "$scenario" | head -1 | sed 's/&/\&amp;/g; s/</\&lt;/g')
      printf '<li><a href="%s.html">%s</a> <small>%s</small></li>\n' "$name" "${title:-$name}" "$name"
    done
    echo '</ul></body></html>'
  } >$out/lab/index.html
fi
echo
echo "table: $table; each run in $out/NAME.txt, $out/NAME.h5 and $out/NAME/"
echo "page to open: $PWD/$index"
