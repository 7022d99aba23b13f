// The pictures of docs/lab.md, taken anew. usage: node pictures.mjs CAROM FOLDER PICTURES: pages go to FOLDER, pictures to PICTURES
import {execFileSync} from "node:child_process";
import {join, resolve} from "node:path";
import {Browser} from "./chromium.mjs";

const [program, folder, pictures] = process.argv.slice(2), carom = resolve(program);
const ready = `window.lab && lab.motion && lab.motion.summary && !lab.busy && tabs[0].span !== "unknown"`;
const press = (tab) => `[...document.querySelectorAll("#tabs button")].find((b) => b.textContent === ${JSON.stringify(tab)}).click()`;
const pause = (ms) => new Promise((go) => setTimeout(go, ms));

async function openLab(browser, scenario, {width = 1440, height = 900, phone = false, dark = false, options = []} = {}) {
  const file = resolve(folder, `${scenario}-pictures.html`), page = await browser.page(width, height, phone, dark);
  execFileSync(carom, ["lab", `scenarios/${scenario}.yaml`, "-o", file, "--quiet", ...options]);
  await page.open("file://" + file);
  await page.until(ready, 120);
  return page;
}
async function take(page, name) {
  await pause(300);
  await page.picture(join(pictures, `lab-${name}.png`));
  if (page.complaints.some((text) => !/GL Driver Message/.test(text))) throw new Error(`${name}: ${page.complaints.join("; ")}`);
  console.log(name);
}
/** An analysis with what its form should hold. */
async function analyse(page, tab, form, seconds = 300) {
  await page.eval(press(tab));
  await page.eval(`(() => { const t = tabs.find((it) => it.name === ${JSON.stringify(tab)}); Object.assign(t.form ?? {}, ${JSON.stringify(form)}); t.shown(); document.querySelector("#room .go button.primary").click(); })()`);
  await page.until(`!document.querySelector("#room .go button.primary").disabled`, seconds);
}

const browser = new Browser();
try {
  const page = await openLab(browser, "frictional_impact_oscillator");
  await page.eval("tabs[0].toggle(false); tabs[0].seek(lab.motion.from + 0.35 * (lab.motion.until - lab.motion.from))");
  await take(page, "motion");
  await page.eval(press("Equations"));
  await page.until(`document.querySelectorAll(".equation .katex").length > 3`, 30);
  await take(page, "equations");
  for (const [tab, form] of [["Sweep", {over: {name: "mu", low: 0.3, high: 0.75, count: 91}}], ["Bifurcation", {over: {name: "mu", low: 0.38, high: 0.66, count: 57}, observe: "phi"}], ["Orbit", {}], ["Lyapunov", {}], ["Convergence", {}]]) {
    await analyse(page, tab, form);
    await take(page, tab.toLowerCase());
  }
  await page.eval(`lab.setValue("mu", 0.42)`);
  await page.until(ready, 60);
  await analyse(page, "Branch", {over: {name: "mu", low: 0.42, high: 0.385}});
  await take(page, "branch");
  await page.eval(press("Scenario"));
  await page.eval(`(() => { const a = document.querySelector("textarea"); a.value = a.value.replace("friction: mu", "frictoin: mu"); a.dispatchEvent(new Event("input")); a.scrollTop = 400; a.dispatchEvent(new Event("scroll")); })()`);
  await page.until(`lab.trouble && lab.trouble.line > 0`);
  await take(page, "scenario");
  await page.close();

  const wells = await openLab(browser, "duffing", {options: ["--set", "drive=0", "--set", "run.until=80", "--set", "measure.after=70"]});
  await analyse(wells, "Basin and map", {x: {name: "x", low: -2, high: 2}, y: {name: "x'", low: -2, high: 2}, size: {levels: 4}, apart: "x"}, 900);
  await take(wells, "basin");
  await wells.close();

  const cube = await openLab(browser, "tippe_top");
  await cube.eval("tabs[0].toggle(false); tabs[0].seek(lab.motion.from + 0.3 * (lab.motion.until - lab.motion.from))");
  await take(cube, "space");
  await cube.close();

  const phone = await openLab(browser, "dimer", {width: 390, height: 844, phone: true, dark: true});
  await phone.eval("tabs[0].toggle(false)");
  await take(phone, "phone");
} finally {
  await browser.close();
}
