// The beginning: the page says which one it is.

const SHOWN = {
  runs: showRuns, explorer: showExplorer, play: showPlay, analyse: showAnalyse, matches: showMatches,
};

const place = document.getElementById("page");
try {
  await SHOWN[document.body.dataset.page](place);
} catch (error) {
  const line = new MessageLine();
  place.replaceChildren(line.element);
  line.complain(error);
}
