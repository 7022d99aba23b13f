#!/bin/bash
# Installs the build into a fresh prefix, moves it, and builds a program outside the tree with it:
# through pkg-config (shared and static) and through find_package. usage: test_install.sh CMAKE BUILD CC
set -euo pipefail
cmake=$1 build=$2 compiler=$3
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$cmake" --install "$build" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/prefix" # an installed tree can be moved
cp "$here"/stranger.c "$here"/CMakeLists.txt "$work"
cd "$work"

pc=$(find prefix -name carom.pc)
libraries=$(cd "$(dirname "$pc")/.." && pwd)
export PKG_CONFIG_PATH=$libraries/pkgconfig LD_LIBRARY_PATH=$libraries
warnings="-std=c17 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror"

# every public header stands alone
for header in prefix/include/carom/*.h; do
  echo "#include <carom/$(basename "$header")>" >alone.c
  "$compiler" $warnings $(pkg-config --cflags carom) -fsyntax-only alone.c
done

echo "pkg-config, shared:"
"$compiler" $warnings stranger.c $(pkg-config --cflags --libs carom) -o by_pkg_config
readelf -d by_pkg_config | grep -q 'NEEDED.*libcarom\.so'
./by_pkg_config

echo "pkg-config, static:"
rm -rf static && mkdir static && cp "$libraries"/libcarom.a static
"$compiler" $warnings stranger.c $(pkg-config --cflags carom) static/libcarom.a \
  $(pkg-config --static --libs carom | sed 's/-lcarom//') -o by_pkg_config_static
env -u LD_LIBRARY_PATH ./by_pkg_config_static

echo "find_package:"
"$cmake" -S . -B out -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_C_COMPILER="$compiler" >/dev/null
"$cmake" --build out >/dev/null
env -u LD_LIBRARY_PATH ./out/stranger
env -u LD_LIBRARY_PATH ./out/stranger_shared

# the library shows the public interface and nothing else
if nm -D --defined-only "$libraries"/libcarom.so | awk '{print $3}' | grep -v '^carom_'; then
  echo "the shared library exports names that are not carom_*" >&2
  exit 1
fi

# the program, where it was built
if [ -x prefix/bin/carom ]; then ./prefix/bin/carom --version; fi
echo "installed library found by both"
