// The boards without pieces. Units are squares; the square of file f and rank r has its centre at (f + ½, ranks − r − ½).

/** Boards that are played on the points where lines meet; all others are played on squares. */
const ON_POINTS = ["xiangqi", "janggi", "koshogi"];

/** Points with a mark where cannons and soldiers begin, by file, of ranks as they are on both halves. */
const NINE_BY_TEN_MARKS = [[1, 2], [7, 2], [0, 3], [2, 3], [4, 3], [6, 3], [8, 3]];

function lineOf(x1, y1, x2, y2, kind = "") {
  return svg("line", { x1, y1, x2, y2, class: kind });
}

/** The lines of a board. */
function grid({ variant, files, ranks, marked }) {
  const group = svg("g", { class: "grid" });
  group.append(svg("rect", { class: "wood", x: 0, y: 0, width: files, height: ranks, rx: 0.12 }));
  if (!ON_POINTS.includes(variant)) {
    for (let file = 1; file < files; file++) group.append(lineOf(file, 0, file, ranks));
    for (let rank = 1; rank < ranks; rank++) group.append(lineOf(0, rank, files, rank));
    group.append(svg("rect", { class: "frame", x: 0, y: 0, width: files, height: ranks }));
    // The corners of the promotion zones.
    if (files === ranks && files < 12) for (const x of [3, files - 3]) for (const y of [3, ranks - 3]) {
      group.append(svg("circle", { class: "dot", cx: x, cy: y, r: 0.06 }));
    }
    return group;
  }
  const [right, bottom] = [files - 0.5, ranks - 0.5];
  const river = variant === "xiangqi";
  for (let file = 0; file < files; file++) {
    const x = file + 0.5;
    if (river && file > 0 && file < files - 1) {
      group.append(lineOf(x, 0.5, x, ranks / 2 - 0.5), lineOf(x, ranks / 2 + 0.5, x, bottom));
    } else {
      group.append(lineOf(x, 0.5, x, bottom));
    }
  }
  for (let rank = 0; rank < ranks; rank++) group.append(lineOf(0.5, rank + 0.5, right, rank + 0.5));
  group.append(svg("rect", { class: "frame", x: 0.5, y: 0.5, width: files - 1, height: ranks - 1 }));
  palaces(group, marked, files, ranks);
  if (river) {
    const words = [["楚河", files * 0.25 + 0.125], ["漢界", files * 0.75 - 0.125]];
    for (const [text, x] of words) group.append(written(text, x, ranks / 2 + 0.17, 0.5, "river"));
  }
  if (variant === "koshogi") {
    for (const x of [3.5, 9.5, 15.5]) for (const y of [3.5, 9.5, 15.5]) {
      group.append(svg("circle", { class: "dot", cx: x, cy: y, r: 0.1 }));
    }
  } else {
    marks(group, variant, files, ranks);
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

/** The marks where cannons and soldiers begin: angles on a Chinese board, small crosses on a Korean one. */
function marks(group, variant, files, ranks) {
  for (const [file, rank] of NINE_BY_TEN_MARKS) for (const upper of [false, true]) {
    const x = file + 0.5;
    const y = upper ? rank + 0.5 : ranks - rank - 0.5;
    for (const dx of [-1, 1]) for (const dy of [-1, 1]) {
      if (x + dx < 0.5 || x + dx > files - 0.5) continue;
      const [near, far] = [0.07, 0.2];
      const path = variant === "xiangqi"
        ? `M${x + dx * near} ${y + dy * far}V${y + dy * near}H${x + dx * far}`
        : `M${x} ${y}L${x + dx * 0.13} ${y + dy * 0.13}`;
      group.append(svg("path", { class: "mark", d: path }));
    }
  }
}

/** Labels around the board; those in UCI stand further out where the native ones take the same side. */
function labels({ files, ranks, coordinates, native_coordinates: native }) {
  const group = svg("g", { class: "labels" });
  const room = { above: 0, below: 0, left: 0, right: 0 };
  for (const [lists, kind] of [[native, "native"], [coordinates, "uci"]]) {
    if (!lists) continue;
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

