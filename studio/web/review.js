// The review of a game: the curve of its value, its faults, and what each player gave away.

/** Visits of a position to choose from. */
const REVIEW_VISITS = ["50", "200", "800", "3200"];

class ReviewPanel {
  #events; // of the review in progress
  #line = []; // the nodes of the line shown
  #faults = []; // the nodes with faults that were found
  #summary; // the counts, once they are known

  /** `act` has what a click does: `go(node)` and `play(node, moves)`; what is shown: `spec(line)`, the network with
   * `network()`, `changed(node)` when something was noted at a node, whether it was not deleted (`holds(node)`), and `line()`, the nodes
   * of the game to review. */
  constructor(about, act) {
    this.about = about;
    this.act = act;
    this.start = button("Review the game", () => (this.#events ? this.stop() : this.#begin()), { className: "review" });
    this.visits = choiceOf("Visits a position", REVIEW_VISITS.map((visits) => [visits, visits]), "200");
    this.line = new MessageLine();
    this.progress = html("progress", { hidden: true });
    this.curve = html("div", { className: "curve-place" });
    this.result = html("div", { className: "review-result" });
    this.element = html("section", { className: "panel review-panel" },
      html("div", { className: "form" }, this.start, this.visits.element), this.line.element, this.progress, this.curve,
      this.result);
    addEventListener("pagehide", () => this.stop());
  }

  /** Another game is shown. */
  clear() {
    this.stop();
    [this.#faults, this.#summary] = [[], undefined];
    this.line.clear();
    this.result.replaceChildren();
    this.curve.replaceChildren();
  }

  /** Ends the review in progress. */
  stop() {
    this.#events?.close();
    this.#events = undefined;
    this.progress.hidden = true;
    this.start.textContent = "Review the game";
  }

  /** Shows the curve of a line, with the position of a node marked. */
  show(line, node) {
    this.#line = line;
    this.node = node;
    this.start.disabled = !this.#events && line.length < 2;
    this.draw();
  }

  /** Draws the curve again. */
  draw() {
    const values = this.#line.map(({ value }) => value);
    if (values.filter((value) => value !== undefined).length < 2) return this.curve.replaceChildren();
    const within = (ply) => Math.min(Math.max(ply, 0), this.#line.length - 1);
    const graph = new ValueGraph(values, (ply) => this.act.go(this.#line[within(ply)]));
    graph.mark(this.#line.indexOf(this.node));
    const last = Math.max(this.#line.length - 1, 1);
    this.#line.forEach((node, ply) => {
      if (!node.review || !FAULTS[node.review.class]) return;
      const dot = html("i", { className: `dot ${node.review.class}` });
      dot.style.left = `${(100 * ply / last).toFixed(2)}%`;
      dot.style.top = `${(100 * (1 - (node.value ?? 0.5))).toFixed(1)}%`;
      graph.element.append(dot);
    });
    this.curve.replaceChildren(graph.element, html("p", { className: "caption" },
      `Expected score of ${playerName(this.about.id, 0)} in each position, from 0 to 100 %. Dots are faults.`));
    return undefined;
  }

  #begin() {
    const line = this.act.line();
    this.stop();
    this.line.clear();
    this.result.replaceChildren();
    [this.#faults, this.#summary] = [[], undefined];
    for (const node of line) {
      node.review = undefined;
      this.act.changed(node);
    }
    const plies = line.length - 1;
    this.progress.max = plies;
    this.progress.value = 0;
    this.progress.hidden = false;
    this.start.textContent = "Stop the review";
    const asked = { ...this.act.spec(line), network: this.act.network(), visits: this.visits.select.value };
    this.#events = listen(pathOf("/api/review", asked), {
      waiting: (queue) => this.line.say(waitingText(queue)),
      ply: (reviewed) => {
        this.line.say(`${counted(reviewed.ply + 1, "move", "moves")} of ${whole.format(plies)} reviewed.`);
        this.progress.value = reviewed.ply + 1;
        const [before, node] = [line[reviewed.ply], line[reviewed.ply + 1]];
        before.value = reviewed.value;
        node.value = reviewed.after;
        node.review = reviewed;
        this.act.changed(node);
        if (FAULTS[reviewed.class]) {
          this.#faults.push(node);
          this.refresh();
        }
        this.draw();
      },
      summary: (summary) => {
        this.stop();
        this.line.clear();
        this.#summary = summary;
        this.refresh();
      },
      refused: ({ error }) => {
        this.stop();
        this.line.complain(new Refused(error));
      },
      lost: () => {
        this.stop();
        this.line.complain(new Refused("The review broke off: is `kirin serve` still running?"));
      },
    });
  }

  /** Lists the faults whose moves are still there, and the counts once they are known. */
  refresh() {
    const summary = this.#summary;
    this.#faults = this.#faults.filter((node) => this.act.holds(node));
    const faults = html("ul", { className: "faults" }, ...this.#faults.map((node) => this.#fault(node)));
    if (!summary) return this.result.replaceChildren(faults);
    const [inaccuracy, mistake, blunder] = summary.thresholds.map((cost) => percent(cost));
    const [middle, end] = summary.phases;
    const note = html("p", { className: "note" },
      "The cost of a move is the score expected before it less the score expected after it, each by "
      + `${counted(summary.visits, "visit", "visits")} of its own position; the search's own move costs nothing. An `
      + `inaccuracy (?!) costs ${inaccuracy} % or more, a mistake (?) ${mistake} %, a blunder (??) ${blunder} %. A cost `
      + "of a few per cent may be noise: more visits make it smaller. The middlegame begins after "
      + `ply ${middle}, the endgame after ply ${end}.`);
    const none = html("p", { className: "status" }, "No fault was found.");
    this.result.replaceChildren(this.#faults.length > 0 ? faults : none, this.#counts(summary), note);
    return undefined;
  }

  #fault(node) {
    const { cost, class: kind, best } = node.review;
    const number = moveNumber(node.ply - 1 + this.act.side());
    const go = button("", () => this.act.go(node), { className: "choice" });
    go.append(html("span", { className: "number" }, number), " ", ...moveText(node),
      html("span", { className: `fault ${kind}` }, FAULTS[kind]));
    const line = best.map((move, at) => {
      const choice = button("", () => this.act.play(node.parent, best.slice(0, at + 1)), { className: "choice" });
      choice.append(...moveText(move));
      return choice;
    });
    return html("li", {}, go, html("span", { className: "soft" }, ` ${kind}, −${percent(cost)} %; better `), ...line);
  }

  #counts({ players }) {
    const head = ["Player", "Moves", "Best", "Mean cost", ...Object.values(FAULTS)];
    const row = (of) => {
      const name = of.phase === "game" ? html("b", {}, playerName(this.about.id, of.side))
        : html("span", { className: "soft" }, of.phase);
      const best = `${percent(of.best / Math.max(of.moves, 1))} %`;
      const cells = [of.moves, best, `${percent(of.mean_cost, 1)} %`, of.inaccuracies, of.mistakes, of.blunders];
      return html("tr", { className: of.phase }, html("td", {}, name),
        ...cells.map((cell) => html("td", { className: "n" }, String(cell))));
    };
    return html("div", { className: "scroll" }, html("table", { className: "counts" },
      html("thead", {}, html("tr", {}, ...head.map((title, at) => html("th", { className: at ? "n" : "" }, title)))),
      html("tbody", {}, ...players.map(row))));
  }
}

