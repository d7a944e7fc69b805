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
    const { start, back, next, end } = stepButtons((key) => this.#step(key));
    const title = "Let the game play by itself, or not (space)";
    const play = button("Play", () => this.play(!this.playing), { title });
    this.buttons = { start, back, play, next, end };
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
    const [isFirst, isLast] = [this.ply === 0, this.ply === last];
    disable([[start, isFirst], [back, isFirst], [on, isLast], [end, isLast]], this.board.drawing);
  }

  #step(key) {
    this.#stepTo(plyAfter(key, this.ply));
  }

  #key(event) {
    if (isTyped(event) || !this.game) return;
    const isToggle = event.key === " " && !event.target.closest("button");
    if (!isToggle && plyAfter(event.key, this.ply) === undefined) return;
    event.preventDefault();
    if (isToggle) this.play(!this.playing);
    else this.#step(event.key);
  }
}
