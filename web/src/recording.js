// The motion as a file in the layout of docs/recording.md: what the page knows of it, at the samples that it shows.
import {group, hdf5} from "./hdf5.js";
import {CONTACT, KINDS} from "./motion.js";

const ENERGIES = ["kinetic", "potential", "work_drives", "work_forces", "work_events", "lost_dampers", "lost_friction", "lost_impacts", "residual"];

/** @param {any} told numbers and flags by their names, in maps of maps @param {string} [before] @returns {[string, number][]} */
function numbersOf(told, before = "") {
  return Object.entries(told ?? {}).flatMap(([name, value]) => (typeof value === "number" ? [[before + name, value]] : typeof value === "boolean" ? [[before + name, Number(value)]] : value && typeof value === "object" ? numbersOf(value, before + name + ".") : []));
}

/** @param {import("./lab.js").Lab} lab @param {import("./motion.js").Motion} motion */
export function recordingOf(lab, motion) {
  const changes = lab.changes(), {events, summary} = motion;
  const root = group({scenario: (changes.length ? `# run with ${changes.join(" ")}\n` : "") + lab.text});
  root.attributes = {format: "carom recording", format_version: 1, title: motion.about.title ?? lab.name, engine: motion.about.engine ?? "hybrid", outcome: summary ? "complete" : "interrupted"};
  root.groups.series = group(Object.fromEntries([["t", motion.t], ...motion.names.map((name, k) => [name, motion.columns[k].view()])]));
  root.groups.series.attributes = {columns: motion.names.join(",")};
  const column = (/** @type {(event: any) => number} */ of) => Float64Array.from(events, of);
  root.groups.events = group({t: column((e) => e.t), kind: events.map((e) => (KINDS[e.kind] ?? "").toLowerCase()), name: events.map((e) => e.name),
    direction: column((e) => e.direction), value: column((e) => e.value), tangential: column((e) => e.tangential), energy_change: column((e) => e.change)});
  root.groups.contacts = group();
  motion.contactNames.forEach((/** @type {string} */ name, /** @type {number} */ c) => {
    const [mode, ...others] = motion.contactNumbers[c];
    root.groups.contacts.groups[name] = group({mode: Array.from(mode.view(), (letter) => String.fromCharCode(letter)), ...Object.fromEntries(others.map((numbers, k) => [CONTACT[k + 1], numbers.view()]))});
  });
  root.groups.energy = group(Object.fromEntries(ENERGIES.map((name, k) => [name, motion.ledgers[k].view()])));
  root.groups.observables = group(Object.fromEntries(Object.entries(summary?.observables ?? {}).map(([name, value]) => [name, value === null ? NaN : Number(value)])));
  root.groups.certificate = group(Object.fromEntries(numbersOf(summary?.certificate)));
  root.groups.provenance = group({program: "Carom lab", digest: summary?.digest ?? ""});
  return hdf5(root);
}
