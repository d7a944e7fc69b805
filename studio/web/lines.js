// The analysis of the position shown: its lines in a table, its arrows and its bar of chances.

/** Milliseconds that a position must stay before its analysis begins, so that stepping through a game starts none. */
const ANALYSIS_DELAY = 150;
/** Moves of a line that are shown. */
const SHOWN_MOVES = 12;
/** Why an analysis ended. */
const FINISHES = {
  visits: "All visits are made.", time: "It ended after ten minutes.", memory: "Its memory is full.",
  proven: "The outcome is certain.", stopped: "It was stopped.",
};

/** Win, draw and loss of one side as those of the first player. */
function ofFirst(wdl, side) {
  return side === 0 ? wdl : wdl.toReversed();
}

/** What a player expects: wins and half the draws, 0 to 1. */
function expectedOf([win, draw]) {
  return win + draw / 2;
}

/** `wins in 3 plies`. */
function provenText({ outcome, plies }) {
  const verb = { win: "wins", draw: "draws", loss: "loses" }[outcome];
  return `${verb} in ${counted(plies, "ply", "plies")}`;
}

/** The chances of both players as a bar: the first player's wins, draws, the second player's wins. */
class ChanceBar {
  constructor(variant) {
    this.variant = variant;
    this.parts = ["first", "draws", "second"].map((className) => html("span", { className }));
    this.element = html("div", { className: "results chances", role: "img" }, ...this.parts);
    this.clear();
  }

  /** Shows chances of the first player: win, draw, loss. */
  show(wdl) {
    const [first, second] = [0, 1].map((side) => playerName(this.variant, side));
    const label = `${first} wins ${percent(wdl[0])} %, draw ${percent(wdl[1])} %, ${second} wins ${percent(wdl[2])} %`;
    this.element.setAttribute("aria-label", label);
    this.element.title = label;
    this.element.classList.remove("unknown");
    this.parts.forEach((part, at) => {
      part.style.width = `${percent(wdl[at], 2)}%`;
      part.textContent = wdl[at] >= 0.12 ? `${percent(wdl[at])}%` : "";
    });
  }

  /** Shows what the first player expects, where no more is known. */
  showScore(score) {
    this.show([score, 0, 1 - score]);
    const label = `Expected score of ${playerName(this.variant, 0)}: ${percent(score)} %`;
    this.element.setAttribute("aria-label", label);
    this.element.title = label;
  }

  clear() {
    this.element.setAttribute("aria-label", "No chances are known here");
    this.element.title = "";
    this.element.classList.add("unknown");
    for (const part of this.parts) {
      part.style.width = "0";
      part.textContent = "";
    }
  }
}

class LinesPanel {
  #events; // of the analysis in progress
  #timer; // of the one to begin
  #rows = []; // of the table: { element, cells, buttons }
  #held = false; // whether a pointer is pressed on the table, which must not change then
  #report;

  /** `act` has what is done with it: `aim(arrows)`, `valued(wdl of the first player)` and `play(moves)`. */
  constructor(about, act) {
    this.about = about;
    this.act = act;
    this.on = false;
    this.toggle = button("Analyse", () => this.switch(!this.on), {
      className: "main toggle", title: "Begin or end the analysis (space)", "aria-pressed": "false",
    });
    const restart = () => this.#begin();
    this.network = choiceOf("Network", about.networks.map(({ id, title }) => [id, title]), undefined, restart);
    const numbers = [1, 2, 3, 5, 8, 10].map((number) => [String(number), String(number)]);
    this.lines = choiceOf("Lines", numbers, "3", restart);
    this.line = new MessageLine();
    this.figures = html("p", { className: "status figures" });
    this.head = html("tr");
    this.body = html("tbody");
    this.table = html("table", { className: "lines", hidden: true }, html("thead", {}, this.head), this.body);
    this.table.addEventListener("pointerdown", () => { this.#held = true; });
    const release = () => {
      if (!this.#held) return;
      this.#held = false;
      // The click comes after this.
      setTimeout(() => this.#report && this.#draw());
    };
    for (const end of ["pointerup", "pointercancel"]) addEventListener(end, release);
    this.element = html("section", { className: "panel lines-panel" },
      html("div", { className: "form" }, this.toggle, this.network.element, this.lines.element),
      this.line.element, this.figures, this.table);
    addEventListener("pagehide", () => this.#end());
    addEventListener("pageshow", (event) => event.persisted && this.#begin());
  }

  /** Another position is shown: the game that led to it, for the server, and what is known of it. */
  show(spec, standing) {
    this.spec = spec;
    this.standing = standing;
    this.#begin();
  }

  /** Begins or ends the analysis. */
  switch(on) {
    this.on = on;
    this.toggle.setAttribute("aria-pressed", String(on));
    this.toggle.textContent = on ? "Stop" : "Analyse";
    if (on) this.#begin();
    else {
      this.#end();
      this.line.clear();
    }
  }

  #end() {
    clearTimeout(this.#timer);
    this.#events?.close();
    this.#events = undefined;
  }

  #begin() {
    this.#end();
    this.#report = undefined;
    this.line.clear();
    this.figures.textContent = "";
    this.act.aim([]);
    const begins = this.on && this.spec && !this.standing.outcome;
    // The old lines stay, paler, so that nothing jumps.
    this.table.classList.toggle("stale", true);
    if (!begins) {
      this.table.hidden = true;
      return;
    }
    this.figures.textContent = "Analysing…";
    this.#timer = setTimeout(() => this.#listen(), ANALYSIS_DELAY);
  }

  #listen() {
    const asked = { ...this.spec, network: this.network.select.value, lines: this.lines.select.value };
    this.#events = listen(pathOf("/api/analysis", asked), {
      waiting: (queue) => this.line.say(waitingText(queue)),
      report: (report) => {
        this.line.clear();
        this.#report = report;
        this.act.valued(ofFirst(report.wdl, this.standing.side));
        if (!this.#held) this.#draw();
      },
      finish: ({ reason }) => {
        this.#end();
        this.line.say(FINISHES[reason] ?? "");
      },
      refused: ({ error }) => {
        this.#end();
        this.figures.textContent = "";
        this.line.complain(new Refused(error));
      },
      lost: () => {
        this.#end();
        this.figures.textContent = "";
        this.line.complain(new Refused("The analysis broke off: is `kirin serve` still running?"));
      },
    });
  }

  #draw() {
    const { lines, visits, visits_per_second: speed, depth, longest, proven } = this.#report;
    const mover = playerName(this.about.id, this.standing.side);
    const certain = proven ? [`${mover} ${provenText(proven)}`] : [];
    this.figures.textContent = [...certain, counted(visits, "visit", "visits"), `${whole.format(Math.round(speed))}/s`,
      `depth ${depth.toFixed(1)}, at most ${longest}`].join(" · ");
    const title = `Expected score of ${mover}; a draw counts half`;
    this.head.replaceChildren(html("th", { className: "n", title }, "Score"),
      html("th", { className: "chance" }, "Chances"), html("th", { className: "n" }, "Visits"), html("th", {}, "Line"));
    lines.forEach((line, at) => this.#drawRow(at, line));
    while (this.#rows.length > lines.length) this.#rows.pop().element.remove();
    this.table.hidden = false;
    this.table.classList.remove("stale");
    this.act.aim(lines.map(({ moves: [{ uci, text }], share, wdl }, at) => ({
      uci, share: Math.min(Math.max(share, at === 0 ? 0.35 : 0.05), 1),
      label: `${at + 1}. ${text ? `${text} ` : ""}${uci} · ${percent(expectedOf(wdl), 1)} %`,
    })));
  }

  /** A row is changed in place, so that what is pressed or has the focus stays there. */
  #drawRow(at, { moves, share, wdl, proven }) {
    if (!this.#rows[at]) this.#addRow(at);
    const { score, bar, part, buttons, line } = this.#rows[at];
    const certain = proven ? [html("small", {}, provenText(proven))] : [];
    score.replaceChildren(`${percent(expectedOf(wdl), 1)} %`, ...certain);
    bar.show(ofFirst(wdl, this.standing.side));
    part.textContent = `${percent(share)} %`;
    const shown = moves.slice(0, SHOWN_MOVES);
    shown.forEach((move, ply) => {
      if (!buttons[ply]) {
        buttons[ply] = button("", () => this.#play(at, ply), { className: "choice" });
        line.append(buttons[ply], " ");
      }
      const from = this.standing.ply + ply;
      const key = `${from} ${move.uci} ${move.text ?? ""}`;
      if (buttons[ply].dataset.key === key) return;
      buttons[ply].dataset.key = key;
      const numbered = ply === 0 || from % 2 === 0;
      const number = numbered ? [html("span", { className: "number" }, moveNumber(from)), " "] : [];
      buttons[ply].replaceChildren(...number, ...moveText(move));
    });
    while (buttons.length > shown.length) buttons.pop().remove();
  }

  #addRow(at) {
    const bar = new ChanceBar(this.about.id);
    const row = { bar, buttons: [] };
    row.score = html("td", { className: "n score" });
    row.part = html("td", { className: "n" });
    row.line = html("td", { className: "line" });
    row.element = html("tr", {}, row.score, html("td", { className: "chance" }, bar.element), row.part, row.line);
    this.#rows[at] = row;
    this.body.append(row.element);
  }

  #play(at, ply) {
    const line = this.#report?.lines[at];
    if (line) this.act.play(line.moves.slice(0, ply + 1));
  }
}

