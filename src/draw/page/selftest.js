// ---- with #selftest at the end of the address the page tries itself and writes down what it found ----
if (location.hash === "#selftest" || location.hash.startsWith("#at=")) {
  const found = [], say = (ok, what) => found.push((ok ? "ok   " : "FAIL ") + what);
  window.addEventListener("error", (event) => say(false, "error: " + event.message));
  const complain = console.error;
  console.error = (...words) => { say(false, "console: " + words.join(" ")); complain(...words); };
  const pixels = (canvas) => canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.join();
  const hash = (text) => { let h = 0; for (let k = 0; k < text.length; k += 7) h = (h * 31 + text.charCodeAt(k)) | 0; return h; };
  const finish = () => {
    byId("selftest").hidden = false;
    byId("selftest").textContent = found.join("\n") + "\nselftest " + (found.some((line) => line.startsWith("FAIL")) ? "failed" : "passed");
  };
  const scrubTo = (part) => {
    byId("scrub").value = 1000 * part;
    byId("scrub").dispatchEvent(new Event("input"));
  };
  const tryScrubbing = () => {
    const pictures = new Set();
    for (const part of [0.1, 0.35, 0.6, 0.85]) {
      scrubTo(part);
      const t = run.from + part * (run.until - run.from);
      say(Math.abs(player.t - t) < 1e-9 * Math.abs(run.until - run.from) + 1e-12, `scrubbing to ${part} sets the time`);
      for (const plot of plots) {
        const width = plot.canvas.getBoundingClientRect().width, wanted = LEFT + part * (width - LEFT - RIGHT);
        say(Math.abs(plot.cursor - wanted) < 0.5, `cursor of ${plot.series.name} at ${part}`);
        // and it is really painted there: red all along the line
        const c = plot.canvas, ratio = c.width / width, tall = Math.round(0.8 * c.height);
        const data = c.getContext("2d").getImageData(Math.round(wanted * ratio) - 1, 0, 3, tall).data;
        let count = 0;
        for (let k = 0; k < data.length; k += 4) count += data[k] > data[k + 1] + 25 && data[k] > data[k + 2] + 15;
        const red = count > 0.4 * tall;
        say(red, `cursor of ${plot.series.name} is painted`);
      }
      if (player.view) pictures.add(hash(pixels(byId("view"))));
    }
    if (player.view) say(pictures.size > 1, `the animation shows ${pictures.size} different pictures`);
  };
  const tryZoom = () => {
    if (!player.view) return;
    const before = hash(pixels(byId("view")));
    byId("closer").click();
    say(hash(pixels(byId("view"))) !== before, "zooming changes the picture");
    byId("fit").click();
    say(hash(pixels(byId("view"))) === before, "fit brings it back");
  };
  const tryEvents = () => {
    if (!run.events.length) return;
    const event = run.events[Math.floor(run.events.length / 2)];
    event.row.click();
    say(Math.abs(player.t - event[0]) < 1e-9 * (1 + Math.abs(event[0])), "a click on an event goes there");
  };
  if (location.hash.startsWith("#at=")) {
    player.seek(run.from + Number(location.hash.slice(4)) * (run.until - run.from));
  } else {
    say(plots.length > 0, `${plots.length} time histories`);
    tryScrubbing();
    tryZoom();
    tryEvents();
    player.seek(run.from);
    byId("play").click();
    // a busy machine may take its time until the first pictures
    const look = (left) => setTimeout(() => {
      if (player.t === run.from && left > 0) { look(left - 1); return; }
      say(player.t > run.from, `it plays: t = ${player.t}`);
      player.toggle(false);
      finish();
    }, 400);
    look(20);
  }
}
