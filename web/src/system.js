// What the simulator finds of an operating system: texts of files that were put there, a clock, and streams that are
// collected. The names are those of WASI, the interface that the C library was compiled for.

const OK = 0, BAD_DESCRIPTOR = 8, NO_SUCH_FILE = 44, NOT_SUPPORTED = 58;
const FOLDER = 3; // the descriptor of the only folder

/** Thrown where the program ends itself. */
export class ProgramEnd extends Error {}

export class System {
  constructor() {
    /** @type {Map<string, Uint8Array>} */
    this.files = new Map();
    /** @type {Map<number, {bytes: Uint8Array, at: number}>} */
    this.open = new Map();
    this.next = 10;
    /** @type {string[]} */
    this.said = ["", "", ""]; // by descriptor
    this.decoders = [1, 2, 3].map(() => new TextDecoder());
    /** @type {WebAssembly.Memory} */
    this.memory = /** @type {any} */ (null);
  }
  view() { return new DataView(this.memory.buffer); }
  /** @param {number} at @param {number} length */
  text(at, length) { return new TextDecoder().decode(new Uint8Array(this.memory.buffer, at, length)); }
  /** What was printed since the last call. */
  answer() {
    const text = this.said[1];
    this.said = ["", "", ""];
    return text;
  }
  /** @param {string} path */
  find(path) { return this.files.get(path.replace(/^(\.?\/)+/, "")); }

  /** The functions that the program imports. */
  imports() {
    const refuse = () => NOT_SUPPORTED;
    return {
      args_sizes_get: (/** @type {number} */ a, /** @type {number} */ b) => this.zeros(a, b),
      args_get: () => OK,
      environ_sizes_get: (/** @type {number} */ a, /** @type {number} */ b) => this.zeros(a, b),
      environ_get: () => OK,
      clock_time_get: (/** @type {number} */ which, /** @type {bigint} */ _, /** @type {number} */ at) => {
        const ms = which === 0 ? Date.now() : performance.now();
        this.view().setBigUint64(at, BigInt(Math.round(ms * 1e6)), true);
        return OK;
      },
      clock_res_get: (/** @type {number} */ _, /** @type {number} */ at) => (this.view().setBigUint64(at, 1000n, true), OK),
      fd_prestat_get: (/** @type {number} */ fd, /** @type {number} */ at) => {
        if (fd !== FOLDER) return BAD_DESCRIPTOR;
        this.view().setUint32(at, 0, true);
        this.view().setUint32(at + 4, 1, true);
        return OK;
      },
      fd_prestat_dir_name: (/** @type {number} */ _, /** @type {number} */ at) => (new Uint8Array(this.memory.buffer)[at] = 46, OK),
      fd_fdstat_get: (/** @type {number} */ fd, /** @type {number} */ at) => this.describe(fd, at),
      fd_fdstat_set_flags: () => OK,
      path_open: (/** @type {number} */ _d, /** @type {number} */ _f, /** @type {number} */ at, /** @type {number} */ length, /** @type {number} */ how,
        /** @type {bigint} */ _r, /** @type {bigint} */ _i, /** @type {number} */ _g, /** @type {number} */ to) => this.openFile(this.text(at, length), how, to),
      path_filestat_get: (/** @type {number} */ _d, /** @type {number} */ _f, /** @type {number} */ at, /** @type {number} */ length, /** @type {number} */ to) => {
        const file = this.find(this.text(at, length));
        if (!file) return NO_SUCH_FILE;
        new Uint8Array(this.memory.buffer, to, 64).fill(0);
        this.view().setUint8(to + 16, 4);
        this.view().setBigUint64(to + 32, BigInt(file.length), true);
        return OK;
      },
      fd_close: (/** @type {number} */ fd) => (this.open.delete(fd) ? OK : BAD_DESCRIPTOR),
      fd_read: (/** @type {number} */ fd, /** @type {number} */ list, /** @type {number} */ count, /** @type {number} */ to) => this.read(fd, list, count, to),
      fd_seek: (/** @type {number} */ fd, /** @type {bigint} */ by, /** @type {number} */ from, /** @type {number} */ to) => this.seek(fd, Number(by), from, to),
      fd_write: (/** @type {number} */ fd, /** @type {number} */ list, /** @type {number} */ count, /** @type {number} */ to) => this.write(fd, list, count, to),
      fd_readdir: refuse, path_unlink_file: refuse, path_rename: refuse, path_readlink: refuse, path_remove_directory: refuse,
      path_create_directory: refuse, fd_filestat_get: refuse, fd_filestat_set_size: refuse, poll_oneoff: refuse, sched_yield: () => OK,
      random_get: refuse,
      proc_exit: (/** @type {number} */ code) => { throw new ProgramEnd("the simulator ended with code " + code); },
    };
  }
  /** @param {number} a @param {number} b */
  zeros(a, b) {
    this.view().setUint32(a, 0, true);
    this.view().setUint32(b, 0, true);
    return OK;
  }
  /** @param {number} fd @param {number} at */
  describe(fd, at) {
    const known = fd <= FOLDER || this.open.has(fd);
    if (!known) return BAD_DESCRIPTOR;
    new Uint8Array(this.memory.buffer, at, 24).fill(0);
    this.view().setUint8(at, fd === FOLDER ? 3 : 4); // a folder, or a regular file: never a terminal
    this.view().setBigUint64(at + 8, ~0n, true);
    this.view().setBigUint64(at + 16, ~0n, true);
    return OK;
  }
  /** @param {string} path @param {number} how @param {number} to */
  openFile(path, how, to) {
    const bytes = this.find(path);
    if (how & 1) return NOT_SUPPORTED; // to be made
    if (!bytes) return NO_SUCH_FILE;
    this.open.set(this.next, {bytes, at: 0});
    this.view().setUint32(to, this.next++, true);
    return OK;
  }
  /** @param {number} fd @param {number} list @param {number} count @param {number} to */
  read(fd, list, count, to) {
    const file = this.open.get(fd), view = this.view();
    if (!file) return BAD_DESCRIPTOR;
    let total = 0;
    for (let k = 0; k < count; k++) {
      const at = view.getUint32(list + 8 * k, true), room = view.getUint32(list + 8 * k + 4, true);
      const part = file.bytes.subarray(file.at, file.at + room);
      new Uint8Array(this.memory.buffer, at, part.length).set(part);
      file.at += part.length;
      total += part.length;
    }
    view.setUint32(to, total, true);
    return OK;
  }
  /** @param {number} fd @param {number} by @param {number} from @param {number} to */
  seek(fd, by, from, to) {
    const file = this.open.get(fd);
    if (!file) return fd <= 2 ? 70 : BAD_DESCRIPTOR; // a stream has no places
    file.at = by + (from === 0 ? 0 : from === 1 ? file.at : file.bytes.length);
    this.view().setBigUint64(to, BigInt(file.at), true);
    return OK;
  }
  /** @param {number} fd @param {number} list @param {number} count @param {number} to */
  write(fd, list, count, to) {
    const view = this.view();
    if (fd !== 1 && fd !== 2) return BAD_DESCRIPTOR;
    let total = 0;
    for (let k = 0; k < count; k++) {
      const at = view.getUint32(list + 8 * k, true), length = view.getUint32(list + 8 * k + 4, true);
      this.said[fd] += this.decoders[fd].decode(new Uint8Array(this.memory.buffer, at, length), {stream: true});
      total += length;
    }
    view.setUint32(to, total, true);
    return OK;
  }
}
