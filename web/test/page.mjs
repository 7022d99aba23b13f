// The page in a real browser: first motion, sliders, edits and their errors, stop, share, analyses; the digests are those of the command line.
// usage: node page.mjs CAROM FOLDER: pages go to FOLDER
import {execFileSync} from "node:child_process";
import {createHash} from "node:crypto";
import {resolve} from "node:path";
import {Browser} from "./chromium.mjs";
import {plain} from "../src/ranges.js";

const [program, folder] = process.argv.slice(2), carom = resolve(program);
let failures = 0;
function check(ok, what) {
  if (!ok) failures++;
  console.log(`${ok ? "ok  " : "FAIL"} ${what}`);
}
const lab = (scenario, ...others) => {
  const file = resolve(folder, scenario + ".html");
  execFileSync(carom, ["lab", `scenarios/${scenario}.yaml`, ...others.flatMap((name) => ["--with", `scenarios/${name}.yaml`]), "-o", file, "--quiet"]);
  return "file://" + file;
};
const digest = (scenario, ...settings) => JSON.parse(execFileSync(carom, ["run", `scenarios/${scenario}.yaml`, "--digest", "--json", ...settings], {maxBuffer: 1 << 26}).toString()).digest;
const ready = "window.lab && lab.motion && lab.motion.summary && !lab.busy";
const settled = `${ready} && tabs[0].span !== "unknown"`;
const press = (name) => `[...document.querySelectorAll("#tabs button")].find((b) => b.textContent === ${JSON.stringify(name)}).click()`;
const compute = async (page, seconds = 60) => {
  await page.eval(`document.querySelector("#room .go button.primary").click()`);
  await page.until(`!document.querySelector("#room .go button.primary").disabled`, seconds);
};
const shown = (page) => page.eval(`lab.motion.summary.digest`);

check(["3 kg m^2", "2 rad/s", "68 deg", "1e-3", "-.5 N m", "600 rpm", "9.81"].every(plain), "numbers with units have sliders");
check(!["2*pi", "pi/2", "1/3", "2*k", "sqrt(2)", "3 + 4", "3 - a", undefined].some(plain), "expressions have none");

async function desktop(browser) {
  const page = await browser.page(1440, 900), address = lab("frictional_impact_oscillator");
  await page.open(address);
  await page.until(settled, 60);
  check(await shown(page) === digest("frictional_impact_oscillator"), "the oscillator has the digest of the command line");
  check(await page.eval(`[...document.querySelectorAll(".knob")].find((k) => k.querySelector("label").textContent === "mu").querySelector("input[type=range]").max`) === "0.8", "the range of lab: is that of the slider");
  const before = await page.eval(`tabs[0].t`);
  await page.until(`tabs[0].t !== ${before}`);
  check(true, "it plays");

  // a slider, by its keyboard and by its number
  await page.eval(`(() => { const row = [...document.querySelectorAll(".knob")].find((k) => k.querySelector("label").textContent === "mu"); row.querySelector("input[type=number]").value = "0.47"; row.querySelector("input[type=number]").dispatchEvent(new Event("change")); })()`);
  await page.until(`lab.values.mu === 0.47 && ${ready}`);
  check(await shown(page) === digest("frictional_impact_oscillator", "--set", "mu=0.47"), "a moved parameter has the digest of --set");
  await page.eval(`(() => { const row = [...document.querySelectorAll(".knob")].find((k) => k.querySelector("label").textContent === "mu"); const s = row.querySelector("input[type=range]"); s.value = 0.6; s.dispatchEvent(new Event("input")); })()`);
  await page.until(`lab.values.mu === 0.6 && ${ready}`);
  check(await shown(page) === digest("frictional_impact_oscillator", "--set", "mu=0.6"), "a slider too");
  check((await page.eval(`document.querySelector("#command_body pre").textContent`)).includes("carom run frictional_impact_oscillator.yaml --set mu=0.6 --digest"), "the command line is told");

  // the address brings it back
  await page.eval(`document.getElementById("share").click()`);
  await new Promise((go) => setTimeout(go, 700));
  const shared = await page.eval("location.href"), other = await browser.page(1000, 800);
  await other.open(shared);
  await other.until(settled, 60);
  check(await other.eval("lab.values.mu") === 0.6 && await shown(other) === await shown(page), "a shared address shows the same");
  check(other.complaints.length === 0, `console of the shared page: ${other.complaints.join("; ") || "empty"}`);
  await other.close();

  // the text: an error at its place, then mended
  await page.eval(press("Scenario"));
  await page.eval(`(() => { const a = document.querySelector("textarea"); a.value = a.value.replace("friction: mu", "frictoin: mu"); a.dispatchEvent(new Event("input")); })()`);
  await page.until(`lab.trouble && lab.trouble.line > 0`);
  const told = await page.eval(`document.querySelector(".message").textContent`);
  check(/line \d+, column \d+: .*did you mean 'friction'/.test(told), `an error at its place: ${told}`);
  check(await page.eval(`document.querySelectorAll(".paint .line.bad").length === 1`), "its line is marked");
  await page.eval(`(() => { const a = document.querySelector("textarea"); a.value = a.value.replace("frictoin: mu", "friction: mu").replace("ky: 100 ", "ky: 120 "); a.dispatchEvent(new Event("input")); })()`);
  await page.until(`!lab.trouble && ${ready}`);
  check(await shown(page) === digest("frictional_impact_oscillator", "--set", "mu=0.6", "--set", "ky=120"), "the changed text runs");

  // every analysis answers
  await page.eval(`lab.reset()`);
  await page.until(ready);
  await page.eval(press("Equations"));
  await page.until(`document.querySelectorAll(".equation .katex").length > 3`);
  check(true, "equations are typeset");
  for (const [tab, form, good] of [["Sweep", `t.form.over = {name: "mu", low: 0, high: 1, count: 9}`, /^9 points · digest/], ["Bifurcation", `t.form.over = {name: "mu", low: 0.4, high: 0.6, count: 5}`, /^10 values/],
    ["Basin and map", `t.form = {x: {name: "y", low: 0.95, high: 1.05}, y: {name: "phi", low: 0.1, high: 0.5}, size: {levels: 1}}`, /motions?, \d+ runs/], ["Orbit", "", /^stable, period 0\.19499/],
    ["Branch", `t.form.over.high = 0.52`, /points/], ["Lyapunov", "", /largest exponent/], ["Convergence", "", /same events/]]) {
    await page.eval(press(tab));
    await page.eval(`(() => { const t = tabs.find((it) => it.name === ${JSON.stringify(tab)}); ${form}; t.shown(); })()`);
    await compute(page);
    const said = await page.eval(`document.querySelector("#room .analysis > p").textContent`);
    check(good.test(said), `${tab}: ${said}`);
    // the command line that is told gives the digest that is shown
    const [command, digest, fingerprint] = await page.eval(`(() => { const t = tabs.find((it) => it.name === ${JSON.stringify(tab)}); return [t.command, t.digest, t.fingerprint]; })()`);
    if (tab === "Basin and map") continue;
    const answer = execFileSync(carom, [...command.slice(1), "--json"], {cwd: "scenarios"});
    const found = digest ? JSON.parse(answer.toString()).digest : createHash("sha256").update(answer).digest("hex").slice(0, 16);
    check(found === (digest || fingerprint) && said.includes(found), `${tab} has the digest of the command line, ${found}`);
  }
  // a long computation is stopped, and the page is alive
  await page.eval(press("Sweep"));
  await page.eval(`(() => { const t = tabs.find((it) => it.name === "Sweep"); t.form.over = {name: "mu", low: 0, high: 1, count: 4000}; t.shown(); document.querySelector("#room .go button.primary").click(); })()`);
  await page.until(`!document.querySelector("#room .go .stop").hidden`);
  await page.eval(`document.querySelector("#room .go .stop").click()`);
  await page.until(`!document.querySelector("#room .go button.primary").disabled`, 5);
  check(/stopped/.test(await page.eval(`document.querySelector("#room .analysis > p").textContent`)), "a long sweep is stopped");
  check(page.complaints.length === 0, `console: ${page.complaints.join("; ") || "empty"}`);
  await page.close();
}

async function phone(browser) {
  const page = await browser.page(390, 844, true, true);
  await page.open(lab("dimer"));
  await page.until(settled, 60);
  check(await shown(page) === digest("dimer"), "the dimer on a phone has the digest of the command line");
  check(await page.eval(`document.documentElement.scrollWidth <= 390`), "nothing is wider than the phone");
  check(page.complaints.length === 0, `console: ${page.complaints.join("; ") || "empty"}`);
  await page.close();
}

/** An address may be a command: its scenario, settings and form; what was computed comes back in a shared address. */
async function commands(browser) {
  const page = await browser.page(1000, 800), address = lab("wiper", "bouncing_ball", "frictional_impact_oscillator");
  const words = ["bifurcate", "frictional_impact_oscillator.yaml", "--over", "mu=0.4:0.6:9", "--both", "--observe", "phi", "--set", "e=0.2", "--set", "run.until=40", "--set", "measure.after=30"];
  await page.open(address + "#!" + words.map(encodeURIComponent).join("&"));
  await page.until(`window.lab && tabs[4]?.points?.length > 0 && document.querySelector("#room .go button.primary").disabled`, 60);
  check(await page.eval(`tabs[4].chart.layers[0].x.length > 0 && new Set(tabs[4].points.map((p) => p[0] + "/" + p[1])).size < 18`), "points of a diagram are drawn while others are computed");
  await page.until(`!document.querySelector("#room .go button.primary").disabled`, 60);
  const told = await page.eval("[lab.name, lab.values.e, lab.settings['run.until'], tabs[4].form.how, tabs[4].points.length]");
  check(JSON.stringify(told.slice(0, 4)) === '["frictional_impact_oscillator.yaml",0.2,"40","up and down"]', `an address that is a command opens what it computes: ${told}`);
  await new Promise((go) => setTimeout(go, 700));
  const other = await browser.page(1000, 800);
  await other.open(await page.eval("location.href"));
  await other.until(`window.lab && tabs[4]?.command && !document.querySelector("#room .go button.primary").disabled`, 60);
  check(await other.eval("tabs[4].points.length") === told[4] && await other.eval("lab.name") === told[0], "a shared address has the form, and what was computed");
  await other.eval(`location.hash = "#!run&bouncing_ball.yaml&--set&e=0.7&plot&phase&--of&y',y"; null`);
  await other.until(`lab.name === "bouncing_ball.yaml" && lab.about.title === "Bouncing ball" && ${ready}`);
  check(await shown(other) === digest("bouncing_ball", "--set", "e=0.7") && await other.eval("tabs[0].axes.join()") === "y',y", "another address in the same page: another scenario of it, with its portrait");
  await other.eval(`(() => { const menu = document.querySelector("#actions select"); menu.value = "wiper.yaml"; menu.dispatchEvent(new Event("change")); })()`);
  await other.until(`lab.name === "wiper.yaml" && lab.about.title === "Windscreen wiper" && ${ready}`);
  check(await shown(other) === digest("wiper"), "the menu of scenarios");
  // pages of recorded runs link with the scenario as it was run
  await other.eval(`location.hash = "#0" + btoa(JSON.stringify({n: "wiper.yaml", r: lab.about.scenario.replace(/ mu: [0-9.]+/, " mu: 0.45")})).replaceAll("+", "-").replaceAll("/", "_"); null`);
  await other.until(`lab.text.includes("mu: 0.45") && ${ready}`);
  check(await shown(other) === digest("wiper", "--set", "mu=0.45"), "a recorded run opens with what was set for it");
  check([...page.complaints, ...other.complaints].length === 0, `console: ${[...page.complaints, ...other.complaints].join("; ") || "empty"}`);
  await page.close();
  await other.close();
}

// texts and addresses that mean harm are texts
async function hostile(browser) {
  const page = await browser.page(800, 600), address = lab("bouncing_ball");
  for (const hash of ["#1AAAA", "#1<script>alert(1)</script>", "#1" + "A".repeat(5000), "#%00", "#!", "#!%&%", "#!run&../../etc/passwd", "#!sweep&bouncing_ball.yaml&--over&<img src=x>=0:1:2&--observe", "#!" + "run&".repeat(9999)]) {
    await page.open("about:blank"); // else only the address would change
    await page.open(address + hash);
    await page.until(ready, 30);
  }
  const text = `title: "<img src=x onerror=alert(1)></script><script>alert(2)</script>"\\nparameters: {a: 1}\\ncoordinates: {x: 1}\\nenergy: {kinetic: x'^2/2, potential: a*x^2/2}\\nrun: {until: 1}\\n`;
  await page.eval(`lab.edit("${text.replaceAll('"', '\\"')}")`);
  await page.until(`${ready} && !lab.trouble && document.getElementById("title").textContent.includes("onerror")`);
  check(await page.eval(`document.images.length === 0 && !document.querySelector("h1 *")`), "a title with markup is a text");
  check(page.complaints.length === 0, `console: ${page.complaints.join("; ") || "empty"}`);
  await page.close();
}

const browser = new Browser();
try {
  for (const part of [desktop, phone, commands, hostile]) await part(browser);
} catch (error) {
  check(false, error.stack);
} finally {
  await browser.close();
}
process.exit(failures ? 1 : 0);
