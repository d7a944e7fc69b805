// The form by which games are chosen.

/** What the facets are called. A facet that is not here is called by its key. */
const FACET_TITLES = {
  source: "Source", generation: "Generation", network: "Network (beginning of its id)", player: "Player (part of the name)",
  result: "Result", date: "Date", event: "Event (part of the name)", ruleset: "Rule set",
  rating: "Rating of a player", length: "Length in plies",
};

/** Milliseconds after the last key before a text is taken for whole. */
const TYPING = 200;

/** Most names that a field proposes. */
const MOST_PROPOSED = 500;

class FilterPanel {
  #fields = new Map(); // by key: { read, write }
  #timer;

  /** `change` is called with the conditions. */
  constructor(variant, facets, change) {
    this.change = change;
    this.status = html("span", { className: "filter-status", role: "status" });
    this.reset = html("button", { type: "button", className: "reset" }, "All games");
    this.reset.addEventListener("click", () => { this.show({}); change({}); });
    const form = html("form", {}, ...facets.map((facet) => this.#field(variant, facet)));
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => change(this.read()), TYPING);
    });
    this.element = html("details", { className: "filters" },
      html("summary", {}, "Choose games", this.status), form, this.reset);
    this.element.hidden = facets.length === 0;
  }

  /** The conditions in the form. */
  read() {
    const wanted = {};
    for (const [key, field] of this.#fields) {
      const text = field.read();
      if (text) wanted[key] = text;
    }
    return wanted;
  }

  /** Writes conditions into the form. */
  show(wanted) {
    for (const [key, field] of this.#fields) field.write(wanted[key] ?? "");
    if (Object.keys(wanted).length > 0) this.element.open = true;
  }

  /** Says how many games are counted. */
  tell({ games, of }, isFiltered) {
    this.status.textContent = isFiltered ? `${whole.format(games)} of ${counted(of, "game", "games")}` : "";
    this.reset.hidden = !isFiltered;
  }

  #field(variant, { key, kind, values, low, high }) {
    const title = titleOf(variant, key);
    if (isRange(kind)) return this.#range(key, kind, title, low, high);
    const field = kind === "choice" ? html("select", {}, html("option", { value: "" }, "all"),
      ...inOrder(key, values).map((value) => html("option", { value }, nameOf(variant, key, value))))
      : html("input", { type: "search", autocomplete: "off", spellcheck: false });
    this.#fields.set(key, { read: () => field.value.trim(), write: (text) => { field.value = text; } });
    const parts = [html("span", {}, title), field];
    if (kind !== "choice" && values.length <= MOST_PROPOSED) {
      const id = `filter-${key}`;
      parts.push(html("datalist", { id }, ...values.map((value) => html("option", { value }))));
      field.setAttribute("list", id);
    }
    return html("label", { "data-facet": key }, ...parts);
  }

  #range(key, kind, title, low, high) {
    const one = (name) => html("input", {
      type: kind === "date" ? "date" : "number", min: String(low), max: String(high), "aria-label": `${title}, ${name}`,
      placeholder: String(name === "from" ? low : high),
    });
    const [from, to] = [one("from"), one("to")];
    const read = () => from.value || to.value ? `${from.value}..${to.value}` : "";
    const write = (text) => { [from.value, to.value] = text ? text.split("..") : ["", ""]; };
    this.#fields.set(key, { read, write });
    return html("fieldset", { "data-facet": key }, html("legend", {}, title), from, html("span", {}, "to"), to);
  }
}

function titleOf(variant, key) {
  if (key.startsWith("setup_")) return `Setup of ${playerName(variant, key === "setup_first" ? 0 : 1)}`;
  return FACET_TITLES[key] ?? key;
}

/** What a value is called. */
function nameOf(variant, key, value) {
  if (key !== "result") return value;
  return { first: `${playerName(variant, 0)} won`, draw: "Drawn", second: `${playerName(variant, 1)} won` }[value];
}

/** Results in the order of the board, everything else by name. */
function inOrder(key, values) {
  return key === "result" ? ["first", "draw", "second"].filter((value) => values.includes(value)) : values;
}

