// The explorer: one board, beside it the tree of openings or a game, and what moves through them.

class Explorer {
  #ahead = []; // moves that were taken back, the next one last
  #aheadFrom = 0; // the start position they belong to
  #asked = 0; // questions to the source; an answer is dropped if another was asked since

  constructor(source, about, starts) {
    this.source = source;
    this.starts = starts;
    this.variant = about.variant;
    this.board = new BoardView(about, (uci) => this.#play(uci));
    this.tree = new TreePanel(about.variant, {
      start: (index) => this.#choose(index),
      play: (uci) => this.#play(uci),
      game: (id) => this.#open(id),
      point: (uci) => this.board.point(uci),
    });
    this.viewer = new GamePanel(about.variant, {
      go: (ply) => this.#turnTo(ply),
      leave: () => this.#go(this.line),
    });
    this.element = html("div", { className: "explorer-body" });
    this.crumbs = html("nav", { className: "crumbs", "aria-label": "Moves so far" });
    this.side = html("div", { className: "side" });
    this.element.append(html("div", { className: "board-side" }, this.#controls(), this.board.element), this.side);
    this.element.addEventListener("keydown", (event) => this.#key(event));
  }

  /** Shows the beginning: the choice of setups, or the start position. */
  async begin() {
    await this.#go(this.starts.length > 1 ? undefined : { start: 0, moves: [] });
  }

  #controls() {
    this.toStart = iconButton("start", "To the start (Home)", () => this.#home());
    this.toBack = iconButton("back", "One move back (←)", () => this.#back());
    this.toNext = iconButton("next", "One move on (→): the one taken back, or the most played", () => this.#next());
    this.toEnd = iconButton("end", "To the end (End)", () => this.#end());
    const scripts = scriptsOf(this.variant);
    const choice = html("select", { "aria-label": "Writing on the pieces" },
      ...scripts.map(([value, name]) => html("option", { value }, name)));
    choice.addEventListener("change", () => this.#write(choice.value));
    const [one, other] = this.board.about.faces.map(({ glyphs }) => glyphs[0]).filter((glyph) => [...glyph].length === 1);
    if (one && other && !canWrite(one, other)) {
      choice.value = "letters";
      this.#write("letters");
    }
    return html("div", { className: "controls" }, this.toStart, this.toBack, this.toNext, this.toEnd,
      ...this.board.zoomButtons, html("label", {}, html("span", {}, "Pieces"), choice));
  }

  /** Shows the pieces in another script. With letters, nothing else needs a font with native characters either. */
  #write(script) {
    this.board.write(script);
    this.element.classList.toggle("letters", script === "letters");
  }

  /** Shows a line, or the choice of setups. */
  async #go(line) {
    const asked = ++this.#asked;
    const place = line ?? { start: 0, moves: [] };
    const [position, games] = await Promise.all([this.source.position(place), this.source.games(place)]);
    if (!position || asked !== this.#asked) return;
    this.game = undefined;
    this.line = line;
    if (!line) {
      this.tree.showStarts(this.starts);
      this.position = undefined;
      this.#draw(position.view, []);
      return;
    }
    this.position = position;
    this.tree.showMoves(position, games);
    this.#draw(position.view, position.moves.map(({ uci, text, share, games: each }) =>
      ({ uci, share, label: `${text ? `${text} ` : ""}${uci} · ${counted(each, "game", "games")}, ${percent(share, 1)} %` })));
  }

  #draw(view, arrows) {
    this.side.replaceChildren(this.crumbs, this.tree.element);
    this.board.show(view, arrows);
    this.#showCrumbs();
    const atTop = this.starts.length > 1 ? !this.line : this.line.moves.length === 0;
    this.toStart.disabled = this.toBack.disabled = atTop;
    this.toNext.disabled = Boolean(this.position) && this.position.moves.length === 0;
    this.toEnd.hidden = true;
  }

  #showCrumbs() {
    const crumb = (parts, line, title) => {
      const button = html("button", { type: "button", title }, ...parts);
      const here = this.line === line || (this.line && line && this.line.moves.length === line.moves.length);
      if (here) button.setAttribute("aria-current", "step");
      button.addEventListener("click", () => this.#go(line));
      return button;
    };
    const several = this.starts.length > 1;
    const crumbs = [];
    if (several) crumbs.push(crumb(["Setups"], undefined, "The choice of setups"));
    if (this.line) {
      const { start, moves } = this.line;
      const name = several ? this.starts[start].setups.join(" – ") : "Start";
      crumbs.push(crumb([name], { start, moves: [] }, "The start position"));
      this.position.line.forEach(({ uci, text }, ply) => {
        const number = ply % 2 === 0 ? `${moveNumber(ply)} ` : "";
        crumbs.push(crumb([number, ...moveText({ uci, text })], { start, moves: moves.slice(0, ply + 1) }, uci));
      });
    }
    this.crumbs.replaceChildren(...crumbs);
  }

  /** Goes to a start position. */
  #choose(index) {
    if (index !== this.#aheadFrom) this.#ahead = [];
    this.#aheadFrom = index;
    return this.#go({ start: index, moves: [] });
  }

  async #play(uci) {
    if (!this.line || this.game) return;
    if (this.#ahead.at(-1) === uci) this.#ahead.pop();
    else this.#ahead = [];
    await this.#go({ start: this.line.start, moves: [...this.line.moves, uci] });
  }

  async #open(id) {
    const asked = ++this.#asked;
    const game = await this.source.game(id);
    if (!game || asked !== this.#asked) return;
    this.game = game;
    this.viewer.open(game);
    this.side.replaceChildren(this.viewer.element);
    this.toEnd.hidden = false;
    this.#turnTo(this.line.moves.length);
    this.viewer.element.querySelector("button").focus({ preventScroll: true });
  }

  /** Shows the game after so many plies. */
  #turnTo(ply) {
    const last = this.game.plies.length;
    this.ply = Math.min(Math.max(ply, 0), last);
    const next = this.game.plies[this.ply];
    this.board.show(this.game.views[this.ply], next ? [{ uci: next.uci, share: 0.3, label: next.text ?? next.uci }] : []);
    this.viewer.mark(this.ply);
    this.toStart.disabled = this.toBack.disabled = this.ply === 0;
    this.toNext.disabled = this.toEnd.disabled = this.ply === last;
  }

  #home() {
    if (this.game) return this.#turnTo(0);
    this.#ahead = [];
    return this.begin();
  }

  #end() {
    if (this.game) this.#turnTo(this.game.plies.length);
  }

  #back() {
    if (this.game) return this.#turnTo(this.ply - 1);
    if (!this.line) return undefined;
    const { start, moves } = this.line;
    this.#aheadFrom = start;
    if (moves.length === 0) return this.starts.length > 1 ? this.#go(undefined) : undefined;
    this.#ahead.push(moves.at(-1));
    return this.#go({ start, moves: moves.slice(0, -1) });
  }

  #next() {
    if (this.game) return this.#turnTo(this.ply + 1);
    if (!this.line) return this.#choose(this.#aheadFrom);
    const moves = this.position.moves.map((move) => move.uci);
    const again = moves.find((uci) => uci === this.#ahead.at(-1));
    return moves.length > 0 ? this.#play(again ?? moves[0]) : undefined;
  }

  #key(event) {
    const acts = {
      ArrowLeft: () => this.#back(), ArrowRight: () => this.#next(), Home: () => this.#home(), End: () => this.#end(),
    };
    const act = acts[event.key];
    if (!act || event.target.closest("select") || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    // What had the focus may be gone afterwards; the keys go on with the board.
    if (!this.board.drawing.contains(document.activeElement)) this.board.drawing.focus({ preventScroll: true });
    act();
  }
}

/** Puts an explorer that asks `source` into an element of the page. */
async function show(source, place) {
  const [about, starts] = await Promise.all([source.about(), source.starts()]);
  const explorer = new Explorer(source, about, starts);
  await explorer.begin();
  place.replaceChildren(explorer.element);
}

await show(
  new EmbeddedSource(JSON.parse(document.getElementById("explorer-data").textContent)),
  document.getElementById("explorer"),
);
