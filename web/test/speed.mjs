// How long a run takes in WebAssembly and on the command line, for the table of bench/README.md: least time of several runs by the clock, so on a
// machine that does nothing else (chrt -r 1 keeps others away). usage: node speed.mjs LAB.wasm CAROM FILE.yaml...
import {execFileSync} from "node:child_process";
import {readFileSync} from "node:fs";
import {basename} from "node:path";
import {PAUSED, Simulator} from "../src/simulator.js";

const [wasm, carom, ...files] = process.argv.slice(2), TIMES = 15;
const module = await WebAssembly.compile(readFileSync(wasm));
const least = (/** @type {() => void} */ act) => Math.min(...Array.from({length: TIMES}, () => { const from = performance.now(); act(); return performance.now() - from; }));
const program = (/** @type {string[]} */ ...words) => least(() => execFileSync(carom, words, {stdio: "ignore"}));

console.log("| scenario | native ms | WebAssembly ms | ratio | with what pictures need, ms | first run, ms |\n| --- | --- | --- | --- | --- | --- |");
for (const file of files) {
  const simulator = await Simulator.create(module);
  simulator.setFiles({[basename(file)]: readFileSync(file, "utf8")});
  simulator.load(basename(file));
  const run = (/** @type {number} */ from) => {
    simulator.begin({}, from);
    while (simulator.advance(1e9) === PAUSED);
  };
  const began = performance.now();
  run(-Infinity);
  const first = performance.now() - began, bare = least(() => run(Infinity)), seen = least(() => run(-Infinity));
  const native = program("run", file, "--digest", "--quiet") - program("check", file);
  console.log(`| ${basename(file, ".yaml")} | ${native.toFixed(1)} | ${bare.toFixed(1)} | ${(bare / native).toFixed(2)} | ${seen.toFixed(1)} | ${first.toFixed(1)} |`);
}
