// A table that does not fit its place is shown row by row, each cell with the name of its column. The cross-table stays one.
const places = [...document.querySelectorAll(".scroll")].filter((place) => place.querySelector("table:not(.cross)"));
for (const table of places.map((place) => place.firstElementChild)) {
  const names = [...table.tHead?.rows[0].cells ?? []].map((cell) => cell.querySelector(".axis") ? "" : cell.textContent.trim());
  for (const row of [...table.tBodies, table.tFoot].flatMap((part) => [...part?.rows ?? []])) {
    if (row.cells[0]?.colSpan === 1) [...row.cells].forEach((cell, at) => { cell.dataset.name = names[at] ?? ""; });
  }
}
const fit = () => {
  for (const place of places) {
    const { classList } = place.firstElementChild;
    classList.remove("stacked");
    classList.toggle("stacked", place.scrollWidth > place.clientWidth + 1);
  }
};
addEventListener("resize", fit);
// What is folded away has no width until it is opened.
document.addEventListener("toggle", fit, true);
fit();
