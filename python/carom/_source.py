# SPDX-License-Identifier: MIT
"""Where a model comes from, so that it can be made once more: with other settings, from a pickle, for the program."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from os.path import abspath, exists

from ._library import CaromError, CData, check, ffi, lib, new_error

Value = float | int | str


def written(value: Value) -> str:
    """A value as it would be written in the file; numbers keep all their digits."""
    return value if isinstance(value, str) else repr(float(value)) if isinstance(value, float) else str(value)


class Settings:
    """Overrides ("Gamma", "contacts.left.friction.slip") as an array of C structs."""

    def __init__(self, settings: Mapping[str, Value]):
        self._kept = [
            (ffi.new("char[]", path.encode()), ffi.new("char[]", written(value).encode()))
            for path, value in settings.items()
        ]
        self.count = len(self._kept)
        self.raw = ffi.new("carom_setting[]", self._kept) if self._kept else ffi.NULL


@dataclass(frozen=True)
class Source:
    """A scenario file (``path``), or its text; and what is set in it."""

    path: str | None = None
    text: str = ""
    name: str = "scenario"
    settings: Mapping[str, Value] = field(default_factory=dict)

    def make(self) -> CData:
        """A model of the library."""
        error, made, given = new_error(), ffi.new("carom_model **"), Settings(self.settings)
        if self.path is not None:
            status = lib.carom_model_load(self.path.encode(), given.count, given.raw, made, error)
        else:
            status = lib.carom_model_parse(self.text.encode(), self.name.encode(), given.count, given.raw, made, error)
        check(status, error)
        return made[0]

    def changed(self, settings: Mapping[str, Value]) -> Source:
        return replace(self, settings={**self.settings, **settings})

    def lasting(self, resolved: str) -> Source:
        """For a pickle: with the whole path, and the text as resolved for where there is no such file."""
        return replace(self, path=abspath(self.path), text=resolved) if self.path is not None else self

    def found(self) -> Source:
        """As it comes out of a pickle: where its file is gone, the text stands for it."""
        return self if self.path is None or exists(self.path) else Source(text=self.text, name=self.path)

    @contextmanager
    def as_file(self) -> Iterator[str]:
        """The path of a file with this scenario, as long as it is needed."""
        if self.path is not None:
            yield self.path
            return
        if not self.text:
            raise CaromError("a model of Python functions has no scenario: it can be run, but not handed on")
        with tempfile.NamedTemporaryFile("w", suffix=".yaml", encoding="utf-8") as file:
            file.write(self.text)
            file.flush()
            yield file.name
