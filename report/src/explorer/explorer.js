// The explorer: one board, beside it the tree of openings or a game, and what moves through them.

class Explorer {
  #ahead = []; // moves that were taken back, the next one last
  #aheadFrom = 0; // the start position they belong to
  #asked = 0; // questions to the source; an answer is dropped if another was asked since
  #timer; // of the next note in the address
  #wanted = {}; // the conditions of the games that are counted

  /** `beside` is a panel that is told of every position: { element, show({ ruleset, fen, setups, moves }) }, with the
   * rule set of a game that was played there, and the FEN of a game that began elsewhere. */
  constructor(source, about, starts, facets, beside) {
    this.source = source;
    this.beside = beside;
    this.starts = starts;
    this.variant = about.variant;
    this.board = new BoardView(about, (uci) => this.#play(uci));
    this.tree = new TreePanel(about.variant, {
      start: (index) => this.#begin(index),
      play: (uci) => this.#play(uci),
      game: ({ id, ply }) => this.#open(id, ply, true),
      point: (uci) => this.board.point(uci),
    });
    this.viewer = new GamePanel(about.variant, {
      go: (ply) => this.#turnTo(ply),
      leave: () => this.#walk(this.line),
    });
    this.filters = new FilterPanel(about.variant, facets, (wanted) => this.#choose(wanted));
    this.element = html("div", { className: "explorer-body" });
    this.crumbs = html("nav", { className: "crumbs", "aria-label": "Moves so far" });
    this.side = html("div", { className: "side" });
    const right = html("div", { className: "right-side" },
      this.filters.element, ...(beside ? [beside.element] : []), this.side);
    this.element.append(html("div", { className: "board-side" }, this.#controls(), this.board.element), right);
    this.element.addEventListener("keydown", (event) => this.#key(event));
  }

  /** Shows what an address says; the beginning, if it says nothing. */
  async open(hash) {
    const link = readLink(hash);
    const wanted = link?.wanted ?? {};
    await this.#count(wanted);
    this.filters.show(wanted);
    if (!link || (!link.moves.length && !link.setups && !link.game)) return this.begin();
    const setups = (one) => String(one.setups ?? "");
    const start = Math.max(this.starts.findIndex((one) => setups(one) === String(link.setups ?? "")), 0);
    const line = { start, moves: link.moves };
    // A line that the tree does not have is shown as far as it has it.
    while (line.moves.length > 0 && !await this.source.position(line)) line.moves = line.moves.slice(0, -1);
    await this.#go(line);
    if (link.game) await this.#open(link.game, link.ply);
  }

  /** Notes what is shown in the address, as a step that the browser can take back, or in place of the last one. */
  #note(step = true) {
    clearTimeout(this.#timer);
    const { line, game, ply } = this;
    const setups = line && this.starts.length > 1 ? this.starts[line.start].setups : undefined;
    const link = linkOf({ setups, line, game, ply, wanted: this.#wanted });
    if (link !== location.hash) history[step ? "pushState" : "replaceState"](null, "", link);
  }

  /** Notes in place of the last step, a little later: browsers refuse many such notes in a short time. */
  #noteSoon() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#note(false), 150);
  }

  /** Counts only games that meet these conditions. */
  async #count(wanted) {
    const games = await this.source.choose(wanted);
    this.starts = await this.source.starts();
    this.#wanted = wanted;
    this.filters.tell(games, Object.keys(wanted).length > 0);
  }

  /** Counts other games, and stays at the position. */
  async #choose(wanted) {
    await this.#count(wanted);
    await this.#go(this.line);
    this.#noteSoon();
  }

  /** Shows a line or the choice of setups, as a step. */
  async #walk(line) {
    await this.#go(line);
    this.#note();
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
    return html("div", { className: "controls" }, this.toStart, this.toBack, this.toNext, this.toEnd,
      ...this.board.zoomButtons, html("label", {}, html("span", {}, "Pieces"), scriptChoice(this.board, this.element)));
  }

  /** Shows a line, or the choice of setups. */
  async #go(line) {
    const asked = ++this.#asked;
    const place = line ?? { start: 0, moves: [] };
    const [position, games, development] = await Promise.all(
      [this.source.position(place), this.source.games(place), this.source.development(place)]);
    if (!position || asked !== this.#asked) return;
    this.game = undefined;
    this.line = line;
    this.beside?.show(line && { ruleset: games[0]?.facts.ruleset?.[0], setups: position.setups, moves: line.moves });
    if (!line) {
      this.tree.showStarts(this.starts);
      this.position = undefined;
      this.#draw(position.view, []);
      return;
    }
    this.position = position;
    this.tree.showMoves(position, games, development, isSum(this.starts[line.start]));
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
      button.addEventListener("click", () => this.#walk(line));
      return button;
    };
    const several = this.starts.length > 1;
    const crumbs = [];
    if (several) crumbs.push(crumb(["Setups"], undefined, "The choice of setups"));
    if (this.line) {
      const { start, moves } = this.line;
      const all = isSum(this.starts[start]);
      const name = all ? "All setups" : several ? this.starts[start].setups.join(" – ") : "Start";
      crumbs.push(crumb([name], { start, moves: [] }, "The start position"));
      this.position.line.forEach(({ uci, text }, ply) => {
        const number = ply % 2 === 0 ? `${moveNumber(ply)} ` : "";
        crumbs.push(crumb([number, ...moveText({ uci, text })], { start, moves: moves.slice(0, ply + 1) }, uci));
      });
    }
    this.crumbs.replaceChildren(...crumbs);
  }

  /** Goes to a start position. */
  #begin(index) {
    if (index !== this.#aheadFrom) this.#ahead = [];
    this.#aheadFrom = index;
    return this.#walk({ start: index, moves: [] });
  }

  async #play(uci) {
    if (!this.line || this.game) return;
    if (this.#ahead.at(-1) === uci) this.#ahead.pop();
    else this.#ahead = [];
    await this.#walk({ start: this.line.start, moves: [...this.line.moves, uci] });
  }

  /** Opens a game, after as many plies as the line of the tree has unless others are named. */
  async #open(id, ply, isClicked = false) {
    const asked = ++this.#asked;
    const game = await this.source.game(id);
    if (!game || asked !== this.#asked) return;
    this.game = game;
    this.viewer.open(game);
    this.side.replaceChildren(this.viewer.element);
    this.toEnd.hidden = false;
    this.ply = ply ?? this.line.moves.length;
    this.#note();
    this.#turnTo(this.ply);
    if (isClicked) this.viewer.element.querySelector("button").focus({ preventScroll: true });
  }

  /** Shows the game after so many plies. */
  #turnTo(ply) {
    const last = this.game.plies.length;
    this.ply = Math.min(Math.max(ply, 0), last);
    const next = this.game.plies[this.ply];
    this.board.show(this.game.views[this.ply], next ? [{ uci: next.uci, share: 0.3, label: next.text ?? next.uci }] : []);
    this.viewer.mark(this.ply);
    const { facts, fen, setups, plies } = this.game;
    this.beside?.show({ ruleset: facts.ruleset?.[0], fen, setups, moves: plies.slice(0, this.ply).map(({ uci }) => uci) });
    this.#noteSoon();
    this.toStart.disabled = this.toBack.disabled = this.ply === 0;
    this.toNext.disabled = this.toEnd.disabled = this.ply === last;
  }

  #home() {
    if (this.game) return this.#turnTo(0);
    this.#ahead = [];
    return this.begin().then(() => this.#note());
  }

  #end() {
    if (this.game) this.#turnTo(this.game.plies.length);
  }

  #back() {
    if (this.game) return this.#turnTo(this.ply - 1);
    if (!this.line) return undefined;
    const { start, moves } = this.line;
    this.#aheadFrom = start;
    if (moves.length === 0) return this.starts.length > 1 ? this.#walk(undefined) : undefined;
    this.#ahead.push(moves.at(-1));
    return this.#walk({ start, moves: moves.slice(0, -1) });
  }

  #next() {
    if (this.game) return this.#turnTo(this.ply + 1);
    if (!this.line) return this.#begin(this.#aheadFrom);
    const moves = this.position.moves.map((move) => move.uci);
    const again = moves.find((uci) => uci === this.#ahead.at(-1));
    return moves.length > 0 ? this.#play(again ?? moves[0]) : undefined;
  }

  #key(event) {
    if (event.target.closest("select, input") || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "ArrowUp" || event.key === "ArrowDown") return this.#step(event);
    const acts = {
      ArrowLeft: () => this.#back(), ArrowRight: () => this.#next(), Home: () => this.#home(), End: () => this.#end(),
    };
    const act = acts[event.key];
    if (!act) return;
    event.preventDefault();
    // What had the focus may be gone afterwards; the keys then act on the board.
    if (!this.board.drawing.contains(document.activeElement)) this.board.drawing.focus({ preventScroll: true });
    act();
  }

  /** Goes to the row above or below in a table or a list. */
  #step(event) {
    const list = event.target.closest(".choices, .games");
    if (!list || !event.target.closest(".choice")) return;
    const rows = [...list.querySelectorAll(".choice")];
    const next = rows[rows.indexOf(event.target.closest(".choice")) + (event.key === "ArrowUp" ? -1 : 1)];
    if (!next) return;
    event.preventDefault();
    next.focus();
  }
}

/** Puts an explorer that asks `source` into an element of the page. Returns what makes it follow the address no longer. */
async function show(source, place, beside) {
  const [about, starts, facets] = await Promise.all([source.about(), source.starts(), source.facets()]);
  const explorer = new Explorer(source, about, starts, facets, beside);
  await explorer.open(location.hash);
  place.replaceChildren(explorer.element);
  if (readLink(location.hash)) place.scrollIntoView();
  // An address without "=" is that of a section.
  const follow = () => {
    if (location.hash === "" || readLink(location.hash)) explorer.open(location.hash);
  };
  addEventListener("popstate", follow);
  return () => removeEventListener("popstate", follow);
}
