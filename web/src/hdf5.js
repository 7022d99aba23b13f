// A motion as a file that h5py, MATLAB and `carom plot` read: as much of the HDF5 file format (specification 1.1, superblock 0, old groups,
// contiguous data) as groups, attributes, numbers and texts need.

/** @typedef {Float64Array | number | string | string[]} Value @typedef {{attributes: Record<string, string | number>, groups: Record<string, Node>, data: Record<string, Value>}} Node */
/** @param {Record<string, Value>} [data] @returns {Node} */
export const group = (data = {}) => ({attributes: {}, groups: {}, data});

const utf8 = new TextEncoder(), NOWHERE = 2n ** 64n - 1n, BRANCHES = 16;
const up = (/** @type {number} */ n) => Math.ceil(n / 8) * 8;

/** Bytes written one after the other. */
class Bytes {
  constructor() { this.view = new DataView(new ArrayBuffer(1 << 16)); this.at = 0; }
  /** @param {number} more */
  reserve(more) {
    if (this.at + more <= this.view.byteLength) return;
    const larger = new Uint8Array(Math.max(2 * this.view.byteLength, this.at + more));
    larger.set(new Uint8Array(this.view.buffer));
    this.view = new DataView(larger.buffer);
  }
  /** Whole numbers of so many bytes. @param {number} size @param {(number | bigint)[]} values */
  put(size, ...values) {
    this.reserve(size * values.length);
    for (const value of values) {
      if (size === 8) this.view.setBigUint64(this.at, BigInt.asUintN(64, BigInt(value)), true);
      else if (size === 4) this.view.setUint32(this.at, Number(value), true);
      else if (size === 2) this.view.setUint16(this.at, Number(value), true);
      else this.view.setUint8(this.at, Number(value));
      this.at += size;
    }
    return this;
  }
  /** @param {Uint8Array} bytes @param {number} [room] */
  copy(bytes, room = bytes.length) {
    this.reserve(room);
    new Uint8Array(this.view.buffer).set(bytes.subarray(0, room), this.at);
    this.at += room;
    return this;
  }
  done() { return new Uint8Array(this.view.buffer, 0, this.at); }
}

/** What a value is and its bytes; texts have one length, that of the longest. @param {Value} value @param {boolean} [integer] */
function encode(value, integer = false) {
  const type = new Bytes(), space = new Bytes(), raw = new Bytes();
  const texts = typeof value === "string" ? [value] : Array.isArray(value) ? value : null;
  if (texts) {
    const all = texts.map((text) => utf8.encode(text)), size = Math.max(1, ...all.map((text) => text.length));
    type.put(1, 0x13, 0x11, 0, 0).put(4, size); // padded by zeros, UTF-8
    for (const text of all) raw.copy(text, size);
  } else if (integer) {
    type.put(1, 0x10, 0x08, 0, 0).put(4, 8).put(2, 0, 64); // with a sign
    raw.put(8, Number(value));
  } else {
    type.put(1, 0x11, 0x20, 63, 0).put(4, 8).put(2, 0, 64).put(1, 52, 11, 0, 52).put(4, 1023);
    const doubles = typeof value === "number" ? Float64Array.of(value) : /** @type {Float64Array} */ (value);
    raw.copy(new Uint8Array(doubles.buffer, doubles.byteOffset, doubles.byteLength));
  }
  const whole = typeof value === "string" || typeof value === "number", count = whole ? 1 : /** @type {any} */ (value).length;
  space.put(1, 1, whole ? 0 : 1, 0, 0).put(4, 0);
  if (!whole) space.put(8, count);
  return {type: type.done(), space: space.done(), raw: raw.done()};
}

/** @param {string} name @param {string | number} value */
function attribute(name, value) {
  const {type, space, raw} = encode(value, typeof value === "number"), label = utf8.encode(name + "\0");
  return new Bytes().put(1, 1, 0).put(2, label.length, type.length, space.length).copy(label, up(label.length)).copy(type, up(type.length)).copy(space, up(space.length)).copy(raw).done();
}

class Writer {
  /** @param {number} leaves half of what a group may hold */
  constructor(leaves) { this.file = new Bytes(); this.leaves = leaves; }
  /** A part of the file, at a multiple of eight. @param {Uint8Array} bytes @param {number} [room] */
  part(bytes, room = bytes.length) {
    const at = this.file.at;
    this.file.copy(bytes, room).copy(new Uint8Array(up(this.file.at) - this.file.at));
    return at;
  }
  /** @param {[number, Uint8Array][]} messages */
  header(messages) {
    const body = new Bytes();
    for (const [kind, bytes] of messages) body.put(2, kind, up(bytes.length)).put(1, 0, 0, 0, 0).copy(bytes, up(bytes.length));
    return this.part(new Bytes().put(1, 1, 0).put(2, messages.length).put(4, 1, body.at, 0).copy(body.done()).done());
  }
  /** @param {Value} value */
  data(value) {
    const {type, space, raw} = encode(value), at = raw.length ? this.part(raw) : NOWHERE;
    return this.header([[1, space], [3, type], [5, new Bytes().put(1, 2, 2, 2, 0).done()], [8, new Bytes().put(1, 3, 1).put(8, at, raw.length).done()]]);
  }
  /** @param {Node} node @returns {{header: number, tree: number, heap: number}} */
  group(node) {
    const safe = (/** @type {string} */ name) => name.replaceAll("/", "|");
    const members = [...Object.entries(node.groups).map(([name, it]) => ({name: safe(name), at: this.group(it).header})), ...Object.entries(node.data).map(([name, it]) => ({name: safe(name), at: this.data(it)}))]
      .map((it) => ({...it, bytes: utf8.encode(it.name + "\0")})).sort((a, b) => order(a.bytes, b.bytes));
    const names = new Bytes().put(8, 0), table = new Bytes().copy(utf8.encode("SNOD")).put(1, 1, 0).put(2, members.length);
    let last = 0;
    for (const {at, bytes} of members) {
      last = names.at;
      names.copy(bytes, up(bytes.length));
      table.put(8, last, at).put(4, 0, 0).put(8, 0, 0);
    }
    const text = this.part(names.done()), heap = this.part(new Bytes().copy(utf8.encode("HEAP")).put(1, 0, 0, 0, 0).put(8, names.at, 1, text).done());
    const leaf = this.part(table.done(), 8 + 80 * this.leaves);
    const tree = this.part(new Bytes().copy(utf8.encode("TREE")).put(1, 0, 0).put(2, members.length ? 1 : 0).put(8, NOWHERE, NOWHERE, 0, leaf, last).done(), 24 + 8 * (4 * BRANCHES + 1));
    const header = this.header([[0x11, new Bytes().put(8, tree, heap).done()], ...Object.entries(node.attributes).map(([name, value]) => /** @type {[number, Uint8Array]} */ ([0xc, attribute(name, value)]))]);
    return {header, tree, heap};
  }
}

/** As strcmp has it. @param {Uint8Array} a @param {Uint8Array} b */
function order(a, b) {
  for (let k = 0; k < Math.min(a.length, b.length); k++) if (a[k] !== b[k]) return a[k] - b[k];
  return a.length - b.length;
}

/** @param {Node} node @returns {number} */
const largest = (node) => Math.max(Object.keys(node.groups).length + Object.keys(node.data).length, ...Object.values(node.groups).map(largest));

/** The file. @param {Node} root */
export function hdf5(root) {
  const leaves = Math.max(4, Math.ceil(largest(root) / 2)), writer = new Writer(leaves), {file} = writer;
  file.put(1, 0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0, 0, 8, 8, 0).put(2, leaves, BRANCHES).put(4, 0).put(8, 0, NOWHERE, 0, NOWHERE).put(8, 0, 0).put(4, 1, 0).put(8, 0, 0);
  const {header, tree, heap} = writer.group(root), bytes = file.done(), view = new DataView(bytes.buffer);
  [[40, bytes.length], [64, header], [80, tree], [88, heap]].forEach(([at, value]) => view.setBigUint64(at, BigInt(value), true));
  return bytes;
}
