#!/bin/bash
# The same bits, of more: scenarios that take long, 200 random ones, longer sweeps, diagrams and basins; in node, in a real browser, and
# of a simulator that was compiled without vectors of the browser (SIMD); texts that mean harm; and ten minutes of clicks by chance. usage: all_bits.sh CAROM
set -euo pipefail
carom=$1 folder=build-lab
if [ ! -d $folder ]; then echo "the lab is not built: make lab" && exit 77; fi
scripts/build_lab.sh 2
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
slow="scenarios/brick_wall.yaml scenarios/violin_string.yaml scenarios/dominoes_rough.yaml scenarios/dominoes.yaml
  scenarios/spring_block_chain.yaml scenarios/euler_disc.yaml scenarios/rods_pile.yaml@run.until=0.01 scenarios/rods_annulus.yaml@run.until=0.02"
random=$(/usr/bin/python3 -B tests/lab/invent_files.py 200 1 "$made")
common=$(ls scenarios/*.yaml | grep -Ev 'rods_(2d|annulus|pile)|brick_wall|violin|dominoes|spring_block|euler_disc')
# shellcheck disable=SC2086
{
  node web/test/bits.mjs $folder/lab.wasm "$carom" $slow $random
  node web/test/answers.mjs $folder/lab.wasm "$carom" long
  if command -v chromium >/dev/null; then
    node web/test/browser_bits.mjs "$carom" "$made" long $common $random
    node web/test/space.mjs "$carom" "$made" scenarios/tippe_top.yaml scenarios/euler_disc.yaml
    node web/test/hostile.mjs "$carom" "$made" tests/fuzz/scenario
    node web/test/use.mjs "$carom" "$made" 600 2
  else echo "there is no Chromium"; fi
  scripts/build_lab.sh 2 without-simd
  ! cmp -s $folder/lab.wasm $folder-plain/lab.wasm || { echo "both simulators are the same" && exit 1; }
  node web/test/bits.mjs $folder-plain/lab.wasm "$carom" $common $random
  node web/test/answers.mjs $folder-plain/lab.wasm "$carom"
}
