// What several pages have in common: sections, notes, tiles, tables, bars, steps through a game.

/** A section with a heading. */
function section(title, ...children) {
  return html("section", {}, html("h2", {}, title), ...children);
}

/** A remark below something. */
function note(...content) {
  return html("p", { className: "note" }, ...content);
}

/** What is said in place of something that is not there. */
function absent(text) {
  return html("p", { className: "absent" }, text);
}

/** The way back to a page. */
function crumb(path, name) {
  return html("p", { className: "crumb" }, html("a", { href: path }, `← ${name}`));
}

/** A bar of progress: `show(done)`, 0 to 1. */
function progressBar(label) {
  const fill = html("span");
  const range = { "aria-valuemin": 0, "aria-valuemax": 100 };
  const element = html("div", { className: "progress", role: "progressbar", "aria-label": label, ...range }, fill);
  const show = (done) => {
    fill.style.width = `${percent(done, 1)}%`;
    element.setAttribute("aria-valuenow", percent(done));
    element.title = `${percent(done, 1)} % done`;
  };
  return { element, show };
}

/** A text with the parts between backticks as code. */
function withCode(text) {
  return text.split("`").map((part, at) => at % 2 === 1 ? html("code", {}, part) : part);
}

/** Tiles with figures: `show({ name: text })` changes some of them. */
function tilesOf(names) {
  const values = new Map(names.map((name) => [name, html("dd", {}, "–")]));
  const tiles = [...values].map(([name, value]) => html("div", {}, html("dt", {}, name), value));
  const show = (texts) => {
    for (const [name, text] of Object.entries(texts)) values.get(name).textContent = text;
  };
  return { element: html("dl", { className: "tiles" }, ...tiles), show };
}

/** A table of rows of texts and elements; the columns whose name begins with `#` hold numbers. */
function tableOf(names, rows) {
  const kinds = names.map((name) => name.startsWith("#") ? "n" : "");
  const head = html("tr", {}, ...names.map((name, at) => html("th", { className: kinds[at] }, name.replace("#", ""))));
  const body = rows.map((row) => html("tr", {}, ...row.map((cell, at) => html("td", { className: kinds[at] }, cell))));
  return html("div", { className: "scroll" }, html("table", {}, html("thead", {}, head), html("tbody", {}, ...body)));
}

/** Buttons for steps through a game. `step` is called with the key that does the same. */
function stepButtons(step, last = "To the end (End)") {
  return {
    start: iconButton("start", "To the start (Home)", () => step("Home")),
    back: iconButton("back", "One move back (←)", () => step("ArrowLeft")),
    next: iconButton("next", "One move on (→)", () => step("ArrowRight")),
    end: iconButton("end", last, () => step("End")),
  };
}

/** The ply that a key leads to from another one, perhaps beyond the ends of the game; undefined for other keys. */
function plyAfter(key, ply) {
  return { ArrowLeft: ply - 1, ArrowRight: ply + 1, Home: 0, End: Infinity }[key];
}

/** Whether a key is meant for a field, or for the browser. */
function isTyped({ target, altKey, ctrlKey, metaKey }) {
  return altKey || ctrlKey || metaKey || Boolean(target.closest?.("input, textarea, select"));
}

/** Disables some elements or enables them: `states` are pairs of an element and whether it is disabled. If the one with
 * the focus is disabled, which would swallow the keys, another element gets it. */
function disable(states, other) {
  // A disabled element has no focus any more.
  const focused = document.activeElement;
  for (const [element, disabled] of states) element.disabled = disabled;
  if (focused?.disabled) other.focus({ preventScroll: true });
}
