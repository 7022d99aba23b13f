#!/bin/bash
# The same bits in analyses: see golden.sh.
. "$(dirname "$0")/golden.sh"
compare_with golden_analyses.txt
[ $failures = 0 ]
