// How the moves of a position were played from generation to generation, or from year to year.

/** Moves that have a curve of their own. */
const MOST_CURVES = 4;
const CHART = { width: 420, height: 150, left: 34, right: 8, top: 8, bottom: 22 };

/** A chart of the share of each move, or nothing if all games are of one time. */
function developmentChart(development, moves) {
  if (!development || moves.length === 0) return [];
  const { axis, points } = development;
  const [first, last] = [points[0].at, points.at(-1).at];
  const { width, height, left, right, top, bottom } = CHART;
  const share = (move, point) => (point.of[move.uci] ?? 0) / point.games;
  const shown = moves.slice(0, MOST_CURVES);
  // Small shares have a scale of their own, up to the next tenth.
  const most = Math.max(...shown.flatMap((move) => points.map((point) => share(move, point))));
  const highest = Math.min(Math.max(Math.ceil(most * 10) / 10, 0.1), 1);
  const x = (at) => left + (at - first) / (last - first) * (width - left - right);
  const y = (value) => height - bottom - value / highest * (height - top - bottom);
  const drawing = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "development", role: "img",
    "aria-label": `Share of the moves by ${axis}` });
  for (const value of [0, highest / 2, highest]) {
    drawing.append(svg("line", { class: "rule", x1: left, x2: width - right, y1: y(value), y2: y(value) }),
      svg("text", { class: "tick end", x: left - 5, y: y(value) + 4 }, percent(value)));
  }
  drawing.append(svg("text", { class: "tick", x: x(first), y: height - 5 }, String(first)),
    svg("text", { class: "tick end", x: x(last), y: height - 5 }, String(last)));
  shown.forEach((move, at) => {
    const curve = points.map((point) => `${x(point.at).toFixed(1)},${y(share(move, point)).toFixed(1)}`).join(" ");
    drawing.append(svg("polyline", { class: `curve c${at}`, points: curve }));
    for (const point of points) {
      const dot = svg("circle", { class: `point c${at}`, cx: x(point.at).toFixed(1), cy: y(share(move, point)).toFixed(1), r: 2.6 });
      const what = `${move.text ?? move.uci}, ${axis} ${point.at}: ${percent(share(move, point), 1)} % of `
        + counted(point.games, "game", "games");
      dot.append(svg("title", {}, what));
      drawing.append(dot);
    }
  });
  const legend = html("p", { className: "legend" }, ...shown.map((move, at) =>
    html("span", {}, html("i", { className: `swatch s${at}` }), ...moveText(move))));
  return [html("h4", {}, `Share of the moves by ${axis}, % of the games here`), drawing, legend];
}

