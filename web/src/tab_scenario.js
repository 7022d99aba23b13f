// The text of the scenario, to be changed: numbers of lines, colours, and what `carom check` says at its place.
import {make} from "./elements.js";

const DELAY = 250; // ms without a key before the text is tried

export class ScenarioTab {
  /** @param {import("./lab.js").Lab} lab */
  constructor(lab) {
    this.lab = lab;
    this.name = "Scenario";
    this.commands = ["check"];
    this.area = make("textarea", {spellcheck: false, autocapitalize: "off", autocomplete: "off", "aria-label": "text of the scenario", title: "Escape leaves the text", wrap: "off", oninput: () => this.typed(), onscroll: () => this.follow()});
    this.paint = make("pre", {className: "paint", ariaHidden: "true"});
    this.numbers = make("pre", {className: "numbers", ariaHidden: "true"});
    this.message = make("p", {className: "message", role: "status"});
    this.node = make("section", {className: "card editor"}, make("div", {className: "sheet"}, this.numbers, make("div", {className: "page"}, this.paint, this.area)), this.message);
    this.area.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
      // Tab writes blanks here: Escape is the way out
      if (event.key === "Escape") /** @type {HTMLElement} */ (document.querySelector('#tabs [aria-selected="true"]')).focus();
      if (event.key !== "Tab" || event.shiftKey || !this.area.value) return;
      event.preventDefault();
      this.area.setRangeText("  ", this.area.selectionStart, this.area.selectionEnd, "end");
      this.typed();
    });
    lab.on("trouble", () => this.mark());
    lab.on("changed", () => { if (document.activeElement !== this.area) this.fill(); });
  }
  words() { return ["check", this.lab.name]; }
  shown() { this.fill(); this.mark(); }
  fill() {
    if (this.area.value !== this.lab.text) this.area.value = this.lab.text;
    this.colour();
  }
  typed() {
    this.colour();
    clearTimeout(this.later);
    this.later = window.setTimeout(() => this.lab.edit(this.area.value), DELAY);
  }
  follow() {
    this.paint.scrollTop = this.numbers.scrollTop = this.area.scrollTop;
    this.paint.scrollLeft = this.area.scrollLeft;
  }
  mark() {
    const t = this.lab.trouble, here = t && (!t.file || t.file === this.lab.name);
    this.message.textContent = t ? (t.line && here ? `line ${t.line}, column ${t.column}: ${t.text}` : t.text) : "understood";
    this.message.classList.toggle("bad", Boolean(t));
    this.colour();
  }
  colour() {
    const t = this.lab.trouble, lines = this.area.value.split("\n"), bad = t && (!t.file || t.file === this.lab.name) ? t.line : 0;
    this.paint.replaceChildren(...lines.flatMap((/** @type {string} */ line, /** @type {number} */ k) => [make("span", {className: k + 1 === bad ? "line bad" : "line"}, ...coloured(line)), "\n"]));
    this.numbers.replaceChildren(...lines.flatMap((/** @type {string} */ _, /** @type {number} */ k) => [make("span", {className: k + 1 === bad ? "bad" : ""}, String(k + 1)), "\n"]));
    this.follow();
  }
}

/** Comments, keys and numbers of a line in their colours. @param {string} line */
function coloured(line) {
  const hash = /(^|\s)#/.exec(line), code = hash ? line.slice(0, hash.index) : line, comment = hash ? line.slice(hash.index) : "";
  const parts = [], key = /^(\s*-?\s*)([^\s:{}[\],]+)(:)(?=\s|$)/.exec(code);
  let rest = code;
  if (key) { parts.push(key[1], make("b", {}, key[2]), key[3]); rest = code.slice(key[0].length); }
  for (const piece of rest.split(/(\b\d[\d.]*(?:e[-+]?\d+)?\b)/i)) parts.push(/^\d/.test(piece) ? make("i", {}, piece) : piece);
  if (comment) parts.push(make("em", {}, comment));
  return parts;
}
