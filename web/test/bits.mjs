// Every scenario gives the same bits in WebAssembly as on the command line: digests of all samples and events.
// usage: node bits.mjs LAB.wasm CAROM FILE.yaml...     prints each file that differs; exit 1 where one does
import {execFileSync} from "node:child_process";
import {readFileSync, readdirSync} from "node:fs";
import {basename, dirname, join} from "node:path";
import {Simulator, PAUSED} from "../src/simulator.js";

const [wasm, carom, ...files] = process.argv.slice(2);
const module = await WebAssembly.compile(readFileSync(wasm));
const timing = process.env.LAB_TIMES;

// what the command line says: the digest, or how it failed
function native(file, settings) {
  const words = ["run", file, "--digest", "--json", ...settings.flatMap(([name, value]) => ["--set", `${name}=${value}`])];
  const run = (() => { try { return execFileSync(carom, words, {stdio: ["ignore", "pipe", "ignore"], maxBuffer: 1 << 28}); } catch (error) { return error.stdout; } })();
  const answer = JSON.parse(run.toString() || "{}");
  return {digest: answer.digest ?? `failed: ${answer.error?.text}`, time: answer.provenance?.run_time};
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

let different = 0;
for (const entry of files) {
  const [file, ...rest] = entry.split("@"), settings = rest.map((text) => /** @type {[string, string]} */ (text.split("=")));
  const outside = native(file, settings), inside = await inBrowser(file, settings);
  if (outside.digest !== inside.digest) { different++; console.log(`${entry}: ${outside.digest} on the command line, ${inside.digest} in WebAssembly`); }
  if (timing) console.log(`${basename(file).padEnd(44)} ${(1000 * outside.time).toFixed(2).padStart(10)} ms  ${(1000 * inside.time).toFixed(2).padStart(10)} ms  ${(inside.time / outside.time).toFixed(2)}`);
}
console.log(`${files.length} scenarios, ${different} with other bits`);
process.exit(different ? 1 : 0);
