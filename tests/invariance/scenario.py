# SPDX-License-Identifier: MIT
"""Scenarios as trees of text, and the few things that transformations do with their expressions.

A tree is what stands in the YAML file, every number and expression as it was written. Names inside
expressions are replaced token by token, so that nothing here has to know the grammar."""

from __future__ import annotations

import copy
import math
import pathlib
import re
import subprocess
from typing import Any, Callable, Iterator

import yaml

Tree = Any

# a number, a name with its primes, a quoted file name, or any other sign
TOKEN = re.compile(
    r"\"[^\"]*\"|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)?)('*)|\s+|."
)

# entries that are words, not expressions
WORDS = {"title", "engine", "include", "law", "direction", "word", "label", "detect", "sequential",
         "hold", "method", "form", "faces", "from", "as", "table", "side", "driven", "pull",
         "spring", "integrator", "freedoms", "posture", "down", "name", "of", "chatter"}


def load(path: pathlib.Path) -> Tree:
    """The tree of a file with what it includes; what a file says itself overrides what it includes."""
    tree = yaml.load(path.read_text(), Loader=yaml.BaseLoader)
    included = tree.pop("include", [])
    whole: Tree = {}
    for name in [included] if isinstance(included, str) else included:
        whole = merge(whole, load(path.parent / name))
    whole = merge(whole, tree)
    if included and "parameters" in whole:
        whole["parameters"] = in_order(whole["parameters"])
    return whole


def load_for(path: pathlib.Path, carom: str) -> Tree:
    """The same, with families written out by the program."""
    tree = load(path)
    if not re.search(r"\w=\d+\.\.", path.read_text()):
        return tree
    done = subprocess.run([carom, "check", str(path), "--scenario"], capture_output=True, text=True, check=True)
    return yaml.load(done.stdout, Loader=yaml.BaseLoader)


def in_order(parameters: dict[str, str]) -> dict[str, str]:
    """Parameters of several files, each below those that it uses."""
    ordered: dict[str, str] = {}
    while len(ordered) < len(parameters):
        ready = [n for n in parameters if n not in ordered and
                 all(u in ordered or u not in parameters for u in names_in(parameters[n]))]
        ordered[ready[0]] = parameters[ready[0]]
    return ordered


def merge(below: Tree, above: Tree) -> Tree:
    if not (isinstance(below, dict) and isinstance(above, dict)):
        return above
    whole = dict(below)
    for key, value in above.items():
        whole[key] = merge(below[key], value) if key in below else value
    return whole


def dump(tree: Tree) -> str:
    return yaml.safe_dump(tree, sort_keys=False, width=10**6, allow_unicode=True)


def clone(tree: Tree) -> Tree:
    return copy.deepcopy(tree)


def names_in(expression: str) -> list[str]:
    """Every name of an expression as it stands there, primes included."""
    return [m.group(0) for m in TOKEN.finditer(expression) if m.group(1)]


def replace_names(expression: str, change: Callable[[str, str], str | None]) -> str:
    """Asks `change` (name, primes) for each name; None leaves it. Names of functions end in an opening parenthesis."""
    parts = []
    for m in TOKEN.finditer(expression):
        called = expression[m.end():m.end() + 1] == "("
        new = change(m.group(1) + ("(" if called else ""), m.group(2)) if m.group(1) else None
        parts.append(m.group(0) if new is None else new)
    return "".join(parts)


def expressions(tree: Tree, path: tuple = ()) -> Iterator[tuple[tuple, str]]:
    """Every expression of a tree with the way to it."""
    if isinstance(tree, dict):
        for key, value in tree.items():
            if is_word(path + (key,), value):
                continue
            yield from expressions(value, path + (key,))
    elif isinstance(tree, list):
        for index, value in enumerate(tree):
            yield from expressions(value, path + (index,))
    else:
        yield path, tree


def is_word(path: tuple, value: Tree) -> bool:
    key = path[-1]
    if key == "stop" and "impact" in path:
        return True
    if key == "hold" and path[0] == "constraints":
        return False
    if path[0] == "shapes" and isinstance(value, list):
        return False
    # a choice is text; what has entries of its own, or a name that the user chose, is not meant
    chosen = len(path) == 2 and path[0] in ("parameters", "define", "observe", "coordinates", "states")
    return key in WORDS and not isinstance(value, dict) and not chosen


def put(tree: Tree, path: tuple, value: Tree) -> None:
    for key in path[:-1]:
        tree = tree[key]
    tree[path[-1]] = value


def rewrite(tree: Tree, change: Callable[[str, str], str | None], leave: tuple[str, ...] = ()) -> Tree:
    """The tree with the names of its expressions changed, but for sections of it that are left."""
    result = clone(tree)
    for path, expression in list(expressions(tree)):
        if path[0] not in leave:
            put(result, path, replace_names(expression, change))
    return result


FUNCTIONS: dict[str, Any] = {
    "pi": math.pi, "sin": math.sin, "cos": math.cos, "tan": math.tan, "sqrt": math.sqrt,
    "exp": math.exp, "log": math.log, "abs": abs, "atan": math.atan, "atan2": math.atan2,
    "asin": math.asin, "acos": math.acos, "deg": math.pi / 180, "min": min, "max": max,
    "sinh": math.sinh, "cosh": math.cosh, "tanh": math.tanh,
    "choose": lambda condition, yes, no: yes if condition else no,
}


def number(tree: Tree, expression: str) -> float:
    """The value of an expression of parameters."""
    parameters = tree.get("parameters", {})
    known = dict(FUNCTIONS)

    def know(text: str) -> float:
        for name in names_in(text):
            if name in parameters and "p_" + name not in known:
                known["p_" + name] = know(parameters[name])
        return evaluate(text, known)

    return know(expression)


def evaluate(expression: str, known: dict[str, Any]) -> float:
    def python(name: str, primes: str) -> str | None:
        if name == "if(":
            return "choose"
        return "p_" + name if "p_" + name in known else None

    text = replace_names(re.sub(r"(\d)\s+deg\b", r"\1*deg", expression), python)
    return float(eval(text.replace("^", "**"), {"__builtins__": {}}, known))  # our own scenarios only


def run_times(tree: Tree) -> tuple[float, float]:
    """Start and end of the run."""
    run = tree["run"]
    return number(tree, run.get("start", "0")), number(tree, run["until"])


def in_full(state: dict[str, str] | str) -> dict[str, str]:
    """A state that only events change may be its start alone."""
    return state if isinstance(state, dict) else {"start": state}


def start_and_rate(entry: Tree) -> tuple[str, str]:
    """Start value and rate of a coordinate, as text."""
    if isinstance(entry, dict):
        return entry.get("start", "0"), entry.get("rate", "0")
    return entry, "0"
