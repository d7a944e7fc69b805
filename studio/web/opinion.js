// What a network thinks of the position beside what was played: its policy, the search's visits and values, the best line.

/** Visits of an opinion, and moves listed. */
const OPINION = { visits: 800, lines: 6 };

class NetworkOpinion {
  #events; // of the search in progress
  #place; // the position shown: { ruleset, fen, setups, moves }

  constructor(variant) {
    this.variant = variant;
    this.network = choiceOf("Network", variant.networks.map(({ id, title }) => [id, title]), undefined, () => this.#ask());
    this.box = html("input", { type: "checkbox" });
    this.box.addEventListener("change", () => this.#ask());
    this.line = new MessageLine();
    this.result = html("div");
    this.element = html("section", { className: "opinion" },
      html("label", {}, this.box, " What the network thinks here"), this.network.element, this.line.element, this.result);
    this.network.element.hidden = true;
  }

  /** Another position is shown; none where there is a choice of setups. */
  show(place) {
    this.#place = place;
    this.#ask();
  }

  /** Ends the search in progress. */
  stop() {
    this.#events?.close();
    this.#events = undefined;
  }

  #ask() {
    this.stop();
    this.line.clear();
    this.network.element.hidden = !this.box.checked;
    this.result.replaceChildren();
    if (!this.box.checked || !this.#place) return;
    const { ruleset, fen, setups, moves } = this.#place;
    const path = pathOf("/api/analysis", {
      variant: this.variant.id, ruleset, fen, setups: setups?.join(","), moves: moves.join(" "), network: this.network.select.value,
      ...OPINION,
    });
    this.#events = listen(path, {
      waiting: (queue) => this.line.say(waitingText(queue)),
      report: (report) => this.#draw(report),
      finish: ({ outcome }) => {
        this.stop();
        if (outcome) this.line.say("The game is over here.");
      },
      refused: ({ error }) => this.line.complain(new Refused(error)),
      lost: () => {
        this.stop();
        this.line.complain(new Refused("The search broke off: is `kirin serve` still running?"));
      },
    });
  }

  #draw({ lines, visits, wdl }) {
    this.line.clear();
    const [win, draw, loss] = wdl.map((share) => percent(share));
    const rows = lines.map(({ moves, prior, share, wdl: [won, drawn] }) => html("tr", {},
      html("td", {}, ...moveText(moves[0])),
      html("td", { className: "n" }, `${percent(prior, 1)} %`), html("td", { className: "n" }, `${percent(share, 1)} %`),
      html("td", { className: "n" }, `${percent(won + drawn / 2, 1)} %`),
      html("td", { className: "line soft" }, ...moves.slice(1, 7).flatMap((move) => [...moveText(move), " "]))));
    const head = ["Move", "Policy", "Visits", "Score", "Then"].map((title, at) =>
      html("th", { className: at > 0 && at < 4 ? "n" : "" }, title));
    this.result.replaceChildren(
      html("p", { className: "note" }, `For the side to move: win ${win} %, draw ${draw} %, loss ${loss} %, after `
        + `${counted(visits, "visit", "visits")}. Score: of the move, a draw counts half.`),
      html("div", { className: "scroll" },
        html("table", {}, html("thead", {}, html("tr", {}, ...head)), html("tbody", {}, ...rows))));
  }
}
