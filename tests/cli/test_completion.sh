#!/bin/bash
# Shells complete what the help tells: commands, options, files of the right kind. usage: test_completion.sh CAROM
set -euo pipefail
carom=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*" >&2 && exit 1; }

for shell in bash zsh fish; do "$carom" help --completion $shell >"$work/$shell"; done
code=0 && "$carom" help --completion csh 2>"$work/err" || code=$?
[ $code = 2 ] && grep -q "bash, zsh or fish" "$work/err" || fail "an unknown shell"

# bash: what it offers for a line of words
offers() {
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
  _carom
  echo "${COMPREPLY[*]}"
}
# shellcheck disable=SC1091
. "$work/bash"
cd "$work"
mkdir kept && touch ball.yaml ball.h5 notes.txt
[ "$(offers carom ru)" = run ] || fail "carom ru: $(offers carom ru)"
[ "$(offers carom run --unt)" = --until ] || fail "run --unt"
[ "$(offers carom run ba)" = ball.yaml ] || fail "run ba: $(offers carom run ba)"
[ "$(offers carom report ba)" = ball.h5 ] || fail "report ba"
[ "$(offers carom run ke)" = kept ] || fail "folders lead on"

seen=0
# every command of the overview, and every option of its help, in all three
for command in $("$carom" --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
  [ "$command" = help ] && continue
  seen=$((seen + 1))
  [[ " $(offers carom "$command") " == *" $command "* ]] || fail "bash does not know $command"
  grep -q "^    $command:" zsh || fail "zsh does not know $command"
  grep -q -- "-a $command " fish || fail "fish does not know $command"
  for option in $("$carom" "$command" --help | sed -n 's/^  --\([a-z-]*\).*/\1/p'); do
    [ "$option" = help ] && continue
    [[ " $(offers carom "$command" --) " == *" --$option "* ]] || fail "bash does not know $command --$option"
    sed -n "/^$command)/,/;;/p" zsh | grep -q -- "--${option}[=:]" || fail "zsh does not know $command --$option"
    grep -q "from $command' -l $option " fish || fail "fish does not know $command --$option"
  done
done

[ $seen -gt 20 ] || fail "only $seen commands were looked at"

if command -v zsh >/dev/null; then zsh -n zsh || fail "zsh"; else echo "zsh is not installed: its script was not tried"; fi
if command -v fish >/dev/null; then
  [ "$(HOME=$work fish -c 'source fish; complete -C"carom conti"' | cut -f1)" = continue ] || fail "fish: carom conti"
  HOME=$work fish -c 'source fish; complete -C"carom run --comp"' | grep -q -- --compliant || fail "fish: run --comp"
else
  echo "fish is not installed: its script was not tried"
fi
echo "completion tells what the help tells"
