#!/bin/bash
# Holds the sources to the plan of the house: a room includes only the rooms that the table in
# docs/ARCHITECTURE.md allows it, no file outgrows 800 lines, file names are unique, every header is
# guarded, every public header is in carom.h. Prints each finding; exit 1 when there is one.
set -euo pipefail
cd "$(dirname "$0")/.."
findings=0
finding() { echo "house: $1" && findings=$((findings + 1)); }

# "| `src/ode/` | what | base |" becomes the line "ode: base"
rooms=$(sed -n 's/^| `src\/\([a-z]*\)\/` |.*| \([a-z, –-]*\) |$/\1: \2/p' docs/ARCHITECTURE.md | tr -d ',')
[ -n "$rooms" ] || finding "docs/ARCHITECTURE.md has no table of rooms"

for folder in src/*/; do
  room=$(basename "$folder")
  files=$(find "$folder" -name '*.[ch]')
  [ -n "$files" ] || continue
  if ! allowed=$(grep "^$room: " <<<"$rooms"); then
    finding "src/$room is not in the table of rooms"
    continue
  fi
  while IFS=: read -r file line included; do
    other=$(sed 's/.*"\([a-z]*\)\/.*/\1/' <<<"$included")
    case " $room carom ${allowed#*: } " in
      *" $other "*) ;;
      *) finding "$file:$line: $room may not use $other (allowed: ${allowed#*: })" ;;
    esac
  done < <(grep -n '^#include "[a-z]*/' $files /dev/null || true)
done

while read -r file; do
  lines=$(wc -l <"$file")
  [ "$lines" -le 800 ] || finding "$file has $lines lines, more than 800: split it"
  head -1 "$file" | grep -qx '// SPDX-License-Identifier: MIT' || finding "$file does not start with the licence line"
done < <(scripts/sources.sh)
while read -r name; do
  finding "more than one file is called $name"
done < <(find src -name '*.[ch]' -printf '%f\n' | sort | uniq -d)
# models and simulations take memory from the allocator they were given
while read -r place; do
  finding "$place takes memory from malloc, not from the arena"
done < <(grep -nE '\b(malloc|calloc|realloc|strdup|aligned_alloc)\(' src/{symbolic,ode,scenario,model,contact,impact,field}/*.c src/base/*.c |
  grep -Ev '^src/base/(arena|pool|platform_(posix|browser))\.c:' | cut -d: -f1,2)
# The operating system is behind src/base/platform.h. Exceptions: machine code needs pages that may be executed (symbolic/native.c, left
# out where there is no x86-64 Unix); the program and its files (record, draw, cli) also know descriptors, processes, signals and
# terminals, but no threads, clocks or libraries of the system, Ctrl-C's deadline (cli/progress.c) apart.
while read -r place; do
  finding "$place includes a header of the system: src/base/platform.h stands before it"
done < <(
  {
    grep -nE '#include <(pthread|threads|sched|time|dlfcn|semaphore)\.h>' src/*/*.[ch] | grep -v '^src/cli/progress.c:'
    grep -nE '#include <(unistd|fcntl|dirent|signal|poll|spawn|(sys|linux)/[a-z]*)\.h>' src/*/*.[ch] |
      grep -vE '^src/(record|draw|cli)/|^src/symbolic/native.c:'
  } | grep -Ev '^src/base/platform_(posix|browser).c:' | cut -d: -f1,2
)
for header in include/carom/*.h; do
  name=$(basename "$header")
  [ "$name" = carom.h ] || grep -q "\"carom/$name\"" include/carom/carom.h || finding "carom.h does not include $name"
done

[ $findings = 0 ]
