// Pieces as SVG: round ones, octagons in three sizes, wedges that point at the opponent, stones. Sizes are in units of a
// square; a piece is drawn around the point 0, 0.

/** Half the width of an octagon that has no size of its own, and the part that a wedge is of the largest. */
const OCTAGON = 0.41;
const WEDGE = 0.9;

function octagon(half) {
  const cut = half * 0.42;
  return [[-cut, -half], [cut, -half], [half, -cut], [half, cut], [cut, half], [-cut, half], [-half, cut], [-half, -cut]]
    .map((point) => point.map((value) => value.toFixed(3)).join()).join(" ");
}

function wedge(size) {
  return [[0, -0.46], [0.29, -0.34], [0.38, 0.42], [-0.38, 0.42], [-0.29, -0.34]]
    .map((point) => point.map((value) => (value * size).toFixed(3)).join()).join(" ");
}

/** Characters one below the other, as large as fits. */
function writing(text, room, squeeze = 1) {
  // Letters of a code stand side by side; native names stand as on the piece, from the top down.
  const lines = /^[\x00-\x7f]*$/.test(text) ? [text] : [...text];
  const size = lines[0].length > 1 ? room * [1, 1, 0.66, 0.5][Math.min(lines[0].length, 3)] : room / lines.length ** 0.88;
  const group = svg("g", { class: "writing" });
  lines.forEach((line, at) => {
    const y = (at - (lines.length - 1) / 2) * size * squeeze + size * 0.36;
    group.append(written(line, 0, y, size));
  });
  return group;
}

/** A piece: its owner's colour, its shape, what is written on it. `text` may begin with `+`, which marks a promoted face.
 * Where a shape points at the opponent, `upright` says whether that is up. */
function piece(variant, code, side, text, upright = side === 0) {
  const { shape, sizes } = lookOf(variant);
  const front = code.replace("+", "");
  const promoted = code.startsWith("+");
  const label = text === code ? text : text.replace("+", "");
  const group = svg("g", { class: `piece ${shape} ${side === 0 ? "of-first" : "of-second"}${promoted ? " promoted" : ""}` });
  if (shape === "octagon") {
    const half = sizes?.[front] ?? OCTAGON;
    group.append(
      svg("polygon", { class: "face", points: octagon(half) }),
      svg("polygon", { class: "ring", points: octagon(half * 0.86) }),
      writing(label, half * 1.36),
    );
  } else if (shape === "wedge") {
    const size = sizes?.[front] ?? WEDGE;
    const turned = svg("g", upright ? {} : { transform: "rotate(180)" });
    const lettering = writing(label, 0.58 * size);
    lettering.setAttribute("transform", `translate(0 ${(0.07 * size).toFixed(3)})`);
    turned.append(svg("polygon", { class: "face", points: wedge(size) }), lettering);
    group.append(turned);
  } else if (shape === "stone") {
    group.append(svg("circle", { class: "face", r: 0.47 }), writing(label, [...label].length > 1 ? 0.74 : 0.6, 0.97));
  } else {
    group.append(
      svg("circle", { class: "face", r: 0.44 }),
      svg("circle", { class: "ring", r: 0.375 }),
      writing(label, 0.52),
    );
  }
  return group;
}

/** Whether this machine has a font with these characters: two of them are drawn, and differ from each other and from a
 * character that no font has. */
function canWrite(first, second) {
  const drawn = (text) => {
    const canvas = html("canvas", { width: 40, height: 40 });
    const context = canvas.getContext("2d", { willReadFrequently: true });
    if (!context) return text;
    context.font = "30px serif";
    context.fillText(text, 2, 32);
    return context.getImageData(0, 0, 40, 40).data.join();
  };
  const [one, other, none] = [first, second, "\u{10fffe}"].map(drawn);
  return one !== other && one !== none;
}

