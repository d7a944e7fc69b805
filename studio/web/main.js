// The beginning: the page says which one it is.

const SHOWN = {
  runs: showRuns, explorer: showExplorer, play: showPlay, analyse: showAnalyse, matches: showMatches,
};

const place = document.getElementById("page");
// Whatever goes wrong without another message is told here.
const faults = new MessageLine();
place.before(faults.element);
addEventListener("error", ({ error }) => error && faults.complain(error));
addEventListener("unhandledrejection", ({ reason }) => reason?.name !== "AbortError" && faults.complain(reason));
try {
  await SHOWN[document.body.dataset.page](place);
} catch (error) {
  const line = new MessageLine();
  place.replaceChildren(line.element);
  line.complain(error);
}
