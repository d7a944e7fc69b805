// Runs: the list of them, and several laid over one another.

/** Time between two looks at a list, milliseconds, and between two reads of a run that is laid over others. */
const LIST_EVERY = 4000;
const OVERLAY_EVERY = 15000;
/** Most runs that can be laid over one another: as many as there are colours. */
const MOST_OVERLAID = CURVE_COLOURS;

/** What the conditions of runs are called, and what there is to say of them. */
const CONDITIONS = {
  opening: ["being opened", "A program measures this machine; the first stage begins soon."],
  running: ["running", ""],
  interrupted: ["interrupted", "No program works on it. The same command resumes it."],
  finished: ["finished", ""],
};

/** What curves can be drawn against. */
const AXES = {
  generation: { name: "generation", of: ({ generation }) => generation, whole: true },
  hours: { name: "hours of the run", of: ({ hours }) => hours },
  positions: { name: "positions of self-play", of: ({ positions }) => positions },
};

async function showRuns(place) {
  const id = new URLSearchParams(location.search).get("run");
  return id === null ? showRunList(place) : showRun(place, id);
}

/** The path of the page of a run. */
function runPath(id) {
  return pathOf("/", { run: id });
}

/** A badge with the condition of a run: `show(run)`. */
function conditionBadge() {
  const element = html("span", { className: "badge" });
  const show = ({ condition, problem }) => {
    element.className = `badge ${problem ? "damaged" : condition}`;
    element.textContent = problem ? "cannot be read" : CONDITIONS[condition][0];
  };
  return { element, show };
}

/** How far a run is, in a line. */
function progressText({ condition, done, seconds, seconds_left: left }) {
  const parts = [`${percent(done)} %`];
  if (seconds > 0) parts.push(`${duration(seconds)} so far`);
  if (condition === "running" && left !== null) parts.push(`about ${duration(left)} left`);
  return parts.join(" · ");
}

class RunCard {
  constructor(id, choose) {
    this.link = html("a", { href: runPath(id) });
    this.badge = conditionBadge();
    this.progress = progressBar("Progress");
    this.lines = [0, 1].map(() => html("p"));
    this.problem = html("p", { className: "apart", hidden: true });
    this.box = html("input", { type: "checkbox", value: id });
    this.box.addEventListener("change", choose);
    this.element = html("article", { className: "run-card" }, html("h2", {}, this.link), this.badge.element,
      this.progress.element, ...this.lines, this.problem, html("label", {}, this.box, " overlay"));
  }

  show(entry) {
    this.entry = entry;
    this.link.textContent = entry.id;
    this.badge.show(entry);
    this.progress.element.hidden = Boolean(entry.problem);
    this.progress.show(entry.done);
    this.problem.hidden = !entry.problem;
    this.problem.textContent = entry.problem ?? "";
    const { rating, alarms } = entry;
    const about = [entry.title === entry.id ? "unknown variant" : entry.title];
    if (!entry.problem) about.push(`generation ${entry.generation}`, counted(entry.games, "game", "games"));
    if (rating) about.push(`${fixed(rating.elo)} ± ${fixed(rating.error)} Elo (network ${rating.network})`);
    if (alarms > 0) about.push(counted(alarms, "health alarm", "health alarms"));
    this.lines[0].textContent = about.join(" · ");
    this.lines[1].textContent = entry.problem ? "" : progressText(entry);
  }
}

async function showRunList(place) {
  const line = new MessageLine();
  const list = html("div", { className: "run-list" });
  const none = absent("There are no runs here. Name their folders: kirin serve FOLDER…");
  none.hidden = true;
  const overlay = new Overlay();
  const cards = new Map();
  const choose = () => {
    const entries = [...cards.values()].filter(({ box }) => box.checked).map(({ entry }) => entry);
    const isFull = entries.length >= MOST_OVERLAID;
    for (const { box, entry } of cards.values()) box.disabled = Boolean(entry.problem) || (isFull && !box.checked);
    const address = pathOf("/", { overlay: entries.map(({ id }) => id) }) + location.hash;
    if (address !== location.pathname + location.search + location.hash) history.replaceState(null, "", address);
    overlay.choose(entries);
  };
  let wanted = new URLSearchParams(location.search).getAll("overlay");
  const refresh = async () => {
    const runs = await attempt(line, () => ask("/api/runs"));
    if (!runs) return;
    const ids = new Set(runs.map(({ id }) => id));
    for (const [id, card] of cards) {
      if (ids.has(id)) continue;
      card.element.remove();
      cards.delete(id);
    }
    for (const entry of runs) {
      if (!cards.has(entry.id)) cards.set(entry.id, new RunCard(entry.id, choose));
      const card = cards.get(entry.id);
      card.show(entry);
      card.box.checked ||= wanted.includes(entry.id) && !entry.problem;
    }
    wanted = [];
    // Running ones come first. Nothing moves if the order is as before, so that the focus stays.
    const ordered = [...runs].sort((a, b) => (b.condition === "running") - (a.condition === "running"));
    ordered.forEach(({ id }, at) => {
      const { element } = cards.get(id);
      if (list.children[at] !== element) list.insertBefore(element, list.children[at] ?? null);
    });
    none.hidden = runs.length > 0;
    overlay.element.hidden = runs.length === 0;
    choose();
  };
  place.replaceChildren(html("h1", {}, "Runs"), line.element, none, list, overlay.element);
  every(LIST_EVERY, refresh);
}

/** The axis that is named in the address. */
function axisSaid() {
  const { across } = addressed();
  return AXES[across] ? across : "generation";
}

/** A choice of what curves are drawn against, noted in the address. */
function axisChoice(change) {
  const options = Object.entries(AXES).map(([key, { name }]) => [key, name]);
  return choiceOf("Curves against", options, axisSaid(), (across) => {
    noteAddress({ ...addressed(), across });
    change();
  }).element;
}

const ON_SCALE = "On the fixed scale the random player of the variant has 0 Elo. The bars are 95 % intervals. Ratings of "
  + "different variants cannot be compared.";
const OWN_ZERO = "Not all of these runs have ratings on the fixed scale, so each has a zero of its own and the heights "
  + "cannot be compared.";

class Overlay {
  #runs = new Map(); // by id: { asked, condition, history }
  #shown = "";

  constructor() {
    this.entries = [];
    this.line = new MessageLine();
    this.charts = html("div", { className: "charts" });
    this.note = note();
    const form = html("div", { className: "form" }, axisChoice(() => this.#draw()));
    this.body = html("div", { hidden: true }, form, this.line.element, this.charts, this.note);
    const how = note("Choose runs by their boxes above to lay their curves over one another.");
    this.element = section("Overlay", how, this.body);
    this.element.classList.add("overlay");
    this.element.hidden = true;
  }

  /** Draws the curves of these runs. */
  async choose(entries) {
    this.entries = entries;
    this.body.hidden = entries.length === 0;
    for (const id of this.#runs.keys()) {
      if (!entries.some((entry) => entry.id === id)) this.#runs.delete(id);
    }
    const now = performance.now();
    const stale = entries.filter(({ id, condition }) => {
      const known = this.#runs.get(id);
      const mayChange = condition !== "finished" || !known?.history;
      const isOld = known && mayChange && now - known.asked > OVERLAY_EVERY;
      return !known || known.condition !== condition || isOld;
    });
    for (const { id, condition } of stale) this.#runs.set(id, { ...this.#runs.get(id), condition, asked: now });
    const read = ({ id }) => ask(pathOf("/api/run", { id })).then(({ history }) => {
      const known = this.#runs.get(id);
      if (known) known.history = history;
    });
    if (stale.length > 0) {
      await attempt(this.line, async () => {
        const failed = (await Promise.allSettled(stale.map(read))).find(({ status }) => status === "rejected");
        if (failed) throw failed.reason;
      });
    }
    const shown = JSON.stringify(this.entries.map(({ id }) => id));
    if (stale.length > 0 || shown !== this.#shown) this.#draw();
    this.#shown = shown;
  }

  #draw() {
    const axis = AXES[axisSaid()];
    const runs = this.entries.map(({ id }, colour) => ({ id, colour, history: this.#runs.get(id)?.history }));
    const known = runs.filter(({ history }) => history);
    const isOnScale = ({ ratings }) => ratings.length === 0 || ratings.some(({ scale }) => scale);
    const onScale = known.every(({ history }) => isOnScale(history));
    const chart = (title, unit, points) => lineChart({
      title, unit, across: axis.name, whole: axis.whole,
      series: known.map(({ id, colour, history }) => ({ name: id, colour, named: true, points: points(history) })),
    });
    const losses = (key) => (history) => lossPoints(history, axis, [`${key}_validation`, key]);
    this.charts.replaceChildren(
      chart("Strength", onScale ? "Elo, fixed scale" : "Elo above each run's own zero",
        (history) => ratingPoints(history, axis, onScale)),
      chart("Policy loss", "nats, validation games", losses("policy")),
      chart("Value loss", "nats, validation games", losses("value")));
    this.note.textContent = onScale ? ON_SCALE : OWN_ZERO;
  }
}

/** The points of the ratings of a run, on the fixed scale or above its own zero. */
function ratingPoints({ ratings }, axis, onScale) {
  const points = ratings.map((rating) => {
    const [elo, error] = onScale ? [rating.scale?.elo, rating.scale?.error] : [rating.elo, rating.error];
    const games = counted(rating.games, "game", "games") + (rating.cautious && !onScale ? ", a cautious estimate" : "");
    const title = `network ${rating.generation}: ${plusMinus(elo, error)} Elo, ${games}`;
    return { x: axis.of(rating), y: elo, error, title };
  });
  return points.filter(({ y }) => typeof y === "number");
}

/** The points of a loss: the first of these keys that a generation has. */
function lossPoints({ generations }, axis, keys) {
  return generations.flatMap((generation) => {
    const key = keys.find((name) => typeof generation.losses?.[name] === "number");
    if (!key) return [];
    const y = generation.losses[key];
    return [{ x: axis.of(generation), y, title: `generation ${generation.generation}: ${fixed(y, 3)} nats` }];
  });
}
