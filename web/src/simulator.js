// The simulator: the other side of src/lab/lab.h.
import {System} from "./system.js";

export const PAUSED = 2; // there is more to do: CAROM_STOP_USER

/** An error that the simulator tells, with its place in the scenario where it has one. */
export class Trouble extends Error {
  /** @param {any} told */
  constructor(told) {
    super(told?.error?.text ?? told?.error ?? "the simulator says nothing");
    this.told = told;
    this.line = told?.error?.line ?? 0;
    this.column = told?.error?.column ?? 0;
  }
}

/** Makes functions of modules that the simulator writes (src/symbolic/native_wasm.c) and puts them into its table. */
class Maker {
  /** @type {any} */ exports = null;
  /** @type {number[]} */ free = [];
  imports() {
    return {
      compile: (/** @type {number} */ at, /** @type {number} */ size, /** @type {number} */ to) => {
        try {
          const {memory, __indirect_function_table: table} = this.exports;
          const made = new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array(memory.buffer, at, size)), {c: {memory, table}});
          const numbers = [made.exports.run, made.exports.evaluate].map((it) => this.place(table, it));
          new Uint32Array(memory.buffer, to, 2).set(numbers);
          return 1;
        } catch { return 0; } // the interpreter does the work then
      },
      forget: (/** @type {number} */ run, /** @type {number} */ evaluate) => {
        for (const k of [run, evaluate]) { this.exports.__indirect_function_table.set(k, null); this.free.push(k); }
      },
    };
  }
  /** @param {WebAssembly.Table} table @param {any} made */
  place(table, made) {
    const k = this.free.pop() ?? table.grow(1);
    table.set(k, made);
    return k;
  }
}

export class Simulator {
  /** @param {WebAssembly.Module} module @param {(done: number, total: number) => void} [progress] */
  static async create(module, progress = () => {}) {
    const system = new System();
    const maker = new Maker();
    const instance = await WebAssembly.instantiate(module, {wasi_snapshot_preview1: system.imports(), lab: {progress, now: () => performance.now() / 1000, ...maker.imports()}});
    maker.exports = instance.exports;
    return new Simulator(system, instance);
  }
  /** @param {System} system @param {WebAssembly.Instance} instance */
  constructor(system, instance) {
    this.system = system;
    /** @type {any} */
    this.calls = instance.exports;
    system.memory = this.calls.memory;
    this.heard = 0; // of what is said beside an answer
    this.calls._initialize();
    this.lab = this.calls.lab_create();
  }
  /** @param {Record<string, string>} files texts by their names */
  setFiles(files) {
    this.system.files = new Map(Object.entries(files).map(([name, text]) => [name, new TextEncoder().encode(text)]));
  }
  /** Memory with bytes; to be released. @param {Uint8Array} bytes */
  put(bytes) {
    const at = this.calls.lab_take(bytes.length + 8);
    if (!at) throw new Trouble({error: "out of memory"});
    new Uint8Array(this.calls.memory.buffer, at, bytes.length).set(bytes);
    return at;
  }
  /** Calls with texts, each with its end. @param {string[]} texts @param {(at: number) => number} call */
  withTexts(texts, call) {
    const at = this.put(new TextEncoder().encode(texts.map((text) => text.replaceAll("\0", " ") + "\0").join("")));
    try { return call(at); } finally { this.calls.lab_release(at); }
  }
  said() { this.calls.lab_flush(); return this.system.answer(); }
  answer() {
    const text = this.said();
    try { return text ? JSON.parse(text) : {}; } catch { return {error: text}; }
  }
  /** @param {number} status */
  heed(status) {
    const told = this.answer();
    if (status < 0) throw new Trouble(told);
    return told;
  }
  /** Reads a scenario and describes it. @param {string} path @param {[string, string][]} settings */
  load(path, settings = []) {
    this.heed(this.withTexts([path, ...settings.flat()], (at) => this.calls.lab_load(this.lab, at, settings.length, at + new TextEncoder().encode(path).length + 1)));
    this.calls.lab_describe(this.lab);
    return this.answer();
  }
  /** Begins a run; samples between two times are kept. @param {Record<string, number>} values */
  begin(values = {}, from = -Infinity, until = Infinity) {
    const names = Object.keys(values), numbers = new Float64Array(Object.values(values));
    const at = this.put(new Uint8Array(numbers.buffer));
    try {
      return this.heed(this.withTexts(names, (texts) => this.calls.lab_begin(this.lab, names.length, texts, at, from, until)));
    } finally { this.calls.lab_release(at); }
  }
  /** Goes on; PAUSED or how the run ended. @param {number} seconds @returns {number} */
  advance(seconds) {
    const status = this.calls.lab_advance(this.lab, seconds);
    this.heed(status);
    return status;
  }
  /** @param {number} status of the end */
  summary(status) { return this.heed(this.calls.lab_summary(this.lab, status)); }
  time() { return this.calls.lab_time(this.lab); }
  /** Rows of samples from number `first` on, copied. @param {number} first */
  samples(first) { return this.rows(this.calls.lab_samples(this.lab), this.calls.lab_sample_width(this.lab), first, this.calls.lab_sample_count(this.lab)); }
  /** How often every second row went to make room. @returns {number} */
  thinned() { return this.calls.lab_thinned(this.lab); }
  /** @param {number} first */
  events(first) { return this.rows(this.calls.lab_events(this.lab), 7, first, this.calls.lab_event_count(this.lab)); }
  eventNames() { this.calls.lab_names(this.lab); return this.answer().names; }
  /** @param {number} at @param {number} width @param {number} first @param {number} count */
  rows(at, width, first, count) {
    if (!at || count <= first) return new Float64Array(0);
    return new Float64Array(this.calls.memory.buffer, at + 8 * width * first, width * (count - first)).slice();
  }
  /** Points that the command which runs has told since it was asked last. @returns {any[][]} */
  known() {
    const text = this.system.said[2], end = text.lastIndexOf("\n}\n") + 3, fresh = text.slice(this.heard, Math.max(end, this.heard));
    this.heard = Math.max(end, this.heard);
    return readTables(fresh).points;
  }
  /** A command of the program: what it answers, the tables of --out, what it warns of. @param {string[]} words */
  command(words) {
    this.heard = 0;
    const code = this.withTexts(words, (at) => this.calls.lab_command(words.length, at));
    this.calls.lab_flush();
    const beside = this.system.said[2], text = this.said();
    return {code, text, ...readTables(beside)};
  }
}

/** Tables are objects with a name or a row, one after the other; other lines are for people. @param {string} text */
function readTables(text) {
  /** @type {Record<string, {columns: string[], rows: any[][]}>} */
  const tables = {}, points = /** @type {any[][]} */ ([]), warnings = [];
  let current = /** @type {any} */ (null), object = "";
  for (const line of text.split("\n")) {
    if (line === "{") object = line;
    else if (object) object += line;
    else if (line) warnings.push(line.replace(/^carom: (warning: )?/, ""));
    if (line !== "}") continue;
    const read = JSON.parse(object);
    object = "";
    if (read.point) points.push(...read.point.crossings.map((/** @type {number} */ y, /** @type {number} */ k) => [read.point.value, read.point.direction, k, y]));
    else if (read.table) tables[read.table] = current = {columns: read.columns, rows: []};
    else current?.rows.push(read.row);
  }
  return {tables, points, warnings};
}
