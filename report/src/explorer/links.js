// The address of what the explorer shows. Opening it shows the same again.

/** What an address says: { setups, moves, game, ply, wanted }, or undefined if it says nothing to the explorer. */
function readLink(hash) {
  if (!hash.includes("=")) return undefined;
  const said = new URLSearchParams(hash.slice(1));
  const list = (key) => said.get(key)?.split(".").filter(Boolean);
  const known = ["setups", "moves", "game", "ply"];
  const wanted = Object.fromEntries([...said].filter(([key, text]) => !known.includes(key) && text));
  return { setups: list("setups"), moves: list("moves") ?? [], game: said.get("game"), ply: Number(said.get("ply")) || 0, wanted };
}

/** The address of a line or a game, with the conditions of the games. */
function linkOf({ setups, line, game, ply, wanted }) {
  const said = new URLSearchParams();
  if (setups) said.set("setups", setups.join("."));
  if (line) said.set("moves", line.moves.join("."));
  if (game) {
    said.set("game", game.id);
    said.set("ply", String(ply));
  }
  for (const [key, text] of Object.entries(wanted)) said.set(key, text);
  return `#${said}`;
}

