#!/bin/bash
# Every picture of carom plot: it is drawn, its script draws it again, wrong requests are refused.
set -uo pipefail
program=$1
scenarios=$PWD/scenarios
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
fail() { echo "FAILED: $*" && failures=$((failures + 1)); }
if ! command -v gnuplot >/dev/null; then echo "skipped: gnuplot is not installed" && exit 77; fi

"$program" run "$scenarios/rocking_block.yaml" --out block.h5 --quiet || fail "run"
"$program" run "$scenarios/frictional_impact_oscillator.yaml" --until 40 --out arm.h5 --quiet || fail "run"
"$program" sweep "$scenarios/pendulum.yaml" --over L=0.5:1.5:5 --set run.until=4 --out sweep.h5 --quiet || fail "sweep"
"$program" map "$scenarios/frictional_impact_oscillator.yaml" --over mu=0.3:0.6:4 --over e=0:0.4:3 --set run.until=12 \
  --set measure.after=8 --out map.h5 --quiet || fail "map"
"$program" basin "$scenarios/duffing.yaml" --over x=-1:1:4 --over "x'=-1:1:4" --out basin.h5 --quiet || fail "basin"
"$program" bifurcate "$scenarios/frictional_impact_oscillator.yaml" --over mu=0.38:0.4:5 --set run.until=12 \
  --set measure.after=8 --out diagram.h5 --quiet || fail "bifurcate"

"$program" orbit "$scenarios/ball_on_table.yaml" --out turn.h5 --quiet || fail "orbit"
"$program" orbit "$scenarios/ball_on_table.yaml" --over Gamma=0.9:1.1:3 --turns 1 --out orbits.h5 --quiet || fail "orbits"
"$program" lyapunov "$scenarios/ball_on_table.yaml" --time 1 --out course.h5 --quiet || fail "lyapunov"
"$program" lyapunov "$scenarios/ball_on_table.yaml" --time 1 --over Gamma=0.8,1,3 --out exponents.h5 --quiet || fail "exponents"

# drawn FILE LEAST-BYTES: there is a picture with something on it, and its script draws the same again
drawn() {
  local size
  size=$(stat -c %s "$1" 2>/dev/null || echo 0)
  [ "$size" -gt "$2" ] || fail "$1 has $size bytes"
  cp "$1" first && rm "$1"
  gnuplot "${1%.*}.gp" >gnuplot.txt 2>&1 || fail "gnuplot ${1%.*}.gp"
  [ ! -s gnuplot.txt ] || { cat gnuplot.txt && fail "$1: gnuplot complains"; }
  [ "${1##*.}" = pdf ] || cmp -s first "$1" || fail "$1 is drawn differently the second time"
}

for what in history phase section return spectrum energy; do
  for file in block arm; do
    "$program" plot $file.h5 $what -o $file-$what.svg >printed.txt || fail "plot $file $what"
    grep -qx "$file-$what.svg" printed.txt || fail "the name of the picture is not printed"
    drawn $file-$what.svg 4000
    grep -q 'Rocking block\|Frictional impact oscillator' $file-$what.svg || fail "$file-$what.svg has no title"
  done
done
grep -q 'flight, right stick' block-phase.svg || fail "the portrait does not name its modes"
# of many contacts those that touch are named, and the legend fits
"$program" run "$scenarios/dominoes.yaml" --out stones.h5 --quiet || fail "run of dominoes"
"$program" plot stones.h5 phase --of "p1,p1'" -o stones.svg --quiet 2>err || fail "portrait of dominoes"
[ ! -s err ] || { cat err && fail "portrait of dominoes: gnuplot complains"; }
grep -q '>stands2, stands3, .* and [0-9]* more<' stones.svg || fail "a portrait of many contacts does not name those that touch"
range_of() { sed -n "s/^set $1range //p" block-return.gp; }
[ -n "$(range_of x)" ] && [ "$(range_of x)" = "$(range_of y)" ] || fail "the axes of a return map differ"
grep -q '>stick<' arm-history.svg || fail "the history does not name its modes"
for file in sweep map basin diagram turn orbits course exponents; do
  "$program" plot $file.h5 --quiet || fail "plot $file"
  drawn $file.svg 4000
done
# what the axes and curves of motions are: a coordinate and its rate, multipliers, exponents
grep -q "xlabel 'y' " turn.gp && grep -q "ylabel 'y''' " turn.gp || fail "a turn is not drawn in the plane of its state"
[ "$(grep -c '^[-0-9]' turn.dat)" = 1001 ] || fail "not all of the turn is drawn"
grep -q "ylabel 'largest multiplier'" orbits.gp && grep -q "ylabel 'period'" orbits.gp || fail "no multipliers over Gamma"
for file in course exponents; do
  grep -q "title 'exponent 1'.*title 'exponent 2'" $file.gp || fail "$file.svg has not both exponents"
done
grep -q "xlabel 'time'" course.gp && grep -q "xlabel 'Gamma'" exponents.gp || fail "exponents over the wrong axis"
# what never changes has a range too, and gnuplot nothing to say
cat >still.yaml <<'YAML'
title: At rest
parameters: {a: 1}
coordinates: {x: 2, y: 0}
energy: {kinetic: (x'^2 + y'^2)/2, potential: 10*y}
contacts: {floor: {gap: y, impact: 0}}
sections: {tick: {when: sin(3*t + 1)}}
run: {until: 5, sample: 0.01}
observe: {where: last(x), low: min(y)}
YAML
"$program" run still.yaml --out still.h5 --quiet || fail "run at rest"
for what in history phase section return energy; do
  "$program" plot still.h5 $what -o still-$what.svg --quiet 2>err || fail "plot $what at rest"
  [ ! -s err ] || { cat err && fail "still $what: gnuplot complains"; }
  drawn still-$what.svg 4000
done
"$program" plot still.h5 spectrum -o no.svg --quiet 2>err && fail "a spectrum of what is constant"
grep -q "'x' is constant" err || fail "the message about a constant: $(cat err)"
"$program" plot still.h5 compare --with still.h5 --of x,y -o still-compare.svg --quiet || fail "compare at rest"
drawn still-compare.svg 4000
"$program" sweep still.yaml --over a=1:3:4 --out still-sweep.h5 --quiet || fail "sweep at rest"
"$program" sweep still.yaml --over a=1:3:4 --over "x'=0:1e-9:2" --out still-plane.h5 --quiet || fail "sweep of two axes at rest"
"$program" bifurcate still.yaml --over a=1:3:4 --section tick --observe x --keep 2 --out still-diagram.h5 --quiet || fail "diagram at rest"
"$program" orbit "$scenarios/ball_on_table.yaml" --over Gamma=0.9:1:3 --turns 1 --out still-orbits.h5 --picture still-grid.png \
  --quiet 2>err || fail "orbits"
[ ! -s err ] || { cat err && fail "a grid: gnuplot complains"; }
for file in sweep diagram orbits; do
  "$program" plot still-$file.h5 --quiet 2>err || fail "plot $file at rest"
  [ ! -s err ] || { cat err && fail "still $file: gnuplot complains"; }
  drawn still-$file.svg 4000
done
"$program" plot still-plane.h5 --of low -o still-plane.svg --quiet 2>err || fail "plot of two axes at rest"
[ ! -s err ] || { cat err && fail "still plane: gnuplot complains"; }
# over two axes every point has a cell of its own, from half way to half way between its neighbours
"$program" sweep still.yaml --over a=1,2,4 --over "x'=0,0.2" --out cells.h5 --quiet || fail "sweep of cells"
"$program" plot cells.h5 --of low -o cells.svg --quiet || fail "plot of cells"
cp cells.dat cells-plain.dat
"$program" plot cells.h5 --of low --log-x -o cells.svg --quiet || fail "plot of cells, logarithmic"
python3 - <<'P' || fail "cells do not tile the plane"
def cells(file):
    text = open(file).read().split("# block 1\n")[1]
    rows = [[float(x) for x in line.split()] for line in text.splitlines() if line.strip()]
    assert len(rows) == 6 and all(len(row) == 7 for row in rows), rows
    return rows
def near(rows, sides):
    for row in rows:
        wanted = list(sides[row[0]]) + ([-0.1, 0.1] if row[1] == 0 else [0.1, 0.3])
        assert all(abs(a - b) < 2e-3 * 5 for a, b in zip(row[2:6], wanted)), (row, wanted)
near(cells("cells-plain.dat"), {1: (0.5, 1.5), 2: (1.5, 3), 4: (3, 5)})
near(cells("cells.dat"), {1: (0.5**0.5, 2**0.5), 2: (2**0.5, 8**0.5), 4: (8**0.5, 32**0.5)})
P
"$program" plot still-orbits.h5 branch -o still-starts.svg --quiet || fail "plot of starts"
grep -q 'start of y' still-starts.svg && grep -q '>stable<' still-starts.svg || fail "motions over a grid: what is drawn"
# two curves in a panel; seeds become means with standard errors: values 1 and 3 are 2 with an error of 1
"$program" sweep "$scenarios/pendulum.yaml" --over L=0.5,1,1.5 --over seed=1,3 --set parameters.seed=1 --set run.until=1 \
  --set observe.chance=seed --set observe.long=L --observe chance,long --out seeds.h5 --quiet || fail "sweep over seeds"
"$program" plot seeds.h5 --of "chance,chance+long" -o seeds.svg --quiet || fail "plot seeds"
drawn seeds.svg 4000
grep -q '>long<' seeds.svg || fail "the second curve of a panel has no name"
python3 - <<'P' || fail "means over seeds are wrong"
rows = [[float(x) for x in line.split()] for line in open("seeds.dat") if line.strip() and line[0] != "#"]
assert [row[0] for row in rows] == [0.5, 1, 1.5], rows
half = len(rows[0]) // 2
assert all(row[2] == 2 and row[half + 2] == 1 and row[3] == row[0] and row[half + 3] == 0 for row in rows), rows
P
# the same of a history: names above the panel that has two, none where one is alone; events stand on the first
"$program" plot arm.h5 --of "phi,y+tip_y" --units y=m,tip_y=m -o pair.svg --quiet || fail "plot of two curves over time"
drawn pair.svg 6000
grep -q '>tip_y<' pair.svg && grep -q '>\[m\]<' pair.svg || fail "two curves over time: what is drawn"
[ "$(grep -c 'with lines lw' pair.gp)" = 3 ] || fail "two curves over time: how many"
# a result over another one: columns are L, seed, chance, long
"$program" plot seeds.h5 --of chance --over long --units long=m -o across.svg --quiet || fail "plot over a result"
drawn across.svg 3000
grep -q 'using 4:3:' across.gp && grep -q '>long  \[m\]<' across.svg || fail "a result over another: what is drawn"
"$program" plot seeds.h5 --of "chance+nothing" -o no.svg 2>err && fail "a curve that is not there"
grep -q "no column 'nothing'" err || fail "the missing curve is not named"

# curves of a coarse recording pass through the states at events and bend as the rates tell: a ball that falls from 1 under g = 10,
# e = 0.7, flies on parabolas, and every impact is a point of the curve
cat >bounce.yaml <<'YAML'
coordinates: {y: 1}
energy: {kinetic: y'^2/2, potential: 10*y}
contacts: {floor: {gap: y, impact: 0.7}}
run: {until: 2, sample: 0.25}
YAML
"$program" run bounce.yaml --out bounce.h5 --quiet || fail "run of a ball"
"$program" plot bounce.h5 --of "y,y'" -o bounce.svg --quiet || fail "plot of a ball"
python3 - <<'P' || fail "the curve of a ball is not its path"
def blocks(file):
    return [[[float(x) for x in line.split()] for line in part.split("\n")[1:] if line.strip()] for part in open(file).read().split("# block ")[1:]]
def height(t):
    at, up = 0.2**0.5, 0.7 * 20**0.5
    if t <= at: return 1 - 5 * t * t
    while t > at + up / 5: at, up = at + up / 5, 0.7 * up
    return (t - at) * (up - 5 * (t - at))
curve, marks, rate = blocks("bounce.dat")[:3]
assert len(curve) > 40 and all(abs(y - height(t)) < 1e-7 for t, y in curve), [(t, y, height(t)) for t, y in curve if abs(y - height(t)) > 1e-7][:3]
times = [t for t, _ in marks]
assert len(times) >= 3 and all(any(t == s and abs(y) < 1e-7 for s, y in curve) for t in times), (times, curve)
# the rate jumps there: two points of one time
assert all(sum(t == s for s, _ in rate) == 2 for t in times), rate
P

# branches: stable solid, unstable dashed, bifurcations named; both blocks of numbers are there
"$program" continue "$scenarios/ball_on_table.yaml" --over Gamma=0.5:1.5 --period 1/f --switch 2 --out branch.h5 --quiet || fail "continue"
"$program" plot branch.h5 --quiet || fail "plot branch"
drawn branch.svg 4000
for text in stable unstable '[0-9.]*  flip: the period doubles'; do grep -q ">$text<" branch.svg || fail "branches: no '$text'"; done
python3 - <<'P' || fail "the branches are drawn wrongly"
blocks = open("branch.dat").read().split("# block ")[1:]
assert len(blocks) == 2, len(blocks)
stable, unstable = ([[float(x) for x in line.split()] for line in block.split("\n")[1:] if line.strip()] for block in blocks)
# lines end at the flips: both kinds meet at the first one
assert unstable[0] in stable, (unstable[0], stable)
# the first flip is near 1.0706 (Gamma of the period-1 bounce losing its stability): below it nothing is unstable
assert max(row[0] for row in unstable) == 1.5 and min(row[0] for row in unstable) > 1.05, unstable[:3]
assert min(row[0] for row in stable) == 0.5
P
# a diagram: a letter at each change, its line in the key, tics that differ
"$program" bifurcate "$scenarios/frictional_impact_oscillator.yaml" --over mu=0.38962:0.38968:7 --set run.until=20 \
  --set measure.after=12 --set "run.detect=step ends" --set run.h_max=0.003 --out steps.h5 --quiet || fail "bifurcate"
"$program" plot steps.h5 -o steps.svg --quiet --units y=m || fail "plot steps"
drawn steps.svg 4000
python3 - <<'P' || fail "the marks of the diagram are wrong"
import re
script = open("steps.gp").read()
letters = re.findall(r"set label '([a-z])'", script)
keys = re.findall(r"NaN with points pt '([a-z])' .* title '([0-9.]+)  → ", script)
assert letters and letters == [letter for letter, _ in keys], (letters, keys)
assert len({place for _, place in keys}) == len(keys), keys
tics = re.findall(r">\s*(0\.938\d*)<", open("steps.svg").read())
assert len(tics) > 2 and len(set(tics)) == len(tics), tics
P
grep -q 'y  \[m\]' steps.svg || fail "the unit is not on the axis of the diagram"

for kind in pdf png; do
  "$program" plot arm.h5 -o picture.$kind --quiet || fail "plot $kind"
  drawn picture.$kind 4000
done

# measurements on top: their numbers are in the data, their name in the legend
printf '# measured\nt,phi\n1.5,0.4\n2.5;0.41\n' >measured.csv
"$program" plot arm.h5 --of phi --overlay measured.csv -o overlay.svg --units t=s,phi=rad --quiet || fail "overlay"
"$program" plot arm.h5 --of "phi',tip.normal" --overlay measured.csv --overlay-name "by hand" -o named.svg --units "t=s,phi=rad,.normal=N" --quiet ||
  fail "overlay with a name"
for text in 'by hand' "phi'  \[rad/s\]" 'tip.normal  \[N\]'; do grep -q "$text" named.svg || fail "no '$text' in the picture"; done
grep -q '^1.5 0.4 ' overlay.dat || fail "the overlay is not in the data"
grep -q 'measured.csv' overlay.svg || fail "the overlay is not in the legend"
grep -q 'phi  \[rad\]' overlay.svg || fail "the unit is not on the axis"

# several runs in one picture: a curve and a name for each, over the time or over another quantity
for e in 0 0.2; do
  "$program" run "$scenarios/frictional_impact_oscillator.yaml" --set e=$e --set measure.after=1 --until 3 --out arm-$e.h5 --quiet || fail "run"
done
"$program" plot arm-0.h5 compare --with arm-0.2.h5 --with arm.h5 --of "phi,y" --until 2 --labels "none,some" -o compare.svg --quiet ||
  fail "compare"
drawn compare.svg 4000
for text in none some arm.h5; do grep -q ">$text<" compare.svg || fail "the comparison does not name '$text'"; done
[ "$(grep -c '^# block' compare.dat)" = 6 ] || fail "two quantities of three runs are not six curves"
"$program" plot arm-0.h5 compare --with arm-0.2.h5 --of phi --over y -o over.svg --quiet || fail "compare --over"
drawn over.svg 4000
grep -q '>y<' over.svg || fail "the horizontal quantity is not named"
# the same scale on both axes
"$program" plot arm.h5 phase --of phi,y --equal -o equal.svg --quiet || fail "phase --equal"
drawn equal.svg 4000
grep -q 'size ratio -1' equal.gp || fail "the axes have different scales"

# refused EXIT TEXT WORDS...: the exit code and what the message says
refused() {
  local code=$1 text=$2 got=0
  shift 2
  "$program" plot "$@" >out.txt 2>err.txt || got=$?
  [ $got = "$code" ] || fail "plot $*: exit $got, not $code"
  grep -q -- "$text" err.txt || { cat err.txt && fail "plot $*: no '$text'"; }
}
refused 2 "no picture called 'histroy'; did you mean 'history'" arm.h5 histroy
refused 2 "picture of tables" arm.h5 basin
refused 2 "no series 'nothing'" arm.h5 history --of nothing
refused 2 "no series 'nothing'" arm.h5 history --of phi+nothing
refused 2 "NAME.svg, NAME.pdf or NAME.png" arm.h5 -o picture.gif
refused 2 "expects a number" arm.h5 --from soon
refused 2 "cannot be opened" missing.h5
refused 2 "say which quantities" arm.h5 compare --with arm-0.h5
refused 2 "holds tables, not the motion" arm.h5 compare --of phi --with sweep.h5
refused 2 "did you mean .tip.normal" arm.h5 --of tip.nromal
refused 2 "did you mean .L.?" sweep.h5 --of Ll
refused 2 "did you mean .L.?" sweep.h5 --over Ll
refused 2 "over two axes are drawn as colours" cells.h5 --of low --over high
refused 2 "did you mean .y.?" turn.h5 --of yy
refused 2 "diagram is one of .y." diagram.h5 --of phi
refused 2 "up to 7 others" arm.h5 compare --of phi $(printf -- '--with arm.h5 %.0s' 1 2 3 4 5 6 7 8)
refused 2 "cannot be opened" arm.h5 --overlay missing.csv
echo garbage >garbage.h5
refused 2 "not an HDF5 file" garbage.h5
(PATH=/nowhere "$program" plot arm.h5 -o other.svg 2>err.txt)
grep -q "gnuplot is not installed" err.txt || fail "a missing gnuplot is not named"

# an atlas: every curve and letter has its line in the key, which leaves out what has no room
"$program" continue "$scenarios/frictional_impact_oscillator.yaml" --set e=0.15 --over mu=0.42:0.39 --also e=0.14:0.17 --picture atlas.svg --quiet || fail "atlas"
python3 - <<'PYTHON' || fail "the key of an atlas"
import re
script = open("atlas.gp").read()
entries = re.findall(r"title '(.*)'", script[script.index("\nplot "):])
assert len(entries) >= 6 and len(entries) <= int(re.search(r"maxrows (\d+)", script)[1]), entries
picture = open("atlas.svg").read()
assert all(words in picture for entry in entries for words in entry.split()), entries
PYTHON

[ $failures = 0 ]
