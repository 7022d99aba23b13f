# SPDX-License-Identifier: MIT
"""Derived equations for SymPy, which is imported only here."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ._library import CaromError

_EQUATION = re.compile(r"^(?P<what>[^=\[\]#]+)(?:\[(?P<index>[^\]]*)\])? = (?P<text>.*)$")
# numbers, so that the exponent in 1e-5 is no name; words; names, which may have primes and indices
_TOKEN = re.compile(r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|\b(?:and|or|not)\b|(?P<name>[^\W\d][\w.]*'*(?:\[\d+\])?)")


@dataclass(frozen=True)
class Equations:
    """M(q) u' = h(q, u, t) + W^T lambda, z' = rates; the rate of a row is W u + w, that of its rate
    W u' + zeta, with the rates q' and the speeds as u. All are SymPy matrices; ``symbols["x'"]`` is the symbol of a name."""

    M: Any
    h: Any
    W: Any
    w: Any
    zeta: Any
    rates: Any
    rows: list[str]  # of W: "floor.gap", "floor.slip", constraints
    symbols: dict[str, Any]

    def accelerations(self) -> Any:
        """u' of the motion without contact forces: M^-1 h."""
        return self.M.LUsolve(self.h)


def read_equations(text: str, coordinates: list[str], speeds: list[str], states: list[str]) -> Equations:
    """The lines of ``derive()`` as matrices."""
    axes = [*coordinates, *speeds]
    try:
        import sympy
    except ImportError:
        raise CaromError("SymPy is not installed: `pip install sympy`, or python3-sympy in Debian") from None
    reader = _Reader(sympy)
    lines = [m for m in map(_EQUATION.match, text.splitlines()) if m]
    # switches are told last, each by those before it, as sign(...): what stands inside is read, since SymPy makes sign(y^2 + 1) one
    for line in lines:
        if line["what"] == "mode":
            reader.switches[f"mode[{line['index']}]"] = reader.read(line["text"].removeprefix("sign(").removesuffix(")"))
    entries = [(line["what"], line["index"], reader.read(line["text"])) for line in lines if line["what"] != "mode"]
    rows = list(dict.fromkeys(index.split(",")[0] for what, index, _ in entries if what in ("W", "w", "zeta")))
    n, zeros = len(axes), reader.zeros
    M, h, W = zeros(n, n), zeros(n, 1), zeros(len(rows), n)
    w, zeta, rates = zeros(len(rows), 1), zeros(len(rows), 1), zeros(len(states), 1)
    for what, index, value in entries:
        at = index.split(",") if index else []
        if what == "M":
            i, j = (axes.index(name) for name in at)
            M[i, j] = M[j, i] = value
        elif what == "h":
            h[axes.index(at[0])] = value
        elif what == "W":
            W[rows.index(at[0]), axes.index(at[1])] = value
        elif what in ("w", "zeta"):
            (w if what == "w" else zeta)[rows.index(at[0])] = value
        elif what.endswith("'") and what[:-1] in states:
            rates[states.index(what[:-1])] = value
    for name in (*axes, *states, *(f"{name}'" for name in coordinates)):
        reader.symbol(name)
    return Equations(M, h, W, w, zeta, rates, rows, reader.symbols)


class _Reader:
    """Expressions of Carom as those of SymPy: names, numbers, operators and known functions, nothing else."""

    def __init__(self, sympy: Any):
        self._sympy = sympy
        self.zeros = sympy.zeros
        self.symbols: dict[str, Any] = {}
        self.switches: dict[str, Any] = {}  # what the sign of each is that of
        self._functions = _functions(sympy)
        self._conditions = (sympy.core.relational.Relational, sympy.logic.boolalg.BooleanFunction)

    def symbol(self, name: str) -> Any:
        return self.symbols.setdefault(name, self._sympy.Symbol(name, real=True))

    def read(self, text: str) -> Any:
        # primes, dots and the word "if" are no names of Python: every name becomes a number
        names: list[str] = []

        def replaced(found: re.Match[str]) -> str:
            if found["name"] is None:
                return found[0]
            names.append(found[0])
            return f"_{len(names) - 1}"

        return self._number(self._made(ast.parse(_TOKEN.sub(replaced, text).replace("^", "**"), mode="eval").body, names))

    def _number(self, value: Any) -> Any:
        """A condition that is used as a number is 1 where it holds."""
        return self._functions["truth"](value) if isinstance(value, self._conditions) else value

    def _made(self, node: ast.expr, names: list[str]) -> Any:
        def made(part: ast.expr) -> Any:
            return self._made(part, names)

        match node:
            case ast.Constant(value=value) if isinstance(value, int | float):
                return self._sympy.Integer(value) if isinstance(value, int) else self._sympy.Float(value)
            case ast.Name(id=code):
                name = names[int(code[1:])]
                if name in self.switches:
                    return self._sympy.sign(self.switches[name])
                return self._sympy.pi if name == "pi" else self.symbol(name)
            case ast.UnaryOp(op=ast.USub(), operand=part):
                return -self._number(made(part))
            case ast.UnaryOp(op=ast.Not(), operand=part):
                return self._sympy.Not(made(part))
            case ast.BoolOp(op=op, values=parts):
                return (self._sympy.And if isinstance(op, ast.And) else self._sympy.Or)(*map(made, parts))
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATIONS:
                return _OPERATIONS[type(op)](self._number(made(left)), self._number(made(right)))
            case ast.Compare(left=left, ops=[relation], comparators=[right]) if type(relation) in _RELATIONS:
                first, second = made(left), made(right)
                if isinstance(first, self._sympy.sign) and second == 0:
                    first = first.args[0]
                return getattr(self._sympy, _RELATIONS[type(relation)])(first, second)
            case ast.Call(func=ast.Name(id=code), args=arguments) if names[int(code[1:])] in self._functions:
                return self._functions[names[int(code[1:])]](*map(made, arguments))
            # max[a, 0] is what is held above zero between events by a switch; floor[a, s] and mod[a, b, s] are held by the switch s
            case ast.Subscript(value=ast.Name(id=code), slice=ast.Tuple(elts=parts)) if names[int(code[1:])] == "max":
                return self._functions["max"](*(self._number(made(part)) for part in parts))
            case ast.Subscript(value=ast.Name(id=code), slice=ast.Tuple(elts=[*arguments, _])) if names[int(code[1:])] in ("floor", "mod"):
                return self._functions[names[int(code[1:])]](*map(made, arguments))
        raise CaromError(f"no form for SymPy is known of '{ast.unparse(node)}'")


_OPERATIONS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.Pow: lambda a, b: a**b,
}
_RELATIONS: dict[type[ast.cmpop], str] = {ast.Lt: "Lt", ast.LtE: "Le", ast.Gt: "Gt", ast.GtE: "Ge", ast.Eq: "Eq"}


def _functions(sympy: Any) -> dict[str, Callable[..., Any]]:
    same = "sqrt cbrt exp log sin cos tan asin acos atan atan2 sinh cosh tanh sign floor".split()
    table = {name: getattr(sympy, name) for name in same}

    def hypot(a: Any, b: Any) -> Any:
        return sympy.sqrt(a**2 + b**2)

    def truth(condition: Any) -> Any:
        """1 where it holds, else 0. SymPy knows no cases inside of conditions: there it is made of steps."""
        if not condition.has(sympy.Piecewise):
            return sympy.Piecewise((1, condition), (0, True))
        if isinstance(condition, sympy.Not):
            return 1 - truth(condition.args[0])
        if isinstance(condition, sympy.And | sympy.Or):
            parts = [truth(part) for part in condition.args]
            return sympy.Min(*parts) if isinstance(condition, sympy.And) else sympy.Max(*parts)
        return sympy.Heaviside(condition.gts - condition.lts, 1)

    def choice(condition: Any, a: Any, b: Any) -> Any:
        if condition.has(sympy.Piecewise):
            return b + (a - b) * truth(condition)
        return sympy.Piecewise((a, condition), (b, True))

    return table | {
        "abs": sympy.Abs,
        "min": sympy.Min,
        "max": sympy.Max,
        "mod": sympy.Mod,
        "sqr": lambda a: a**2,
        "log10": lambda a: sympy.log(a, 10),
        "hypot": hypot,
        "hypot_slope": lambda a, b: sympy.Piecewise((a / hypot(a, b), sympy.Ne(hypot(a, b), 0)), (0, True)),
        "step": lambda a: sympy.Piecewise((1, a >= 0), (0, True)),
        "if": choice,
        "truth": truth,
    }
