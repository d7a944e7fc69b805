// A board with its pieces, the hands beside it, the last move and arrows.

/** Most arrows on a board, and the least share of games that has one. */
const MOST_ARROWS = 8;
const LEAST_ARROW = 0.01;
/** Width of the place of a hand, and its height as a part of the board's. */
const HAND = 1.1;
const HAND_HEIGHT = 0.62;
/** Boards with more files can be zoomed into. */
const ZOOMED_FILES = 10;

class BoardView {
  /** `about` is what a source says of the board; `play` is called with the move of an arrow that is clicked. */
  constructor(about, play) {
    this.about = about;
    this.faces = new Map(about.faces.map(({ code, glyphs }) => [code, glyphs]));
    this.script = "native";
    this.play = play;
    const around = labels(about);
    const { above, below, left, right } = around.room;
    const side = about.hands ? HAND + 0.12 : 0;
    this.handsAt = [about.files + right + 0.12, -left - side];
    const margin = 0.12;
    const box = [
      -left - side - margin, -above - margin,
      about.files + left + right + 2 * (side + margin), about.ranks + above + below + 2 * margin,
    ];
    this.drawing = svg("svg", {
      viewBox: box.join(" "), class: `board ${lookOf(about.variant).fonts}`, role: "group", tabindex: 0,
      "aria-label": "Board; the arrow keys step through the moves",
    });
    const layers = ["last", "hands", "pieces", "arrows"];
    this.layers = Object.fromEntries(layers.map((name) => [name, svg("g", { class: name })]));
    this.drawing.append(grid(about), around.group, ...Object.values(this.layers));
    this.element = html("div", { className: "board-frame" }, this.drawing);
    /** Buttons to zoom with, where the board is large. */
    this.zoomButtons = about.files > ZOOMED_FILES ? zoomable(this.drawing, box) : [];
  }

  /** Draws a view with arrows for some moves: [{ uci, share, label }]. */
  show(view, arrows = []) {
    this.view = view;
    this.arrows = arrows;
    for (const layer of Object.values(this.layers)) layer.replaceChildren();
    this.#drawLast();
    this.#drawHands();
    view.cells.forEach((code, index) => {
      if (code) this.layers.pieces.append(this.#pieceAt(code, ...this.#centre(index)));
    });
    const drawn = arrows.filter(({ share }) => share >= LEAST_ARROW).slice(0, MOST_ARROWS);
    for (const arrow of drawn) this.#drawArrow(arrow);
  }

  /** Shows the pieces in another script. */
  write(script) {
    this.script = script;
    if (this.view) this.show(this.view, this.arrows);
  }

  /** Makes the arrow of one move stand out, or of none. */
  point(uci) {
    for (const arrow of this.layers.arrows.children) arrow.classList.toggle("pointed", arrow.dataset.uci === uci);
    this.layers.arrows.classList.toggle("pointing", Boolean(uci));
  }

  #centre(index) {
    const { files, ranks } = this.about;
    return [index % files + 0.5, ranks - Math.floor(index / files) - 0.5];
  }

  /** The centre of a square by its name. */
  #named(square) {
    return [square.charCodeAt(0) - 97 + 0.5, this.about.ranks - Number(square.slice(1)) + 0.5];
  }

  #pieceAt(code, x, y, scale = 1) {
    const { variant } = this.about;
    const upper = code.toUpperCase();
    const side = code === upper ? 0 : 1;
    const drawn = piece(variant, upper, side, characters(variant, this.script, this.faces, upper, side));
    const size = scale === 1 ? "" : ` scale(${scale.toFixed(3)})`;
    drawn.setAttribute("transform", `translate(${x.toFixed(3)} ${y.toFixed(3)})${size}`);
    drawn.append(svg("title", {}, describe(variant, this.faces, upper, side)));
    return drawn;
  }

  #drawLast() {
    const parts = this.view.last && partsOf(this.view.last);
    if (!parts) return;
    const [from, to] = [parts.from, parts.to].map((square) => square && this.#named(square));
    for (const [at, kind] of [[from, "source"], [to, "destination"]]) {
      if (!at) continue;
      const box = { x: at[0] - 0.5, y: at[1] - 0.5, width: 1, height: 1, rx: 0.1 };
      this.layers.last.append(svg("rect", { class: kind, ...box }));
    }
    for (const square of parts.touched) {
      const [x, y] = this.#named(square);
      this.layers.last.append(svg("path", { class: "touched", d: `M${x - 0.2} ${y - 0.2}l.4 .4m0-.4l-.4 .4` }));
    }
  }

  /** The second player's hand stands to the left from the top down, the first player's to the right from the bottom up. */
  #drawHands() {
    this.inHand = new Map();
    if (!this.about.hands) return;
    const { ranks } = this.about;
    for (const side of [0, 1]) {
      const held = this.view.hands[side];
      const x = this.handsAt[side];
      const height = ranks * HAND_HEIGHT;
      const top = side === 0 ? ranks - height : 0;
      const step = Math.min(0.9, (height - 0.2) / Math.max(held.length, 1));
      const name = playerName(this.about.variant, side);
      const place = svg("rect", { class: "stand", x, y: top, width: HAND, height, rx: 0.12 });
      place.append(svg("title", {}, `Hand of ${name}`));
      this.layers.hands.append(place);
      held.forEach(([code, number], at) => {
        const y = side === 0 ? ranks - 0.1 - (held.length - at - 0.5) * step : 0.1 + (at + 0.5) * step;
        const centre = x + HAND / 2 - (number > 1 ? 0.14 : 0);
        this.inHand.set(`${side}${code}`, [centre, y]);
        const own = side === 0 ? code : code.toLowerCase();
        this.layers.hands.append(this.#pieceAt(own, centre, y, Math.min(0.85, 0.95 * step)));
        if (number > 1) this.layers.hands.append(written(String(number), x + HAND - 0.16, y + 0.12, 0.34, "number"));
      });
    }
  }

  #drawArrow({ uci, share, label }) {
    const parts = partsOf(uci);
    const inHand = parts && this.inHand.get(`${this.view.side}${parts.drop}`);
    const from = parts?.from ? this.#named(parts.from) : inHand;
    if (!from) return;
    const to = this.#named(parts.to);
    const width = 0.07 + 0.17 * share;
    const shape = parts.from === parts.to
      ? svg("circle", { class: "pass", cx: to[0], cy: to[1], r: 0.48, "stroke-width": width })
      : svg("polygon", { points: arrowPoints(from, to, width) });
    const arrow = svg("g", { class: "arrow", "data-uci": uci, opacity: (0.55 + 0.4 * share).toFixed(2) }, shape);
    for (const square of parts.touched) {
      const [x, y] = this.#named(square);
      arrow.append(svg("line", { class: "shot", x1: to[0], y1: to[1], x2: x, y2: y }));
    }
    arrow.append(svg("title", {}, label));
    if (this.play) arrow.addEventListener("click", () => this.play(uci));
    this.layers.arrows.append(arrow);
  }
}

/** The outline of an arrow from near one point to near another. */
function arrowPoints([x1, y1], [x2, y2], width) {
  const length = Math.hypot(x2 - x1, y2 - y1);
  const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
  const head = Math.min(0.2 + width, 0.5 * length);
  const [begin, end] = [Math.min(0.3, 0.25 * length), length - 0.1];
  const at = (along, across) =>
    `${(x1 + dx * along - dy * across).toFixed(3)},${(y1 + dy * along + dx * across).toFixed(3)}`;
  const [shaft, wing] = [width / 2, width / 2 + 0.13];
  return [
    at(begin, shaft), at(end - head, shaft), at(end - head, wing), at(end, 0),
    at(end - head, -wing), at(end - head, -shaft), at(begin, -shaft),
  ].join(" ");
}

