// The choice of a game to play: rules, sides, opponent, clock, start position.

/** Visits of a search for which no other number is set. */
const USUAL_VISITS = 400;
/** Least and most milliseconds of a move of an opponent by time, and the part of its clock that it uses. */
const MOVE_TIMES = [50, 60000];
const CLOCK_PART = 1 / 20;

/** A number in a field, within bounds; undefined if there is none. */
function numberIn(text, low, high) {
  const number = Number.parseFloat(text);
  return Number.isFinite(number) ? Math.min(Math.max(number, low), high) : undefined;
}

/** A field for a text or a number. */
function fieldOf(label, properties) {
  const input = html("input", properties);
  return { element: html("label", { className: "field" }, html("span", {}, label), input), input };
}

/** What a page's address says of a game: where it began, who plays, what was played, how it was ended. */
class GameSettings {
  constructor(said) {
    const { variant, ruleset, fen, setups, side, level, network, visits, seconds, clock, ended } = said;
    Object.assign(this, { variant, ruleset, fen, setups, level, network, visits, seconds, clock, ended });
    this.seed = Number(said.seed) || 1;
    /** The side of the person; undefined where no game was begun. */
    this.mine = { first: 0, second: 1 }[side];
    /** The side that the form proposes. */
    this.wish = said.wish ?? side ?? "first";
    this.moves = (said.moves ?? "").split(/[\s,.]+/).filter(Boolean);
  }

  /** Writes the game into the address. */
  note() {
    const { variant, ruleset, fen, setups, level, network, visits, seconds, clock, ended } = this;
    const side = ["first", "second"][this.mine];
    const seed = String(this.seed);
    const moves = this.moves.join(".");
    noteAddress({ variant, ruleset, fen, setups, side, level, network, visits, seconds, clock, seed, ended, moves });
  }

  /** The address of the form with these settings. */
  renewed() {
    const { variant, ruleset, fen, setups, level, network, visits, seconds, clock, wish } = this;
    const said = Object.entries({ variant, ruleset, fen, setups, level, network, visits, seconds, clock, wish });
    return `/play#${new URLSearchParams(said.filter(([, text]) => text))}`;
  }

  /** The game after so many plies, as the server asks for it. */
  spec(plies = this.moves.length) {
    const { variant, ruleset, fen, setups } = this;
    return { variant, ruleset, fen, setups, moves: this.moves.slice(0, plies).join(" ") };
  }

  /** The opponent, as the server asks for it. `left` is the time on its clock in milliseconds, if there is one. */
  opponent(left = Infinity) {
    const seed = this.seed + this.moves.length;
    if (this.level) return { level: Number(this.level), seed };
    const { network, visits, seconds } = this;
    if (!seconds) return { network, visits: Number(visits) || USUAL_VISITS, seed };
    const [least, most] = MOVE_TIMES;
    const wanted = Math.min(1000 * seconds, left * CLOCK_PART);
    return { network, milliseconds: Math.round(Math.min(Math.max(wanted, least), most)), seed };
  }

  /** Whom to ask for the chances: the opponent's network, without the weakness of a level. */
  observer() {
    return { network: this.level ? undefined : this.network, visits: USUAL_VISITS, seed: 1 };
  }

  /** Minutes and added seconds of the clock; undefined without one. */
  times() {
    const [minutes, added] = (this.clock ?? "").split("+").map(Number);
    return minutes > 0 ? { minutes, added: added || 0 } : undefined;
  }
}

/** The form. */
class GameForm {
  /** `begin` is called with the settings of a game that the server accepts. */
  constructor(all, begin) {
    this.all = all;
    this.begin = begin;
    this.message = new MessageLine();
    this.element = html("form", { className: "new-game" });
    this.element.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit();
    });
  }

  /** Shows the choices, set as these settings say as far as they fit. */
  show(settings) {
    this.about = this.all.find(({ id }) => id === settings.variant) ?? this.all[0];
    const start = html("button", { className: "main start-game" }, "Start the game");
    this.element.replaceChildren(
      html("div", { className: "form" }, ...this.#rules(settings)),
      html("div", { className: "form" }, ...this.#players(settings)),
      this.#further(settings), this.message.element, start);
    this.#showLimit();
  }

  /** Game, rule set and sides. */
  #rules(settings) {
    const { id, rulesets, setups } = this.about;
    const names = [0, 1].map((side) => playerName(id, side));
    const known = rulesets.includes(settings.ruleset ?? rulesets[0]) ? rulesets : [...rulesets, settings.ruleset];
    const another = (variant) => this.show(new GameSettings({ variant, wish: this.side.select.value }));
    this.variant = choiceOf("Game", this.all.map((about) => [about.id, about.title]), id, another);
    this.ruleset = choiceOf("Rules", known.map((name) => [name, name]), settings.ruleset ?? rulesets[0]);
    const sides = [
      ["first", `${names[0]}, who begins`], ["second", `${names[1]}, who is second`], ["random", "Either, by chance"],
    ];
    this.side = choiceOf("You play", sides, settings.wish);
    const chosen = (settings.setups ?? "").split(",");
    const options = setups.map(({ name, title }) => [name, title]);
    this.setups = options.length === 0 ? []
      : names.map((name, side) => choiceOf(`Setup of ${name}`, options, chosen[side] || options[0][0]));
    return [this.variant, this.ruleset, this.side, ...this.setups].map(({ element }) => element);
  }

  /** The opponent and its limit. */
  #players(settings) {
    const levels = this.about.levels.map(({ number, elo }) =>
      [`level ${number}`, `Level ${number} · ${Math.round(elo)} Elo above random moves`]);
    const networks = this.about.networks.map(({ id, title }) => [`network ${id}`, `By visits or time: ${title}`]);
    const options = [...levels, ...networks];
    const { level, network } = settings;
    const said = level ? `level ${level}` : `network ${network}`;
    const value = options.some(([key]) => key === said) ? said : options[0][0];
    this.opponent = choiceOf("Opponent", options, value, () => this.#showLimit());
    const limits = [["visits", "Visits a move"], ["seconds", "Seconds a move"]];
    this.limit = choiceOf("Its limit", limits, settings.seconds ? "seconds" : "visits", () => this.#showLimit());
    const visits = settings.visits ?? String(USUAL_VISITS);
    this.visits = fieldOf("Visits", { type: "number", min: "1", max: "200000", value: visits });
    const seconds = settings.seconds ?? "2";
    this.seconds = fieldOf("Seconds", { type: "number", min: "0.1", max: "60", step: "any", value: seconds });
    return [this.opponent, this.limit, this.visits, this.seconds].map(({ element }) => element);
  }

  /** Clock and start position. */
  #further(settings) {
    const times = settings.times();
    const number = { type: "number", min: "0", max: "600", step: "any" };
    this.minutes = fieldOf("Clock: minutes each", { ...number, placeholder: "no clock", value: times?.minutes ?? "" });
    this.added = fieldOf("Seconds added a move", { ...number, value: times?.added ?? "0" });
    const text = { type: "text", value: settings.fen ?? "", spellcheck: false, autocomplete: "off" };
    this.fen = fieldOf("Start position as FEN (empty: the usual one)", text);
    this.fen.element.classList.add("wide");
    const { handicaps } = lookOf(this.about.id);
    const handicap = handicaps ? [choiceOf("Handicap", [["", "None"], ...handicaps], settings.fen ?? "", (fen) => {
      this.fen.input.value = fen;
    }).element] : [];
    return html("details", { className: "more-choices", open: Boolean(settings.fen || times) },
      html("summary", {}, "Clock and start position"),
      html("div", { className: "form" }, this.minutes.element, this.added.element, ...handicap, this.fen.element));
  }

  #showLimit() {
    const byLevel = this.opponent.select.value.startsWith("level ");
    this.limit.element.hidden = byLevel;
    this.visits.element.hidden = byLevel || this.limit.select.value !== "visits";
    this.seconds.element.hidden = byLevel || this.limit.select.value !== "seconds";
  }

  /** The settings that are chosen. */
  #chosen() {
    const seed = Math.floor(Math.random() * 1e9) + 1;
    const wish = this.side.select.value;
    const side = wish === "random" ? ["first", "second"][seed % 2] : wish;
    const fen = this.fen.input.value.trim() || undefined;
    const ruleset = this.ruleset.select.value;
    const setups = this.setups.map(({ select }) => select.value).join(",");
    const minutes = numberIn(this.minutes.input.value, 0, 600);
    const added = numberIn(this.added.input.value, 0, 600) ?? 0;
    return new GameSettings({
      variant: this.about.id, side, fen, seed, ...this.#chosenOpponent(),
      ruleset: ruleset === this.about.rulesets[0] ? undefined : ruleset,
      setups: fen ? undefined : setups || undefined,
      clock: minutes > 0 ? `${minutes}+${added}` : undefined,
    });
  }

  #chosenOpponent() {
    const [kind, ...words] = this.opponent.select.value.split(" ");
    const name = words.join(" ");
    if (kind === "level") return { level: name };
    if (this.limit.select.value === "seconds") {
      return { network: name, seconds: String(numberIn(this.seconds.input.value, 0.1, 60) ?? 2) };
    }
    const visits = numberIn(this.visits.input.value, 1, 200000) ?? USUAL_VISITS;
    return { network: name, visits: String(Math.round(visits)) };
  }

  async #submit() {
    const settings = this.#chosen();
    const standing = await attempt(this.message, () => ask("/api/position", settings.spec()));
    if (!standing) return;
    if (standing.outcome) {
      const how = outcomeText(settings.variant, standing.outcome);
      this.message.complain(new Refused(`This position is the end of a game: ${how}.`));
    } else this.begin(settings);
  }
}

