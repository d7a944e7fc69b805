// Making elements, and what several parts write alike.

const SVG = "http://www.w3.org/2000/svg";

/** An SVG element with attributes and children. */
function svg(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** A text of an SVG in units so small that browsers would round the size of its font: it is drawn a hundred times as large
 * and scaled down. */
function written(text, x, y, size, kind = "") {
  const at = `translate(${x.toFixed(3)} ${y.toFixed(3)}) scale(0.01)`;
  return svg("text", { transform: at, "font-size": (100 * size).toFixed(1), class: kind }, text);
}

/** An HTML element with properties and children. Properties that begin with `aria-` or `data-` are attributes. */
function html(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key.includes("-")) element.setAttribute(key, value);
    else element[key] = value;
  }
  element.append(...children);
  return element;
}

/** Icons of buttons, drawn because few fonts have them: paths in a square of 16. */
const ICONS = {
  start: "M3 3v10M13 3L6 8l7 5z", back: "M11.5 3L4 8l7.5 5z", next: "M4.5 3L12 8l-7.5 5z", end: "M13 3v10M3 3l7 5-7 5z",
  closer: "M8 3v10M3 8h10", farther: "M3 8h10", all: "M3 6V3h3M10 3h3v3M13 10v3h-3M6 13H3v-3",
};

/** A button with an icon. */
function iconButton(icon, title, act) {
  const drawing = svg("svg", { viewBox: "0 0 16 16", class: "icon", "aria-hidden": "true" }, svg("path", { d: ICONS[icon] }));
  const button = html("button", { type: "button", title, "aria-label": title }, drawing);
  button.addEventListener("click", act);
  return button;
}

const whole = new Intl.NumberFormat("en-US");

/** A number of things. */
function counted(number, one, many) {
  return `${whole.format(number)} ${number === 1 ? one : many}`;
}

/** A share of 0 to 1 in per cent. */
function percent(share, digits = 0) {
  return (100 * share).toFixed(digits);
}

/** `1.` before a move of the player who began, `1…` before one of the other. */
function moveNumber(ply) {
  return `${Math.floor(ply / 2) + 1}${ply % 2 === 0 ? "." : "…"}`;
}

/** A move in UCI, taken apart: squares by name, the code of a dropped piece, further squares that are touched. */
function partsOf(uci) {
  const found = /^(?:([A-Z]+)@|([a-z]\d+))([a-z]\d+)((?:x[a-z]\d+)*)\+?$/.exec(uci);
  if (!found) return undefined;
  const [, drop, from, to, touched] = found;
  return { drop, from, to, touched: touched.split("x").slice(1) };
}

/** The results of games as a bar with three parts. */
function resultBar({ first, draws, second }) {
  const all = first + draws + second;
  const label = `${first} first, ${draws} drawn, ${second} second`;
  const bar = html("div", { className: "results", title: label, role: "img", "aria-label": label });
  for (const [kind, games] of [["first", first], ["draws", draws], ["second", second]]) {
    if (games === 0) continue;
    const share = games / all;
    const part = html("span", { className: kind }, share >= 0.2 ? `${percent(share)}%` : "");
    part.style.width = `${percent(share, 2)}%`;
    bar.append(part);
  }
  return bar;
}

