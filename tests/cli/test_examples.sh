#!/bin/bash
# The commands that find and copy examples; what they show is checked by tests/examples. usage: test_examples.sh CAROM
set -uo pipefail
# shellcheck source=tests/cli/expect.sh
. tests/cli/expect.sh
examples="$root/scenarios"

# finding and copying
expect 0 examples && contains out "den_hartog" && contains out "Den Hartog's oscillator"
expect 0 examples BURRIDGE && contains out "spring_block_chain"; grep -q den_hartog out && fail "all were listed"
grep -q disc_ball_case out && fail "scenarios of studies are no examples to start from"
expect 0 examples --all && contains out "disc_ball_case1"
expect 0 examples den_hartog && contains out "Source: Den Hartog" && contains out "carom run FILE --set P=3"
expect 0 examples disc_ball_case1 && contains out "disc_ball_case1"
expect 0 examples walker --json && json 'any(e["name"] == "simplest_walker" for e in d["examples"])'
expect 2 examples qqqqq && contains err "no example speaks of 'qqqqq'"
expect 0 new mine --from den_hartog && cmp -s mine.yaml "$examples/den_hartog.yaml" || fail "the copy differs"
expect 2 new mine --from den_hartog && contains err "exists already"
expect 2 new other --from nonsense && contains err "is no example; 'carom examples' lists them"
expect 2 new other --from den_hartok && contains err "did you mean 'den_hartog'?"
mkdir folder && expect 0 new folder/shaken --from spring_mass_table && expect 0 check folder/shaken.yaml
cmp -s folder/spring_mass_table.csv "$examples/spring_mass_table.csv" || fail "its table was not copied"
echo mine >folder/frictional_impact_oscillator.yaml
expect 0 new folder/wipes --from wiper && contains folder/frictional_impact_oscillator.yaml mine
[ $failures = 0 ]
