// ---- small helpers of pages that show a motion ----
function decode(text, type) {
  const raw = atob(text), bytes = new Uint8Array(raw.length);
  for (let k = 0; k < raw.length; k++) bytes[k] = raw.charCodeAt(k);
  return new type(bytes.buffer);
}
// the last entry of a sorted array that is not greater than t
function indexAt(times, t) {
  let low = 0, high = times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= t) low = middle; else high = middle - 1;
  }
  return low;
}
// a value between two entries, on a straight line; behind the last one of an instant it is that of its end
function between(times, t, at) {
  const k = indexAt(times, t), h = k + 1 < times.length ? times[k + 1] - times[k] : 0, share = h > 0 ? (t - times[k]) / h : 0;
  const a = at(k);
  return share > 0 ? a + share * (at(k + 1) - a) : a;
}
const byId = (id) => document.getElementById(id);
function shown(number, digits = 6) {
  if (number === null || Number.isNaN(number)) return "–";
  if (number === 0) return "0";
  const rounded = Number(Number(number).toPrecision(digits)), size = Math.abs(rounded);
  return (size < 1e-4 || size >= 1e9 ? rounded.toExponential().replace("e+", "e") : String(rounded)).replace(/^-/, "−");
}
// units, where the scenario writes them: "t=s,x=m"
function unitsOf(text) {
  const units = new Map((text || "").split(",").filter((entry) => entry.includes("=")).map((entry) => entry.split(/=(.*)/).slice(0, 2)));
  const all = ["kg", "m", "s"].every((unit) => [...units.values()].some((name) => name.split(/[^a-z]+/).includes(unit)));
  const told = {energy: all ? "J" : "", force: all ? "N" : "", length: all ? "m" : "", time: units.get("t") || ""};
  const ofContact = {normal: told.force, tangential: told.force, gap: told.length, slip: all ? "m/s" : ""};
  told.of = (name) => {
    const part = name.match(/\.(normal|tangential|gap|slip)$/), rate = name.endsWith("'") && units.get(name.slice(0, -1));
    if (units.has(name)) return units.get(name);
    if (/^(kinetic|potential|energy\..*)$/.test(name)) return told.energy;
    return part ? ofContact[part[1]] : rate ? `${rate}/${told.time || "s"}` : "";
  };
  return told;
}
const withUnit = (text, unit) => (unit ? `${text} ${unit}` : text);
// colours of modes, drawings and shapes; a page may change the first two
const MODES = {
  F: {name: "flight", fill: "#ffffff"}, K: {name: "stick", fill: "#b9b3dc"}, "+": {name: "slip +", fill: "#fbe5bf"},
  "-": {name: "slip −", fill: "#bcdcf0"}, C: {name: "closed", fill: "#dadada"}, S: {name: "slip", fill: "#fbe5bf"}, "?": {name: "unknown", fill: "#ffffff"},
};
const INK = {paper: "#fbfcfd", line: "#22303d", faint: "#cdd5dc", hatch: "#aab4be", scale: "#8794a1", label: "#5d6b7a", force: "#b00020",
  trail: "rgba(176, 80, 20, 0.55)"};
const COLOURS = {
  blue: "#3b76b5", orange: "#e08a2c", green: "#4a9a6a", red: "#c8453b", purple: "#8a63a8", teal: "#2a8f8c", brown: "#8c6a4f", pink: "#d77fa8",
  yellow: "#e0b93b", grey: "#8794a1", black: "#22303d", white: "#ffffff",
};
const TONES = ["blue", "orange", "green", "purple", "teal", "red"].map((name) => COLOURS[name]);
