// ---- time histories with one cursor ----
// the part of the time that is seen: all of it, or of a motion with very many turns some of them, moving with the cursor
const span = {
  from: run.from, until: run.until,
  set(from, until) {
    const long = Math.min(run.until - run.from, until - from);
    this.from = Math.min(Math.max(run.from, from), run.until - long);
    this.until = this.from + long;
  },
  keep(t) {
    const long = this.until - this.from;
    if (t < this.from || t > this.until) this.set(t - 0.1 * long, t + 0.9 * long);
  },
  zoom(factor, t) { this.set(t - (t - this.from) / factor, t + (this.until - t) / factor); },
};
// so many turns of the busiest curve that each can be seen
function chooseSpan() {
  let turns = 0;
  for (const s of run.series.filter((q) => q.shown)) {
    const mean = s.values.reduce((sum, v) => sum + v, 0) / s.values.length;
    let crossings = 0;
    for (let k = 1; k < s.values.length; k++) crossings += (s.values[k] > mean) !== (s.values[k - 1] > mean);
    turns = Math.max(turns, crossings / 2);
  }
  if (turns > 60) span.set(run.from, run.from + (run.until - run.from) * 30 / turns);
}
class Plot {
  constructor(host, series) {
    this.series = series;
    this.canvas = document.createElement("canvas");
    this.canvas.dataset.name = series.name;
    this.canvas.setAttribute("role", "img");
    host.append(this.canvas);
    let low = Infinity, high = -Infinity;
    for (const v of series.values) if (Number.isFinite(v)) { low = Math.min(low, v); high = Math.max(high, v); }
    if (!Number.isFinite(low)) { low = -1; high = 1; }
    this.canvas.setAttribute("aria-label", `${series.name} over time, from ${shown(low, 3)} to ${shown(high, 3)}`);
    const pad = high > low ? 0.08 * (high - low) : Math.abs(high) * 0.1 || 1;
    this.low = low - pad;
    this.high = high + pad;
    this.cursor = NaN; // where the cursor was drawn last [pixels]
    const seek = (event) => {
      const box = this.canvas.getBoundingClientRect(), part = (event.clientX - box.left - LEFT) / (box.width - LEFT - RIGHT);
      player.seek(span.from + Math.min(1, Math.max(0, part)) * (span.until - span.from));
    };
    this.canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const box = this.canvas.getBoundingClientRect(), part = Math.min(1, Math.max(0, (event.clientX - box.left - LEFT) / (box.width - LEFT - RIGHT)));
      span.zoom(Math.exp(-event.deltaY * 0.0015), span.from + part * (span.until - span.from));
      player.draw();
    }, {passive: false});
    this.canvas.addEventListener("pointerdown", (event) => { this.held = true; seek(event); });
    this.canvas.addEventListener("pointermove", (event) => { if (this.held && event.buttons) seek(event); });
    this.canvas.addEventListener("pointerup", () => { this.held = false; });
  }
  x(t, width) { return LEFT + (t - span.from) / (span.until - span.from || 1) * (width - LEFT - RIGHT); }
  y(v, height) { return height - 16 - (v - this.low) / (this.high - this.low) * (height - 22); }
  // what does not change with time is painted once
  paintCurve(width, height) {
    const paper = document.createElement("canvas");
    paper.width = this.canvas.width; paper.height = this.canvas.height;
    const c = paper.getContext("2d"), ratio = paper.width / width;
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.fillStyle = theme.paper; c.fillRect(0, 0, width, height);
    if (run.contacts.length) this.paintBands(c, width, height);
    c.strokeStyle = theme.grid; c.fillStyle = theme.soft; c.lineWidth = 1; c.font = "11px sans-serif"; c.textAlign = "right";
    for (const v of roundSteps(this.low, this.high, 4)) {
      const y = this.y(v, height);
      c.beginPath(); c.moveTo(LEFT, y); c.lineTo(width - RIGHT, y); c.stroke();
      c.fillText(shown(v, 4), LEFT - 4, y + 3);
    }
    c.textAlign = "center";
    for (const t of roundSteps(span.from, span.until, 8)) c.fillText(shown(t, 5), this.x(t, width), height - 4);
    c.strokeStyle = theme.curve; c.lineWidth = 1.4; c.lineJoin = "round";
    c.beginPath();
    const values = this.series.values;
    let pen = false;
    const first = Math.max(0, indexAt(run.t, span.from) - 1), end = Math.min(values.length, indexAt(run.t, span.until) + 2);
    c.save(); c.beginPath(); c.rect(LEFT, 0, width - LEFT - RIGHT, height); c.clip();
    c.beginPath();
    for (let k = first; k < end; k++) {
      if (!Number.isFinite(values[k])) { pen = false; continue; }
      const x = this.x(run.t[k], width), y = this.y(values[k], height);
      if (pen) c.lineTo(x, y); else c.moveTo(x, y);
      pen = true;
    }
    c.stroke();
    c.restore();
    c.textAlign = "left"; c.font = "bold 12px sans-serif"; c.fillStyle = theme.ink;
    const unit = run.unit.of(this.series.name), name = unit ? `${this.series.name}  [${unit}]` : this.series.name;
    this.nameEnd = LEFT + 4 + c.measureText(name).width;
    halo(c, name, LEFT + 4, 12);
    this.paper = paper;
  }
  // the modes of the contacts as strips, one above the other
  paintBands(c, width, height) {
    const top = 3, room = (height - 19) / run.contacts.length;
    run.contacts.forEach((contact, row) => {
      const modes = contact.mode;
      for (let k = 0; k < modes.length;) {
        const from = k, mode = modes[k];
        while (k < modes.length && modes[k] === mode) k++;
        if (mode === "F" || mode === "?") continue;
        const edge = (t) => Math.min(width - RIGHT, Math.max(LEFT, this.x(t, width)));
        const x0 = edge(run.t[from]), x1 = edge(run.t[Math.min(k, modes.length - 1)]);
        if (run.t[from] > span.until || run.t[Math.min(k, modes.length - 1)] < span.from) continue;
        c.fillStyle = MODES[mode].fill;
        c.globalAlpha = 0.5; // behind curves, which count more
        c.fillRect(x0, top + row * room, Math.max(0.5, x1 - x0), room);
        c.globalAlpha = 1;
      }
    });
  }
  draw(t) {
    const {context: c, width, height} = sharpen(this.canvas);
    if (this.seen !== `${span.from} ${span.until}`) { this.paper = null; this.seen = `${span.from} ${span.until}`; }
    if (!this.paper || this.paper.width !== this.canvas.width || this.paper.height !== this.canvas.height) this.paintCurve(width, height);
    c.drawImage(this.paper, 0, 0, width, height);
    this.cursor = this.x(t, width);
    const value = between(run.t, t, (k) => this.series.values[k]), y = this.y(value, height);
    c.strokeStyle = theme.cursor; c.lineWidth = 1;
    c.beginPath(); c.moveTo(this.cursor, 0); c.lineTo(this.cursor, height - 14); c.stroke();
    c.fillStyle = theme.cursor;
    if (Number.isFinite(y)) { c.beginPath(); c.arc(this.cursor, y, 3, 0, 2 * Math.PI); c.fill(); }
    // beside the cursor, but never over the name
    const right = this.cursor > width / 2;
    c.font = "12px sans-serif"; c.textAlign = right ? "right" : "left";
    halo(c, shown(value, 5), right ? this.cursor - 6 : Math.max(this.cursor + 6, this.nameEnd + 8), 11);
  }
}
const LEFT = 58, RIGHT = 12;
let plots = [];
function choosePlots() {
  const host = byId("plots");
  host.replaceChildren();
  plots = run.series.filter((s) => s.shown).map((s) => new Plot(host, s));
  player.draw();
}
// series of the run, and what there is of each contact; the first few that are more than rounding are shown
function listSeries() {
  for (const c of run.contacts)
    for (const name of ["normal", "tangential", "gap", "slip"]) if (c[name].some((v) => Number.isFinite(v) && v !== 0)) run.series.push({name: `${c.name}.${name}`, values: c[name]});
  for (const s of run.series) s.shown = run.chosen.includes(s.name);
  const varies = (s) => { let low = Infinity, high = -Infinity; for (const v of s.values) { low = Math.min(low, v); high = Math.max(high, v); } return high - low > 1e-9; };
  if (!run.series.some((s) => s.shown)) run.series.filter(varies).slice(0, 3).forEach((s) => { s.shown = true; });
  if (!run.series.some((s) => s.shown)) run.series.slice(0, 1).forEach((s) => { s.shown = true; });
  for (const s of run.series) {
    const box = document.createElement("input");
    s.label = document.createElement("label");
    box.type = "checkbox"; box.checked = s.shown;
    box.addEventListener("change", () => { s.shown = box.checked; choosePlots(); });
    s.label.append(box, " " + s.name);
    byId("choice").append(s.label);
  }
  const search = byId("search");
  search.addEventListener("input", () => {
    for (const s of run.series) s.label.hidden = !s.name.toLowerCase().includes(search.value.trim().toLowerCase());
  });
  // enter shows what was found first, or hides it
  search.addEventListener("keydown", (event) => {
    const found = run.series.find((s) => !s.label.hidden);
    if (event.key === "Enter" && found) found.label.firstChild.click();
  });
  listModes();
}
function listModes() {
  for (const mode of new Set(run.contacts.flatMap((c) => [...new Set(c.mode)]))) {
    const entry = document.createElement("span"), swatch = document.createElement("i");
    swatch.dataset.mode = mode;
    entry.append(swatch, MODES[mode].name);
    byId("legend").append(entry);
  }
  colourLegend();
  if (run.contacts.length > 1) byId("legend").append("strips from top: " + run.contacts.map((c) => c.name).join(", "));
}
function colourLegend() {
  for (const swatch of document.querySelectorAll("#legend i")) swatch.style.background = MODES[swatch.dataset.mode].fill;
}
