#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes the wheel: the Python files, the library, the program and what comes with it. Needs nothing but Python, and is
what pip asks (``pip install ./python``).  usage: wheel_backend.py FOLDER

The library and the program come from $CAROM_BUILD, or from build-wheel/ (`make wheel`: libyaml and HDF5 are inside, the
wheel needs nothing of the machine but the C library), or else from build/. Nothing is written to the source tree.
"""

import base64
import hashlib
import os
import re
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCES = HERE.parent
# libraries that every system with this C library has
EVERYWHERE = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}


def build_folder() -> Path:
    for folder in (os.environ.get("CAROM_BUILD"), SOURCES / "build-wheel", SOURCES / "build"):
        if folder and (Path(folder) / "libcarom.so").exists():
            return Path(folder)
    raise SystemExit("carom: no libcarom.so was built: run `make wheel` or `make build` in the source tree first")


def readelf(option: str, file: Path) -> str:
    return subprocess.run(["readelf", "-W", option, str(file)], check=True, capture_output=True, text=True).stdout


def platform_tag(files: list[Path]) -> str:
    """The oldest C library these files run with; a plain name where they need others of this machine."""
    machine = os.uname().machine
    needed = {name for file in files for name in re.findall(r"NEEDED.*\[(.*)\]", readelf("-d", file))}
    if needed - EVERYWHERE:
        return f"linux_{machine}"
    versions = (re.findall(r"GLIBC_(\d+)\.(\d+)", readelf("--version-info", file)) for file in files)
    major, minor = max((int(a), int(b)) for found in versions for a, b in found)
    return f"manylinux_{major}_{minor}_{machine}"


def metadata(project: dict) -> str:
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {version()}", f"Summary: {project['description']}",
             f"License: {project['license']['text']}", f"Requires-Python: {project['requires-python']}"]
    lines += [f"Requires-Dist: {name}" for name in project["dependencies"]]
    for extra, names in project["optional-dependencies"].items():
        lines += [f"Provides-Extra: {extra}", *(f"Requires-Dist: {name}; extra == '{extra}'" for name in names)]
    readme = (SOURCES / "docs" / "python.md").read_text(encoding="utf-8")
    return "\n".join([*lines, "Description-Content-Type: text/markdown", "", readme])


def version() -> str:
    text = (HERE / "carom" / "_library.py").read_text(encoding="utf-8")
    return re.search(r'^VERSION = "(.*)"', text, re.M)[1]


def stripped(file: Path) -> bytes:
    """A program or library without what only a debugger reads."""
    # into a file of its own: strip replaces what -o names, a device too
    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder) / file.name
        made = subprocess.run(["strip", "--strip-unneeded", "-o", str(small), str(file.resolve())], capture_output=True)
        return small.read_bytes() if made.returncode == 0 else file.read_bytes()


def contents(build: Path) -> dict[str, bytes]:
    """Everything below site-packages, by name."""
    files = {f"carom/{path.name}": path.read_bytes() for path in [*HERE.glob("carom/*.py"), HERE / "carom" / "py.typed"]}
    headers = [*SOURCES.glob("include/carom/*.h"), build / "include" / "carom" / "version.h"]
    files |= {f"carom/include/{path.name}": path.read_bytes() for path in headers}
    files["carom/libcarom.so"] = stripped(build / "libcarom.so")
    if (build / "carom").exists():
        files["carom/bin/carom"] = stripped(build / "carom")
        data = [path for kind in ("scenarios", "studies") for path in (SOURCES / kind).rglob("*") if path.is_file()]
        files |= {f"carom/share/carom/{path.relative_to(SOURCES)}": path.read_bytes() for path in data}
        # the page of the lab, where it was built
        lab = [path for name in ("lab.html", "stage.js") if (path := SOURCES / "build-lab" / name).exists()]
        files |= {f"carom/share/carom/{path.name}": path.read_bytes() for path in lab}
    return files


def entry(name: str, content: bytes) -> tuple[zipfile.ZipInfo, bytes]:
    """A member of the archive, the same whenever it is made."""
    info = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
    info.external_attr = (0o100755 if content[:4] == b"\x7fELF" else 0o100644) << 16
    info.compress_type = zipfile.ZIP_DEFLATED
    return info, content


def build_wheel(folder: str, config_settings: object = None, metadata_directory: object = None) -> str:
    """What pip calls; gives back the name of the wheel."""
    project = tomllib.loads((HERE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    build = build_folder()
    binaries = [path for path in (build / "libcarom.so", build / "carom") if path.exists()]
    tag = f"py3-none-{platform_tag(binaries)}"
    info = f"carom-{version()}.dist-info"
    files = dict(sorted(contents(build).items()))
    files[f"{info}/METADATA"] = metadata(project).encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: carom\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    files[f"{info}/entry_points.txt"] = b"[console_scripts]\ncarom = carom.__main__:main\n"
    files[f"{info}/LICENSE"] = (SOURCES / "LICENSE").read_bytes()
    hashes = {name: base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode() for name, content in files.items()}
    record = [f"{name},sha256={hashes[name]},{len(content)}" for name, content in files.items()]
    files[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""]).encode()
    name = f"carom-{version()}-{tag}.whl"
    with zipfile.ZipFile(Path(folder) / name, "w") as archive:
        for path, content in files.items():
            archive.writestr(*entry(path, content))
    return name


if __name__ == "__main__":
    Path(sys.argv[1]).mkdir(parents=True, exist_ok=True)
    print(Path(sys.argv[1]) / build_wheel(sys.argv[1]))
