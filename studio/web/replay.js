// A game on a board, to step through or to watch.

/** Time of a move in a game that plays by itself, milliseconds, and the pause at its end. */
const MOVE_TIME = 700;
const END_TIME = 4000;

class ReplayView {
  #timer;

  /** `about` is the board of the variant. `leave` is the text of the button by which the game is left and what it does;
   * `ended` is called when a game that plays by itself has been shown. */
  constructor(about, { leave, ended } = {}) {
    this.variant = about.variant;
    this.leave = leave;
    this.ended = ended;
    this.playing = false;
    this.board = new BoardView(about);
    this.panel = new GamePanel(about.variant, {
      go: (ply) => this.#stepTo(ply),
      leave: () => leave?.act(),
    });
    this.buttons = {
      start: iconButton("start", "To the start (Home)", () => this.#stepTo(0)),
      back: iconButton("back", "One move back (←)", () => this.#stepTo(this.ply - 1)),
      play: button("Play", () => this.play(!this.playing), { title: "Let the game play by itself, or not (space)" }),
      next: iconButton("next", "One move on (→)", () => this.#stepTo(this.ply + 1)),
      end: iconButton("end", "To the end (End)", () => this.#stepTo(this.game.plies.length)),
    };
    this.body = html("div", { className: "explorer-body" });
    const controls = html("div", { className: "controls" }, ...Object.values(this.buttons), ...this.board.zoomButtons,
      html("label", {}, html("span", {}, "Pieces"), scriptChoice(this.board, this.body)));
    this.about = html("p", { className: "apart", hidden: true });
    this.body.append(html("div", { className: "board-side" }, controls, this.board.element),
      html("div", { className: "right-side" }, this.about, this.panel.element));
    this.element = html("div", { className: "explorer replay" }, this.body);
    this.element.addEventListener("keydown", (event) => this.#key(event));
  }

  /** Shows a game of the server; it plays by itself if `playing`. */
  open(game, playing = false) {
    const generation = [game.generation ?? "?"];
    const event = typeof game.pair === "number" ? [`pair ${game.pair + 1}`] : [];
    this.game = { ...game, facts: { player: game.players, date: [null], event, generation } };
    this.panel.open(this.game);
    const leave = this.panel.element.querySelector(".leave");
    if (this.leave) leave.textContent = this.leave.text;
    else leave.remove();
    this.about.hidden = !game.reason;
    this.about.textContent = game.reason;
    this.#show(0);
    this.play(playing);
  }

  /** Lets the game play by itself, or stops it. */
  play(playing) {
    clearTimeout(this.#timer);
    this.playing = playing;
    this.buttons.play.textContent = playing ? "Pause" : "Play";
    if (!playing) return;
    if (this.ply === this.game.plies.length) this.#show(0);
    this.#later();
  }

  #later() {
    const last = this.ply === this.game.plies.length;
    this.#timer = setTimeout(() => {
      if (!last) {
        this.#show(this.ply + 1);
        this.#later();
      } else if (this.ended) this.ended();
      else this.play(false);
    }, last ? END_TIME : MOVE_TIME);
  }

  /** A step by hand stops the game. */
  #stepTo(ply) {
    this.play(false);
    this.#show(ply);
  }

  #show(ply) {
    const last = this.game.plies.length;
    this.ply = Math.min(Math.max(ply, 0), last);
    const next = this.game.plies[this.ply];
    const arrows = next ? [{ uci: next.uci, share: 0.3, label: next.text ?? next.uci }] : [];
    this.board.show(this.game.views[this.ply], arrows);
    this.panel.mark(this.ply);
    const { start, back, next: on, end } = this.buttons;
    const focused = [start, back, on, end].find((one) => one === document.activeElement);
    start.disabled = back.disabled = this.ply === 0;
    on.disabled = end.disabled = this.ply === last;
    // A button that can no longer be pressed would swallow the keys.
    if (focused?.disabled) this.board.drawing.focus({ preventScroll: true });
  }

  #key(event) {
    if (event.target.closest("select, input") || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === " " && event.target.closest("button")) return;
    const acts = {
      ArrowLeft: () => this.#stepTo(this.ply - 1), ArrowRight: () => this.#stepTo(this.ply + 1),
      Home: () => this.#stepTo(0), End: () => this.#stepTo(this.game.plies.length), " ": () => this.play(!this.playing),
    };
    const act = acts[event.key];
    if (!act || !this.game) return;
    event.preventDefault();
    act();
  }
}

/** Does something as long as the page is seen: `open()` begins and gives what `close()` ends. A hidden page
 * keeps no connection, of which browsers allow few, and costs the server nothing. */
function whileSeen(open) {
  let opened;
  const act = () => {
    if (document.hidden) {
      opened?.close();
      opened = undefined;
    } else opened ??= open();
  };
  document.addEventListener("visibilitychange", act);
  act();
}

/** Does something now and again while the page is seen. */
function every(milliseconds, act) {
  whileSeen(() => {
    let timer;
    let closed = false;
    const again = async () => {
      await act();
      if (!closed) timer = setTimeout(again, milliseconds);
    };
    again();
    return { close: () => { closed = true; clearTimeout(timer); } };
  });
}

const CONNECTION_LOST = "The connection is lost. What is shown may be old; the page tries again.";

/** Time until a stream of events that has ended is asked for again, milliseconds. */
const AGAIN_AFTER = 3000;

/** Listens as `listen` does to what may be gone and come back: a stream that ends is asked for again. */
function follow(path, acts) {
  let events;
  let timer;
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(open, AGAIN_AFTER);
  };
  const open = () => {
    events = listen(path, {
      ...acts,
      gone: () => {
        events.close();
        acts.gone();
        later();
      },
      lost: () => {
        acts.lost();
        if (events.readyState === EventSource.CLOSED) later();
      },
    }, { lasting: true });
  };
  open();
  return { close: () => { clearTimeout(timer); events.close(); } };
}
