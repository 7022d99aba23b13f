# SPDX-License-Identifier: MIT
"""Puts the shared library of the source tree and the public headers beside the Python files."""

import shutil
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

SOURCES = Path(__file__).resolve().parent.parent


class BuildWithLibrary(build_py):
    def run(self):
        super().run()
        library = SOURCES / "build" / "libcarom.so"
        if not library.exists():
            raise SystemExit("carom: build/libcarom.so is missing: run `make build` in the source tree first")
        package = Path(self.build_lib) / "carom"
        (package / "include").mkdir(parents=True, exist_ok=True)
        shutil.copyfile(library.resolve(), package / "libcarom.so")
        for header in (SOURCES / "include" / "carom").glob("*.h"):
            shutil.copyfile(header, package / "include" / header.name)


class BinaryDistribution(Distribution):
    def has_ext_modules(self):
        return True  # the wheel holds machine code


setup(cmdclass={"build_py": BuildWithLibrary}, distclass=BinaryDistribution)
