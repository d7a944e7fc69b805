// Games and positions that are pasted, opened or dropped.

class ReadingBox {
  /** `act` has what is done: `load(variant, game)`; `variant()` is the one to try first. */
  constructor(act) {
    this.act = act;
    this.text = html("textarea", {
      rows: 4, spellcheck: false, "aria-label": "Games or a position",
      placeholder: "FEN, SFEN, moves in any notation, PGN, KIF, KI2, CSA, WXF, GIB, …",
    });
    this.file = html("input", { type: "file", "aria-label": "A file of games" });
    this.file.addEventListener("change", () => this.#open(this.file.files[0]));
    this.line = new MessageLine();
    this.found = html("div", { className: "found" });
    const go = button("Read", () => this.read(this.text.value), { className: "read" });
    this.element = html("details", { className: "reading" },
      html("summary", {}, "Paste or open games and positions"), this.text,
      html("div", { className: "form" }, go, this.file),
      html("p", { className: "note" }, "A file may also be dropped on the page, and a text pasted anywhere on it."),
      this.line.element, this.found);
    addEventListener("dragover", (event) => event.preventDefault());
    addEventListener("drop", (event) => {
      event.preventDefault();
      const [file] = event.dataTransfer.files;
      if (file) this.#open(file);
      else this.read(event.dataTransfer.getData("text"));
    });
    addEventListener("paste", (event) => {
      if (event.target.closest?.("input, textarea, select")) return;
      const [file] = event.clipboardData.files;
      if (file) this.#open(file);
      else this.read(event.clipboardData.getData("text"));
    });
  }

  #open(file) {
    if (file) this.read(file, file.name);
  }

  /** Reads a text or a file: shows the one game in it, or the choice of several. */
  async read(content, name) {
    this.element.open = true;
    this.found.replaceChildren();
    const path = pathOf("/api/read", { variant: this.act.variant(), name });
    const blob = new Blob([content]);
    if (blob.size > MOST_BYTES) {
      const megabytes = (blob.size / 2 ** 20).toFixed(1);
      this.line.complain(new Refused(`This has ${megabytes} MiB, and at most ${MOST_BYTES / 2 ** 20} MiB are read here. `
        + "Import it with `kirin data import`, and open the folder with `kirin serve`."));
      return;
    }
    const read = await attempt(this.line, () => ask(path, blob));
    if (!read) return;
    const { variant, games, problems, refused } = read;
    const parts = [];
    if (problems.length > 0) {
      const more = refused > problems.length ? `, the first ${problems.length} of them` : "";
      parts.push(html("p", { className: "status" }, `${counted(refused, "game is", "games are")} left out${more}:`),
        html("ul", { className: "problems" }, ...problems.map((problem) => html("li", {}, problem))));
    }
    if (games.length > 1) {
      const first = read.of > games.length ? `, of which these are the first ${games.length}` : "";
      parts.push(html("p", { className: "status" }, `${counted(read.of, "game", "games")}${first}. Choose one:`),
        html("ul", { className: "games" }, ...games.map((game) => this.#entry(variant, game))));
    }
    this.found.replaceChildren(...parts);
    if (games.length === 1) await this.act.load(variant, games[0]);
  }

  #entry(variant, game) {
    const choice = button("", () => this.act.load(variant, game), { className: "choice" });
    const length = game.plies > 0 ? counted(game.plies, "ply", "plies") : "position";
    choice.append(html("span", {}, gameTitle(variant, game) || `line ${game.line}`),
      html("span", { className: "soft length" }, length));
    return html("li", {}, choice);
  }
}

/** What a game that was read is called: players, event, how it ended. */
function gameTitle(variant, { players, title, outcome }) {
  const named = players.map((name, side) => name ?? playerName(variant, side));
  const names = players.some(Boolean) ? [named.join(" – ")] : [];
  return [...names, ...(title ? [title] : []), ...(outcome ? [outcomeText(variant, outcome)] : [])].join(", ");
}

