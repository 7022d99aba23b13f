# SPDX-License-Identifier: MIT
"""A page for each command: its help, and a picture of what it gives. Commands that draw have a picture in
docs/pictures; the words of the others are drawn as they appear in a terminal, from a run made while the site is built.
"""

import html
import subprocess
import tempfile
from pathlib import Path

# pictures of docs/pictures
DRAWN = {
    "run": "oscillator",
    "sweep": "sweep",
    "bifurcate": "hysteresis",
    "map": "map",
    "basin": "basin",
    "continue": "branches",
    "plot": "valve",
    "report": "report",
    "movie": "movie",
    "reproduce": "gallery",
}

# what is typed for the others: shell lines in a folder that sees scenarios/; the words of the last are drawn
TYPED = {
    "check": ["carom check scenarios/bouncing_ball.yaml"],
    "derive": ["carom derive scenarios/rocking_block.yaml"],
    "new": ["carom new swing", "head -24 swing.yaml"],
    "import": [
        """cat > pendulum.urdf << 'END'
<robot name="pendulum"><link name="world"/>
  <link name="rod"><inertial><origin xyz="0 0 -0.5"/><mass value="1"/>
    <inertia ixx="0.08" iyy="0.08" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="pivot" type="continuous"><parent link="world"/><child link="rod"/><axis xyz="0 1 0"/></joint>
  <transmission name="motor"/></robot>
END
""",
        "carom import pendulum.urdf --joint pivot=0.3 --out - 2>&1",
    ],
    "examples": ["carom examples friction"],
    "info": ["carom run scenarios/bouncing_ball.yaml --out ball.h5 --quiet", "carom info ball.h5"],
    "keys": ["carom keys friction"],
    "theory": ["carom theory rods --step 15"],
    "ensemble": ["carom ensemble scenarios/bouncing_ball.yaml --over e=0.5:0.9:2 --over h=0.5:2:2 --random 500"],
    "equilibrium": ["carom equilibrium scenarios/frictional_impact_oscillator.yaml"],
    "locate": ["carom locate scenarios/frictional_impact_oscillator.yaml --over mu=0.2:0.6 --when hopf --mode +"],
    # its page needs the engine for browsers (make lab), which a site is built without
    "lab": ["carom lab --help | head -14"],
    "converge": ["carom converge scenarios/bouncing_ball.yaml"],
    "merge": [
        "carom sweep scenarios/pendulum.yaml --over L=0.5:1:4 --part 1/2 --out L.h5 --quiet",
        "carom sweep scenarios/pendulum.yaml --over L=0.5:1:4 --part 2/2 --out L.h5 --quiet",
        "carom merge L.h5.part-* --out L.h5 && carom info L.h5",
    ],
    "lyapunov": ["carom lyapunov scenarios/lorenz.yaml --time 50"],
    "sensitivity": ["carom sensitivity scenarios/belt_block.yaml --of slips --by mu,mu_s,v0 --set v1=0"],
    "fit": [
        "carom run scenarios/bouncing_ball.yaml --events --csv ball --quiet > /dev/null",
        "awk -F, 'NR == 1 || /impact/' ball/events.csv | cut -d, -f1 | sed 1s/.*/floor/ | head -9 > clicks.csv",
        "carom fit scenarios/bouncing_ball.yaml --data clicks.csv --free e=0.3:0.99,h=0.1:3",
    ],
    "design": ["carom design scenarios/bouncing_ball.yaml --free e=0.5:0.9,h=0.5:2 --error y=0.01 --times 0:3:301 --know e"],
    "orbit": ["carom orbit scenarios/van_der_pol.yaml"],
    "diff": [
        "carom run scenarios/pendulum.yaml --out a.h5 --quiet",
        "carom run scenarios/pendulum.yaml --set run.rtol=1e-8 --out b.h5 --quiet",
        "carom diff a.h5 b.h5 || true",
    ],
}

MOST_LINES, LETTER, LINE = 36, 7.25, 17


def terminal(text: str) -> str:
    """Lines of text as a terminal shows them, as SVG."""
    lines = text.rstrip().splitlines()
    if len(lines) > MOST_LINES:
        lines = [*lines[: MOST_LINES - 1], "..."]
    width = round(max(len(line) for line in lines) * LETTER + 32)
    height = len(lines) * LINE + 28
    rows = "".join(
        f'<text x="16" y="{26 + k * LINE}" xml:space="preserve"{style_of(line)}>{html.escape(line)}</text>'
        for k, line in enumerate(lines)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
        f'<rect width="100%" height="100%" rx="6" fill="#22303d"/>'
        f'<g font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="12" fill="#e8edf1">{rows}</g></svg>\n'
    )


def style_of(line: str) -> str:
    return ' fill="#9fd3a8"' if line.startswith("$ ") else ""


def type_lines(program: Path, sources: Path, lines: list[str]) -> str:
    """What a terminal shows after the lines were typed."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "scenarios").symlink_to(sources / "scenarios")
        shown = ""
        for line in lines:
            done = subprocess.run(
                ["bash", "-c", line], cwd=folder, capture_output=True, text=True,
                env={"PATH": f"{program.parent}:/usr/bin:/bin", "NO_COLOR": "1"},
            )
            if done.returncode != 0:
                raise SystemExit(f"site: {line} failed\n{done.stderr}")
            shown += f"$ {line.removesuffix(' || true')}\n{done.stdout}"
    return shown


def command_page(program: Path, sources: Path, name: str, pictures: Path) -> str:
    """The page of a command; a picture of words is written to `pictures`."""
    text = subprocess.run([program, "help", name], capture_output=True, text=True, check=True).stdout
    if name not in DRAWN and name not in TYPED:
        raise SystemExit(f"site: the page of carom {name} has no picture: add one to scripts/command_pages.py")
    picture = f"{DRAWN.get(name)}.png"
    if name in TYPED:
        picture = f"command-{name}.svg"
        (pictures / picture).write_text(terminal(type_lines(program, sources, TYPED[name])), encoding="utf-8")
    return f"# carom {name}\n\n```text\n{text}```\n\n![what carom {name} gives](pictures/{picture})\n"
