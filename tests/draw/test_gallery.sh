#!/bin/bash
# The gallery of studies: pages with tables, verdicts, reasons and figures; what still holds is not computed again.
set -uo pipefail
program=$1
scenarios=$PWD/scenarios
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
fail() { echo "FAILED: $*" && failures=$((failures + 1)); }
if ! command -v gnuplot >/dev/null; then echo "skipped: gnuplot is not installed" && exit 77; fi

mkdir studies scenarios
cp "$scenarios/bouncing_ball.yaml" scenarios/
cat >studies/ball.yaml <<'Y'
title: A ball <falls>
paper: "G. Galilei: Discorsi"
about: Bodies fall.
scenario: ../scenarios/bouncing_ball.yaml
lines:
  - {id: falls, paper: "day 3", what: "the ball rests in the end", observable: y, expected: 0, tolerance: 1.0e-9}
  - {id: wrong, paper: "day 4", what: "a misprint", observable: height, expected: 2, tolerance: 0.1,
     converged: {value: 1, tolerance: 1.0e-6}, explained: "it is let go at 1 m & not higher"}
  - {id: long, paper: "day 5", what: "takes long", observable: y, expected: 0, tolerance: 1.0e-9, only: full}
figures:
  - {id: bounces, paper: figure 1, caption: "It bounces <less> each time.", make: [run, ../scenarios/bouncing_ball.yaml],
     draw: [history, --of, "y,floor.normal"], page: yes}
  - {id: portrait, paper: figure 2, caption: Portrait, make: [run, ../scenarios/bouncing_ball.yaml, --set, e=0.5], draw: [phase]}
  - {id: heights, paper: figure 3, caption: Heights, make: [run, ../scenarios/bouncing_ball.yaml], vary: [e=0.5, e=0.8 h=0.7],
     draw: [compare, --of, y]}
  - {id: named, paper: figure 4, caption: Named, make: [run, ../scenarios/bouncing_ball.yaml], vary: [e=0.5, e=0.8],
     draw: [compare, --of, y, --labels, "dull,lively"]}
Y
"$program" reproduce studies/ball.yaml --report pages >out.txt 2>err.txt || fail "reproduce --report: $(cat err.txt)"
grep -qx 'open pages/index.html' out.txt || fail "the page to open is not named"
grep -q '^figure ball bounces' err.txt || fail "the figures are not made"
for file in index.html ball.html ball/bounces.svg ball/bounces.html ball/portrait.svg; do [ -s pages/$file ] || fail "no $file"; done
has() { grep -q -- "$2" "pages/$1" || fail "$1 has no '$2'"; }
has index.html 'href="ball.html"'
has index.html '>1 match<'
has index.html '>1 explained<'
has index.html '>4 figures<'
has ball.html 'A ball &lt;falls&gt;'
has ball.html 'why it differs: it is let go at 1 m &amp; not higher'
has ball.html 'full runs only'
has ball.html 'It bounces &lt;less&gt; each time.'
has ball.html 'carom run scenarios/bouncing_ball.yaml --set e=0.5'
has ball.html 'carom run scenarios/bouncing_ball.yaml --set e=0.8 --set h=0.7 --out heights-2.h5'
has ball.html 'carom plot heights.h5 compare --of y --with heights-2.h5'
has ball/heights.svg '>e=0.8 h=0.7<'
has ball/named.svg '>lively<' # labels of its own take the place of the settings
has ball.html 'href="ball/bounces.html"'
python3 - <<'P' || fail "the pages are not well-formed"
import html.parser
class Reader(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.rows = [], 0
    def handle_starttag(self, tag, attributes):
        if tag not in ("meta", "img", "br"): self.open.append(tag)
        self.rows += tag == "tr"
    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (tag, self.open)
        self.open.pop()
for name in ("index", "ball"):
    reader = Reader()
    reader.feed(open(f"pages/{name}.html", encoding="utf-8").read())
    assert not reader.open, reader.open
assert reader.rows == 4, reader.rows
P

# nothing has changed: the same pages without any computation
"$program" reproduce studies/ball.yaml --report pages >again.txt 2>err.txt || fail "second time"
[ ! -s err.txt ] || fail "figures are made again: $(cat err.txt)"
# a scenario has changed: everything is computed again, and the verdict with it
sed -i "s/  h: 1 /  h: 2 /" scenarios/bouncing_ball.yaml
cmp -s scenarios/bouncing_ball.yaml "$scenarios/bouncing_ball.yaml" && fail "the test does not change the scenario"
"$program" reproduce studies/ball.yaml --report pages >changed.txt 2>err.txt
grep -q '^figure ball bounces' err.txt || fail "a figure of a changed scenario is not made again"
has index.html '>1 fail<'
# another study joins the index
sed 's/^title.*/title: Second/' studies/ball.yaml >studies/second.yaml
"$program" reproduce studies/second.yaml --report pages >/dev/null 2>&1
has index.html 'href="ball.html"'
has index.html 'href="second.html"'
# a figure that fails says so on its page
sed 's/draw: \[phase\]/draw: [phase, --of, "nothing,y"]/; s/^title.*/title: Third/' studies/ball.yaml >studies/third.yaml
sed -i "s/  h: 2 /  h: 1 /" scenarios/bouncing_ball.yaml
"$program" reproduce studies/third.yaml --report pages >/dev/null 2>err.txt
[ $? = 1 ] || fail "a missing figure does not count"
grep -q 'study third: figure portrait is missing' err.txt || fail "the missing figure is not named"
has third.html 'failed to draw the figure'

# refused TEXT: a study whose figures are wrong, at its place
refused() {
  local code=0
  "$program" reproduce studies/bad.yaml --report pages >/dev/null 2>err.txt || code=$?
  [ $code = 2 ] || fail "a bad figure: exit $code"
  grep -q "bad.yaml:[0-9]*:[0-9]*: .*$1" err.txt || { cat err.txt && fail "no '$1'"; }
}
sed 's/make: \[run, /make: [rm, /' studies/ball.yaml >studies/bad.yaml
refused "a figure needs 'make'"
sed 's/draw: \[phase\]/draw: [phase, --out, x.svg]/' studies/ball.yaml >studies/bad.yaml
refused "decided by the gallery"
sed 's/page: yes/pages: yes/' studies/ball.yaml >studies/bad.yaml
refused "no key 'pages'"
sed 's/vary: \[e=0.5, /vary: [a=1, a=1, a=1, a=1, a=1, a=1, a=1, a=1, /' studies/ball.yaml >studies/bad.yaml
refused "up to 8 runs"
[ $failures = 0 ]
