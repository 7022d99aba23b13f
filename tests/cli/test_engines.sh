#!/bin/bash
# Every analysis on bodies in fields and on rods: it works, or says why not.
# usage: test_engines.sh PROGRAM (from the repository root)
set -uo pipefail
carom=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
fail() { echo "FAILED: $1" && failures=$((failures + 1)); }
field=(scenarios/field_block.yaml --set run.until=0.6)
rods=(scenarios/rods_2d_r1.yaml --set run.until=0.02 --set measure.after=0)

works() { # works EXPRESSION COMMAND...: of its JSON object as `it`
  local wanted=$1
  shift
  "$carom" "$@" --json > "$work/out" 2> "$work/err" || fail "$*: $(cat "$work/err")"
  python3 -c "import json, math; it = json.load(open('$work/out')); assert $wanted, it" || fail "$*"
}
refuses() { # refuses EXIT TEXT COMMAND...
  local code=$1 text=$2
  shift 2
  "$carom" "$@" > "$work/out" 2> "$work/err"
  [ $? = "$code" ] || fail "$*: not exit $code"
  grep -qF -- "$text" "$work/err" || fail "$*: no '$text' but $(cat "$work/err")"
}

works "[round(r['observables']['bounces']) for r in it['rows']] == [4, 4]" sweep "${field[@]}" --over d0=0.02,0.0201
refuses 2 "at the start the body reaches" run "${field[@]}" --set angle=0.1*pi --out "$work/below.h5"
[ ! -e "$work/below.h5" ] || fail "a run that cannot start left a file"
refuses 2 "body.mass_factor is no longer positive at t = 2.5" run scenarios/field_ceiling.yaml --set growth=-2 --out "$work/light.h5"
[ ! -e "$work/light.h5" ] || fail "a run without mass left a file"
works "it['points'] == 6 and it['failed'] == 0" bifurcate "${field[@]}" --over d0=0.02:0.0202:3 --both --keep 2 --observe y
works "it['points'] == 3 and it['failed'] == 0" bifurcate "${field[@]}" --over d0=0.02:0.0202:3 --fresh --keep 2
works "sum(r['points'] for r in it['regions']) == 4 and it['failed'] == 0" map "${field[@]}" --over d0=0.02,0.0201 --over v0=0.01,0.02
works "sum(a['points'] for a in it['attractors']) == 4" basin "${field[@]}" --over y=0.53,0.54 --over theta=0,0.01 --observe swing
works "abs(it['period'] - 0.143473) < 1e-6 and not it['word_fixed']" orbit "${field[@]}"
works "abs(it['sum'] + 15) < 1e-4" lyapunov "${field[@]}" --set alpha_d=1e4 --time 0.4
refuses 1 "soft or in space" orbit scenarios/field_soft_cylinder.yaml --set run.until=0.01 --near 0.1
refuses 1 "soft or in space" lyapunov scenarios/field_cube_corner.yaml --set run.until=0.01

# all that can be seen of a bed is named once, with its value or as one of those that are 0
"$carom" check "${rods[@]}" > "$work/out" || fail "check"
for name in z mean_tilt strikes phase_12 flights_8 tilt_1 ring_12; do
  [ "$(grep -ow -- "$name" "$work/out" | wc -l)" = 1 ] || fail "check names $name not once: $(cat "$work/out")"
done
grep -q '^  0 so far .* strikes ' "$work/out" || fail "check: strikes before the first one"
works "it['failed'] == 0 and all(math.isfinite(r['observables']['drift']) for r in it['rows'])" sweep "${rods[@]}" --over Gamma=3,3.3
works "sum(r['points'] for r in it['regions']) == 4 and it['failed'] == 0" map "${rods[@]}" --over Gamma=3,3.3 --over mu=0.3,0.2
"$carom" map "${rods[@]}" --set 'regimes={}' --over Gamma=3,3.3 --over mu=0.3,0.2 > "$work/out" 2> "$work/err" || fail "map without regimes"
grep -q "name motions under 'regimes'" "$work/err" || fail "a chart of nameless motions: $(cat "$work/err")"
works "sum(a['points'] for a in it['attractors']) == 2" basin "${rods[@]}" --over start.spread=0.05,0.1 --observe drift
refuses 2 "beds of rods have no sections: carom sweep" bifurcate "${rods[@]}" --over Gamma=3,3.3
refuses 1 "compare steps with carom sweep" converge "${rods[@]}"
refuses 1 "engine 'grains' cannot start a motion at a given state" orbit "${rods[@]}"
refuses 1 "engine 'grains' cannot start a motion at a given state" continue "${rods[@]}" --over Gamma=3:3.3
refuses 1 "engine 'grains' has no tangent dynamics and cannot start a motion at a given state" lyapunov "${rods[@]}"

[ $failures = 0 ] && echo "all passed"
exit $((failures > 0))
