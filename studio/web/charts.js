// Line charts as SVG, and numbers with their units.

const PLOT = { width: 480, height: 250, left: 52, right: 14, top: 10, bottom: 34 };
/** Most points of a curve; of more, neighbours are averaged. */
const MOST_POINTS = 300;
/** Curves with more points have none drawn as dots. */
const MOST_DOTS = 60;
/** Curves with colours of their own. */
const CURVE_COLOURS = 8;

/** A number with so many digits after the point, and a real minus sign. */
function fixed(number, digits = 0) {
  const digitsOf = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return number.toLocaleString("en-US", digitsOf).replace("-", "−");
}

/** A duration in seconds, for people: `3 h 12 min`. */
function duration(seconds) {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min ${whole % 60} s`;
  return `${fixed(Math.floor(minutes / 60))} h ${minutes % 60} min`;
}

/** A number in a few characters: `12`, `3.4 k`, `1.2 M`; in more if numbers that are `step` apart need them. */
function short(number, step = Infinity) {
  const [unit, size] = [["G", 1e9], ["M", 1e6], ["k", 1e3]].find(([, least]) => Math.abs(number) >= least) ?? ["", 1];
  const value = number / size;
  if (unit === "" || (unit === "k" && Math.abs(value) < 10)) return fixed(number);
  const needed = Math.max(0, Math.ceil(-Math.log10(step / size) - 1e-9));
  return `${fixed(value, Math.max(needed, Math.abs(value) < 10 ? 1 : 0))} ${unit}`;
}

/** Round numbers from `low` to `high`, about so many, and the digits that they need. */
function ticksBetween(low, high, about) {
  const rough = (high - low) / about;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((times) => times * power).find((size) => size >= rough * 0.999);
  const ticks = [];
  for (let at = Math.ceil(low / step - 1e-9); at * step <= high + step * 1e-9; at += 1) ticks.push(at * step || 0);
  return { ticks, step, digits: Math.max(0, -Math.floor(Math.log10(step) + 1e-9)) };
}

/** Fewer points: the means of neighbours. */
function thinned(points) {
  const of = Math.ceil(points.length / MOST_POINTS);
  if (of <= 1) return points;
  const fewer = [];
  for (let at = 0; at < points.length; at += of) {
    const some = points.slice(at, at + of);
    const mean = (key) => some.reduce((sum, point) => sum + point[key], 0) / some.length;
    fewer.push({ x: mean("x"), y: mean("y"), title: some.at(-1).title });
  }
  return fewer;
}

/** The least and the greatest of some numbers, never equal. */
function spanOf(numbers, least) {
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  const half = Math.max(least - (high - low), 0) / 2;
  return [low - half, high + half];
}

/** A chart: `series` is [{ name, colour, points: [{ x, y, error, title }] }], where `error` is half of an interval and
 * `title` is told of a point; `lines` are levels across the chart, [{ y, name }]. With `zero` the vertical axis begins
 * at 0, with `whole` the horizontal one counts whole things. */
function lineChart({ title, unit, across, series, lines = [], zero = false, whole = false }) {
  const drawn = series.filter((one) => one.points.length > 0);
  const curves = drawn.map((one) => ({ ...one, points: thinned(one.points) }));
  const caption = html("figcaption", {}, html("b", {}, title), html("span", { className: "soft" }, unit));
  if (curves.length === 0) {
    return html("figure", { className: "chart" }, caption, html("p", { className: "absent" }, "Nothing to draw yet."));
  }
  const { width, height, left, right, top, bottom } = PLOT;
  const points = curves.flatMap((curve) => curve.points);
  const ends = points.flatMap(({ y, error }) => [y - (error ?? 0), y + (error ?? 0)]);
  const heights = [...ends, ...lines.map((level) => level.y), ...zero ? [0] : []];
  const [x0, x1] = spanOf(points.map(({ x }) => x), whole ? 1 : Math.max(Math.abs(points[0].x) * 0.1, 1e-2));
  let [y0, y1] = spanOf(heights, Math.max(Math.abs(heights[0]) * 1e-3, 1e-3));
  const margin = (y1 - y0) * 0.05;
  [y0, y1] = [zero && y0 >= 0 ? 0 : y0 - margin, y1 + margin];
  const x = (value) => left + (value - x0) / (x1 - x0) * (width - left - right);
  const y = (value) => height - bottom - (value - y0) / (y1 - y0) * (height - top - bottom);
  const label = `${title}, ${unit}, by ${across}`;
  const drawing = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "plot", role: "img", "aria-label": label });
  const at = (value) => value.toFixed(1);
  const tickText = (value, { digits, step }) => digits > 0 ? fixed(value, digits) : short(value, step);

  const up = ticksBetween(y0, y1, 5);
  for (const value of up.ticks) {
    drawing.append(svg("line", { class: "rule", x1: left, x2: width - right, y1: at(y(value)), y2: at(y(value)) }),
      svg("text", { class: "tick end", x: left - 6, y: at(y(value) + 4) }, tickText(value, up)));
  }
  const along = ticksBetween(x0, x1, 6);
  for (const value of along.ticks.filter((value) => !whole || Number.isInteger(value))) {
    const place = at(x(value));
    const text = whole ? short(value, along.step) : tickText(value, along);
    drawing.append(svg("line", { class: "rule", x1: place, x2: place, y1: height - bottom, y2: height - bottom + 4 }),
      svg("text", { class: "tick middle", x: place, y: height - bottom + 16 }, text));
  }
  drawing.append(svg("text", { class: "tick middle", x: (left + width - right) / 2, y: height - 4 }, across));
  for (const { y: level, name } of lines) {
    drawing.append(svg("line", { class: "level", x1: left, x2: width - right, y1: at(y(level)), y2: at(y(level)) }),
      svg("text", { class: "tick end", x: width - right, y: at(y(level) - 4) }, name));
  }
  curves.forEach(({ points, colour, name }) => {
    const kind = `k${colour % CURVE_COLOURS}`;
    for (const { x: across, y: level, error } of points) {
      if (!error) continue;
      const [low, high] = [at(y(level - error)), at(y(level + error))];
      drawing.append(svg("path", { class: `whisk ${kind}`, d: `M${at(x(across) - 3)} ${low}h6m-3 0V${high}m-3 0h6` }));
    }
    const path = points.map((point) => `${at(x(point.x))},${at(y(point.y))}`).join(" ");
    drawing.append(svg("polyline", { class: `curve ${kind}`, points: path }, svg("title", {}, name)));
    if (points.length > MOST_DOTS) return;
    for (const point of points) {
      const dot = svg("circle", { class: `dot ${kind}`, cx: at(x(point.x)), cy: at(y(point.y)), r: 3 });
      dot.append(svg("title", {}, `${name}, ${point.title ?? fixed(point.y, 2)}`));
      drawing.append(dot);
    }
  });
  const named = curves.length > 1 || curves[0].named;
  const legend = html("p", { className: "legend" }, ...(named ? curves : []).map(({ name, colour }) =>
    html("span", {}, html("i", { className: `swatch k${colour % CURVE_COLOURS}` }), name)));
  return html("figure", { className: "chart" }, caption, drawing, legend);
}

/** A value with half of its 95 % interval: `+31 ± 12`. */
function plusMinus(value, error) {
  if (value === null || value === undefined) return "–";
  const sign = value > 0 ? "+" : "";
  return error ? `${sign}${fixed(value)} ± ${fixed(error)}` : `${sign}${fixed(value)}`;
}
