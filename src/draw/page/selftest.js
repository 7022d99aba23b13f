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
  say([roundSteps(1, 1 + 4e-16, 5), roundSteps(0, Infinity, 5), roundSteps(3, 3, 5)].every((steps) => steps.length === 1), "numbers that hardly differ have no steps between them");
  const tryScrubbing = () => {
    const pictures = new Set();
    for (const part of [0.1234, 0.3571, 0.6133, 0.8517]) {
      scrubTo(part);
      const t = run.from + part * (run.until - run.from);
      say(Math.abs(player.t - t) < 1e-9 * Math.abs(run.until - run.from) + 1e-12, `scrubbing to ${part} sets the time`);
      for (const plot of plots) {
        const width = plot.canvas.getBoundingClientRect().width, wanted = LEFT + (t - span.from) / (span.until - span.from) * (width - LEFT - RIGHT);
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
  const zooms = () => player.view && !(player.view.beads && player.view.beads.length);
  const tryZoom = () => {
    if (!zooms()) return;
    const before = hash(pixels(byId("view")));
    byId("closer").click();
    say(hash(pixels(byId("view"))) !== before, "zooming changes the picture");
    byId("fit").click();
    say(hash(pixels(byId("view"))) === before, "fit brings it back");
  };
  const near = (a, b) => Math.abs(a - b) < 1e-9 * (1 + Math.abs(b));
  const press = (key, more = {}) => document.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true, ...more}));
  const type = (box, text) => { box.value = text; box.dispatchEvent(new Event("input")); };
  // one entry an instant; a click goes there; n and p go from one to the next and back
  const tryEvents = () => {
    if (!run.instants.length) return;
    const times = run.instants.map((instant) => instant.t), middle = run.instants[times.length >> 1];
    say(times.every((t, k) => !k || t > times[k - 1]), "one entry an instant");
    middle.row.click();
    say(near(player.t, middle.t), "a click on an event goes there");
    say(document.querySelectorAll("#event_table tr.now").length === 1 && middle.row.className === "now", "and marks it");
    player.seek(run.from);
    const ahead = times.filter((t) => t > run.from + 1e-12);
    if (ahead.length < 2) return;
    press("n"); say(near(player.t, ahead[0]), "n goes to the next event");
    press("n"); press("p"); say(near(player.t, ahead[0]), "p goes back to the one before");
    type(byId("event_search"), "no such event"); say(run.instants.every((instant) => instant.row.hidden), "events that are not looked for are hidden");
    type(byId("event_search"), ""); say(run.instants.every((instant) => !instant.row.hidden), "and come back");
  };
  const tryKeys = () => {
    player.seek(run.from);
    press("ArrowRight"); say(near(player.t, run.from + (run.until - run.from) / 200), "→ goes ahead");
    press("ArrowLeft"); say(near(player.t, run.from), "← goes back");
    press("End"); say(player.t === run.until, "End goes to the end");
    press("Home"); say(player.t === run.from, "Home goes to the beginning");
    const speed = player.speed;
    press("["); press("]"); say(player.speed === speed, "[ and ] change the speed and back");
    press(" "); say(player.playing, "space plays"); press(" "); say(!player.playing, "space pauses");
    if (!zooms()) return;
    const before = hash(pixels(byId("view")));
    press("+"); say(hash(pixels(byId("view"))) !== before, "+ comes closer"); press("0"); say(hash(pixels(byId("view"))) === before, "0 sees everything");
    if (byId("follow").offsetParent) {
      const followed = checked("follow");
      press("f"); say(checked("follow") !== followed, "f follows, or stops to"); press("f");
      press("a"); say(hash(pixels(byId("view"))) !== before, "a draws axes"); press("a");
    }
  };
  // every quantity can be found and shown
  const trySearch = () => {
    const last = run.series[run.series.length - 1], had = plots.length, was = last.shown;
    press("/"); say(document.activeElement === byId("search"), "/ goes to the search box");
    type(byId("search"), last.name);
    say(!last.label.hidden && run.series.every((s) => s.label.hidden || s.name.includes(last.name)), `${last.name} is found`);
    last.label.firstChild.click();
    say(plots.length === had + (was ? -1 : 1), "and shown");
    last.label.firstChild.click();
    type(byId("search"), ""); say(run.series.every((s) => !s.label.hidden), "an empty search shows all names");
    byId("search").blur();
  };
  const tryCertificate = () => {
    const passed = run.certificate.passed;
    say(byId("alarm").hidden === Boolean(passed), "the alarm shows what did not pass, and nothing else");
    say(byId("verdict").textContent.startsWith(passed ? "Passed: " : passed === undefined ? "Missing" : "NOT PASSED"), "the verdict is a sentence");
    say(player.t === run.from && !player.playing, "it starts at the beginning");
  };
  if (location.hash.startsWith("#at=")) {
    player.seek(run.from + Number(location.hash.slice(4)) * (run.until - run.from));
  } else {
    tryCertificate();
    say(plots.length > 0, `${plots.length} time histories`);
    tryScrubbing();
    tryZoom();
    tryEvents();
    tryKeys();
    trySearch();
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
