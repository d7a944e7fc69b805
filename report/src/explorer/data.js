// The data of the explorer behind one interface. `EmbeddedSource` answers from the JSON in the page. Whatever else has
// these methods, for instance one that asks a server, can stand in its place: no other script knows where data come from.
//
//   about()         the board: { variant, files, ranks, faces, hands, marked, coordinates, native_coordinates, notation }
//   facets()        what games can be chosen by: [{ key, kind, values, low, high }]. Of kind "choice" (one of the values),
//                   "prefix" and "part" (of a text), "range" (of numbers) and "date" (days as "2021-05-03"); the last two
//                   have the least and the greatest value
//   choose(wanted)  counts only games that meet conditions from now on: { key: text }, where the text of a range is
//                   "from..to", and either may be missing. Gives { games, of }: how many games are counted, out of how many
//   starts()        the start positions: [{ setups, titles, games, first, draws, second }]. Where there are several, one
//                   more stands for all together, with ALL_SETUPS and without titles
//   position(line)  { view, setups, titles, name, games, first, draws, second, moves: [{ uci, text, games, share, first,
//                   draws, second, score: [mean, low, high], reaching }], line: [{ uci, text }], unlisted, depth }, or
//                   undefined if the line is not known; setups and titles are those of the view, if any; name is what
//                   its openings are called, if anything; reaching is there only without conditions; depth is the
//                   longest line in plies, or undefined if lines have no end but that of their games. A line is
//                   { start: index of a start position, moves: [uci, …] }
//   development(line)  how often the moves of a position were played as time went by: { axis: "generation" or "year",
//                   points: [{ at, games, of: { uci: games } }] }; undefined if all games are of one time
//   games(line)     sample games that begin with the line: [{ id, facts, result, termination, plies, next, ply }];
//                   next is the next move of the game, { uci, text }, or undefined; facts are the values by facet; ply is
//                   when the game was in the position, if that may differ from the length of the line
//   game(id)        { id, facts, fen (of a game that began elsewhere), setups, result, termination, plies: [{ uci, text, value }], views: [view, …] }, one view
//                   more than plies; value is the score expected for the first player before the move, 0 to 1
//
// A view is what a board shows: { cells: [FEN code or "", by index rank × files + file], hands: [[[code, number], …] of
// the first player, of the second], side: 0 or 1 to move, last: the move that led here, in UCI, if any }.

/** In place of the setups of both players: the lines from all setups, as one. */
const ALL_SETUPS = ["any", "any"];

/** Whether a start stands for all of them. */
function isSum({ setups }) {
  return String(setups) === String(ALL_SETUPS);
}

/** The view after some changes. */
function changed(view, changes, last) {
  const cells = view.cells.slice();
  for (const [square, code] of changes.squares) cells[square] = code;
  return { cells, hands: changes.hands ?? view.hands, side: 1 - view.side, last };
}

/** The 95 % quantile of the normal distribution, two-sided. */
const Z = 1.959963984540054;

/** A score with its 95 % interval (Wilson), as `kirin openings` has it. */
function scoreOf(score, games) {
  if (games === 0) return [score, 0, 1];
  const scale = 1 + Z * Z / games;
  const centre = (score + Z * Z / (2 * games)) / scale;
  const half = Z * Math.sqrt(score * (1 - score) / games + Z * Z / (4 * games * games)) / scale;
  return [score, Math.max(centre - half, 0), Math.min(centre + half, 1)];
}

const DAY = 86400000;

/** A number of days since 1970 as "2021-05-03". */
function dateOf(days) {
  return new Date(days * DAY).toISOString().slice(0, 10);
}

/** Whether a value of a facet meets a condition. */
function meets(kind, wanted) {
  if (kind === "choice") return (value) => value === wanted;
  if (kind === "prefix") return (value) => value.startsWith(wanted);
  if (kind === "part") {
    const part = wanted.toLowerCase();
    return (value) => value.toLowerCase().includes(part);
  }
  const [from, to] = wanted.split("..").map((text) => {
    const number = kind === "date" ? Date.parse(text) / DAY : parseInt(text, 10);
    return Number.isFinite(number) ? number : undefined;
  });
  return (value) => value !== null && (from === undefined || value >= from) && (to === undefined || value <= to);
}

/** Whether a range of the values of a facet is asked for, which are numbers. */
function isRange(kind) {
  return kind === "range" || kind === "date";
}

/** How many games a place of the trees has, and how many of them each side won and were drawn. */
function storedCounts({ games, first, draws, second }) {
  return [games, first, draws, second];
}

class EmbeddedSource {
  #data;
  #trees; // those of the start positions, before them that of all together, if there are several
  #nodes = []; // every place of the trees: { node, parent, counts: [games, first, draws, second] }
  #wanted = {};
  #rows; // numbers of the games that meet the conditions

  constructor(data) {
    this.#data = data;
    const number = (node, parent) => {
      node.place = this.#nodes.length;
      this.#nodes.push({ node, parent, counts: storedCounts(node) });
      for (const move of node.moves ?? []) number(move, node.place);
    };
    for (const tree of [...data.starts, ...(data.sum ? [data.sum] : [])]) number(tree, -1);
    this.#trees = [...(data.sum ? [data.sum] : []), ...data.starts];
    this.#rows = data.counted.results.map((_, row) => row);
  }

  async about() {
    return this.#data.board;
  }

  async facets() {
    return this.#data.counted.facets.map(({ key, kind, values, columns }) => {
      if (!isRange(kind)) return { key, kind, values: values.filter((value) => value !== "") };
      const known = columns.flat().filter((value) => value !== null);
      const [low, high] = [known.reduce((a, b) => Math.min(a, b)), known.reduce((a, b) => Math.max(a, b))];
      return { key, kind, values: [], low: kind === "date" ? dateOf(low) : low, high: kind === "date" ? dateOf(high) : high };
    });
  }

  async choose(wanted) {
    const { all, places, summed_places, results, facets } = this.#data.counted;
    this.#wanted = {};
    let passing = results.map(() => true);
    for (const { key, kind, values, columns } of facets) {
      if (!wanted[key]) continue;
      this.#wanted[key] = wanted[key];
      const meeting = meets(kind, wanted[key]);
      const good = values.map((value) => value !== "" && meeting(value));
      const passes = isRange(kind) ? meeting : (value) => good[value];
      passing = passing.map((yes, row) => yes && columns.some((column) => passes(column[row])));
    }
    this.#rows = [];
    passing.forEach((yes, row) => yes && this.#rows.push(row));
    if (!this.#isFiltered()) {
      for (const entry of this.#nodes) entry.counts = storedCounts(entry.node);
      return { games: all, of: all };
    }
    for (const entry of this.#nodes) entry.counts = [0, 0, 0, 0];
    for (const of of summed_places ? [places, summed_places] : [places]) {
      for (const row of this.#rows) {
        for (let place = of[row]; place >= 0; place = this.#nodes[place].parent) {
          const { counts } = this.#nodes[place];
          counts[0] += 1;
          counts[1 + results[row]] += 1;
        }
      }
    }
    return { games: this.#rows.length, of: results.length };
  }

  #isFiltered() {
    return Object.keys(this.#wanted).length > 0;
  }

  async starts() {
    return this.#trees.map((tree) => ({
      setups: tree === this.#data.sum ? ALL_SETUPS : tree.setups, titles: tree.titles, ...this.#countsOf(tree.place),
    }));
  }

  #countsOf(place) {
    const [games, first, draws, second] = this.#nodes[place].counts;
    return { games, first, draws, second };
  }

  async position(line) {
    const found = this.#find(line);
    if (!found) return undefined;
    const { node, view, start, played } = found;
    const { setups, titles } = start;
    const here = this.#countsOf(node.place);
    const moves = (node.moves ?? []).map((move) => {
      const counts = this.#countsOf(move.place);
      const { games, first, draws, second } = counts;
      const score = ((view.side === 0 ? first : second) + draws / 2) / games;
      const { uci, text } = move;
      const filtered = this.#isFiltered();
      return {
        uci, text, ...counts, share: games / here.games, score: filtered ? scoreOf(score, games) : move.score,
        reaching: filtered ? undefined : move.reaching,
      };
    }).filter(({ games }) => games > 0);
    moves.sort((a, b) => b.games - a.games || (a.uci < b.uci ? -1 : 1));
    const listed = moves.reduce((sum, move) => sum + move.games, 0);
    return {
      view, setups, titles, name: node.name, ...here, moves, line: played, unlisted: here.games - listed,
      depth: this.#data.limits.depth,
    };
  }

  /** A place of the trees: { node, view, start, played }, where start is the one that the view belongs to; undefined if
   * the line is not known. */
  #find(line) {
    const tree = this.#trees[line.start];
    if (!tree) return undefined;
    let node = tree;
    let view = this.#first(tree);
    let start = tree === this.#data.sum ? this.#data.starts[0] : tree;
    const played = [];
    for (const uci of line.moves) {
      node = (node.moves ?? []).find((move) => move.uci === uci);
      if (!node) return undefined;
      view = changed(view, node.position, uci);
      if (node.shown !== undefined) start = this.#data.starts[node.shown];
      played.push({ uci, text: node.text });
    }
    return { node, view, start, played };
  }

  /** Whether a line is one of all start positions together. */
  #isOfSum(line) {
    return Boolean(this.#data.sum) && this.#trees[line.start] === this.#data.sum;
  }

  async development(line) {
    const { places, summed_places, facets } = this.#data.counted;
    const placeOf = this.#isOfSum(line) ? summed_places : places;
    const facet = (key) => facets.find((one) => one.key === key)?.columns[0];
    const [generations, days] = [facet("generation"), facet("date")];
    const found = this.#find(line);
    if (!found || (!generations && !days)) return undefined;
    const time = generations ? (row) => generations[row]
      : (row) => days[row] === null ? null : new Date(days[row] * DAY).getUTCFullYear();
    const points = new Map();
    for (const row of this.#rows) {
      // The move by which the game left the position, if it reached it.
      let [place, after] = [placeOf[row], -1];
      while (place > found.node.place) [place, after] = [this.#nodes[place].parent, place];
      if (place !== found.node.place || time(row) === null) continue;
      const at = time(row);
      if (!points.has(at)) points.set(at, { at, games: 0, of: {} });
      const point = points.get(at);
      point.games += 1;
      const uci = after >= 0 ? this.#nodes[after].node.uci : "";
      point.of[uci] = (point.of[uci] ?? 0) + 1;
    }
    if (points.size < 2) return undefined;
    return { axis: generations ? "generation" : "year", points: [...points.values()].sort((a, b) => a.at - b.at) };
  }

  async games(line) {
    const { games, counted } = this.#data;
    const setups = this.#trees[line.start]?.setups;
    // Where no game is counted, there is no tree that games could begin with. Other positions are no start of a tree.
    const begins = (game) => (this.#isOfSum(line) ? Boolean(game.setups)
      : String(game.setups ?? "") === String(setups ?? ""));
    const same = (game) => (counted.all === 0 && line.moves.length === 0)
      || (begins(game) && line.moves.every((uci, ply) => game.plies[ply]?.uci === uci));
    return games.filter((game) => same(game) && this.#chosen(game)).map(({ id, facts, result, termination, plies }) =>
      ({ id, facts, result, termination, plies: plies.length, next: plies[line.moves.length] }));
  }

  /** Whether a sample game meets the conditions. */
  #chosen({ facts }) {
    return this.#data.counted.facets.every(({ key, kind }) => {
      const wanted = this.#wanted[key];
      return !wanted || facts[key].some((value) => value !== "" && meets(kind, wanted)(value));
    });
  }

  async game(id) {
    const game = this.#data.games.find((one) => one.id === id);
    if (!game) return undefined;
    const views = [this.#first(game)];
    for (const ply of game.plies) views.push(changed(views.at(-1), ply.position, ply.uci));
    const { facts, setups, result, termination, plies } = game;
    return { id, facts, setups, result, termination, plies, views };
  }

  /** The view of a start position. */
  #first(start) {
    const { files, ranks } = this.#data.board;
    const empty = { cells: new Array(files * ranks).fill(""), hands: [[], []], side: 1 - start.side };
    return changed(empty, start.position, undefined);
  }
}

