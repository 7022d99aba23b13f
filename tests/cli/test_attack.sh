#!/bin/bash
# A few of the attacks by chance of scripts/attack.py; by hand many more are tried. usage: test_attack.sh CAROM
set -uo pipefail
carom=$(realpath "$1")
failures=0
attack() { timeout 300 python3 scripts/attack.py "$@" --carom "$carom" --seed 7 || failures=$((failures + 1)); }
attack damage --count 40
attack mutate --count 40 --patience 1
attack kill --count 2
# the sanitizers bring an allocator of their own
if ! grep -q __asan_init "$carom" && ! ldd "$carom" | grep -q 'asan\|tsan'; then attack memory --count 40; fi
[ $failures = 0 ]
