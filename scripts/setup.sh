#!/bin/bash
# Installs the Debian packages that are missing, and only those.
# usage: setup.sh [--check] GROUP...     groups: build run test lint docs lab pack peers (see packages.txt)
# With --check, or without root and sudo, nothing is installed: it says what is missing and how to get it.
set -euo pipefail
list=${CAROM_PACKAGES:-$(dirname "$0")/packages.txt}

check=no
if [ "${1:-}" = --check ]; then check=yes && shift; fi
groups=" ${*:-build run test lint} "

if ! command -v dpkg-query >/dev/null; then
  echo "setup: not a Debian system, packages not checked; $list names what is needed" >&2
  exit 0
fi

# names of the wanted groups: a line is "name group... # reason"
wanted() {
  local name in_groups group
  while read -r name in_groups; do
    case $name in '' | '#'*) continue ;; esac
    for group in ${in_groups%%#*}; do
      case $groups in *" $group "*) echo "$name" && break ;; esac
    done
  done <"$list"
}

# those of them that dpkg does not know as installed, or provided by an installed package
missing() {
  local installed name
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}, ${Provides}\n' |
    sed -n 's/^installed //p' | tr -d ',' | tr ' ' '\n' | sort -u)
  for name in $(wanted); do
    grep -qxF -- "$name" <<<"$installed" || echo "$name"
  done
}

packages=$(missing | tr '\n' ' ')
packages=${packages% }
if [ -z "$packages" ]; then exit 0; fi

# root, or sudo that works without a person or with one at the terminal
as_root=
if [ "$(id -u)" != 0 ]; then
  as_root=none
  if command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then as_root=sudo; fi
fi

if [ $check = yes ] || [ "$as_root" = none ]; then
  {
    echo "setup: missing packages: $packages"
    echo "setup: install them as root with:"
    echo "  apt-get update && apt-get install --no-install-recommends -y $packages"
  } >&2
  exit 1
fi

echo "setup: installing $packages" >&2
# the package lists are fetched only when apt cannot name a candidate for everything
known() {
  local name
  for name in $packages; do
    apt-cache policy "$name" 2>/dev/null | grep -q 'Candidate: [^(]' || return 1
  done
}
known || $as_root apt-get update -qq
# apt has much to say; it is shown only when something went wrong
log=$(mktemp)
trap 'rm -f "$log"' EXIT
install() {
  $as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -qq -y --no-install-recommends $packages >"$log" 2>&1
}
# lists may be older than the archive: a second try with fresh ones
if ! install; then
  $as_root apt-get update -qq
  install || { cat "$log" >&2 && echo "setup: could not install $packages" >&2 && exit 1; }
fi
