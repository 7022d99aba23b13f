#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds structs to a size that can be kept in mind: at most MOST_FIELDS fields, each struct written by at most MOST_WRITERS files
of a room (the three engines fill the same certificate, each its own).

A write is an assignment to a member (x->a.b[i] = ..., ++, +=) found in the text, with the types of parameters, variables and members
resolved; memcpy and addresses that are handed on are not seen. Prints each finding; exit 1 when there is one.
usage: check_structs.py [--list]: --list prints the largest structs and who writes them
"""
import re
import sys
from collections import defaultdict
from pathlib import Path

MOST_FIELDS = 25
MOST_WRITERS = 6
ROOT = Path(__file__).resolve().parent.parent
QUALIFIERS = r"\b(?:const|volatile|static|extern|_Atomic|_Alignas\([^)]*\)|struct|enum|union|restrict|register|inline)\b"


def without_comments(text: str) -> str:
    text = re.sub(r'"(?:\\.|[^"\\\n])*"', '""', text)
    text = re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.S)
    text = re.sub(r"//[^\n]*", "", text)
    return re.sub(r"^#(?:[^\n]*\\\n)*[^\n]*$", "", text, flags=re.M)


def body_at(text: str, brace: int) -> str:
    """What stands between the brace at this place and the one that closes it."""
    depth = 0
    for k in range(brace, len(text)):
        depth += {"{": 1, "}": -1}.get(text[k], 0)
        if depth == 0:
            return text[brace + 1 : k]
    return text[brace + 1 :]


def statements(body: str) -> list[str]:
    """The declarations of a struct's body; what is nested in braces stays whole."""
    found, depth, begin = [], 0, 0
    for k, c in enumerate(body):
        depth += {"{": 1, "}": -1}.get(c, 0)
        if c == ";" and depth == 0:
            found.append(" ".join(body[begin:k].split()))
            begin = k + 1
    return found


def declared(statement: str) -> list[tuple[str, str]]:
    """(name, type) of what a declaration declares."""
    pointer = re.search(r"\(\s*\*\s*(\w+)\s*(?:\[[^\]]*\])?\)\s*\(", statement)  # a function
    if pointer:
        return [(pointer.group(1), "")]
    nested = re.match(r"(?:const\s+)?(struct|union)\s*(\w*)\s*\{(.*)\}(.*)$", statement, flags=re.S)
    if nested and not nested.group(4).strip():  # its members are members of the struct around it
        return [field for inner in statements(nested.group(3)) for field in declared(inner)]
    if nested:
        return [(name, nested.group(2)) for name in re.findall(r"\w+", re.sub(r"\[[^\]]*\]", "", nested.group(4)))]
    plain = re.sub(r"\[[^\]]*\]|\{[^}]*\}", "", re.sub(QUALIFIERS, " ", statement))
    first, *others = plain.split(",")
    words = re.findall(r"\w+", first.split(":")[0])
    if len(words) < 2:
        return []
    base = words[-2]
    return [(words[-1], base)] + [(re.findall(r"\w+", o.split(":")[0])[0], base) for o in others if re.search(r"\w", o)]


def structs_of(text: str) -> dict[str, dict[str, str]]:
    """The fields of every struct with a name: {struct: {field: type}}."""
    found = {}
    for match in re.finditer(r"\bstruct\s+(\w+)?\s*\{", text):
        body = body_at(text, match.end() - 1)
        after = re.match(r"\s*(\w+)\s*;", text[match.end() + len(body) + 1 :])
        name = match.group(1) or (after and text[: match.start()].rstrip().endswith("typedef") and after.group(1))
        if name:
            found[name] = dict(field for s in statements(body) for field in declared(s))
    return found


WRITE = re.compile(r"(\w+)((?:\s*(?:->|\.)\s*\w+|\[[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*\])+)\s*(?:=(?!=)|[-+*/|&^%]=|<<=|>>=|\+\+|--)")
PREFIX = re.compile(r"(?:\+\+|--)(\w+)((?:\s*(?:->|\.)\s*\w+|\[[^\[\]]*\])+)")
DECLARATION = re.compile(r"\b(\w+)\s*\*?\s*(?:const\s+)?\*?\s*\b(\w+)\s*(?=[,;)=\[])")


def functions_of(text: str) -> list[str]:
    """The text of each function, head and body."""
    found, end = [], 0
    for match in re.finditer(r"^\w[^;{}=]*\)\s*\{", text, flags=re.M):
        if match.start() >= end:
            body = body_at(text, match.end() - 1)
            end = match.end() + len(body)
            found.append(match.group() + body)
    return found


def writes_of(function: str, structs: dict[str, dict[str, str]]) -> set[tuple[str, str]]:
    """(struct, field) of every assignment in a function."""
    variables = {name: base for base, name in DECLARATION.findall(function) if base in structs}
    for base, others in re.findall(r"\b(\w+)\s+\*?\w+\s*(?:=[^,;(){}]*)?((?:,\s*\*?\w+\s*(?:=[^,;(){}]*)?)+);", function):
        if base in structs:
            variables.update((re.findall(r"\w+", o)[0], base) for o in others.split(",") if o.strip())
    found = set()
    for name, chain in WRITE.findall(function) + PREFIX.findall(function):
        struct, last = variables.get(name), None
        for member in re.findall(r"\w+", re.sub(r"\[[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*\]", "", chain)):
            if struct not in structs or member not in structs[struct]:
                break
            last, struct = (struct, member), structs[struct][member]
        else:
            if last:
                found.add(last)
    return found


def main() -> int:
    files = sorted([*ROOT.glob("src/*/*.[ch]"), *ROOT.glob("include/carom/*.h")])
    texts = {f: without_comments(f.read_text()) for f in files}
    structs: dict[str, dict[str, str]] = {}
    where = {}
    for f, text in texts.items():
        for name, fields in structs_of(text).items():
            structs[name] = fields
            where[name] = f.relative_to(ROOT)
    writers: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for f, text in texts.items():
        for function in functions_of(text):
            for struct, field in writes_of(function, structs):
                writers[struct][field].add(f"{f.parent.name}/{f.name}")
    findings = 0
    by_size = sorted(structs, key=lambda s: -len(structs[s]))
    for s in by_size:
        rooms: dict[str, set[str]] = defaultdict(set)
        for f in set().union(*writers[s].values()) if writers[s] else ():
            rooms[f.split("/")[0]].add(f)
        files_that_write = max(rooms.values(), key=len, default=set())
        if len(structs[s]) > MOST_FIELDS:
            print(f"structs: {where[s]}: {s} has {len(structs[s])} fields, more than {MOST_FIELDS}: group what belongs together")
            findings += 1
        if len(files_that_write) > MOST_WRITERS:
            print(f"structs: {where[s]}: {s} is written by {len(files_that_write)} files of a room, more than {MOST_WRITERS}:")
            for field, by in sorted(writers[s].items(), key=lambda item: -len(item[1])):
                print(f"    {field}: {' '.join(sorted(by))}")
            findings += 1
    if "--list" in sys.argv:
        for s in by_size[:30]:
            print(f"{len(structs[s]):3d} fields, {len(set().union(*writers[s].values()) if writers[s] else ()):2d} writers: {s} ({where[s]})")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
