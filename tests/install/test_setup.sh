#!/bin/bash
# The set-up script against made-up package lists; nothing is installed. usage: test_setup.sh SETUP
set -euo pipefail
setup=$1
command -v dpkg-query >/dev/null || exit 0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CAROM_PACKAGES=$work/packages.txt
unset DEBIAN_FRONTEND

fail() { echo "test_setup: $1" >&2 && exit 1; }

cat >"$CAROM_PACKAGES" <<'LIST'
# a comment, then an empty line

dpkg               build       # always there
carom-no-such-a    build test  # never there
carom-no-such-b    test        # never there
carom-no-such-c    lint        # never there, must not be asked for
LIST

# what is missing is named, once, with the command; what is there is not
status=0
bash "$setup" --check build test 2>"$work/said" || status=$?
[ $status = 1 ] || fail "exit $status, expected 1"
grep -qx 'setup: missing packages: carom-no-such-a carom-no-such-b' "$work/said" || fail "wrong list: $(cat "$work/said")"
grep -q 'apt-get install .* carom-no-such-a carom-no-such-b$' "$work/said" || fail "no command given"

# without root and sudo it only says so: a person without rights, played by a false `id`
mkdir "$work/bin"
printf '#!/bin/sh\necho 1000\n' >"$work/bin/id"
printf '#!/bin/sh\nexit 1\n' >"$work/bin/sudo"
printf '#!/bin/sh\necho "apt-get was called" >&2\nexit 9\n' >"$work/bin/apt-get"
chmod +x "$work"/bin/*
status=0
PATH=$work/bin:$PATH bash "$setup" lint 2>"$work/said" </dev/null || status=$?
[ $status = 1 ] || fail "exit $status without root, expected 1"
grep -qx 'setup: missing packages: carom-no-such-c' "$work/said" || fail "wrong list without root: $(cat "$work/said")"

# as root the missing ones and no others go to apt-get, which is told not to ask
printf '#!/bin/sh\necho 0\n' >"$work/bin/id"
printf '#!/bin/sh\necho "$DEBIAN_FRONTEND $*" >>"%s/called"\n' "$work" >"$work/bin/apt-get"
PATH=$work/bin:$PATH bash "$setup" build 2>/dev/null
grep -qx ' *update -qq' "$work/called" || fail "lists not fetched: $(cat "$work/called")"
grep -qx 'noninteractive install -qq -y --no-install-recommends carom-no-such-a' "$work/called" || fail "called $(cat "$work/called")"

# nothing missing: silent, and no apt-get
rm "$work/called"
echo 'dpkg build # there' >"$CAROM_PACKAGES"
[ -z "$(PATH=$work/bin:$PATH bash "$setup" build 2>&1)" ] || fail "not silent when all is there"
[ ! -e "$work/called" ] || fail "apt-get called for nothing"
