// The explorer over any mixture of sources.

async function showExplorer(place) {
  const line = new MessageLine();
  const note = html("p", { className: "note" });
  const [sources, held, all] = await Promise.all([ask("/api/sources"), ask("/api/held"), variants()]);
  const shown = html("div", { className: "explorer", id: "explorer" });
  const options = all.filter(({ id }) => sources.some((source) => held[source.id]?.includes(id)));
  if (options.length === 0) {
    place.replaceChildren(html("h1", {}, "Openings"), html("p", { className: "absent" },
      "There are no games here yet. Name folders of runs, of data or of match logs: kirin serve FOLDER…"));
    return;
  }
  const said = new URLSearchParams(location.search);
  const boxes = html("fieldset", { className: "sources" });
  const variant = choiceOf("Variant", options.map(({ id, title }) => [id, title]), said.get("variant") ?? options[0].id,
    () => { list([]); open(); });
  if (variant.select.selectedIndex < 0) variant.select.selectedIndex = 0;

  const chosen = () => [...boxes.querySelectorAll("input:checked")].map((box) => box.value);
  const list = (checked) => {
    const having = sources.filter((source) => held[source.id]?.includes(variant.select.value));
    boxes.replaceChildren(html("legend", {}, "Games of"), ...having.map(({ id, kind }) => {
      const box = html("input", { type: "checkbox", value: id, checked: checked.length === 0 || checked.includes(id) });
      box.addEventListener("change", open);
      return html("label", {}, box, ` ${id} `, html("span", { className: "soft" }, kind));
    }));
  };

  let asked = 0;
  let address; // of the mixture that is shown
  let opinion;
  let unfollow;
  let questions; // those of the mixture that is shown
  async function open() {
    const number = ++asked;
    questions?.abort();
    questions = new AbortController();
    note.textContent = "";
    line.clear();
    opinion?.stop();
    unfollow?.();
    const names = { variant: variant.select.value, source: chosen() };
    address = pathOf("/explorer", names);
    history.replaceState(null, "", address + location.hash);
    if (names.source.length === 0) {
      shown.replaceChildren(html("p", { className: "absent" }, "Choose at least one source."));
      return;
    }
    const source = new ServerSource(names, line, questions.signal);
    if (!await source.read() || number !== asked) return;
    note.textContent = source.note();
    opinion = new NetworkOpinion(all.find(({ id }) => id === names.variant));
    unfollow = await show(source, shown, opinion);
  }

  place.replaceChildren(html("h1", {}, "Openings"), html("div", { className: "form" }, variant.element, boxes),
    line.element, note, shown);
  // Back and forward may lead to another mixture.
  addEventListener("popstate", () => {
    if (location.pathname + location.search === address) return;
    const there = new URLSearchParams(location.search);
    variant.select.value = there.get("variant");
    if (variant.select.selectedIndex < 0) variant.select.selectedIndex = 0;
    list(there.getAll("source"));
    open();
  });
  list(said.getAll("source"));
  await open();
}
