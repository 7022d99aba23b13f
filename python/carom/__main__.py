# SPDX-License-Identifier: MIT
"""The carom program, as the wheel brings it: ``carom`` or ``python -m carom``."""

import os
import sys

from ._library import find_program


def main() -> None:
    """Becomes the program."""
    program = find_program()
    if not program or os.path.realpath(program) == os.path.realpath(sys.argv[0]):
        raise SystemExit("carom: the program was not found")
    os.execv(program, ["carom", *sys.argv[1:]])


if __name__ == "__main__":
    main()
