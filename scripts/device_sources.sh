#!/bin/bash
# The sources that a thread of a card takes part in, one a line, and some more: what no entry reaches falls away when they are linked.
# usage: device_sources.sh card|here     card: with what a card lacks; here: for this processor (tests/device/card_here.c)
set -euo pipefail
cd "$(dirname "$0")/.."
ls src/base/{eigen,elementary_*,interval_functions,linear,random}.c src/symbolic/{graph,number,operation,program,table}.c \
  src/symbolic/program_{bounds,formulas,run}.c src/scenario/load.c src/{convex,ode,model,engine,contact,impact,hybrid,friction}/*.c |
  grep -Ev '/(tangent.*|leg_.*|motion_lanes|mirror|equilibrium|common_shift|derive_text|hybrid_scene|variation.*)\.c$'
ls src/device/thread.c src/device/thread_left.c
if [ "$1" = card ]; then ls src/device/thread_{codes,entries,lib}.c; fi
