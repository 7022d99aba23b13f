// The first script of the page: unpacks the simulator and the program of the page, which is put in as a script of its own. The
// content-security-policy knows both scripts by their hashes.

/** What is packed in an element (gzip, base64). @param {string} id */
async function unpack(id) {
  const node = /** @type {HTMLElement} */ (document.getElementById(id)), raw = atob(node.textContent ?? ""), bytes = new Uint8Array(raw.length);
  for (let k = 0; k < raw.length; k++) bytes[k] = raw.charCodeAt(k);
  node.remove();
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")));
}
async function load() {
  const text = await (await unpack("program")).text();
  // the workers compile beside the page's own script
  /** @type {any} */ (window).compiled = unpack("simulator").then(async (packed) => WebAssembly.compile(await packed.arrayBuffer()));
  const script = document.createElement("script");
  script.textContent = text;
  document.body.append(script);
}
load().catch((error) => {
  const trouble = /** @type {HTMLElement} */ (document.getElementById("trouble"));
  trouble.hidden = false;
  trouble.textContent = `the lab cannot start: ${error.message}`;
});
