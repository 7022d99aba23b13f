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
const byId = (id) => document.getElementById(id);
function shown(number, digits = 6) {
  if (number === null || Number.isNaN(number)) return "–";
  if (number === 0) return "0";
  return String(Number(Number(number).toPrecision(digits)));
}
const MODES = {
  F: {name: "flight", fill: "#ffffff"}, K: {name: "stick", fill: "#b9b3dc"}, "+": {name: "slip +", fill: "#fbe5bf"},
  "-": {name: "slip −", fill: "#bcdcf0"}, C: {name: "closed", fill: "#dadada"}, "?": {name: "unknown", fill: "#ffffff"},
};
// colours of the drawings; a page may change them
const INK = {paper: "#fbfcfd", line: "#22303d", faint: "#cdd5dc", hatch: "#aab4be", scale: "#8794a1", label: "#5d6b7a", force: "#b00020",
  trail: "rgba(176, 80, 20, 0.55)"};
