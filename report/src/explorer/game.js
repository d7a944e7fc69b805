// A game to step through: how it ended, the value graph, the list of its moves.

/** What the end of a game was worth to the first player. */
const OUTCOMES = { first: 1, draw: 0.5, second: 0 };

class GamePanel {
  /** `act` has what a click does: `go(ply)` and `leave()`. */
  constructor(variant, act) {
    this.variant = variant;
    this.act = act;
    this.element = html("div", { className: "panel viewer" });
  }

  /** Shows another game. */
  open(game) {
    this.game = game;
    const leave = html("button", { type: "button", className: "leave" }, "← Openings");
    leave.addEventListener("click", () => this.act.leave());
    const values = game.plies.map((ply) => ply.value);
    this.status = html("p", { className: "status", "aria-live": "polite" });
    const parts = [
      html("div", { className: "title" }, leave, html("b", {}, outcomeText(this.variant, game)),
        html("span", { className: "soft" },
          [factsText(game), counted(game.plies.length, "ply", "plies")].filter(Boolean).join(" · "))),
      this.status,
    ];
    this.graph = undefined;
    if (values.some((value) => value !== undefined)) {
      this.graph = new ValueGraph([...values, OUTCOMES[game.result]], (ply) => this.act.go(ply));
      const what = `Expected score of ${playerName(this.variant, 0)} before each move, from 0 to 100 %; at the end the result.`;
      parts.push(this.graph.element, html("p", { className: "caption" }, what));
    } else {
      parts.push(html("p", { className: "note" }, "No value is stored for the positions of this game, as is usual outside of self-play."));
    }
    this.buttons = game.plies.map((ply, at) => {
      const button = html("button", { type: "button", className: "choice" }, ...moveText(ply));
      button.addEventListener("click", () => this.act.go(at + 1));
      return button;
    });
    const rows = [];
    for (let at = 0; at < this.buttons.length; at += 2) {
      rows.push(html("li", {}, ...this.buttons.slice(at, at + 2)));
    }
    this.list = html("ol", { className: "moves-list", tabIndex: -1 }, ...rows);
    this.element.replaceChildren(...parts, this.list);
  }

  /** Marks the position after so many plies. */
  mark(ply) {
    const value = this.game.plies[ply]?.value;
    const told = value === undefined
      ? "no value is stored" : `expected score of ${playerName(this.variant, 0)} ${percent(value)} %`;
    const after = `After ${counted(ply, "ply", "plies")}: `;
    this.status.textContent = after + (ply === this.game.plies.length ? "the end." : `${told}.`);
    this.graph?.mark(ply);
    this.buttons.forEach((button, at) => {
      if (at === ply - 1) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    });
    const button = this.buttons[Math.max(ply - 1, 0)];
    // Only the list scrolls, never the page.
    if (button) {
      const row = button.parentElement;
      this.list.scrollTop = row.offsetTop - this.list.offsetTop - this.list.clientHeight / 2 + row.offsetHeight / 2;
    }
  }
}

