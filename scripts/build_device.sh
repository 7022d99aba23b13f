#!/bin/bash
# The engine as a program of NVIDIA cards: build-device/carom.ptx, by clang and LLVM alone. Where something is missing it says what, and
# ends with 77. usage: build_device.sh [JOBS]
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${1:-2} folder=build-device
missing() { echo "device: not built: $1" >&2 && exit 77; }
scripts/setup.sh --check device || missing "packages (see above)"
version=14 # typed pointers are asked for below
for tool in clang llvm-link llvm-dis opt llc; do
  command -v $tool-$version >/dev/null || missing "$tool-$version is not installed"
done
[ -f build/include/carom/version.h ] || missing "make build comes first"
rm -rf $folder/ir && mkdir -p $folder/ir

# headers of the C library are those of this machine; clang has no functions of its own for a card
compile() {
  clang-14 --target=nvptx64-nvidia-cuda -D__x86_64__ -D__LP64__ -DCAROM_DEVICE -DNDEBUG -include src/device/thread.h -march=sm_70 \
    -Os -fno-unroll-loops -std=c17 -ffp-contract=off -fno-math-errno -fno-trapping-math -fno-vectorize -fno-slp-vectorize -w \
    $([[ "$1" = src/device/thread_lib.c ]] && echo -fno-builtin) \
    -Iinclude -Isrc -Ibuild/include -I/usr/include/x86_64-linux-gnu -c -emit-llvm "$1" -o "$2/ir/$(basename "$1" .c).bc"
}
export -f compile
scripts/device_sources.sh card | xargs -P "$jobs" -I{} bash -c "compile {} $folder"

llvm-link-$version $folder/ir/*.bc -o $folder/all.bc
llvm-dis-$version $folder/all.bc -o $folder/all.ll
# C has no word for where a card begins
sed -i -E 's/^define (dso_local )?void @carom_entry_/define ptx_kernel void @carom_entry_/' $folder/all.ll
# what the driver asks for, what the programs of a model call, and what copies bytes
entries=$(grep -oE '^define [^@]*@(carom_entry_[a-z]+|carom_called_[a-z0-9_]+|carom_thread_(copy|fill))\(' $folder/all.ll | sed 's/.*@//;s/($//' | paste -sd,)
opt-$version -internalize -internalize-public-api-list="$entries" -globaldce -Os -inline-threshold=25 -vectorize-loops=false -vectorize-slp=false -globaldce -S \
  $folder/all.ll -o $folder/carom.ll
left=$(grep -E '^declare' $folder/carom.ll | grep -v '@llvm\.' || true)
[ -z "$left" ] || { echo "device: these have no body: $left" >&2 && exit 1; }
# copies of more than a few words, which llc writes byte by byte
size='i64 (noundef )?(%[^,]*|[0-9]{4,}|[2-9][0-9]{2}|1[3-9][0-9]|129), i1 false\)'
sed -i -E "/@llvm.memcpy.p0i8.p0i8.i64\(.* $size/ s/@llvm.memcpy.p0i8.p0i8.i64\((.*), i1 false\)/@carom_thread_copy(\1)/
  /call .*@llvm.memset.p0i8.i64\(.* $size/ s/@llvm.memset.p0i8.i64\((.*), i1 false\)/@carom_thread_fill(\1)/" $folder/carom.ll
# llc writes copies as it should only where it does not save room
sed -i -E '/^attributes/ s/ (optsize|minsize)/ "short"/' $folder/carom.ll
llc-$version -march=nvptx64 -mcpu=sm_70 -mattr=+ptx70 -O3 --fp-contract=off $folder/carom.ll -o $folder/carom.ptx
rm -r $folder/ir $folder/all.bc $folder/all.ll
