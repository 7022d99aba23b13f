// ---- canvases that are sharp on every screen ----
function sharpen(canvas) {
  const ratio = window.devicePixelRatio || 1, box = canvas.getBoundingClientRect();
  const width = Math.max(1, Math.round(box.width * ratio)), height = Math.max(1, Math.round(box.height * ratio));
  if (canvas.width !== width || canvas.height !== height) { canvas.width = width; canvas.height = height; }
  const context = canvas.getContext("2d", {willReadFrequently: location.hash === "#selftest"});
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return {context, width: box.width, height: box.height};
}
// few round numbers between low and high
function roundSteps(low, high, most) {
  const span = high - low;
  if (!(span > 0)) return [low];
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
