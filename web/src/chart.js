// A chart: axes, lines, points, bands, marks, fields of colour; a cursor; zoom by wheel, pinch or by drawing a box; the same as SVG.
import {roundSteps, sharpen, shown} from "carom-viewer";
import {ink} from "./colours.js";

/** @typedef {{kind: "line" | "points" | "bands" | "marks" | "cells", [more: string]: any}} Layer */
const LEFT = 58, RIGHT = 12, TOP = 6, NEAR = 0.2;

/** A round number as an axis shows it. @param {number} v @param {number} step */
const label = (v, step) => (Math.abs(v) < 1e-9 * Math.abs(step) ? "0" : shown(v, Math.abs(v) >= 1e5 || Math.abs(v) < 1e-4 ? 3 : 7).replace(/e\+?/, "e").replace("-", "−"));

/** What stands beside an axis; where numbers differ in late digits only, one of them and how far the others are from it. @param {number[]} steps */
function namesOf(steps) {
  const step = steps[1] - steps[0], names = steps.map((v) => label(v, step));
  if (names.every((name) => name.length <= 8)) return names;
  const short = names.reduce((best, name, k) => (name.length < names[best].length ? k : best), 0);
  return names.map((name, k) => (k === short ? name : `${k > short ? "+" : "−"}${label(Math.abs(k - short) * step, step)}`));
}

export class Chart {
  /** @param {HTMLElement} host @param {{name: string, height?: number, seek?: (x: number) => void, pick?: (x: number, y: number) => void, zoomed?: (range: [number, number] | null) => void, cursors?: boolean}} options */
  constructor(host, options) {
    this.options = options;
    this.canvas = document.createElement("canvas");
    this.canvas.className = "chart";
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    if (options.height) this.canvas.style.height = options.height + "px";
    host.append(this.canvas);
    /** @type {Layer[]} */
    this.layers = [];
    this.full = {x: [0, 1], y: [0, 1]};
    /** @type {{x: number[], y: number[]} | null} */
    this.zoom = null;
    this.labels = {x: "", y: ""};
    this.cursor = NaN;
    /** @type {number[] | undefined} */
    this.spot = undefined; // a place that is marked
    this.key = ""; // of what is painted
    this.ratio = 1; // pixels of the screen to one of the page
    this.still = /** @type {HTMLCanvasElement | null} */ (null); // all that does not move
    this.box = /** @type {number[] | null} */ (null);
    this.listen();
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }
  /** @param {Parameters<Chart["put"]>[0]} what */
  set(what) {
    this.put(what);
    this.draw();
  }
  /** What the next drawing shows. @param {{x: [number, number], y?: [number, number] | null, layers: Layer[], labels?: {x?: string, y?: string}, keepZoom?: boolean, bare?: boolean}} what bare: without numbers below, as the next one has them */
  put(what) {
    this.layers = what.layers;
    this.bare = what.bare ?? false;
    this.labels = {x: "", y: "", ...what.labels};
    this.full = {x: what.x, y: what.y ?? this.rangeOfLayers()};
    if (!what.keepZoom) this.zoom = null;
    this.canvas.setAttribute("aria-label", `${this.options.name}: ${this.labels.y || "y"} from ${shown(this.full.y[0], 3)} to ${shown(this.full.y[1], 3)}, ${this.labels.x || "x"} from ${shown(this.full.x[0], 3)} to ${shown(this.full.x[1], 3)}`);
    this.stale = true;
  }
  /** @returns {[number, number]} */
  rangeOfLayers() {
    let low = Infinity, high = -Infinity;
    for (const layer of this.layers) if (layer.y) for (const v of layer.y) if (Number.isFinite(v)) { if (v < low) low = v; if (v > high) high = v; }
    if (!(low <= high)) return [-1, 1];
    // rounding of what stays is not drawn as if it were a motion
    const still = !(high - low > 1e-9 * Math.max(Math.abs(low), Math.abs(high))), pad = still ? Math.abs(high) * 0.1 || 1 : 0.06 * (high - low);
    return [low - pad, high + pad];
  }
  get range() { return this.zoom ?? this.full; }
  /** @param {number} width @param {number} height */
  scale(width, height) {
    const {x, y} = this.range, bottom = height - (this.bare ? 4 : this.labels.x ? 33 : 20);
    const wide = (width - LEFT - RIGHT) / (x[1] - x[0] || 1), tall = (bottom - TOP) / (y[1] - y[0] || 1);
    return {x: (/** @type {number} */ v) => LEFT + (v - x[0]) * wide, y: (/** @type {number} */ v) => bottom - (v - y[0]) * tall,
      unx: (/** @type {number} */ p) => x[0] + (p - LEFT) / wide, uny: (/** @type {number} */ p) => y[0] + (bottom - p) / tall, bottom, right: width - RIGHT};
  }
  // ---- painting ----
  draw() {
    if (!this.canvas.isConnected || this.canvas.clientWidth === 0) return;
    const {context: c, width, height} = sharpen(this.canvas);
    const key = `${this.canvas.width} ${this.canvas.height}`;
    if (this.stale || this.key !== key || !this.still) {
      this.still ??= document.createElement("canvas");
      if (this.key !== key) Object.assign(this.still, {width: this.canvas.width, height: this.canvas.height});
      const s = /** @type {CanvasRenderingContext2D} */ (this.still.getContext("2d"));
      this.ratio = this.still.width / width;
      s.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
      this.paint(s, width, height);
      this.key = key;
      this.stale = false;
    }
    c.save();
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.drawImage(this.still, 0, 0);
    c.restore();
    this.drawCursor(c, width, height);
  }
  /** @param {CanvasRenderingContext2D} c @param {number} width @param {number} height */
  drawCursor(c, width, height) {
    const s = this.scale(width, height);
    if (Number.isFinite(this.cursor) && this.cursor >= this.range.x[0] && this.cursor <= this.range.x[1]) {
      c.strokeStyle = ink.mark; c.lineWidth = 1.25;
      c.beginPath(); c.moveTo(s.x(this.cursor), TOP); c.lineTo(s.x(this.cursor), s.bottom); c.stroke();
    }
    if (this.spot) {
      const [x, y] = [s.x(this.spot[0]), s.y(this.spot[1])];
      if (x >= LEFT && x <= s.right && y >= TOP && y <= s.bottom) { c.fillStyle = ink.mark; c.beginPath(); c.arc(x, y, 4.5, 0, 7); c.fill(); }
    }
    if (this.hover) {
      c.font = "11px system-ui, sans-serif"; c.textAlign = "right"; c.fillStyle = ink.soft;
      c.fillText(`${shown(s.unx(this.hover[0]), 5)}, ${shown(s.uny(this.hover[1]), 5)}`, s.right - 3, TOP + 11);
    }
    if (this.box) {
      c.fillStyle = ink.accent; c.globalAlpha = 0.15;
      c.fillRect(Math.min(this.box[0], this.box[2]), Math.min(this.box[1], this.box[3]), Math.abs(this.box[2] - this.box[0]), Math.abs(this.box[3] - this.box[1]));
      c.globalAlpha = 1;
    }
  }
  /** Everything that does not move. @param {any} c @param {number} width @param {number} height */
  paint(c, width, height) {
    const s = this.scale(width, height);
    c.fillStyle = ink.paper; c.fillRect(0, 0, width, height);
    c.save();
    c.beginPath(); c.rect(LEFT, TOP, s.right - LEFT, s.bottom - TOP); c.clip();
    for (const layer of this.layers) if (layer.kind === "bands" || layer.kind === "cells") this.paintLayer(c, s, layer);
    c.restore();
    this.paintAxes(c, s, width, height);
    c.save();
    c.beginPath(); c.rect(LEFT, TOP, s.right - LEFT, s.bottom - TOP); c.clip();
    for (const layer of this.layers) if (layer.kind !== "bands" && layer.kind !== "cells") this.paintLayer(c, s, layer);
    c.restore();
    this.paintName(c);
  }
  /** @param {any} c @param {any} s @param {number} width @param {number} height */
  paintAxes(c, s, width, height) {
    const {x, y} = this.range;
    c.lineWidth = 1; c.font = "11px system-ui, sans-serif"; c.fillStyle = ink.soft; c.strokeStyle = ink.grid;
    const ys = roundSteps(y[0], y[1], Math.max(2, (s.bottom - TOP) / 28)), xs = roundSteps(x[0], x[1], Math.max(2, (s.right - LEFT) / 64));
    c.textAlign = "right";
    const names = namesOf(ys);
    ys.forEach((v, k) => {
      const at = Math.round(s.y(v)) + 0.5;
      c.beginPath(); c.moveTo(LEFT, at); c.lineTo(s.right, at); c.stroke();
      c.fillText(names[k], LEFT - 6, at + 3.5);
    });
    c.textAlign = "center";
    for (const v of xs) {
      const at = Math.round(s.x(v)) + 0.5;
      c.beginPath(); c.moveTo(at, TOP); c.lineTo(at, s.bottom); c.stroke();
      if (!this.bare) c.fillText(label(v, xs[1] - xs[0]), Math.min(at, width - 14), s.bottom + 14);
    }
    c.strokeStyle = ink.line;
    c.strokeRect(LEFT + 0.5, TOP + 0.5, s.right - LEFT, s.bottom - TOP);
    c.font = "12px system-ui, sans-serif"; c.fillStyle = ink.text;
    if (this.labels.x) c.fillText(this.labels.x, (LEFT + s.right) / 2, height - 4);
  }
  /** The name of what goes upwards, over the curves. @param {any} c */
  paintName(c) {
    if (!this.labels.y) return;
    c.textAlign = "left"; c.font = "600 12px system-ui, sans-serif";
    // a rim of paper keeps it readable, and the curves beside it whole
    c.lineWidth = 4; c.lineJoin = "round"; c.strokeStyle = ink.paper; c.fillStyle = ink.text;
    c.strokeText(this.labels.y, LEFT + 7, TOP + 15);
    c.fillText(this.labels.y, LEFT + 7, TOP + 15);
  }
  /** @param {any} c @param {any} s @param {Layer} layer */
  paintLayer(c, s, layer) {
    c.globalAlpha = layer.alpha ?? 1;
    if (layer.kind === "line") this.paintLine(c, s, layer);
    if (layer.kind === "points") {
      const r = layer.radius ?? 1.2;
      for (let k = 0; k < layer.x.length; k++) {
        if (!Number.isFinite(layer.y[k])) continue;
        c.fillStyle = layer.colours ? layer.colours[k] : layer.colour;
        const [x, y] = [s.x(layer.x[k]), s.y(layer.y[k])];
        if (r <= 1.6) c.fillRect(x - r, y - r, 2 * r, 2 * r);
        else { c.beginPath(); c.arc(x, y, r, 0, 7); c.fill(); }
      }
    }
    if (layer.kind === "bands")
      for (const [from, until, fill] of layer.spans) {
        c.fillStyle = fill;
        const a = s.x(from), b = s.x(until), top = TOP + layer.row * (s.bottom - TOP) / layer.rows;
        if (b > LEFT && a < s.right) c.fillRect(a, top, Math.max(0.6, b - a), (s.bottom - TOP) / layer.rows);
      }
    if (layer.kind === "marks") {
      c.strokeStyle = layer.colour; c.lineWidth = 1;
      let last = -10;
      c.beginPath();
      for (const x of layer.x) {
        const at = s.x(x);
        if (at - last < 1.5 || at < LEFT || at > s.right) continue;
        c.moveTo(at, s.bottom); c.lineTo(at, s.bottom - 7);
        last = at;
      }
      c.stroke();
    }
    if (layer.kind === "cells")
      for (const cell of layer.cells) {
        c.fillStyle = cell.fill;
        // edges on whole pixels: cells that are neighbours have no seam
        const [a, b, top, bottom] = [s.x(cell.x[0]), s.x(cell.x[1]), s.y(cell.y[1]), s.y(cell.y[0])].map((at) => Math.round(at * this.ratio) / this.ratio);
        c.fillRect(a, top, b - a, bottom - top);
      }
    c.globalAlpha = 1;
  }
  /** Many samples in one column of pixels are their highest and lowest. @param {any} c @param {any} s @param {Layer} layer */
  paintLine(c, s, layer) {
    const {x, y} = layer, [low, high] = this.range.x, ordered = layer.ordered ?? true, pen = new Pen(c);
    c.strokeStyle = layer.colour; c.lineWidth = layer.width ?? 1.4; c.lineJoin = "round";
    if (layer.dash) c.setLineDash(layer.dash);
    c.beginPath();
    let column = NaN, least = 0, most = 0, first = 0, last = 0;
    const flush = () => {
      if (Number.isNaN(column)) return;
      pen.to(column, first);
      if (most > least) { pen.to(column, least); pen.to(column, most); pen.to(column, last); }
      column = NaN;
    };
    for (let k = 0; k < x.length; k++) {
      if (!Number.isFinite(y[k])) { flush(); pen.lift(); continue; }
      if (ordered && (x[Math.min(k + 1, x.length - 1)] < low || x[Math.max(k - 1, 0)] > high)) continue;
      const px = s.x(x[k]), py = s.y(y[k]);
      if (!ordered || x.length < 1500) { pen.to(px, py); continue; }
      const at = Math.round(px * 2) / 2;
      if (at !== column) { flush(); column = at; first = least = most = py; }
      least = Math.min(least, py); most = Math.max(most, py); last = py;
    }
    flush();
    pen.lift();
    c.stroke();
    if (layer.dash) c.setLineDash([]);
  }
  // ---- pointers and keys ----
  listen() {
    const canvas = this.canvas;
    let down = /** @type {PointerEvent | null} */ (null), dragged = false;
    const place = (/** @type {PointerEvent | WheelEvent} */ event) => { const box = canvas.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
    const here = () => this.scale(canvas.clientWidth, canvas.clientHeight);
    canvas.addEventListener("pointerdown", (event) => { down = event; dragged = false; canvas.setPointerCapture(event.pointerId); });
    canvas.addEventListener("pointermove", (event) => {
      const at = place(event);
      this.hover = event.pointerType === "mouse" ? at : undefined;
      if (down) {
        const from = place(down);
        dragged ||= Math.hypot(at[0] - from[0], at[1] - from[1]) > 6;
        if (dragged) this.box = this.options.seek ? [from[0], TOP, at[0], here().bottom] : [...from, ...at];
      }
      this.draw();
    });
    canvas.addEventListener("pointerleave", () => { this.hover = undefined; this.draw(); });
    canvas.addEventListener("pointerup", (event) => {
      const s = here(), at = place(event);
      if (down && !dragged) { this.options.seek?.(s.unx(at[0])); this.options.pick?.(s.unx(at[0]), s.uny(at[1])); }
      if (this.box && Math.abs(this.box[2] - this.box[0]) > 8) this.zoomTo(this.box, s);
      down = null;
      this.box = null;
      this.draw();
    });
    canvas.addEventListener("pointercancel", () => { down = null; this.box = null; this.draw(); });
    canvas.addEventListener("dblclick", () => this.reset());
    canvas.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.shiftKey && document.activeElement !== canvas) return;
      event.preventDefault();
      this.zoomBy(Math.exp(event.deltaY * 0.0015), here().unx(place(event)[0]));
    }, {passive: false});
    canvas.addEventListener("keydown", (event) => {
      const middle = (this.range.x[0] + this.range.x[1]) / 2;
      if (event.key === "+" || event.key === "=") this.zoomBy(0.7, middle);
      else if (event.key === "-") this.zoomBy(1 / 0.7, middle);
      else if (event.key === "0" || event.key === "Escape") this.reset();
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
  }
  /** @param {number[]} box @param {any} s */
  zoomTo(box, s) {
    const xs = [s.unx(box[0]), s.unx(box[2])].sort((a, b) => a - b), ys = [s.uny(box[1]), s.uny(box[3])].sort((a, b) => a - b);
    this.applyZoom(this.options.seek ? {x: xs, y: this.range.y} : {x: xs, y: ys});
  }
  /** @param {number} factor @param {number} about */
  zoomBy(factor, about) {
    const [low, high] = this.range.x, full = this.full.x;
    const x = [Math.max(full[0], about - (about - low) * factor), Math.min(full[1], about + (high - about) * factor)];
    if (x[0] <= full[0] && x[1] >= full[1]) this.reset();
    else this.applyZoom({x, y: this.range.y});
  }
  /** @param {{x: number[], y: number[]}} zoom */
  applyZoom(zoom) {
    // closer than the digits of numbers there is nothing to see
    if ([zoom.x, zoom.y].some(([low, high]) => !(high - low > 1e-11 * Math.max(Math.abs(low), Math.abs(high))))) return;
    this.zoom = zoom;
    this.stale = true;
    this.draw();
    this.options.zoomed?.([zoom.x[0], zoom.x[1]]);
  }
  reset() {
    this.zoom = null;
    this.stale = true;
    this.draw();
    this.options.zoomed?.(null);
  }
  // ---- as a file ----
  svg(width = 900, height = 420) {
    const paper = new SvgPaper(width, height);
    this.paint(paper, width, height);
    return paper.text();
  }
}

/** Draws a line through points, but for those that lie on it anyway to a fifth of a pixel: what a line costs is its corners. */
class Pen {
  /** @param {any} c */
  constructor(c) {
    this.c = c;
    this.down = this.ahead = false;
    this.x = this.y = this.lastX = this.lastY = this.far = 0; // the corner drawn last, and the point after it that was seen last
    this.from = [0, 0]; // directions from the corner, to the right and left of which no point may be
    this.until = [0, 0];
  }
  /** @param {number} x @param {number} y */
  to(x, y) {
    if (!this.down) { this.c.moveTo(x, y); this.begin(x, y); this.down = true; return; }
    if (this.ahead && !this.holds(x, y)) { this.c.lineTo(this.lastX, this.lastY); this.begin(this.lastX, this.lastY); }
    this.narrow(x, y);
    [this.lastX, this.lastY, this.ahead] = [x, y, true];
  }
  /** @param {number} x @param {number} y */
  begin(x, y) { [this.x, this.y, this.far, this.ahead] = [x, y, 0, false]; }
  /** Whether all points since the corner are near the line from it to this one. @param {number} x @param {number} y */
  holds(x, y) {
    const [dx, dy] = [x - this.x, y - this.y], far = dx * dx + dy * dy;
    if (this.far === 0) return true;
    return far >= this.far && this.from[0] * dy - this.from[1] * dx >= 0 && this.until[0] * dy - this.until[1] * dx <= 0;
  }
  /** @param {number} x @param {number} y */
  narrow(x, y) {
    const [dx, dy] = [x - this.x, y - this.y], far = Math.hypot(dx, dy);
    if (far <= NEAR) return;
    const sine = NEAR / far, cosine = Math.sqrt(1 - sine * sine);
    const from = [dx * cosine + dy * sine, dy * cosine - dx * sine], until = [dx * cosine - dy * sine, dy * cosine + dx * sine];
    if (this.far === 0 || this.from[0] * from[1] - this.from[1] * from[0] > 0) this.from = from;
    if (this.far === 0 || this.until[0] * until[1] - this.until[1] * until[0] < 0) this.until = until;
    this.far = far * far;
  }
  lift() {
    if (this.ahead) this.c.lineTo(this.lastX, this.lastY);
    this.down = this.ahead = false;
  }
}

/** As much of a drawing context as a chart needs, written down as SVG. */
class SvgPaper {
  /** @param {number} width @param {number} height */
  constructor(width, height) {
    this.size = [width, height];
    /** @type {string[]} */
    this.parts = [];
    this.path = "";
    this.clips = 0;
    this.open = 0;
    this.fillStyle = this.strokeStyle = this.font = this.textAlign = this.lineJoin = "";
    this.lineWidth = this.globalAlpha = 1;
    /** @type {number[]} */
    this.dash = [];
    this.box = [0, 0, 0, 0];
  }
  beginPath() { this.path = ""; }
  /** @param {number} x @param {number} y */
  moveTo(x, y) { this.path += `M${x.toFixed(2)} ${y.toFixed(2)}`; }
  /** @param {number} x @param {number} y */
  lineTo(x, y) { this.path += `L${x.toFixed(2)} ${y.toFixed(2)}`; }
  /** @param {number} x @param {number} y @param {number} r */
  arc(x, y, r) { this.path += `M${(x - r).toFixed(2)} ${y.toFixed(2)}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`; }
  /** @param {number} x @param {number} y @param {number} w @param {number} h */
  rect(x, y, w, h) { this.box = [x, y, w, h]; }
  clip() {
    const id = "c" + this.clips++, [x, y, w, h] = this.box;
    this.parts.push(`<clipPath id="${id}"><rect x="${x}" y="${y}" width="${w}" height="${h}"/></clipPath><g clip-path="url(#${id})">`);
    this.open++;
  }
  save() {}
  restore() { if (this.open > 0) { this.parts.push("</g>"); this.open--; } }
  /** @param {number[]} dash */
  setLineDash(dash) { this.dash = dash; }
  stroke() {
    if (this.path) this.parts.push(`<path d="${this.path}" fill="none" stroke="${this.strokeStyle}" stroke-width="${this.lineWidth}"${this.dash.length ? ` stroke-dasharray="${this.dash.join(" ")}"` : ""}${this.faint()}/>`);
  }
  fill() { this.parts.push(`<path d="${this.path}" fill="${this.fillStyle}"${this.faint()}/>`); }
  faint() { return this.globalAlpha < 1 ? ` opacity="${this.globalAlpha}"` : ""; }
  /** @param {number} x @param {number} y @param {number} w @param {number} h */
  fillRect(x, y, w, h) { this.parts.push(`<rect x="${x.toFixed(2)}" y="${y.toFixed(2)}" width="${w.toFixed(2)}" height="${h.toFixed(2)}" fill="${this.fillStyle}"${this.faint()}/>`); }
  /** @param {number} x @param {number} y @param {number} w @param {number} h */
  strokeRect(x, y, w, h) { this.parts.push(`<rect x="${x}" y="${y}" width="${w}" height="${h}" fill="none" stroke="${this.strokeStyle}"/>`); }
  /** @param {string} text @param {number} x @param {number} y */
  fillText(text, x, y) { this.putText(text, x, y, `fill="${this.fillStyle}"`); }
  /** @param {string} text @param {number} x @param {number} y */
  strokeText(text, x, y) { this.putText(text, x, y, `fill="none" stroke="${this.strokeStyle}" stroke-width="${this.lineWidth}" stroke-linejoin="round"`); }
  /** @param {string} text @param {number} x @param {number} y @param {string} how */
  putText(text, x, y, how) {
    const anchor = this.textAlign === "right" ? "end" : this.textAlign === "center" ? "middle" : "start";
    const size = /(\d+)px/.exec(this.font)?.[1] ?? 11, safe = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
    this.parts.push(`<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" font-family="sans-serif" font-size="${size}" text-anchor="${anchor}" ${how}>${safe}</text>`);
  }
  text() { return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${this.size.join(" ")}" width="${this.size[0]}" height="${this.size[1]}">${this.parts.join("")}</svg>`; }
}
