// ---- the recorded run, as arrays ----
function decode(text, type) {
  const raw = atob(text), bytes = new Uint8Array(raw.length);
  for (let k = 0; k < raw.length; k++) bytes[k] = raw.charCodeAt(k);
  return new type(bytes.buffer);
}
const run = JSON.parse(document.getElementById("data").textContent);
run.t = decode(run.t, Float64Array);
run.from = run.t[0];
run.until = run.t[run.t.length - 1];
for (const s of run.series) s.values = decode(s.values, Float32Array);
for (const c of run.contacts)
  for (const name of ["gap", "normal", "tangential", "x", "y", "force_x", "force_y"]) c[name] = decode(c[name], Float32Array);
if (run.scene) {
  run.scene.t = decode(run.scene.t, Float64Array);
  run.scene.numbers = decode(run.scene.numbers, Float32Array);
  run.scene.fixed = decode(run.scene.fixed, Float32Array);
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
