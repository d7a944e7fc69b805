// A board on which pieces are placed by hand, and the check whether they are a position.

/** What the editor does with a square when no piece is chosen. */
const MOVE_TOOL = "move";
const ERASE_TOOL = "erase";

class BoardEditor {
  #tool = MOVE_TOOL;
  #lifted; // the square whose piece is being moved
  #cursor; // the square where the keyboard is
  #asked = 0; // checks asked for
  #fen; // of the position, if it is one

  /** `about` is a variant; `act` has `done(fen)` and `cancel()`. */
  constructor(about, act) {
    this.about = about;
    this.act = act;
    this.board = new BoardView(about.board);
    this.tools = new Map();
    const { drawing } = this.board;
    // A board that is played on is not zoomed by two quick clicks.
    drawing.classList.add("editing", "playable");
    drawing.setAttribute("aria-label",
      "Board to edit; the arrow keys move over the squares, Enter places, Delete takes away");
    drawing.addEventListener("click", (event) => {
      const square = this.board.squareAt(event.clientX, event.clientY);
      if (typeof square === "string") this.#put(square);
    });
    drawing.addEventListener("keydown", (event) => this.#key(event));
    this.line = new MessageLine();
    this.done = button("Analyse this position", () => this.act.done(this.#fen), { className: "main", disabled: true });
    this.side = choiceOf("To move", [0, 1].map((side) => [String(side), playerName(about.id, side)]), "0", (side) => {
      this.#change({ side: Number(side) });
    });
    this.hands = html("div", { className: "edited-hands" });
    this.element = html("div", { className: "editor explorer-body" },
      html("div", { className: "board-side" },
        html("div", { className: "controls" }, ...this.board.zoomButtons), this.board.element),
      html("div", { className: "right-side" }, html("h2", {}, "Edit the position"), this.#palettes(), this.hands,
        html("div", { className: "form" }, this.side.element, button("Start position", () => this.#start()),
          button("Clear", () => this.#clear())),
        this.line.element, html("div", { className: "form" }, this.done, button("Cancel", () => this.act.cancel()))));
  }

  /** Shows a view to edit, with pieces in this script. */
  open(view, ruleset, script) {
    this.ruleset = ruleset;
    this.board.write(script);
    this.#writePalettes(script);
    this.#choose(MOVE_TOOL);
    this.#change(view);
  }

  /** All pieces of both players, to choose from. */
  #palettes() {
    const { about } = this;
    const choose = (tool, content, label) => {
      const choice = button("", () => this.#choose(tool), { title: label, "aria-label": label, "aria-pressed": "false" });
      choice.append(content);
      this.tools.set(tool, choice);
      return choice;
    };
    this.drawn = [];
    const of = (side) => about.board.faces.map(({ code }) => {
      const kind = `board ${lookOf(about.id).fonts}`;
      const drawing = svg("svg", { viewBox: "-0.5 -0.5 1 1", class: kind, "aria-hidden": "true" });
      this.drawn.push({ drawing, code, side });
      return choose(side === 0 ? code : code.toLowerCase(), drawing, describe(about.id, this.board.faces, code, side));
    });
    return html("div", { className: "palettes", role: "group", "aria-label": "What a click on the board does" },
      html("div", { className: "palette" }, choose(MOVE_TOOL, "Move", "Move a piece: click it, then its new square"),
        choose(ERASE_TOOL, "Take away", "Take a piece away")),
      ...[1, 0].map((side) =>
        html("div", { className: "palette", role: "group", "aria-label": playerName(about.id, side) }, ...of(side))));
  }

  #writePalettes(script) {
    const { id } = this.about;
    for (const { drawing, code, side } of this.drawn) {
      drawing.replaceChildren(piece(id, code, side, characters(id, script, this.board.faces, code, side)));
    }
  }

  #choose(tool) {
    this.#tool = tool;
    this.#lifted = undefined;
    for (const [name, choice] of this.tools) choice.setAttribute("aria-pressed", String(name === tool));
    this.#mark();
  }

  /** Does with a square what the tool says. */
  #put(square) {
    const at = this.board.indexOf(square);
    const cells = this.view.cells.slice();
    if (this.#tool === MOVE_TOOL) {
      if (this.#lifted === undefined) {
        if (cells[at]) this.#lifted = square;
        return this.#mark();
      }
      const from = this.board.indexOf(this.#lifted);
      if (from === at) {
        this.#lifted = undefined;
        return this.#mark();
      }
      cells[at] = cells[from];
      cells[from] = "";
    } else if (this.#tool === ERASE_TOOL || cells[at] === this.#tool) {
      cells[at] = "";
    } else {
      cells[at] = this.#tool;
    }
    return this.#change({ cells });
  }

  #mark() {
    if (this.view) this.board.mark({ chosen: this.#lifted, cursor: this.#cursor });
  }

  #key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const direction = ARROW_KEYS[event.key];
    const at = this.#cursor ?? this.board.nameOf(0);
    const { files, ranks } = this.about.board;
    if (direction) {
      const index = this.board.indexOf(at);
      const file = Math.min(Math.max(index % files + direction[0], 0), files - 1);
      const rank = Math.min(Math.max(Math.floor(index / files) - direction[1], 0), ranks - 1);
      this.#cursor = this.#cursor === undefined ? at : this.board.nameOf(rank * files + file);
      this.#mark();
    } else if (event.key === "Enter" || event.key === " ") {
      this.#put(at);
    } else if (event.key === "Delete" || event.key === "Backspace") {
      const cells = this.view.cells.slice();
      cells[this.board.indexOf(at)] = "";
      this.#change({ cells });
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  async #start() {
    const standing = await attempt(this.line, () => ask("/api/position", { variant: this.about.id }));
    if (standing) this.#change(standing.view);
  }

  #clear() {
    this.#change({ cells: this.view.cells.map(() => ""), hands: [[], []] });
  }

  /** Shows the position with something changed, and has it checked. */
  async #change(changes) {
    this.#lifted = undefined;
    this.view = { ...this.view, ...changes, last: undefined };
    this.side.select.value = String(this.view.side);
    this.board.show(this.view);
    this.#mark();
    this.done.disabled = true;
    const asked = ++this.#asked;
    const { cells, hands, side } = this.view;
    let answer;
    try {
      answer = await ask("/api/placed", { variant: this.about.id, ruleset: this.ruleset, cells, hands, side });
    } catch (error) {
      if (asked === this.#asked) this.line.complain(error);
      return;
    }
    if (asked !== this.#asked) return;
    this.#showHands(answer.holdable);
    this.#fen = answer.fen;
    this.done.disabled = !answer.fen;
    const ended = answer.outcome ? ` The game is over in it: ${outcomeText(this.about.id, answer.outcome)}.` : "";
    if (answer.fen) this.line.say(`A legal position.${ended}`);
    else this.line.complain(new Refused(`Not a legal position: ${answer.problem}.`));
  }

  /** Buttons for what the players hold. */
  #showHands(holdable) {
    const counts = [0, 1].map((side) => new Map(this.view.hands[side]));
    const shown = JSON.stringify([holdable, this.view.hands]);
    if (this.shownHands === shown) return;
    this.shownHands = shown;
    const focused = document.activeElement?.dataset?.held;
    const sides = holdable.length === 0 ? [] : [1, 0];
    this.hands.replaceChildren(...sides.map((side) => html("div", { className: "edited-hand" },
      html("b", {}, `Hand of ${playerName(this.about.id, side)}`),
      ...holdable.map((code) => {
        const number = counts[side].get(code) ?? 0;
        const name = `${lookOf(this.about.id).names[code] ?? code} in the hand of ${playerName(this.about.id, side)}`;
        const step = (by, text, label) => button(text, () => this.#hold(side, code, number + by, holdable), {
          "aria-label": label, disabled: number + by < 0, "data-held": `${side}${code}${by}`,
        });
        const glyph = characters(this.about.id, this.board.script, this.board.faces, code, side);
        return html("span", { className: "held" }, step(-1, "−", `One less ${name}`),
          html("span", {}, `${glyph} ${number}`), step(1, "+", `One more ${name}`));
      }))));
    if (focused) this.hands.querySelector(`[data-held="${CSS.escape(focused)}"]`)?.focus();
  }

  /** Gives a player so many pieces of a kind; the most valuable stand first, as in a view of the server. */
  #hold(side, code, number, holdable) {
    const counts = new Map(this.view.hands[side]);
    counts.set(code, number);
    const hands = this.view.hands.slice();
    hands[side] = holdable.toReversed().map((held) => [held, counts.get(held) ?? 0]).filter(([, held]) => held > 0);
    this.#change({ hands });
  }
}

