// A run: its state, its curves, its health, its newest game, while it is in progress.

async function showRun(place, id) {
  const page = new RunPage(id);
  place.replaceChildren(page.element);
  await attempt(page.line, () => page.begin());
}

const NO_GAME = "No game is finished yet.";

const TILES = [
  "Elo, fixed scale", "games", "positions", "evaluations a second",
  "policy loss", "value loss", "generation", "network",
];

const TASKS = {
  rules_games: ["random-play games", "games"], selfplay: ["self-play", "positions"], training: ["training", "steps"],
};

class RunPage {
  #steps = []; // rows of training metrics: [step, generation, is validation, policy loss, value loss]
  #replay;
  #waiting = false; // whether there is a newer game than the one on the board
  #asking = false;
  #frame; // in which the curves are drawn

  constructor(id) {
    this.id = id;
    this.line = new MessageLine();
    this.lost = new MessageLine();
    this.badge = conditionBadge();
    this.subtitle = html("p", { className: "subtitle" });
    this.progress = progressBar("Progress of the run");
    this.progressLine = html("p", { className: "soft" });
    this.stageLine = html("p", { className: "stage" });
    this.stageBar = progressBar("Progress of the stage");
    this.tiles = tilesOf(TILES);
    this.alarms = html("div", { className: "alarms" });
    this.charts = html("div", { className: "charts" });
    this.ratingNote = note();
    this.game = html("div", {}, absent(NO_GAME));
    this.gameLine = new MessageLine();
    this.health = html("div");
    this.times = html("div", { className: "tall" });
    this.matches = html("div");
    this.about = html("div");
    this.live = html("div", {},
      this.progress.element, this.progressLine, this.stageLine, this.stageBar.element, this.tiles.element, this.alarms,
      section("Curves", html("div", { className: "form" }, axisChoice(() => this.#draw())), this.charts,
        this.ratingNote),
      section("Newest game", this.gameLine.element, this.game),
      section("Matches", this.matches),
      section("Health", this.health),
      section("Time and speed", this.times),
      this.about);
    this.element = html("div", { className: "run" }, crumb("/", "Runs"), html("h1", {}, id, " ", this.badge.element),
      this.subtitle, this.line.element, this.lost.element, this.live);
  }

  async begin() {
    const run = await ask(pathOf("/api/run", { id: this.id }));
    this.#describe(run);
    this.showState(run);
    this.showHistory(run.history);
    whileSeen(() => this.#listen());
  }

  #listen() {
    return follow(pathOf("/api/run/live", { id: this.id }), {
      state: (state) => {
        this.lost.clear();
        if (this.isGone) this.#forget();
        this.live.classList.remove("stale");
        this.showState(state);
      },
      settings: (settings) => this.#describe(settings),
      history: (history) => this.showHistory(history),
      metrics: (metrics) => this.addMetrics(metrics),
      game: () => this.offerGame(),
      gone: () => this.showGone(),
      lost: () => {
        if (!this.isGone) this.lost.complain(new Refused(CONNECTION_LOST));
      },
    });
  }

  showGone() {
    this.isGone = true;
    this.live.classList.add("stale");
    this.badge.element.className = "badge damaged";
    this.badge.element.textContent = "gone";
    this.lost.complain(new Refused(
      "This run is gone: its folder was deleted, moved or renamed. What is shown was true before that."));
    this.#replay?.play(false);
  }

  /** Forgets what only the run that is gone had: another one may have begun in its folder. */
  #forget() {
    [this.isGone, this.#steps, this.#replay, this.#waiting] = [false, [], undefined, false];
    this.game.replaceChildren(absent(NO_GAME));
    this.#draw();
  }

  showState(run) {
    const { state } = run;
    this.badge.show(run);
    if (run.problem) this.line.complain(new Refused(`The run cannot be read: ${run.problem}`));
    else this.line.clear();
    const openings = pathOf("/explorer", { variant: run.variant, source: run.id });
    this.subtitle.replaceChildren(run.title === run.id ? "Unknown variant" : run.title,
      ...run.variant ? [" · ", html("a", { href: openings }, "its openings")] : []);
    if (!state) return;
    this.condition = run.condition;
    this.progress.show(run.done);
    const [, advice] = CONDITIONS[run.condition];
    const budget = state.budget_seconds === null ? "" : ` · budget ${duration(state.budget_seconds)}`;
    this.progressLine.replaceChildren(progressText(run) + budget, ...advice ? [" · ", ...withCode(advice)] : []);
    this.#showStage(state);
    const loss = (key) => state.stage?.[`${key}_loss`] ?? state.losses?.[key];
    const nats = (number) => typeof number === "number" ? `${fixed(number, 3)} nats` : "–";
    this.tiles.show({
      "Elo, fixed scale": run.rating ? `${fixed(run.rating.elo)} ± ${fixed(run.rating.error)}` : "–",
      games: whole.format(state.games),
      positions: short(state.positions),
      "policy loss": nats(loss("policy")),
      "value loss": nats(loss("value")),
      generation: state.generations ? `${state.generation} of ${state.generations}` : String(state.generation),
      network: String(state.network),
    });
    this.speed = state.stage?.evaluations_per_second;
    this.#showSpeed();
  }

  #showStage({ stage, condition }) {
    this.stageBar.element.hidden = !stage;
    this.stageLine.hidden = !stage;
    if (!stage) return;
    const { task, done, total, generation } = stage;
    const [name, units] = typeof task === "object"
      ? [`match of network ${task.match.network} with ${opponentName(task.match.opponent)}`, "games"]
      : TASKS[task] ?? [task, ""];
    const games = stage.games && units !== "games" ? `, ${counted(stage.games, "game", "games")} finished` : "";
    const before = condition === "running" ? "" : "interrupted in ";
    const how = `${whole.format(done)} of ${whole.format(total)} ${units}${games}`;
    this.stageLine.textContent = `Generation ${generation}: ${before}${name}, ${how}`;
    this.stageBar.show(total > 0 ? Math.min(done / total, 1) : 0);
  }

  #showSpeed() {
    const measured = this.history?.generations.filter((it) => it.evaluations_per_second) ?? [];
    const speed = this.speed ?? measured.at(-1)?.evaluations_per_second;
    this.tiles.show({ "evaluations a second": speed ? short(speed) : "–" });
  }

  showHistory(history) {
    this.history = history;
    this.#showAlarms(history.health);
    this.#showHealth(history.health);
    this.#showTimes(history.generations);
    this.#showMatches(history);
    this.#showSpeed();
    this.#draw();
  }

  /** Adds rows of training metrics; those from 0 on take the place of all. */
  addMetrics({ from, rows }) {
    this.#steps.length = Math.min(from, this.#steps.length);
    for (const row of rows) this.#steps.push(row);
    this.#draw();
  }

  #showAlarms(figures) {
    const ills = figures.filter(({ healthy }) => !healthy);
    this.alarms.replaceChildren(...ills.map((figure) => html("div", { className: "alarm" },
      html("b", {}, `${figure.title}: ${figure.value}`),
      html("span", { className: "soft" }, ` in generation ${figure.generation}, healthy ${figure.range}`),
      html("p", {}, "What to do: ", ...withCode(figure.remedy ?? "")))));
  }

  #showHealth(figures) {
    const rows = figures.map(({ title, value, healthy, range, outside }) =>
      [title, healthy ? value : `${value} !`, range, rangesOf(outside)]);
    const names = ["Figure", "#Newest", "#Healthy", "Outside in generation"];
    this.health.replaceChildren(
      rows.length > 0 ? tableOf(names, rows) : absent("No generation of self-play is finished yet."));
  }

  #showTimes(generations) {
    const seconds = (number) => number > 0 ? duration(number) : "–";
    const number = (value, digits = 0) => value ? fixed(value, digits) : "–";
    const rows = [...generations].reverse().map((it) => [
      String(it.generation), ...it.seconds.map(seconds), number(it.evaluations_per_second),
      it.batch_fill ? `${percent(it.batch_fill)} %` : "–", number(it.samples_per_second), whole.format(it.games),
      number(it.mean_plies, 1),
    ]);
    const names = ["#Generation", "#Self-play", "#Training", "#Matches", "#Evaluations/s", "#Batch fill", "#Samples/s",
      "#Games", "#Plies a game"];
    this.times.replaceChildren(rows.length > 0 ? tableOf(names, rows) : absent("No stage is finished yet."));
  }

  #showMatches({ matches, ratings_problem: problem }) {
    const folder = `${this.id}/matches`;
    const rows = [...matches].reverse().map((it) => [
      html("a", { href: matchPath(`${folder}/${it.log}`) }, `network ${it.network} – ${it.opponent}`),
      whole.format(it.pairs), ...it.results.map((games) => whole.format(games)), shareText(it.score),
      plusMinus(it.elo, it.elo_error),
    ]);
    const names = ["Match", "#Pairs", "#Won", "#Drawn", "#Lost", "#Score", "#Elo difference"];
    const all = html("a", { href: pathOf("/matches", { folder }) }, "Ratings and cross-table of all players");
    this.matches.replaceChildren(
      ...problem ? [html("p", { className: "apart" }, `The logs of the matches cannot be read: ${problem}`)] : [],
      ...rows.length > 0 ? [tableOf(names, rows), html("p", {}, all)] : [absent("No match is finished yet.")]);
  }

  /** Draws the curves, however much has changed, once before the page is shown again. */
  #draw() {
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = undefined;
      if (this.history) this.#drawNow(this.history);
    });
  }

  #drawNow(history) {
    const axis = AXES[axisSaid()];
    const onScale = history.ratings.some(({ scale }) => scale);
    const across = { across: axis.name, whole: axis.whole };
    const losses = (key) => [
      { name: "training games", colour: 0, points: lossPoints(history, axis, [key]) },
      { name: "validation games", colour: 1, points: lossPoints(history, axis, [`${key}_validation`]) },
    ];
    this.charts.replaceChildren(
      lineChart({ title: "Strength", unit: onScale ? "Elo, fixed scale" : "Elo above the run's own zero", ...across,
        series: [{ name: "networks", colour: 0, points: ratingPoints(history, axis, onScale) }] }),
      lineChart({ title: "Policy loss", unit: "cross-entropy, nats", ...across, series: losses("policy") }),
      lineChart({ title: "Value loss", unit: "cross-entropy, nats", ...across, series: losses("value") }),
      lineChart({ title: "Speed of self-play", unit: "evaluations a second", ...across, zero: true,
        series: [{ name: "self-play", colour: 2, points: speedPoints(history, axis) }] }),
      ...this.#stepCharts());
    this.ratingNote.textContent = (onScale ? "On the fixed scale the random player has 0 Elo. " : "")
      + "The bars are 95 % intervals. A policy loss that rises may mean sharper games and not a worse network.";
  }

  /** The losses in the course of training, step by step. */
  #stepCharts() {
    const steps = this.#steps.filter((row) => row[2] === 0);
    if (steps.length < 2) return [];
    const kinds = [["policy", "Policy loss in training", 3], ["value", "Value loss in training", 4]];
    return kinds.map(([name, title, at], colour) => {
      const points = steps.map((row) => ({
        x: row[0], y: row[at], title: `step ${row[0]}, generation ${row[1]}: ${fixed(row[at], 3)} nats`,
      }));
      const series = [{ name, colour, points }];
      return lineChart({ title, unit: "nats", across: "optimiser step", whole: true, series });
    });
  }

  /** There is a newer game: it is shown at once, or when the one on the board has been shown. */
  async offerGame() {
    this.#waiting = true;
    if (!this.#replay) await this.#showNewest();
  }

  /** Gives whether the server could tell it. */
  async #showNewest() {
    if (this.#asking) return false;
    [this.#asking, this.#waiting] = [true, false];
    const isShown = await attempt(this.gameLine, async () => {
      await this.#showGame(await ask(pathOf("/api/run/game", { id: this.id })), true);
      return true;
    });
    this.#asking = false;
    this.#waiting ||= !isShown;
    return Boolean(isShown);
  }

  async #showGame(game, playing) {
    if (!this.#replay) {
      const { board } = await variantOf(game.variant);
      this.#replay = new ReplayView(board, { ended: () => this.#ended() });
      this.earlier = button("Earlier game", () => this.#turn(-1));
      this.later = button("Later game", () => this.#turn(1));
      const newest = button("Newest game", () => this.#showNewest());
      const form = html("div", { className: "form" }, this.earlier, this.later, newest);
      this.game.replaceChildren(form, this.#replay.element);
    }
    this.games = game.games;
    this.at = game.games.indexOf(game.id);
    this.earlier.disabled = this.at <= 0;
    this.later.disabled = this.at < 0 || this.at === game.games.length - 1;
    this.#replay.open(game, playing);
  }

  /** The game on the board has been shown: the newest one follows, or the same again while none is newer. */
  async #ended() {
    if (this.#waiting && !document.hidden && await this.#showNewest()) return;
    this.#replay.play(this.condition === "running" && !this.isGone);
  }

  async #turn(by) {
    const path = pathOf("/api/run/game", { id: this.id, game: this.games[this.at + by] });
    await attempt(this.gameLine, async () => this.#showGame(await ask(path), false));
  }

  #describe({ config, about }) {
    const described = JSON.stringify([config, about]);
    // What a person has unfolded stays so.
    if (described === this.described) return;
    this.described = described;
    const facts = (about ? flattened(about) : []).map(([name, value]) =>
      html("div", {}, html("dt", {}, name), html("dd", {}, value)));
    const folded = (title, content) => html("details", {}, html("summary", {}, title), content);
    this.about.replaceChildren(
      ...facts.length > 0 ? [folded("About this run", html("dl", { className: "about" }, ...facts))] : [],
      ...config ? [folded("Configuration", html("pre", {}, config))] : []);
  }
}

/** The points of the speed of self-play. */
function speedPoints({ generations }, axis) {
  const measured = generations.filter((it) => it.evaluations_per_second);
  return measured.map((it) => ({
    x: axis.of(it), y: it.evaluations_per_second,
    title: `generation ${it.generation}: ${fixed(it.evaluations_per_second)} evaluations a second`,
  }));
}

/** What an opponent of a match is called: a network of the run is its generation. */
function opponentName(opponent) {
  return typeof opponent === "number" ? `network ${opponent}` : String(opponent);
}

/** The values of an object and of those in it, as names and texts. */
function flattened(object, before = "") {
  return Object.entries(object).flatMap(([key, value]) => {
    const name = `${before}${key.replaceAll("_", " ")}`;
    if (value === null) return [];
    if (key.endsWith("_at_ms")) {
      return [[name.replace(/ at ms$/, ""), `${new Date(value).toLocaleString("en-GB", { timeZone: "UTC" })} UTC`]];
    }
    if (Array.isArray(value)) return [[name, value.map(String).join(", ")]];
    if (typeof value === "object") return flattened(value, `${name} `);
    return [[name, String(value)]];
  });
}

/** Ascending numbers as text, those that follow one another as a range: `2, 11–38`. */
function rangesOf(numbers) {
  const ranges = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last && last[1] === number - 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges.map(([from, to]) => from === to ? `${from}` : `${from}–${to}`).join(", ");
}
