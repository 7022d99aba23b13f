// Motions in space: bodies, rods and walls with light, shadows and edges, by three.js. One renderer paints for all views; its picture
// is copied to the canvas of a view, which other views may have used before. The views of src/draw/page/space.js are asked alike, and
// serve where a browser has no WebGL.
import {BufferAttribute, BufferGeometry, CapsuleGeometry, Color, ConeGeometry, CylinderGeometry, DirectionalLight, DoubleSide, EdgesGeometry, GridHelper,
  Group, HemisphereLight, InstancedMesh, Line, LineBasicMaterial, LineLoop, LineSegments, Matrix4, Mesh, MeshBasicMaterial, MeshLambertMaterial, PCFShadowMap, PerspectiveCamera, PlaneGeometry, Scene, TorusGeometry, Vector3, WebGLRenderer} from "three";

const TONES = ["#3f6fa8", "#c98a2b", "#4d8f6b", "#8d5a86", "#6c7a89", "#a8503f"], ROUND = 9999, TRAIL = 600;
const FORCE = "#d2342c", CONE = "#e8a33a", RIM = 48;
const NAMED = /** @type {Record<string, string>} */ ({blue: "#3f6fa8", orange: "#d08a2e", green: "#4d8f6b", red: "#b5483a", purple: "#8d5a86", teal: "#2f8f8f", brown: "#8a6242", pink: "#c87a9c", yellow: "#d6b83c", grey: "#7d8894", black: "#26292e", white: "#f2f3f5"});

/** @type {WebGLRenderer | null | undefined} */
let renderer;
/** The one renderer; null where the browser has no WebGL. */
function painter() {
  if (renderer !== undefined) return renderer;
  try {
    renderer = new WebGLRenderer({antialias: true, alpha: true, preserveDrawingBuffer: true});
    renderer.shadowMap.enabled = true;
    renderer.shadowMap.type = PCFShadowMap;
  } catch { renderer = null; }
  return renderer;
}
export const isAble = () => painter() !== null;

/** @typedef {{kind: string, color?: string, fill?: string, first: number, count: number, fixed_first: number, fixed_count: number}} Part */
/** Triangles with the colours of their faces; faces that are round have the normals of the whole. @param {ArrayLike<number>} fixed @param {Part} part @param {number} turn */
function bodyGeometry(fixed, part, turn) {
  const at = part.fixed_first, corners = fixed[at], first = at + 1 + 3 * corners, count = Math.floor((at + part.fixed_count - first) / 4);
  const positions = new Float32Array(9 * count), normals = new Float32Array(9 * count), colours = new Float32Array(9 * count);
  const corner = (/** @type {number} */ k) => new Vector3(fixed[at + 1 + 3 * k], fixed[at + 2 + 3 * k], fixed[at + 3 + 3 * k]);
  const triangles = Array.from({length: count}, (_, k) => {
    const ids = [0, 1, 2].map((j) => fixed[first + 4 * k + j]), [a, b, c] = ids.map(corner);
    return {ids, face: fixed[first + 4 * k + 3], points: [a, b, c], normal: b.clone().sub(a).cross(c.clone().sub(a))};
  });
  const round = new Map();
  for (const {ids, face, normal} of triangles)
    if (face >= ROUND) for (const id of ids) round.set(id, (round.get(id) ?? new Vector3()).clone().add(normal));
  triangles.forEach(({ids, face, points, normal}, k) => {
    const own = part.color && NAMED[part.color], tone = new Color(own || (face >= ROUND ? TONES[turn % 6] : TONES[(face + turn) % 6]));
    if (face > ROUND) tone.lerp(new Color("#ffffff"), 0.35);
    points.forEach((point, j) => {
      const n = (face >= ROUND ? round.get(ids[j]) : normal).clone().normalize();
      point.toArray(positions, 9 * k + 3 * j);
      n.toArray(normals, 9 * k + 3 * j);
      tone.toArray(colours, 9 * k + 3 * j);
    });
  });
  const made = new BufferGeometry();
  made.setAttribute("position", new BufferAttribute(positions, 3));
  made.setAttribute("normal", new BufferAttribute(normals, 3));
  made.setAttribute("color", new BufferAttribute(colours, 3));
  return made;
}

/** The last entry that is not greater than t. @param {ArrayLike<number>} times @param {number} t */
function indexAt(times, t) {
  let low = 0, high = times.length - 1;
  while (low < high) { const middle = (low + high + 1) >> 1; if (times[middle] <= t) low = middle; else high = middle - 1; }
  return low;
}

/** A turn and stretch that takes the y axis to `axis`, and all across it to the length `wide`. @param {Vector3} axis @param {number} wide */
function alongAxis(axis, wide) {
  const across = Math.abs(axis.x) < 0.6 * axis.length() ? new Vector3(1, 0, 0) : new Vector3(0, 1, 0), u = across.cross(axis).normalize(), v = u.clone().cross(axis).normalize();
  return new Matrix4().makeBasis(u.multiplyScalar(wide), axis.clone(), v.multiplyScalar(wide));
}

export class SpaceStage {
  /** @param {HTMLCanvasElement} canvas @param {any} scene as src/draw/page has it @param {any} plain the view without WebGL: its measures and its camera @param {Record<string, string>} ink */
  constructor(canvas, scene, plain, ink) {
    this.canvas = canvas;
    this.scene = scene;
    this.plain = plain;
    this.ink = ink;
    this.world = new Scene();
    this.eye = new PerspectiveCamera(22, 1, 0.01 * plain.size, 100 * plain.size);
    this.eye.up.set(0, 0, 1);
    this.light();
    /** @type {((frame: number) => void)[]} */
    this.movers = [];
    scene.parts.forEach((/** @type {Part} */ part, /** @type {number} */ k) => this.add(part, k));
    this.addRods();
    this.addForces();
    this.trail = new Line(new BufferGeometry().setAttribute("position", new BufferAttribute(new Float32Array(3 * (TRAIL + 1)), 3)), new LineBasicMaterial());
    this.trail.frustumCulled = false;
    this.world.add(this.trail);
    this.main = scene.parts.find((/** @type {Part} */ p) => p.kind === "body") ?? scene.parts.find((/** @type {Part} */ p) => p.kind === "rod");
  }
  light() {
    const size = this.plain.size, sun = new DirectionalLight("#ffffff", 1.9);
    sun.position.set(this.plain.middle[0] + 1.1 * size, this.plain.middle[1] - 1.5 * size, this.plain.middle[2] + 2.6 * size);
    sun.target.position.set(...(/** @type {[number, number, number]} */ (this.plain.middle)));
    sun.castShadow = true;
    Object.assign(sun.shadow.camera, {left: -1.2 * size, right: 1.2 * size, top: 1.2 * size, bottom: -1.2 * size, near: 0.1 * size, far: 8 * size});
    sun.shadow.mapSize.set(2048, 2048);
    sun.shadow.bias = -0.0006;
    sun.shadow.normalBias = 0.004 * size;
    sun.shadow.radius = 2;
    const sky = new HemisphereLight("#ffffff", "#c9ced5", 1.9);
    sky.position.set(0, 0, 1);
    this.world.add(sun, sun.target, sky);
  }
  /** Another motion of the same parts: nothing is built anew. False where it would not fit. @param {any} scene @param {any} plain */
  renew(scene, plain) {
    const ratio = plain.size / this.plain.size, same = scene.parts.length === this.scene.parts.length && scene.fixed.length === this.scene.fixed.length;
    if (!same || !(ratio > 0.8 && ratio < 1.25) || scene.fixed.some((/** @type {number} */ v, /** @type {number} */ k) => v !== this.scene.fixed[k])) return false;
    this.scene = scene;
    this.plain = plain;
    this.strongest = this.measureForces();
    return true;
  }
  /** @param {Part} part @param {number} k */
  add(part, k) {
    if (part.kind === "body") this.addBody(part, k);
    if (part.kind === "plane") this.addPlane(part);
    if (part.kind === "tube" && this.scene.fixed[part.fixed_first + 2] < 1e3) this.addTube(part);
  }
  /** @param {number} frame @param {Part} part @param {number} k */
  number(frame, part, k) { return this.scene.numbers[frame * this.scene.size + part.first + k]; }
  /** @param {Part} part @param {number} k */
  addBody(part, k) {
    const geometry = bodyGeometry(this.scene.fixed, part, part.color ? 0 : k), hollow = part.fill === "none";
    const body = new Mesh(geometry, new MeshLambertMaterial({vertexColors: true, transparent: hollow, opacity: hollow ? 0.15 : 1, side: DoubleSide, depthWrite: !hollow, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1}));
    const edges = new LineSegments(new EdgesGeometry(geometry, 25), new LineBasicMaterial({color: "#11161c", transparent: true, opacity: 0.75}));
    body.castShadow = !hollow;
    body.receiveShadow = !hollow;
    edges.matrixAutoUpdate = false;
    body.add(edges);
    body.matrixAutoUpdate = false;
    body.frustumCulled = edges.frustumCulled = false;
    this.world.add(body);
    this.movers.push((frame) => {
      const n = (/** @type {number} */ j) => this.number(frame, part, j);
      body.matrix.set(n(3), n(4), n(5), n(0), n(6), n(7), n(8), n(1), n(9), n(10), n(11), n(2), 0, 0, 0, 1);
      body.matrixWorldNeedsUpdate = true;
    });
  }
  /** Rods of one shape are one mesh, however many they are. */
  addRods() {
    const all = /** @type {Part[]} */ (this.scene.parts), groups = /** @type {Map<string, {part: Part, k: number}[]>} */ (new Map()), fixed = this.scene.fixed, kinds = this.plain.kinds;
    all.forEach((part, k) => { if (part.kind === "rod") groups.set(this.plain.shape(part), [...(groups.get(this.plain.shape(part)) ?? []), {part, k}]); });
    for (const rods of groups.values()) {
      const first = rods[0].part.fixed_first, half = fixed[first], radius = fixed[first + 1], thin = !(radius > 0), wide = thin ? 0.006 * this.plain.size : 1;
      const mesh = new InstancedMesh(thin ? new CylinderGeometry(1, 1, 2 * half, 10) : new CapsuleGeometry(radius, 2 * half, 6, 18), new MeshLambertMaterial(), rods.length);
      rods.forEach(({part, k}, j) => mesh.setColorAt(j, new Color(part.color && NAMED[part.color] ? NAMED[part.color] : thin ? "#55606c" : TONES[(kinds.length > 1 ? kinds.indexOf(this.plain.shape(part)) : k) % 6])));
      mesh.castShadow = mesh.receiveShadow = true;
      mesh.frustumCulled = false;
      this.world.add(mesh);
      this.movers.push((frame) => {
        rods.forEach(({part}, j) => {
          const n = (/** @type {number} */ c) => this.number(frame, part, c);
          mesh.setMatrixAt(j, alongAxis(new Vector3(n(3), n(4), n(5)), wide).setPosition(n(0), n(1), n(2)));
        });
        mesh.instanceMatrix.needsUpdate = true;
      });
    }
  }
  /** Forces of contacts as arrows, and the cones that friction allows: a tip on the rim slips, one inside sticks. */
  addForces() {
    this.forces = new Group();
    this.longer = 1;
    this.world.add(this.forces);
    this.strongest = this.measureForces();
    const red = new MeshBasicMaterial({color: FORCE, depthTest: false, transparent: true, opacity: 0.9}), amber = new MeshBasicMaterial({color: CONE, transparent: true, opacity: 0.28, side: DoubleSide, depthWrite: false, depthTest: false}), rim = new LineBasicMaterial({color: CONE, depthTest: false, transparent: true});
    const shaft = new CylinderGeometry(1, 1, 1, 12).translate(0, 0.5, 0), head = new ConeGeometry(1, 1, 20).translate(0, -0.5, 0), cone = new ConeGeometry(1, 1, RIM, 1, true).rotateX(Math.PI).translate(0, 0.5, 0);
    const circle = new BufferGeometry().setFromPoints(Array.from({length: RIM}, (_, k) => new Vector3(Math.cos(2 * Math.PI * k / RIM), 1, Math.sin(2 * Math.PI * k / RIM))));
    for (const part of this.scene.parts.filter((/** @type {Part} */ p) => p.kind === "force")) {
      const arrow = new Group(), [body, tip, allowed] = [new Mesh(shaft, red), new Mesh(head, red), new Mesh(cone, amber)], edge = new LineLoop(circle, rim);
      for (const it of [body, tip, allowed, edge]) { it.matrixAutoUpdate = false; it.frustumCulled = false; arrow.add(it); }
      // seen through bodies: forces end inside of them
      allowed.renderOrder = edge.renderOrder = 1;
      body.renderOrder = tip.renderOrder = 2;
      this.forces.add(arrow);
      this.movers.push((frame) => {
        const v = (/** @type {number} */ k) => new Vector3(...[0, 1, 2].map((c) => this.number(frame, part, k + c))), at = v(0), normal = v(6), mu = this.number(frame, part, 9);
        const force = v(3).multiplyScalar(0.5 * (this.longer ?? 1) * this.plain.reachable / (this.strongest || 1)), length = force.length();
        arrow.visible = Number.isFinite(at.x) && length > 0;
        if (!arrow.visible) return;
        const thick = Math.min(0.022 * this.plain.reachable, 0.12 * length), long = Math.min(5 * thick, 0.5 * length), end = at.clone().add(force), way = force.clone().normalize();
        body.matrix.copy(alongAxis(way.clone().multiplyScalar(length - long), thick).setPosition(at));
        tip.matrix.copy(alongAxis(way.clone().multiplyScalar(long), 2.4 * thick).setPosition(end));
        // as high as the force along the normal, so that friction at its limit ends on the rim
        const high = Math.max(0, force.dot(normal));
        allowed.visible = edge.visible = mu > 0 && high > 0;
        const grown = alongAxis(normal.multiplyScalar(high), mu * high).setPosition(at);
        allowed.matrix.copy(grown);
        edge.matrix.copy(grown);
        for (const it of [body, tip, allowed, edge]) it.matrixWorldNeedsUpdate = true;
      });
    }
  }
  /** The largest force of the motion: arrows are as long as a half of the bodies. */
  measureForces() {
    const {scene} = this, frames = scene.t.length, stride = Math.max(1, Math.floor(frames / 200));
    const sizes = [];
    for (const part of scene.parts) if (part.kind === "force") for (let frame = 0; frame < frames; frame += stride) {
      const size = Math.hypot(...[3, 4, 5].map((k) => this.number(frame, part, k)));
      if (size > 0) sizes.push(size);
    }
    sizes.sort((a, b) => a - b);
    return sizes[Math.floor(0.98 * (sizes.length - 1))] ?? 0;
  }
  // a square of it, before the middle of the motion
  /** @param {Part} part */
  addPlane(part) {
    const half = 0.8 * this.plain.size, floor = new Group();
    const square = new Mesh(new PlaneGeometry(2 * half, 2 * half), new MeshLambertMaterial({color: this.ink.paper, side: DoubleSide, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1}));
    const grid = new GridHelper(2 * half, 16, this.ink.faint, this.ink.faint);
    square.receiveShadow = true;
    grid.rotateX(Math.PI / 2);
    floor.add(square, grid);
    floor.matrixAutoUpdate = false;
    this.world.add(floor);
    this.movers.push((frame) => {
      const n = new Vector3(...[3, 4, 5].map((k) => this.number(frame, part, k))), p = [0, 1, 2].map((k) => this.number(frame, part, k)), middle = new Vector3(...this.plain.middle);
      const u = (Math.abs(n.z) > 0.5 ? new Vector3(1, 0, -n.x / n.z) : new Vector3(-n.y, n.x, 0)).normalize(), v = n.clone().cross(u), foot = middle.clone().addScaledVector(n, n.dot(new Vector3(...p).sub(middle)));
      floor.matrix = new Matrix4().makeBasis(u, v, n).setPosition(foot);
      floor.matrixWorldNeedsUpdate = true;
      // a wall between the eye and the motion is only its lines
      square.visible = n.dot(this.eye.position.clone().sub(foot)) > 0;
    });
  }
  /** @param {Part} part */
  addTube(part) {
    const [x, y, r] = [0, 1, 2].map((k) => this.scene.fixed[part.fixed_first + k]), {low, high, size} = this.plain;
    for (const z of [low[2], high[2]]) {
      const ring = new Mesh(new TorusGeometry(r, 0.002 * size, 6, 72), new MeshLambertMaterial({color: "#9fb0c0"}));
      ring.position.set(x, y, Number.isFinite(z) ? z : 0);
      this.world.add(ring);
    }
  }
  reset() { this.plain.reset(); }
  /** @param {number} dx @param {number} dy @param {any} event */
  drag(dx, dy, event) { this.plain.drag(dx, dy, event); }
  /** @param {number} factor */
  zoomAt(factor) { this.plain.zoomAt(factor); }
  // where one looks from is known to the plain view
  get zoom() { return this.plain.zoom; }
  set zoom(value) { this.plain.zoom = value; }
  get shift() { return this.plain.shift; }
  set shift(value) { this.plain.shift = value; }
  get turn() { return this.plain.turn; }
  set turn(value) { this.plain.turn = value; }
  get tilt() { return this.plain.tilt; }
  set tilt(value) { this.plain.tilt = value; }
  /** @param {number} width @param {number} height */
  look(width, height) {
    const {turn, tilt, zoom, shift, size, middle, flat, low, high} = this.plain, [ct, st, ci, si] = [Math.cos(turn), Math.sin(turn), Math.cos(tilt), Math.sin(tilt)];
    const distance = 3.2 * size, [wide, tall] = flat ? [0, 2].map((c) => high[c] - low[c]) : [size, size], scale = 0.8 * Math.min(width / wide, height / tall);
    this.eye.aspect = width / height;
    this.eye.fov = 2 * Math.atan(height / (2 * scale * distance)) * 180 / Math.PI;
    this.eye.zoom = zoom;
    this.eye.position.set(middle[0] - distance * ci * st, middle[1] - distance * ci * ct, middle[2] + distance * si);
    this.eye.lookAt(middle[0], middle[1], middle[2]);
    this.eye.setViewOffset(width, height, -shift[0], -shift[1], width, height);
    this.eye.updateProjectionMatrix();
    this.eye.updateMatrixWorld();
  }
  /** @param {number} t @param {{trail?: boolean, forces?: boolean, force?: number}} looks */
  draw(t, looks) {
    const paint = /** @type {WebGLRenderer} */ (painter()), ratio = window.devicePixelRatio || 1, box = this.canvas.getBoundingClientRect();
    const width = Math.max(1, Math.round(box.width * ratio)), height = Math.max(1, Math.round(box.height * ratio)), frame = indexAt(this.scene.t, t);
    if (this.canvas.width !== width || this.canvas.height !== height) { this.canvas.width = width; this.canvas.height = height; }
    this.look(box.width || 1, box.height || 1);
    this.forces.visible = looks.forces !== false;
    this.longer = looks.force ?? 1;
    for (const move of this.movers) move(frame);
    this.drawTrail(frame, looks.trail);
    this.world.background = new Color(this.ink.paper || "#ffffff");
    paint.setPixelRatio(1);
    paint.setSize(width, height, false);
    paint.render(this.world, this.eye);
    const context = this.canvas.getContext("2d", {willReadFrequently: location.hash === "#selftest"});
    context?.setTransform(1, 0, 0, 1, 0, 0);
    context?.drawImage(paint.domElement, 0, 0);
  }
  /** @param {number} frame @param {boolean} [wanted] */
  drawTrail(frame, wanted) {
    this.trail.visible = Boolean(wanted && this.main);
    if (!this.trail.visible) return;
    const places = this.trail.geometry.getAttribute("position"), first = Math.max(0, frame - TRAIL);
    for (let k = first; k <= frame; k++) places.setXYZ(k - first, this.number(k, this.main, 0), this.number(k, this.main, 1), this.number(k, this.main, 2));
    places.needsUpdate = true;
    this.trail.geometry.setDrawRange(0, frame - first + 1);
    this.trail.material.color.set(this.ink.trail?.startsWith("#") ? this.ink.trail : "#8aa");
  }
  /** Gives the memory of the graphics card back. */
  release() {
    this.world.traverse((/** @type {any} */ node) => { node.geometry?.dispose(); node.material?.dispose(); });
  }
}
