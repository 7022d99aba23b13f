#!/bin/bash
# Names every C source and header of the repository, tracked or new, one a line.
set -euo pipefail
cd "$(dirname "$0")/.."
find src include tests bench -name '*.[ch]' -type f 2>/dev/null | sort || true # a folder may not be there yet
