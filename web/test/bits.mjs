// Every scenario gives the same bits in WebAssembly as on the command line: digests of all samples and events.
// usage: node bits.mjs LAB.wasm CAROM FILE.yaml...     prints each file that differs; exit 1 where one does
import {execFile} from "node:child_process";
import {readFileSync, readdirSync} from "node:fs";
import {basename, dirname, join} from "node:path";
import {Simulator, PAUSED} from "../src/simulator.js";

const [wasm, carom, ...files] = process.argv.slice(2);
const module = await WebAssembly.compile(readFileSync(wasm));
const timing = process.env.LAB_TIMES;

// what the command line says: the digest, or how it failed
function native(file, settings) {
  const words = ["run", file, "--digest", "--json", ...settings.flatMap(([name, value]) => ["--set", `${name}=${value}`])];
  return new Promise((go) => execFile(carom, words, {maxBuffer: 1 << 28}, (_, out) => {
    const answer = JSON.parse(out || "{}");
    go({digest: answer.digest ?? `failed: ${answer.error?.text}`});
  }));
}

async function inBrowser(file, settings) {
  const simulator = await Simulator.create(module), folder = dirname(file), texts = {};
  for (const name of readdirSync(folder)) if (/\.(yaml|csv)$/.test(name)) texts[name] = readFileSync(join(folder, name), "utf8");
  simulator.setFiles(texts);
  try {
    simulator.load(basename(file), settings);
    simulator.begin();
    const began = performance.now();
    // short slices: pauses must not be seen in the result
    let status = PAUSED;
    while (status === PAUSED) status = simulator.advance(timing ? 1e9 : 0.02);
    return {digest: simulator.summary(status).digest, time: (performance.now() - began) / 1000};
  } catch (error) {
    return {digest: `failed: ${error.message}`};
  }
}

const entries = files.map((entry) => {
  const [file, ...rest] = entry.split("@");
  return {entry, file, settings: rest.map((text) => /** @type {[string, string]} */ (text.split("=")))};
});
// the command line works beside, one file ahead
const ahead = /** @type {Promise<{digest: string}>[]} */ ([]);
entries.reduce((before, {file, settings}) => { const next = before.then(() => native(file, settings)); ahead.push(next); return next; }, Promise.resolve(/** @type {any} */ (null)));

let different = 0, failed = 0;
for (const [k, {entry, file, settings}] of entries.entries()) {
  const outside = await ahead[k], inside = await inBrowser(file, settings);
  if (outside.digest !== inside.digest) { different++; console.log(`${entry}: ${outside.digest} on the command line, ${inside.digest} in WebAssembly`); }
  if (outside.digest.startsWith("failed")) { failed++; if (timing) console.log(`${entry}: ${outside.digest}`); }
  if (timing) console.log(`${basename(file).padEnd(44)} ${(1000 * (inside.time ?? 0)).toFixed(2).padStart(10)} ms`);
}
console.log(`${files.length} scenarios, ${different} with other bits (${failed} end with an error, the same)`);
process.exit(different ? 1 : 0);
