#!/bin/bash
# A bare Debian in a folder, to try what was built as on a stranger's machine. Needs root and the network.
# usage: clean_root.sh make FOLDER [PACKAGE...]; the caller removes the folder
#        clean_root.sh run FOLDER SCRIPT
set -euo pipefail
what=$1 folder=$2
shift 2
quietly() { "$@" >"$folder.log" 2>&1 || { tail -20 "$folder.log" >&2 && exit 1; }; }

make_root() {
  local mirror
  . /etc/os-release
  [ "$(id -u)" = 0 ] || { echo "clean_root: only root can make a root" >&2 && exit 1; }
  command -v debootstrap >/dev/null || { echo "clean_root: debootstrap is missing" >&2 && exit 1; }
  mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.{list,sources} 2>/dev/null |
    sed -n 's/^\(URIs:\|deb\) *\(\[[^]]*\] *\)\?\(http[^ ]*\).*/\3/p' | head -1) || true
  quietly debootstrap --variant=minbase "$VERSION_CODENAME" "$folder" ${mirror:+"$mirror"}
  # packages are fetched the way this machine fetches them
  cp /etc/resolv.conf "$folder/etc/resolv.conf" 2>/dev/null || true
  cp /etc/apt/apt.conf.d/* "$folder/etc/apt/apt.conf.d/" 2>/dev/null || true
  [ $# = 0 ] || quietly run_in "DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $*"
  rm -f "$folder.log"
}

# /proc is seen by this command alone, and gone with it; of the environment only the way to the network is handed on
run_in() {
  # shellcheck disable=SC2016
  unshare --mount bash -c 'mount -t proc proc "$1/proc" && exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
    ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} chroot "$1" /bin/bash -euc "cd; $2"' \
    bash "$folder" "$1"
}

case $what in
make) make_root "$@" ;;
run) run_in "$1" ;;
esac
