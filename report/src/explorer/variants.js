// What is peculiar to a variant: names in English, players, a second script, and the look of board and pieces. No other
// script knows variants by name. One that is not here is drawn on squares with round pieces, and has its native characters
// and FEN codes for names.

const XIANGQI_NAMES = {
  K: "general", A: "advisor", B: "elephant", N: "horse", R: "chariot", C: "cannon", P: "soldier",
};
const SHOGI_NAMES = {
  K: "king", P: "pawn", L: "lance", N: "knight", S: "silver general", G: "gold general", B: "bishop", R: "rook",
  "+P": "promoted pawn", "+L": "promoted lance", "+N": "promoted knight", "+S": "promoted silver",
  "+B": "horse (promoted bishop)", "+R": "dragon (promoted rook)",
};

const KOSHOGI_NAMES = {
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
};

/** Characters of the second script, by FEN code: of the first player, of the second. */
const HANGUL = {
  K: ["초", "한"], A: ["사", "사"], B: ["상", "상"], N: ["마", "마"], R: ["차", "차"], C: ["포", "포"], P: ["졸", "병"],
};

/** Points where cannons and soldiers begin, as file and rank; the other half has the same. */
const NINE_BY_TEN_MARKS = [[1, 2], [7, 2], [0, 3], [2, 3], [4, 3], [6, 3], [8, 3]];

/** The width of wedges by FEN code of the front; the king is the largest. */
const WEDGES = { K: 1, R: 0.97, B: 0.97, G: 0.93, S: 0.93, I: 0.93, N: 0.89, L: 0.87, P: 0.83 };

/** Handicaps by name: what the giver, who begins, has behind its pawns. */
const SHOGI_HANDICAPS = [
  ["Lance 香落ち", "lnsgkgsn1/1r5b1"], ["Bishop 角落ち", "lnsgkgsnl/1r7"], ["Rook 飛車落ち", "lnsgkgsnl/7b1"],
  ["Rook and lance 飛香落ち", "lnsgkgsn1/7b1"], ["Two pieces 二枚落ち", "lnsgkgsnl/9"],
  ["Four pieces 四枚落ち", "1nsgkgsn1/9"], ["Six pieces 六枚落ち", "2sgkgs2/9"], ["Eight pieces 八枚落ち", "3gkg3/9"],
  ["Ten pieces 十枚落ち", "4k4/9"],
].map(([name, ranks]) => [`${ranks}/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL[] b - - 0 1`, name]);

/** By id of the variant:
 *   players   names of the first and the second player
 *   names     names of the pieces by FEN code
 *   second    a second script: its name, its characters by FEN code, and the name of the first script
 *   handicaps start positions with a handicap: FEN and name
 *   pass      what players call a pass
 *   fonts     which fonts write the pieces
 *   shape     of the pieces: round, octagon, wedge or stone
 *   sizes     of the pieces by FEN code of the front, where they differ: half the width of an octagon, or a part of the
 *             largest wedge
 *   points    whether pieces stand on the points where lines meet, not on squares
 *   river     what is written between the halves
 *   marks     points with a mark, and whether the mark is angles or a cross
 *   dots      dots on the lines, as distances from the left and upper edges */
const VARIANTS = {
  xiangqi: {
    players: ["Red 紅", "Black 黑"], names: XIANGQI_NAMES, fonts: "chinese", shape: "round",
    points: true, river: ["楚河", "漢界"], marks: { points: NINE_BY_TEN_MARKS, angles: true },
  },
  janggi: {
    players: ["Cho 楚", "Han 漢"], names: { ...XIANGQI_NAMES, A: "guard" }, fonts: "korean", shape: "octagon",
    sizes: { K: 0.47, A: 0.34, P: 0.34 }, points: true, marks: { points: NINE_BY_TEN_MARKS, angles: false },
    second: { first: "Hanja 漢字", name: "Hangul 한글", characters: HANGUL }, pass: "한수쉼",
  },
  shogi: {
    players: ["Sente 先手", "Gote 後手"], names: SHOGI_NAMES, fonts: "japanese", shape: "wedge", sizes: WEDGES, dots: [3, 6],
    handicaps: SHOGI_HANDICAPS,
  },
  wangqi: {
    players: ["Sente 先手", "Gote 後手"], names: { ...SHOGI_NAMES, I: "princess", "+I": "promoted princess" },
    fonts: "japanese", shape: "wedge", sizes: WEDGES, dots: [3, 5],
  },
  koshogi: {
    players: ["Black 黑", "White 白"], names: KOSHOGI_NAMES, fonts: "chinese", shape: "stone", points: true,
    dots: [3.5, 9.5, 15.5],
  },
};

const UNKNOWN = { players: ["First player", "Second player"], names: {}, fonts: "chinese", shape: "round" };

/** What is peculiar to a variant. */
function lookOf(variant) {
  return VARIANTS[variant] ?? UNKNOWN;
}

/** The scripts in which the pieces of a variant can be shown: what a switch offers, the default first. */
function scriptsOf(variant) {
  const { second } = lookOf(variant);
  const native = second ? [["native", second.first], ["second", second.name]] : [["native", "Native"]];
  return [...native, ["letters", "Letters"]];
}

/** A player's name. */
function playerName(variant, side) {
  return lookOf(variant).players[side];
}

/** What a piece shows in a script. `faces` has the native characters by code. */
function characters(variant, script, faces, code, side) {
  const native = faces.get(code)?.[side] ?? code;
  if (script === "letters") return code;
  return script === "second" ? lookOf(variant).second.characters[code]?.[side] ?? native : native;
}

/** A piece for a tooltip: native characters, English name, code and owner. */
function describe(variant, faces, code, side) {
  const { names, second, players } = lookOf(variant);
  const native = (faces.get(code)?.[side] ?? code).replace("+", "");
  const also = second?.characters[code]?.[side];
  return `${[native, also].filter(Boolean).join(" ")}${names[code] ? ` · ${names[code]}` : ""} (${code}) · ${players[side]}`;
}

