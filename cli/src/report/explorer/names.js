// What pieces and players are called in English, and the second script of Janggi, by the variant's id. A variant that is
// not here has its native characters and FEN codes for names.

const XIANGQI_NAMES = {
  K: "general", A: "advisor", B: "elephant", N: "horse", R: "chariot", C: "cannon", P: "soldier",
};
const SHOGI_NAMES = {
  K: "king", P: "pawn", L: "lance", N: "knight", S: "silver general", G: "gold general", B: "bishop", R: "rook",
  "+P": "promoted pawn", "+L": "promoted lance", "+N": "promoted knight", "+S": "promoted silver",
  "+B": "horse (promoted bishop)", "+R": "dragon (promoted rook)",
};

const NAMES = {
  xiangqi: XIANGQI_NAMES,
  janggi: { ...XIANGQI_NAMES, A: "guard" },
  shogi: SHOGI_NAMES,
  wangqi: { ...SHOGI_NAMES, I: "princess", "+I": "promoted princess" },
  koshogi: {
    G: "general", CL: "clerk", SO: "staff officer", AC: "aide-de-camp", WR: "wrestler", A: "aide", S: "staff",
    CS: "chief of staff", EN: "engineer", TP: "Taoist priest", SM: "monk", AG: "advance guard", RG: "rear guard",
    MT: "middle army", D: "drum", B: "banner", SN: "sentry", M: "millenary", Q: "quartermaster", CR: "centuria",
    FC: "Frankish cannon", E: "elephant", LB: "longbow", XB: "crossbow", C: "cannon", HS: "horseman", CA: "cavalry",
    P: "foot soldier", PU: "patrol unit", SH: "shield", SU: "shield unit", CH: "chariot", CU: "chariot unit",
    V: "vanguard",
    "+CL": "strategist", "+SO": "banner and drum", "+AC": "quartermaster (promoted aide-de-camp)", "+A": "chiliarch",
    "+S": "centurion", "+CS": "vice-commissioner", "+EN": "poison flame", "+TP": "fog", "+SM": "holy lamp",
    "+AG": "sky net", "+RG": "earth net", "+MT": "marshal", "+D": "thunder", "+B": "sweeper",
    "+SN": "centuria (promoted sentry)", "+M": "dragon", "+Q": "tiger", "+CR": "hawk", "+FC": "divine carriage",
    "+LB": "longbow rider", "+XB": "crossbow rider", "+C": "cannon carriage", "+HS": "cavalry (promoted horseman)",
    "+CA": "sky horse", "+P": "patrol unit (promoted foot soldier)", "+PU": "commissioner",
    "+SH": "shield unit (promoted shield)", "+SU": "rampart", "+CH": "chariot unit (promoted chariot)",
    "+CU": "millenary (promoted chariot unit)", "+V": "commissioner (promoted vanguard)",
  },
};

/** The players, the one who begins first. */
const PLAYERS = {
  xiangqi: ["Red 紅", "Black 黑"],
  janggi: ["Cho 楚", "Han 漢"],
  shogi: ["Sente 先手", "Gote 後手"],
  wangqi: ["Sente 先手", "Gote 後手"],
  koshogi: ["Black 黑", "White 白"],
};

/** Characters of the second script, by FEN code: of the first player, of the second. */
const HANGUL = {
  K: ["초", "한"], A: ["사", "사"], B: ["상", "상"], N: ["마", "마"], R: ["차", "차"], C: ["포", "포"], P: ["졸", "병"],
};

/** The scripts in which the pieces of a variant can be shown: what a switch offers, the default first. */
function scriptsOf(variant) {
  return variant === "janggi"
    ? [["native", "Hanja 漢字"], ["hangul", "Hangul 한글"], ["letters", "Letters"]]
    : [["native", "Native"], ["letters", "Letters"]];
}

/** A player's name: of the variant, or what every game has. */
function playerName(variant, side) {
  return PLAYERS[variant]?.[side] ?? ["First player", "Second player"][side];
}

/** What a piece shows in a script. `faces` has the native characters by code. */
function characters(script, faces, code, side) {
  const native = faces.get(code)?.[side] ?? code;
  if (script === "letters") return code;
  if (script === "hangul") return HANGUL[code]?.[side] ?? native;
  return native;
}

/** A piece for a tooltip: native characters, English name, code and owner. */
function describe(variant, faces, code, side) {
  const native = (faces.get(code)?.[side] ?? code).replace("+", "");
  const hangul = variant === "janggi" ? ` ${HANGUL[code]?.[side] ?? ""}` : "";
  const name = NAMES[variant]?.[code];
  return `${native}${hangul}${name ? ` · ${name}` : ""} (${code}) · ${playerName(variant, side)}`;
}

