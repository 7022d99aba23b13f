#!/bin/bash
# The same bits in runs, with every event, and in the equations that are derived: see golden.sh.
. "$(dirname "$0")/golden.sh"
compare_with golden_runs.txt
[ $failures = 0 ]
