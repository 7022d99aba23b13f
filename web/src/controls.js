// Sliders with number fields for parameters and start values; settings of the run as texts.
import {make, digits, field} from "./elements.js";
import {knobs, onStep, entries} from "./ranges.js";

const SETTINGS = [["run.until", "until"], ["run.sample", "sample"], ["run.rtol", "rtol"], ["measure.after", "measure after"], ["run.compliant", "compliant"]];

export class Controls {
  /** @param {HTMLElement} host @param {import("./lab.js").Lab} lab */
  constructor(host, lab) {
    this.host = host;
    this.key = "";
    this.lab = lab;
    /** @type {Map<string, {slider: any, number: any, row: any, value: number}>} */
    this.rows = new Map();
    lab.on("about", () => this.build());
    lab.on("changed", () => this.refresh());
  }
  build() {
    const {about, values} = this.lab;
    // values that were moved are those of the description already: the scenario's own are the reset values
    const all = knobs(about), key = JSON.stringify(all.map((k) => [k.name, k.value, k.low, k.high]));
    if (key === this.key) { this.refresh(); return; }
    this.key = key;
    this.rows.clear();
    const groups = [["parameters", "Parameters"], ["derived", "Derived parameters"], ["start", "Start"]];
    const parts = groups.map(([group, title]) => {
      const mine = all.filter((k) => (k.derived ? "derived" : k.group) === group);
      if (!mine.length) return null;
      const open = group === "parameters" || (group === "start" && mine.length <= 8);
      return make("details", {open, className: "group"}, make("summary", {}, title, make("small", {}, ` ${mine.length}`)),
        make("div", {className: "knobs"}, ...mine.map((k) => this.knob(k, values[k.name] ?? k.value))));
    });
    this.host.replaceChildren(...parts.filter(Boolean), this.settingsPart(), make("div", {className: "below"},
      make("button", {onclick: () => { this.lab.reset(); }}, "Back to the scenario")));
    this.refresh();
  }
  /** @param {import("./ranges.js").Knob} k @param {number} value */
  knob(k, value) {
    const id = "knob_" + this.rows.size;
    const slider = make("input", {type: "range", id, min: k.low, max: k.high, step: "any", value, "aria-label": `${k.label} ${k.unit}`});
    const number = make("input", {type: "number", step: "any", value, "aria-label": `value of ${k.label}`});
    const move = (/** @type {number} */ v) => { number.value = String(v); this.lab.setValue(k.name, v); };
    slider.addEventListener("input", () => move(onStep(Number(slider.value), k.step)));
    slider.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
      const by = {ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10}[event.key];
      if (!by) return;
      event.preventDefault();
      slider.value = String(Number(slider.value) + by * k.step);
      slider.dispatchEvent(new Event("input"));
    });
    number.addEventListener("change", () => {
      const v = Number(number.value);
      if (number.value.trim() === "" || !Number.isFinite(v)) { number.value = slider.value; return; }
      if (v < Number(slider.min)) slider.min = String(v);
      if (v > Number(slider.max)) slider.max = String(v);
      slider.value = String(v);
      this.lab.setValue(k.name, v);
    });
    const back = make("button", {className: "back", title: `back to ${digits(k.value)}`, "aria-label": `${k.label} back to ${digits(k.value)}`, onclick: () => {
      const {[k.name]: _, ...others} = this.lab.values;
      this.lab.values = others;
      this.lab.tell("changed");
      this.lab.run();
    }}, "↺");
    const row = make("div", {className: "knob"}, make("label", {htmlFor: id}, k.label, k.unit ? make("small", {}, " " + k.unit) : null), slider, number, back);
    this.rows.set(k.name, {slider, number, row, value: k.value});
    return row;
  }
  settingsPart() {
    const run = new Map([...entries(this.lab.about.scenario, "run")].map(([k, v]) => ["run." + k, v]));
    for (const [k, v] of entries(this.lab.about.scenario, "measure")) run.set("measure." + k, v);
    this.settingFields = SETTINGS.map(([path, label]) => {
      const input = make("input", {type: "text", spellcheck: false, value: this.lab.settings[path] ?? "", placeholder: run.get(path) ?? "default", onchange: () => this.lab.setSetting(path, input.value.trim())});
      return {path, input, node: field(label, input)};
    });
    return make("details", {className: "group"}, make("summary", {}, "Run"), make("div", {className: "settings"}, ...this.settingFields.map((f) => f.node)));
  }
  refresh() {
    for (const [name, row] of this.rows) {
      const moved = name in this.lab.values, value = this.lab.values[name] ?? row.value;
      row.row.classList.toggle("moved", moved);
      if (document.activeElement !== row.number) row.number.value = String(Number(value.toPrecision(12)));
      if (document.activeElement !== row.slider) {
        if (value < Number(row.slider.min)) row.slider.min = String(value);
        if (value > Number(row.slider.max)) row.slider.max = String(value);
        row.slider.value = String(value);
      }
    }
    for (const f of this.settingFields ?? []) if (document.activeElement !== f.input) f.input.value = this.lab.settings[f.path] ?? "";
  }
}
