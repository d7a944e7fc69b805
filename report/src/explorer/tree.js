// The tree of openings: the setups or the moves of a position as a table, and the sample games that came there.

/** Rows shown before the rest is asked for. */
const FEW_ROWS = 12;

/** A move as people of the variant write it, and in UCI. */
function moveText({ uci, text }) {
  const code = html("code", { className: "uci" }, uci);
  const parts = partsOf(uci);
  const stays = parts && parts.from === parts.to && parts.touched.length === 0 && !uci.endsWith("+");
  const pass = stays ? [html("span", { className: "soft" }, " pass")] : [];
  return text ? [html("b", { className: "native" }, text), " ", code, ...pass] : [code, ...pass];
}

class TreePanel {
  /** `act` has what a click does: `start(index)`, `play(uci)`, `game(sample)`, and `point(uci)` when a row is looked at. */
  constructor(variant, act) {
    this.variant = variant;
    this.act = act;
    this.element = html("div", { className: "panel tree" });
  }

  /** The choice of setups: all together, and each start position with a tree of its own. */
  showStarts(starts) {
    const all = starts.reduce((sum, start) => sum + (isSum(start) ? 0 : start.games), 0);
    const played = starts.map((start, index) => ({ ...start, index })).filter(({ games }) => games > 0);
    played.sort((a, b) => isSum(b) - isSum(a) || b.games - a.games); // stable
    const rows = played.map(({ index, ...start }) => ({
      name: isSum(start) ? ["All setups"] : start.titles.map((title, side) =>
        html("span", { className: "setup" }, `${playerName(this.variant, side)}: ${title}`)),
      games: start.games, share: start.games / all, results: start, score: [(start.first + start.draws / 2) / start.games],
      choose: () => this.act.start(index), key: start.setups.join(" "),
    }));
    const choices = played.filter((start) => !isSum(start)).length;
    const lead = `${counted(choices, "choice", "choices")} of setups, each with a tree of its own, and all together. `
      + `Score: of ${playerName(this.variant, 0)}.`;
    const table = rows.length > 0 ? this.#table("Setups", rows) : html("p", { className: "absent" }, "No game is left.");
    this.element.replaceChildren(html("p", { className: "status" }, lead), table);
  }

  /** The moves of a position, how they were played as time went by, and sample games. `summed` says whether they are
   * those from all setups. */
  showMoves(position, games, development, summed) {
    const mover = playerName(this.variant, position.view.side);
    const rows = position.moves.map((move) => ({
      name: moveText(move), games: move.games, share: move.share, results: move, score: move.score,
      reaching: move.reaching, choose: () => this.act.play(move.uci), key: move.uci,
    }));
    const status = `${counted(position.games, "game", "games")} here, ${mover} to move.`;
    const name = position.name ? [html("b", { className: "opening" }, position.name), html("br")] : [];
    const parts = [html("p", { className: "status", "aria-live": "polite" }, ...name, status)];
    if (summed) {
      parts.push(html("p", { className: "note" }, `On the board: ${position.titles.join(" – ")}. Other setups differ.`));
    }
    parts.push(rows.length > 0 ? this.#table("Move", rows) : html("p", { className: "absent" }, endOf(position)));
    if (position.depth === undefined && position.unlisted > 0 && rows.length > 0) {
      parts.push(html("p", { className: "note" }, `${counted(position.unlisted, "game", "games")} ended here.`));
    } else if (position.unlisted > 0 && position.line.length < position.depth) {
      const were = position.unlisted === 1 ? "was" : "were";
      parts.push(html("p", { className: "note" },
        `${counted(position.unlisted, "game", "games")} ended here or ${were} continued by moves too rare for the tree.`));
    }
    parts.push(...developmentChart(development, position.moves), ...this.#games(games));
    this.element.replaceChildren(...parts);
  }

  #table(title, rows) {
    const body = html("tbody");
    const add = (row) => body.append(this.#row(row));
    rows.slice(0, FEW_ROWS).forEach(add);
    const head = html("tr", {}, html("th", {}, title), html("th", { className: "n" }, "Games"),
      html("th", { className: "wide" }, "Results"), html("th", { className: "n" }, "Score"));
    const table = html("table", { className: "choices" }, html("thead", {}, head), body);
    const rest = rows.slice(FEW_ROWS);
    if (rest.length === 0) return table;
    const more = html("button", { type: "button", className: "more" }, `${rest.length} more`);
    more.addEventListener("click", () => {
      more.remove();
      rest.forEach(add);
      body.rows[FEW_ROWS].querySelector("button").focus();
    });
    return html("div", {}, table, more);
  }

  #row({ name, games, share, results, score, reaching, choose, key }) {
    const button = html("button", { type: "button", className: "choice" }, ...name);
    button.addEventListener("click", choose);
    const [mean, low, high] = score;
    const interval = low === undefined ? [] : [html("small", {}, `${percent(low)}–${percent(high)}`)];
    const number = html("td", { className: "n games" }, whole.format(games), html("small", {}, `${percent(share, 1)} %`));
    if (reaching !== undefined) {
      number.title = `${counted(reaching, "game", "games")} reached the position after it by whatever moves`;
    }
    const row = html("tr", { className: "row", "data-key": key }, html("td", {}, button), number,
      html("td", { className: "wide" }, resultBar(results)),
      html("td", { className: "n score" }, percent(mean, 1), ...interval));
    // The whole row is a target for the pointer; keys reach its button.
    row.addEventListener("click", (event) => event.target.closest("button") || choose());
    row.addEventListener("pointerenter", () => this.act.point(key));
    row.addEventListener("pointerleave", () => this.act.point(undefined));
    button.addEventListener("focus", () => this.act.point(key));
    button.addEventListener("blur", () => this.act.point(undefined));
    return row;
  }

  #games(games) {
    if (games.length === 0) return [html("p", { className: "note" }, "No sample game begins with these moves.")];
    const list = html("ul", { className: "games" }, ...games.map((game) => {
      const button = html("button", { type: "button", className: "choice" },
        ...(game.next ? [html("span", { className: "next" }, ...moveText(game.next))] : []),
        html("span", {}, outcomeText(this.variant, game)), html("span", { className: "soft" }, factsText(game)),
        html("span", { className: "soft length" }, counted(game.plies, "ply", "plies")));
      button.addEventListener("click", () => this.act.game(game));
      return html("li", { "data-key": game.id }, button);
    }));
    return [html("h4", {}, "Sample games from here"), list];
  }
}

/** Why a position has no moves. */
function endOf({ depth, games }) {
  if (depth !== undefined) return "The tree ends here.";
  return games > 0 ? "All games that came here ended here." : "No game came here.";
}

/** What is known of a game: its players, event and date, or the generation of the networks that played it. */
function factsText({ facts }) {
  const players = facts.player.filter(Boolean);
  const event = facts.event.filter(Boolean);
  // Games of a run have no network among their facts, imports an empty one.
  const isOfNetworks = facts.network?.some(Boolean) ?? true;
  if (players.length === 0 && isOfNetworks) return [`generation ${facts.generation[0]}`, ...event].join(", ");
  const date = facts.date[0] === null ? [] : [dateOf(facts.date[0])];
  const who = players.length > 0 ? [facts.player.map((name) => name || "?").join(" – ")] : [];
  return [...who, ...event, ...date].join(", ");
}

/** How a game ended: `Red 紅 won (checkmate)`. */
function outcomeText(variant, { result, termination }) {
  const who = { first: `${playerName(variant, 0)} won`, second: `${playerName(variant, 1)} won`, draw: "Drawn" }[result];
  return `${who} (${termination})`;
}

