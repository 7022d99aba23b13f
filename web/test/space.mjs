// Motions in space in a real browser, in the lab and in a page of a recorded run: painted by WebGL, and a turn of the view changes the picture.
// usage: node space.mjs CAROM FOLDER SCENARIO.yaml... [PICTURES/]: pictures where the last word ends with a slash
import {execFileSync} from "node:child_process";
import {basename, join, resolve} from "node:path";
import {Browser} from "./chromium.mjs";

const words = process.argv.slice(2), pictures = words.at(-1)?.endsWith("/") ? words.pop() : null, [program, folder, ...files] = words, carom = resolve(program);
let failures = 0;
function check(ok, what) {
  if (!ok) failures++;
  console.log(`${ok ? "ok  " : "FAIL"} ${what}`);
}
const colours = `(() => { const c = document.getElementById("view"), d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data, all = new Set(); for (let k = 0; k < d.length; k += 4) all.add((d[k] >> 3) << 10 | (d[k + 1] >> 3) << 5 | d[k + 2] >> 3); return all.size; })()`;
const picture = `document.getElementById("view").toDataURL().length`;
const drag = `(() => { const c = document.getElementById("view"), at = (type, x) => c.dispatchEvent(new PointerEvent(type, {pointerId: 1, clientX: x, clientY: 200, bubbles: true})); at("pointerdown", 200); at("pointermove", 260); at("pointerup", 260); })()`;

const browser = new Browser();
try {
  for (const file of files) {
    const name = basename(file, ".yaml"), lab = resolve(folder, name + ".html"), run = resolve(folder, name + ".h5"), report = resolve(folder, name + "-run.html");
    execFileSync(carom, ["lab", file, "-o", lab, "--quiet"]);
    execFileSync(carom, ["run", file, "--out", run, "--quiet"]);
    execFileSync(carom, ["report", run, "-o", report, "--quiet"]);
    for (const [kind, address, width, height, phone, dark] of [["lab", lab, 1280, 900, false, false], ["phone", lab, 390, 844, true, true], ["report", report, 1280, 900, false, false]]) {
      const page = await browser.page(width, height, phone, dark);
      await page.open("file://" + address);
      await page.until(kind === "report" ? "typeof player !== 'undefined' && Boolean(player.view)" : "window.lab && lab.motion && lab.motion.summary && !lab.busy && Boolean(tabs[0].view)", 60);
      if (kind === "report") await page.eval("player.seek(run.from + 0.3 * (run.until - run.from))");
      else await page.eval("tabs[0].toggle(false); tabs[0].seek(lab.motion.from + 0.3 * (lab.motion.until - lab.motion.from))");
      check(await page.eval(kind === "report" ? "Boolean(player.view.world)" : "Boolean(tabs[0].view.world)"), `${name}, ${kind}: by WebGL`);
      const many = await page.eval(colours), before = await page.eval(picture);
      check(many > 30, `${name}, ${kind}: light and shade, ${many} colours`);
      if (pictures) await page.picture(join(pictures, `${name}-${kind}.png`));
      await page.eval(drag);
      check(await page.eval(picture) !== before, `${name}, ${kind}: it turns`);
      // painted without a graphics card the driver complains of reading pixels back
      const complaints = page.complaints.filter((text) => !/GL Driver Message \(OpenGL, Performance/.test(text));
      check(complaints.length === 0, `${name}, ${kind}: console ${complaints.join("; ") || "empty"}`);
      await page.close();
    }
  }
} catch (error) {
  check(false, error.stack);
} finally {
  await browser.close();
}
process.exit(failures ? 1 : 0);
