// Scenarios and commands give the bits of the command line in a real browser too: in its workers, from a file:// page.
// usage: node browser_bits.mjs CAROM FOLDER quick|long FILE.yaml[@path=value]...     the page goes to FOLDER
import {execFileSync} from "node:child_process";
import {readFileSync, readdirSync} from "node:fs";
import {basename, dirname, join, resolve} from "node:path";
import {Browser} from "./chromium.mjs";
import {LONG, QUICK} from "./commands.mjs";

const [program, folder, how, ...entries] = process.argv.slice(2), carom = resolve(program);
let different = 0;
function compare(what, outside, inside) {
  if (outside === inside && outside) return;
  different++;
  console.log(`${what}: ${String(outside).slice(0, 300)} on the command line, ${String(inside).slice(0, 300)} in the browser`);
}
function native(words, cwd = ".") {
  try { return execFileSync(carom, words, {cwd, stdio: ["ignore", "pipe", "ignore"], maxBuffer: 1 << 28}).toString(); } catch (error) { return error.stdout.toString(); }
}
const texts = (dir) => Object.fromEntries(readdirSync(dir).filter((name) => /\.(yaml|csv)$/.test(name)).map((name) => [name, readFileSync(join(dir, name), "utf8")]));

// what stands in the page below: a run and a command, each with the answer that the page has of its workers
const RUN = `async (name, files, settings) => {
  Object.assign(lab, {name, files, settings, values: {}, window: null, version: 0, motion: null, trouble: null});
  lab.run();
  while (lab.busy) await new Promise((go) => setTimeout(go, 5));
  return lab.trouble ? "failed: " + lab.trouble.text : lab.motion.summary.digest;
}`;
const ASK = `async (words, files) => { let text = ""; await lab.crew.share(files, [words], (_, answer) => { text = answer.text; }); return text; }`;
const withoutFile = (text) => text.replace(/"file": "[^"]*"/g, '"file": ""');

const browser = new Browser();
try {
  const file = resolve(folder, "bits.html");
  execFileSync(carom, ["lab", "scenarios/bouncing_ball.yaml", "-o", file, "--quiet"]);
  const page = await browser.page(900, 700);
  await page.open("file://" + file);
  await page.until("window.lab && lab.motion && lab.motion.summary && !lab.busy", 60);
  // no pictures: they are tried elsewhere
  await page.eval(`[...document.querySelectorAll("#tabs button")].find((b) => b.textContent === "Scenario").click()`);
  for (const entry of entries) {
    const [path, ...rest] = entry.split("@"), settings = Object.fromEntries(rest.map((text) => text.split("=")));
    const told = JSON.parse(native(["run", path, "--digest", "--json", ...rest.flatMap((text) => ["--set", text])]) || "{}");
    const files = path.startsWith("scenarios/") ? texts(dirname(path)) : {[basename(path)]: readFileSync(path, "utf8")};
    compare(entry, told.digest ?? `failed: ${told.error?.text}`, await page.eval(`(${RUN})(${JSON.stringify(basename(path))}, ${JSON.stringify(files)}, ${JSON.stringify(settings)})`));
  }
  const commands = how === "long" ? [...QUICK, ...LONG] : QUICK.filter((line) => /^(sweep|bifurcate|basin)/.test(line));
  for (const line of commands) {
    const words = [...line.split(" "), "--json"], files = {[words[1]]: readFileSync(join("scenarios", words[1]), "utf8")};
    compare(`carom ${line}`, withoutFile(native(words, "scenarios")), withoutFile(await page.eval(`(${ASK})(${JSON.stringify(words)}, ${JSON.stringify(files)})`)));
  }
  console.log(`in the browser: ${entries.length} scenarios and ${commands.length} commands, ${different} with other bits`);
  if (page.complaints.length) { different++; console.log(`console: ${page.complaints.join("; ")}`); }
} catch (error) {
  different++;
  console.log(error.stack);
} finally {
  await browser.close();
}
process.exit(different ? 1 : 0);
