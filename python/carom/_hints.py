# SPDX-License-Identifier: MIT
"""What is called otherwise here: answers to names that a class does not have."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NoReturn, TypeVar, cast

Method = TypeVar("Method", bound=Callable[..., Any])


def no_attribute(owner: object, name: str, words: Mapping[str, str], values: Iterable[str] = ()) -> NoReturn:
    """The AttributeError that ``__getattr__`` raises, with what stands here for the name."""
    what = f"{type(owner).__name__!r} object has no attribute {name!r}"
    if name in words:
        what += f"; {words[name]}"
    elif name in values:
        what += f"; {name!r} is set by model.run({name}=...), and swept over by model.sweep({{{name!r}: ...}})"
    raise AttributeError(what, name=name, obj=owner)


def over_dictionary(method: Method) -> Method:
    """A method whose first argument is a dictionary: what varies may not be a keyword."""
    known = inspect.signature(method).parameters

    @functools.wraps(method)
    def checked(*given: Any, **options: Any) -> Any:
        if len(given) > 1 and not isinstance(given[1], Mapping):
            values = repr(given[2]) if len(given) > 2 else "[1, 2, 3]"
            raise TypeError(f"what varies goes into a dictionary: {method.__name__}({{{str(given[1])!r}: {values}}})")
        for name, value in options.items():
            if name not in known:
                raise TypeError(f"{method.__name__}() has no option {name!r}; what varies goes into a dictionary: "
                                f"{method.__name__}({{{name!r}: {value!r}}})")
        return method(*given, **options)

    return cast(Method, checked)
