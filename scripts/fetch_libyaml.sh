#!/bin/bash
# Puts libyaml's sources, from Debian's source package, into a folder. The list of sources is a private one: the system's is not
# touched. usage: fetch_libyaml.sh FOLDER
set -euo pipefail
folder=$1
if [ -e "$folder/src/parser.c" ]; then exit 0; fi
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
mkdir -p "$work/lists/partial"
# the archives that the system has, asked for sources
{
  cat /etc/apt/sources.list.d/*.sources 2>/dev/null | sed 's/^Types:.*/Types: deb-src/' || true
} >"$work/private.sources"
{ sed -n 's/^deb /deb-src /p' /etc/apt/sources.list 2>/dev/null || true; } >"$work/private.list"
list=$work/private.sources
if [ ! -s "$list" ]; then list=$work/private.list; fi
apt=(apt-get -qq -o "Dir::Etc::sourcelist=$list" -o Dir::Etc::sourceparts=/dev/null -o "Dir::State::lists=$work/lists" -o APT::Sandbox::User=root)
cd "$work"
"${apt[@]}" update
"${apt[@]}" source --download-only libyaml >/dev/null
tar xzf libyaml_*.orig.tar.gz -C "$folder" --strip-components=1
