// Matches: the list of their logs, and one of them while it is played.

/** Games of a match that are listed at once. */
const GAMES_A_PAGE = 60;

async function showMatches(place) {
  const said = new URLSearchParams(location.search);
  if (said.get("match") !== null) return showMatch(place, said.get("match"));
  if (said.get("folder") !== null) return showStandings(place, said.get("folder"));
  return showMatchList(place);
}

/** The path of the page of a match. */
function matchPath(id) {
  return pathOf("/matches", { match: id });
}

/** Games won, drawn, lost as a text. */
function wonText([wins, draws, losses]) {
  return `+${whole.format(wins)} =${whole.format(draws)} −${whole.format(losses)}`;
}

/** A share as per cent, or a dash. */
function shareText(share, digits = 1) {
  return typeof share === "number" ? `${percent(share, digits)} %` : "–";
}

/** What a sequential test says so far, in a few words. */
function testText(sprt) {
  if (!sprt) return "";
  const said = { h0: "H0 accepted", h1: "H1 accepted", continue: "not decided" }[sprt.decision];
  return `${said}, LLR ${typeof sprt.llr === "number" ? fixed(sprt.llr, 2) : "–"}`;
}

/** A badge that says whether a match is played: `show(running, problem)`. */
function matchBadge() {
  const element = html("span", { className: "badge" });
  const show = (running, problem) => {
    element.className = `badge ${problem ? "damaged" : running ? "running" : "finished"}`;
    element.textContent = problem ? "cannot be read" : running ? "running" : "not running";
  };
  return { element, show };
}

async function showMatchList(place) {
  const line = new MessageLine();
  const list = html("div", { className: "match-list" });
  let shown = "";
  place.replaceChildren(html("h1", {}, "Matches"), line.element, list);
  every(LIST_EVERY, async () => {
    const answers = await attempt(line, () => Promise.all([ask("/api/matches"), variants()]));
    const [matches, all] = answers ?? [];
    const now = JSON.stringify(matches);
    if (!matches || now === shown) return;
    shown = now;
    const titles = new Map(all.map(({ id, title }) => [id, title]));
    const open = new Map([...list.querySelectorAll("details")].map((it) => [it.dataset.folder, it.open]));
    const folders = Map.groupBy(matches, ({ folder }) => folder);
    const parts = [...folders].map(([folder, logs]) =>
      folderOf(folder, logs, titles, open.get(folder) ?? folders.size < 8));
    const none = absent("There are no matches here. Name folders with their logs, or runs: kirin serve FOLDER…");
    list.replaceChildren(...parts.length > 0 ? parts : [none]);
  });
}

/** The matches of a folder. */
function folderOf(folder, logs, titles, open) {
  const running = logs.filter((log) => log.running).length;
  const summary = html("summary", {}, html("b", {}, folder), ` · ${counted(logs.length, "match", "matches")}`,
    running > 0 ? ` · ${running} running` : "");
  const titleOf = ({ name, summary: facts }) => facts?.players.join(" – ") ?? name;
  const titled = Map.groupBy(logs, titleOf);
  const rows = logs.map((log) => {
    const { id, name, running: isRunning, summary: facts, problem } = log;
    const title = titleOf(log);
    // Matches of the same players, with other settings, are told apart by the names of their logs.
    const text = titled.get(title).length === 1 ? title : `${title} (${name})`;
    const match = html("span", {}, html("a", { href: matchPath(id), title: name }, text));
    if (isRunning || problem) {
      const badge = matchBadge();
      badge.show(isRunning, problem);
      match.append(" ", badge.element, problem ? ` ${problem}` : "");
    }
    if (!facts) return [match, "", "", "", "", "", ""];
    const games = facts.results.reduce((sum, number) => sum + number);
    const failed = facts.failed > 0 ? ` (${counted(facts.failed, "error", "errors")})` : "";
    return [
      match, whole.format(games) + failed, wonText(facts.results), shareText(facts.score),
      plusMinus(facts.elo, facts.elo_error), testText(facts.sprt), titles.get(facts.variant) ?? facts.variant,
    ];
  });
  const names = [
    "Match", "#Games", "#Won, drawn, lost", "#Score", "#Elo difference", "Sequential test", "Variant",
  ];
  const all = html("a", { href: pathOf("/matches", { folder }) }, "Ratings and cross-table of these players");
  const properties = { className: "folder", open, "data-folder": folder };
  return html("details", properties, summary, tableOf(names, rows), html("p", {}, all));
}

async function showMatch(place, id) {
  const page = new MatchPage(id);
  place.replaceChildren(page.element);
  await attempt(page.line, () => page.begin());
}

class MatchPage {
  #games = []; // rows of the server, in the order in which they ended
  #page = 0;
  #replay;

  constructor(id) {
    this.id = id;
    this.line = new MessageLine();
    this.lost = new MessageLine();
    this.badge = matchBadge();
    this.title = html("h1", {}, id);
    this.subtitle = html("p", { className: "subtitle" });
    this.tiles = tilesOf(["games", "score, 95 % interval", "Elo difference", "likelihood that it is stronger"]);
    this.failed = html("div", { className: "alarms" });
    this.warnings = html("div");
    this.test = html("section", { hidden: true });
    this.tables = html("div", { className: "columns" });
    const filter = choiceOf("Games", [["all", "all"]], "all", () => this.#turnTo(0));
    this.filter = filter.select;
    this.count = html("span", { className: "soft" });
    this.earlier = button("‹ Earlier", () => this.#turnTo(this.#page + 1));
    this.later = button("Later ›", () => this.#turnTo(this.#page - 1));
    this.list = html("ol", { className: "match-games" });
    this.listLine = new MessageLine();
    this.board = html("div", { hidden: true });
    const form = html("div", { className: "form" }, filter.element, this.earlier, this.later, this.count);
    this.live = html("div", {}, this.failed, this.warnings, this.tiles.element, this.test,
      html("section", {}, this.tables), section("Games", this.listLine.element, this.board, form, this.list));
    this.element = html("div", { className: "match" }, crumb("/matches", "Matches"), this.title, this.subtitle,
      this.line.element, this.lost.element, this.live);
  }

  async begin() {
    this.variants = await variants();
    whileSeen(() => this.#listen());
  }

  #listen() {
    return follow(pathOf("/api/match/live", { id: this.id }), {
      match: (match) => {
        this.lost.clear();
        this.isGone = false;
        this.live.classList.remove("stale");
        this.showMatch(match);
      },
      games: (games) => this.addGames(games),
      problem: ({ problem }) => {
        if (problem) this.line.complain(new Refused(`The log cannot be read: ${problem}`));
        else this.line.clear();
      },
      gone: () => {
        this.isGone = true;
        this.live.classList.add("stale");
        this.lost.complain(new Refused(
          "This match is gone: its log was deleted, moved or renamed. What is shown was true before that."));
      },
      lost: () => {
        if (!this.isGone) this.#explain();
      },
    });
  }

  /** A stream that cannot be had does not say why; a question does. */
  async #explain() {
    const match = await attempt(this.lost, () => ask(pathOf("/api/match", { id: this.id })));
    if (match) this.lost.complain(new Refused(CONNECTION_LOST));
  }

  showMatch({ header, report, course, running }) {
    const [a, b] = report.players;
    this.players = report.players;
    this.badge.show(running);
    this.title.replaceChildren(`${a} – ${b} `, this.badge.element);
    const variant = this.variants.find(({ id }) => id === report.variant);
    this.subtitle.textContent = [
      variant?.title ?? report.variant, `rules ${report.ruleset}`, `openings: ${header.openings}`,
      `at most ${header.max_plies} plies`, `seed ${header.seed}`, ...effortsOf(header),
    ].join(" · ");
    const { strength, results: { wins, draws, losses } } = report;
    const interval = `(${percent(strength.score_low ?? 0, 1)} to ${percent(strength.score_high ?? 1, 1)})`;
    this.tiles.show({
      games: `${whole.format(wins + draws + losses)} (${wonText([wins, draws, losses])})`,
      "score, 95 % interval": typeof strength.score === "number" ? `${shareText(strength.score)} ${interval}` : "–",
      "Elo difference": plusMinus(strength.elo, strength.elo_error),
      "likelihood that it is stronger": shareText(strength.los),
    });
    this.#showFailed(report.failed);
    const uncounted = counted(report.uncounted_games, "game does", "games do");
    const notes = [...report.warnings];
    if (report.uncounted_games > 0) notes.push(`${uncounted} not count: finished after the decision of the test.`);
    this.warnings.replaceChildren(...notes.map((text) => html("p", { className: "apart" }, text)));
    this.#showTest(report.sprt, course);
    this.#showTables(report);
    const { value } = this.filter;
    const options = [
      ["all", "all"], ["1", `won by ${a}`], ["0", "drawn"], ["-1", `lost by ${a}`], ["failed", "lost by an error"],
    ];
    this.filter.replaceChildren(...options.map(([key, name]) => html("option", { value: key }, name)));
    this.filter.value = value;
    this.#list();
  }

  /** Games that a player lost by an error, each with a button that shows it. */
  #showFailed(failed) {
    const listed = failed.slice(0, GAMES_A_PAGE);
    const shown = listed.map(({ pair, first_named_first: first, player, opponent, plies, reason }) => {
      const game = `pair ${pair + 1}, ${first ? "first" : "second"} game`;
      const open = button(game, () => this.#open(pair, first ? "first" : "second"), { className: "link" });
      const how = `, after ${counted(plies, "ply", "plies")}): ${reason || "no reason is recorded"}`;
      const what = html("b", {}, `${player} loses to ${opponent} by an error`);
      return html("div", { className: "alarm" }, what, " (", open, how);
    });
    const more = failed.length - shown.length;
    this.failed.replaceChildren(...shown, ...more > 0 ? [note(`and ${whole.format(more)} more`)] : []);
  }

  #showTest(sprt, course) {
    this.test.hidden = !sprt;
    if (!sprt) return;
    const { test, llr_bounds: [low, high], pairs } = sprt;
    const titleOf = (x, y) => `after ${counted(x, "pair", "pairs")}: LLR ${fixed(y, 2)}`;
    const points = course.map(([x, y]) => ({ x, y, title: titleOf(x, y) }));
    const errors = `α ${test.alpha}, β ${test.beta}`;
    const hypotheses = `H0: ${fixed(test.elo0)} Elo, H1: ${fixed(test.elo1)} Elo (${test.model}), ${errors}.`;
    const chart = lineChart({
      title: "Course of the test", unit: "log-likelihood ratio", across: "pairs", whole: true,
      series: [{ name: "LLR", colour: 0, points }],
      lines: [{ y: low, name: "accepts H0" }, { y: high, name: "accepts H1" }],
    });
    this.test.replaceChildren(html("h2", {}, "Sequential test"),
      html("p", {}, `After ${counted(pairs, "pair", "pairs")}: ${testText(sprt)}. ${hypotheses}`),
      html("div", { className: "charts one" }, chart));
  }

  #showTables(report) {
    const { pairs, terminations, adjudicated, players, mean_plies: plies } = report;
    const bar = ({ wins, draws, losses }) => resultBar({ first: wins, draws, second: losses });
    const bySide = [["moving first", bar(report.moving_first)], ["moving second", bar(report.moving_second)]];
    const ends = Object.entries(terminations).sort(([, x], [, y]) => y - x);
    const named = ends.map(([name, games]) => [name.replaceAll("_", " "), whole.format(games)]);
    const rules = Object.entries(adjudicated).map(([rule, games]) => [`adjudicated: ${rule}`, whole.format(games)]);
    this.tables.replaceChildren(
      html("div", {}, html("h3", {}, `Results of ${players[0]}`), tableOf(["", "Won, drawn, lost"], bySide),
        html("h3", {}, "Pairs by the points of both games"),
        tableOf(["#0", "#½", "#1", "#1½", "#2"], [pairs.map((number) => whole.format(number))])),
      html("div", {}, html("h3", {}, "How the games ended"), tableOf(["Termination", "#Games"], [...named, ...rules]),
        note(typeof plies === "number" ? `Mean length: ${fixed(plies, 1)} plies.` : "")));
  }

  /** Adds games that have ended; those from 0 on take the place of all. */
  addGames({ from, rows }) {
    this.#games.length = Math.min(from, this.#games.length);
    for (const row of rows) this.#games.push(row);
    this.#list();
  }

  #turnTo(page) {
    this.#page = page;
    this.#list();
  }

  /** Lists a page of the games, the newest first. */
  #list() {
    const wanted = this.filter.value;
    const fits = ({ result, failed }) => wanted === "all" || (wanted === "failed" ? failed : String(result) === wanted);
    const fitting = this.#games.filter(fits);
    const pages = Math.max(Math.ceil(fitting.length / GAMES_A_PAGE), 1);
    this.#page = Math.min(Math.max(this.#page, 0), pages - 1);
    const end = fitting.length - this.#page * GAMES_A_PAGE;
    const shown = fitting.slice(Math.max(end - GAMES_A_PAGE, 0), end).reverse();
    this.earlier.disabled = this.#page === pages - 1;
    this.later.disabled = this.#page === 0;
    const page = pages > 1 ? `, page ${this.#page + 1} of ${pages}` : "";
    this.count.textContent = counted(fitting.length, "game", "games") + page;
    // What has not changed stays, and with it the focus.
    const now = JSON.stringify([shown, this.players]);
    if (now === this.listed) return;
    this.listed = now;
    this.list.replaceChildren(...shown.map((game) => html("li", {}, this.#row(game))));
  }

  #row({ pair, side, result, plies, termination, reason, failed }) {
    const [a, b] = this.players ?? ["", ""];
    const players = side === "first" ? [a, b] : [b, a];
    const score = { 1: "1–0", 0: "½–½", "-1": "0–1" }[side === "first" ? result : -result];
    const soft = (text, kind = "") => html("span", { className: `soft ${kind}` }, text);
    const row = html("button", { type: "button", className: failed ? "choice failed" : "choice" },
      soft(`pair ${pair + 1}`, "pair"), html("span", {}, players.join(" – ")), html("b", {}, score), soft(termination),
      soft(counted(plies, "ply", "plies"), "length"), ...reason ? [html("span", { className: "reason" }, reason)] : []);
    row.addEventListener("click", () => this.#open(pair, side));
    return row;
  }

  async #open(pair, side) {
    const game = await attempt(this.listLine, () => ask(pathOf("/api/match/game", { id: this.id, pair, side })));
    if (!game) return;
    if (!this.#replay) {
      const { board } = this.variants.find(({ id }) => id === game.variant);
      const leave = { text: "Close", act: () => { this.board.hidden = true; } };
      this.#replay = new ReplayView(board, { leave });
      this.board.append(this.#replay.element);
    }
    this.board.hidden = false;
    this.#replay.open(game);
    this.board.scrollIntoView({ block: "nearest" });
    this.#replay.board.drawing.focus({ preventScroll: true });
  }
}

/** How much each player thinks, where the log says so. */
function effortsOf({ players, limit }) {
  const efforts = players.map(({ name, search }) => {
    const effort = search?.limit ?? (search?.visits ? `${search.visits} visits` : undefined);
    return effort === undefined ? undefined : `${name}: ${typeof effort === "string" ? effort : JSON.stringify(effort)}`;
  });
  const all = limit === undefined ? [] : [`limit ${typeof limit === "string" ? limit : JSON.stringify(limit)}`];
  return [...efforts.filter(Boolean), ...all];
}
