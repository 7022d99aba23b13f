#!/bin/bash
# Nothing that computes may use a function of libm whose bits depend on the machine: glibc chooses among several by what the processor
# has. Functions that IEEE 754 rounds correctly, or that are exact, are allowed. Pictures (src/draw) are not results.
# Nor may anything use a function that keeps a state which all threads share.
# usage: check_imports.sh BUILD_FOLDER
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
exact='sqrt|fma|fabs|floor|ceil|trunc|rint|nearbyint|round|lrint|llrint|lround|llround|fmod|remainder|frexp|ldexp|scalbn|scalbln|modf|copysign'
exact="$exact|fmax|fmin|fdim|nextafter|ilogb|logb|nan|isnan|isinf|finite"
libm=$(nm -D --defined-only "$(gcc -print-file-name=libm.so.6)" | awk '{ sub("@.*", "", $3); print $3 }' | sort -u)
objects=$(find "$build" -path '*src/*.c.o' ! -path '*src/draw/*' ! -path '*/tests/*' ! -path '*/bench/*' | sort)
[ -n "$objects" ] || { echo "check_imports: no objects in $build" >&2 && exit 1; }
found=$(nm -A -u $objects | awk '{ print $NF, $1 }' | sort | join - <(echo "$libm") | grep -Ev "^($exact) " || true)
[ -z "$found" ] || { echo "$found" | sed "s|^\(\S*\) \(.*\):\$|\2: \1 of libm: its bits depend on the machine; src/base/elementary.h has one that does not|" >&2 && exit 1; }
shared='strtok|rand|srand|random|srandom|drand48|localtime|gmtime|asctime|ctime|tmpnam|setlocale|getpwnam'
found=$(nm -A -u $objects | awk '{ print $NF, $1 }' | grep -E "^($shared) " || true)
[ -z "$found" ] || { echo "$found" | sed "s|^\(\S*\) \(.*\):\$|\2: \1 keeps a state that all threads share|" >&2 && exit 1; }
