// A board with its pieces, the hands beside it, the last move, arrows, and marks of what a person chooses.

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
    this.flipped = false;
    this.marked = {};
    const around = labels(about);
    const { above, below, left, right } = around.room;
    const side = about.hands ? HAND + 0.12 : 0;
    /** Left edges of the hands: of the player at the bottom, of the one at the top. */
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
    const layers = ["last", "chosen", "hands", "pieces", "targets", "arrows"];
    this.layers = Object.fromEntries(layers.map((name) => [name, svg("g", { class: name })]));
    this.still = svg("g", {}, grid(about), around.group);
    this.drawing.append(this.still, ...Object.values(this.layers));
    this.element = html("div", { className: "board-frame" }, this.drawing);
    /** Buttons to zoom with, where the board is large. */
    this.zoomButtons = about.files > ZOOMED_FILES ? zoomable(this.drawing, box) : [];
  }

  /** Draws a view with arrows for some moves: [{ uci, share, label }]. */
  show(view, arrows = []) {
    if (view !== this.view) this.marked = {};
    this.view = view;
    for (const layer of Object.values(this.layers)) layer.replaceChildren();
    this.onSquares = new Map();
    this.#drawLast();
    this.#drawHands();
    view.cells.forEach((code, index) => {
      if (!code) return;
      const piece = this.#pieceAt(code, ...this.#centre(index));
      this.onSquares.set(this.nameOf(index), piece);
      this.layers.pieces.append(piece);
    });
    this.mark(this.marked);
    this.aim(arrows);
  }

  /** Draws other arrows over the same view. */
  aim(arrows) {
    this.arrows = arrows;
    this.layers.arrows.replaceChildren();
    const drawn = arrows.filter(({ share }) => share >= LEAST_ARROW).slice(0, MOST_ARROWS);
    for (const arrow of drawn) this.#drawArrow(arrow);
  }

  /** Shows the pieces in another script. */
  write(script) {
    this.script = script;
    if (this.view) this.show(this.view, this.arrows);
  }

  /** Sits the second player at the bottom, or the first. */
  turn(flipped) {
    if (flipped === this.flipped) return;
    this.flipped = flipped;
    this.still.replaceChildren(grid(this.about, flipped), labels(this.about, flipped).group);
    if (this.view) this.show(this.view, this.arrows);
  }

  /** Marks what a person chooses from, until another view is shown. A place is the name of a square, or { hand, code }
   * with the side whose hand it is:
   *   movable  places whose pieces can be taken up
   *   chosen   the place taken up
   *   steps    squares chosen after it, in a move of several steps
   *   targets  squares that can be chosen next
   *   cursor   the place where the keyboard is */
  mark(marks) {
    this.marked = marks;
    const { movable = [], chosen, steps = [], targets = [], cursor } = marks;
    this.layers.chosen.replaceChildren();
    this.layers.targets.replaceChildren();
    for (const piece of [...this.onSquares.values(), ...this.handPieces.values()]) piece.classList.remove("movable");
    for (const place of movable) this.pieceOn(place)?.classList.add("movable");
    const frame = (place, kind, layer) => {
      const at = this.centreOf(place);
      if (at) layer.append(svg("rect", { class: kind, x: at[0] - 0.5, y: at[1] - 0.5, width: 1, height: 1, rx: 0.1 }));
    };
    if (chosen) frame(chosen, "taken-up", this.layers.chosen);
    steps.forEach((square, at) => {
      frame(square, "step", this.layers.chosen);
      if (steps.length < 2) return;
      const [x, y] = this.centreOf(square);
      this.layers.targets.append(written(String(at + 1), x + 0.36, y - 0.22, 0.34, "step-number"));
    });
    for (const square of targets) {
      const [cx, cy] = this.centreOf(square);
      const occupied = this.onSquares.has(square);
      const look = occupied ? { class: "target ring", r: 0.46 } : { class: "target", r: 0.16 };
      this.layers.targets.append(svg("circle", { cx, cy, ...look }));
    }
    if (cursor) frame(cursor, "cursor", this.layers.targets);
  }

  /** The piece on a place, if there is one. */
  pieceOn(place) {
    return typeof place === "string" ? this.onSquares?.get(place) : this.handPieces?.get(`${place.hand}${place.code}`);
  }

  /** The centre of a place in units of the drawing; undefined where nothing of that kind is in hand. */
  centreOf(place) {
    return typeof place === "string" ? this.#named(place) : this.inHand?.get(`${place.hand}${place.code}`);
  }

  /** The name of a square by its index. */
  nameOf(index) {
    const { files } = this.about;
    return `${String.fromCharCode(97 + index % files)}${Math.floor(index / files) + 1}`;
  }

  /** The index of a square by its name. */
  indexOf(square) {
    return (Number(square.slice(1)) - 1) * this.about.files + square.charCodeAt(0) - 97;
  }

  /** The FEN code of the piece on a square, or an empty text. */
  codeOn(square) {
    return this.view.cells[this.indexOf(square)] ?? "";
  }

  /** The place at a point of the screen: the name of a square, { hand, code } of a piece in hand, or undefined. */
  squareAt(clientX, clientY) {
    const [x, y] = this.pointAt(clientX, clientY);
    const { files, ranks } = this.about;
    if (x >= 0 && x < files && y >= 0 && y < ranks) {
      const [column, row] = [Math.floor(x), Math.floor(y)];
      return this.nameOf(this.flipped ? row * files + files - 1 - column : (ranks - 1 - row) * files + column);
    }
    let nearest;
    let least = 0.7;
    for (const [key, at] of this.inHand ?? []) {
      const distance = Math.hypot(at[0] - x, at[1] - y);
      if (distance < least) [nearest, least] = [{ hand: Number(key[0]), code: key.slice(1) }, distance];
    }
    return nearest;
  }

  /** A point of the screen in units of the drawing. */
  pointAt(clientX, clientY) {
    const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(this.drawing.getScreenCTM().inverse());
    return [x, y];
  }

  /** The centre of a place on the screen. */
  screenOf(place) {
    const at = this.centreOf(place);
    if (!at) return undefined;
    const { x, y } = new DOMPoint(...at).matrixTransform(this.drawing.getScreenCTM());
    return [x, y];
  }

  /** Draws the piece of a place also at a point of the screen, above all others; without a point no longer. */
  carry(place, clientX, clientY) {
    const piece = this.pieceOn(place);
    if (clientX === undefined || !piece) {
      this.ghost?.remove();
      this.ghost = undefined;
      piece?.classList.remove("carried");
      return;
    }
    if (!this.ghost) {
      this.ghost = piece.cloneNode(true);
      this.ghost.classList.add("ghost");
      piece.classList.add("carried");
      this.drawing.append(this.ghost);
    }
    const [x, y] = this.pointAt(clientX, clientY);
    const size = / scale\([^)]*\)/.exec(piece.getAttribute("transform"))?.[0] ?? "";
    this.ghost.setAttribute("transform", `translate(${x.toFixed(3)} ${y.toFixed(3)})${size}`);
  }

  /** Makes the arrow of one move stand out, or of none. */
  point(uci) {
    for (const arrow of this.layers.arrows.children) arrow.classList.toggle("pointed", arrow.dataset.uci === uci);
    this.layers.arrows.classList.toggle("pointing", Boolean(uci));
  }

  #centre(index) {
    const { files, ranks } = this.about;
    const [x, y] = [index % files + 0.5, ranks - Math.floor(index / files) - 0.5];
    return this.flipped ? [files - x, ranks - y] : [x, y];
  }

  /** The centre of a square by its name. */
  #named(square) {
    return this.#centre(this.indexOf(square));
  }

  #pieceAt(code, x, y, scale = 1) {
    const { variant } = this.about;
    const upper = code.toUpperCase();
    const side = code === upper ? 0 : 1;
    const upright = (side === 0) !== this.flipped;
    const drawn = piece(variant, upper, side, characters(variant, this.script, this.faces, upper, side), upright);
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

  /** The hand of the player at the top stands to the left from the top down, the other's to the right from the bottom up. */
  #drawHands() {
    this.inHand = new Map();
    this.handPieces = new Map();
    if (!this.about.hands) return;
    const { ranks } = this.about;
    for (const side of [0, 1]) {
      const held = this.view.hands[side];
      const below = (side === 0) !== this.flipped;
      const x = this.handsAt[below ? 0 : 1];
      const height = ranks * HAND_HEIGHT;
      const top = below ? ranks - height : 0;
      const step = Math.min(0.9, (height - 0.2) / Math.max(held.length, 1));
      const name = playerName(this.about.variant, side);
      const place = svg("rect", { class: "stand", x, y: top, width: HAND, height, rx: 0.12 });
      place.append(svg("title", {}, `Hand of ${name}`));
      this.layers.hands.append(place);
      held.forEach(([code, number], at) => {
        const y = below ? ranks - 0.1 - (held.length - at - 0.5) * step : 0.1 + (at + 0.5) * step;
        const centre = x + HAND / 2 - (number > 1 ? 0.14 : 0);
        this.inHand.set(`${side}${code}`, [centre, y]);
        const own = side === 0 ? code : code.toLowerCase();
        const piece = this.#pieceAt(own, centre, y, Math.min(0.85, 0.95 * step));
        this.handPieces.set(`${side}${code}`, piece);
        this.layers.hands.append(piece);
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

/** The choice of the script in which a board shows its pieces, letters where no font here has the native characters. With
 * letters nothing else in `element` needs such a font either: it gets a class. */
function scriptChoice(board, element) {
  const { variant, faces } = board.about;
  const choice = html("select", { "aria-label": "Writing on the pieces" },
    ...scriptsOf(variant).map(([value, name]) => html("option", { value }, name)));
  const write = () => {
    board.write(choice.value);
    element.classList.toggle("letters", choice.value === "letters");
  };
  choice.addEventListener("change", write);
  const [one, other] = faces.map(({ glyphs }) => glyphs[0]).filter((glyph) => [...glyph].length === 1);
  if (one && other && !canWrite(one, other)) {
    choice.value = "letters";
    write();
  }
  return choice;
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

