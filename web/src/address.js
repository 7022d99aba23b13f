// What the page shows, as the part of its address behind #: short where only numbers were moved, with the text where that was changed.
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

/** @param {import("./lab.js").Lab} lab @param {string} tab */
export async function writeAddress(lab, tab) {
  const state = /** @type {any} */ ({});
  if (Object.keys(lab.values).length) state.v = lab.values;
  if (Object.keys(lab.settings).length) state.s = lab.settings;
  if (lab.text !== lab.original.files[lab.name]) state.x = lab.text;
  if (tab !== "Motion") state.t = tab;
  if (!Object.keys(state).length) return "";
  return "#1" + toText(await squeeze(new TextEncoder().encode(JSON.stringify(state)), "compress"));
}

/** Sets the lab as an address says; returns the tab it names. What cannot be read is passed over. @param {import("./lab.js").Lab} lab @param {string} hash @returns {Promise<string>} */
export async function readAddress(lab, hash) {
  if (!hash.startsWith("#1") || hash.length > 200000) return "";
  try {
    const state = JSON.parse(new TextDecoder().decode(await squeeze(fromText(hash.slice(2)), "decompress")));
    const pairs = (/** @type {any} */ it, /** @type {string} */ type) => Object.fromEntries(Object.entries(it && typeof it === "object" ? it : {}).filter(([name, value]) => typeof value === type && name.length < 200));
    lab.values = Object.fromEntries(Object.entries(pairs(state.v, "number")).filter(([, v]) => Number.isFinite(v)));
    lab.settings = pairs(state.s, "string");
    if (typeof state.x === "string") lab.files = {...lab.files, [lab.name]: state.x};
    return typeof state.t === "string" ? state.t : "";
  } catch { return ""; }
}
