#!/bin/bash
# Small systems against their closed forms: see closed_forms.py.
/usr/bin/python3 tests/cli/closed_forms.py "$(realpath "$1")"
