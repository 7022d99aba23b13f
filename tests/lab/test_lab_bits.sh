#!/bin/bash
# Scenarios have the bits of the command line in WebAssembly, and so have the answers of the analyses. Those that take
# long are run whole by all_bits.sh. usage: test_lab_bits.sh CAROM
set -euo pipefail
carom=$1 folder=build-lab
if [ ! -d $folder ]; then echo "the lab is not built: make lab" && exit 77; fi
scripts/build_lab.sh 2 simulator
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
# only the beginnings of what takes long
short='rods_2d_r0@run.until=0.02 rods_2d_r1@run.until=0.02 rods_2d_theory@run.until=0.02 rods_annulus@run.until=0.005
  rods_annulus_chart@run.until=0.005 rods_annulus_r0@run.until=0.005 rods_annulus_start@run.until=0.005 rods_pile@run.until=0.002
  brick_wall@run.until=0.1 violin_string@run.until=0.05@measure.after=0@measure.over=0.05 dominoes_rough@run.until=0.3 dominoes@run.until=0.5
  euler_disc@run.until=0.2 pile_of_boxes@run.until=0.05 tumbling_drum@run.until=0.02 spring_block_chain@run.until=20@measure.after=0'
files=$(ls scenarios/*.yaml)
for entry in $short; do
  files=$(grep -v "/${entry%%@*}.yaml" <<<"$files")
  files+=$'\n'"scenarios/${entry/@/.yaml@}"
done
# shellcheck disable=SC2086
node web/test/bits.mjs $folder/lab.wasm "$carom" $files $(/usr/bin/python3 -B tests/lab/invent_files.py 24 1 "$made")
node web/test/answers.mjs $folder/lab.wasm "$carom"
node web/test/corpus.mjs $folder/lab.wasm tests/fuzz/scenario
