# SPDX-License-Identifier: MIT
"""The wheel, made of what was built: `make try-wheel` tries the one with all libraries inside in a bare Debian."""

import base64
import hashlib
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.mark.skipif("CAROM_LIBRARY" not in os.environ, reason="CAROM_LIBRARY does not say where the build is")
def test_a_wheel_works_away_from_the_tree(tmp_path):
    before = sorted(path.name for path in (ROOT / "python").iterdir())
    build = Path(os.environ["CAROM_LIBRARY"]).resolve().parent
    environment = {**os.environ, "CAROM_BUILD": str(build), "PYTHONDONTWRITEBYTECODE": "1"}
    made = subprocess.run([sys.executable, str(ROOT / "python" / "wheel_backend.py"), str(tmp_path)],
                          env=environment, check=True, capture_output=True, text=True)
    wheel = Path(made.stdout.strip())
    assert sorted(path.name for path in (ROOT / "python").iterdir()) == before
    with zipfile.ZipFile(wheel) as archive:
        (record,) = [name for name in archive.namelist() if name.endswith("/RECORD")]
        for line in archive.read(record).decode().splitlines():
            name, told, size = line.rsplit(",", 2)
            if name != record:
                content = archive.read(name)
                digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
                assert told == f"sha256={digest}" and int(size) == len(content)
        archive.extractall(tmp_path / "site")
    for name in ("carom/bin/carom", "carom/libcarom.so"):
        (tmp_path / "site" / name).chmod(0o755)
    # an installer writes this script; the package's own program stands behind it
    script = tmp_path / "bin" / "carom"
    script.parent.mkdir()
    script.write_text(f"#!{sys.executable}\nfrom carom.__main__ import main\nmain()\n")
    script.chmod(0o755)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("CAROM_")}
    environment |= {"PYTHONPATH": str(tmp_path / "site"), "PYTHONDONTWRITEBYTECODE": "1", "PATH": f"{script.parent}:{os.environ['PATH']}"}
    tried = subprocess.run([sys.executable, str(ROOT / "tests" / "install" / "trial.py")],
                           env=environment, cwd=tmp_path, capture_output=True, text=True)
    assert tried.returncode == 0, tried.stderr
    assert f"library {tmp_path / 'site' / 'carom' / 'libcarom.so'}" in tried.stdout
