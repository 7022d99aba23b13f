// ---- motion in space: rods, bodies, walls, painted from far to near ----
class SpaceView {
  constructor(canvas, scene) {
    this.canvas = canvas;
    this.scene = scene;
    this.kinds = [...new Set(scene.parts.filter((part) => part.kind === "rod").map((part) => this.shape(part)))];
    this.planes = scene.parts.filter((part) => part.kind === "plane");
    this.measure();
    this.reset();
  }
  // a motion in a plane across y is seen from the front, a little above
  reset() { this.zoom = 1; [this.turn, this.tilt] = this.flat ? [0, 0.06] : [-0.7, 0.35]; this.shift = [0, 0]; }
  number(frame, part, k) { return this.scene.numbers[frame * this.scene.size + part.first + k]; }
  fixed(part, k) { return this.scene.fixed[part.fixed_first + k]; }
  shape(part) { return this.fixed(part, 0) + " " + this.fixed(part, 1); }
  frameAt(t) { return indexAt(this.scene.t, t); }
  // the middle of all that moves, and how far it reaches
  measure() {
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    const frames = this.scene.t.length, stride = Math.max(1, Math.floor(frames / 60));
    this.reachable = 0; // of the largest body, for arrows that go with it
    for (let frame = 0; frame < frames; frame += stride)
      for (const part of this.scene.parts) {
        if (part.kind !== "rod" && part.kind !== "body") continue;
        const reach = part.kind === "rod" ? this.fixed(part, 0) * Math.hypot(...[3, 4, 5].map((k) => this.number(frame, part, k))) + this.fixed(part, 1) : this.reach(part, frame);
        this.reachable = Math.max(this.reachable, 2 * reach);
        for (let c = 0; c < 3; c++) {
          low[c] = Math.min(low[c], this.number(frame, part, c) - reach);
          high[c] = Math.max(high[c], this.number(frame, part, c) + reach);
        }
      }
    for (const part of this.scene.parts)
      if (part.kind === "tube" && this.fixed(part, 2) < 1e3)
        for (let c = 0; c < 2; c++) {
          low[c] = Math.min(low[c], this.fixed(part, c) - this.fixed(part, 2));
          high[c] = Math.max(high[c], this.fixed(part, c) + this.fixed(part, 2));
        }
    this.middle = low.map((v, c) => (Number.isFinite(v) ? (v + high[c]) / 2 : 0));
    this.size = Math.max(...high.map((v, c) => v - low[c]).filter(Number.isFinite), 1e-12);
    this.low = low; this.high = high;
    this.flat = this.isFlat();
  }
  // whether rods, and nothing else, stay in a plane y = const
  isFlat() {
    const bodies = this.scene.parts.filter((part) => part.kind === "rod" || part.kind === "body");
    const stays = (part, frame) => part.kind === "rod" && this.number(frame, part, 1) === this.number(0, bodies[0], 1) && this.number(frame, part, 4) === 0;
    return bodies.length > 0 && this.scene.t.every((_, frame) => bodies.every((part) => stays(part, frame)));
  }
  reach(part, frame) {
    let most = 0;
    for (let k = 0; k < this.fixed(part, 0); k++)
      most = Math.max(most, Math.hypot(...[0, 1, 2].map((i) => [0, 1, 2].reduce((sum, j) => sum + this.number(frame, part, 3 + 3 * i + j) * this.fixed(part, 1 + 3 * k + j), 0))));
    return most;
  }
  drag(dx, dy, event) {
    if (event.shiftKey) { this.shift[0] += dx; this.shift[1] += dy; return; }
    this.turn += dx * 0.008;
    this.tilt = Math.min(1.55, Math.max(-1.55, this.tilt + dy * 0.008));
  }
  zoomAt(factor) { this.zoom *= factor; }
  camera(width, height) {
    const [ct, st, ci, si] = [Math.cos(this.turn), Math.sin(this.turn), Math.cos(this.tilt), Math.sin(this.tilt)];
    const [wide, high] = this.flat ? [0, 2].map((c) => this.high[c] - this.low[c]) : [this.size, this.size];
    const distance = 3.2 * this.size, scale = 0.8 * Math.min(width / wide, height / high) * this.zoom;
    return (q) => {
      const x = q[0] - this.middle[0], y = q[1] - this.middle[1], z = q[2] - this.middle[2];
      const right = ct * x - st * y, back = st * x + ct * y, up = ci * z + si * back, depth = ci * back - si * z;
      const near = distance / (distance + depth);
      return [width / 2 + right * scale * near + this.shift[0], height / 2 - up * scale * near + this.shift[1], depth, scale * near];
    };
  }
  draw(t, looks) {
    const {context: c, width, height} = sharpen(this.canvas), frame = this.frameAt(t), camera = this.camera(width, height);
    c.fillStyle = INK.paper;
    c.fillRect(0, 0, width, height);
    const pieces = [];
    for (const part of this.scene.parts) {
      if (part.kind === "plane") this.drawFloor(c, camera, frame, part);
      if (part.kind === "tube") this.drawTube(c, camera, part);
    }
    if (looks.trail) this.drawTrail(c, camera, frame);
    this.scene.parts.forEach((part, k) => {
      if (part.kind === "rod") this.addRod(pieces, camera, frame, part, k);
      if (part.kind === "body") this.addBody(pieces, camera, frame, part);
    });
    pieces.sort((a, b) => b.depth - a.depth);
    for (const piece of pieces) piece.paint(c);
  }
  // what is left of a line before all other planes, as parts of it from its beginning; an empty range if nothing
  beforePlanes(frame, own, from, to) {
    let first = 0, last = 1;
    for (const part of this.planes) {
      if (part === own) continue;
      const gap = (x) => x.reduce((sum, v, k) => sum + this.number(frame, part, k + 3) * (v - this.number(frame, part, k)), 0);
      const a = gap(from), b = gap(to);
      if (a < 0 && b < 0) return [0, 0];
      if (a < 0) first = Math.max(first, a / (a - b));
      if (b < 0) last = Math.min(last, a / (a - b));
    }
    return [first, last];
  }
  // a grid on a plane, as far as the motion reaches and other planes let it
  drawFloor(c, camera, frame, part) {
    const n = [3, 4, 5].map((k) => this.number(frame, part, k)), p = [0, 1, 2].map((k) => this.number(frame, part, k));
    const a = Math.abs(n[2]) > 0.5 ? [1, 0, -n[0] / n[2]] : [-n[1], n[0], 0];
    const length = Math.hypot(...a), u = a.map((v) => v / length);
    const v = [n[1] * u[2] - n[2] * u[1], n[2] * u[0] - n[0] * u[2], n[0] * u[1] - n[1] * u[0]];
    const distance = n.reduce((sum, w, k) => sum + w * (p[k] - this.middle[k]), 0);
    const foot = this.middle.map((m, k) => m + distance * n[k]), half = 0.75 * this.size, lines = 8;
    c.strokeStyle = INK.faint; c.lineWidth = 1;
    for (let k = -lines; k <= lines; k++)
      for (const [s, w] of [[u, v], [v, u]]) {
        const from = foot.map((f, j) => f + s[j] * half * k / lines - w[j] * half), to = foot.map((f, j) => f + s[j] * half * k / lines + w[j] * half);
        const [first, last] = this.beforePlanes(frame, part, from, to), between = (r) => from.map((f, j) => f + r * (to[j] - f));
        if (!(first < last)) continue;
        const [x0, y0] = camera(between(first)), [x1, y1] = camera(between(last));
        c.beginPath(); c.moveTo(x0, y0); c.lineTo(x1, y1); c.stroke();
      }
  }
  drawTube(c, camera, part) {
    const r = this.fixed(part, 2), low = Number.isFinite(this.low[2]) ? this.low[2] : 0, high = Number.isFinite(this.high[2]) ? this.high[2] : this.size;
    if (!(r < 1e3)) return;
    c.strokeStyle = "#9fb0c0"; c.lineWidth = 1;
    for (const z of [low, high]) {
      c.beginPath();
      for (let k = 0; k <= 72; k++) {
        const angle = 2 * Math.PI * k / 72, [x, y] = camera([this.fixed(part, 0) + r * Math.cos(angle), this.fixed(part, 1) + r * Math.sin(angle), z]);
        if (k) c.lineTo(x, y); else c.moveTo(x, y);
      }
      c.stroke();
    }
  }
  drawTrail(c, camera, frame) {
    const part = this.scene.parts.find((q) => q.kind === "body") || this.scene.parts.find((q) => q.kind === "rod");
    if (!part) return;
    c.strokeStyle = INK.trail; c.lineWidth = 1.2;
    c.beginPath();
    for (let k = Math.max(0, frame - 600); k <= frame; k++) {
      const [x, y] = camera([0, 1, 2].map((j) => this.number(k, part, j)));
      if (k === Math.max(0, frame - 600)) c.moveTo(x, y); else c.lineTo(x, y);
    }
    c.stroke();
  }
  // a thick line with round ends, light along its middle
  addRod(pieces, camera, frame, part, k) {
    const half = this.fixed(part, 0), radius = this.fixed(part, 1);
    const centre = [0, 1, 2].map((j) => this.number(frame, part, j)), axis = [3, 4, 5].map((j) => this.number(frame, part, j));
    const a = camera(centre.map((x, j) => x - half * axis[j])), b = camera(centre.map((x, j) => x + half * axis[j]));
    const tone = ["#3f6fa8", "#c98a2b", "#4d8f6b", "#8d5a86", "#7a8794", "#a8503f"][(this.kinds.length > 1 ? this.kinds.indexOf(this.shape(part)) : k) % 6]; // kinds, else rods
    pieces.push({depth: (a[2] + b[2]) / 2, paint: (c) => {
      const wide = Math.max(1.5, radius * (a[3] + b[3]));
      c.lineCap = "round";
      for (const [style, width] of [[INK.line, wide], [tone, Math.max(1, wide - 2)], ["rgba(255,255,255,0.35)", wide * 0.28]]) {
        c.strokeStyle = style; c.lineWidth = width;
        c.beginPath(); c.moveTo(a[0], a[1]); c.lineTo(b[0] + 0.01, b[1]); c.stroke();
      }
    }});
  }
  // triangles, shaded by where they look; edges only between faces
  addBody(pieces, camera, frame, part) {
    const corners = this.fixed(part, 0), place = [], world = [];
    for (let k = 0; k < corners; k++) {
      const x = [0, 1, 2].map((j) => this.fixed(part, 1 + 3 * k + j));
      const p = [0, 1, 2].map((i) => this.number(frame, part, i) + [0, 1, 2].reduce((sum, j) => sum + this.number(frame, part, 3 + 3 * i + j) * x[j], 0));
      world.push(p); place.push(camera(p));
    }
    const light = [0.35, -0.5, 0.79];
    for (let k = 1 + 3 * corners; k + 3 < part.fixed_count; k += 4) {
      const [i, j, l, face] = [0, 1, 2, 3].map((m) => this.fixed(part, k + m)), [p, q, r] = [world[i], world[j], world[l]];
      const e = q.map((v, m) => v - p[m]), f = r.map((v, m) => v - p[m]);
      const n = [e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]], length = Math.hypot(...n) || 1;
      const [A, B, C] = [place[i], place[j], place[l]];
      const facing = (B[0] - A[0]) * (C[1] - A[1]) - (B[1] - A[1]) * (C[0] - A[0]);
      if (facing > 0) continue; // seen from behind
      const bright = 0.62 + 0.38 * Math.max(-1, Math.min(1, light.reduce((sum, v, m) => sum + v * n[m] / length, 0)));
      const base = face === 10000 ? [214, 150, 60] : [[63, 111, 168], [201, 138, 43], [77, 143, 107], [141, 90, 134], [108, 122, 137], [168, 80, 63]][face % 6];
      const colour = `rgb(${base.map((v) => Math.round(v * bright)).join(",")})`;
      pieces.push({depth: (A[2] + B[2] + C[2]) / 3, paint: (c) => {
        c.fillStyle = c.strokeStyle = colour; c.lineWidth = 0.7;
        c.beginPath(); c.moveTo(A[0], A[1]); c.lineTo(B[0], B[1]); c.lineTo(C[0], C[1]); c.closePath(); c.fill(); c.stroke();
      }});
    }
  }
}
