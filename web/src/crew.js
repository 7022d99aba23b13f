// The workers: one for the motion, as many as there are processors for analyses. Whoever is to stop is ended and replaced.
// WORKER_TEXT, the bundle of worker.js, is put in by build.mjs

/** @typedef {(message: any) => void} Listener */

const address = URL.createObjectURL(new Blob([WORKER_TEXT], {type: "text/javascript"}));

class Hand {
  /** @param {WebAssembly.Module} module */
  constructor(module) {
    this.worker = new Worker(address);
    /** @type {Listener} */
    this.listener = () => {};
    this.worker.onmessage = ({data}) => this.listener(data);
    this.worker.onerror = (event) => this.listener({kind: "broken", text: event.message});
    this.worker.postMessage({kind: "start", module});
  }
  /** @param {any} ask */
  send(ask) { this.worker.postMessage(ask); }
  end() { this.worker.terminate(); this.listener = () => {}; }
}

export class Crew {
  /** @param {WebAssembly.Module} module */
  constructor(module) {
    this.module = module;
    this.next = 1;
    this.motion = new Hand(module);
    /** @type {Hand[]} */
    this.hands = [];
    this.size = Math.max(1, Math.min(16, navigator.hardwareConcurrency || 2));
  }
  /** A run; the one before is given up. @param {any} ask @param {Listener} listener */
  run(ask, listener) {
    const id = this.next++;
    this.motion.listener = (message) => {
      if (message.kind === "broken") { this.motion.end(); this.motion = new Hand(this.module); }
      if (message.id === undefined || message.id === id) listener(message);
    };
    this.motion.send({...ask, kind: "run", id});
  }
  stopRun() {
    this.motion.end();
    this.motion = new Hand(this.module);
  }
  /** Commands shared by all hands. `each` is called with the number and the answer of each; resolves when all are done.
   * @param {any} base files @param {string[][]} commands @param {(k: number, answer: any) => void} each @param {(part: number, points?: any[][]) => void} [progress] told how much is done, and points that are known already */
  share(base, commands, each, progress = () => {}) {
    this.stop();
    let next = 0, done = 0;
    const parts = commands.map(() => 0);
    const tell = (/** @type {any[][] | undefined} */ points = undefined) => progress(parts.reduce((sum, part) => sum + part, 0) / Math.max(1, commands.length), points);
    return new Promise((resolve, reject) => {
      this.refuse = reject;
      const feed = (/** @type {Hand} */ hand) => {
        if (next >= commands.length) return;
        const k = next++;
        hand.listener = (message) => {
          if (message.kind === "progress") { parts[k] = Math.min(0.99, message.done / message.total || 0); tell(message.points); }
          if (message.kind === "broken") { reject(new Error(message.text)); this.stop(); }
          if (message.kind === "trouble") { reject(new Error(message.text)); this.stop(); }
          if (message.kind !== "answer") return;
          parts[k] = 1;
          done++;
          tell();
          // an answer that is an error ends the whole
          try { each(k, message); } catch (error) { reject(error); this.stop(); return; }
          if (done === commands.length) resolve(null);
          else feed(hand);
        };
        hand.send({kind: "command", id: k, words: commands[k], files: base});
      };
      while (this.hands.length < Math.min(this.size, commands.length)) this.hands.push(new Hand(this.module));
      if (!commands.length) resolve(null);
      this.hands.forEach(feed);
    });
  }
  /** Ends what is under way. */
  stop() {
    for (const hand of this.hands) hand.end();
    this.hands = [];
    this.refuse?.(new Stopped());
    this.refuse = undefined;
  }
}

/** A computation that the reader has ended. */
export class Stopped extends Error {
  constructor() { super("stopped"); }
}
