// Texts and addresses that mean harm, in the page itself: every text of a folder is put in, and addresses with states of all shapes are
// opened; nothing is complained of, asked of the network or drawn as markup, and the page works on.
// usage: node hostile.mjs CAROM FOLDER TEXTS
import {execFileSync} from "node:child_process";
import {readFileSync, readdirSync} from "node:fs";
import {join, resolve} from "node:path";
import {deflateRawSync} from "node:zlib";
import {Browser} from "./chromium.mjs";

const [program, folder, texts] = process.argv.slice(2), file = resolve(folder, "hostile.html"), address = "file://" + file;
execFileSync(resolve(program), ["lab", "scenarios/bouncing_ball.yaml", "-o", file, "--quiet"]);
const ready = "window.lab && lab.motion && lab.motion.summary && !lab.busy";
let failures = 0;
const check = (ok, what) => { if (!ok) failures++; console.log(`${ok ? "ok  " : "FAIL"} ${what}`); };
const hashOf = (state) => "#1" + deflateRawSync(Buffer.from(typeof state === "string" ? state : JSON.stringify(state))).toString("base64url");

const browser = new Browser();
try {
  const page = await browser.page(900, 700), asked = [];
  await page.send("Network.enable");
  browser.listeners.push(({method, params, sessionId}) => { if (sessionId === page.session && method === "Network.requestWillBeSent" && !/^(file|blob|data):/.test(params.request.url)) asked.push(params.request.url); });
  await page.open(address);
  await page.until(ready, 60);
  const names = readdirSync(texts);
  for (const name of names) {
    await page.eval(`lab.edit(${JSON.stringify(readFileSync(join(texts, name), "latin1"))}); null`);
    const end = Date.now() + 400;
    while (Date.now() < end && await page.eval("lab.busy && !lab.trouble")) await new Promise((go) => setTimeout(go, 20));
    if (await page.eval("lab.busy")) await page.eval("lab.stop(); null");
  }
  await page.eval("lab.reset(); null");
  await page.until(`${ready} && !lab.trouble`, 60);
  check(await page.eval("lab.motion.events.length === 65 && document.images.length === 0 && document.scripts.length < 6"), `after ${names.length} texts the ball still bounces`);
  const markup = "<img src=x onerror=alert(1)>", states = [0, null, [], "", "{", {v: 1}, {v: {y: "1"}}, {v: {y: 1e999}}, {v: {[markup]: 1, __proto__: {a: 1}}}, {s: {"run.until": "1e300"}}, {s: {include: "/etc/passwd", [markup]: markup}}, {x: 5}, {x: markup}, {x: "title: " + markup}, {t: markup}, {t: "Sweep", x: "include: ../../secret.yaml"}, {v: Object.fromEntries(Array.from({length: 5000}, (_, k) => ["p" + k, k]))}, {x: "a: &a [*a]"}, {x: "[".repeat(5000)}, {x: "\u0000"}, {__proto__: null, constructor: 1, toString: "x"}, {n: "other.yaml"}, {n: 5, c: "x", g: 1}, {t: "Sweep", c: ["--over", `${markup}=0:1:9`], g: 1}, {t: "Bifurcation", c: ["--over", "e=0:1e999:1e9", "--section", markup], g: 1}, {t: "Basin and map", c: ["--over", "y=1:2:9", "--over", "y'=0:1:1e300", "--refine", "1e9"]}, {c: ["plot", "history", "--of", markup, "plot", "phase", "--of", "y"]}, {c: [[], {}, null]}];
  for (const state of states) {
    await page.open("about:blank");
    await page.open(address + hashOf(state));
    await page.until(`window.lab && (lab.motion || lab.trouble || lab.busy) && (!lab.busy || performance.now() > 1500)`, 30);
  }
  await page.open("about:blank");
  await page.open(address);
  await page.until(ready, 60);
  check(await page.eval("lab.motion.events.length === 65 && ({}).a === undefined"), `after ${states.length} addresses too`);
  check(asked.length === 0, `nothing is asked of the network ${asked.join(" ")}`);
  check(page.complaints.length === 0, `console: ${page.complaints.slice(0, 4).join("; ") || "empty"}`);
} catch (error) {
  check(false, error.stack);
} finally {
  await browser.close();
}
process.exit(failures ? 1 : 0);
