// Which numbers a scenario lets a reader move, and how far: what `lab:` says, else something sensible around the value.

/** Entries of a section of the resolved scenario, as texts. @param {string} yaml @param {string} section @returns {Map<string, string>} */
export function entries(yaml, section) {
  const found = new Map();
  let inside = false;
  for (const line of yaml.split("\n")) {
    if (/^\S/.test(line)) inside = line.startsWith(section + ":");
    else if (inside) {
      const match = /^ {2}["']?([^\s"':][^:"']*)["']?:\s*(.*)$/.exec(line);
      if (match) found.set(match[1].trim(), match[2].replace(/^["']|["']$/g, "").trim());
      else if (found.size && /^\s+-/.test(line)) { const last = [...found.keys()].at(-1); found.set(last, `${found.get(last)} ${line.trim().slice(1)}`); }
    }
  }
  return found;
}

/** A number, also with its unit (3 kg m^2): no expression. @param {string | undefined} text */
export const plain = (text) => text !== undefined && /^[-+]?[\d.]+(e[-+]?\d+)?(\s+[^-\s\d+*/()][^-+*()]*(-\d+)?)?$/i.test(text);

/** @typedef {{name: string, label: string, unit: string, value: number, low: number, high: number, step: number, derived: boolean, group: string}} Knob */

/** @param {any} about @returns {Knob[]} */
export function knobs(about) {
  const given = entries(about.scenario, "parameters"), said = entries(about.scenario, "lab");
  const all = about.parameters.map((/** @type {any} */ p) => knob(p.name, p.name, p.unit ?? "", p.value, said.get(p.name), !plain(given.get(p.name)), "parameters"));
  for (const c of about.coordinates) {
    all.push(knob(c.name, c.name, c.unit ?? "", c.value, said.get(c.name), false, "start"));
    all.push(knob(c.name + "'", c.name + "′", c.unit ? c.unit + "/s" : "", c.rate ?? 0, said.get(c.name + "'"), false, "start"));
  }
  for (const z of about.states) all.push(knob(z.name, z.name, z.unit ?? "", z.value, said.get(z.name), false, "start"));
  return all.filter((/** @type {Knob} */ k) => Number.isFinite(k.value));
}

/** @returns {Knob} @param {string} name @param {string} label @param {string} unit @param {number} value @param {string | undefined} said @param {boolean} derived @param {string} group */
function knob(name, label, unit, value, said, derived, group) {
  const numbers = (said?.match(/[-+]?\d*\.?\d+(?:e[-+]?\d+)?/gi) ?? []).map(Number);
  let [low, high] = numbers.length >= 2 ? numbers : sensible(value, /^(e|mu|c|k|d|r|h|zeta)([A-Z_\d].*|phi|y|x)?$/.test(name) && group === "parameters");
  if (value < low) low = value;
  if (value > high) high = value;
  return {name, label, unit, value, low, high, step: niceStep((high - low) / 400), derived, group};
}

/** @param {number} value @param {boolean} positive by its name @returns {[number, number]} */
function sensible(value, positive) {
  if (value === 0) return positive ? [0, 1] : [-1, 1];
  if (value > 0 && value < 1) return [0, 10 ** Math.ceil(Math.log10(value) + 1e-9) >= 1 ? 1 : 4 * value];
  const far = niceUp(2 * Math.abs(value));
  return value > 0 ? [0, far] : [-far, 0];
}
const niceUp = (/** @type {number} */ v) => { const unit = 10 ** Math.floor(Math.log10(v)); return (Math.ceil(v / unit * 2) / 2) * unit; };
const niceStep = (/** @type {number} */ v) => { const unit = 10 ** Math.floor(Math.log10(v || 1)); const m = v / unit; return (m < 2 ? 1 : m < 5 ? 2 : 5) * unit; };
/** A value on the raster of the slider, without digits that mean nothing. @param {number} v @param {number} step */
export const onStep = (v, step) => Number((Math.round(v / step) * step).toPrecision(12));
