// The page as people use it: how soon motion comes, keys and screen readers, zoom, saving, chance. usage: node use.mjs CAROM FOLDER [SECONDS [SEED]]:
// so many seconds of random clicks (10): no complaint in the console, and the memory stays flat; with 0 only times are told
import {execFileSync} from "node:child_process";
import {mkdirSync, readFileSync, readdirSync} from "node:fs";
import {join, resolve} from "node:path";
import {Browser} from "./chromium.mjs";

const [program, folder, seconds = "10", seed = "1"] = process.argv.slice(2), carom = resolve(program);
let failures = 0;
function check(ok, what) {
  if (!ok) failures++;
  console.log(`${ok ? "ok  " : "FAIL"} ${what}`);
}
const lab = (scenario, ...options) => {
  const file = resolve(folder, `${scenario}-use.html`);
  execFileSync(carom, ["lab", `scenarios/${scenario}.yaml`, "-o", file, "--quiet", ...options]);
  return "file://" + file;
};
const pause = (ms) => new Promise((go) => setTimeout(go, ms));
const ready = "window.lab && lab.motion && lab.motion.summary && !lab.busy";
const KEYS = {Tab: 9, Enter: 13, Escape: 27, " ": 32, ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40};
async function key(page, name, modifiers = 0) {
  const common = {key: name, code: name === " " ? "Space" : name, windowsVirtualKeyCode: KEYS[name], modifiers, text: name === "Enter" ? "\r" : name === " " ? " " : undefined};
  await page.send("Input.dispatchKeyEvent", {...common, type: common.text ? "keyDown" : "rawKeyDown"});
  await page.send("Input.dispatchKeyEvent", {...common, type: "keyUp"});
}
/** How much longer things take because others use the machine: wall time over processor time of a short computation. */
function crowd() {
  const from = process.hrtime.bigint(), before = process.cpuUsage();
  while (process.hrtime.bigint() - from < 300000000n);
  const used = process.cpuUsage(before);
  return Math.max(1, 300000 / Math.max(1, used.user + used.system));
}
const least = (times, part) => [...times].sort((a, b) => a - b)[Math.floor(times.length * part)];

const PAUSE = 60; // ms between two moves of a slider, so that each finds the page at rest

/** Processor time of the page's own thread until now, in ms: what waiting for others adds is not in it. @param {any} page */
async function processor(page) {
  const {metrics} = await page.send("Performance.getMetrics");
  return 1000 * metrics.find((/** @type {any} */ m) => m.name === "TaskDuration").value;
}

/** Times from the move of a slider to the end of the frame that draws its motion, in ms, as the page itself measures them; the lower quartile, since
 * others may use the machine. */
async function latency(browser, scenario, knob, low, high, ...settings) {
  const before = crowd();
  const page = await browser.page(1280, 800);
  await page.open(lab(scenario));
  await page.until(ready, 60);
  for (const [path, value] of settings) await page.eval(`lab.setSetting(${JSON.stringify(path)}, ${JSON.stringify(value)})`);
  await page.until(`${ready} && tabs[0].span !== "unknown"`, 60);
  await page.eval("tabs[0].toggle(false)");
  await page.send("Performance.enable", {timeDomain: "threadTicks"});
  const used = await processor(page);
  const times = await page.eval(`(async () => {
    const row = [...document.querySelectorAll(".knob")].find((k) => k.querySelector("label").firstChild.textContent === ${JSON.stringify(knob)}), slider = row.querySelector("input[type=range]"), times = [];
    for (let k = 0; k < 24; k++) {
      const drawn = new Promise((go) => new PerformanceObserver((list, it) => { it.disconnect(); go(list.getEntriesByName("wish to motion")[0].duration); }).observe({entryTypes: ["measure"]}));
      slider.value = ${low} + (${high} - ${low}) * (k + 1) / 25;
      slider.dispatchEvent(new Event("input"));
      times.push(await drawn);
      while (lab.busy) await new Promise((go) => setTimeout(go, 5));
      await new Promise((go) => setTimeout(go, ${PAUSE}));
    }
    return times;
  })()`);
  const each = (await processor(page) - used) / times.length;
  const others = Math.min(before, crowd()); // told, not judged: times belong to a machine
  console.log(`     ${scenario}: slider to motion ${least(times, 0.25).toFixed(0)} ms (lower quartile of ${times.length}; median ${least(times, 0.5).toFixed(0)}, shortest ${Math.min(...times).toFixed(0)}, longest ${Math.max(...times).toFixed(0)}), of which the page's thread works ${each.toFixed(0)}; machine shared ${others.toFixed(1)} times`);
  check(page.complaints.length === 0, `console: ${page.complaints.join("; ") || "empty"}`);
  await page.close();
}

async function firstMotion(browser, scenario) {
  const address = lab(scenario), times = [], worked = [], before = crowd();
  for (let k = 0; k < 5; k++) {
    const page = await browser.page(1280, 800);
    await page.send("Performance.enable", {timeDomain: "threadTicks"});
    const used = await processor(page);
    await page.open(address);
    await page.until(`performance.getEntriesByName("first motion").length > 0`, 60);
    times.push(await page.eval(`performance.getEntriesByName("first motion")[0].startTime`));
    worked.push(await processor(page) - used);
    await page.close();
  }
  const others = Math.min(before, crowd()), list = (/** @type {number[]} */ of) => of.map((t) => t.toFixed(0)).join(", ");
  console.log(`     ${scenario}: first motion after ${list(times)} ms, of which the page's thread worked ${list(worked)}; machine shared ${others.toFixed(1)} times`);
}

/** What a screen reader is told: everything that can be worked has a name, tabs and their panel belong together. */
async function spoken(browser) {
  const page = await browser.page(1280, 900);
  await page.open(lab("wiper"));
  await page.until(ready, 60);
  const names = await page.eval("tabs.map((t) => t.name)");
  for (const [k, name] of names.entries()) {
    await page.eval(`document.getElementById("tab_${k}").click()`);
    await pause(150);
    const {nodes} = await page.send("Accessibility.getFullAXTree");
    const silent = nodes.filter((n) => !n.ignored && ["button", "slider", "spinbutton", "textbox", "combobox", "checkbox", "tab", "menuitem", "image", "tabpanel", "region"].includes(n.role?.value) && !(n.name?.value ?? "").trim()).map((n) => n.role.value);
    check(silent.length === 0, `${name}: all parts have names for a screen reader${silent.length ? `, but ${silent.join(", ")}` : ""}`);
    const panel = nodes.find((n) => n.role?.value === "tabpanel"), tab = nodes.find((n) => n.role?.value === "tab" && n.properties?.some((p) => p.name === "selected" && p.value.value));
    check(panel?.name?.value === name && tab?.name?.value === name, `${name}: its tab is the one selected, its panel has its name`);
  }
  await page.close();
}

async function keyboard(browser) {
  const page = await browser.page(1280, 900);
  await page.open(lab("frictional_impact_oscillator"));
  await page.until(`${ready} && tabs[0].span !== "unknown"`, 60);
  await page.eval("document.body.focus()");
  const reached = new Set();
  let unseen = "";
  for (let k = 0; k < 60; k++) {
    await key(page, "Tab");
    const [name, seen] = await page.eval(`(() => { const a = document.activeElement, s = getComputedStyle(a); return [a.id || a.getAttribute("aria-label") || a.textContent.slice(0, 20), s.outlineStyle !== "none" || s.boxShadow !== "none"]; })()`);
    if (!seen && name) unseen ||= name;
    reached.add(name);
  }
  for (const name of ["share", "save", "tab_0", "view", "play", "scrub", "knob_0"]) check(reached.has(name), `Tab reaches ${name}`);
  check(!unseen, `what has the focus can be seen${unseen ? `, but ${unseen}` : ""}`);
  await page.eval(`document.getElementById("tab_0").focus()`);
  await key(page, "ArrowRight");
  check(await page.eval(`document.activeElement.id === "tab_1" && document.querySelector("textarea") !== null`), "arrows go through the tabs");
  await key(page, "ArrowLeft");
  await page.eval(`document.getElementById("knob_0").focus()`);
  const before = await page.eval("JSON.stringify(lab.values)");
  await key(page, "ArrowRight");
  await page.until(`JSON.stringify(lab.values) !== ${JSON.stringify(before)}`);
  check(true, "an arrow moves a slider");
  await page.eval(`document.getElementById("play").focus()`);
  const playing = await page.eval("tabs[0].playing");
  await key(page, " ");
  check(await page.eval("tabs[0].playing") === !playing, "space plays and pauses");
  await page.eval(`document.getElementById("save").focus()`);
  await key(page, "Enter");
  check(await page.eval(`!document.getElementById("saves").hidden && document.activeElement.getAttribute("role") === "menuitem"`), "Enter opens the menu and goes there");
  await key(page, "ArrowDown");
  check(await page.eval(`document.activeElement.textContent.includes("CSV")`), "arrows go through the menu");
  await key(page, "Escape");
  check(await page.eval(`document.getElementById("saves").hidden && document.activeElement.id === "save"`), "Escape closes it and goes back");
  check(page.complaints.length === 0, `console: ${page.complaints.join("; ") || "empty"}`);
  await page.close();
}

/** The file has the numbers of the page, as h5py reads it where it is installed. */
async function sameRecording(page, file) {
  const program = `import h5py, json, sys
f = h5py.File(sys.argv[1])
e, c = f["events"], f["contacts/floor"]
print(json.dumps([f["series/t"][-1], f["series/y"][:].sum(), len(e["t"]), e["kind"][0].decode(), c["mode"][0].decode(), f["energy/kinetic"][:].max(), f["observables/height"][()], f.attrs["title"].decode(), int(f.attrs["format_version"]), "bounces" in f["scenario"][()].decode()]))`;
  let read;
  try { read = execFileSync("/usr/bin/python3", ["-c", program, file], {stdio: ["ignore", "pipe", "pipe"]}).toString(); } catch (error) {
    if (/No module named/.test(String(error.stderr))) { console.log("     no h5py: the recording is not read"); return; }
    throw error;
  }
  const shown = await page.eval(`(() => { const m = lab.motion, y = m.series("y"); return [m.until, y.reduce((s, v) => s + v, 0), m.events.length, "impact", "F", Math.max(...m.series("kinetic")), m.summary.observables.height, lab.about.title, 1, true]; })()`);
  const same = JSON.parse(read).every((value, k) => (typeof value === "number" ? Math.abs(value - shown[k]) <= 1e-12 * Math.abs(value) : value === shown[k] || String(value).includes(String(shown[k]))));
  check(same, `h5py reads the recording: ${read.trim().slice(0, 120)}`);
}

/** A table is downloaded and holds what the page shows; histories are zoomed by keys and by drawing a span, and seen in full again. */
async function zoomAndSave(browser) {
  const page = await browser.page(1280, 900), kept = resolve(folder, "downloads");
  mkdirSync(kept, {recursive: true});
  await browser.send("Browser.setDownloadBehavior", {behavior: "allow", downloadPath: kept});
  await page.open(lab("bouncing_ball"));
  await page.until(`${ready} && tabs[0].span !== "unknown"`, 60);
  for (const name of ["scenario (YAML)", "table (CSV)", "recording (HDF5)", "pictures (SVG)"]) {
    await page.eval(`[...document.querySelectorAll("#saves button")].find((b) => b.textContent === ${JSON.stringify(name)}).click()`);
    await pause(400);
  }
  const files = readdirSync(kept).sort();
  check(files.includes("bouncing_ball.csv") && files.includes("bouncing_ball.yaml") && files.filter((f) => f.endsWith(".svg")).length >= 4, `saved: ${files.join(", ")}`);
  const lines = readFileSync(join(kept, "bouncing_ball.csv"), "utf8").trim().split("\n"), [rows, last] = await page.eval("[lab.motion.time.count, lab.motion.until]");
  check(lines.length === rows + 1 && lines[0].startsWith("t,y,") && Number(lines.at(-1).split(",")[0]) === last, `the table has ${rows} samples up to t = ${last}`);
  await sameRecording(page, join(kept, "bouncing_ball.h5"));
  check(readFileSync(join(kept, "bouncing_ball.yaml"), "utf8") === readFileSync("scenarios/bouncing_ball.yaml", "utf8"), "the scenario is the file");
  const box = await page.eval(`(() => { const b = document.querySelector("#plots canvas").getBoundingClientRect(); return [b.left, b.top, b.width, b.height]; })()`);
  const mouse = (type, x, y, more = {}) => page.send("Input.dispatchMouseEvent", {type, x, y, button: "left", clickCount: 1, ...more});
  const [x, y] = [box[0] + 0.4 * box[2], box[1] + 0.5 * box[3]];
  await mouse("mousePressed", x, y);
  for (let k = 1; k <= 5; k++) await mouse("mouseMoved", x + 0.06 * k * box[2], y, {buttons: 1});
  await mouse("mouseReleased", x + 0.3 * box[2], y);
  await page.until("tabs[0].charts[0].zoom !== null");
  const span = await page.eval("tabs[0].charts[0].zoom.x[1] - tabs[0].charts[0].zoom.x[0]");
  check(span > 0 && span < 0.5 * last, `a span is drawn: ${span.toPrecision(3)} of ${last}`);
  await pause(400);
  await page.until(ready);
  await mouse("mousePressed", x, y, {clickCount: 2});
  await mouse("mouseReleased", x, y, {clickCount: 2});
  await page.until("tabs[0].charts[0].zoom === null", 5);
  check(true, "double-click shows everything");
  await page.eval(`{ const chart = tabs[0].charts[0]; for (let k = 0; k < 200; k++) chart.zoomBy(0.5, 3.3); null }`);
  check(await page.eval(`(({x: [low, high]}) => low < 3.3 && high > 3.3 && high - low < 1e-9)(tabs[0].charts[0].range)`), "zooming ends where numbers have no more digits");
  await page.eval(`tabs[0].charts[0].reset()`);
  check(page.complaints.length === 0, `console: ${page.complaints.join("; ") || "empty"}`);
  await page.close();
}

/** Two wells share the plane in spirals: a cell that was not run is never alone among others. At -1.75, 0 the coarse grid sees one well only. */
async function basinCells(browser) {
  const page = await browser.page(1100, 800);
  await page.open(lab("duffing", "--set", "drive=0", "--set", "run.until=80", "--set", "measure.after=70"));
  await page.until(ready, 60);
  await page.eval(`document.getElementById("tab_5").click(); Object.assign(tabs[5].form, {x: {name: "x", low: -2, high: 2}, y: {name: "x'", low: -2, high: 2}, size: {levels: 3}, apart: "x"}); document.querySelector("#room .go button.primary").click()`);
  await page.until(`!document.querySelector("#room .go button.primary").disabled`, 90);
  const lonely = await page.eval(`[...tabs[5].cells].filter(([key, kind]) => {
    const [i, j] = key.split("/").map(Number), beside = [[i - 1, j], [i + 1, j], [i, j - 1], [i, j + 1]].map(([a, b]) => tabs[5].cells.get(a + "/" + b));
    return key !== "32/32" && beside.every((other) => other !== undefined && other !== kind);
  }).map(([key]) => key).join(" ")`);
  check(await page.eval("tabs[5].kinds.length") === 3 && lonely === "", `the basins of two wells and of the hill between them have no lonely cells ${lonely}`);
  // what cannot be run is told, and one can go on
  await page.eval(`tabs[5].form.y = {name: "x'", low: -2, high: Infinity}; document.querySelector("#room .go button.primary").click()`);
  await page.until(`!document.querySelector("#room .go button.primary").disabled`, 20);
  check(await page.eval(`document.querySelector("#room .analysis > p").classList.contains("bad")`), "an answer that is an error is told");
  check(page.complaints.length === 0, `console: ${page.complaints.join("; ") || "empty"}`);
  await page.close();
}

/** Numbers by chance that repeat: xorshift of 32 bits. */
function chance(state) {
  return () => { state ^= state << 13; state ^= state >>> 17; state ^= state << 5; return (state >>> 0) / 2 ** 32; };
}
async function soak(browser) {
  const page = await browser.page(1100, 800), random = chance(Number(seed)), heaps = [];
  await browser.send("Browser.setDownloadBehavior", {behavior: "deny"});
  await page.open(lab("frictional_impact_oscillator"));
  await page.until(ready, 60);
  await page.eval("window.print = () => {}; null");
  await page.send("Performance.enable");
  const heap = async () => {
    await page.send("HeapProfiler.collectGarbage");
    const {metrics} = await page.send("Performance.getMetrics"), of = (name) => metrics.find((m) => m.name === name).value;
    heaps.push([of("JSHeapUsedSize") / 2 ** 20, of("Nodes")]);
  };
  const end = Date.now() + 1000 * Number(seconds);
  let deeds = 0, looked = 0;
  while (Date.now() < end) {
    const what = random(), which = random(), value = random();
    await page.eval(`(() => {
      const all = [...document.querySelectorAll("button, input, select, canvas, summary, textarea")].filter((n) => n.offsetParent && !n.disabled);
      const n = all[Math.floor(${which} * all.length)], box = n.getBoundingClientRect(), x = box.left + ${what} * box.width, y = box.top + ${value} * box.height;
      const fire = (type, more = {}) => n.dispatchEvent(new (type === "wheel" ? WheelEvent : type.startsWith("pointer") ? PointerEvent : MouseEvent)(type, {bubbles: true, cancelable: true, clientX: x, clientY: y, pointerId: 1, button: 0, ...more}));
      if (n.tagName === "SELECT") { n.selectedIndex = Math.floor(${value} * n.options.length); n.dispatchEvent(new Event("change")); }
      else if (n.type === "range") { n.value = Number(n.min) + ${value} * (Number(n.max) - Number(n.min)); n.dispatchEvent(new Event("input")); }
      else if (n.type === "number") { n.value = String(Number(n.value) * (0.8 + 0.4 * ${value})); n.dispatchEvent(new Event("change")); }
      else if (n.tagName === "CANVAS") { if (${what} < 0.3) fire("wheel", {deltaY: ${value} < 0.5 ? 100 : -100}); else { fire("pointerdown"); fire("pointermove", {clientX: x + 40}); fire("pointerup", {clientX: x + 40}); fire("click"); } }
      else if (n.tagName === "TEXTAREA") { const at = Math.floor(${value} * n.value.length); n.value = n.value.slice(0, at) + "'{#1:"[Math.floor(${what} * 5)] + n.value.slice(at); n.dispatchEvent(new Event("input")); }
      else n.click();
    })()`);
    await pause(20 + 120 * random() ** 3);
    if (++deeds % 25 === 0) await page.eval("lab.crew.stop(); lab.reset(); null");
    if (Date.now() - looked > Math.max(2000, 100 * Number(seconds))) { looked = Date.now(); await page.eval("lab.crew.stop(); null"); await heap(); }
  }
  await page.eval(`lab.crew.stop(); lab.reset(); document.getElementById("tab_0").click(); null`);
  await page.until(ready, 60);
  check(await page.eval("lab.trouble === null"), `alive after ${deeds} deeds by chance (seed ${seed})`);
  check(page.complaints.length === 0, `console: ${page.complaints.slice(0, 5).join("; ") || "empty"}`);
  await heap();
  const half = heaps.slice(Math.floor(heaps.length / 2)).map(([mb]) => mb), least = Math.min(...half);
  console.log(`     heap, MB: ${heaps.map(([mb]) => mb.toFixed(1)).join(" ")}; nodes ${heaps.map(([, n]) => n).join(" ")}`);
  const third = Math.max(1, Math.floor(heaps.length / 3)), early = Math.min(...heaps.slice(0, third).map(([mb]) => mb));
  check(heaps.length < 6 || least <= 1.5 * early + 8, `memory is flat: ${early.toFixed(1)} MB at first, ${least.toFixed(1)} MB later`);
  await page.close();
}

const browser = new Browser();
try {
  for (const scenario of ["frictional_impact_oscillator", "dimer"]) await firstMotion(browser, scenario);
  await latency(browser, "frictional_impact_oscillator", "mu", 0.4, 0.6);
  await latency(browser, "dimer", "e", 0.5, 0.8, ["run.until", "2"], ["measure.after", "0"]);
  if (Number(seconds) > 0) for (const part of [spoken, keyboard, zoomAndSave, basinCells, soak]) await part(browser);
} catch (error) {
  check(false, error.stack);
} finally {
  await browser.close();
}
process.exit(failures ? 1 : 0);
