// The value of each position of a game as a graph: below the curve is the first player's share, above it the second's.

/** Positions without a value that the curve passes over; more of them are a gap. */
const PASSED_OVER = 2;

class ValueGraph {
  /** `values` has a number of 0 to 1 or undefined for each ply; `go` is called with the ply that is clicked. */
  constructor(values, go) {
    const width = Math.max(values.length - 1, 1);
    this.cursor = svg("line", { class: "cursor", y1: 0, y2: 1, x1: 0, x2: 0 });
    const box = { viewBox: `0 0 ${width} 1`, preserveAspectRatio: "none" };
    this.drawing = svg("svg", { class: "graph", ...box, "aria-hidden": "true" });
    for (const run of runsOf(values)) {
      const [left, right] = [run[0][0], run.at(-1)[0]];
      const curve = run.map(([x, value]) => `L${x} ${(1 - value).toFixed(3)}`).join("");
      this.drawing.append(
        svg("rect", { class: "second", x: left, y: 0, width: right - left, height: 1 }),
        svg("path", { class: "first", d: `M${left} 1${curve}L${right} 1Z` }),
      );
    }
    this.drawing.append(svg("line", { class: "half", x1: 0, x2: width, y1: 0.5, y2: 0.5 }), this.cursor);
    this.drawing.addEventListener("click", (event) => {
      const box = this.drawing.getBoundingClientRect();
      go(Math.round((event.clientX - box.left) / box.width * width));
    });
    this.element = html("div", { className: "graph-frame" }, this.drawing);
  }

  /** Marks a ply. */
  mark(ply) {
    this.cursor.setAttribute("x1", ply);
    this.cursor.setAttribute("x2", ply);
  }
}

/** The plies with values, cut where too many in a row have none. */
function runsOf(values) {
  const runs = [];
  values.forEach((value, ply) => {
    if (value === undefined) return;
    const last = runs.at(-1);
    if (last && ply - last.at(-1)[0] <= PASSED_OVER + 1) last.push([ply, value]);
    else runs.push([[ply, value]]);
  });
  return runs;
}

