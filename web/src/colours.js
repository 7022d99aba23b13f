// Colours of pictures, as the style sheet says: light, dark, print.
import {INK, MODES} from "carom-viewer";

export const ink = {text: "", soft: "", line: "", grid: "", paper: "", accent: "", mark: "", series: /** @type {string[]} */ ([])};
const DARK_MODES = {F: "#1b232c", K: "#4a4379", "+": "#5d4a1f", "-": "#1f4a63", C: "#3b424a", S: "#5d4a1f", "?": "#1b232c"};
const LIGHT_MODES = {F: "#ffffff", K: "#cfcaea", "+": "#fdeccd", "-": "#cfe7f5", C: "#e3e5e8", S: "#fdeccd", "?": "#ffffff"};

export function readColours() {
  const style = getComputedStyle(document.documentElement), value = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
  const dark = value("--dark") === "1";
  Object.assign(ink, {text: value("--ink"), soft: value("--soft"), line: value("--line"), grid: value("--grid"), paper: value("--paper"), accent: value("--accent"), mark: value("--mark"),
    series: [1, 2, 3, 4, 5, 6, 7, 8].map((k) => value("--series-" + k))});
  Object.assign(INK, {paper: ink.paper, line: ink.text, faint: ink.grid, hatch: value("--hatch"), scale: ink.soft, label: ink.soft, force: ink.mark, trail: value("--trail")});
  const modes = /** @type {any} */ (MODES);
  modes.S = {name: "slip", fill: ""};
  for (const [letter, fill] of Object.entries(dark ? DARK_MODES : LIGHT_MODES)) if (modes[letter]) modes[letter].fill = fill;
}
