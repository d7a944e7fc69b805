// The data of the explorer as the server has them: any position of any game. The methods are those that `data.js` lists.

class ServerSource {
  #names; // the variant and the sources
  #line; // for messages
  #signal; // ends all questions when another mixture is chosen
  #wanted = {}; // the conditions of the games that are counted
  #overview;
  #starts = []; // the setups in the order in which they were first seen, by which lines begin; all together, if several
  #asked; // the last position that was asked for: { path, answer }

  constructor(names, line, signal) {
    this.#names = names;
    this.#line = line;
    this.#signal = signal;
  }

  /** Asks what there is to explore. Gives whether the server could tell it. */
  async read() {
    const overview = await attempt(this.#line, () => {
      this.#line.say("Counting…");
      return ask(this.#path("/api/explorer"), undefined, this.#signal);
    });
    if (!overview) return false;
    this.#line.clear();
    this.#overview = overview;
    this.#asked = undefined;
    const all = overview.starts.length > 1 ? [ALL_SETUPS] : [];
    for (const setups of [...all, ...overview.starts.map((start) => start.setups)]) {
      if (!this.#starts.some((known) => String(known) === String(setups))) this.#starts.push(setups);
    }
    return true;
  }

  /** What a person must know of the counts, or an empty text. */
  note() {
    const { of, all } = this.#overview;
    return of < all ? `These games are too many for the memory: ${whole.format(of)} of ${whole.format(all)}, evenly chosen, `
      + "are counted here. kirin openings counts all." : "";
  }

  /** The path of a question about the games that are counted. */
  #path(path, more = {}) {
    const only = Object.entries(this.#wanted).map(([key, text]) => `${key}:${text}`);
    return pathOf(path, { ...this.#names, only, ...more });
  }

  async about() {
    return this.#overview.board;
  }

  async facets() {
    return this.#overview.facets;
  }

  async choose(wanted) {
    const known = this.#overview.facets.map(({ key }) => key);
    const conditions = Object.fromEntries(Object.entries(wanted).filter(([key, text]) => text && known.includes(key)));
    if (JSON.stringify(conditions) !== JSON.stringify(this.#wanted)) {
      const before = this.#wanted;
      this.#wanted = conditions;
      if (!await this.read()) this.#wanted = before;
    }
    const { games, of } = this.#overview;
    return { games, of };
  }

  async starts() {
    const none = { titles: [], games: 0, first: 0, draws: 0, second: 0 };
    const { starts } = this.#overview;
    const sum = (key) => starts.reduce((sum, start) => sum + start[key], 0);
    return this.#starts.map((setups) => isSum({ setups })
      ? { setups, games: sum("games"), first: sum("first"), draws: sum("draws"), second: sum("second") }
      : starts.find((start) => String(start.setups) === String(setups)) ?? { setups, ...none });
  }

  /** What the server says of a position, asked once unless it cannot tell. */
  async #explored(line) {
    const setups = this.#starts[line.start]?.join(",");
    const path = this.#path("/api/explorer/position", { setups, moves: line.moves.join(" ") });
    if (this.#asked?.path !== path) {
      this.#asked = { path, answer: attempt(this.#line, () => ask(path, undefined, this.#signal)) };
    }
    const asked = this.#asked;
    const answer = await asked.answer;
    if (!answer && this.#asked === asked) this.#asked = undefined;
    return answer;
  }

  async position(line) {
    const answer = await this.#explored(line);
    return answer && { ...answer, unlisted: answer.ended };
  }

  async development(line) {
    return (await this.#explored(line))?.development ?? undefined;
  }

  async games(line) {
    return (await this.#explored(line))?.samples ?? [];
  }

  async game(id) {
    return attempt(this.#line, () => ask(pathOf("/api/explorer/game", { ...this.#names, id }), undefined, this.#signal));
  }
}
