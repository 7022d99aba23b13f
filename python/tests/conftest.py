# SPDX-License-Identifier: MIT
import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent

if "CAROM_INSTALLED" not in os.environ:
    sys.path.insert(0, str(ROOT / "python"))


@pytest.fixture
def scenarios() -> Path:
    return ROOT / "scenarios"
