// ---- the recorded run, as arrays ----
const run = JSON.parse(document.getElementById("data").textContent);
run.t = decode(run.t, Float64Array);
run.from = run.t[0];
run.until = run.t[run.t.length - 1];
for (const s of run.series) s.values = decode(s.values, Float32Array);
for (const c of run.contacts)
  for (const name of ["gap", "slip", "normal", "tangential", "x", "y", "force_x", "force_y"]) c[name] = decode(c[name], Float32Array);
if (run.scene) {
  run.scene.t = decode(run.scene.t, Float64Array);
  run.scene.numbers = decode(run.scene.numbers, Float32Array);
  run.scene.fixed = decode(run.scene.fixed, Float32Array);
}
run.unit = unitsOf(run.units);
const signed = (number, digits = 5) => (number > 0 ? "+" : "") + shown(number, digits);
// colours of the page, light or dark, as its style says
const theme = {
  read() {
    const style = getComputedStyle(document.documentElement), value = (name) => style.getPropertyValue("--" + name).trim();
    for (const name of ["ink", "soft", "paper", "grid", "curve", "cursor"]) this[name] = value(name);
    Object.assign(INK, {paper: value("stage"), line: value("edge"), faint: value("line"), hatch: value("soft"), scale: value("soft"), label: value("soft"),
      force: value("cursor"), trail: value("trail")});
    for (const [mode, name] of Object.entries({F: "paper", K: "stick", "+": "plus", "-": "minus", C: "closed", S: "plus", "?": "paper"})) MODES[mode].fill = value(name);
  },
};
theme.read();
