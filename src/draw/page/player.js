// ---- the clock that everything follows ----
// the next picture; where the browser makes none (a page in the background), a tenth of a second later
function nextFrame(act) {
  let done = false;
  const once = (now) => { if (!done) { done = true; act(now); } };
  requestAnimationFrame(once);
  setTimeout(() => once(performance.now()), 100);
}
const player = {
  t: run.from,
  playing: false,
  view: null,
  speed: 1, // of t per second
  seek(t) {
    this.t = Math.min(run.until, Math.max(run.from, t));
    this.draw();
  },
  toggle(on = !this.playing) {
    this.playing = on;
    if (on && this.t >= run.until) this.t = run.from;
    byId("play").textContent = on ? "❚❚" : "▶";
    this.before = undefined;
    if (on) nextFrame((now) => this.step(now));
  },
  step(now) {
    if (!this.playing) return;
    const passed = this.before === undefined ? 0 : Math.min(0.1, (now - this.before) / 1000);
    this.before = now;
    this.seek(this.t + passed * this.speed);
    if (this.t >= run.until) this.toggle(false);
    else nextFrame((next) => this.step(next));
  },
  draw() {
    byId("scrub").value = 1000 * (this.t - run.from) / (run.until - run.from || 1);
    byId("clock").textContent = "t = " + this.t.toPrecision(6);
    if (this.view) this.view.draw(this.t, {trail: byId("trail").checked, forces: byId("forces").checked});
    for (const plot of plots) plot.draw(this.t);
    markEvent(this.t);
  },
};
function listSpeeds() {
  const whole = (run.until - run.from) / 12, select = byId("speed");
  for (const [factor, name] of [[0.1, "one tenth"], [0.25, "quarter"], [0.5, "half"], [1, "normal"], [2, "double"], [4, "four times"]]) {
    const option = new Option(`${name} (${shown(whole * factor, 2)} per s)`, whole * factor);
    if (factor === 1) option.selected = true;
    select.append(option);
  }
  select.append(new Option("real time (1 per s)", 1));
  player.speed = whole;
  select.addEventListener("change", () => { player.speed = Number(select.value); });
}
function openView() {
  const canvas = byId("view");
  if (!run.scene || !run.scene.t.length) {
    byId("stage").querySelectorAll("#view, #closer, #farther, #fit, label:has(#trail)").forEach((node) => node.remove());
    byId("forces_label").remove();
    byId("hint").textContent = "the scenario has no shapes: only numbers are shown";
    document.body.insertAdjacentHTML("beforeend", '<input id="trail" type="checkbox" hidden><input id="forces" type="checkbox" hidden>');
    return;
  }
  player.view = run.scene.space ? new SpaceView(canvas, run.scene) : new PlaneView(canvas, run.scene, run);
  byId("hint").textContent = run.scene.space ? "drag turns, shift-drag moves, the wheel zooms" : "drag moves, the wheel zooms";
  if (run.scene.space || !run.contacts.length) byId("forces_label").style.display = "none";
  handle(canvas, (dx, dy, event) => { player.view.drag(dx, dy, event); player.draw(); },
    (factor, x, y) => { player.view.zoomAt(factor, x, y); player.draw(); });
  const centre = (factor) => { const box = canvas.getBoundingClientRect(); player.view.zoomAt(factor, box.left + box.width / 2, box.top + box.height / 2); player.draw(); };
  byId("closer").addEventListener("click", () => centre(1.3));
  byId("farther").addEventListener("click", () => centre(1 / 1.3));
  byId("fit").addEventListener("click", () => { player.view.reset(); player.draw(); });
  for (const id of ["trail", "forces"]) byId(id).addEventListener("change", () => player.draw());
}
fillTables();
openView();
listSpeeds();
listSeries();
choosePlots();
byId("play").addEventListener("click", () => player.toggle());
byId("scrub").addEventListener("input", () => { player.toggle(false); player.seek(run.from + byId("scrub").value / 1000 * (run.until - run.from)); });
document.addEventListener("keydown", (event) => {
  if (event.target.tagName === "SELECT") return;
  const step = (run.until - run.from) / 200;
  if (event.key === " ") { event.preventDefault(); player.toggle(); }
  if (event.key === "ArrowRight") player.seek(player.t + step);
  if (event.key === "ArrowLeft") player.seek(player.t - step);
});
new ResizeObserver(() => player.draw()).observe(document.querySelector("main"));
