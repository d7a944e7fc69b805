// The data of the explorer behind one interface. `EmbeddedSource` answers from the JSON in the page. Whatever else has
// these methods, for instance one that asks a server, can stand in its place: no other script knows where data come from.
//
//   about()         the board: { variant, files, ranks, faces, hands, marked, coordinates, native_coordinates, notation }
//   starts()        the start positions: [{ setups, titles, games, first, draws, second }]
//   position(line)  { view, name, games, first, draws, second, moves: [{ uci, text, games, share, first, draws, second,
//                   score: [mean, low, high], reaching }], line: [{ uci, text }], unlisted, depth }, or undefined if the
//                   line is not known; name is what its openings are called, if anything. A line is { start: index of a start position, moves: [uci, …] }.
//   games(line)     sample games that begin with the line: [{ id, generation, result, termination, plies, next }];
//                   next is the move that the game goes on with, { uci, text }, or undefined
//   game(id)        { id, generation, result, termination, plies: [{ uci, text, value }], views: [view, …] }, one view
//                   more than plies; value is the score expected for the first player before the move, 0 to 1
//
// A view is what a board shows: { cells: [FEN code or "", by index rank × files + file], hands: [[[code, number], …] of
// the first player, of the second], side: 0 or 1 to move, last: the move that led here, in UCI, if any }.

/** The view after some changes. */
function changed(view, changes, last) {
  const cells = view.cells.slice();
  for (const [square, code] of changes.squares) cells[square] = code;
  return { cells, hands: changes.hands ?? view.hands, side: 1 - view.side, last };
}

class EmbeddedSource {
  #data;

  constructor(data) {
    this.#data = data;
  }

  async about() {
    return this.#data.board;
  }

  async starts() {
    return this.#data.starts;
  }

  async position(line) {
    const start = this.#data.starts[line.start];
    if (!start) return undefined;
    let node = start;
    let view = this.#first(start);
    const played = [];
    for (const uci of line.moves) {
      node = (node.moves ?? []).find((move) => move.uci === uci);
      if (!node) return undefined;
      view = changed(view, node.position, uci);
      played.push({ uci, text: node.text });
    }
    const moves = node.moves ?? [];
    const listed = moves.reduce((sum, move) => sum + move.games, 0);
    const { name, games, first, draws, second } = node;
    return {
      view, name, games, first, draws, second,
      moves: moves.map(({ uci, text, games: each, first, draws, second, score, reaching }) =>
        ({ uci, text, games: each, share: each / games, first, draws, second, score, reaching })),
      line: played,
      unlisted: games - listed,
      depth: this.#data.limits.depth,
    };
  }

  async games(line) {
    const setups = this.#data.starts[line.start]?.setups;
    const same = (game) => String(game.setups) === String(setups)
      && line.moves.every((uci, ply) => game.plies[ply]?.uci === uci);
    return this.#data.games.filter(same).map(({ id, generation, result, termination, plies }) =>
      ({ id, generation, result, termination, plies: plies.length, next: plies[line.moves.length] }));
  }

  async game(id) {
    const game = this.#data.games.find((one) => one.id === id);
    if (!game) return undefined;
    const views = [this.#first(game)];
    for (const ply of game.plies) views.push(changed(views.at(-1), ply.position, ply.uci));
    const { generation, result, termination, plies } = game;
    return { id, generation, result, termination, plies, views };
  }

  /** The view of a start position. */
  #first(start) {
    const { files, ranks } = this.#data.board;
    const empty = { cells: new Array(files * ranks).fill(""), hands: [[], []], side: 1 - start.side };
    return changed(empty, start.position, undefined);
  }
}

