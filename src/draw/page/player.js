// ---- the clock that everything follows ----
// the next picture; where the browser makes none (a page in the background), a tenth of a second later
function nextFrame(act) {
  let done = false;
  const once = (now) => { if (!done) { done = true; act(now); } };
  requestAnimationFrame(once);
  setTimeout(() => once(performance.now()), 100);
}
const checked = (id) => Boolean(byId(id) && byId(id).checked);
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
    byId("clock").textContent = withUnit(`t = ${this.t.toPrecision(6)}`, run.unit.time);
    if (this.view) this.view.draw(this.t, {trail: checked("trail"), forces: checked("forces"), follow: checked("follow"), axes: checked("axes"), force: 2 ** byId("force_scale").value});
    span.keep(this.t);
    for (const plot of plots) plot.draw(this.t);
    markEvent(this.t);
  },
};
// real time where somebody would watch it; what is over in a moment, or takes hours, in some seconds
function listSpeeds() {
  const select = byId("speed"), long = run.until - run.from, whole = long / 15, real = long >= 1 && long <= 120;
  const factors = new Map([[0.001, "1/1000×"], [0.01, "1/100×"], [0.1, "1/10×"], [0.25, "1/4×"], [0.5, "1/2×"], [1, "1×, real time"], [2, "2×"], [5, "5×"], [20, "20×"], [100, "100×"]]);
  const choices = [...factors].filter(([factor]) => long / factor < 2000 && long / factor > 0.5 || factor === 1).map(([factor, name]) => [factor, factor < 1 ? `${name} slow motion` : name]);
  choices.push([whole, `all in 15 s (${shown(whole, 2)}×)`]);
  for (const [factor, name] of choices.sort((a, b) => a[0] - b[0])) select.append(new Option(name, factor));
  select.value = String(real ? 1 : whole);
  player.speed = Number(select.value);
  select.addEventListener("change", () => { player.speed = Number(select.value); });
}
function changeSpeed(step) {
  const select = byId("speed"), to = select.selectedIndex + step;
  if (to < 0 || to >= select.options.length) return;
  select.selectedIndex = to;
  select.dispatchEvent(new Event("change"));
}
function zoomBy(factor) {
  if (!player.view) return;
  const box = byId("view").getBoundingClientRect();
  player.view.zoomAt(factor, box.left + box.width / 2, box.top + box.height / 2);
  player.draw();
}
function fitView() { if (player.view) { player.view.reset(); player.draw(); } }
function openView() {
  const canvas = byId("view"), scene = run.scene;
  const drop = (...ids) => ids.forEach((id) => { const node = byId(id); if (node) node.style.display = "none"; });
  if (!scene || !scene.t.length) {
    byId("view").remove();
    document.querySelectorAll("#tools > :not(:first-child)").forEach((node) => { node.style.display = "none"; });
    byId("hint").textContent = "there are no bodies in this recording: only numbers are shown";
    return;
  }
  player.view = scene.space ? new SpaceView(canvas, scene) : new PlaneView(canvas, scene, run);
  if (scene.space && window.CaromStage && CaromStage.isAble()) player.view = new CaromStage.SpaceStage(canvas, scene, player.view, INK);
  byId("hint").textContent = (scene.made ? "The scenario has no shapes: its coordinates and contacts are drawn. " : "") +
    (scene.space ? "Drag turns, shift-drag moves, the wheel zooms." : "Drag moves, the wheel zooms.") + " Keys: press ?";
  if (scene.space) drop("axes_label", "follow_label");
  byId("follow").checked = Boolean(player.view.wanders);
  const forces = scene.space ? player.view.world && scene.parts.some((part) => part.kind === "force") : run.contacts.some((contact) => contact.force_x.some((x) => Number.isFinite(x)));
  if (!forces) drop("forces_label");
  else if (scene.space) byId("hint").textContent += " Red: contact forces; amber: what friction allows (a tip on the rim slips).";
  if (player.view.beads && player.view.beads.length) drop("axes_label", "follow_label", "forces_label", "zooming", "trail_label");
  handle(canvas, (dx, dy, event) => { player.view.drag(dx, dy, event); player.draw(); },
    (factor, x, y) => { player.view.zoomAt(factor, x, y); player.draw(); });
  byId("closer").addEventListener("click", () => zoomBy(1.3));
  byId("farther").addEventListener("click", () => zoomBy(1 / 1.3));
  byId("fit").addEventListener("click", fitView);
  for (const id of ["trail", "forces", "follow", "axes"]) byId(id).addEventListener("change", () => player.draw());
  byId("force_scale").addEventListener("input", () => player.draw());
}
const flip = (id) => { const box = byId(id); if (box && box.offsetParent) box.click(); };
const stride = (event) => (run.until - run.from) / (event.shiftKey ? 20 : 200);
const KEYS = [
  [[" "], "space", "play or pause", () => player.toggle()],
  [["ArrowRight"], "→", "a little ahead; with shift, more", (event) => player.seek(player.t + stride(event))],
  [["ArrowLeft"], "←", "a little back", (event) => player.seek(player.t - stride(event))],
  [["n", "."], "n", "to the next event", () => jump(1)],
  [["p", ","], "p", "to the event before", () => jump(-1)],
  [["Home"], "Home", "to the beginning", () => player.seek(run.from)],
  [["End"], "End", "to the end", () => player.seek(run.until)],
  [["["], "[", "slower", () => changeSpeed(-1)],
  [["]"], "]", "faster", () => changeSpeed(1)],
  [["+", "="], "+", "closer", () => zoomBy(1.3)],
  [["-"], "−", "farther", () => zoomBy(1 / 1.3)],
  [["0"], "0", "see everything", fitView],
  [["f"], "f", "follow what moves", () => flip("follow")],
  [["a"], "a", "axes", () => flip("axes")],
  [["t"], "t", "trail", () => flip("trail")],
  [["/"], "/", "find a quantity", () => byId("search").focus()],
  [["?"], "?", "this list", () => { byId("help").open = true; byId("help").scrollIntoView(); }],
];
document.addEventListener("keydown", (event) => {
  const typing = event.target.type === "search" || event.target.tagName === "SELECT";
  if (typing && event.key === "Escape") event.target.blur();
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const key = KEYS.find(([keys]) => keys.includes(event.key));
  if (!key || (event.target.type === "range" && event.key.startsWith("Arrow"))) return;
  event.preventDefault();
  key[3](event);
});
for (const [, key, meaning] of KEYS) {
  const row = addRow(byId("key_table"), ["", meaning]), box = document.createElement("kbd");
  box.textContent = key;
  row.firstChild.append(box);
}
fillTables();
// an address of a page, never a script
if (/^(https?:\/\/)?[\w.~%\/-]+\.html$/.test(run.lab)) {
  // with what was set for this run: the lab compares
  const bytes = new TextEncoder().encode(JSON.stringify({r: run.scenario})), text = btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(''));
  byId("run_it").href = run.lab + (run.scenario ? "#0" + text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "") : "");
  byId("run_it").hidden = false;
}
openView();
listSpeeds();
listSeries();
chooseSpan();
choosePlots();
byId("play").addEventListener("click", () => player.toggle());
byId("scrub").addEventListener("input", () => { player.toggle(false); player.seek(run.from + byId("scrub").value / 1000 * (run.until - run.from)); });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { theme.read(); for (const plot of plots) plot.paper = null; colourLegend(); player.draw(); });
new ResizeObserver(() => player.draw()).observe(document.querySelector("main"));
