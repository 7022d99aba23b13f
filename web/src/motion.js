// A motion as arrays that grow while it is computed, in the shape that the views of recorded runs read (src/draw/page).

export const CONTACT = ["mode", "gap", "slip", "normal", "tangential", "x", "y", "force_x", "force_y"];
export const LEDGER = ["kinetic", "potential", "work of drives", "work of forces", "changed by events", "lost to dampers", "lost to friction", "lost to impacts", "residual"];
export const KINDS = ["event", "section", "stop", "switch", "graze", "flat", "impact", "close", "open", "stick", "slip", "reverse",
  "Painlevé: flight", "Painlevé: impact", "not unique", "push", "slide"];

/** Numbers to which more can be added. @template {Float64Array | Float32Array} A */
class Growing {
  /** @param {new (n: number) => A} type */
  constructor(type) {
    this.type = type;
    this.room = new type(4096);
    this.count = 0;
  }
  /** @param {number} more */
  reserve(more) {
    if (this.count + more <= this.room.length) return;
    const larger = new this.type(Math.max(2 * this.room.length, this.count + more));
    larger.set(/** @type {any} */ (this.room.subarray(0, this.count)));
    this.room = larger;
  }
  /** @param {number} value */
  push(value) { this.room[this.count++] = value; }
  view() { return /** @type {A} */ (this.room.subarray(0, this.count)); }
}

export class Motion {
  /** @param {any} about @param {any} layout */
  constructor(about, layout) {
    this.about = about;
    this.layout = layout;
    this.names = [...about.columns];
    /** @type {{t: number, kind: number, name: string, direction: number, value: number, tangential: number, change: number}[]} */
    this.events = [];
    this.summary = /** @type {any} */ (null);
    this.reached = about.start;
    this.asked = 0; // when, on the page's clock
    this.contactNames = about.contacts.map((/** @type {any} */ c) => c.name);
    this.size = layout.scene.size;
    this.time = new Growing(Float64Array);
    this.columns = Array.from({length: layout.columns}, () => new Growing(Float64Array));
    this.numbers = new Growing(Float32Array);
    this.contactNumbers = Array.from({length: layout.contacts}, () => CONTACT.map(() => new Growing(Float64Array)));
    this.ledgers = LEDGER.map(() => new Growing(Float64Array));
  }
  all() { return [this.time, ...this.columns, ...this.contactNumbers.flat(), ...this.ledgers]; }
  /** @param {Float64Array} samples @param {boolean} fresh */
  addSamples(samples, fresh) {
    if (fresh) for (const grows of [...this.all(), this.numbers]) grows.count = 0;
    const {columns, contacts} = this.layout, size = this.size;
    const width = 1 + columns + size + contacts * CONTACT.length + LEDGER.length, count = samples.length / width;
    for (const grows of this.all()) grows.reserve(count);
    this.numbers.reserve(count * size);
    for (let k = 0, at = 0; k < count; k++) {
      this.time.push(samples[at++]);
      for (let j = 0; j < columns; j++) this.columns[j].push(samples[at++]);
      for (let j = 0; j < size; j++) this.numbers.push(samples[at++]);
      for (const contact of this.contactNumbers) for (const grows of contact) grows.push(samples[at++]);
      for (const grows of this.ledgers) grows.push(samples[at++]);
    }
  }
  /** @param {Float64Array} news @param {string[] | null} names */
  addEvents(news, names) {
    for (let at = 0; at < news.length; at += 7)
      this.events.push({t: news[at], kind: news[at + 1], name: names?.[news[at + 2]] ?? "", direction: news[at + 3], value: news[at + 4], tangential: news[at + 5], change: news[at + 6]});
  }
  get t() { return this.time.view(); }
  get from() { return this.time.count ? this.time.room[0] : this.about.start; }
  get until() { return this.time.count ? this.time.room[this.time.count - 1] : this.about.start; }
  /** A column, a force of a contact or a line of the ledger, by its name. @param {string} name */
  series(name) {
    const k = this.names.indexOf(name);
    if (k >= 0) return this.columns[k].view();
    const l = LEDGER.indexOf(name);
    if (l >= 0) return this.ledgers[l].view();
    const dot = name.lastIndexOf("."), c = this.contactNames.indexOf(name.slice(0, dot)), what = CONTACT.indexOf(name.slice(dot + 1));
    return c >= 0 && what >= 0 ? this.contactNumbers[c][what].view() : new Float64Array(0);
  }
  /** All names that series knows. */
  seriesNames() {
    return [...this.names, ...this.contactNames.flatMap((/** @type {string} */ c) => ["gap", "normal", "tangential"].map((what) => `${c}.${what}`))];
  }
  /** As the views of recorded runs want it. */
  scene() {
    const {scene} = this.layout;
    return {...scene, fixed: Float32Array.from(scene.fixed, (/** @type {number | null} */ v) => v ?? NaN), t: this.t, numbers: this.numbers.view()};
  }
  contacts() {
    return this.contactNumbers.map((numbers, c) => {
      const all = /** @type {any} */ ({name: this.contactNames[c]});
      CONTACT.forEach((what, k) => { all[what] = numbers[k].view(); });
      return all;
    });
  }
  /** Spans in which a contact keeps its mode: [from, until, letter]. @param {number} c @returns {[number, number, string][]} */
  spans(c) {
    const modes = this.contactNumbers[c][0].view(), t = this.t, spans = /** @type {[number, number, string][]} */ ([]);
    for (let k = 0, from = 0; k <= modes.length; k++)
      if (k === modes.length || (k > from && modes[k] !== modes[from])) {
        if (k > from) spans.push([t[from], t[Math.min(k, t.length - 1)], String.fromCharCode(modes[from])]);
        from = k;
      }
    return spans;
  }
  /** How long one cycle roughly takes: between changes of direction of what moves most. */
  cycle() {
    let best = Infinity;
    const t = this.t;
    for (let k = 0; k < Math.min(this.about.coordinates.length, 6); k++) {
      const x = this.columns[k].view();
      let turns = 0, sign = 0, most = 0;
      for (const v of x) most = Math.max(most, Math.abs(v));
      for (let j = 1; j < x.length; j++) {
        const d = x[j] - x[j - 1];
        if (Math.abs(d) > 1e-12 * most && Math.sign(d) !== sign) { turns += sign !== 0 ? 1 : 0; sign = Math.sign(d); }
      }
      if (turns > 3) best = Math.min(best, 2 * (t[t.length - 1] - t[0]) / turns);
    }
    return best;
  }
}
