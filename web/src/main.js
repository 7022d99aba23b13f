// The page: starts the simulator, holds the tabs together, says what the command line would be.
import {writeAddress, readAddress} from "./address.js";
import {Basin, Bifurcation, Branch, Convergence, Lyapunov, Orbit, Sweep} from "./analyses.js";
import {readColours} from "./colours.js";
import {Controls} from "./controls.js";
import {recordingOf} from "./recording.js";
import {byId, choice, download, make, toast} from "./elements.js";
import {Lab} from "./lab.js";
import {EquationsTab} from "./tab_equations.js";
import {MotionTab} from "./tab_motion.js";
import {ScenarioTab} from "./tab_scenario.js";

/** A word as a shell wants it. @param {string} word */
const quoted = (word) => (/^[\w./:=,+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

async function start() {
  readColours();
  const scenario = JSON.parse(byId("scenario").textContent);
  const lab = new Lab(await /** @type {any} */ (window).compiled, scenario);
  const tabs = [new MotionTab(lab), new ScenarioTab(lab), new EquationsTab(lab), new Sweep(lab), new Bifurcation(lab), new Basin(lab), new Orbit(lab), new Branch(lab), new Lyapunov(lab), new Convergence(lab)];
  new Controls(byId("controls"), lab);
  let current = /** @type {any} */ (tabs[0]);

  // ---- tabs ----
  const buttons = tabs.map((tab, k) => make("button", {role: "tab", id: "tab_" + k, "aria-controls": "room", onclick: () => open(tab)}, tab.name));
  byId("tabs").append(...buttons);
  byId("tabs").addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    const by = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (!by) return;
    const next = (tabs.indexOf(current) + by + tabs.length) % tabs.length;
    open(tabs[next]);
    buttons[next].focus();
  });
  function open(/** @type {any} */ tab) {
    current = tab;
    buttons.forEach((button, k) => { button.setAttribute("aria-selected", String(tabs[k] === tab)); button.tabIndex = tabs[k] === tab ? 0 : -1; });
    buttons[tabs.indexOf(tab)].scrollIntoView({block: "nearest", inline: "nearest"});
    byId("room").replaceChildren(tab.node);
    byId("after").replaceChildren();
    byId("room").setAttribute("aria-labelledby", "tab_" + tabs.indexOf(tab));
    if (lab.about && !lab.unread) tab.shown();
    tellCommand();
    keepAddress();
  }

  // ---- head: what is computed, whether it can be trusted, what it is ----
  function tellState() {
    const m = lab.motion, summary = m?.summary, about = lab.about;
    if (about) { byId("title").textContent = about.title || lab.name; document.title = `${about.title || lab.name} – Carom lab`; }
    byId("trouble").hidden = !lab.trouble;
    byId("trouble").textContent = lab.trouble ? (lab.trouble.line ? `${lab.trouble.file || lab.name}, line ${lab.trouble.line}: ` : "") + lab.trouble.text : "";
    byId("room").classList.toggle("old", Boolean(lab.trouble));
    if (!m || !about) return;
    const part = (m.reached - about.start) / (m.layout.until - about.start || 1);
    byId("subtitle").textContent = lab.busy ? `computing: t = ${m.reached.toPrecision(4)} of ${m.layout.until.toPrecision(4)} (${(100 * part).toFixed(0)} %)` : summary ? `${summary.certificate.steps} steps, ${summary.certificate.events} events in ${lab.took.toFixed(0)} ms` : "stopped";
    const passed = summary?.certificate.passed;
    byId("verdicts").replaceChildren(...(summary && !lab.busy ? [make("span", {className: passed ? "chip good" : "chip bad", title: "energy ledger, penetration, friction cones: the run's own check"}, passed ? "✓ certificate" : "✗ certificate"),
      make("code", {className: "chip", title: "digest of all samples and events: the command line gives the same"}, summary.digest)] : []));
  }
  function tellCommand() {
    const edited = lab.text !== lab.original.files[lab.name], {command, digest, fingerprint} = current;
    const line = [...(command ?? ["carom", "run", lab.name, ...lab.changes(), "--digest"]), ...(digest || fingerprint ? ["--json"] : [])].map(quoted).join(" ") + (fingerprint ? " | sha256sum | cut -c1-16" : "");
    const shown = command ? digest || fingerprint : lab.motion?.summary?.digest;
    byId("command_body").replaceChildren(make("pre", {}, line), make("p", {className: "soft"}, edited ? `The text was changed here: save it as ${lab.name} first. ` : "", shown ? `Digest here: ${shown}; the command line shows the same, in the folder of the file.` : ""),
      make("button", {onclick: () => copy(line, "command copied")}, "Copy"));
  }
  let addressLater = 0;
  function keepAddress() {
    clearTimeout(addressLater);
    addressLater = window.setTimeout(async () => {
      const hash = await writeAddress(lab, current);
      own = hash;
      history.replaceState(null, "", hash || location.href.split("#")[0]);
    }, 400);
  }
  let own = "";
  async function copy(/** @type {string} */ text, /** @type {string} */ said) {
    try { await navigator.clipboard.writeText(text); toast(said); } catch {
      const area = make("textarea", {value: text});
      document.body.append(area);
      area.select();
      toast(document.execCommand("copy") ? said : "the browser does not let the page copy");
      area.remove();
    }
  }

  // ---- share and save ----
  byId("share").addEventListener("click", async () => {
    const hash = await writeAddress(lab, current);
    own = hash;
    history.replaceState(null, "", hash || location.href.split("#")[0]);
    await copy(location.href, "address copied: it opens the lab as you see it");
  });
  const saves = make("div", {id: "saves", role: "menu", hidden: true},
    make("button", {role: "menuitem", onclick: () => download(lab.name, lab.text, "text/yaml")}, "scenario (YAML)"),
    make("button", {role: "menuitem", onclick: () => download(lab.name.replace(/\.yaml$/, "") + ".csv", table(), "text/csv")}, "table (CSV)"),
    make("button", {role: "menuitem", onclick: () => lab.motion && download(lab.name.replace(/\.yaml$/, "") + ".h5", recordingOf(lab, lab.motion), "application/x-hdf5")}, "recording (HDF5)"),
    make("button", {role: "menuitem", onclick: () => savePictures("svg")}, "pictures (SVG)"),
    make("button", {role: "menuitem", onclick: () => savePictures("png")}, "pictures (PNG)"),
    make("button", {role: "menuitem", onclick: () => print()}, "print"));
  byId("actions").append(saves);
  const openSaves = (/** @type {boolean} */ open) => { saves.hidden = !open; byId("save").setAttribute("aria-expanded", String(open)); };
  byId("save").addEventListener("click", (/** @type {Event} */ event) => { openSaves(saves.hidden); event.stopPropagation(); if (!saves.hidden) saves.querySelector("button")?.focus(); });
  saves.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    const items = [...saves.children], by = {ArrowDown: 1, ArrowUp: -1}[event.key];
    if (by) /** @type {any} */ (items[(items.indexOf(document.activeElement) + by + items.length) % items.length]).focus();
    else if (event.key === "Escape") { openSaves(false); byId("save").focus(); } else return;
    event.preventDefault();
  });
  document.addEventListener("click", () => openSaves(false));
  function table() {
    const of = current.table?.() ?? motionTable(), text = (/** @type {any} */ v) => (typeof v === "number" ? String(v) : /[",\n]/.test(String(v ?? "")) ? `"${String(v).replaceAll('"', '""')}"` : String(v ?? ""));
    return [of.columns, ...of.rows].map((row) => row.map(text).join(",")).join("\n") + "\n";
  }
  function motionTable() {
    const m = lab.motion;
    if (!m) return {columns: [], rows: []};
    const columns = m.columns.map((c) => c.view());
    return {columns: ["t", ...m.names], rows: Array.from(m.t, (t, k) => [t, ...columns.map((c) => c[k])])};
  }
  function savePictures(/** @type {string} */ type) {
    const stem = lab.name.replace(/\.yaml$/, "");
    for (const {name, chart} of current.pictures?.() ?? []) {
      if (chart.canvas.hidden) continue;
      const file = `${stem}-${name.replace(/[^\w.]+/g, "_")}.${type}`;
      if (type === "svg") download(file, chart.svg(), "image/svg+xml");
      else chart.canvas.toBlob((/** @type {Blob} */ blob) => download(file, blob, "image/png"));
    }
  }

  // ---- light and dark, keys ----
  const repaint = () => { readColours(); tabs.forEach((tab) => { if (tab.node.isConnected && lab.about) tab.shown(); }); };
  byId("theme").addEventListener("click", () => {
    const dark = getComputedStyle(document.documentElement).getPropertyValue("--dark").trim() === "1";
    document.documentElement.dataset.theme = dark ? "light" : "dark";
    repaint();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
  addEventListener("beforeprint", () => { document.documentElement.dataset.print = "1"; repaint(); });
  addEventListener("afterprint", () => { delete document.documentElement.dataset.print; repaint(); });
  document.addEventListener("keydown", (event) => {
    const motion = /** @type {MotionTab} */ (tabs[0]);
    if (event.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT|BUTTON|SUMMARY)$/.test(event.target.tagName)) return;
    const m = lab.motion, step = m ? (m.until - m.from) / 300 : 0;
    if (event.key === " ") { event.preventDefault(); motion.toggle(); motion.draw(); }
    if (event.key === "ArrowRight") { motion.toggle(false); motion.seek(motion.t + step); }
    if (event.key === "ArrowLeft") { motion.toggle(false); motion.seek(motion.t - step); }
  });

  for (const what of /** @type {const} */ (["asked", "about", "motion", "rows", "ended", "trouble"])) lab.on(what, tellState);
  lab.on("changed", () => { tellCommand(); keepAddress(); });
  lab.on("ended", tellCommand);
  lab.on("about", () => { if (current !== tabs[0]) current.shown(); });
  async function followAddress(/** @type {string} */ hash) {
    clearTimeout(addressLater);
    const wanted = await readAddress(lab, hash);
    const tab = /** @type {any} */ (tabs.find((it) => (wanted.command ? it.commands.includes(wanted.command) : it.name === wanted.tab)) ?? tabs[0]);
    tab.want?.(wanted.words, wanted.start);
    open(tab);
    lab.tell("changed");
    lab.run();
  }
  window.addEventListener("hashchange", (event) => {
    const {hash} = new URL(event.newURL);
    if (hash !== own) void followAddress(hash);
  });
  if (lab.scenarios.length > 1) {
    const others = choice(lab.scenarios, lab.name, (name) => { lab.choose(name); lab.tell("changed"); lab.run(); }, "scenario");
    byId("actions").prepend(others);
    lab.on("changed", () => { others.value = lab.name; });
  }
  byId("made").textContent = "Made with Carom: the simulator runs in this page; nothing is sent anywhere.";
  await followAddress(location.hash);
  /** @type {any} */ (window).lab = lab; // for tests
  /** @type {any} */ (window).tabs = tabs;
}

start().catch((error) => { byId("trouble").hidden = false; byId("trouble").textContent = `the lab cannot start: ${error.message}`; });
