#!/bin/bash
# The page of the lab in a real browser. usage: test_lab_page.sh CAROM
set -euo pipefail
if [ ! -d build-lab ]; then echo "the lab is not built: make lab" && exit 77; fi
command -v chromium >/dev/null || { echo "there is no Chromium" && exit 77; }
scripts/build_lab.sh 2
pages=$(mktemp -d)
trap 'rm -rf "$pages"' EXIT
# a page is small enough to be sent by mail
"$1" lab scenarios/bouncing_ball.yaml -o "$pages/ball.html" --quiet
size=$(stat -c %s "$pages/ball.html")
[ "$size" -le 2500000 ] || { echo "the page has $size bytes, more than 2.5 MB" && exit 1; }
node web/test/page.mjs "$1" "$pages"
node web/test/use.mjs "$1" "$pages" 6
