// ---- certificate, observables, events ----
function addRow(table, cells, head) {
  const row = document.createElement("tr");
  for (const cell of cells) {
    const box = document.createElement(head ? "th" : "td");
    const number = typeof cell === "number" || cell === null;
    box.textContent = number ? shown(cell, 9) : cell;
    if (number) box.className = "number";
    row.append(box);
  }
  table.append(row);
  return row;
}
const LEDGER = [["kinetic_start", "kinetic at start", 1], ["potential_start", "potential at start", 1], ["work_drives", "work of drives", 1], ["work_forces", "work of forces", 1],
  ["work_events", "work of events", 1], ["lost_dampers", "taken by dampers", -1], ["lost_friction", "taken by friction", -1], ["lost_impacts", "taken by impacts", -1]];
const OUTCOME = [["kinetic", "kinetic at end"], ["potential", "potential at end"]];
function addBar(name, value, most, kind) {
  const bar = document.createElement("div"), label = document.createElement("span"), box = document.createElement("i"), number = document.createElement("span"), b = document.createElement("b");
  bar.className = `bar ${kind}`;
  label.textContent = name;
  if (Math.abs(value) < 1e-14 * most) value = 0; // rounding
  number.textContent = withUnit(kind === "sum" ? shown(value) : signed(value, 6), run.unit.energy);
  b.style.width = `${50 * Math.abs(value) / most}%`;
  b.style[value < 0 ? "right" : "left"] = "50%";
  box.append(b); bar.append(label, box, number);
  byId("ledger").append(bar);
}
// where the energy came from (+), where it went (−), and what is there at the end
function fillLedger(c) {
  if (!c.has_energy) return;
  const entries = LEDGER.filter(([key]) => c[key]).map(([key, name, sign]) => [name, sign * c[key]]), kinds = LEDGER.map(([key]) => key);
  // what every field did to the body is told beside
  const works = Object.keys(c).filter((key) => /^work[._]/.test(key) && !kinds.includes(key) && c[key]);
  const most = Math.max(1e-300, ...entries.map(([, value]) => Math.abs(value)), ...OUTCOME.map(([key]) => Math.abs(c[key] || 0)));
  for (const [name, value] of entries) addBar(name, value, most, value < 0 ? "loss" : "gain");
  for (const [key, name] of OUTCOME) addBar("= " + name, c[key] || 0, most, "sum");
  for (const key of works) addBar(`work of ${key.slice(5)}`, c[key], Math.max(most, Math.abs(c[key])), c[key] < 0 ? "loss" : "gain");
}
// the verdict in one sentence with three numbers
function tellVerdict(c) {
  const verdict = byId("verdict"), word = document.createElement("b"), parts = [];
  if (c.has_energy && c.residual_relative !== null) parts.push(`${shown(Math.abs(c.residual_relative), 2)} of the energy is unaccounted for (allowed: ${shown(c.tolerance, 2)})`);
  parts.push(`constraints are off by ${withUnit(shown(c.constraint_error || 0, 2), run.unit.length)} at most`);
  parts.push(`bodies overlap by ${withUnit(shown(c.penetration || 0, 2), run.unit.length)} at most`);
  word.textContent = c.passed ? "Passed" : c.passed === undefined ? "Missing" : "NOT PASSED";
  verdict.className = c.passed ? "good" : "bad";
  verdict.append(word, c.passed === undefined ? ": the run was not finished." : `: ${parts.join(", ")}.`);
  if (c.passed) return;
  byId("alarm").hidden = false;
  byId("alarm").textContent = c.passed === undefined ? "The run was not finished: there is no certificate." : "The certificate of this run did NOT pass: its results break their tolerances. See the certificate below.";
}
function fillTables() {
  byId("title").textContent = document.title = run.title || "Carom";
  const whole = run.whole, part = run.from > whole[0] + 1e-9 * (whole[1] - whole[0]) || run.until < whole[1] - 1e-9 * (whole[1] - whole[0]);
  byId("subtitle").textContent = `engine ${run.engine} · ${run.outcome} · ` + withUnit(`t = ${shown(run.from)} to ${shown(run.until)}`, run.unit.time) +
    (part ? ` of ${shown(whole[0])} to ${shown(whole[1])}` : "");
  const c = run.certificate, told = [...LEDGER, ...OUTCOME].map(([key]) => key);
  tellVerdict(c);
  fillLedger(c);
  for (const [name, value] of Object.entries(c))
    if (!told.includes(name) && name !== "has_energy" && value !== null) addRow(byId("certificate_table"), [name.replaceAll("_", " "), value]);
  for (const [name, value] of Object.entries(run.observables)) addRow(byId("observable_table"), [name, value]);
  if (!Object.keys(run.observables).length) addRow(byId("observable_table"), ["the scenario observes nothing"]);
  for (const [name, value] of Object.entries(run.provenance)) addRow(byId("provenance_table"), [name, value]);
  byId("scenario").textContent = run.scenario;
  fillEvents();
}
// one entry an instant: what happened there, to whom, with what impulse, and what it did to the energy
function gatherInstants() {
  const instants = [];
  for (const [t, kind, name, , value, before, after] of run.events) {
    let last = instants[instants.length - 1];
    // a section at an impact may be located some last digits away
    if (!last || Math.abs(t - last.t) > 1e-11 * (1 + Math.abs(t))) { last = {t, kinds: new Map(), impulses: [], before}; instants.push(last); }
    if (!last.kinds.has(kind)) last.kinds.set(kind, []);
    if (name && !last.kinds.get(kind).includes(name)) last.kinds.get(kind).push(name);
    if (kind === "impact" && value) last.impulses.push(value);
    last.after = after;
  }
  // less than rounding is nothing
  for (const i of instants) i.change = Math.abs(i.after - i.before) > 1e-13 * (Math.abs(i.after) + Math.abs(i.before)) ? i.after - i.before : 0;
  return instants;
}
function fillEvents() {
  const table = byId("event_table"), head = document.createElement("thead"), body = document.createElement("tbody"), search = byId("event_search");
  run.instants = gatherInstants();
  addRow(head, [withUnit("t", run.unit.time && `[${run.unit.time}]`), "what happened", withUnit("impulse", run.unit.force && "[N s]"), withUnit("energy change", run.unit.energy && `[${run.unit.energy}]`)], true);
  for (const instant of run.instants) {
    instant.text = [...instant.kinds].map(([kind, names]) => `${kind} ${names.join(", ")}`).join("; ");
    const row = addRow(body, [instant.t, instant.text, instant.impulses.map((p) => shown(p, 5)).join(", "), instant.change ? signed(instant.change, 5) : ""]);
    for (const cell of [2, 3]) row.children[cell].className = "number";
    row.addEventListener("click", () => player.seek(instant.t));
    instant.row = row;
  }
  table.append(head, body);
  const more = run.event_total > run.events.length ? ` (the first ${run.events.length} of ${run.event_total} are listed)` : "";
  byId("event_count").textContent = `${run.event_total} at ${run.instants.length} instants${more}`;
  if (!run.instants.length) search.hidden = true;
  search.addEventListener("input", () => {
    for (const instant of run.instants) instant.row.hidden = !instant.text.toLowerCase().includes(search.value.trim().toLowerCase());
  });
}
// the instant at or before t, by number; -1: none
function instantAt(t) {
  let low = -1;
  for (let k = 0, high = run.instants.length; k < high;) {
    const middle = (k + high) >> 1;
    if (run.instants[middle].t <= t + 1e-12) { low = middle; k = middle + 1; } else high = middle;
  }
  return low;
}
// to the next instant that is listed, or to the one before
function jump(step) {
  let k = instantAt(player.t);
  if (step < 0 && k >= 0 && run.instants[k].t >= player.t - 1e-12) k--;
  if (step > 0) k++;
  while (run.instants[k] && run.instants[k].row.hidden) k += step;
  if (run.instants[k]) player.seek(run.instants[k].t);
}
let marked = null;
function markEvent(t) {
  const instant = run.instants[instantAt(t)] || null;
  if (instant === marked) return;
  if (marked) marked.row.className = "";
  marked = instant;
  if (!instant) return;
  instant.row.className = "now";
  const box = byId("event_box");
  box.scrollTop = instant.row.offsetTop - box.clientHeight / 2;
}
