// Games of a person against a level or a network.

/** A draw is accepted after so many plies, if the opponent expects a score between these. */
const DRAW_AFTER = 60;
const DRAW_SCORES = [0.4, 0.6];

/** A game against an opponent, from its first move to its end. */
class PlayedGame {
  #begins = 0; // the side that made the first move
  #turn = 0; // positions asked for; an answer is dropped if another was asked for since
  #abort = new AbortController(); // of the questions about the present position
  #standing; // the position the game stands at
  #shown; // plies of the position on the board
  #viewed; // those of the position that was asked for last

  constructor(settings, about) {
    this.settings = settings;
    this.about = about;
    this.board = new BoardView(about.board);
    this.board.turn(settings.mine === 1);
    this.input = new MoveInput(this.board, { played: (uci) => this.#play(uci) });
    this.message = new MessageLine();
    this.status = html("p", { className: "game-status" });
    this.spoken = html("p", { className: "unseen", "aria-live": "polite" });
    this.again = button("Try again", () => this.#refresh(), { hidden: true, className: "try-again" });
    this.players = [0, 1].map((side) => {
      const [name, clock] = [this.#nameOf(side), html("span", { className: "clock", role: "timer" })];
      const row = html("p", { className: "player" }, html("span", { className: "name" }, name), clock);
      return { name, clock, row };
    });
    this.list = html("ol", { className: "moves-list", tabIndex: -1 });
    this.chances = html("div", { className: "chances-now" });
    this.analyse = html("a", { className: "to-analysis" }, "Analyse this game");
    this.element = html("div", { className: "play" });
    this.element.append(
      html("div", { className: "play-board" }, this.board.element, this.#boardControls(), this.input.element),
      html("div", { className: "side" }, this.status, this.again, this.message.element, this.#actions(), this.chances,
        this.#steps(), this.list, this.#saving(), this.analyse, this.spoken));
    this.#seat();
    this.element.addEventListener("keydown", (event) => this.#key(event));
    const times = settings.times();
    this.clock = times && new GameClock(times, {
      show: () => this.#showClock(),
      over: (side) => this.#end(["second", "first"][side], "error"),
    });
  }

  /** Begins, or resumes where the address says. */
  open() {
    return this.#refresh();
  }

  /** Ends what runs by itself. */
  close() {
    this.#turn++;
    this.#abort.abort();
    this.clock?.close();
  }

  #nameOf(side) {
    const { about, settings: { mine, level, network, seconds, visits } } = this;
    const player = playerName(about.id, side);
    if (side === mine) return `You · ${player}`;
    if (level) return `Level ${level} · ${player}`;
    const title = about.networks.find(({ id }) => id === network)?.title ?? network;
    const limit = seconds ? `${seconds} s` : counted(Number(visits) || USUAL_VISITS, "visit", "visits");
    return `Kirin (${title}, ${limit}) · ${player}`;
  }

  #actions() {
    this.buttons = {
      back: button("Take back", () => this.#takeBack(), { className: "take-back" }),
      draw: button("Offer a draw", () => this.#offerDraw(), { className: "offer-draw" }),
      resign: button("Resign", () => this.#resign(), { className: "resign" }),
      chances: button("Winning chances", () => this.#look(false), { className: "show-chances" }),
      hint: button("Hint", () => this.#look(true), { className: "show-hint" }),
    };
    const renew = html("a", { className: "renew", href: this.settings.renewed() }, "New game");
    return html("div", { className: "buttons" }, ...Object.values(this.buttons), renew);
  }

  #steps() {
    const steps = stepButtons((key) => this.#view(plyAfter(key, this.#viewed)), "To the present position (End)");
    return html("div", { className: "buttons", role: "group", "aria-label": "Steps through the game" },
      ...Object.values(steps));
  }

  #boardControls() {
    const turned = button("Turn the board", () => {
      this.board.turn(!this.board.flipped);
      this.#seat();
    }, { className: "turn-board" });
    return html("div", { className: "buttons board-controls" }, scriptChoice(this.board, this.element), turned,
      ...this.board.zoomButtons);
  }

  /** Puts the players' names above and below the board. */
  #seat() {
    const [above, below] = this.board.flipped ? [0, 1] : [1, 0];
    this.board.element.before(this.players[above].row);
    this.board.element.after(this.players[below].row);
  }

  #saving() {
    const { notations } = this.about;
    const own = notations.map(({ name }) => name);
    const files = ["kif", "csa"].filter((name) => own.includes(name));
    const named = (name) => (name.length > 4 ? name[0].toUpperCase() + name.slice(1) : name.toUpperCase());
    const options = [
      ...notations.filter(({ pgn }) => pgn).map(({ name }) => [`pgn ${name}`, `PGN, moves in ${named(name)}`]),
      ...files.map((name) => [name, name.toUpperCase()]),
      ...own.filter((name) => !files.includes(name)).map((name) => [name, `Only the moves, in ${named(name)}`]),
      ["fen", "Position as FEN"],
    ];
    this.format = html("select", { "aria-label": "Format" },
      ...options.map(([value, name]) => html("option", { value }, name)));
    const save = button("Save the game", () => this.#save(), { className: "save-game" });
    return html("div", { className: "buttons" }, this.format, save);
  }

  /** The end of the game: { result, termination, points }; undefined while it is played. */
  get #outcome() {
    const [result, termination] = (this.settings.ended ?? "").split(" ");
    return this.#standing?.outcome ?? (result ? { result, termination } : undefined);
  }

  /** Whether the person is to move. */
  get #isMine() {
    return this.#standing.side === this.settings.mine;
  }

  /** Asks for the position of the game and continues from there. */
  async #refresh() {
    const turn = ++this.#turn;
    this.#abort.abort();
    this.#abort = new AbortController();
    this.again.hidden = true;
    const standing = await attempt(this.message, () => ask("/api/position", this.settings.spec()));
    if (turn !== this.#turn) return;
    if (!standing) {
      this.again.hidden = false;
      return;
    }
    this.#standing = standing;
    this.#begins = (standing.side + standing.played.length) % 2;
    this.settings.note();
    this.thinking = `${playerName(this.about.id, standing.side)} is thinking…`;
    this.chances.replaceChildren();
    this.#drawList();
    this.#draw(standing, this.settings.moves.length);
    this.#say();
    if (this.#outcome) return this.clock?.stop(false);
    this.clock?.start(standing.side);
    if (!this.#isMine) await this.#reply(turn);
  }

  /** Lets the opponent move. */
  async #reply(turn) {
    const { settings } = this;
    const question = { ...settings.spec(), ...settings.opponent(this.clock?.left[1 - settings.mine]) };
    const { side } = this.#standing;
    const name = playerName(this.about.id, side);
    const say = (text) => {
      this.thinking = text;
      if (this.#isPresent) this.status.textContent = text;
    };
    const told = {
      // The time of a queue is no player's.
      waiting: (text) => {
        this.clock?.stop(false);
        say(`${name}: ${text}`);
        this.spoken.textContent = text;
      },
      searching: (visits) => {
        if (this.clock && this.clock.running !== side) this.clock.start(side);
        say(`${name} is thinking…${visits && ` ${visits}`}`);
      },
    };
    const reply = await attempt(this.message, () => replyTo(question, told, this.#abort.signal));
    if (turn !== this.#turn) return;
    if (reply) return this.#play(reply.best.uci);
    this.clock?.stop(false);
    this.again.hidden = false;
  }

  /** Whether the board shows the present position. */
  get #isPresent() {
    return this.#shown === this.settings.moves.length;
  }

  /** A move was made by either side. */
  #play(uci) {
    this.clock?.stop(true);
    if (this.#outcome) return;
    this.settings.moves.push(uci);
    this.#refresh();
  }

  /** Draws a position of the game; the person moves in the present one. */
  #draw(standing, plies) {
    const { moves, mine, ended } = this.settings;
    this.#shown = this.#viewed = plies;
    const [isPresent, end] = [this.#isPresent, this.#outcome];
    const state = end ? "over" : this.#isMine ? "yours" : "theirs";
    Object.assign(this.element.dataset, { plies: moves.length, state });
    this.board.show(standing.view);
    this.input.show(isPresent ? standing.moves : [], isPresent && state === "yours");
    const { back, draw, resign, chances, hint } = this.buttons;
    const isKept = !moves.some((_, ply) => this.#sideAt(ply) === mine) || Boolean(ended?.endsWith(" error"));
    const [isOver, isUnasked] = [Boolean(end), !isPresent || state !== "yours"];
    disable([[back, isKept], [draw, isOver], [resign, isOver], [chances, isUnasked], [hint, isUnasked]],
      this.board.drawing);
    const name = playerName(this.about.id, standing.side);
    const now = end ? this.#endText(end) : state === "yours" ? `Your move, ${name}.` : this.thinking;
    const check = standing.check && !end ? " Check!" : "";
    this.status.textContent = isPresent ? now + check : `After ${counted(plies, "ply", "plies")} of ${moves.length}.`;
    const said = Object.entries(this.settings.spec()).filter(([, text]) => text);
    this.analyse.href = `/analyse#${new URLSearchParams(said)}`;
    this.list.querySelectorAll("button").forEach((choice, at) => {
      if (at === plies - 1) choice.setAttribute("aria-current", "step");
      else choice.removeAttribute("aria-current");
    });
  }

  /** The side that made the move of a ply. */
  #sideAt(ply) {
    return (this.#begins + ply) % 2;
  }

  #endText(end) {
    const won = { first: 0, second: 1 }[end.result];
    const how = won === undefined ? "" : won === this.settings.mine ? "You won: " : "You lost: ";
    const termination = { error: "time", adjudicated: "by agreement" }[end.termination] ?? end.termination;
    const points = end.points ? ` Points: ${end.points.join(" to ")}.` : "";
    return `${how}${outcomeText(this.about.id, { result: end.result, termination })}.${points}`;
  }

  /** Tells the last move to those who hear the page. */
  #say() {
    const { played } = this.#standing;
    const last = played.at(-1);
    const by = last && this.#sideAt(played.length - 1) === this.settings.mine ? "You played" : "The opponent played";
    const native = last?.text ? `${last.text}, ` : "";
    this.spoken.textContent = `${last ? `${by} ${native}${last.uci}. ` : ""}${this.status.textContent}`;
  }

  #drawList() {
    const choices = this.#standing.played.map((move, at) => {
      const choice = html("button", { type: "button", className: "choice" }, ...moveText(move));
      choice.addEventListener("click", () => this.#view(at + 1));
      return choice;
    });
    if (choices.length > 0 && this.#begins === 1) choices.unshift(html("span", { className: "choice" }, "…"));
    const rows = [];
    for (let at = 0; at < choices.length; at += 2) rows.push(html("li", {}, ...choices.slice(at, at + 2)));
    this.list.replaceChildren(...rows);
    this.list.hidden = rows.length === 0;
    this.list.scrollTop = this.list.scrollHeight;
  }

  /** Shows the position after so many plies, or the nearest there is. */
  async #view(wanted) {
    const last = this.settings.moves.length;
    const plies = Math.min(Math.max(wanted, 0), last);
    if (plies === this.#viewed || !this.#standing) return;
    this.#viewed = plies;
    const turn = this.#turn;
    const standing = plies === last ? this.#standing
      : await attempt(this.message, () => ask("/api/position", this.settings.spec(plies)));
    if (plies !== this.#viewed || turn !== this.#turn) return;
    if (standing) this.#draw(standing, plies);
    else this.#viewed = this.#shown;
  }

  #key(event) {
    const plies = plyAfter(event.key, this.#viewed);
    if (plies === undefined || isTyped(event)) return;
    event.preventDefault();
    this.#view(plies);
  }

  /** Ends the game for a reason that is not in the moves. */
  #end(result, termination) {
    if (this.#outcome) return;
    this.settings.ended = `${result} ${termination}`;
    this.#refresh();
  }

  #resign() {
    this.#end(["second", "first"][this.settings.mine], "resign");
  }

  /** Takes back the person's last move, with what followed it. */
  #takeBack() {
    const { moves, mine } = this.settings;
    let plies = moves.length - 1;
    while (plies >= 0 && this.#sideAt(plies) !== mine) plies--;
    if (plies < 0) return;
    moves.length = plies;
    this.settings.ended = undefined;
    this.clock?.stop(false);
    this.#refresh();
  }

  async #offerDraw() {
    const scores = DRAW_SCORES.map((score) => percent(score)).join(" to ");
    const rule = `It accepts one after ply ${DRAW_AFTER}, when it expects a score of ${scores} %.`;
    if (!this.#isMine) return this.message.say("Offer a draw when it is your move.");
    if (this.settings.moves.length <= DRAW_AFTER) return this.message.say(`The opponent declines a draw. ${rule}`);
    const answer = await this.#ask((how) => this.message.say(`The opponent considers the offer. ${how}`));
    if (!answer) return undefined;
    const score = 1 - expectedOf(answer.wdl);
    if (score >= DRAW_SCORES[0] && score <= DRAW_SCORES[1]) return this.#end("draw", "adjudicated");
    return this.message.say(`The opponent expects a score of ${percent(score)} % and declines a draw. ${rule}`);
  }

  /** What a search says of the present position; undefined if another is shown meanwhile. `say` is called with how far
   * it is. */
  async #ask(say) {
    const turn = this.#turn;
    const question = { ...this.settings.spec(), ...this.settings.observer() };
    const told = { waiting: say, searching: say };
    const answer = await attempt(this.message, () => replyTo(question, told, this.#abort.signal));
    return turn === this.#turn ? answer : undefined;
  }

  /** Shows the chances of the present position, and with `hint` the best move. */
  async #look(hint) {
    const progress = html("p", { className: "soft", role: "status" }, "Thinking…");
    this.chances.replaceChildren(progress);
    const answer = await this.#ask((how) => { progress.textContent = how || "Thinking…"; });
    progress.remove();
    if (!answer) return;
    const { side, view, moves } = this.#standing;
    const bar = new ChanceBar(this.about.id);
    bar.show(ofFirst(answer.wdl, side));
    const [win, draw, loss] = answer.wdl.map((share) => percent(share));
    const proof = answer.proven ? ` Certain: ${playerName(this.about.id, side)} ${provenText(answer.proven)}.` : "";
    const words = html("p", {}, `You win ${win} %, draw ${draw} %, lose ${loss} %.${proof}`);
    this.chances.replaceChildren(bar.element, words);
    this.spoken.textContent = words.textContent;
    if (!hint) return;
    const { best } = answer;
    this.chances.append(html("p", { className: "hint" }, "Best: ", ...moveText(best)));
    this.spoken.textContent += ` Best: ${best.text ?? best.uci}.`;
    if (!this.#isPresent) return;
    this.board.show(view, [{ uci: best.uci, share: 1, label: best.text ?? best.uci }]);
    this.input.show(moves, true);
  }

  async #save() {
    const [first, second] = this.players.map(({ name }) => name);
    const date = new Date().toISOString().slice(0, 19).replace("T", " ");
    const { result, termination } = this.#outcome ?? {};
    const [format, notation] = this.format.value.split(" ");
    const question = { ...this.settings.spec(), format, notation, first, second, date, result, termination };
    const file = await attempt(this.message, () => ask("/api/export", question));
    if (file) saveText(file.name, file.text);
  }

  #showClock() {
    this.players.forEach(({ clock, row }, side) => {
      const text = clockText(this.clock.left[side]);
      if (clock.textContent !== text) clock.textContent = text;
      row.classList.toggle("runs", this.clock.running === side);
    });
  }
}

async function showPlay(place) {
  const all = await variants();
  let game;
  const begin = (settings) => {
    game?.close();
    game = new PlayedGame(settings, all.find(({ id }) => id === settings.variant));
    place.replaceChildren(game.element);
    return game.open();
  };
  const choose = (settings, complaint) => {
    game?.close();
    game = undefined;
    const form = new GameForm(all, begin);
    form.show(settings);
    if (complaint) form.message.complain(new Refused(complaint));
    place.replaceChildren(html("h1", {}, "Play"), form.element);
  };
  /** Shows what the address says: a game, or the choice of one. */
  const open = async () => {
    const settings = new GameSettings(addressed());
    if (settings.mine === undefined) return choose(settings);
    const line = new MessageLine();
    const standing = await attempt(line, () => ask("/api/position", settings.spec()));
    if (standing) return begin(settings);
    return choose(settings, `The address of this page names no game: ${line.element.textContent}`);
  };
  addEventListener("hashchange", open);
  await open();
}

