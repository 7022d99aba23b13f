// ---- canvases that are sharp on every screen ----
function sharpen(canvas) {
  const ratio = window.devicePixelRatio || 1, box = canvas.getBoundingClientRect();
  const width = Math.max(1, Math.round(box.width * ratio)), height = Math.max(1, Math.round(box.height * ratio));
  if (canvas.width !== width || canvas.height !== height) { canvas.width = width; canvas.height = height; }
  const context = canvas.getContext("2d", {willReadFrequently: location.hash === "#selftest"});
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return {context, width: box.width, height: box.height};
}
// the largest round number that is not above a size: 1, 2 or 5 times a power of ten
function roundBelow(size) {
  const ten = 10 ** Math.floor(Math.log10(size) + 1e-9);
  return ten * [5, 2, 1].find((factor) => factor * ten <= size * (1 + 1e-9) || factor === 1);
}
// few round numbers between low and high
function roundSteps(low, high, most) {
  const span = high - low;
  // numbers that do not differ in a dozen digits have no steps between them
  if (!(span > 1e-12 * Math.max(Math.abs(low), Math.abs(high))) || !Number.isFinite(span)) return [low];
  let step = 10 ** Math.floor(Math.log10(span / most));
  for (const factor of [1, 2, 5, 10, 20]) if (span / (step * factor) <= most) { step *= factor; break; }
  const steps = [];
  for (let k = Math.ceil(low / step); k * step <= high + 1e-9 * span; k++) steps.push(k * step);
  return steps;
}
// dragging and zooming of a canvas: calls drag(dx, dy, event) and zoom(factor, x, y)
function handle(canvas, drag, zoom) {
  const pointers = new Map();
  let apart = 0;
  canvas.addEventListener("pointerdown", (event) => {
    pointers.set(event.pointerId, event);
    try { canvas.setPointerCapture(event.pointerId); } catch (_) { /* a made-up pointer */ }
    apart = 0;
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    pointers.set(event.pointerId, event);
    if (pointers.size === 1) {
      drag(event.clientX - before.clientX, event.clientY - before.clientY, event);
    } else {
      const [a, b] = [...pointers.values()], now = Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
      if (apart > 0 && now > 0) zoom(now / apart, (a.clientX + b.clientX) / 2, (a.clientY + b.clientY) / 2);
      apart = now;
    }
  });
  for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, (event) => pointers.delete(event.pointerId));
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(Math.exp(-event.deltaY * 0.0015), event.clientX, event.clientY);
  }, {passive: false});
}
// text that can be read over whatever lies below
function halo(c, text, x, y) {
  const fill = c.fillStyle;
  c.strokeStyle = INK.paper; c.globalAlpha = 0.85; c.lineWidth = 4; c.lineJoin = "round";
  c.strokeText(text, x, y);
  c.globalAlpha = 1; c.fillStyle = fill;
  c.fillText(text, x, y);
}
