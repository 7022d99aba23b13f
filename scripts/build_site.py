#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The documentation as a static site.  usage: build_site.py PROGRAM OUT_FOLDER [--few] [--no-reference]

Pages are the Markdown files of docs/; a page per command is made from the program's own help, the C
reference by Doxygen from the public headers (--no-reference: not), the gallery by running the examples (--few: three of them).
Links between pages stay as written.
"""

import html
import re
import shutil
import subprocess
import sys
from pathlib import Path

import markdown
import gallery_page
from command_pages import command_page

SOURCES = Path(__file__).resolve().parent.parent
DOCS = SOURCES / "docs"

# the order of the menu; every page of docs/ must be here, or the build fails
MENU = {
    "Begin": ["index", "guide", "lab", "gallery", "bodies", "python", "packaging"],
    "Notebooks": ["notebook-ball", "notebook-wiper", "notebook-own"],
    "Reference": ["scenario", "commands", "interface", "recording", "plot", "analysis", "gpu", "fit", "studies"],
    "Theory": ["theory-contact", "theory-friction", "theory-friction-space", "theory-flow", "theory-program", "theory-impact", "theory-compliant", "theory-stepping", "theory-orbits", "theory-atlas", "theory-fit", "invariance",
               "theory-rods", "theory-field"],
    "Results": ["findings", "findings-000", "findings-001", "findings-002", "findings-003", "findings-004", "comparison", "coming-from"],
    "Inside": ["ARCHITECTURE", "engine"],
}

STYLE = """
:root { color-scheme: light dark; --ink: #222; --soft: #777; --paper: #fff; --line: #ddd; --link: #1b4f72; --code: #f4f4f0; --edge: #c9c9bf; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #dfe4e8; --soft: #98a3ad; --paper: #14181c; --line: #333c45; --link: #8ec1ef; --code: #1e242a; --edge: #45505b; }
}
body { margin: 0; display: flex; font: 16px/1.55 Georgia, serif; color: var(--ink); background: var(--paper); }
nav { flex: 0 0 13em; padding: 1.5em 1em 2em 1.5em; border-right: 1px solid var(--line); min-height: 100vh; font: 14px/1.7 sans-serif; }
nav b { display: block; margin-top: 1em; color: var(--soft); font-weight: normal; text-transform: uppercase; font-size: 11px; letter-spacing: .08em; }
nav a { display: block; color: var(--link); text-decoration: none; } nav a.here { font-weight: bold; color: var(--ink); }
nav a:hover { text-decoration: underline; }
main { flex: 1 1 auto; max-width: 52em; padding: 1em 2.5em 4em; min-width: 0; }
h1, h2, h3 { font-family: sans-serif; line-height: 1.25; } h2 { margin-top: 2em; }
code, pre { font: 13.5px/1.5 ui-monospace, Menlo, Consolas, monospace; }
pre { white-space: pre-wrap; background: var(--code); padding: .8em 1em; overflow-x: auto; border-left: 3px solid var(--edge); }
:not(pre) > code { background: var(--code); padding: 0 .2em; }
table { border-collapse: collapse; font: 14px/1.45 sans-serif; } td, th { border: 1px solid var(--line); padding: .3em .6em; text-align: left; vertical-align: top; }
th { font-weight: 600; } img { max-width: 100%; border-radius: 6px; } a { color: var(--link); }
#unfold, nav label { display: none; }
@media (max-width: 50em) {
  body { display: block; } nav { min-height: 0; border: 0; border-bottom: 1px solid var(--line); padding: .8em 1em; } main { padding: 1em; }
  nav label { display: block; float: right; padding: 0 .6em; border: 1px solid var(--edge); border-radius: 4px; cursor: pointer; }
  #unfold { display: inline; position: absolute; opacity: 0; } #unfold:focus-visible + label { outline: 2px solid var(--link); }
  #unfold:not(:checked) ~ div { display: none; }
}
"""

PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title} - Carom</title><link rel="stylesheet" href="style.css"></head>
<body><nav><input type="checkbox" id="unfold"><label for="unfold">menu</label><a href="index.html"><strong>Carom</strong></a><div>{menu}</div></nav><main>{body}</main></body></html>
"""


def title_of(text: str, name: str) -> str:
    found = re.search(r"^# (.+)$", text, re.M)
    return found.group(1) if found else name


def link_pages(text: str) -> str:
    """x.md becomes x.html; what lies outside docs/ is named, not linked."""
    text = re.sub(r"\[([^]]+)\]\(CONTRIBUTING\.md\)", r"\1", text)
    text = re.sub(r"\]\((?:docs/)?([\w-]+)\.md(#[\w-]+)?\)", r"](\1.html\2)", text)
    text = re.sub(r"\]\(docs/pictures/", "](pictures/", text)
    return re.sub(r"(?<!!)\[([^]]+)\]\((?!https?:|#|[\w-]+\.html|api/|pictures/)[^)]*\)", r"\1", text)


def commands(program: str) -> list[str]:
    overview = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
    listed = overview.split("commands:\n")[1].split("\n\n")[0]
    return [line.split()[0] for line in listed.splitlines() if line.split()[0] != "help"]


def notebook_page(path: Path) -> str:
    """A script with cells (# %%) as a page: text, code, and the pictures that the code saves."""
    parts = []
    for cell in re.split(r"^# %%", path.read_text(encoding="utf-8"), flags=re.M)[1:]:
        head, body = cell.split("\n", 1)
        if "[markdown]" in head:
            parts.append(re.sub(r"^# ?", "", body.strip(), flags=re.M))
            continue
        parts.append(f"```python\n{body.strip()}\n```")
        parts += [f"![what the code above draws](pictures/{name})" for name in re.findall(r'savefig\("([\w.-]+)"', body)]
    source = f"This page is a script, `docs/notebooks/{path.name}`: run it in the folder of the sources, or open it as a notebook."
    return "\n\n".join([*parts, source]) + "\n"


def gather(program: str, pictures: Path) -> dict[str, str]:
    """The Markdown of every page, by name."""
    pages = {path.stem: path.read_text(encoding="utf-8") for path in sorted(DOCS.glob("*.md"))}
    pages.update({f"notebook-{path.stem}": notebook_page(path) for path in sorted((DOCS / "notebooks").glob("*.py"))})
    pages["index"] = (SOURCES / "README.md").read_text(encoding="utf-8")
    names = commands(program)
    summary = {name: command_page(Path(program).resolve(), SOURCES, name, pictures) for name in names}
    pages["commands"] = "# Commands\n\n" + "\n".join(
        f"- [carom {name}](command-{name}.html): " + summary[name].split("\n\n")[2].splitlines()[0] for name in names
    ) + "\n\nAll of them: `--help` with examples; with `--json` exactly one JSON object on standard output. `man carom` has the same.\n"
    pages.update({f"command-{name}": text for name, text in summary.items()})
    return pages


def menu(pages: dict[str, str], here: str, has_api: bool) -> str:
    parts = []
    for section, names in MENU.items():
        parts.append(f"<b>{section}</b>")
        for name in names:
            if name not in pages:
                continue
            label = "What Carom is" if name == "index" else title_of(pages[name], name).split(":")[0]
            mark = ' class="here"' if name == here else ""
            parts.append(f'<a href="{name}.html"{mark}>{html.escape(label)}</a>')
        if section == "Reference" and has_api:
            parts.append('<a href="api/index.html">C interface</a>')
    return "".join(parts)


def build_api(out: Path) -> bool:
    if "--no-reference" in sys.argv:
        return False
    if not shutil.which("doxygen"):
        print("site: doxygen is not installed: no C reference", file=sys.stderr)
        return False
    settings = f"""
PROJECT_NAME = Carom
PROJECT_BRIEF = "the C interface"
INPUT = {SOURCES / 'include' / 'carom'} {SOURCES / 'README.md'}
USE_MDFILE_AS_MAINPAGE = {SOURCES / 'README.md'}
OUTPUT_DIRECTORY = {out}
HTML_OUTPUT = api
GENERATE_LATEX = NO
OPTIMIZE_OUTPUT_FOR_C = YES
EXTRACT_ALL = YES
JAVADOC_AUTOBRIEF = YES
MACRO_EXPANSION = YES
EXPAND_ONLY_PREDEF = YES
PREDEFINED = CAROM_API= CAROM_PRINTF(a,b)=
IMAGE_PATH = {DOCS.parent}
QUIET = YES
WARN_IF_UNDOCUMENTED = NO
"""
    done = subprocess.run(["doxygen", "-"], input=settings, text=True, capture_output=True)
    if done.returncode != 0:
        raise SystemExit(f"site: doxygen failed\n{done.stderr}")
    return True


def main() -> int:
    program, out = sys.argv[1], Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    shutil.copytree(DOCS / "pictures", out / "pictures", dirs_exist_ok=True)
    pages = gather(program, out / "pictures")
    has_lab = gallery_page.build_lab(Path(program).resolve(), SOURCES / "scenarios", out)
    examples = gallery_page.build(Path(program).resolve(), out, "--few" not in sys.argv, has_lab)
    pages["gallery"] = f"# {gallery_page.TITLE}\n"
    listed = {name for names in MENU.values() for name in names}
    lost = [name for name in pages if name not in listed and not name.startswith("command-")]
    if lost:
        raise SystemExit(f"site: pages without a place in the menu: {', '.join(lost)}")
    has_api = build_api(out)
    for name, (title, body) in examples.items():
        page = PAGE.format(title=html.escape(title), menu=menu(pages, "gallery", has_api), body=body)
        (out / f"{name}.html").write_text(page, encoding="utf-8")
    for name, text in pages.items():
        if name in examples:
            continue
        body = markdown.markdown(link_pages(text), extensions=["tables", "fenced_code", "toc", "sane_lists"])
        here = "commands" if name.startswith("command-") else name
        page = PAGE.format(title=html.escape(title_of(text, name)), menu=menu(pages, here, has_api), body=body)
        (out / f"{name}.html").write_text(page, encoding="utf-8")
    (out / "style.css").write_text(STYLE + gallery_page.STYLE, encoding="utf-8")
    missing = broken_links(out)
    for problem in missing:
        print(f"site: {problem}", file=sys.stderr)
    print(out / "index.html")
    return 1 if missing else 0


def broken_links(out: Path) -> list[str]:
    """Every page and picture that a page refers to is there."""
    problems = []
    for page in sorted(out.glob("*.html")):
        for target in re.findall(r'(?:href|src)="([^"#]+)[^"]*"', page.read_text(encoding="utf-8")):
            if not re.match(r"[a-z]+:", target) and not (out / target).exists():
                problems.append(f"{page.name} refers to {target}, which is not there")
    return problems


if __name__ == "__main__":
    sys.exit(main())
