#!/bin/bash
# Every static check, with no finding allowed: layout, plan of the house, sizes of structs, clang-tidy, cppcheck, types of the Python package.
# usage: lint.sh [JOBS] [deep]: deep adds clang's path-sensitive analyser, which takes a few seconds a file
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${1:-2}
checks=--checks=-clang-analyzer-*
if [ "${2:-}" = deep ]; then checks=--checks=; fi
failed=
step() { # step NAME COMMAND...: all checks run, so that one finding does not hide another
  local name=$1 start=$SECONDS
  shift
  if "$@"; then echo "lint: $name ok ($((SECONDS - start)) s)"; else failed="$failed $name"; fi
}

layout() { scripts/sources.sh | xargs clang-format --dry-run -Werror; }

# the compile commands of the clang build name every file that is compiled
tidy() {
  { cmake --preset clang && cmake --build --preset clang -j "$jobs" --target carom_program; } >/dev/null || { echo "lint: the clang build fails" >&2 && return 1; }
  sed -n 's/^ *"file": "\(.*\)",\{0,1\}$/\1/p' build-clang/compile_commands.json | sort -u |
    xargs -P "$jobs" -n 4 clang-tidy -p build-clang --quiet "$checks" 2> >(grep -v 'warnings generated\|^Suppressed\|^Use -header' >&2)
}

check() {
  mkdir -p build-clang/cppcheck
  # one compiler and one machine: else each file is read once for every name that some header asks for
  cppcheck --quiet -j "$jobs" --cppcheck-build-dir=build-clang/cppcheck --std=c11 --error-exitcode=1 --max-configs=12 \
    -D__GNUC__=12 -D__x86_64__ -D__unix__ -U__clang__ -U__cplusplus \
    --enable=warning,performance,portability --inline-suppr --suppressions-list=scripts/cppcheck.txt \
    -I include -I src -I build-clang/include src
}

step format layout
step house scripts/check_house.sh
step structs scripts/check_structs.py
step clang-tidy tidy
step cppcheck check
step imports scripts/check_imports.sh build-clang
step types /usr/bin/python3 -m mypy --config-file python/pyproject.toml --no-error-summary --cache-dir=/dev/null python/carom
# the page of the lab, where its packages were fetched (make lab)
page() { web/node_modules/.bin/tsc -p web && (cd web && node_modules/.bin/eslint .); }
if [ -x web/node_modules/.bin/eslint ]; then step web page; else echo "lint: web passed over: make lab fetches its packages"; fi
if [ -n "$failed" ]; then echo "lint: findings in$failed" >&2 && exit 1; fi
