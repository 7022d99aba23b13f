#!/bin/bash
# Installs the Debian packages in a bare Debian and tries them: the program, its manual and completion, Python, a C program found
# by pkg-config and CMake, and a removal that leaves nothing. usage: try_debs.sh FOLDER
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
scripts/clean_root.sh make "$work/root"
cp "$folder"/*.deb tests/install/{trial.py,stranger.c,CMakeLists.txt} "$work/root/root/"
# shellcheck disable=SC2016
scripts/clean_root.sh run "$work/root" '
  export DEBIAN_FRONTEND=noninteractive
  install() { apt-get install -y --no-install-recommends "$@" >log 2>&1 || { tail -20 log >&2 && exit 1; }; }
  sed -i "/path-exclude/d" /etc/dpkg/dpkg.cfg.d/* 2>/dev/null || true
  install ./carom_*.deb ./libcarom0_*.deb ./python3-carom_*.deb ./carom-doc_*.deb
  echo "== the program and Python" && python3 -B trial.py
  carom reproduce fio --help >/dev/null && carom examples bell
  echo "== manual, completion, pages"
  zcat /usr/share/man/man1/carom.1.gz | grep -q "SH COMMANDS"
  ls /usr/share/bash-completion/completions/carom /usr/share/zsh/vendor-completions/_carom /usr/share/fish/vendor_completions.d/carom.fish
  ls /usr/share/doc/carom-doc/html/index.html
  echo "== a C program"
  install ./libcarom-dev_*.deb gcc libc6-dev pkg-config cmake make
  gcc stranger.c $(pkg-config --cflags --libs carom) -o stranger && ldd stranger | grep -q libcarom.so.0 && ./stranger
  cmake -S . -B out >log 2>&1 && cmake --build out >>log 2>&1 || { tail -20 log >&2 && exit 1; }
  ./out/stranger && ./out/stranger_shared
  echo "== removal"
  apt-get purge -y carom libcarom0 libcarom-dev python3-carom carom-doc >log 2>&1
  left=$(find / -xdev \( -path /proc -o -path /root \) -prune -o -iname "*carom*" -print | grep -v "^/var/\(lib/dpkg\|log\|cache\)" || true)
  [ -z "$left" ] || { echo "left behind: $left" >&2 && exit 1; }
  echo "packages are well"'
