// What the page shows, as the part of its address behind #: short where only numbers were moved, with the text where that was changed.
// Pages of recorded runs link with the scenario as it was run, not squeezed.
// Whatever stands there is only ever a text to be read: names, numbers, a scenario that the simulator checks.

/** @param {Uint8Array} bytes */
const toText = (bytes) => btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
/** @param {string} text */
const fromText = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
/** @param {Uint8Array} bytes @param {"compress" | "decompress"} way */
async function squeeze(bytes, way) {
  const stream = new Blob([/** @type {any} */ (bytes)]).stream().pipeThrough(way === "compress" ? new CompressionStream("deflate-raw") : new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** @typedef {{name: string, words: () => string[], command?: string[]}} Tab what a tab is asked for here: its name, and its command as it stands in the form */

/** @param {import("./lab.js").Lab} lab @param {Tab} tab */
export async function writeAddress(lab, tab) {
  const state = /** @type {any} */ ({});
  if (Object.keys(lab.values).length) state.v = lab.values;
  if (Object.keys(lab.settings).length) state.s = lab.settings;
  if (lab.text !== lab.original.files[lab.name]) state.x = lab.text;
  if (lab.name !== lab.original.name) state.n = lab.name;
  if (tab.name !== "Motion") state.t = tab.name;
  const words = lab.about ? tab.words().slice(2) : [];
  if (words.length) state.c = words;
  if (tab.command) state.g = 1; // it was computed
  if (!Object.keys(state).length) return "";
  return "#1" + toText(await squeeze(new TextEncoder().encode(JSON.stringify(state)), "compress"));
}

/** What an address asks for beside values and settings: a tab by its name or by its command, what stands in its form, whether to compute it.
 * @typedef {{tab: string, command: string, words: string[], start: boolean}} Wanted */

/** Sets the lab as an address says; what cannot be read is passed over. @param {import("./lab.js").Lab} lab @param {string} hash @returns {Promise<Wanted>} */
export async function readAddress(lab, hash) {
  const none = {tab: "", command: "", words: [], start: false};
  if (hash.length > 200000) return none;
  if (hash.startsWith("#!")) return readCommand(lab, hash.slice(2));
  if (!/^#[01]/.test(hash)) return none;
  try {
    const bytes = fromText(hash.slice(2)), state = JSON.parse(new TextDecoder().decode(hash[1] === "1" ? await squeeze(bytes, "decompress") : bytes));
    const pairs = (/** @type {any} */ it, /** @type {string} */ type) => Object.fromEntries(Object.entries(it && typeof it === "object" ? it : {}).filter(([name, value]) => typeof value === type && name.length < 200));
    if (typeof state.n === "string") lab.choose(state.n);
    lab.values = Object.fromEntries(Object.entries(pairs(state.v, "number")).filter(([, v]) => Number.isFinite(v)));
    lab.settings = pairs(state.s, "string");
    if (typeof state.r === "string") lab.recorded = state.r;
    if (typeof state.x === "string") lab.files = {...lab.files, [lab.name]: state.x};
    const words = Array.isArray(state.c) ? state.c.filter((/** @type {any} */ word) => typeof word === "string").slice(0, 100) : [];
    return {...none, tab: typeof state.t === "string" ? state.t : "", words, start: state.g === 1};
  } catch { return none; }
}

/** An address that is a command line, its words joined by &: bifurcate&wiper.yaml&--over&mu=0.3:0.5:40&--both. What --set gives goes to sliders
 * and settings, the rest to the form of the tab. @param {import("./lab.js").Lab} lab @param {string} text @returns {Wanted} */
function readCommand(lab, text) {
  const words = text.split("&").map((word) => { try { return decodeURIComponent(word); } catch { return ""; } });
  const [command, file, ...rest] = words, plot = rest.indexOf("plot"), given = options(plot < 0 ? rest : rest.slice(0, plot));
  if (file) lab.choose(file);
  const settings = [...given.get("set") ?? [], ...(given.get("until") ?? []).map((value) => "run.until=" + value)].map((text) => /^([^=]*)=(.*)$/s.exec(text)).filter((pair) => pair !== null);
  const isValue = (/** @type {string} */ name, /** @type {string} */ value) => !name.includes(".") && value.trim() !== "" && Number.isFinite(Number(value));
  lab.values = Object.fromEntries(settings.filter(([, name, value]) => isValue(name, value)).map(([, name, value]) => [name, Number(value)]));
  lab.settings = Object.fromEntries(settings.filter(([, name, value]) => !isValue(name, value)).map(([, name, value]) => [name, value]));
  return {tab: "", command, words: rest, start: true};
}

const FLAGS = ["both", "fresh", "equilibrium", "digest", "json", "quiet"];
/** The options of a command, by name; the words that are none are found under "". @param {string[]} words @returns {Map<string, string[]>} */
export function options(words) {
  const found = /** @type {Map<string, string[]>} */ (new Map());
  for (let k = 0; k < words.length; k++) {
    const [, name, value] = /^--([^=]+)(?:=(.*))?$/s.exec(words[k]) ?? [null, "", words[k]];
    found.set(name, [...found.get(name) ?? [], value ?? (FLAGS.includes(name) || words[k + 1]?.startsWith("--") ? "" : words[++k] ?? "")]);
  }
  return found;
}
