#!/bin/bash
# Tries the wheel in a bare Debian that has Python, cffi and NumPy but neither libyaml nor HDF5. usage: try_wheel.sh WHEEL
set -euo pipefail
cd "$(dirname "$0")/.."
wheel=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# a venv that sees the two packages which pip would fetch
scripts/clean_root.sh make "$work/root" python3-venv python3-cffi python3-numpy
cp "$wheel" tests/install/trial.py "$work/root/root/"
# shellcheck disable=SC2016
scripts/clean_root.sh run "$work/root" '
  if ls /usr/lib/*/libyaml* /usr/lib/*/libhdf5* 2>/dev/null; then echo "try_wheel: the root is not clean" >&2 && exit 1; fi
  python3 -m venv --system-site-packages venv
  venv/bin/pip install --quiet --no-index carom-*.whl
  package=$(echo venv/lib/python3*/site-packages/carom)
  if ldd $package/libcarom.so $package/bin/carom | grep "=>" | grep -v "libm\.so\|libc\.so"; then
    echo "try_wheel: needs more than the C library" >&2 && exit 1
  fi
  export PATH=/root/venv/bin:$PATH
  python -B trial.py
  echo "== with what it uses where it is installed"
  DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends python3-matplotlib python3-pandas python3-sympy >log 2>&1 ||
    { tail -20 log >&2 && exit 1; }
  python -B trial.py | grep "with matplotlib, pandas, sympy"'
