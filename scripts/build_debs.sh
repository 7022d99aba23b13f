#!/bin/bash
# Debian packages in build-deb/, from a copy of the tree: nothing is written elsewhere. usage: build_debs.sh [JOBS]
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${1:-2}
version=$(sed -n 's/^project(carom VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
copy=build-deb/carom-$version
rm -rf build-deb && mkdir -p "$copy"
# tracked files and new ones, without what is ignored or gone
git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do
  if [ -e "$file" ]; then printf '%s\0' "$file"; fi
done | tar --null -T - -c | tar -x -C "$copy"
# and the page of the lab, where it was built
if [ -e build-lab/lab.html ]; then mkdir "$copy/build-lab" && cp build-lab/{lab.html,stage.js} "$copy/build-lab"; fi
(cd "$copy" && DEB_BUILD_OPTIONS="parallel=$jobs" dpkg-buildpackage -us -uc -b) >build-deb/log 2>&1 ||
  { tail -40 build-deb/log >&2 && exit 1; }
rm -rf "$copy"
lintian --fail-on error,warning --info build-deb/*.changes
ls build-deb/*.deb
