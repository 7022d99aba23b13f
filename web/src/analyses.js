// Analyses: forms, the commands of the program that answer them, shared over the workers, and pictures that fill in as answers come.
import {options} from "./address.js";
import {Chart} from "./chart.js";
import {ink} from "./colours.js";
import {Stopped} from "./crew.js";
import {digestOf, fingerprintOf} from "./digest.js";
import {choice, digits, field, make, tableOf} from "./elements.js";
import {knobs} from "./ranges.js";

/** The values that FROM:TO:COUNT means on the command line. @param {number} from @param {number} to @param {number} count */
export function axisValues(from, to, count) {
  return Array.from({length: count}, (_, k) => (k === 0 ? from : k === count - 1 ? to : Number((from + (to - from) * (k / (count - 1))).toPrecision(15))));
}
/** Numbers in an order that shows the whole coarsely first. @param {number} count */
function coarseFirst(count) {
  const order = [], seen = new Set();
  for (let stride = 2 ** Math.ceil(Math.log2(Math.max(2, count))); stride >= 1; stride /= 2)
    for (let k = 0; k < count; k += stride) if (!seen.has(k)) { seen.add(k); order.push(k); }
  return order;
}

const WORTH = ["mu", "Gamma", "F", "A", "omega", "Omega", "f", "e", "rho", "r"];

/** What all analyses have: a form, a button, progress, a picture, the command. */
export class Analysis {
  /** @param {import("./lab.js").Lab} lab @param {string} name @param {string[]} commands of the program @param {string} hint */
  constructor(lab, name, commands, hint) {
    this.lab = lab;
    this.name = name;
    this.commands = commands;
    /** @type {any} */
    this.form = {};
    this.key = "";
    this.wanted = /** @type {{words: string[], start: boolean} | undefined} */ (undefined);
    this.command = /** @type {string[] | undefined} */ (undefined);
    this.digest = ""; // of the result, as the command line writes it with --json
    this.fingerprint = ""; // of all that it writes, where it writes no digest
    this.fields = make("div", {className: "form"});
    this.go = make("button", {className: "primary", onclick: () => this.start()}, "Compute");
    this.end = make("button", {className: "stop", hidden: true, onclick: () => this.lab.crew.stop()}, "Stop");
    this.bar = make("progress", {max: 1, value: 0, hidden: true, "aria-label": "progress"});
    this.status = make("p", {className: "soft", role: "status"}, hint);
    this.picture = make("div", {className: "picture"});
    this.more = make("div", {className: "more"});
    this.chart = new Chart(this.picture, {name, pick: (x, y) => this.pick(x, y)});
    this.chart.canvas.hidden = true;
    this.node = make("section", {className: "card analysis", "aria-label": name}, this.fields, make("div", {className: "go"}, this.go, this.end, this.bar), this.status, this.picture, this.more);
    lab.on("about", () => { if (this.node.isConnected) this.shown(); else this.stale = true; });
  }
  shown() {
    this.choices = knobs(this.lab.about);
    const key = JSON.stringify(this.choices.map((k) => k.name));
    if (key !== this.key) { this.key = key; this.form = this.defaults(); }
    const {wanted} = this;
    this.wanted = undefined;
    if (wanted) this.fillIn(options(wanted.words));
    this.fields.replaceChildren(...this.buildFields());
    if (wanted?.start) this.start();
  }
  /** What an address wants of this tab; filled in once the scenario is read. @param {string[]} words @param {boolean} start */
  want(words, start) { this.wanted = {words, start}; }
  /** The form as the options of the command say. @param {Map<string, string[]>} given */
  fillIn(given) {
    const [over] = given.get("over") ?? [];
    if (this.form.over && over) this.form.over = this.readRange(over, this.form.over);
    const [observe] = given.get("observe")?.[0].split(",") ?? [];
    if (observe && "observe" in this.form && this.observables().includes(observe)) this.form.observe = observe;
  }
  /** NAME=FROM:TO:COUNT, where the scenario has the name and these are numbers. @param {string} text @param {any} otherwise */
  readRange(text, otherwise) {
    const [, name, range] = /^([^=]*)=(.*)$/.exec(text) ?? [], [low, high, count] = (range ?? "").split(":").map(Number);
    if (!(this.choices ?? []).some((k) => k.name === name) || !Number.isFinite(low) || !Number.isFinite(high)) return otherwise;
    return {name, low, high, ...(otherwise.count ? {count: count > 0 ? Math.min(count, 10000) : otherwise.count} : {})};
  }
  /** What can be observed. @returns {string[]} */
  observables() { return this.lab.about.columns; }
  /** @returns {any} */
  defaults() { return {}; }
  /** @returns {Node[]} */
  buildFields() { return []; }
  /** @param {number} x @param {number} y */
  pick(x, y) { void x, void y; }
  pictures() { return [{name: this.name.toLowerCase(), chart: this.chart}]; }

  // ---- parts of forms ----
  /** A name with a range. @param {string} key @param {string} label @param {(k: any) => boolean} [which] */
  rangeFields(key, label, which = () => true) {
    const names = (this.choices ?? []).filter(which).map((k) => k.name), it = this.form[key];
    return [field(label, choice(names, it.name, (name) => { this.form[key] = this.rangeOf(name, it.count); this.shown(); }, label)), this.numberField(it, "low", "from"), this.numberField(it, "high", "to"), ...(it.count ? [this.numberField(it, "count", "points")] : [])];
  }
  /** @param {any} it @param {string} key @param {string} label */
  numberField(it, key, label) {
    const input = make("input", {type: "number", step: "any", value: it[key], onchange: () => { const v = Number(input.value); if (input.value !== "" && Number.isFinite(v)) it[key] = v; input.value = String(it[key]); }});
    return field(label, input);
  }
  /** @param {string} name @param {number} [count] */
  rangeOf(name, count) {
    const knob = (this.choices ?? []).find((k) => k.name === name);
    return {name, low: knob ? knob.low : 0, high: knob ? knob.high : 1, count};
  }
  /** The parameter that is most worth varying: what `lab:` names first, else a coefficient that many papers vary. @param {number} [count] */
  firstRange(count) {
    const said = /^lab:\s*\n((?: {2}.*\n?)*)/m.exec(this.lab.about.scenario)?.[1].match(/^ {2}["']?([^\s:"']+)/gm)?.map((line) => line.trim().replace(/["']/g, ""));
    const all = this.choices ?? [], mine = all.filter((k) => !k.derived && k.group === "parameters").map((k) => k.name);
    const name = said?.find((n) => all.some((k) => k.name === n)) ?? WORTH.find((n) => mine.includes(n)) ?? mine[0] ?? all[0]?.name ?? "";
    return this.rangeOf(name, count);
  }
  /** @param {any} range */
  overText(range) { return `${range.name}=${range.low}:${range.high}${range.count ? ":" + range.count : ""}`; }

  // ---- computing ----
  /** The whole command, as one would type it. @returns {string[]} */
  words() { return []; }
  async start() {
    this.go.disabled = true;
    this.end.hidden = this.bar.hidden = false;
    this.bar.value = 0;
    this.status.textContent = "computing …";
    this.status.classList.remove("bad");
    this.more.replaceChildren();
    this.began = performance.now();
    this.digest = this.fingerprint = "";
    this.command = ["carom", ...this.words(), ...this.lab.changes()];
    this.lab.tell("changed");
    try {
      await this.compute();
      const proof = this.digest || this.fingerprint;
      this.status.textContent = `${this.report()}${proof ? ` · digest ${proof}` : ""} · ${((performance.now() - this.began) / 1000).toFixed(2)} s on ${Math.max(1, this.used ?? 1)} ${(this.used ?? 1) > 1 ? "workers" : "worker"}`;
    } catch (error) {
      this.status.textContent = error instanceof Stopped ? "stopped: what was computed stays" : String(/** @type {any} */ (error).message);
      this.status.classList.toggle("bad", !(error instanceof Stopped));
    }
    this.go.disabled = false;
    this.end.hidden = this.bar.hidden = true;
    this.lab.tell("changed");
  }
  async compute() {}
  report() { return "done"; }
  /** @param {string[][]} commands @param {(k: number, answer: any) => void} each */
  async shareOut(commands, each) {
    const {crew, files} = this.lab;
    this.used = Math.min(crew.size, commands.length);
    const changes = this.lab.changes();
    await crew.share(files, commands.map((words) => [...words, ...changes, "--json"]), (k, answer) => {
      const told = JSON.parse(answer.text || "{}");
      if (told.error && !told.rows) throw new Error(told.error.text);
      each(k, {...answer, told});
    }, (part) => { this.bar.value = part; });
  }
  /** One command of its own. @param {string[]} words @param {(points: any[]) => void} [some] takes points that are known before the end */
  async ask(words, some = () => {}) {
    let found = /** @type {any} */ (null), wrong = "";
    await this.lab.crew.share(this.lab.files, [[...words, ...this.lab.changes(), "--json"]], (_, answer) => {
      found = {...answer, told: JSON.parse(answer.text || "{}")};
      if (found.told.error) wrong = found.told.error.text;
    }, (part, points) => { this.bar.value = part; if (points?.length) some(points); });
    if (wrong) throw new Error(wrong);
    this.used = 1;
    this.digest = found.told.digest ?? "";
    this.fingerprint = this.digest ? "" : await fingerprintOf(found.text);
    return found;
  }
  /** @param {any} what */
  draw(what) {
    this.chart.canvas.hidden = false;
    this.chart.set(what);
  }
}

const FILE = (/** @type {Analysis} */ it) => it.lab.name;

/** One observable along a parameter. */
export class Sweep extends Analysis {
  /** @param {import("./lab.js").Lab} lab */
  constructor(lab) { super(lab, "Sweep", ["sweep"], "An observable along a parameter: one run per point."); }
  defaults() { return {over: this.firstRange(81), observe: this.lab.about.observables[0]?.name ?? this.lab.about.columns[0]}; }
  observables() { return [...this.lab.about.observables.map((/** @type {any} */ o) => o.name), ...this.lab.about.columns]; }
  buildFields() {
    return [...this.rangeFields("over", "vary"), field("observe", choice(this.observables(), this.form.observe, (n) => { this.form.observe = n; }, "observe"))];
  }
  words() { return ["sweep", FILE(this), "--over", this.overText(this.form.over), "--observe", this.form.observe]; }
  async compute() {
    const {over, observe} = this.form, values = axisValues(over.low, over.high, over.count), order = coarseFirst(values.length);
    const size = Math.max(1, Math.ceil(values.length / (6 * this.lab.crew.size))), commands = /** @type {number[][]} */ ([]), rows = /** @type {any[]} */ (values.map(() => null));
    for (let k = 0; k < order.length; k += size) commands.push(order.slice(k, k + size));
    let failed = 0;
    const words = (/** @type {number[]} */ part) => ["sweep", FILE(this), "--over", `${over.name}=${part.map((k) => values[k]).join(",")}`, "--observe", observe];
    try {
      await this.shareOut(commands.map(words), (k, {told}) => {
        told.rows.forEach((/** @type {any} */ row, /** @type {number} */ j) => { rows[commands[k][j]] = row; if (row.failure) failed++; });
        this.show(values, rows, observe);
      });
    } finally { this.rows = rows; this.failed = failed; }
    this.digest = digestOf(values.flatMap((v, k) => [v, rows[k]?.observables?.[observe] ?? NaN]));
  }
  /** @param {number[]} values @param {any[]} rows @param {string} observe */
  show(values, rows, observe) {
    const x = [], y = [], colours = [], words = new Map();
    for (let k = 0; k < values.length; k++) {
      if (!rows[k]) continue;
      const kind = rows[k].regime ?? rows[k].word ?? "";
      if (!words.has(kind)) words.set(kind, ink.series[words.size % 8]);
      x.push(values[k]); y.push(rows[k].observables?.[observe] ?? NaN); colours.push(words.get(kind));
    }
    const {over} = this.form;
    this.draw({x: [over.low, over.high], layers: [{kind: "line", x, y, colour: ink.soft, alpha: 0.5, width: 1}, {kind: "points", x, y, colours, radius: 2.4}], labels: {x: over.name, y: observe}});
    legend(this.more, words);
  }
  report() { return `${this.rows?.filter(Boolean).length} points${this.failed ? `, ${this.failed} failed` : ""}`; }
  /** @param {number} x */
  pick(x) { this.lab.setValue(this.form.over.name, Number(x.toPrecision(6))); }
  table() { return {columns: [this.form.over.name, this.form.observe, "word", "regime"], rows: (this.rows ?? []).filter(Boolean).map((r) => [r[this.form.over.name], r.observables?.[this.form.observe], r.word ?? "", r.regime ?? ""])}; }
}

/** @param {HTMLElement} host @param {Map<string, string>} kinds */
function legend(host, kinds) {
  const named = [...kinds].filter(([name]) => name);
  host.replaceChildren(make("div", {className: "legend"}, ...named.slice(0, 16).map(([name, colour]) => { const swatch = make("i"); swatch.style.background = colour; return make("span", {}, swatch, name); })));
}

export class Bifurcation extends Analysis {
  /** @param {import("./lab.js").Lab} lab */
  constructor(lab) { super(lab, "Bifurcation", ["bifurcate"], "The attractor along a parameter, seen where it crosses a section: up and down again."); }
  defaults() { return {over: this.firstRange(60), section: this.sections()[0] ?? "", observe: this.lab.about.columns[0], how: "up and down"}; }
  /** @param {Map<string, string[]>} given */
  fillIn(given) {
    super.fillIn(given);
    const [section] = given.get("section") ?? [];
    if (this.sections().includes(section)) this.form.section = section;
    this.form.how = given.has("both") ? "up and down" : given.has("fresh") ? "fresh starts" : "up";
  }
  sections() { const a = this.lab.about; return [...a.sections, ...a.contacts, ...a.events].map((/** @type {any} */ s) => s.name); }
  buildFields() {
    return [...this.rangeFields("over", "vary", (k) => k.group === "parameters"), field("section", choice(this.sections(), this.form.section, (n) => { this.form.section = n; }, "section")),
      field("observe", choice(this.lab.about.columns, this.form.observe, (n) => { this.form.observe = n; }, "observe")), field("how", choice(["up and down", "up", "fresh starts"], this.form.how, (n) => { this.form.how = n; }, "how"))];
  }
  /** @param {string} over */
  asked(over) {
    const {section, observe, how} = this.form;
    return ["bifurcate", FILE(this), "--over", over, ...(section ? ["--section", section] : []), "--observe", observe, ...(how === "up and down" ? ["--both"] : how === "up" ? [] : ["--fresh"])];
  }
  words() { return this.asked(this.overText(this.form.over)); }
  async compute() {
    const {over, how} = this.form;
    this.points = /** @type {any[][]} */ ([]);
    this.changes = /** @type {any[][]} */ ([]);
    const take = (/** @type {any} */ answer) => {
      this.points = [...(this.points ?? []), ...(answer.tables.points?.rows ?? [])];
      this.changes = [...(this.changes ?? []), ...(answer.tables.changes?.rows ?? [])];
      this.show();
    };
    if (how !== "fresh starts") {
      const whole = await this.ask([...this.words(), "--out", "page"], (rows) => { this.points = [...(this.points ?? []), ...rows]; this.show(); });
      this.points = /** @type {any[][]} */ ([]);
      take(whole);
      return;
    }
    const values = axisValues(over.low, over.high, over.count), order = coarseFirst(values.length), size = Math.max(1, Math.ceil(values.length / (6 * this.lab.crew.size)));
    const commands = [];
    for (let k = 0; k < order.length; k += size) commands.push([...this.asked(`${over.name}=${order.slice(k, k + size).map((j) => values[j]).join(",")}`), "--out", "page"]);
    await this.shareOut(commands, (_, answer) => take({...answer, tables: {points: answer.tables.points}}));
    const crossed = new Map(values.map((v) => [v, /** @type {number[]} */ ([])]));
    for (const [value, , crossing, y] of this.points ?? []) if (crossing >= 0) crossed.get(value)?.push(y);
    this.digest = digestOf([...crossed].flat(2));
  }
  show() {
    const {over, observe} = this.form, split = (/** @type {number} */ d) => (this.points ?? []).filter((row) => (d < 0 ? row[1] < 0 : row[1] >= 0));
    const up = split(1), down = split(-1);
    // few crossings are large points
    const radius = up.length + down.length > 20000 ? 0.8 : up.length + down.length > 8000 ? 1.1 : 2;
    this.draw({x: [over.low, over.high], layers: [{kind: "points", x: up.map((r) => r[0]), y: up.map((r) => r[3]), colour: ink.series[0], radius}, {kind: "points", x: down.map((r) => r[0]), y: down.map((r) => r[3]), colour: ink.series[1], radius: 0.7 * radius}], labels: {x: over.name, y: observe}});
    legend(this.more, new Map([[down.length ? "up" : "", ink.series[0]], [down.length ? "down" : "", ink.series[1]]]));
    if (this.changes?.length) this.more.append(tableOf([over.name, "way", "before", "after"], this.changes.slice(0, 30).map((c) => [c[0], c[1] < 0 ? "down" : "up", c[5], c[6]])));
  }
  report() { return `${new Set(this.points?.map((p) => p[0] + "/" + p[1])).size} values, ${this.points?.length} crossings`; }
  /** @param {number} x */
  pick(x) { this.lab.setValue(this.form.over.name, Number(x.toPrecision(6))); }
  table() { return {columns: [this.form.over.name, "direction", "crossing", this.form.observe, "period", "word"], rows: (this.points ?? []).map((r) => r.slice(0, 6))}; }
}

const ALL = "all observables";

/** Which start, or which pair of parameters, leads to which motion: coarse first, refined at boundaries while one watches. */
export class Basin extends Analysis {
  /** @param {import("./lab.js").Lab} lab */
  constructor(lab) { super(lab, "Basin and map", ["basin", "map"], "Which motion each point of a plane leads to: coarse first, then finer at boundaries. A click starts the motion of that point."); }
  defaults() {
    const start = (this.choices ?? []).filter((k) => k.group === "start"), two = start.length >= 2 ? [start[0].name, start[1].name] : (this.choices ?? []).slice(0, 2).map((k) => k.name);
    return {x: this.rangeOf(two[0]), y: this.rangeOf(two[1] ?? two[0]), size: {levels: 3}};
  }
  observables() { return [...this.lab.about.observables.map((/** @type {any} */ o) => o.name), ...this.lab.about.columns]; }
  /** The finest grid of the page has 8 cells times a power of two along each side. @param {Map<string, string[]>} given */
  fillIn(given) {
    const [across, upwards] = given.get("over") ?? [], refine = Number(given.get("refine")?.[0] ?? 0), count = Number(across?.split(":")[2]);
    if (across) this.form.x = this.readRange(across, this.form.x);
    if (upwards) this.form.y = this.readRange(upwards, this.form.y);
    if (count > 1) this.form.size = {levels: Math.max(0, Math.min(6, Math.round(Math.log2((count - 1) / 8) + refine)))};
    const apart = given.get("observe")?.[0] ?? "";
    if (this.observables().includes(apart)) this.form.apart = apart;
  }
  buildFields() {
    return [...this.rangeFields("x", "across"), ...this.rangeFields("y", "upwards"), this.numberField(this.form.size, "levels", "refinements"),
      field("told apart by", choice([ALL, ...this.observables()], this.form.apart ?? ALL, (n) => { this.form.apart = n; }, "told apart by"))];
  }
  /** What tells motions apart besides word and regime, where it is not all observables. */
  apart() { const {apart} = this.form; return apart && apart !== ALL ? [apart] : []; }
  observed() { return this.apart().flatMap((name) => ["--observe", name]); }
  words() { const n = 9, {x, y, size} = this.form; return ["basin", FILE(this), "--over", `${x.name}=${x.low}:${x.high}:${n}`, "--over", `${y.name}=${y.low}:${y.high}:${n}`, ...this.observed(), "--refine", String(size.levels)]; }
  async compute() {
    const {x, y, size} = this.form, levels = Math.max(0, Math.min(6, Math.round(size.levels)));
    this.cells = new Map(); // "i/j" on the finest grid
    this.kinds = /** @type {any[]} */ ([]);
    this.runs = 0;
    const finest = 8 * 2 ** levels;
    this.grid = {xs: axisValues(x.low, x.high, finest + 1), ys: axisValues(y.low, y.high, finest + 1)};
    const supposed = new Set(); // cells that were not run, as all around them was of one kind
    for (let level = 0; level <= levels; level++) {
      const stride = 2 ** (levels - level), wanted = /** @type {number[][]} */ ([]);
      for (let i = 0; i <= finest; i += stride)
        for (let j = 0; j <= finest; j += stride) {
          if (this.cells.has(`${i}/${j}`)) continue;
          const same = level > 0 ? this.surrounded(i, j, 2 * stride) : null;
          if (same === null) { wanted.push([i, j]); continue; }
          this.cells.set(`${i}/${j}`, same);
          supposed.add(`${i}/${j}`);
        }
      // a narrow band that the coarser grid had missed shows beside them: they are run after all
      for (let next = wanted; next.length; next = this.doubtful(supposed, stride)) {
        for (const [i, j] of next) supposed.delete(`${i}/${j}`);
        await this.runCells(next, stride);
      }
    }
  }
  /** Supposed cells with a neighbour of another kind. @param {Set<string>} supposed @param {number} stride */
  doubtful(supposed, stride) {
    return [...supposed].map((key) => key.split("/").map(Number)).filter(([i, j]) => {
      const own = this.cells?.get(`${i}/${j}`);
      return [[i - stride, j], [i + stride, j], [i, j - stride], [i, j + stride]].some(([a, b]) => (this.cells?.get(`${a}/${b}`) ?? own) !== own);
    });
  }
  /** @param {number[][]} wanted @param {number} stride */
  async runCells(wanted, stride) {
    const {x, y} = this.form, columns = new Map();
    for (const [i, j] of wanted) columns.set(i, [...(columns.get(i) ?? []), j]);
    const parts = [...columns].flatMap(([i, js]) => Array.from({length: Math.ceil(js.length / 6)}, (_, k) => ({i, js: js.slice(6 * k, 6 * k + 6)})));
    await this.shareOut(parts.map(({i, js}) => ["sweep", FILE(this), "--over", `${x.name}=${this.grid?.xs[i]}`, "--over", `${y.name}=${js.map((/** @type {number} */ j) => this.grid?.ys[j]).join(",")}`, ...this.observed()]), (k, {told}) => {
      told.rows.forEach((/** @type {any} */ row, /** @type {number} */ j) => { this.cells?.set(`${parts[k].i}/${parts[k].js[j]}`, this.kindOf(row)); this.runs = (this.runs ?? 0) + 1; });
      const now = performance.now();
      if (now - (this.painted ?? 0) > 120) { this.painted = now; this.show(stride); }
    });
    this.show(stride);
  }
  /** The motion of all four neighbours on the coarser grid, if it is one. @param {number} i @param {number} j @param {number} stride */
  surrounded(i, j, stride) {
    const i0 = Math.floor(i / stride) * stride, j0 = Math.floor(j / stride) * stride, i1 = i === i0 ? i0 : i0 + stride, j1 = j === j0 ? j0 : j0 + stride;
    const all = [[i0, j0], [i1, j0], [i0, j1], [i1, j1]].map(([a, b]) => this.cells?.get(`${a}/${b}`));
    // as carom basin does: only inside a region whose wider surroundings are of one kind too
    const wide = [[i0 - stride, j0], [i1 + stride, j0], [i0, j0 - stride], [i0, j1 + stride]].map(([a, b]) => this.cells?.get(`${a}/${b}`) ?? all[0]);
    return all.every((v) => v === all[0] && v !== undefined) && wide.every((v) => v === all[0]) ? all[0] : null;
  }
  /** Attractors are told apart by regime, word and observables (1 %). @param {any} row */
  kindOf(row) {
    if (row.failure) return -1;
    const values = Object.values(row.observables ?? {}), kinds = this.kinds ?? [];
    const near = (/** @type {any} */ a, /** @type {any} */ b) => a === b || (a !== null && b !== null && Math.abs(a - b) <= 0.01 * Math.max(Math.abs(a), Math.abs(b), 1e-9));
    let k = kinds.findIndex((kind) => kind.regime === row.regime && kind.word === row.word && (row.regime !== null || kind.values.every((/** @type {any} */ v, /** @type {number} */ j) => near(v, values[j]))));
    if (k < 0) k = kinds.push({regime: row.regime, word: row.word, values, row}) - 1;
    return k;
  }
  /** @param {number} k */
  colour(k) { return k < 0 ? ink.line : k < 8 ? ink.series[k] : `hsl(${(k * 47) % 360} 45% ${45 + (k * 13) % 25}%)`; }
  /** @param {number} stride */
  show(stride) {
    const {x, y} = this.form, grid = this.grid, cells = [];
    if (!grid || !this.cells) return;
    const wide = (x.high - x.low) / (grid.xs.length - 1) * stride / 2, tall = (y.high - y.low) / (grid.ys.length - 1) * stride / 2;
    for (const [key, kind] of this.cells) {
      const [i, j] = key.split("/").map(Number);
      cells.push({x: [grid.xs[i] - wide, grid.xs[i] + wide], y: [grid.ys[j] - tall, grid.ys[j] + tall], fill: this.colour(kind)});
    }
    this.draw({x: [x.low - wide, x.high + wide], y: [y.low - tall, y.high + tall], layers: [{kind: "cells", cells}], labels: {x: x.name, y: y.name}, keepZoom: true});
    const counts = new Map();
    for (const kind of this.cells.values()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    const total = this.cells.size;
    this.more.replaceChildren(tableOf(["", "motion", "share", ...(this.apart().length ? this.apart() : this.lab.about.observables.slice(0, 4).map((/** @type {any} */ o) => o.name))], [...counts].sort((a, b) => b[1] - a[1]).slice(0, 12).map(([kind, count]) => {
      const swatch = make("i", {className: "swatch"}); swatch.style.background = this.colour(kind);
      const about = this.kinds?.[kind];
      return [swatch, kind < 0 ? "failed" : about?.regime || about?.word || `motion ${kind + 1}`, `${(100 * count / total).toFixed(1)} %`, ...(about?.values.slice(0, 4).map((/** @type {any} */ v) => digits(v, 5)) ?? [])];
    })));
  }
  report() { return `${this.kinds?.length === 1 ? "1 motion" : `${this.kinds?.length} motions`}, ${this.runs} runs for ${this.cells?.size} points`; }
  /** @param {number} x @param {number} y */
  pick(x, y) {
    this.chart.spot = [x, y];
    this.chart.draw();
    this.lab.values = {...this.lab.values, [this.form.x.name]: Number(x.toPrecision(7)), [this.form.y.name]: Number(y.toPrecision(7))};
    this.lab.tell("changed");
    this.lab.run();
  }
  table() { return {columns: [this.form.x.name, this.form.y.name, "motion"], rows: [...(this.cells ?? [])].map(([key, kind]) => { const [i, j] = key.split("/").map(Number); return [this.grid?.xs[i], this.grid?.ys[j], kind + 1]; })}; }
}

export class Orbit extends Analysis {
  /** @param {import("./lab.js").Lab} lab */
  constructor(lab) { super(lab, "Orbit", ["orbit"], "The periodic motion near the end of the run, with its multipliers."); }
  words() { return ["orbit", FILE(this)]; }
  async compute() {
    const answer = await this.ask([...this.words(), "--out", "page"]), turn = answer.tables.turn, told = answer.told;
    this.told = told;
    this.turn = turn;
    const column = (/** @type {number} */ k) => turn.rows.map((/** @type {number[]} */ r) => r[k]), a = 1, rate = turn.columns.indexOf(turn.columns[1] + "'"), b = rate > 0 ? rate : Math.min(2, turn.columns.length - 1);
    const xs = column(a), ys = column(b), pad = 0.06 * (Math.max(...xs) - Math.min(...xs)) || 1;
    this.draw({x: [Math.min(...xs) - pad, Math.max(...xs) + pad], layers: [{kind: "line", x: xs, y: ys, ordered: false, colour: ink.accent, width: 1.8}], labels: {x: turn.columns[a], y: turn.columns[b].replaceAll("'", "′")}});
    const list = told.multipliers ?? [], modulus = (/** @type {any} */ m) => Math.hypot(m.re, m.im);
    const host = make("div", {className: "circle"});
    this.more.replaceChildren(make("div", {className: "two"}, host, make("div", {}, tableOf([], [["stability", told.stability], ["period", told.period ?? NaN], ["word", told.word ?? ""], ["residual", told.residual ?? NaN]]),
      tableOf(["multiplier", "re", "im", "modulus"], list.map((/** @type {any} */ m, /** @type {number} */ k) => [String(k + 1), m.re, m.im, modulus(m)])), told.extinguished ? make("p", {className: "soft"}, `${told.extinguished} multipliers are 0: stick and plastic impacts extinguish them`) : null)));
    const circle = Array.from({length: 101}, (_, k) => 2 * Math.PI * k / 100), most = Math.max(1.15, ...list.map(modulus)) * 1.1;
    const plane = new Chart(host, {name: "multipliers"});
    plane.set({x: [-most, most], y: [-most, most], layers: [{kind: "line", x: circle.map(Math.cos), y: circle.map(Math.sin), ordered: false, colour: ink.soft}, {kind: "points", x: list.map((/** @type {any} */ m) => m.re), y: list.map((/** @type {any} */ m) => m.im), colour: ink.mark, radius: 4}], labels: {x: "re", y: "multipliers"}});
  }
  report() { return `${this.told.stability}, period ${digits(this.told.period, 12)}`; }
  table() { return this.turn; }
}

export class Branch extends Analysis {
  /** @param {import("./lab.js").Lab} lab */
  constructor(lab) { super(lab, "Branch", ["continue"], "A periodic motion or an equilibrium followed along a parameter, stable or not, through folds."); }
  defaults() {
    const over = this.firstRange(), knob = (this.choices ?? []).find((k) => k.name === over.name), value = this.lab.values[over.name] ?? knob?.value ?? over.low;
    return {over: {...over, low: value, high: over.high}, of: "periodic motion", observe: this.lab.about.columns[0]};
  }
  buildFields() {
    return [...this.rangeFields("over", "along", (k) => k.group === "parameters"), field("of", choice(["periodic motion", "equilibrium"], this.form.of, (n) => { this.form.of = n; }, "of")), field("draw", choice(this.observables(), this.form.observe, (n) => { this.form.observe = n; if (this.points) this.show(); }, "draw"))];
  }
  observables() { return [...this.lab.about.coordinates.flatMap((/** @type {any} */ c) => [c.name, c.name + "'"]), ...this.lab.about.states.map((/** @type {any} */ s) => s.name)]; }
  /** @param {Map<string, string[]>} given */
  fillIn(given) {
    super.fillIn(given);
    this.form.of = given.has("equilibrium") ? "equilibrium" : "periodic motion";
  }
  words() { return ["continue", FILE(this), "--over", this.overText(this.form.over), ...(this.form.of === "equilibrium" ? ["--equilibrium"] : [])]; }
  async compute() {
    const answer = await this.ask([...this.words(), "--out", "page"]);
    this.points = answer.tables.points;
    this.show();
  }
  show() {
    const {columns, rows} = this.points, at = (/** @type {string} */ name) => columns.indexOf(name), {over, observe} = this.form;
    const y = at("top of " + observe) >= 0 ? at("top of " + observe) : at(observe), x = at(over.name), stability = at("stability"), branch = at("branch"), labels = at("label");
    const layers = [];
    for (let k = 0; k < rows.length;) {
      let end = k + 1;
      while (end < rows.length && rows[end][branch] === rows[k][branch] && rows[end][stability] === rows[k][stability]) end++;
      const part = rows.slice(k, Math.min(rows.length, end < rows.length && rows[end][branch] === rows[k][branch] ? end + 1 : end)), stable = rows[k][stability].startsWith("stable");
      layers.push({kind: /** @type {const} */ ("line"), x: part.map((/** @type {any} */ r) => r[x]), y: part.map((/** @type {any} */ r) => r[y]), ordered: false, colour: stable ? ink.accent : ink.mark, width: 2, dash: stable ? undefined : [6, 4]});
      k = end;
    }
    const special = rows.filter((/** @type {any} */ r) => r[labels] && r[labels] !== "none");
    layers.push({kind: /** @type {const} */ ("points"), x: special.map((/** @type {any} */ r) => r[x]), y: special.map((/** @type {any} */ r) => r[y]), colour: ink.text, radius: 3.5});
    const xs = rows.map((/** @type {any} */ r) => r[x]), low = Math.min(...xs), high = Math.max(...xs), pad = 0.04 * (high - low) || 1;
    this.draw({x: [low - pad, high + pad], layers, labels: {x: over.name, y: columns[y].replaceAll("'", "′")}});
    legend(this.more, new Map([["stable", ink.accent], ["unstable", ink.mark]]));
    this.more.append(tableOf(["point", over.name, "stability", "period", "word"], special.map((/** @type {any} */ r) => [r[labels], r[x], r[stability], r[at("period")] ?? NaN, r[at("word")] ?? ""])));
  }
  report() { return `${this.points.rows.length} points`; }
  table() { return this.points; }
}

export class Lyapunov extends Analysis {
  /** @param {import("./lab.js").Lab} lab */
  constructor(lab) { super(lab, "Lyapunov", ["lyapunov"], "How fast neighbouring motions part: the exponents, and how their averages settle."); }
  words() { return ["lyapunov", FILE(this)]; }
  async compute() {
    const answer = await this.ask([...this.words(), "--out", "page"]), {course, exponents} = answer.tables, row = exponents.rows[0];
    this.course = course;
    const t = course.rows.map((/** @type {number[]} */ r) => r[0]);
    this.draw({x: [0, Math.max(...t, 1e-9)], layers: course.columns.slice(1).map((/** @type {string} */ _, /** @type {number} */ k) => ({kind: "line", x: t, y: course.rows.map((/** @type {number[]} */ r) => r[k + 1]), colour: ink.series[k % 8], width: 1.8})), labels: {x: "averaged over", y: "exponents"}});
    const found = exponents.columns.flatMap((/** @type {string} */ name, /** @type {number} */ k) => (name.startsWith("exponent ") && row[k] !== null ? [[name.slice(9), row[k], row[k + 1]]] : []));
    this.largest = found[0]?.[1];
    this.more.replaceChildren(tableOf(["", "exponent", "standard error"], found), row[exponents.columns.indexOf("extinguished")] ? make("p", {className: "soft"}, `${row[exponents.columns.indexOf("extinguished")]} exponents are −∞: stick and plastic impacts extinguish them`) : make("span"));
  }
  report() { return `largest exponent ${digits(this.largest, 6)}`; }
  table() { return this.course; }
}

export class Convergence extends Analysis {
  /** @param {import("./lab.js").Lab} lab */
  constructor(lab) { super(lab, "Convergence", ["converge"], "Which digits hold: the same run again with tighter tolerances."); }
  words() { return ["converge", FILE(this)]; }
  async compute() {
    const {told} = await this.ask(this.words());
    this.told = told;
    const rows = Object.entries({...told.observables, ...told.final}).map(([name, v]) => [name, v.value ?? NaN, v.tightest ?? NaN, v.digits === null ? "all" : digits(v.digits, 3)]);
    this.more.replaceChildren(tableOf(["", "value", "tightest", "digits that hold"], rows), make("p", {className: "soft"}, told.motion !== "regular" ? `${told.motion}: trajectories part at t = ${digits(told.parted_at, 5)}` : "trajectories stay together to the end"));
  }
  report() { return this.told.same_events === false ? "the sequences of events differ" : "the same events in both runs"; }
}
