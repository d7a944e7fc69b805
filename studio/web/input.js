// A move by a person: clicked, dragged, tapped, chosen with the keyboard, or written.

/** Pixels after which a pressed pointer drags a piece. */
const DRAG_PIXELS = 5;
/** Most ways on that are listed in words. */
const MOST_LISTED = 12;
/** Pixels of a square that a finger hits. On a board with smaller ones a tap zooms in to squares of `ZOOMED_PIXELS`. */
const FINGER_PIXELS = 26;
const ZOOMED_PIXELS = 44;

/** Where the arrow keys lead: to the right and down. */
const ARROW_KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** Whether two places of a board are the same. */
function samePlace(one, other) {
  return one === other || (one?.code !== undefined && one.code === other?.code && one.hand === other?.hand);
}

/** Moves that differ in nothing but promotion, together. */
function unpromoted(moves) {
  const groups = new Map();
  for (const move of moves) {
    const key = move.uci.replace(/\+$/, "");
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(move);
  }
  return [...groups.values()];
}

/** Lets a person choose a legal move on a `BoardView`.
 *
 *   const input = new MoveInput(board, { played: (uci) => … });
 *   board.show(view);
 *   input.show(moves, enabled);   // the legal moves of that view: [{ uci, text }]
 *   place.append(input.element);  // the controls next to the board: pass, steps of a move, a field to write a move in
 *
 * `clear()` forgets what was begun. `show` must follow each `board.show` of another view. */
class MoveInput {
  #moves = []; // legal moves with their parts: { uci, text, from, to, touched }
  #enabled = false;
  #from; // the place taken up
  #steps = []; // squares chosen after it
  #cursor; // where the keyboard is
  #down; // the pointer that is pressed: { place, x, y, fresh, carried }
  #dragged = false; // whether the click to come is the end of a drag
  #question; // the question whether to promote
  #zoomed = false; // whether a tap has zoomed in

  constructor(board, { played }) {
    this.board = board;
    this.played = played;
    this.passButton = button("Pass", () => this.#pass(), { className: "pass-button", hidden: true });
    this.panel = html("div", { className: "steps", hidden: true });
    this.field = html("input", { type: "text", autocomplete: "off", spellcheck: false, className: "move-field" });
    this.wrong = html("span", { className: "soft", role: "status" });
    this.form = html("form", { className: "written-move" },
      html("label", { className: "field" }, html("span", {}, "Move"), this.field), this.wrong);
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#read();
    });
    this.live = html("p", { className: "unseen", "aria-live": "polite" });
    this.element = html("div", { className: "move-input" }, this.passButton, this.panel, this.form, this.live);
    const { drawing } = board;
    drawing.addEventListener("pointerdown", (event) => this.#press(event));
    drawing.addEventListener("pointermove", (event) => this.#drag(event));
    drawing.addEventListener("pointerup", (event) => this.#release(event));
    drawing.addEventListener("pointercancel", () => this.#putBack());
    drawing.addEventListener("click", (event) => this.#click(event));
    drawing.addEventListener("keydown", (event) => this.#key(event));
    drawing.addEventListener("blur", () => this.#point(undefined));
  }

  /** The legal moves of the position that the board shows; `enabled` says whether a person may play one. */
  show(moves, enabled) {
    this.#moves = moves.map((move) => {
      const { drop, from, to, touched } = partsOf(move.uci) ?? {};
      return { ...move, from: drop ? { hand: this.board.view.side, code: drop } : from, to, touched: touched ?? [] };
    });
    this.#enabled = enabled && moves.length > 0;
    this.board.drawing.classList.toggle("playable", this.#enabled);
    this.board.drawing.setAttribute("aria-label", this.#enabled
      ? "Board; the arrow keys move over the squares, Enter chooses, Escape begins anew"
      : "Board; the arrow keys step through the moves");
    const passes = this.#passes();
    this.passButton.hidden = passes.length === 0 || !this.#enabled;
    const native = lookOf(this.board.about.variant).pass;
    this.passButton.textContent = `Pass${native ? ` ${native}` : ""}${passes.length > 1 ? "…" : ""}`;
    // A field that is disabled would lose the focus while the opponent thinks.
    this.field.readOnly = !this.#enabled;
    this.#putBack();
    this.clear();
  }

  /** Forgets what was begun. */
  clear() {
    this.#from = undefined;
    this.#steps = [];
    this.#refresh();
  }

  /** Moves that leave everything in its place; at most a piece is promoted. */
  #passes() {
    return unpromoted(this.#moves.filter(({ from, to, touched }) => from === to && touched.length === 0));
  }

  /** The moves that what was chosen so far leaves. */
  #candidates() {
    return this.#moves.filter(({ from, to, touched }) =>
      samePlace(from, this.#from) && this.#steps.every((square) => square === to || touched.includes(square)));
  }

  /** The squares that can be chosen next. First comes one where the move can end, or what a piece that stays takes; then also
   * what the move takes elsewhere. */
  #next() {
    if (this.#from === undefined) return new Set();
    const candidates = this.#candidates();
    const ends = candidates.map(({ to }) => to);
    const first = this.#steps.length === 0;
    const takers = first ? candidates.filter(({ to }) => to === this.#from) : candidates;
    const next = new Set([...ends, ...takers.flatMap(({ touched }) => touched)]);
    if (first) next.delete(this.#from);
    for (const square of this.#steps) next.delete(square);
    return next;
  }

  /** The moves that end with what was chosen so far, and those that continue; without promotion each is one. */
  #ways() {
    const last = this.#steps.at(-1);
    const candidates = this.#candidates();
    const ending = candidates.filter(({ to }) => to === last);
    let ended = candidates.filter(({ to, touched }) =>
      this.#steps.includes(to) && touched.every((square) => this.#steps.includes(square)));
    // What a move takes on its way need not be chosen where there is no choice.
    if (ended.length === 0 && unpromoted(ending).length === 1) ended = ending;
    const on = candidates.filter((move) => !ended.includes(move));
    // A move that takes two pieces by turns ends where the last one stood; the other order is another choice.
    const inOrder = ended.filter((move) => ending.includes(move));
    return { ended: unpromoted(inOrder.length > 0 ? inOrder : ended), on: unpromoted(on) };
  }

  #isMovable(place) {
    return this.#moves.some(({ from, to, touched }) => samePlace(from, place) && (from !== to || touched.length > 0));
  }

  #take(place) {
    this.#from = place;
    this.#steps = [];
    this.#refresh();
  }

  /** A place was chosen. */
  #choose(place) {
    if (!this.#enabled || place === undefined) return;
    this.#closeQuestion();
    if (this.#from !== undefined) {
      if (typeof place === "string" && this.#next().has(place)) return this.#step(place);
      const { ended } = place === this.#steps.at(-1) ? this.#ways() : { ended: [] };
      if (ended.length === 1) return this.#settle(ended[0]);
    }
    if (!samePlace(place, this.#from) && this.#isMovable(place)) this.#take(place);
    else this.clear();
  }

  /** A square was chosen for the piece taken up. */
  #step(square) {
    this.#steps.push(square);
    const { ended, on } = this.#ways();
    if (ended.length === 1 && on.length === 0) return this.#settle(ended[0]);
    this.#refresh();
  }

  /** Takes one step back. */
  #undo() {
    if (this.#steps.length === 0) return this.clear();
    this.#steps.pop();
    this.#refresh();
  }

  /** Plays a move, after the question whether to promote if both exist. */
  #settle(moves) {
    if (moves.length === 1) return this.#play(moves[0]);
    this.#refresh();
    this.panel.hidden = true;
    this.#ask(moves);
  }

  #play({ uci }) {
    this.#enabled = false;
    this.#closeQuestion();
    // The reply may be anywhere.
    if (this.#zoomed) this.board.zoomButtons.at(-1).click();
    this.#zoomed = false;
    this.field.value = "";
    this.wrong.textContent = "";
    this.clear();
    this.passButton.hidden = true;
    this.played(uci);
  }

  #pass() {
    const passes = this.#passes();
    if (passes.length === 1) return this.#settle(passes[0]);
    this.clear();
    this.#list("Pass with which piece?", passes, []);
  }

  /** Draws what is chosen and what can be chosen. */
  #refresh() {
    this.#closeQuestion();
    const movable = [];
    if (this.#enabled) {
      for (const { from } of this.#moves) {
        if (this.#isMovable(from) && !movable.some((place) => samePlace(place, from))) movable.push(from);
      }
    }
    const targets = this.#enabled ? [...this.#next()] : [];
    this.board.mark({ movable, chosen: this.#from, steps: [...this.#steps], targets, cursor: this.#cursor });
    this.panel.hidden = true;
    this.panel.replaceChildren();
    if (this.#steps.length > 0) {
      const { ended, on } = this.#ways();
      const chosen = this.#steps.map((square, at) => `${at + 1}. ${square}`).join("  ");
      const what = on.length === 0 ? "Which move?"
        : ended.length > 0 ? "Choose a marked point, or end the move:" : "Choose a marked point:";
      this.#list(`${chosen}. ${what}`, ended, on);
    }
  }

  /** Shows moves to choose from: those that end here, and the ways on, if they are few. */
  #list(title, finished, others) {
    const entry = (moves, kind) => {
      const choice = button(this.#words(moves[0], moves.length > 1), () => this.#settle(moves),
        { className: kind, "data-uci": moves[0].uci.replace(/\+$/, "") });
      for (const event of ["pointerenter", "focus"]) choice.addEventListener(event, () => this.board.point(moves[0].uci));
      return choice;
    };
    const number = html("span", { className: "soft" }, counted(others.length, "way on", "ways on"));
    const more = others.length > MOST_LISTED ? [number] : others.map((moves) => entry(moves, "way-on"));
    const back = this.#steps.length > 0 ? [button("Undo step", () => this.#undo(), { className: "undo-step" })] : [];
    const stop = button("Cancel", () => this.clear(), { className: "cancel-move" });
    const ends = finished.map((moves) => entry(moves, "main end-move"));
    this.panel.replaceChildren(html("p", { role: "status" }, title), ...ends, ...more, ...back, stop);
    this.panel.hidden = false;
  }

  /** A move in words. */
  #words({ from, to, touched, uci }, asked) {
    const name = (square) => this.#nameOn(square);
    const taken = [...(to !== from && this.board.codeOn(to) ? [to] : []), ...touched];
    const what = taken.map((square) => `${name(square)} ${square}`).join(" and ");
    const promotes = uci.endsWith("+") && !asked ? "; promotes" : "";
    if (from === to && taken.length === 0) return `Pass with the ${name(from)} ${from}${promotes}`;
    return `${from === to ? "Stay" : `Go to ${to}`}${what ? `, taking ${what}` : ""}${promotes}`;
  }

  /** The name of the piece on a square. */
  #nameOn(square) {
    const { variant } = this.board.about;
    const code = this.board.codeOn(square).toUpperCase();
    return lookOf(variant).names[code] ?? code;
  }

  /** Asks on the board whether to promote. */
  #ask(moves) {
    this.#closeQuestion();
    const { board } = this;
    const { about, faces, script, view, flipped } = board;
    const promoting = moves.find(({ uci }) => uci.endsWith("+"));
    const { from, to } = promoting;
    const code = (typeof from === "string" ? board.codeOn(from) : from.code).toUpperCase();
    const option = (move, face, words) => {
      const glyphs = characters(about.variant, script, faces, face, view.side);
      const look = `face-choice board ${lookOf(about.variant).fonts}`;
      const drawn = svg("svg", { viewBox: "-0.5 -0.5 1 1", class: look, "aria-hidden": "true" },
        piece(about.variant, face, view.side, glyphs, (view.side === 0) !== flipped));
      const choice = html("button", { type: "button" }, drawn, words);
      choice.addEventListener("click", () => this.#play(move));
      return choice;
    };
    const plain = moves.find((move) => move !== promoting);
    const [yes, no] = [option(promoting, `+${code}`, "Promote"), option(plain, code, "Do not promote")];
    const question = html("div", { className: "promotion", role: "dialog", "aria-label": "Promote?" }, yes, no);
    question.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key === "Escape") this.#leave();
      if (ARROW_KEYS[event.key]) (document.activeElement === yes ? no : yes).focus();
    });
    board.element.append(question);
    this.#question = question;
    const frame = board.element.getBoundingClientRect();
    const [x, y] = board.screenOf(to);
    const { width, height } = question.getBoundingClientRect();
    const within = (value, most) => `${Math.round(Math.min(Math.max(value, 4), Math.max(most, 4)))}px`;
    question.style.left = within(x - frame.left - width / 2, frame.width - width - 4);
    question.style.top = within(y - frame.top - height / 2, frame.height - height - 4);
    yes.focus({ preventScroll: true });
  }

  /** Forgets the move, and goes back to the board. */
  #leave() {
    this.clear();
    this.board.drawing.focus({ preventScroll: true });
  }

  #closeQuestion() {
    const had = this.#question?.contains(document.activeElement);
    this.#question?.remove();
    this.#question = undefined;
    if (had) this.board.drawing.focus({ preventScroll: true });
  }

  /** Plays what is written in the field, if it is a legal move in UCI or in the native notation. */
  #read() {
    const plain = (text) => text.normalize("NFKC").replace(/\s/g, "").toLowerCase();
    const text = plain(this.field.value);
    if (!text || !this.#enabled) return;
    const found = this.#moves.filter((move) => plain(move.uci) === text || (move.text && plain(move.text) === text));
    if (found.length === 1) return this.#play(found[0]);
    this.wrong.textContent = found.length > 1 ? "Several moves are written so." : "No legal move is written so.";
  }

  #press(event) {
    this.#dragged = false;
    this.#down = undefined;
    if (!this.#enabled || event.button !== 0 || !event.isPrimary) return;
    this.#cursor = undefined;
    if (event.pointerType === "touch" && this.#isSmall()) {
      this.#down = { zooms: true };
      return;
    }
    const place = this.board.squareAt(event.clientX, event.clientY);
    if (place === undefined) return;
    const isTarget = typeof place === "string" && this.#next().has(place);
    const takes = !isTarget && this.#isMovable(place);
    const fresh = takes && !samePlace(place, this.#from);
    this.#down = { place, takes, fresh, x: event.clientX, y: event.clientY };
    if (fresh) this.#take(place);
  }

  /** Whether a finger would hit several squares of a board that can be zoomed into. */
  #isSmall() {
    return this.board.zoomButtons.length > 0 && this.board.drawing.getScreenCTM().a < FINGER_PIXELS;
  }

  /** Zooms in around a point of the screen, as the wheel does. */
  #zoomIn(clientX, clientY) {
    const { drawing } = this.board;
    for (let turns = 0; turns < 20 && drawing.getScreenCTM().a < ZOOMED_PIXELS; turns += 1) {
      drawing.dispatchEvent(new WheelEvent("wheel", { deltaY: -1, ctrlKey: true, clientX, clientY, cancelable: true }));
    }
    this.#zoomed = true;
  }

  #drag(event) {
    const down = this.#down;
    if (!down?.takes || !event.isPrimary || !samePlace(down.place, this.#from) || this.#steps.length > 0) return;
    if (!down.carried && Math.hypot(event.clientX - down.x, event.clientY - down.y) < DRAG_PIXELS) return;
    if (!down.carried) {
      down.carried = true;
      this.board.drawing.setPointerCapture(event.pointerId);
      this.board.drawing.classList.add("carrying");
    }
    this.board.carry(down.place, event.clientX, event.clientY);
  }

  #release(event) {
    const down = this.#down;
    if (!down?.carried) return;
    this.#putBack();
    this.#dragged = true;
    const place = this.board.squareAt(event.clientX, event.clientY);
    if (typeof place === "string" && this.#next().has(place)) this.#step(place);
    else if (!samePlace(place, this.#from)) this.clear();
  }

  #putBack() {
    if (this.#down?.carried) this.board.carry(this.#down.place);
    this.board.drawing.classList.remove("carrying");
    this.#down = undefined;
  }

  #click(event) {
    const down = this.#down;
    this.#down = undefined;
    if (this.#dragged || !this.#enabled) {
      this.#dragged = false;
      return;
    }
    if (down?.zooms) return this.#zoomIn(event.clientX, event.clientY);
    const place = this.board.squareAt(event.clientX, event.clientY);
    // The press has taken it up already.
    if (down?.fresh && samePlace(place, down.place)) return;
    if (place === undefined) this.clear();
    else this.#choose(place);
  }

  #key(event) {
    if (!this.#enabled || event.altKey || event.ctrlKey || event.metaKey) return;
    const acts = {
      Enter: () => this.#choose(this.#cursor), " ": () => this.#choose(this.#cursor),
      Escape: () => this.clear(), Backspace: () => this.#undo(),
    };
    const direction = ARROW_KEYS[event.key];
    if (!direction && !acts[event.key]) return;
    event.preventDefault();
    event.stopPropagation();
    if (direction) this.#point(this.#beside(this.#cursor, direction));
    else acts[event.key]();
  }

  /** Shows the cursor on a place, and says what is there. */
  #point(place) {
    if (place === undefined && this.#cursor === undefined) return;
    this.#cursor = place;
    this.board.mark({ ...this.board.marked, cursor: place });
    if (place === undefined) return;
    const { variant } = this.board.about;
    const code = typeof place === "string" ? this.board.codeOn(place) : place.code;
    const upper = code.toUpperCase();
    const side = typeof place === "string" ? Number(code !== upper) : place.hand;
    const there = code ? describe(variant, this.board.faces, upper, side) : "empty";
    const target = typeof place === "string" && this.#next().has(place) ? ", can be chosen" : "";
    this.live.textContent = `${typeof place === "string" ? place : "in hand"}: ${there}${target}`;
  }

  /** The place beside another one. From the edge of the board the way leads into the hand of the side to move. */
  #beside(place, [right, down]) {
    const { files, ranks } = this.board.about;
    const { flipped, view } = this.board;
    const below = (view.side === 0) !== flipped;
    const held = (view.hands[view.side] ?? []).map(([code]) => ({ hand: view.side, code }));
    const outwards = below ? 1 : -1;
    if (place === undefined) return this.#from ?? this.#moves[0].from;
    if (typeof place !== "string") {
      const at = held.findIndex((other) => samePlace(other, place));
      const corner = below ? [files - 1, ranks - 1] : [0, 0];
      if (right === -outwards || at < 0) return this.board.nameOf(this.#indexAt(...corner));
      return held[Math.min(Math.max(at + down, 0), held.length - 1)];
    }
    const index = this.board.indexOf(place);
    let [x, y] = [index % files, ranks - 1 - Math.floor(index / files)];
    if (flipped) [x, y] = [files - 1 - x, ranks - 1 - y];
    const next = x + right;
    if ((next < 0 || next >= files) && right === outwards && held.length > 0) return held.at(below ? -1 : 0);
    x = Math.min(Math.max(next, 0), files - 1);
    y = Math.min(Math.max(y + down, 0), ranks - 1);
    return this.board.nameOf(this.#indexAt(x, y));
  }

  /** The index of the square in a column from the left and a row from the top, as the board is turned. */
  #indexAt(x, y) {
    const { files, ranks } = this.board.about;
    const [file, rank] = this.board.flipped ? [files - 1 - x, y] : [x, ranks - 1 - y];
    return rank * files + file;
  }
}

