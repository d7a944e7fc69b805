// The players of a folder of matches: their ratings, and who beat whom.

/** Most players in a cross-table: more columns are not readable. */
const MOST_CROSSED = 24;

async function showStandings(place, folder) {
  const line = new MessageLine();
  const body = html("div", {}, note("Rating the players…"));
  let shown = "";
  place.replaceChildren(crumb("/matches", "Matches"), html("h1", {}, folder), line.element, body);
  // The players are rated again when a log has changed.
  every(LIST_EVERY, async () => {
    const answers = await attempt(line, async () => {
      const logs = (await ask("/api/matches")).filter((log) => log.folder === folder);
      const now = JSON.stringify(logs);
      return now === shown ? undefined : [now, await ask(pathOf("/api/standings", { id: folder }))];
    });
    if (!answers) {
      if (!shown) body.replaceChildren();
      return;
    }
    const [now, standings] = answers;
    shown = now;
    body.replaceChildren(...standings.length > 0 ? standings.map(standingsOf) : [absent("No match is finished yet.")]);
  });
}

/** The ratings and the cross-table of a variant. */
function standingsOf({ title, anchor, rows, unrated, encounters, first_advantage: advantage, first, matches }) {
  const left = `No chain of games connects these players with ${anchor}: ${unrated.flat().join(", ")}.`;
  const starred = rows.some(({ prior }) => prior)
    ? " * Won or lost all games against some opponent: the rating understates the distance." : "";
  const logs = counted(matches, "match", "matches");
  const about = `${anchor} has 0 Elo; the lines are 95 % intervals. ${advantage} ${logs}.`;
  const [won, draws, lost] = first;
  const results = html("div", { className: "first-results" }, resultBar({ first: won, draws, second: lost }));
  const players = [...rows.map(({ player }) => player), ...unrated.flat()];
  const element = section(title, ratingsTable(rows), note(about + starred),
    ...unrated.length > 0 ? [html("p", { className: "apart" }, left)] : [],
    html("h3", {}, "Games won, drawn and lost by the player who moved first"), results,
    html("h3", {}, "Cross-table"), ...crossTable(players, encounters));
  element.classList.add("standings");
  return element;
}

/** The ratings with their intervals on one axis. */
function ratingsTable(rows) {
  const low = Math.min(...rows.map(({ elo, error }) => elo - error));
  const high = Math.max(...rows.map(({ elo, error }) => elo + error), low + 1);
  const share = (elo) => 100 * (elo - low) / (high - low);
  const { ticks } = ticksBetween(low, high, 4);
  const labels = ticks.map((tick) => placed(html("span", {}, fixed(tick)), share(tick)));
  const axis = html("div", { className: "axis" }, ...labels);
  const whisker = ({ elo, error }) => html("div", { className: "whisker" },
    ...ticks.map((tick) => placed(html("i", { className: tick === 0 ? "tick zero" : "tick" }), share(tick))),
    placed(html("i", { className: "interval" }), share(elo - error), share(elo + error) - share(elo - error)),
    placed(html("i", { className: "mark" }), share(elo)));
  const head = [["n", ""], ["", "Player"], ["n", "Elo"], ["n", "Games"], ["n", "Score"], ["wide", axis]];
  const body = rows.map((row, at) => [
    ["n soft", String(at + 1)], ["name", row.player], ["n", plusMinus(row.elo, row.error) + (row.prior ? " *" : "")],
    ["n", whole.format(row.games)], ["n", shareText(row.score)], ["wide", whisker(row)],
  ]);
  const line = (name) => (cells) =>
    html("tr", {}, ...cells.map(([className, content]) => html(name, { className }, content)));
  const table = html("table", { className: "ratings" }, html("thead", {}, line("th")(head)),
    html("tbody", {}, ...body.map(line("td"))));
  return html("div", { className: "scroll" }, table);
}

/** An element at a place along an axis, perhaps with a width, both in per cent of it. */
function placed(element, left, width) {
  element.style.left = `${left.toFixed(2)}%`;
  if (width !== undefined) element.style.width = `${width.toFixed(2)}%`;
  return element;
}

/** Who beat whom, and what it means. */
function crossTable(players, encounters) {
  const shown = players.slice(0, MOST_CROSSED);
  const sums = sumsOf(encounters);
  const cell = (player, opponent) => {
    if (player === opponent) return html("td", { className: "cell self" });
    const results = sums.get(JSON.stringify([player, opponent]));
    if (!results) return html("td", { className: "cell none" }, "·");
    const [wins, draws, losses] = results;
    const score = (wins + draws / 2) / (wins + draws + losses);
    const kind = score > 0.5 ? "above" : score < 0.5 ? "below" : "";
    const element = html("td", { className: `cell ${kind}`, title: `${player} against ${opponent}` },
      html("b", {}, percent(score)), html("small", {}, `${wins}/${draws}/${losses}`));
    element.style.setProperty("--part", `${(90 * Math.abs(score - 0.5)).toFixed(0)}%`);
    return element;
  };
  const head = html("tr", {}, html("th", { className: "who" }, "Player"),
    ...shown.map((_, at) => html("th", { className: "cell" }, String(at + 1))));
  const rows = shown.map((player, at) => {
    const place = html("span", { className: "soft" }, `${at + 1} `);
    const who = html("td", { className: "who", title: player }, place, player);
    return html("tr", {}, who, ...shown.map((opponent) => cell(player, opponent)));
  });
  const table = html("table", { className: "cross" }, html("thead", {}, head), html("tbody", {}, ...rows));
  const more = players.length - shown.length;
  const leftOut = more > 0 ? ` ${counted(more, "more player is", "more players are")} left out.` : "";
  const meaning = "Strongest first. Per cent of the points of the player in the row against the one whose number is above "
    + "the column; below it games won, drawn, lost.";
  return [html("div", { className: "scroll" }, table), note(meaning + leftOut)];
}

/** Games won, drawn and lost by each player against each other one. */
function sumsOf(encounters) {
  const sums = new Map();
  const add = (player, opponent, games) => {
    const key = JSON.stringify([player, opponent]);
    const before = sums.get(key) ?? [0, 0, 0];
    sums.set(key, before.map((number, at) => number + games[at]));
  };
  for (const { first, second, results: { wins, draws, losses } } of encounters) {
    if (first === second) continue;
    add(first, second, [wins, draws, losses]);
    add(second, first, [losses, draws, wins]);
  }
  return sums;
}
