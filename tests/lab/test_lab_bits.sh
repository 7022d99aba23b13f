#!/bin/bash
# Every scenario has the bits of the command line in WebAssembly, and so have the answers of the analyses.
# usage: test_lab_bits.sh CAROM
set -euo pipefail
carom=$1 folder=build-lab
if [ ! -d $folder ]; then echo "the lab is not built: make lab" && exit 77; fi
scripts/build_lab.sh 2 simulator
# the beds of many rods take minutes: their beginnings
short='rods_2d_r0@run.until=0.02 rods_2d_r1@run.until=0.02 rods_2d_theory@run.until=0.02 rods_annulus@run.until=0.005
  rods_annulus_chart@run.until=0.005 rods_annulus_r0@run.until=0.005 rods_annulus_start@run.until=0.005 rods_pile@run.until=0.002'
files=$(ls scenarios/*.yaml | grep -Ev 'rods_(2d|annulus|pile)')
for entry in $short; do files+=" scenarios/${entry/@/.yaml@}"; done
node web/test/bits.mjs $folder/lab.wasm "$carom" $files
node web/test/answers.mjs $folder/lab.wasm "$carom"
node web/test/corpus.mjs $folder/lab.wasm tests/fuzz/scenario
