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
function fillTables() {
  byId("title").textContent = document.title = run.title || "Carom";
  const whole = run.whole, part = run.from > whole[0] + 1e-9 * (whole[1] - whole[0]) || run.until < whole[1] - 1e-9 * (whole[1] - whole[0]);
  byId("subtitle").textContent = `engine ${run.engine} · ${run.outcome} · t = ${shown(run.from)} to ${shown(run.until)}` +
    (part ? ` of ${shown(whole[0])} to ${shown(whole[1])}` : "");
  const c = run.certificate;
  byId("verdict").textContent = c.passed ? "passed" : c.passed === undefined ? "(missing: the run was not finished)" : "NOT PASSED";
  byId("verdict").className = c.passed ? "good" : "bad";
  const names = [["kinetic_start", "kinetic at start"], ["potential_start", "potential at start"], ["work_drives", "work of drives"], ["work_forces", "work of forces"],
    ["work_events", "work of events"], ["kinetic", "kinetic at end"], ["potential", "potential at end"], ["lost_dampers", "taken by dampers", 1],
    ["lost_friction", "taken by friction", 1], ["lost_impacts", "taken by impacts", 1]];
  // what every field did to the body
  const kinds = names.map(([key]) => key);
  for (const key of Object.keys(c))
    if (/^work[._]/.test(key) && !kinds.includes(key)) names.push([key, `work of ${key.slice(5)}`, c[key] < 0]);
  const most = Math.max(1e-300, ...names.map(([key]) => Math.abs(c[key] || 0)));
  for (const [key, name, loss] of names) {
    if (!c[key]) continue;
    const bar = document.createElement("div"), label = document.createElement("span"), box = document.createElement("span"), value = document.createElement("span"), b = document.createElement("b");
    bar.className = loss ? "bar loss" : "bar";
    label.textContent = name; value.textContent = shown(c[key]);
    b.style.width = `${100 * Math.abs(c[key]) / most}%`;
    box.append(b); bar.append(label, box, value);
    byId("ledger").append(bar);
  }
  for (const [name, value] of Object.entries(c))
    if (!names.some(([key]) => key === name) && name !== "has_energy" && value !== null) addRow(byId("certificate_table"), [name.replaceAll("_", " "), value]);
  for (const [name, value] of Object.entries(run.observables)) addRow(byId("observable_table"), [name, value]);
  if (!Object.keys(run.observables).length) addRow(byId("observable_table"), ["the scenario observes nothing"]);
  for (const [name, value] of Object.entries(run.provenance)) addRow(byId("provenance_table"), [name, value]);
  byId("scenario").textContent = run.scenario;
  fillEvents();
}
function fillEvents() {
  const table = byId("event_table"), head = document.createElement("thead"), body = document.createElement("tbody");
  addRow(head, ["t", "what", "where", "value", "energy change"], true);
  for (const event of run.events) {
    const row = addRow(body, [event[0], event[1], event[2], event[4] || "", event[5] || ""]);
    row.addEventListener("click", () => player.seek(event[0]));
    event.row = row;
  }
  table.append(head, body);
  byId("event_count").textContent = run.event_total > run.events.length ? `${run.events.length} of ${run.event_total}` : `${run.event_total}`;
}
let marked = null;
function markEvent(t) {
  let low = -1;
  for (let k = 0, high = run.events.length; k < high;) {
    const middle = (k + high) >> 1;
    if (run.events[middle][0] <= t + 1e-12) { low = middle; k = middle + 1; } else high = middle;
  }
  const event = low >= 0 ? run.events[low] : null;
  if (event === marked) return;
  if (marked) marked.row.className = "";
  marked = event;
  if (!event) return;
  event.row.className = "now";
  const box = byId("event_box");
  box.scrollTop = event.row.offsetTop - box.clientHeight / 2;
}
