// Texts that once did harm, or were made to, do none: each is refused with a message or runs, and the simulator lives on.
// usage: node corpus.mjs LAB.wasm FOLDER
import {readFileSync, readdirSync} from "node:fs";
import {join} from "node:path";
import {Simulator, Trouble} from "../src/simulator.js";

const [wasm, folder] = process.argv.slice(2), names = readdirSync(folder);
const simulator = await Simulator.create(await WebAssembly.compile(readFileSync(wasm)));
let broken = 0;
for (const name of names) {
  try {
    simulator.setFiles({"text.yaml": readFileSync(join(folder, name), "latin1")});
    simulator.load("text.yaml");
    simulator.begin();
    simulator.advance(0.2);
  } catch (error) {
    if (error instanceof Trouble && error.message !== "the simulator says nothing") continue;
    broken++;
    console.log(`${name}: ${error.message}`);
  }
}
console.log(`${names.length} hostile texts, ${broken} did harm`);
process.exit(broken ? 1 : 0);
