#!/bin/bash
# Files that a command writes: never over what it reads, never through planted links, pipes and devices stay.
# usage: test_outputs.sh CAROM
set -uo pipefail
# shellcheck source=tests/cli/expect.sh
. tests/cli/expect.sh

cat >fall.yaml <<'YAML'
include: ground.yaml
parameters: {a: 1}
coordinates: {y: {start: 1, rate: 0}}
energy: {kinetic: y'^2/2, potential: 9.81*a*y}
forces: {y: 'table("wind.csv", t)'}
observe: {low: min(y)}
run: {until: 0.1, sample: 0.01}
YAML
printf 'title: a fall\n' >ground.yaml
printf '0,0\n1,0\n' >wind.csv
cp fall.yaml scenario.yaml
expect 0 run fall.yaml --out r.h5 --save s.state
mkdir before && cp fall.yaml scenario.yaml ground.yaml wind.csv r.h5 s.state before
ln -s fall.yaml soft.yaml && ln fall.yaml hard.yaml && ln -s . here
printf '0 0\n1 1\n' >r.dat && cp r.dat before

# what is read stays, by whatever name it is called
unchanged() {
  for file in before/*; do cmp -s "$file" "${file#before/}" || { fail "$1: ${file#before/} was changed" && cp "$file" .; }; done
}
refused() {
  expect 2 "$@"
  grep -q "would write over\|would both write\|it is a folder" err || { fail "no reason: carom $*" && cat err; }
  unchanged "carom $*"
}
for name in fall.yaml ./fall.yaml "$PWD/fall.yaml" soft.yaml hard.yaml here/fall.yaml ground.yaml wind.csv; do
  refused run fall.yaml --out "$name"
  refused run fall.yaml --save "$name"
  refused sweep fall.yaml --over a=1,2 --csv "$name"
  refused sweep fall.yaml --over a=1,2 --out "$name"
done
refused run scenario.yaml --csv .
refused run scenario.yaml --csv here
refused run fall.yaml --from s.state --out s.state
refused run fall.yaml --out same.h5 --save ./same.h5
refused run fall.yaml --out before
refused report r.h5 -o r.h5
refused report r.h5 -o here/r.h5
refused plot r.h5 --overlay r.dat
refused plot r.h5 --overlay wind.csv -o wind.csv
refused movie r.h5 -o ./r.h5
expect 0 run fall.yaml --from s.state --save s.state --until 0.2
cp s.state before

# links that somebody has planted are not followed
printf 'precious\n' >precious
ln -s precious out.h5.tmp && ln -s precious out.state.tmp && ln -s precious t.csv.tmp && ln -s precious new.yaml.tmp
expect 0 run fall.yaml --out out.h5 --save out.state
expect 0 sweep fall.yaml --over a=1,2 --csv t.csv
ln -s precious j.csv.journal
expect 1 sweep fall.yaml --over a=1,2 --csv j.csv
ln -s precious link.h5
expect 0 run fall.yaml --out link.h5
[ "$(cat precious)" = precious ] || fail "a link was followed"
[ ! -L link.h5 ] || fail "the link is still there"

# pipes and devices are written into or refused, never replaced
mkfifo pipe
timeout 10 cat pipe >piped.csv &
expect 0 sweep fall.yaml --over a=1,2 --csv pipe
wait
[ -p pipe ] && cmp -s t.csv piped.csv || fail "the pipe"
expect 2 run fall.yaml --out pipe
[ -p pipe ] || fail "the pipe was replaced"
expect 0 sweep fall.yaml --over a=1,2 --csv /dev/null
expect 0 run fall.yaml --save /dev/null
[ -c /dev/null ] || fail "/dev/null was replaced"
"$carom" sweep fall.yaml --over a=1,2 --csv /dev/stdout --quiet >stdout.csv 2>err || fail "to standard output"
[ -L /dev/stdout ] && cmp -s t.csv stdout.csv || fail "the table on standard output"

# a full disk, and a limit on the size of files: an error, and no half of a file
for blocks in 1 20 100; do
  (ulimit -f $blocks && exec "$carom" run "$root/scenarios/frictional_impact_oscillator.yaml" --out full.h5 --quiet) >out 2>err
  code=$?
  [ $code = 1 ] && grep -q "cannot write" err || { fail "a full disk: exit $code" && cat err; }
  (ulimit -f $blocks && exec "$carom" sweep fall.yaml --over a=1:2:200 --csv full.csv --out full.h5 --quiet) >out 2>err
  code=$?
  [ $code = 1 ] && grep -q "cannot write" err || [ $blocks = 100 ] || { fail "a sweep on a full disk: exit $code" && cat err; }
  [ $code = 0 ] || [ ! -e full.h5 ] || fail "half a file on a full disk"
  rm -f full.*
done

# names that look like options, addresses, formulas or markup are names
if command -v ffmpeg >/dev/null; then
  printf 'shapes: [{circle: [0, y], radius: 0.1}]\ninclude: fall.yaml\n' >drawn.yaml
  expect 0 run drawn.yaml --out drawn.h5
  expect 0 movie drawn.h5 --seconds 0.2 --width 64 --height 64 -o -y.gif
  expect 0 movie drawn.h5 --seconds 0.2 --width 64 --height 64 -o http:x.gif
  [ -s ./-y.gif ] && [ -s http:x.gif ] || fail "a movie called -y.gif"
fi
if command -v gnuplot >/dev/null; then
  expect 0 plot r.h5 -o -p.svg
  [ -s ./-p.svg ] || fail "a picture called -p.svg"
  expect 0 plot r.h5 --title 'a_{b}^{c}' -o markup.svg
  grep -q 'a_{b}^{c}' markup.svg || fail "markup in a title"
fi
printf 'include: fall.yaml\nregimes: {"=cmd": low < 5}\n' >formula.yaml
expect 2 run formula.yaml && contains err "cannot be the name of a regime"

# nothing is left over
rm -f ./*.tmp
ls -d ./*.tmp* >/dev/null 2>&1 && fail "temporary files are left: $(ls -d ./*.tmp*)"
[ $failures = 0 ]
