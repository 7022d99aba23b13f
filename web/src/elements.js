// Small helpers to make elements.

/** @param {string} tag @param {Record<string, any>} [properties] @param {(Node | string | null | undefined)[]} children @returns {any} */
export function make(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name in node && name !== "list") /** @type {any} */ (node)[name] = value;
    else node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined).map((child) => /** @type {Node | string} */ (child)));
  return node;
}
/** @param {string} id @returns {any} */
export const byId = (id) => document.getElementById(id);

/** A choice among names. @param {string[]} names @param {string} chosen @param {(name: string) => void} change @param {string} label */
export function choice(names, chosen, change, label) {
  const select = make("select", {"aria-label": label, onchange: () => change(select.value)}, ...names.map((name) => make("option", {value: name, selected: name === chosen}, name)));
  return select;
}
/** A labelled field. @param {string} label @param {Node} field */
export const field = (label, field) => make("label", {className: "field"}, make("span", {}, label), field);

/** A table of texts and numbers. @param {string[]} head @param {(string | number | Node)[][]} rows */
export function tableOf(head, rows) {
  const cell = (/** @type {string | number | Node} */ value) => make("td", typeof value === "number" ? {className: "number"} : {}, value instanceof Node ? value : typeof value === "number" ? digits(value) : value);
  return make("table", {}, head.length ? make("thead", {}, make("tr", {}, ...head.map((name) => make("th", {}, name)))) : null,
    make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map(cell)))));
}
/** A number for people. @param {number | null | undefined} value */
export function digits(value, count = 7) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  return String(Number(value.toPrecision(count))).replace("-", "−").replace("e+", "e");
}
/** Hands a file to the reader. @param {string} name @param {BlobPart} content @param {string} type */
export function download(name, content, type) {
  const address = URL.createObjectURL(new Blob([content], {type}));
  make("a", {href: address, download: name}).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}
let fading = 0;
/** A short message. @param {string} text */
export function toast(text) {
  const node = byId("toast");
  node.textContent = text;
  node.classList.add("shown");
  clearTimeout(fading);
  fading = window.setTimeout(() => node.classList.remove("shown"), 3500);
}
