// Makes the page: scripts bundled, the simulator compressed, hashes for the content-security-policy, licences of all that is inside.
// usage: node build.mjs FOLDER: reads FOLDER/lab.wasm and FOLDER/libyaml/License, writes FOLDER/lab.html
import {createHash} from "node:crypto";
import {readFileSync, writeFileSync} from "node:fs";
import {dirname, join, resolve} from "node:path";
import {fileURLToPath} from "node:url";
import {gzipSync} from "node:zlib";
import {build} from "esbuild";

const web = dirname(fileURLToPath(import.meta.url)), folder = resolve(process.argv[2] ?? "build-lab");
const read = (/** @type {string[]} */ ...path) => readFileSync(join(...path), "utf8");

// the drawing code of recorded runs, which is no module, as one: pages of runs and the lab have one viewer
const viewer = {
  name: "viewer",
  setup(/** @type {import("esbuild").PluginBuild} */ it) {
    it.onResolve({filter: /^carom-viewer$/}, () => ({path: "viewer", namespace: "viewer"}));
    it.onLoad({filter: /.*/, namespace: "viewer"}, () => {
      const files = ["helpers.js", "canvas.js", "plane.js", "space.js"].map((name) => read(web, "../src/draw/page", name));
      return {contents: files.join("\n") + "\nexport {PlaneView, SpaceView, handle, sharpen, roundSteps, indexAt, shown, MODES, INK};", resolveDir: web};
    });
  },
};
// the worker is a text inside the page
const bundle = async (/** @type {string} */ entry, /** @type {Record<string, string>} */ define = {}) => {
  const made = await build({
    entryPoints: [join(web, "src", entry)], bundle: true, minify: true, write: false, format: "iife", target: "es2022", charset: "utf8",
    define, plugins: [viewer], legalComments: "none", loader: {".woff2": "dataurl", ".css": "text"}, logLevel: "warning",
  });
  return made.outputFiles[0].text;
};
const worker = await bundle("worker.js");
const script = await bundle("main.js", {WORKER_TEXT: JSON.stringify(worker)});
const loader = await bundle("loader.js");

// style: ours, and the letters of formulas
const fonts = ["Main-Regular", "Main-Bold", "Main-Italic", "Math-Italic", "Size1-Regular", "Size2-Regular", "Size3-Regular", "Size4-Regular", "AMS-Regular"];
const katex = read(web, "node_modules/katex/dist/katex.min.css").replace(/@font-face\{[^}]*\}/g, (face) => {
  const name = /KaTeX_([A-Za-z0-9]+-[A-Za-z]+)\.woff2/.exec(face)?.[1] ?? "";
  if (!fonts.includes(name)) return "";
  const bytes = readFileSync(join(web, `node_modules/katex/dist/fonts/KaTeX_${name}.woff2`)).toString("base64");
  return face.replace(/src:.*?(?=;|\})/, `src:url(data:font/woff2;base64,${bytes}) format("woff2")`);
});
const style = read(web, "src/style.css") + katex;

const licences = [
  ["Carom", read(web, "../LICENSE")],
  ["libyaml", read(folder, "libyaml/License")],
  ["wasi-libc and musl", "MIT licence; Copyright (c) 2005-2020 Rich Felker, et al., and the WASI authors (Apache-2.0 with LLVM exception)."],
  ["KaTeX", read(web, "node_modules/katex/LICENSE")],
  ["three.js", read(web, "node_modules/three/LICENSE")],
].map(([name, text]) => `${name}\n${"-".repeat(name.length)}\n${text}`).join("\n\n");

const hash = (/** @type {string} */ text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const policy = ["default-src 'none'", `script-src ${hash(loader)} ${hash(script)} 'wasm-unsafe-eval'`, "worker-src blob:", `style-src ${hash(style)}`,
  "img-src data: blob:", "font-src data:", "base-uri 'none'", "form-action 'none'"].join("; ");
const escape = (/** @type {string} */ text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
const pack = (/** @type {string | Buffer} */ what) => gzipSync(what, {level: 9}).toString("base64");
const marks = {policy, style, loader, licences: escape(licences), program: pack(script), simulator: pack(readFileSync(join(folder, "lab.wasm")))};
const page = read(web, "src/page.html").replace(/@(\w+)@/g, (whole, name) => (name in marks ? marks[/** @type {keyof typeof marks} */ (name)] : whole));
writeFileSync(join(folder, "lab.html"), page);
// the view of motions in space for pages of recorded runs, which take it in where it is there
const stage = (await bundle("stage.js")).replaceAll("</script", "<\\/script");
writeFileSync(join(folder, "stage.js"), `/*! three.js, MIT licence, Copyright 2010-2025 three.js authors */\n${stage}`);
console.log(`lab: ${folder}/lab.html, ${(page.length / 1e6).toFixed(2)} MB (simulator ${(marks.simulator.length / 1e6).toFixed(2)}, scripts ${(marks.program.length / 1e6).toFixed(2)}, style ${(style.length / 1e6).toFixed(2)})`);
