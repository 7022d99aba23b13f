// ---- motion in the plane: shapes, trail, contact forces ----
const ARROW = 90; // pixels of the strongest force
const isBody = (part) => ["circle", "segment", "polygon", "spring", "damper"].includes(part.kind);
class PlaneView {
  constructor(canvas, scene, run) {
    this.canvas = canvas;
    this.run = run;
    this.unit = run.unit || unitsOf("");
    this.scene = scene;
    this.beads = scene.parts.filter((part) => part.kind === "bead");
    this.moving = scene.parts.filter((part) => isBody(part) && this.moves(part));
    let tone = 0;
    for (const part of scene.parts) part.tone = COLOURS[part.color] || (part.kind === "circle" || part.kind === "polygon" || part.kind === "bead" ? TONES[tone++ % TONES.length] : null);
    this.box = this.measure();
    this.near = this.measureNear();
    this.strongest = Math.max(1e-300, ...this.run.contacts.map((c) => largest(c.force_x.map((x, k) => Math.hypot(x, c.force_y[k])))));
    this.reset();
  }
  reset() { this.zoom = 1; this.shift = [0, 0]; }
  raw(frame, part, k) { return this.scene.numbers[frame * this.scene.size + part.first + k]; }
  // of the instant that is drawn, between two frames
  number(part, k) { return between(this.scene.t, this.now, (frame) => this.raw(frame, part, k)); }
  // points of a part: corners, ends, centre
  points(part, at = (k) => this.number(part, k)) {
    const count = part.kind === "circle" || part.kind === "angle" ? 1 : isBody(part) ? part.count / 2 : 0, points = [];
    for (let k = 0; k < count; k++) points.push([at(2 * k), at(2 * k + 1)]);
    return points;
  }
  moves(part) {
    const last = this.scene.t.length - 1;
    for (let k = 0; k < part.count; k++)
      for (const frame of [last >> 2, last >> 1, last]) if (this.raw(0, part, k) !== this.raw(frame, part, k)) return true;
    return false;
  }
  widen(box, frame, part) {
    const margin = part.kind === "circle" || part.kind === "angle" ? this.raw(frame, part, 2) : 0;
    for (const [x, y] of this.points(part, (k) => this.raw(frame, part, k))) {
      box[0] = Math.min(box[0], x - margin); box[1] = Math.min(box[1], y - margin);
      box[2] = Math.max(box[2], x + margin); box[3] = Math.max(box[3], y + margin);
    }
    if (part.kind === "level") { const y = this.raw(frame, part, 0); box[1] = Math.min(box[1], y); box[3] = Math.max(box[3], y); }
    if (part.kind === "plane") {
      const axis = Math.abs(this.raw(frame, part, 3)) > 0.5 ? 0 : 1, x = this.raw(frame, part, axis);
      box[axis] = Math.min(box[axis], x); box[axis + 2] = Math.max(box[axis + 2], x);
    }
  }
  // everything that is ever seen
  measure() {
    const box = [Infinity, Infinity, -Infinity, -Infinity], frames = this.scene.t.length, stride = Math.max(1, Math.floor(frames / 400));
    for (let frame = 0; frame < frames; frame += stride) for (const part of this.scene.parts) this.widen(box, frame, part);
    for (const k of [0, 1]) if (!(box[k] <= box[k + 2])) { box[k] = -1; box[k + 2] = 1; }
    const size = Math.max(box[2] - box[0], box[3] - box[1]), pad = 0.08 * (size > 0 ? size : 1);
    // what moves along a line has room across it
    for (const k of [0, 1]) if (box[k + 2] - box[k] < 0.3 * size) { const more = 0.15 * size; box[k] -= more; box[k + 2] += more; }
    return [box[0] - pad, box[1] - pad, box[2] + pad, box[3] + pad];
  }
  // what moves at an instant, and the most it takes: for a camera that follows
  boxAt(t) {
    const box = [Infinity, Infinity, -Infinity, -Infinity], frame = indexAt(this.scene.t, t);
    for (const part of this.moving) this.widen(box, frame, part);
    return box;
  }
  measureNear() {
    const size = Math.max(this.box[2] - this.box[0], this.box[3] - this.box[1]);
    let most = 0, low = Infinity, high = -Infinity;
    if (!this.moving.length) return size;
    for (let k = 0; k < 50; k++) {
      const box = this.boxAt(this.scene.t[Math.floor(k / 49 * (this.scene.t.length - 1))]);
      most = Math.max(most, box[2] - box[0], box[3] - box[1]);
      low = Math.min(low, box[0]); high = Math.max(high, box[2]);
    }
    // what goes far along the ground is followed unless one asks not to
    this.wanders = most > 0 && high - low > 12 * most;
    return Math.min(size, most > 0 ? Math.max(3 * most, 0.005 * size) : 0.1 * size);
  }
  project(width, height) {
    let middle = [(this.box[0] + this.box[2]) / 2, (this.box[1] + this.box[3]) / 2];
    let scale = Math.min(width / (this.box[2] - this.box[0]), height / (this.box[3] - this.box[1]));
    if (this.follows && this.moving.length) {
      const box = this.boxAt(this.now);
      middle = [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2];
      scale = Math.max(scale, Math.min(width, height) / this.near);
    }
    scale *= this.zoom;
    return {scale, at: (x, y) => [width / 2 + (x - middle[0]) * scale + this.shift[0], height / 2 - (y - middle[1]) * scale + this.shift[1]],
      back: (px, py) => [middle[0] + (px - width / 2 - this.shift[0]) / scale, middle[1] - (py - height / 2 - this.shift[1]) / scale]};
  }
  drag(dx, dy) { this.shift[0] += dx; this.shift[1] += dy; }
  zoomAt(factor, x, y) {
    const box = this.canvas.getBoundingClientRect(), cx = x - box.left - box.width / 2, cy = y - box.top - box.height / 2;
    this.shift = [cx + (this.shift[0] - cx) * factor, cy + (this.shift[1] - cy) * factor];
    this.zoom *= factor;
  }
  draw(t, looks) {
    const {context: c, width, height} = sharpen(this.canvas);
    this.now = t;
    this.follows = looks.follow;
    c.fillStyle = INK.paper;
    c.fillRect(0, 0, width, height);
    if (this.beads.length) { this.drawBeads(c, width, height); return; }
    const p = this.project(width, height);
    this.labels = [];
    if (looks.axes) this.drawAxes(c, p, width, height);
    if (looks.trail) this.drawTrail(c, p);
    for (const part of this.scene.parts) this.drawPart(c, p, part, width, height);
    if (looks.forces) this.drawForces(c, p, looks.force || 1, width, height);
    this.drawLabels(c, width, height);
    if (!looks.axes) this.drawScale(c, p, width, height);
  }
  drawScale(c, p, width, height) {
    const length = roundBelow(0.25 * width / p.scale);
    c.strokeStyle = c.fillStyle = INK.label;
    c.lineWidth = 1.5;
    c.beginPath();
    c.moveTo(14, height - 17); c.lineTo(14, height - 12); c.lineTo(14 + length * p.scale, height - 12); c.lineTo(14 + length * p.scale, height - 17);
    c.stroke();
    c.font = "12px sans-serif"; c.textAlign = "left";
    halo(c, withUnit(shown(length, 3), this.unit.length), 18, height - 19);
  }
  drawAxes(c, p, width, height) {
    const [left, bottom] = p.back(0, height), [right, top] = p.back(width, 0);
    c.lineWidth = 1; c.font = "11px sans-serif"; c.strokeStyle = INK.faint; c.fillStyle = INK.label;
    for (const x of roundSteps(left, right, 8)) {
      const [px] = p.at(x, 0);
      c.beginPath(); c.moveTo(px, 0); c.lineTo(px, height - 16); c.stroke();
      c.textAlign = "center"; if (px > 46 && px < width - 20) c.fillText(shown(x, 4), px, height - 4);
    }
    for (const y of roundSteps(bottom, top, 7)) {
      const [, py] = p.at(0, y);
      c.beginPath(); c.moveTo(40, py); c.lineTo(width, py); c.stroke();
      c.textAlign = "right"; if (py > 12 && py < height - 20) c.fillText(shown(y, 4), 38, py + 4);
    }
    c.textAlign = "left"; c.font = "italic 12px serif"; c.fillText("x", width - 14, height - 4); c.fillText("y", 6, 12);
  }
  drawTrail(c, p) {
    const of = (kinds) => this.moving.find((q) => kinds.includes(q.kind)), part = of(["circle"]) || of(["segment", "polygon"]);
    if (!part) return;
    const j = part.kind === "segment" ? 2 : 0, t = this.scene.t, last = indexAt(t, this.now), first = Math.max(0, indexAt(t, this.now - (t[t.length - 1] - t[0]) / 5));
    c.strokeStyle = INK.trail; c.lineWidth = 1.4; c.lineJoin = "round";
    c.beginPath();
    for (let k = first; k <= last; k++) {
      const [x, y] = p.at(this.raw(k, part, j), this.raw(k, part, j + 1));
      if (k === first) c.moveTo(x, y); else c.lineTo(x, y);
    }
    c.lineTo(...p.at(this.number(part, j), this.number(part, j + 1)));
    c.stroke();
  }
  drawPart(c, p, part, width, height) {
    const points = this.points(part).map(([x, y]) => p.at(x, y));
    c.strokeStyle = INK.line; c.fillStyle = part.tone; c.lineWidth = 1.6; c.lineJoin = c.lineCap = "round";
    c.beginPath();
    const solid = () => { c.globalAlpha = 0.82; if (part.fill !== "none") c.fill(); c.globalAlpha = 1; if (part.fill === "none") c.strokeStyle = part.tone; c.stroke(); };
    if (part.kind === "circle") {
      const radius = this.number(part, 2) * p.scale;
      c.arc(...points[0], radius > 0 ? Math.max(2.5, radius) : 7, 0, 2 * Math.PI);
      solid();
      if (part.label) this.labels.push([part.label, points[0][0], points[0][1], Math.max(8, radius)]);
    } else if (part.kind === "segment") {
      c.lineWidth = 4.5; if (part.tone) c.strokeStyle = part.tone;
      c.moveTo(...points[0]); c.lineTo(...points[1]); c.stroke();
    } else if (part.kind === "polygon") {
      points.forEach((q, j) => (j ? c.lineTo(...q) : c.moveTo(...q)));
      c.closePath(); solid();
    } else if (part.kind === "spring" || part.kind === "damper") {
      if (part.tone) c.strokeStyle = part.tone;
      (part.kind === "spring" ? drawSpring : drawDamper)(c, ...points);
    } else if (part.kind === "angle") {
      this.drawAngle(c, p, part, points[0]);
    } else if (part.kind === "level" || part.kind === "plane") {
      this.drawGround(c, p, part, width, height);
    }
    if (part.label && points.length > 1) {
      const middle = [0, 1].map((k) => points.reduce((sum, q) => sum + q[k], 0) / points.length);
      this.labels.push([part.label, ...middle, 8]);
    }
  }
  drawAngle(c, p, part, apex) {
    const radius = this.number(part, 2) * p.scale, from = this.number(part, 3), to = this.number(part, 4), back = to < from;
    c.strokeStyle = part.tone || INK.label; c.lineWidth = 1.4;
    c.beginPath(); c.arc(...apex, radius, -from, -to, !back); c.stroke();
    c.setLineDash([4, 4]);
    c.beginPath(); c.moveTo(...apex); c.lineTo(apex[0] + 1.2 * radius * Math.cos(from), apex[1] - 1.2 * radius * Math.sin(from)); c.stroke();
    c.setLineDash([]);
    const tip = [apex[0] + radius * Math.cos(to), apex[1] - radius * Math.sin(to)], way = to + (back ? -1 : 1) * Math.PI / 2;
    if (Math.abs(to - from) * radius > 10) arrowHead(c, tip, [Math.cos(way), -Math.sin(way)], 7, c.strokeStyle);
    const middle = (from + to) / 2;
    if (part.label) this.labels.push([part.label, apex[0] + (radius + 4) * Math.cos(middle), apex[1] - (radius + 4) * Math.sin(middle), 2]);
  }
  // a level or a plane: a line, shaded below
  drawGround(c, p, part, width, height) {
    let point = [0, 0], normal = [0, 1];
    if (part.kind === "level") point = [0, this.number(part, 0)];
    else { point = [this.number(part, 0), this.number(part, 1)]; normal = [this.number(part, 3), this.number(part, 4)]; }
    const [x, y] = p.at(...point), reach = 2 * (width + height) + Math.abs(x) + Math.abs(y);
    c.save();
    c.translate(x, y);
    c.rotate(Math.atan2(normal[0], normal[1]));
    const shade = c.createLinearGradient(0, 0, 0, 26);
    shade.addColorStop(0, part.tone || INK.label); shade.addColorStop(1, "transparent");
    c.globalAlpha = 0.35; c.fillStyle = shade; c.fillRect(-reach, 0, 2 * reach, 26); c.globalAlpha = 1;
    c.strokeStyle = part.tone || INK.line; c.lineWidth = 2;
    c.beginPath(); c.moveTo(-reach, 0); c.lineTo(reach, 0); c.stroke();
    c.restore();
    if (part.label && part.kind === "level") { c.font = "12px sans-serif"; c.textAlign = "right"; c.fillStyle = INK.label; halo(c, part.label, width - 10, y + 16); }
  }
  // names beside their shapes: a place where no other name is
  drawLabels(c, width, height) {
    const taken = [];
    c.font = "12px sans-serif"; c.textAlign = "left"; c.fillStyle = INK.line;
    for (const [text, x, y, away] of this.labels) {
      const long = c.measureText(text).width;
      const places = [[away, -away], [-away - long, -away], [away, away + 10], [-away - long, away + 10], [-long / 2, -away - 8], [-long / 2, away + 18]];
      const box = ([dx, dy]) => [x + dx, y + dy - 11, x + dx + long, y + dy + 3];
      const clash = (b) => taken.some((o) => b[0] < o[2] && o[0] < b[2] && b[1] < o[3] && o[1] < b[3]) || b[0] < 0 || b[2] > width || b[1] < 0 || b[3] > height;
      const free = places.find((place) => !clash(box(place)));
      if (!free) continue; // better none than one over another
      taken.push(box(free));
      halo(c, text, x + free[0], y + free[1]);
    }
  }
  // arrows: the force on the body where it touches; and how long one is
  drawForces(c, p, factor, width, height) {
    const unit = ARROW * factor / this.strongest;
    c.lineCap = "butt";
    for (const contact of this.run.contacts) {
      const value = (name) => between(this.run.t, this.now, (k) => contact[name][k]);
      const at = p.at(value("x"), value("y")), force = [value("force_x") * unit, -value("force_y") * unit];
      if (Math.hypot(...force) > 1) arrow(c, at, force, INK.force);
    }
    if (!(this.strongest > 1e-290)) return;
    // a round force near 60 pixels
    const round = roundBelow(75 / unit);
    arrow(c, [width - 20 - round * unit, height - 16], [round * unit, 0], INK.force);
    c.font = "12px sans-serif"; c.textAlign = "right"; c.fillStyle = INK.label;
    halo(c, withUnit(shown(round, 3), this.unit.force), width - 16, height - 24);
  }
  // a value on a row of its own, from the least to the most it ever is; stops where contacts are
  drawBeads(c, width, height) {
    const rows = this.beads.length, room = Math.min(110, (height - 20) / rows), top = (height - rows * room) / 2, left = 90, right = width - 40;
    this.beads.forEach((bead, row) => {
      const y = top + (row + 0.5) * room, stops = this.scene.parts.filter((q) => q.kind === "stop" && this.scene.fixed[q.fixed_first] === this.scene.fixed[bead.fixed_first]);
      if (!bead.range) {
        let low = Infinity, high = -Infinity;
        for (let f = 0; f < this.scene.t.length; f++)
          for (const part of [bead, ...stops]) { const v = this.raw(f, part, 0); low = Math.min(low, v); high = Math.max(high, v); }
        bead.range = high > low ? [low, high] : [low - 1, high + 1];
      }
      const [low, high] = bead.range, x = (v) => left + (v - low) / (high - low) * (right - left);
      c.strokeStyle = INK.faint; c.lineWidth = 2; c.beginPath(); c.moveTo(left, y); c.lineTo(right, y); c.stroke();
      c.font = "11px sans-serif"; c.fillStyle = INK.label; c.textAlign = "center"; c.lineWidth = 1;
      for (const v of roundSteps(low, high, 6)) {
        c.beginPath(); c.moveTo(x(v), y - 4); c.lineTo(x(v), y + 4); c.stroke();
        if (room > 34) c.fillText(shown(v, 4), x(v), y + 17 + Math.min(6, room / 12));
      }
      for (const stop of stops) {
        const at = x(this.number(stop, 0)), side = this.scene.fixed[stop.fixed_first + 1];
        c.fillStyle = c.strokeStyle = INK.line; c.globalAlpha = 0.25; c.fillRect(side > 0 ? at - 12 : at, y - 15, 12, 30); c.globalAlpha = 1;
        c.lineWidth = 2; c.beginPath(); c.moveTo(at, y - 15); c.lineTo(at, y + 15); c.stroke();
      }
      c.fillStyle = bead.tone; c.strokeStyle = INK.line; c.lineWidth = 1.5;
      c.beginPath(); c.arc(x(this.number(bead, 0)), y, 9, 0, 2 * Math.PI); c.fill(); c.stroke();
      c.font = "bold 13px sans-serif"; c.fillStyle = INK.line; c.textAlign = "right";
      c.fillText(withUnit(bead.label, this.unit.of(bead.label) && `[${this.unit.of(bead.label)}]`), left - 22, y + 5);
    });
  }
}
// ---- symbols ----
function arrowHead(c, tip, way, size, colour) {
  const angle = Math.atan2(way[1], way[0]);
  c.fillStyle = colour;
  c.beginPath(); c.moveTo(tip[0] + 3 * Math.cos(angle), tip[1] + 3 * Math.sin(angle));
  for (const side of [-0.42, 0.42]) c.lineTo(tip[0] - size * Math.cos(angle + side), tip[1] - size * Math.sin(angle + side));
  c.closePath(); c.fill();
}
function arrow(c, from, force, colour) {
  const tip = [from[0] + force[0], from[1] + force[1]];
  c.strokeStyle = colour; c.lineWidth = 2.5;
  c.beginPath(); c.moveTo(...from); c.lineTo(...tip); c.stroke();
  arrowHead(c, tip, force, 9, colour);
}
// along a line from a to b: points (way along, way across) as pixels
function alongLine(a, b) {
  const length = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1, u = [(b[0] - a[0]) / length, (b[1] - a[1]) / length];
  return {length, at: (s, n) => [a[0] + u[0] * s - u[1] * n, a[1] + u[1] * s + u[0] * n]};
}
function drawSpring(c, a, b) {
  const line = alongLine(a, b), ends = Math.min(10, 0.15 * line.length), turns = 8, high = 7;
  c.lineWidth = 1.8; c.beginPath(); c.moveTo(...a); c.lineTo(...line.at(ends, 0));
  for (let k = 0; k < 2 * turns; k++) c.lineTo(...line.at(ends + (line.length - 2 * ends) * (k + 0.5) / (2 * turns), k % 2 ? -high : high));
  c.lineTo(...line.at(line.length - ends, 0)); c.lineTo(...b); c.stroke();
}
function drawDamper(c, a, b) {
  const line = alongLine(a, b), middle = line.length / 2, half = Math.min(16, 0.3 * line.length), high = 7;
  c.lineWidth = 1.8; c.beginPath();
  c.moveTo(...a); c.lineTo(...line.at(middle - half, 0));
  c.moveTo(...line.at(middle + half, -high)); c.lineTo(...line.at(middle - half, -high)); c.lineTo(...line.at(middle - half, high)); c.lineTo(...line.at(middle + half, high));
  c.moveTo(...line.at(middle, -high + 2)); c.lineTo(...line.at(middle, high - 2));
  c.moveTo(...line.at(middle, 0)); c.lineTo(...b); c.stroke();
}
function largest(values) {
  let most = 0;
  for (const v of values) if (v > most) most = v;
  return most;
}
