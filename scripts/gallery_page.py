# SPDX-License-Identifier: MIT
"""The gallery of the site: a card for each example, with a small movie that carom makes while the site is built, a search by
words, and a page each: what it shows, where it comes from, what is known, what to try, the scenario, and the player."""

import html
import json
import os
import re
import shlex
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TITLE = "Examples to start from"
FEW = ("den_hartog", "dominoes", "woodpecker")  # what a quick build draws
MOVIE = ["--seconds", "5", "--rate", "20", "--width", "480", "--height", "320"]

STYLE = """
.search { font: 16px sans-serif; width: 100%; max-width: 30em; padding: .55em .8em; border: 1px solid #bbb; border-radius: 6px; }
.found { font: 14px sans-serif; color: #777; margin-left: .8em; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(15.5em, 1fr)); gap: 18px; padding: 0; margin: 1.4em 0; list-style: none; }
.cards li { border: 1px solid #ddd; border-radius: 8px; overflow: hidden; background: #fff; transition: box-shadow .15s, transform .15s; }
.cards li:hover { box-shadow: 0 4px 16px #0002; transform: translateY(-2px); } .cards li[hidden] { display: none; }
.cards a { color: inherit; text-decoration: none; display: block; }
.cards video { display: block; width: 100%; aspect-ratio: 3/2; object-fit: cover; background: #f6f6f3; }
.cards b { display: block; font: 600 15px/1.3 sans-serif; color: #1b4f72; padding: .7em .9em 0; }
.cards p { font: 13.5px/1.45 sans-serif; color: #444; margin: 0; padding: .25em .9em .9em; }
.player { display: inline-block; margin: .2em 0 1em; } video.large { width: 100%; max-width: 45em; border: 1px solid #ddd; border-radius: 8px; }
main:has(.cards) { max-width: 78em; }
"""

SCRIPT = """
const box = document.querySelector('.search'), cards = [...document.querySelectorAll('.cards li')], told = document.querySelector('.found');
function find() {
  const words = box.value.toLowerCase().split(/\\s+/).filter(Boolean);
  let shown = 0;
  for (const card of cards) {
    card.hidden = !words.every(word => card.dataset.text.includes(word));
    shown += !card.hidden;
  }
  told.textContent = shown + (shown === 1 ? ' example' : ' examples');
  history.replaceState(null, '', words.length ? '?q=' + encodeURIComponent(box.value) : location.pathname);
}
box.addEventListener('input', find);
box.value = new URLSearchParams(location.search).get('q') || '';
for (const card of cards) {
  const film = card.querySelector('video');
  card.addEventListener('mouseenter', () => film.play());
  card.addEventListener('mouseleave', () => film.pause());
}
find();
"""


def parts_of(head: str) -> dict[str, list[str]]:
    """The head of an example: "" is its prose, then the lines below Source, Known, Try and Picture."""
    parts: dict[str, list[str]] = {"": []}
    lines = parts[""]
    for line in head.splitlines():
        word = re.match(r"(Source|Known|Try|Picture):\s*", line)
        if word:
            lines = parts[word.group(1)] = []
            line = line[word.end():]
        lines.append(line)
    return parts


def picture_of(line: str) -> tuple[list[str], list[str]]:
    """What stands behind Picture: settings of the run, and options of `carom movie`."""
    words = shlex.split(line)
    of_run = [k for k, word in enumerate(words) if "--set" in (word, words[k - 1] if k else "")]
    return [words[k] for k in of_run], [word for k, word in enumerate(words) if k not in of_run]


def draw(program: Path, example: dict, folder: Path) -> None:
    """The movie and the player of an example."""
    settings, shown = picture_of(" ".join(parts_of(example["head"]).get("Picture", [])))
    with tempfile.TemporaryDirectory() as work:
        record = Path(work) / f"{example['name']}.h5"
        for command in (["run", example["file"], *settings, "--out", record, "--quiet"],
                        ["report", record, "--out", folder / f"{example['name']}.html", "--quiet"],
                        ["movie", record, "--out", folder / f"{example['name']}.mp4", *MOVIE, *shown, "--quiet"]):
            done = subprocess.run([program, *command], capture_output=True, text=True, check=False)
            if done.returncode not in (0, 3):
                raise SystemExit(f"site: carom {' '.join(map(str, command))} failed\n{done.stderr}")


def film(name: str, attributes: str) -> str:
    return f'<video src="examples/{name}.mp4#t=1.5" muted loop playsinline preload="metadata" {attributes}></video>'


def card(example: dict) -> str:
    text = html.escape(" ".join([example["name"], example["title"], example["head"]]).lower(), quote=True)
    first = parts_of(example["head"])[""][0].split(": ", maxsplit=1)[-1]
    first = first[0].upper() + first[1:]
    return (f'<li data-text="{text}"><a href="example-{example["name"]}.html">{film(example["name"], "")}'
            f"<b>{html.escape(example['title'])}</b><p>{html.escape(first)}</p></a></li>")


def gallery(examples: list[dict], has_lab: bool) -> str:
    cards = "\n".join(card(example) for example in examples)
    return (f"<h1>{TITLE}</h1>\n<p>Each is a scenario that comes with the program, with its source and a "
            "known result that the tests compare. <code>carom new mine --from NAME</code> copies one; point at a picture to see it move."
            + (' <a href="lab/index.html">The lab</a> runs every scenario of the program in your browser.' if has_lab else "") + "</p>\n"
            f'<p><input class="search" type="search" placeholder="friction, walker, Filippov, 1963 ..." aria-label="search">'
            f'<span class="found"></span></p>\n<ul class="cards">{cards}</ul>\n<script>{SCRIPT}</script>')


def paragraphs(lines: list[str]) -> str:
    return "".join(f"<p>{html.escape(part)}</p>" for part in "\n".join(lines).strip().split("\n\n") if part.strip())


def run_it(name: str, has_lab: bool) -> str:
    return f' · <a href="lab/index.html#!run&amp;{name}.yaml">Run it yourself</a>' if has_lab else ""


def build_lab(program: Path, scenarios: Path, out: Path) -> bool:
    """One page in which every scenario runs; false where the lab was not built (make lab)."""
    files = sorted(scenarios.glob("*.yaml"))
    words = [word for file in files[1:] for word in ("--with", str(file))]
    (out / "lab").mkdir(exist_ok=True)
    done = subprocess.run([program, "lab", files[0], *words, "--out", out / "lab" / "index.html", "--quiet"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(f"site: without the lab: {done.stderr.strip()}")
    return done.returncode == 0


def example_page(example: dict, has_lab: bool) -> str:
    parts, name = parts_of(example["head"]), example["name"]
    known = [line for line in parts["Known"] if not line.startswith("  ")]
    compared = "\n".join(line.strip() for line in parts["Known"] if line.startswith("  "))
    tries = "\n".join(line.strip().replace("FILE", f"{name}.yaml") for line in parts["Try"] if line.strip())
    tries = re.sub(r"^(.*?)\s{2,}(\S.*)$", r"\1   # \2", tries, flags=re.M)
    body = re.sub(r"\A(#.*\n)+", "", Path(example["file"]).read_text(encoding="utf-8"))
    return (f"<h1>{html.escape(example['title'])}</h1>{film(name, 'controls autoplay class=large')}"
            f'<p class="player"><a href="examples/{name}.html">Play it, with forces, curves and events</a>{run_it(name, has_lab)}</p>{paragraphs(parts[""])}'
            f"<h2>Source</h2>{paragraphs(parts['Source'])}<h2>What is known</h2>{paragraphs(known)}"
            + (f"<p>Compared by the tests:</p><pre>{html.escape(compared)}</pre>" if compared else "")
            + f"<h2>What to try</h2><pre>carom new {name} --from {name}\n{html.escape(tries)}</pre>"
            f"<h2>The scenario</h2><pre>{html.escape(body)}</pre><p><a href=\"gallery.html\">All examples</a></p>")


def build(program: Path, out: Path, all_of_them: bool, has_lab: bool) -> dict[str, tuple[str, str]]:
    """Draws the examples (or a few) and returns the title and the body of each page, by name."""
    told = subprocess.run([program, "examples", "--json"], capture_output=True, text=True, check=True).stdout
    examples = [e for e in json.loads(told)["examples"] if all_of_them or e["name"] in FEW]
    folder = out / "examples"
    folder.mkdir(exist_ok=True)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda example: draw(program, example, folder), examples))
    pages = {"gallery": (TITLE, gallery(examples, has_lab))}
    return pages | {f"example-{e['name']}": (e["title"], example_page(e, has_lab)) for e in examples}
