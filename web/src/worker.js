// A worker: one instance of the simulator. The page sends what it wants; what takes long is done in slices, between which a newer wish
// is heard.
import {PAUSED, Simulator, Trouble} from "./simulator.js";

const SLICE = 0.03; // seconds; the first is shorter
/** @type {Simulator} */
let simulator;
let loaded = ""; // what the simulator has read
let version = 0; // counts readings, so that the page knows whether its description is of this one
let description = /** @type {any} */ (null);
let wish = 0; // number of the latest run that is wanted
const pause = new MessageChannel(), waiting = /** @type {(() => void)[]} */ ([]);
pause.port1.onmessage = () => waiting.shift()?.();
const breathe = () => new Promise((go) => { waiting.push(() => go(null)); pause.port2.postMessage(0); });

/** Reads the scenario unless it is the one that was read last. @param {any} ask */
function load(ask) {
  const key = JSON.stringify([ask.files, ask.name, ask.settings]);
  if (key === loaded) return description;
  loaded = "";
  simulator.setFiles(ask.files);
  description = simulator.load(ask.name, ask.settings);
  loaded = key;
  version++;
  return description;
}

/** @param {any} ask */
async function run(ask) {
  const began = performance.now();
  const about = load(ask);
  const layout = simulator.begin(ask.values, ask.from ?? -Infinity, ask.until ?? Infinity);
  postMessage({kind: "begun", id: ask.id, version, about: ask.version === version ? null : about, layout});
  let rows = 0, events = 0, thinned = 0, status = PAUSED;
  for (let slice = SLICE / 2; status === PAUSED; slice = SLICE) {
    status = simulator.advance(slice);
    if (ask.id !== wish) return;
    if (simulator.thinned() !== thinned) { thinned = simulator.thinned(); rows = 0; }
    const samples = simulator.samples(rows), news = simulator.events(events), fresh = rows === 0;
    rows += samples.length / simulator.calls.lab_sample_width(simulator.lab);
    events += news.length / 7;
    postMessage({kind: "rows", id: ask.id, fresh, samples, news, names: news.length ? simulator.eventNames() : null, time: simulator.time()},
      {transfer: [samples.buffer, news.buffer]});
    if (status === PAUSED) await breathe();
    if (ask.id !== wish) return;
  }
  const summary = simulator.summary(status);
  postMessage({kind: "ended", id: ask.id, summary, took: performance.now() - began});
}

/** @param {any} ask */
function command(ask) {
  loaded = "";
  simulator.setFiles(ask.files);
  postMessage({kind: "answer", id: ask.id, ...simulator.command(ask.words)});
}

/** @param {any} error @param {number} id */
function complain(error, id) {
  loaded = "";
  postMessage({kind: "trouble", id, text: error.message, line: error.line ?? 0, column: error.column ?? 0, file: error.told?.error?.file ?? ""});
}

onmessage = async ({data: ask}) => {
  try {
    if (ask.kind === "start") {
      let told = 0;
      simulator = await Simulator.create(ask.module, (done, total) => {
        const now = performance.now();
        if (now - told < 100) return;
        told = now;
        postMessage({kind: "progress", done, total, points: simulator.known()});
      });
      postMessage({kind: "ready"});
    } else if (ask.kind === "run") {
      wish = ask.id;
      await run(ask);
    } else if (ask.kind === "command") {
      command(ask);
    }
  } catch (error) {
    if (error instanceof Trouble) complain(error, ask.id);
    else {
      // out of memory or stack: this instance is no longer to be trusted
      postMessage({kind: "broken", id: ask.id, text: String(/** @type {any} */ (error)?.message ?? error)});
      close();
    }
  }
};
