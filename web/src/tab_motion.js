// The motion: the bodies playing, time histories with modes and events, phase portrait, energy.
import {PlaneView, SpaceView, handle, indexAt, INK, MODES} from "carom-viewer";
import {Chart} from "./chart.js";
import {ink} from "./colours.js";
import {byId, choice, digits, make, tableOf} from "./elements.js";
import {KINDS, LEDGER} from "./motion.js";
import {SpaceStage, isAble} from "./space.js";

const MOST_EVENTS = 400, CYCLES = 10;

export class MotionTab {
  // what build() makes
  phase = /** @type {Chart} */ (/** @type {any} */ (null));
  energy = /** @type {Chart} */ (/** @type {any} */ (null));
  /** @type {Chart[]} */ charts = [];
  /** @type {any} */ energyLines;
  /** @type {any} */ ledgerOf;
  /** @param {import("./lab.js").Lab} lab */
  constructor(lab) {
    this.lab = lab;
    this.name = "Motion";
    this.commands = ["run"];
    this.t = NaN;
    this.playing = !matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.speed = 0;
    this.chosen = /** @type {string[]} */ ([]);
    this.given = ""; // of these, the force that nobody asked for
    this.usual = ""; // what is shown unasked
    this.wanted = /** @type {string[] | undefined} */ (undefined);
    this.axes = ["", ""];
    this.legendOf = ""; // the modes in it
    this.times = ""; // of the run that was learned last
    this.view = /** @type {any} */ (null);
    this.news = /** @type {"" | "more" | "new"} */ (""); // of the motion, since the last frame
    this.node = this.build();
    lab.on("about", () => this.learn());
    lab.on("asked", () => { this.stop.hidden = false; });
    lab.on("motion", () => { this.news = "new"; });
    lab.on("rows", () => { this.news ||= "more"; });
    lab.on("ended", () => { this.news ||= "more"; });
    requestAnimationFrame((now) => this.step(now));
  }
  build() {
    this.canvas = make("canvas", {id: "view", tabIndex: 0, role: "img", "aria-label": "the bodies in motion"});
    this.play = make("button", {id: "play", className: "primary", title: "play or pause (space)", onclick: () => this.toggle()}, "❚❚");
    this.scrub = make("input", {id: "scrub", type: "range", min: 0, max: 1, step: "any", value: 0, "aria-label": "time", oninput: () => { this.toggle(false); const m = this.lab.motion; if (m) this.seek(m.from + Number(this.scrub.value) * (m.until - m.from)); }});
    this.clock = make("output", {id: "clock"});
    this.speeds = make("select", {id: "speed", "aria-label": "speed", onchange: () => { this.speed = Number(this.speeds.value); this.speedChosen = true; }});
    this.trail = make("input", {type: "checkbox", checked: true, onchange: () => this.draw()});
    this.forces = make("input", {type: "checkbox", checked: true, onchange: () => this.draw()});
    this.hint = make("p", {className: "hint soft"});
    this.nothing = make("p", {className: "nothing", hidden: true}, "The scenario draws no shapes; the charts show its numbers.");
    handle(this.canvas, (/** @type {number} */ dx, /** @type {number} */ dy, /** @type {any} */ event) => { this.view?.drag(dx, dy, event); this.keepLook(); this.draw(); },
      (/** @type {number} */ factor, /** @type {number} */ x, /** @type {number} */ y) => { this.view?.zoomAt(factor, x, y); this.keepLook(); this.draw(); });
    const centre = (/** @type {number} */ factor) => { const box = this.canvas.getBoundingClientRect(); this.view?.zoomAt(factor, box.left + box.width / 2, box.top + box.height / 2); this.keepLook(); this.draw(); };
    const stage = make("section", {id: "stage", className: "card", "aria-label": "motion"}, this.canvas, this.nothing,
      make("div", {className: "player"}, this.play, this.scrub, this.clock),
      make("div", {className: "tools"}, this.speeds, make("button", {onclick: () => centre(1.3), title: "zoom in", "aria-label": "zoom in"}, "+"), make("button", {onclick: () => centre(1 / 1.3), title: "zoom out", "aria-label": "zoom out"}, "−"),
        make("button", {onclick: () => { this.view?.reset(); this.look = null; this.draw(); }, title: "see everything"}, "fit"),
        make("label", {}, this.trail, " trail"), make("label", {}, this.forces, " forces"),
        (this.stop = make("button", {id: "stop", className: "stop", hidden: true, onclick: () => this.lab.stop()}, "Stop"))), this.hint);
    this.picks = make("div", {className: "picks"});
    this.spans = make("div", {className: "picks spans", hidden: true}, ...[["cycles", `last ${CYCLES} cycles`], ["whole", "whole run"]].map(([span, name]) => make("button", {"data-span": span, onclick: () => { this.span = span; this.applySpan(); }}, name)));
    this.plots = make("div", {id: "plots"});
    this.legend = make("div", {className: "legend"});
    const histories = make("section", {id: "histories", className: "card", "aria-label": "time histories"}, make("div", {className: "heads"}, this.picks, this.spans), this.plots, this.legend);
    this.phasePicks = make("div", {className: "picks"});
    const phaseHost = make("section", {id: "phase", className: "card", "aria-label": "phase portrait"}, make("h2", {}, "Phase portrait"), this.phasePicks);
    this.phase = new Chart(phaseHost, {name: "phase portrait"});
    const energyHost = make("section", {id: "energy", className: "card", "aria-label": "energy"}, make("h2", {}, "Energy"));
    this.energy = new Chart(energyHost, {name: "energies over time", seek: (t) => this.seek(t)});
    this.ledger = make("div", {className: "ledger"});
    energyHost.append(this.ledger);
    this.results = make("section", {id: "results", className: "card", "aria-label": "results"});
    return make("div", {className: "motion"}, stage, histories, phaseHost, energyHost);
  }
  /** What is shown, as the words of a command: `carom plot` takes the same. */
  plotted() { return [["history", this.chosen], ["phase", this.axes]].flatMap(([kind, of]) => ["plot", String(kind), "--of", String(of)]); }
  words() { return ["run", this.lab.name, ...(String(this.plotted()) === this.usual ? [] : this.plotted())]; }
  /** What an address wants to see. @param {string[]} words */
  want(words) { this.wanted = words; if (this.lab.about && !this.lab.unread) this.show(); }
  show() {
    const names = (/** @type {string} */ kind) => this.wanted?.find((_, k, all) => all[k - 3] === "plot" && all[k - 2] === kind && all[k - 1] === "--of")?.split(",").filter((name) => this.known(name));
    const chosen = names("history"), axes = names("phase")?.filter((name) => this.lab.about.columns.includes(name));
    if (chosen?.length) this.chosen = chosen.slice(0, 6);
    if (axes?.length === 2) this.axes = axes;
    if (chosen?.length) this.given = "";
    this.wanted = undefined;
    this.buildPicks();
  }
  /** @param {string} name */
  known(name) { return this.lab.about.columns.includes(name) || this.lab.about.contacts.some((/** @type {any} */ c) => ["gap", "normal", "tangential"].some((what) => name === `${c.name}.${what}`)); }
  // ---- what the scenario has ----
  learn() {
    const {about} = this.lab, names = about.columns, first = about.coordinates[0]?.name ?? about.states[0]?.name ?? names[0];
    const known = (/** @type {string} */ n) => this.known(n);
    this.chosen = this.chosen.filter(known);
    const anew = !this.chosen.length || !this.axes.every((n) => names.includes(n));
    if (!this.chosen.length) {
      this.given = about.contacts.length ? `${about.contacts[0].name}.normal` : "";
      const more = about.coordinates.length > 1 ? about.coordinates[1].name : first + "'";
      this.chosen = [first, more, this.given].filter((n, k, all) => n && known(n) && all.indexOf(n) === k).slice(0, 3);
    }
    if (!this.axes.every((n) => names.includes(n))) this.axes = names.includes(first + "'") ? [first, first + "'"] : [names[0], names[1] ?? names[0]];
    this.forces.parentElement.hidden = !about.contacts.length;
    if (anew) this.usual = String(this.plotted());
    this.show();
    this.look = null;
    this.speedChosen = false;
    this.t = NaN;
    // the span of another run says nothing of this one
    const times = `${about.start} ${about.until}`;
    if (times === this.times) return;
    this.times = times;
    this.span = this.span === "whole" ? "whole" : "unknown";
    if (!this.lab.window) return;
    this.lab.window = null;
    this.lab.run();
  }
  /** Of a run of very many cycles that measures only after a while the last ones are shown, with all their samples: found out once the first run is over. @param {import("./motion.js").Motion} motion */
  chooseSpan(motion) {
    if (this.span !== "unknown" || !motion.summary || this.lab.window) return;
    const whole = motion.until - motion.from, cycle = motion.cycle(), many = whole / cycle;
    this.span = many > 40 && motion.about.measured_from > motion.about.start && this.lab.took < 4000 ? "cycles" : "whole";
    this.cycles = many > 40 ? CYCLES * cycle : 0;
    this.applySpan();
  }
  /** The force that is drawn unasked is one that is not zero throughout, where there is one. @param {import("./motion.js").Motion} motion */
  chooseForce(motion) {
    const k = this.chosen.indexOf(this.given || "-"), bears = (/** @type {string} */ name) => motion.series(name).some((force) => force > 0);
    this.given = "";
    if (k < 0 || bears(this.chosen[k])) return;
    const usual = String(this.plotted()) === this.usual;
    const other = motion.contactNames.map((/** @type {string} */ name) => `${name}.normal`).find(bears);
    this.chosen.splice(k, 1, ...(other ? [other] : []));
    if (usual) this.usual = String(this.plotted());
    this.buildPicks();
    this.changed(false);
  }
  applySpan() {
    const m = this.lab.motion, end = m ? m.reached : NaN;
    this.lab.window = this.span === "cycles" && Number.isFinite(end) ? [Math.max(m?.about.start ?? 0, end - (this.cycles ?? Infinity)), end] : null;
    this.t = NaN;
    for (const chart of [...this.charts, this.energy]) chart.zoom = null;
    this.speedChosen = false;
    if (this.lab.window || this.widened) this.lab.run();
    this.widened = Boolean(this.lab.window);
    this.tellSpan();
  }
  tellSpan() {
    this.spans.hidden = !this.cycles || this.span === "unknown";
    this.spans.querySelectorAll("button").forEach((/** @type {HTMLElement} */ button) => button.setAttribute("aria-pressed", String(button.dataset.span === this.span)));
  }
  buildPicks() {
    const {about} = this.lab, names = [...about.columns, ...about.contacts.flatMap((/** @type {any} */ c) => ["gap", "normal", "tangential"].map((what) => `${c.name}.${what}`))];
    const again = () => { this.buildPicks(); this.changed(false); };
    this.picks.replaceChildren(...this.chosen.map((name, k) => choice(names, name, (n) => { this.chosen[k] = n; again(); }, `history ${k + 1}`)),
      make("button", {title: "another history", "aria-label": "another history", disabled: this.chosen.length > 5, onclick: () => { this.chosen.push(names.find((n) => !this.chosen.includes(n)) ?? names[0]); again(); }}, "+"),
      make("button", {title: "one history less", "aria-label": "one history less", disabled: this.chosen.length < 2, onclick: () => { this.chosen.pop(); again(); }}, "−"));
    this.phasePicks.replaceChildren(choice(about.columns, this.axes[0], (n) => { this.axes[0] = n; this.changed(false); }, "across"), choice(about.columns, this.axes[1], (n) => { this.axes[1] = n; this.changed(false); }, "upwards"));
    this.plots.replaceChildren();
    this.charts = this.chosen.map((name) => new Chart(this.plots, {name, seek: (t) => this.seek(t), zoomed: (range) => this.zoom(range)}));
    this.legendOf = "";
  }
  /** The modes that occur. @param {Set<string>} letters */
  fillLegend(letters) {
    const modes = Object.entries(MODES).filter(([letter]) => letters.has(letter) && letter !== "?"), key = modes.map(([letter]) => letter).join("");
    if (key === this.legendOf) return;
    this.legendOf = key;
    this.legend.replaceChildren(...modes.map(([_, mode]) => { const swatch = make("i"); swatch.style.background = mode.fill; return make("span", {}, swatch, mode.name); }));
  }
  /** Histories share their time; a part of a long run is computed with all its samples. @param {[number, number] | null} range */
  zoom(range) {
    for (const chart of this.charts) { chart.zoom = range ? {x: range, y: chart.full.y} : null; chart.stale = true; chart.draw(); }
    clearTimeout(this.later);
    this.later = window.setTimeout(() => {
      const wide = range && this.lab.motion ? (this.lab.motion.about.until - this.lab.motion.about.start) / (range[1] - range[0]) : 1;
      const window = range && wide > 1.5 ? /** @type {[number, number]} */ ([range[0] - 0.1 * (range[1] - range[0]), range[1] + 0.1 * (range[1] - range[0])]) : null;
      if (!window && !this.lab.window) return;
      if (!window) { this.applySpan(); return; }
      this.lab.window = window;
      this.lab.run();
    }, 250);
  }
  // ---- a motion has come, or grown ----
  /** @param {boolean} fresh */
  changed(fresh) {
    const motion = this.lab.motion;
    this.news = "";
    this.stop.hidden = !this.lab.busy;
    if (!motion || !motion.time.count || !this.node.isConnected) return;
    this.makeView(motion, fresh);
    this.listSpeeds(motion);
    this.fill(motion);
    if (Number.isNaN(this.t) || this.t > motion.until || this.t < motion.from) this.t = this.lab.busy && this.t > motion.until ? this.t : motion.from;
    if (motion.summary) { this.tellResults(); this.chooseSpan(motion); this.chooseForce(motion); }
    this.draw();
  }
  /** @param {import("./motion.js").Motion} motion @param {boolean} fresh */
  makeView(motion, fresh) {
    const scene = motion.scene(), empty = !scene.parts.length || !scene.size;
    this.canvas.hidden = empty;
    this.nothing.hidden = !empty;
    if (empty) { this.view = null; return; }
    const run = {t: motion.t, contacts: motion.contacts()};
    const before = this.view?.box;
    const plain = scene.space ? new SpaceView(this.canvas, scene) : new PlaneView(this.canvas, scene, run);
    const again = scene.space && this.view instanceof SpaceStage && this.paper === INK.paper && this.view.renew(scene, plain);
    if (!again) {
      this.view?.release?.();
      this.view = scene.space && isAble() ? new SpaceStage(this.canvas, scene, plain, INK) : plain;
    }
    this.paper = INK.paper;
    const forces = scene.parts.some((/** @type {any} */ part) => part.kind === "force");
    this.hint.textContent = !scene.space ? "" : `Drag turns, shift-drag moves, wheel or two fingers zoom.${forces ? " Red: contact forces; amber: what friction allows (a tip on the rim slips)." : ""}`;
    // the picture stands still while a slider moves, unless bodies would leave it or become small
    if (!scene.space && before && (fresh || this.lab.busy)) {
      const now = this.view.box, inside = now[0] >= before[0] && now[1] >= before[1] && now[2] <= before[2] && now[3] <= before[3];
      const small = (now[2] - now[0]) * (now[3] - now[1]) < 0.25 * (before[2] - before[0]) * (before[3] - before[1]);
      if (inside && (!small || this.lab.busy)) this.view.box = before;
    }
    if (this.look) Object.assign(this.view, structuredClone(this.look));
  }
  keepLook() {
    const v = this.view;
    if (v) this.look = v.turn === undefined ? {zoom: v.zoom, shift: v.shift} : {zoom: v.zoom, shift: v.shift, turn: v.turn, tilt: v.tilt};
  }
  /** @param {import("./motion.js").Motion} motion */
  listSpeeds(motion) {
    if (this.speedChosen || (this.lab.busy && this.speed)) return;
    const whole = motion.about.until - motion.about.start, cycle = motion.cycle();
    const normal = Math.min(whole / 5, Math.max(whole / 300, Number.isFinite(cycle) ? 0.6 * cycle : whole / 10));
    this.speed = normal;
    this.speeds.replaceChildren(...[[0.1, "0.1 ×"], [0.25, "0.25 ×"], [0.5, "0.5 ×"], [1, "1 ×"], [2, "2 ×"], [4, "4 ×"], [10, "10 ×"]].map(([factor, name]) => make("option", {value: normal * Number(factor), selected: factor === 1}, String(name))),
      make("option", {value: 1}, "real time"));
  }
  /** @param {import("./motion.js").Motion} motion */
  fill(motion) {
    const t = motion.t, contacts = motion.contactNames.length;
    const impacts = motion.events.filter((e) => e.kind === 6 || e.kind === 12 || e.kind === 13).map((e) => e.t);
    const others = motion.events.filter((e) => e.kind === 0 || e.kind === 1 || e.kind === 2).map((e) => e.t);
    const spans = motion.contactNumbers.slice(0, 4).map((_, c) => motion.spans(c));
    const bands = spans.map((list, c) => ({kind: /** @type {const} */ ("bands"), row: c, rows: Math.min(contacts, 4), spans: list.map(([a, b, letter]) => [a, b, /** @type {any} */ (MODES)[letter]?.fill ?? "transparent"])}));
    this.fillLegend(new Set(spans.flatMap((list) => list.map(([_a, _b, letter]) => String(letter)))));
    const range = /** @type {[number, number]} */ (this.lab.window && motion.from >= this.lab.window[0] ? this.lab.window : [motion.about.start, this.lab.busy ? motion.layout.until : Math.max(motion.until, motion.about.start + 1e-9)]);
    this.charts.forEach((chart, k) => {
      const y = motion.series(this.chosen[k]);
      chart.put({x: range, layers: [...bands, {kind: "line", x: t, y, colour: ink.series[k % 8]}, {kind: "marks", x: impacts, colour: ink.mark}, {kind: "marks", x: others, colour: ink.soft}],
        labels: {y: this.withUnit(this.chosen[k]), x: k === this.charts.length - 1 ? "t" : ""}, bare: k < this.charts.length - 1, keepZoom: true});
    });
    const px = motion.series(this.axes[0]), py = motion.series(this.axes[1]), first = this.settled(motion);
    this.phase.put({x: rangeOf(px), layers: [{kind: "line", x: px.subarray(0, first + 1), y: py.subarray(0, first + 1), ordered: false, colour: ink.soft, alpha: 0.35, width: 1}, {kind: "line", x: px.subarray(first), y: py.subarray(first), ordered: false, colour: ink.accent, width: 1.3}],
      labels: {x: this.withUnit(this.axes[0]), y: this.withUnit(this.axes[1])}});
    this.fillEnergy(motion, range);
  }
  /** Samples before measuring are the way to the motion, not the motion. @param {import("./motion.js").Motion} motion */
  settled(motion) { return motion.about.measured_from > motion.about.start && motion.until > motion.about.measured_from ? indexAt(motion.t, motion.about.measured_from) : 0; }
  /** @param {import("./motion.js").Motion} motion @param {[number, number]} range */
  fillEnergy(motion, range) {
    // works and losses count from the first sample that is shown
    const since = (/** @type {number} */ k) => { const y = motion.ledgers[k].view(); return k < 2 ? y : y.map((v) => v - y[0]); };
    const lines = LEDGER.map((name, k) => ({name, y: since(k), k})).filter(({name, y}) => name !== "residual" && y.some((v) => v !== 0 && Number.isFinite(v)));
    this.energy.canvas.hidden = !lines.length;
    if (!lines.length) { this.ledger.textContent = "The scenario gives no energies."; return; }
    const total = Float64Array.from(motion.ledgers[0].view(), (v, k) => v + motion.ledgers[1].view()[k]);
    this.energy.put({x: range, layers: [...lines.map(({y, k}) => ({kind: /** @type {const} */ ("line"), x: motion.t, y, colour: ink.series[k % 8]})), {kind: "line", x: motion.t, y: total, colour: ink.text, dash: [5, 3]}], labels: {x: "t"}, keepZoom: true});
    this.energyLines = [...lines.map(({name, y, k}) => ({name, y, colour: ink.series[k % 8]})), {name: "kinetic + potential", y: total, colour: ink.text}];
  }
  /** @param {string} name */
  withUnit(name) {
    const all = ["coordinates", "states", "definitions"].flatMap((list) => this.lab.about[list]), plain = name.replace(/'+$/, "");
    const item = all.find((/** @type {any} */ i) => i.name === plain);
    const shown = name.replaceAll("'", "′");
    return item?.unit ? `${shown} [${item.unit}${name.endsWith("'") ? "/s" : ""}]` : shown;
  }
  /** The tables follow once no newer motion came for a moment: the picture does not wait for them. */
  tellResults() {
    clearTimeout(this.tables);
    this.tables = window.setTimeout(() => { if (this.lab.motion?.summary) this.showResults(this.lab.motion); }, 80);
  }
  /** @param {import("./motion.js").Motion} motion */
  showResults(motion) {
    const s = motion.summary, units = Object.fromEntries(this.lab.about.observables.map((/** @type {any} */ o) => [o.name, o.unit ?? ""]));
    const observed = Object.entries(s.observables ?? {}).map(([name, value]) => [name, value === null ? "not measured" : Number(value), units[name] ?? ""]);
    const events = motion.events.slice(-MOST_EVENTS), body = events.map((e) => [digits(e.t), KINDS[e.kind] ?? "", e.name, e.value ? digits(e.value, 5) : "", Math.abs(e.change) > 1e-14 ? digits(e.change, 4) : ""]);
    const table = tableOf(["t", "event", "where", "value", "energy"], body);
    listOfEvents(table, (k) => { this.toggle(false); this.seek(events[k].t); });
    this.results.replaceChildren(
      make("div", {}, make("h2", {}, "Results"), tableOf([], [...observed, ...(s.word ? [["word", s.word, ""]] : []), ...(s.regime ? [["regime", s.regime, ""]] : []), ["ended by", s.stop ? `${s.stopped_by} ${s.stop}` : s.stopped_by, ""]])),
      make("div", {className: "events"}, make("h2", {}, "Events ", make("small", {}, motion.events.length > MOST_EVENTS ? `last ${MOST_EVENTS} of ${motion.events.length}` : String(motion.events.length))), make("div", {className: "scroll"}, table)));
  }
  // ---- time ----
  /** @param {boolean} [on] */
  toggle(on = !this.playing) {
    this.playing = on;
    this.play.textContent = on ? "❚❚" : "▶";
  }
  /** @param {number} t */
  seek(t) {
    const m = this.lab.motion;
    if (!m) return;
    this.t = Math.min(m.until, Math.max(m.from, t));
    this.draw();
  }
  /** @param {number} now */
  step(now) {
    const passed = Math.min(0.1, (now - (this.before ?? now)) / 1000), m = this.lab.motion;
    this.before = now;
    if (this.playing && m && m.time.count > 1 && this.node.isConnected && !document.hidden) {
      let t = this.t + passed * this.speed;
      if (t > m.until) t = this.lab.busy ? Math.min(this.t, m.until) : m.from;
      this.t = Number.isFinite(t) ? t : m.from;
      if (!this.news) this.draw();
    }
    // what came since the last frame is drawn once
    if (this.news) {
      const fresh = this.news === "new";
      this.changed(fresh);
      if (fresh && m) tellDelay(m.asked);
    }
    requestAnimationFrame((next) => this.step(next));
  }
  draw() {
    const m = this.lab.motion;
    if (!m || !m.time.count || !this.node.isConnected) return;
    this.play.textContent = this.playing ? "❚❚" : "▶";
    this.scrub.value = String((this.t - m.from) / (m.until - m.from || 1));
    this.clock.textContent = "t = " + (Number.isFinite(this.t) ? this.t.toPrecision(5) : "–");
    this.view?.draw(this.t, {trail: this.trail.checked, forces: this.forces.checked});
    for (const chart of [...this.charts, this.energy]) { chart.cursor = this.t; chart.draw(); }
    const k = indexAt(m.t, this.t);
    this.phase.spot = [m.series(this.axes[0])[k], m.series(this.axes[1])[k]];
    this.phase.draw();
    this.showLedger(k);
    if (!this.seen) performance.mark("first motion"); // what tests ask for
    this.seen = true;
  }
  /** @param {number} k */
  showLedger(k) {
    const lines = this.energyLines;
    if (!lines || this.energy.canvas.hidden) return;
    if (this.ledgerOf !== lines) {
      this.ledgerOf = lines;
      this.ledger.replaceChildren(...lines.map((/** @type {any} */ {name, colour}) => { const swatch = make("i"); swatch.style.background = colour; return make("span", {}, swatch, name, " ", make("b")); }));
    }
    this.ledger.querySelectorAll("b").forEach((/** @type {HTMLElement} */ node, /** @type {number} */ j) => { node.textContent = digits(lines[j].y[k], 4); });
  }
  pictures() { return [...this.charts.map((c, k) => ({name: this.chosen[k], chart: c})), {name: "phase", chart: this.phase}, {name: "energy", chart: this.energy}]; }
  shown() { byId("after").replaceChildren(this.results); this.changed(false); }
}

/** How long it took from the wish to the picture of its motion, once the frame is done: what tests ask for. @param {number} asked */
function tellDelay(asked) {
  setTimeout(() => {
    performance.clearMeasures("wish to motion");
    performance.measure("wish to motion", {start: asked, end: performance.now()});
  });
}

/** Rows that are clicked, or gone through by arrows: one stop of the Tab key for all. @param {any} table @param {(k: number) => void} go */
function listOfEvents(table, go) {
  const rows = [...table.querySelectorAll("tbody tr")];
  rows.forEach((row, k) => {
    row.tabIndex = k ? -1 : 0;
    row.addEventListener("click", () => go(k));
    row.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
      const to = {ArrowDown: k + 1, ArrowUp: k - 1, Home: 0, End: rows.length - 1, Enter: k}[event.key];
      if (to === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      rows[to]?.focus();
      if (rows[to]) go(to);
    });
  });
}

/** @param {Float64Array} values @returns {[number, number]} */
function rangeOf(values) {
  let low = Infinity, high = -Infinity;
  for (const v of values) { if (v < low) low = v; if (v > high) high = v; }
  if (!(low <= high)) return [-1, 1];
  const pad = high > low ? 0.05 * (high - low) : Math.abs(high) * 0.1 || 1;
  return [low - pad, high + pad];
}
