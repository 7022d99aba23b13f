// ---- time histories with one cursor ----
class Plot {
  constructor(host, series) {
    this.series = series;
    this.canvas = document.createElement("canvas");
    this.canvas.dataset.name = series.name;
    host.append(this.canvas);
    let low = Infinity, high = -Infinity;
    for (const v of series.values) if (Number.isFinite(v)) { low = Math.min(low, v); high = Math.max(high, v); }
    if (!Number.isFinite(low)) { low = -1; high = 1; }
    const pad = high > low ? 0.08 * (high - low) : Math.abs(high) * 0.1 || 1;
    this.low = low - pad;
    this.high = high + pad;
    this.cursor = NaN; // where the cursor was drawn last [pixels]
    const seek = (event) => {
      const box = this.canvas.getBoundingClientRect(), part = (event.clientX - box.left - LEFT) / (box.width - LEFT - RIGHT);
      player.seek(run.from + Math.min(1, Math.max(0, part)) * (run.until - run.from));
    };
    this.canvas.addEventListener("pointerdown", (event) => { this.held = true; seek(event); });
    this.canvas.addEventListener("pointermove", (event) => { if (this.held && event.buttons) seek(event); });
    this.canvas.addEventListener("pointerup", () => { this.held = false; });
  }
  x(t, width) { return LEFT + (t - run.from) / (run.until - run.from || 1) * (width - LEFT - RIGHT); }
  y(v, height) { return height - 16 - (v - this.low) / (this.high - this.low) * (height - 22); }
  // what does not change with time is painted once
  paintCurve(width, height) {
    const paper = document.createElement("canvas");
    paper.width = this.canvas.width; paper.height = this.canvas.height;
    const c = paper.getContext("2d"), ratio = paper.width / width;
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.fillStyle = "#fff"; c.fillRect(0, 0, width, height);
    if (run.contacts.length) this.paintBands(c, width, height);
    c.strokeStyle = "#e2e7ec"; c.fillStyle = "#5d6b7a"; c.lineWidth = 1; c.font = "10px sans-serif"; c.textAlign = "right";
    for (const v of roundSteps(this.low, this.high, 4)) {
      const y = this.y(v, height);
      c.beginPath(); c.moveTo(LEFT, y); c.lineTo(width - RIGHT, y); c.stroke();
      c.fillText(shown(v, 4), LEFT - 4, y + 3);
    }
    c.textAlign = "center";
    for (const t of roundSteps(run.from, run.until, 8)) c.fillText(shown(t, 5), this.x(t, width), height - 4);
    c.strokeStyle = "#12407a"; c.lineWidth = 1.2;
    c.beginPath();
    const values = this.series.values;
    for (let k = 0; k < values.length; k++) {
      const x = this.x(run.t[k], width), y = this.y(values[k], height);
      if (k) c.lineTo(x, y); else c.moveTo(x, y);
    }
    c.stroke();
    c.textAlign = "left"; c.font = "bold 11px sans-serif"; c.fillStyle = "#1c2733";
    this.nameEnd = LEFT + 4 + c.measureText(this.series.name).width;
    onWhite(c, this.series.name, LEFT + 4, 11);
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
        const x0 = this.x(run.t[from], width), x1 = this.x(run.t[Math.min(k, modes.length - 1)], width);
        c.fillStyle = MODES[mode].fill;
        c.fillRect(x0, top + row * room, Math.max(0.5, x1 - x0), room);
      }
    });
  }
  draw(t) {
    const {context: c, width, height} = sharpen(this.canvas);
    if (!this.paper || this.paper.width !== this.canvas.width || this.paper.height !== this.canvas.height) this.paintCurve(width, height);
    c.drawImage(this.paper, 0, 0, width, height);
    this.cursor = this.x(t, width);
    const value = this.series.values[indexAt(run.t, t)], y = this.y(value, height);
    c.strokeStyle = "#b00020"; c.lineWidth = 1;
    c.beginPath(); c.moveTo(this.cursor, 0); c.lineTo(this.cursor, height - 14); c.stroke();
    c.fillStyle = "#b00020";
    c.beginPath(); c.arc(this.cursor, y, 3, 0, 2 * Math.PI); c.fill();
    // beside the cursor, but never over the name
    const right = this.cursor > width / 2;
    c.font = "11px sans-serif"; c.textAlign = right ? "right" : "left";
    onWhite(c, shown(value, 5), right ? this.cursor - 6 : Math.max(this.cursor + 6, this.nameEnd + 8), 11);
  }
}
const LEFT = 58, RIGHT = 12;
// text that can be read over curves and bands
function onWhite(c, text, x, y) {
  c.strokeStyle = "rgba(255, 255, 255, 0.85)"; c.lineWidth = 4; c.lineJoin = "round";
  c.strokeText(text, x, y);
  c.fillText(text, x, y);
}
let plots = [];
function choosePlots() {
  const host = byId("plots");
  host.replaceChildren();
  plots = run.series.filter((s) => s.shown).map((s) => new Plot(host, s));
  player.draw();
}
function listSeries() {
  for (const c of run.contacts) {
    run.series.push({name: c.name + ".normal", values: c.normal}, {name: c.name + ".gap", values: c.gap});
  }
  run.series.forEach((s, k) => { s.shown = run.chosen.includes(s.name); });
  // the first three that are more than rounding
  const varies = (s) => { let low = Infinity, high = -Infinity; for (const v of s.values) { low = Math.min(low, v); high = Math.max(high, v); } return high - low > 1e-9; };
  if (!run.series.some((s) => s.shown)) run.series.filter(varies).slice(0, 3).forEach((s) => { s.shown = true; });
  if (!run.series.some((s) => s.shown)) run.series.slice(0, 1).forEach((s) => { s.shown = true; });
  for (const s of run.series) {
    const label = document.createElement("label"), box = document.createElement("input");
    box.type = "checkbox"; box.checked = s.shown;
    box.addEventListener("change", () => { s.shown = box.checked; choosePlots(); });
    label.append(box, " " + s.name);
    byId("choice").append(label);
  }
  const modes = new Set(run.contacts.flatMap((c) => [...new Set(c.mode)]));
  for (const mode of modes) {
    const entry = document.createElement("span"), swatch = document.createElement("i");
    swatch.style.background = MODES[mode].fill;
    entry.append(swatch, MODES[mode].name);
    byId("legend").append(entry);
  }
  if (run.contacts.length > 1) byId("legend").append("strips from top: " + run.contacts.map((c) => c.name).join(", "));
}
