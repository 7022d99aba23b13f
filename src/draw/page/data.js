// ---- the recorded run, as arrays ----
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
