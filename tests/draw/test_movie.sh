#!/bin/bash
# Movies: MP4 and GIF of motions in the plane and in space; the pictures move; wrong requests are refused.
set -uo pipefail
program=$1
scenarios=$PWD/scenarios
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
fail() { echo "FAILED: $*" && failures=$((failures + 1)); }

"$program" run "$scenarios/bouncing_ball.yaml" --out ball.h5 --quiet || fail "run"
"$program" run "$scenarios/field_cube_corner.yaml" --until 1 --out cube.h5 --quiet || fail "run"
"$program" run "$scenarios/relief_valve.yaml" --out plain.h5 --quiet || fail "run"

# refused EXIT TEXT WORDS...
refused() {
  local code=$1 text=$2 got=0
  shift 2
  "$program" movie "$@" >out.txt 2>err.txt || got=$?
  [ $got = "$code" ] || fail "movie $*: exit $got, not $code"
  grep -q -- "$text" err.txt || { cat err.txt && fail "movie $*: no '$text'"; }
}
"$program" sweep "$scenarios/pendulum.yaml" --over L=0.5:1:2 --set run.until=1 --out tables.h5 --quiet
refused 2 "holds tables" tables.h5
refused 2 "NAME.mp4 or NAME.gif" ball.h5 -o ball.avi
refused 2 "even" ball.h5 --width 301
(PATH=/nowhere "$program" movie ball.h5 2>err.txt) && fail "a movie without ffmpeg"
grep -q "ffmpeg is not installed" err.txt || fail "a missing ffmpeg is not named"

if ! command -v ffmpeg >/dev/null; then
  echo "skipped: ffmpeg is not installed, no movie was made"
  [ $failures = 0 ] && exit 77
  exit 1
fi
# frames FILE: how many pictures there are, and how many of them differ
frames() { ffmpeg -v error -i "$1" -f framemd5 - 2>/dev/null | grep -v '^#' | sed 's/.*, //' | sort | uniq -c | awk '{n += $1} END {print n, NR}'; }
"$program" movie ball.h5 --seconds 2 --width 160 --height 120 >out.txt || fail "movie"
grep -qx ball.mp4 out.txt || fail "the name of the movie is not printed"
read -r total different < <(frames ball.mp4)
[ "$total" = 50 ] || fail "the movie has $total pictures, not 50"
[ "$different" -gt 30 ] || fail "only $different pictures differ"
"$program" movie cube.h5 --seconds 1 --rate 10 --width 160 --height 120 -o cube.gif --quiet || fail "gif"
read -r total different < <(frames cube.gif)
[ "$total" = 10 ] || fail "the GIF has $total pictures, not 10"
[ "$different" -gt 5 ] || fail "only $different pictures of the GIF differ"
# a camera that follows shows other pictures; beads and symbols are painted too
"$program" movie ball.h5 --seconds 2 --width 160 --height 120 --follow -o follow.mp4 --quiet || fail "follow"
cmp -s ball.mp4 follow.mp4 && fail "a camera that follows shows the same"
"$program" run "$scenarios/lorenz.yaml" --until 5 --set 'shapes=[]' --out beads.h5 --quiet || fail "run"
"$program" movie beads.h5 --seconds 1 --rate 10 --width 320 --height 240 -o beads.gif --quiet || fail "beads"
read -r total different < <(frames beads.gif)
[ "$different" -gt 8 ] || fail "only $different pictures of beads differ"
[ $failures = 0 ]
