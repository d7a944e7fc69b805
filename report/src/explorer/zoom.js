// Zooming into a large board: buttons, wheel, drag, two fingers, double click. What is seen is the view box of the SVG.

/** Most magnification, and pixels that a pointer may move in a click. */
const MOST_ZOOM = 5;
const CLICK_PIXELS = 6;

/** Makes an SVG zoomable and returns the buttons. Turning the wheel zooms while the board has the focus or with Ctrl, so
 * that a page can still be scrolled over it. */
function zoomable(drawing, [left, top, width, height]) {
  let [x, y, scale] = [left, top, 1];
  const pointers = new Map();
  let dragged = false;
  let begun = [0, 0];
  drawing.classList.add("zoomable");

  const show = () => {
    const [w, h] = [width / scale, height / scale];
    x = Math.min(Math.max(x, left), left + width - w);
    y = Math.min(Math.max(y, top), top + height - h);
    drawing.setAttribute("viewBox", `${x.toFixed(3)} ${y.toFixed(3)} ${w.toFixed(3)} ${h.toFixed(3)}`);
    drawing.classList.toggle("zoomed", scale > 1);
  };
  /** The point of the board under a point of the screen. */
  const under = (clientX, clientY) => {
    const box = drawing.getBoundingClientRect();
    const [across, down] = [(clientX - box.left) / box.width, (clientY - box.top) / box.height];
    return [x + across * width / scale, y + down * height / scale];
  };
  /** Zooms so that a point of the board stays where it is. */
  const zoom = (factor, [px, py] = [x + width / scale / 2, y + height / scale / 2]) => {
    const next = Math.min(Math.max(scale * factor, 1), MOST_ZOOM);
    x = px - (px - x) * scale / next;
    y = py - (py - y) * scale / next;
    scale = next;
    show();
  };

  drawing.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !drawing.contains(document.activeElement)) return;
    event.preventDefault();
    zoom(event.deltaY < 0 ? 1.2 : 1 / 1.2, under(event.clientX, event.clientY));
  }, { passive: false });
  // Two quick clicks may be a move, and a drag may carry a piece.
  drawing.addEventListener("dblclick", (event) => {
    if (!drawing.classList.contains("playable")) zoom(scale < 2 ? 2.4 / scale : 1 / scale, under(event.clientX, event.clientY));
  });
  drawing.addEventListener("pointerdown", (event) => {
    pointers.set(event.pointerId, [event.clientX, event.clientY]);
    begun = [event.clientX, event.clientY];
    dragged = false;
  });
  // The click at the end of a drag is none.
  drawing.addEventListener("click", (event) => dragged && event.stopPropagation(), { capture: true });
  for (const end of ["pointerup", "pointercancel", "pointerleave"]) {
    drawing.addEventListener(end, (event) => pointers.delete(event.pointerId));
  }
  drawing.addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    const moved = Math.hypot(event.clientX - begun[0], event.clientY - begun[1]);
    if (!dragged && pointers.size === 1 && moved < CLICK_PIXELS) return;
    const [bx, by] = under(...before);
    const [ax, ay] = under(event.clientX, event.clientY);
    const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
    pointers.set(event.pointerId, [event.clientX, event.clientY]);
    if (other) {
      const distance = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]);
      zoom(distance([event.clientX, event.clientY], other) / Math.max(distance(before, other), 1), under(...other));
    } else if (scale > 1 && !drawing.classList.contains("carrying")) {
      x += bx - ax;
      y += by - ay;
      dragged = true;
      show();
    }
  });

  show();
  return [
    iconButton("closer", "Zoom in", () => zoom(1.5)),
    iconButton("farther", "Zoom out", () => zoom(1 / 1.5)),
    iconButton("all", "Whole board", () => zoom(0)),
  ];
}

