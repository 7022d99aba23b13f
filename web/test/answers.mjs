// Commands answer the same in WebAssembly as on the command line, digit by digit.
// usage: node answers.mjs LAB.wasm CAROM [long]
import {execFileSync} from "node:child_process";
import {readFileSync} from "node:fs";
import {resolve} from "node:path";
import {Simulator} from "../src/simulator.js";
import {LONG, QUICK} from "./commands.mjs";

const [wasm, program, how] = process.argv.slice(2), carom = resolve(program), COMMANDS = how === "long" ? LONG : QUICK;
const module = await WebAssembly.compile(readFileSync(wasm));

const withoutFile = (text) => text.replace(/"file": "[^"]*"/g, '"file": ""').replace(/scenarios\//g, "");
function native(words) {
  try { return execFileSync(carom, words, {cwd: "scenarios", stdio: ["ignore", "pipe", "ignore"]}).toString(); } catch (error) { return error.stdout.toString(); }
}
let different = 0;
for (const line of COMMANDS) {
  const words = [...line.split(" "), "--json"];
  const simulator = await Simulator.create(module);
  simulator.setFiles({[words[1]]: readFileSync("scenarios/" + words[1], "utf8")});
  const outside = withoutFile(native(words)), inside = withoutFile(simulator.command(words).text);
  const meant = /nonsense/.test(line) || !/"error": \{/.test(outside); // an error compares little
  if (outside === inside && outside.length > 20 && meant) continue;
  different++;
  let at = 0;
  while (at < outside.length && outside[at] === inside[at]) at++;
  console.log(`carom ${line}: answers differ\n  command line: ...${outside.slice(at - 60, at + 100)}\n  WebAssembly:  ...${inside.slice(at - 60, at + 100)}`);
}
console.log(`${COMMANDS.length} commands, ${different} with other answers`);
process.exit(different ? 1 : 0);
