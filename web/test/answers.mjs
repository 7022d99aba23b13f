// Commands answer the same in WebAssembly as on the command line, digit by digit.
// usage: node answers.mjs LAB.wasm CAROM
import {execFileSync} from "node:child_process";
import {readFileSync} from "node:fs";
import {resolve} from "node:path";
import {Simulator} from "../src/simulator.js";

const [wasm, program] = process.argv.slice(2), carom = resolve(program);
const module = await WebAssembly.compile(readFileSync(wasm));
const COMMANDS = [
  "check frictional_impact_oscillator.yaml",
  "check relief_valve.yaml --set nonsense=1",
  "derive dimer.yaml",
  "equilibrium frictional_impact_oscillator.yaml",
  "converge bouncing_ball.yaml",
  "sweep frictional_impact_oscillator.yaml --over mu=0.3:0.7:9 --set run.until=10 --set measure.after=5",
  "map bouncing_ball.yaml --over h=1:2:3 --over e=0.3:0.8:3",
  "bifurcate frictional_impact_oscillator.yaml --over mu=0.4:0.6:5 --both --set run.until=20 --set measure.after=10",
  "basin duffing.yaml --over x=-1:1:4 --over x'=-1:1:4 --set run.until=50 --set measure.after=40",
  "orbit frictional_impact_oscillator.yaml",
  "continue frictional_impact_oscillator.yaml --over mu=0.5:0.52",
  "lyapunov lorenz.yaml --set run.until=20 --set measure.after=5",
];

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
  if (outside === inside && outside.length > 20) continue;
  different++;
  let at = 0;
  while (at < outside.length && outside[at] === inside[at]) at++;
  console.log(`carom ${line}: answers differ\n  command line: ...${outside.slice(at - 60, at + 100)}\n  WebAssembly:  ...${inside.slice(at - 60, at + 100)}`);
}
console.log(`${COMMANDS.length} commands, ${different} with other answers`);
process.exit(different ? 1 : 0);
