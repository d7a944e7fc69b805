// The boards without pieces. Units are squares; the square of file f and rank r has its centre at (f + ½, ranks − r − ½).

function lineOf(x1, y1, x2, y2, kind = "") {
  return svg("line", { x1, y1, x2, y2, class: kind });
}

/** The lines of a board. Each half is the other one turned round; only the river's texts change places in a turned board. */
function grid({ variant, files, ranks, marked }, flipped = false) {
  const look = lookOf(variant);
  const group = svg("g", { class: "grid" });
  const river = flipped ? look.river?.toReversed() : look.river;
  group.append(svg("rect", { class: "wood", x: 0, y: 0, width: files, height: ranks, rx: 0.12 }));
  // On points the outer lines are half a square inside.
  const inset = look.points ? 0.5 : 0;
  const [right, bottom] = [files - inset, ranks - inset];
  for (let x = inset + 1; x < right; x++) {
    if (look.river) group.append(lineOf(x, inset, x, ranks / 2 - 0.5), lineOf(x, ranks / 2 + 0.5, x, bottom));
    else group.append(lineOf(x, inset, x, bottom));
  }
  for (let y = inset + 1; y < bottom; y++) group.append(lineOf(inset, y, right, y));
  group.append(svg("rect", { class: "frame", x: inset, y: inset, width: right - inset, height: bottom - inset }));
  if (look.points) palaces(group, marked, files, ranks);
  if (look.marks) marks(group, look.marks, files, ranks);
  for (const [at, text] of (river ?? []).entries()) {
    group.append(written(text, files * (0.26 + 0.48 * at), ranks / 2 + 0.17, 0.5, "river"));
  }
  for (const x of look.dots ?? []) for (const y of look.dots) {
    group.append(svg("circle", { class: "dot", cx: x, cy: y, r: 0.07 }));
  }
  return group;
}

/** The diagonals of palaces: a palace is the marked points of a half of the board. */
function palaces(group, marked, files, ranks) {
  for (const half of [0, 1]) {
    const points = marked.filter((index) => Math.floor(index / files / (ranks / 2)) === half);
    if (points.length === 0) continue;
    const xs = points.map((index) => index % files);
    const ys = points.map((index) => Math.floor(index / files));
    const [left, right] = [Math.min(...xs) + 0.5, Math.max(...xs) + 0.5];
    const [low, high] = [ranks - Math.min(...ys) - 0.5, ranks - Math.max(...ys) - 0.5];
    group.append(lineOf(left, low, right, high), lineOf(left, high, right, low));
  }
}

/** Marks on points of both halves: angles around the point, or a cross on it. */
function marks(group, { points, angles }, files, ranks) {
  for (const [file, rank] of points) for (const upper of [false, true]) {
    const x = file + 0.5;
    const y = upper ? rank + 0.5 : ranks - rank - 0.5;
    for (const dx of [-1, 1]) for (const dy of [-1, 1]) {
      if (x + dx < 0.5 || x + dx > files - 0.5) continue;
      const path = angles
        ? `M${x + dx * 0.07} ${y + dy * 0.2}V${y + dy * 0.07}H${x + dx * 0.2}`
        : `M${x} ${y}L${x + dx * 0.13} ${y + dy * 0.13}`;
      group.append(svg("path", { class: "mark", d: path }));
    }
  }
}

/** The labels of a board that is turned. Those of files stand above and below, and change places if they differ. */
function turnedLabels({ above, below, left, right }) {
  const other = (one, opposite) => (opposite.length > 0 && one.length > 0 ? opposite : one).toReversed();
  return { above: other(above, below), below: other(below, above), left: other(left, right), right: other(right, left) };
}

/** Labels around the board; those in UCI stand further out where the native ones take the same side. */
function labels({ files, ranks, coordinates, native_coordinates: native }, flipped = false) {
  const group = svg("g", { class: "labels" });
  const room = { above: 0, below: 0, left: 0, right: 0 };
  for (const [stored, kind] of [[native, "native"], [coordinates, "uci"]]) {
    if (!stored) continue;
    const lists = flipped ? turnedLabels(stored) : stored;
    for (const side of ["above", "below", "left", "right"]) {
      if (lists[side].length === 0) continue;
      const away = room[side] + 0.24;
      room[side] += 0.4;
      lists[side].forEach((text, at) => {
        const x = { left: -away, right: files + away }[side] ?? at + 0.5;
        const y = { above: -away, below: ranks + away }[side] ?? at + 0.5;
        group.append(written(text, x, y + 0.1, 0.28, kind));
      });
    }
  }
  return { group, room };
}

