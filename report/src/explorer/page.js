// The explorer of a page that loads nothing.

await show(
  new EmbeddedSource(JSON.parse(document.getElementById("explorer-data").textContent)),
  document.getElementById("explorer"),
);
