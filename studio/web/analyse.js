// The page on which a position or a game is analysed.

/** Milliseconds after which the address says what is shown: browsers refuse many such notes in a short time. */
const NOTE_DELAY = 150;

class AnalysisPage {
  #asked = 0; // positions asked for; an answer is dropped if another was asked since
  #timer; // of the next note in the address
  #byKeys = false; // whether the person moves the focus with the keyboard

  constructor(place, all) {
    this.all = all;
    this.place = place;
    this.message = new MessageLine();
    this.reading = new ReadingBox({
      variant: () => this.about?.id,
      load: (variant, game) => this.load({ variant, ...game }, { ply: 0, title: gameTitle(variant, game) }),
    });
    this.top = html("div", { className: "form" });
    this.body = html("div");
    place.replaceChildren(html("h1", {}, "Analyse"), this.top, this.message.element,
      html("div", { className: "explorer analyse" }, this.body), this.reading.element);
    addEventListener("keydown", (event) => this.#key(event), { capture: true });
    addEventListener("keyup", (event) => this.#isToggle(event) && event.preventDefault(), { capture: true });
    addEventListener("pointerdown", () => { this.#byKeys = false; }, { capture: true });
    addEventListener("hashchange", () => this.open());
  }

  /** Shows what the address says, or the start position of the first variant. */
  async open() {
    const said = addressed();
    // The explorer's addresses have points between the moves.
    const list = (text = "") => (/\s/.test(text) ? text : text.replaceAll(/[,.]/g, " ")).trim();
    const spec = {
      variant: said.variant ?? this.about?.id ?? this.all[0].id,
      ruleset: said.ruleset, fen: said.fen, setups: said.setups, moves: list(said.moves),
    };
    const ply = said.ply === undefined ? undefined : Number(said.ply) || 0;
    if (await this.load(spec, { ply })) return;
    // What is wrong with it is said; the board must show something.
    const complaint = this.message.element.textContent;
    const variant = this.all.some(({ id }) => id === spec.variant) ? spec.variant : this.all[0].id;
    await this.load({ variant }, {});
    this.message.complain(new Refused(complaint));
  }

  /** Loads a game: { variant, ruleset, fen, setups, moves }. Shows the position after `ply` moves, or the last one.
   * Gives whether the server could read it. */
  async load({ variant, ruleset, fen, setups, moves = "" }, { ply, title = "" }) {
    const spec = { variant, ruleset: ruleset || undefined, fen: fen || undefined, setups: setups || undefined, moves };
    const standing = await attempt(this.message, () => ask("/api/position", spec));
    if (!standing) {
      if (this.start) this.ruleset.select.value = this.start.ruleset;
      return false;
    }
    if (this.about?.id !== variant) this.#show(this.all.find(({ id }) => id === variant));
    this.#leaveEditor();
    this.start = { variant, ruleset: standing.ruleset, fen: standing.start_fen };
    this.tree = new VariationTree(standing.played);
    const { root, last } = this.tree;
    // The side to move at the start follows from that at the end.
    this.side = (standing.side + last.ply) % 2;
    last.standing = standing;
    if (standing.outcome) last.value = OUTCOMES[standing.outcome.result];
    this.ruleset.select.value = standing.ruleset;
    if (this.ruleset.select.selectedIndex < 0) {
      this.ruleset.select.append(html("option", { value: standing.ruleset }, standing.ruleset));
      this.ruleset.select.value = standing.ruleset;
    }
    this.setups.forEach(({ select }, side) => { select.value = setups?.split(",")[side] ?? ""; });
    this.title.textContent = title;
    this.title.hidden = !title;
    this.review.clear();
    this.list.draw(this.tree, this.side);
    const line = this.tree.lineThrough(root);
    await this.go(line[Math.min(Math.max(ply ?? last.ply, 0), last.ply)]);
    return true;
  }

  /** Builds the page for a variant. */
  #show(about) {
    this.lines?.switch(false);
    this.review?.stop();
    this.about = about;
    const { id, board } = about;
    this.board = new BoardView(board);
    this.input = new MoveInput(this.board, { played: (uci) => this.#played(uci) });
    this.bar = new ChanceBar(id);
    this.list = new VariationList({ go: (node) => this.go(node) });
    this.lines = new LinesPanel(about, {
      aim: (arrows) => this.board.aim(arrows),
      valued: (wdl) => {
        this.bar.show(wdl);
        this.shown.value = expectedOf(wdl);
      },
      play: (moves) => this.#playLine(this.shown, moves),
    });
    this.review = new ReviewPanel(about, {
      go: (node) => this.go(node),
      play: (node, moves) => this.#playLine(node, moves),
      line: () => this.tree.lineThrough(this.node),
      spec: (line) => ({ ...this.start, moves: line.slice(1).map(({ uci }) => uci).join(" ") }),
      network: () => this.lines.network.select.value,
      changed: (node) => this.list.update(node),
      holds: (node) => this.tree.holds(node),
      side: () => this.side,
    });
    this.#fillTop();
    this.#fillBody();
  }

  /** The choice of variant, rules and start. */
  #fillTop() {
    const { about } = this;
    const titles = this.all.map(({ id, title }) => [id, title]);
    const variant = choiceOf("Variant", titles, about.id, (id) => this.load({ variant: id }, {}));
    this.ruleset = choiceOf("Rules", about.rulesets.map((name) => [name, name]), undefined, (ruleset) => {
      const line = this.tree.lineThrough(this.node);
      const moves = line.slice(1).map(({ uci }) => uci).join(" ");
      this.load({ ...this.start, ruleset, moves }, { ply: this.node.ply, title: this.title.textContent });
    });
    // Nothing is chosen until a person does: a game that was loaded may have begun in any way.
    const options = [["", "—"], ...about.setups.map(({ name, title }) => [name, title])];
    this.setups = about.setups.length === 0 ? [] : [0, 1].map((side) =>
      choiceOf(`Setup of ${playerName(about.id, side)}`, options, "", () => {
        const [first, second] = this.setups.map(({ select }) => select.value);
        const chosen = `${first || second},${second || first}`;
        this.load({ variant: about.id, ruleset: this.start.ruleset, setups: chosen }, {});
      }));
    this.top.replaceChildren(variant.element, this.ruleset.element, ...this.setups.map(({ element }) => element),
      button("Start position", () => this.load({ variant: about.id, ruleset: this.start.ruleset }, {})),
      button("Edit the position", () => this.#edit(), { className: "edit" }));
  }

  #fillBody() {
    const { about, board } = this;
    this.steps = stepButtons((key) => this.#step(key));
    const turn = button("Turn", () => board.turn(!board.flipped), { title: "Turn the board" });
    const grid = html("div", { className: "explorer-body" });
    this.promote = button("Promote", () => this.#promote(), { title: "Make this variation the main line" });
    this.remove = button("Delete", () => this.#remove(), { title: "Delete this move and all after it" });
    this.status = html("p", { className: "status", "aria-live": "polite" });
    this.title = html("p", { className: "game-title", hidden: true });
    this.fen = html("input", { type: "text", readOnly: true, className: "fen", "aria-label": "FEN of the position" });
    this.play = html("a", { className: "to-play" }, "Play from here");
    const copy = (text) => () => this.#copy(text());
    const line = (write) => this.tree.lineThrough(this.shown).slice(1).map(write).join(" ");
    const copies = [button("Copy FEN", copy(() => this.fen.value), { className: "copy-fen" }),
      button("Copy moves (UCI)", copy(() => line(({ uci }) => uci)), { className: "copy-moves" })];
    if (about.board.notation) {
      copies.push(button(`Copy moves (${about.board.notation})`, copy(() => line(({ uci, text }) => text ?? uci))));
    }
    const moves = html("section", { className: "panel moves-panel" }, this.title, this.status, this.list.element,
      html("div", { className: "tools" }, this.promote, this.remove, this.play),
      html("div", { className: "tools" }, this.fen, ...copies));
    const note = html("p", { className: "note" }, "Keys: ← and → for one move, Home and End, space for the analysis.");
    grid.append(
      html("div", { className: "board-side" },
        html("div", { className: "controls" }, ...Object.values(this.steps), ...board.zoomButtons, turn,
          html("label", {}, html("span", {}, "Pieces"), scriptChoice(board, grid))),
        this.bar.element, board.element, this.input.element),
      html("div", { className: "right-side" }, this.lines.element, moves, this.review.element, note));
    this.body.replaceChildren(grid);
  }

  /** The game up to a node, as the server asks for it. */
  #specOf(node) {
    const moves = this.tree.pathTo(node).slice(1).map(({ uci }) => uci).join(" ");
    return { ...this.start, moves };
  }

  /** Shows the position of a node, unless it was deleted. It is `node` at once, and `shown` when the server has answered. */
  async go(node) {
    if (!this.tree.holds(node)) return;
    const asked = ++this.#asked;
    this.node = node;
    node.standing ??= await attempt(this.message, () => ask("/api/position", this.#specOf(node)));
    const { standing } = node;
    if (asked !== this.#asked || !standing) return;
    this.shown = node;
    standing.ply = node.ply + this.side;
    this.board.show(standing.view);
    this.input.show(standing.moves, !standing.outcome);
    this.list.mark(node);
    this.fen.value = standing.fen;
    const { variant, ruleset } = this.start;
    this.play.href = `/play#${new URLSearchParams({ variant, ruleset, fen: standing.fen })}`;
    this.play.hidden = Boolean(standing.outcome);
    this.status.textContent = this.#told(standing);
    if (standing.outcome) node.value = OUTCOMES[standing.outcome.result];
    if (node.value === undefined) this.bar.clear();
    else this.bar.showScore(node.value);
    const isFirst = !node.parent;
    const { board, steps: { start, back, next, end } } = this;
    const isLast = node.children.length === 0;
    disable([
      [start, isFirst], [back, isFirst], [this.remove, isFirst], [next, isLast], [end, isLast],
      [this.promote, !this.tree.variationOf(node)],
    ], board.drawing);
    this.review.show(this.tree.lineThrough(node), node);
    this.lines.show(this.#specOf(node), standing);
    this.#noteSoon();
  }

  /** A position in words. */
  #told({ outcome, side, check, repetitions }) {
    if (outcome) return `The game is over: ${outcomeText(this.about.id, outcome)}.`;
    const often = repetitions > 0 ? ` The position stood ${counted(repetitions, "time", "times")} before.` : "";
    return `${playerName(this.about.id, side)} to move${check ? ", in check" : ""}.${often}`;
  }

  #noteSoon() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const moves = this.tree.lineThrough(this.node).slice(1).map(({ uci }) => uci).join(" ");
      const fen = this.start.fen === this.about.fen ? undefined : this.start.fen;
      noteAddress({ ...this.start, fen, moves, ply: moves ? this.node.ply : undefined });
    }, NOTE_DELAY);
  }

  /** A move was made on the board. */
  #played(uci) {
    const move = this.shown.standing.moves.find((one) => one.uci === uci);
    this.#playLine(this.shown, [move ?? { uci }]);
  }

  /** Adds a line after a node, unless that was deleted, and goes to its end. */
  #playLine(node, moves) {
    if (!this.tree.holds(node)) return undefined;
    let at = node;
    let isNew = false;
    for (const move of moves) {
      const before = at.children.length;
      const next = this.tree.play(at, move);
      isNew ||= at.children.length > before;
      at = next;
    }
    if (isNew) this.list.draw(this.tree, this.side);
    return this.go(at);
  }

  #promote() {
    this.tree.promote(this.node);
    this.list.draw(this.tree, this.side);
    this.go(this.node);
  }

  #remove() {
    if (!this.node.parent) return;
    const before = this.tree.remove(this.node);
    this.list.draw(this.tree, this.side);
    this.review.refresh();
    this.go(before);
  }

  async #copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      this.message.say("Copied.");
    } catch {
      this.message.say(`The browser does not let the page copy. Copy it from here: ${text}`);
    }
  }

  /** What a key does. */
  #step(key) {
    const { node } = this;
    const line = this.tree.lineThrough(node);
    const to = { ArrowLeft: node.parent, ArrowRight: node.children[0], Home: line[0], End: line.at(-1) }[key];
    if (to && to !== node) this.go(to);
  }

  /** Whether a key is one that the element with the focus needs itself. */
  #isTaken(event) {
    const { target, key } = event;
    if (!this.tree || this.editor || isTyped(event) || target.closest?.("[role=dialog]")) return true;
    // Clicks leave the focus where they were, and the next key is meant for the game.
    if (!this.#byKeys) return false;
    return this.board.drawing.contains(target) || (key === " " && Boolean(target.closest?.("button, summary, a")));
  }

  #isToggle(event) {
    return event.key === " " && !this.#isTaken(event);
  }

  #key(event) {
    if (event.key === "Tab") this.#byKeys = true;
    if (!["ArrowLeft", "ArrowRight", "Home", "End", " "].includes(event.key) || this.#isTaken(event)) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key !== " ") this.#step(event.key);
    else if (!event.repeat) this.lines.switch(!this.lines.on);
  }

  /** Opens the editor with the position shown. */
  #edit() {
    const { standing } = this.shown;
    if (this.editor) return;
    this.lines.switch(false);
    this.review.stop();
    this.editor = new BoardEditor(this.about, {
      done: (fen) => this.load({ variant: this.about.id, ruleset: this.start.ruleset, fen }, {}),
      cancel: () => this.#leaveEditor(),
    });
    this.editor.open(standing.view, this.start.ruleset, this.board.script);
    this.body.firstElementChild.hidden = true;
    this.body.append(this.editor.element);
  }

  #leaveEditor() {
    this.editor?.element.remove();
    this.editor = undefined;
    this.body.firstElementChild.hidden = false;
  }
}

async function showAnalyse(place) {
  await new AnalysisPage(place, await variants()).open();
}

