// The equations that were derived, typeset.
import katex from "katex";
import {make} from "./elements.js";

export class EquationsTab {
  /** @param {import("./lab.js").Lab} lab */
  constructor(lab) {
    this.lab = lab;
    this.name = "Equations";
    this.commands = ["derive"];
    this.node = make("section", {className: "card equations", "aria-label": "equations"});
    lab.on("about", () => { if (this.node.isConnected) this.shown(); });
  }
  words() { return ["derive", this.lab.name]; }
  async shown() {
    const words = ["derive", this.lab.name, "--latex", "--json", ...this.lab.changes()];
    this.node.replaceChildren(make("p", {className: "soft"}, "deriving …"));
    try {
      await this.lab.crew.share(this.lab.files, [words], (_, answer) => this.fill(JSON.parse(answer.text)));
    } catch (error) {
      this.node.replaceChildren(make("p", {className: "soft"}, String(/** @type {any} */ (error).message)));
    }
  }
  /** @param {any} told */
  fill(told) {
    if (told.error) { this.node.replaceChildren(make("p", {className: "soft"}, told.error.text)); return; }
    const lines = String(told.equations ?? "").split("\n").filter((line) => line.trim() && !/^\\(begin|end)\{/.test(line));
    this.node.replaceChildren(...lines.map((line) => (line.startsWith("%") ? make("h3", {}, line.slice(1).trim()) : equation(line))));
  }
}

const GREEK = /^(alpha|beta|gamma|delta|epsilon|zeta|eta|theta|iota|kappa|lambda|mu|nu|xi|pi|rho|sigma|tau|upsilon|phi|chi|psi|omega|Gamma|Delta|Theta|Lambda|Xi|Pi|Sigma|Phi|Psi|Omega)$/;

/** A line of LaTeX; names in indices are upright, Greek ones Greek. @param {string} line */
function equation(line) {
  const host = make("div", {className: "equation"});
  const name = (/** @type {string} */ word) => (GREEK.test(word) ? "\\" + word : `\\mathrm{${word.replaceAll("_", "\\_")}}`);
  const text = line.replace(/\\\\\s*$/, "").replace("&=", "=").replace(/^(\s*\w+)_\{([^}]*)\}/, (_, head, list) => `${head}_{${list.split(",").map(name).join(",")}}`);
  try { katex.render(text, host, {displayMode: true, throwOnError: true, strict: "ignore", trust: false, maxExpand: 200}); } catch { host.append(make("code", {}, line)); }
  return host;
}
