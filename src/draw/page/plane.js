// ---- motion in the plane: shapes, trail, contact forces ----
class PlaneView {
  constructor(canvas, scene, run) {
    this.canvas = canvas;
    this.run = run;
    this.scene = scene;
    this.box = this.measure();
    this.strongest = Math.max(1e-300, ...this.run.contacts.map((c) => largest(c.force_x.map((x, k) => Math.hypot(x, c.force_y[k])))));
    this.reset();
  }
  reset() { this.zoom = 1; this.shift = [0, 0]; }
  number(frame, part, k) { return this.scene.numbers[frame * this.scene.size + part.first + k]; }
  // points of a part: corners, ends, centre
  points(frame, part) {
    const points = [];
    if (part.kind === "plane") return points;
    const count = part.kind === "circle" ? 1 : part.kind === "level" ? 0 : part.count / 2;
    for (let k = 0; k < count; k++) points.push([this.number(frame, part, 2 * k), this.number(frame, part, 2 * k + 1)]);
    return points;
  }
  // everything that is ever seen
  measure() {
    let box = [Infinity, Infinity, -Infinity, -Infinity];
    const frames = this.scene.t.length, stride = Math.max(1, Math.floor(frames / 400));
    for (let frame = 0; frame < frames; frame += stride)
      for (const part of this.scene.parts) {
        const margin = part.kind === "circle" ? this.number(frame, part, 2) : 0;
        for (const [x, y] of this.points(frame, part))
          box = [Math.min(box[0], x - margin), Math.min(box[1], y - margin), Math.max(box[2], x + margin), Math.max(box[3], y + margin)];
        if (part.kind === "level") {
          const y = this.number(frame, part, 0);
          box = [box[0], Math.min(box[1], y), box[2], Math.max(box[3], y)];
        }
      }
    if (!Number.isFinite(box[0])) box = [-1, Number.isFinite(box[1]) ? box[1] - 1 : -1, 1, Number.isFinite(box[3]) ? box[3] + 1 : 1];
    const size = Math.max(box[2] - box[0], box[3] - box[1], 1e-12) * 0.08;
    return [box[0] - size, box[1] - size, box[2] + size, box[3] + size];
  }
  frameAt(t) { return indexAt(this.scene.t, t); }
  project(width, height) {
    const box = this.box, middle = [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2];
    const scale = Math.min(width / (box[2] - box[0]), height / (box[3] - box[1])) * this.zoom;
    return {scale, at: (x, y) => [width / 2 + (x - middle[0]) * scale + this.shift[0], height / 2 - (y - middle[1]) * scale + this.shift[1]]};
  }
  drag(dx, dy) { this.shift[0] += dx; this.shift[1] += dy; }
  zoomAt(factor, x, y) {
    const box = this.canvas.getBoundingClientRect(), cx = x - box.left - box.width / 2, cy = y - box.top - box.height / 2;
    this.shift = [cx + (this.shift[0] - cx) * factor, cy + (this.shift[1] - cy) * factor];
    this.zoom *= factor;
  }
  draw(t, looks) {
    const {context: c, width, height} = sharpen(this.canvas), p = this.project(width, height), frame = this.frameAt(t);
    c.fillStyle = INK.paper;
    c.fillRect(0, 0, width, height);
    this.drawScale(c, p, width, height);
    if (looks.trail) this.drawTrail(c, p, frame);
    this.scene.parts.forEach((part, k) => this.drawPart(c, p, frame, part, k, width, height));
    if (looks.forces) this.drawForces(c, p, t);
  }
  drawScale(c, p, width, height) {
    const length = roundSteps(0, width / p.scale, 6)[1] || 1;
    c.strokeStyle = c.fillStyle = INK.scale;
    c.lineWidth = 1;
    c.beginPath();
    c.moveTo(12, height - 12); c.lineTo(12 + length * p.scale, height - 12);
    c.stroke();
    c.font = "11px sans-serif";
    c.fillText(shown(length, 3), 12, height - 17);
  }
  drawTrail(c, p, frame) {
    const part = this.scene.parts.find((q) => q.kind === "circle" && this.moves(q)) ||
      this.scene.parts.find((q) => (q.kind === "segment" || q.kind === "polygon") && this.moves(q));
    if (!part) return;
    const last = part.kind === "segment" ? 1 : 0;
    c.strokeStyle = INK.trail;
    c.lineWidth = 1.2;
    c.beginPath();
    for (let k = Math.max(0, frame - 400); k <= frame; k++) {
      const [x, y] = p.at(this.number(k, part, 2 * last), this.number(k, part, 2 * last + 1));
      if (k === Math.max(0, frame - 400)) c.moveTo(x, y); else c.lineTo(x, y);
    }
    c.stroke();
  }
  moves(part) {
    for (let k = 0; k < part.count; k++)
      if (this.number(0, part, k) !== this.number(this.scene.t.length >> 1, part, k)) return true;
    return false;
  }
  drawPart(c, p, frame, part, k, width, height) {
    const tones = ["#3f6fa8", "#c98a2b", "#4d8f6b", "#8d5a86", "#6c7a89"];
    c.strokeStyle = INK.line;
    c.fillStyle = tones[k % tones.length];
    c.lineWidth = 1.5;
    c.beginPath();
    if (part.kind === "circle") {
      const [x, y] = p.at(this.number(frame, part, 0), this.number(frame, part, 1));
      c.arc(x, y, Math.max(2, this.number(frame, part, 2) * p.scale), 0, 2 * Math.PI);
      c.globalAlpha = 0.85; c.fill(); c.globalAlpha = 1; c.stroke();
    } else if (part.kind === "segment") {
      const [a, b] = this.points(frame, part).map(([x, y]) => p.at(x, y));
      c.lineWidth = 4; c.lineCap = "round";
      c.moveTo(...a); c.lineTo(...b); c.stroke();
    } else if (part.kind === "polygon") {
      this.points(frame, part).forEach(([x, y], j) => (j ? c.lineTo(...p.at(x, y)) : c.moveTo(...p.at(x, y))));
      c.closePath(); c.globalAlpha = 0.6; c.fill(); c.globalAlpha = 1; c.stroke();
    } else {
      this.drawGround(c, p, frame, part, width, height);
    }
    if (part.label && part.kind !== "plane") this.drawLabel(c, p, frame, part);
  }
  // a level or a plane: a line, hatched below
  drawGround(c, p, frame, part, width, height) {
    let point = [0, 0], normal = [0, 1];
    if (part.kind === "level") point = [0, this.number(frame, part, 0)];
    else { point = [this.number(frame, part, 0), this.number(frame, part, 1)]; normal = [this.number(frame, part, 3), this.number(frame, part, 4)]; }
    const [x, y] = p.at(...point), along = [normal[1], normal[0]], reach = 2 * (width + height);
    c.save();
    c.translate(x, y);
    c.rotate(Math.atan2(normal[0], normal[1]));
    c.strokeStyle = INK.line; c.lineWidth = 2;
    c.beginPath(); c.moveTo(-reach, 0); c.lineTo(reach, 0); c.stroke();
    c.strokeStyle = INK.hatch; c.lineWidth = 1;
    c.beginPath();
    for (let s = -reach; s < reach; s += 12) { c.moveTo(s, 1); c.lineTo(s - 8, 9); }
    c.stroke();
    c.restore();
  }
  drawLabel(c, p, frame, part) {
    const points = this.points(frame, part);
    if (!points.length) return;
    const x = points.reduce((sum, q) => sum + q[0], 0) / points.length, y = points.reduce((sum, q) => sum + q[1], 0) / points.length;
    const [px, py] = p.at(x, y);
    c.fillStyle = INK.label; c.font = "11px sans-serif";
    c.fillText(part.label, px + 6, py - 6);
  }
  // arrows: the force on the body where it touches
  drawForces(c, p, t) {
    const sample = indexAt(this.run.t, t), unit = 90 / this.strongest;
    this.run.contacts.forEach((contact) => {
      const [px, py] = p.at(contact.x[sample], contact.y[sample]);
      const force = [contact.force_x[sample] * unit, -contact.force_y[sample] * unit];
      const length = Math.hypot(...force);
      if (!(length > 1)) return;
      const tip = [px + force[0], py + force[1]], angle = Math.atan2(force[1], force[0]);
      c.strokeStyle = c.fillStyle = INK.force; c.lineWidth = 2.5;
      c.beginPath(); c.moveTo(px, py); c.lineTo(...tip); c.stroke();
      c.beginPath(); c.moveTo(...tip);
      for (const side of [-0.4, 0.4]) c.lineTo(tip[0] - 9 * Math.cos(angle + side), tip[1] - 9 * Math.sin(angle + side));
      c.fill();
    });
  }
}
function largest(values) {
  let most = 0;
  for (const v of values) if (v > most) most = v;
  return most;
}
