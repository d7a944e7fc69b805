"""A laboratory for East-Asian chess: Janggi, Xiangqi, Shogi, Wangqi and Kō shogi.

`Position` is a position with the moves that led to it, `Game` a game with names and result, which reads and writes game
records, and `VectorEnv` is many games at once in numpy arrays. `kirin.pettingzoo` and `kirin.gymnasium` are environments
for those libraries. `Network` evaluates positions and `search` searches them;
`selfplay` writes games, `games`, `positions` and `matches` read what was played; `elo`, `sprt` and `ratings` compare
players. `kirin.net` is the network in PyTorch.

>>> import kirin
>>> game = kirin.Position("xiangqi")
>>> game.push("h3e3")
>>> game.fen
'rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR b - - 1 1'
"""

from kirin._native import (
    REASONS,
    VARIANTS,
    Elo,
    Evaluation,
    Game,
    Line,
    Network,
    Outcome,
    Position,
    Rating,
    Ratings,
    SearchResult,
    SelfplayReport,
    SequentialTest,
    VectorEnv,
    __version__,
    action_count,
    action_squares,
    divide,
    elo,
    notations,
    parquet_files,
    perft,
    planes_shape,
    position_formats,
    ratings,
    rulesets,
    search,
    selfplay,
    setups,
    sprt,
)
from kirin.frames import games, matches, positions

__all__ = [
    "REASONS",
    "VARIANTS",
    "Elo",
    "Evaluation",
    "Game",
    "Line",
    "Network",
    "Outcome",
    "Position",
    "Rating",
    "Ratings",
    "SearchResult",
    "SelfplayReport",
    "SequentialTest",
    "VectorEnv",
    "__version__",
    "action_count",
    "action_squares",
    "divide",
    "elo",
    "games",
    "matches",
    "notations",
    "parquet_files",
    "perft",
    "planes_shape",
    "position_formats",
    "positions",
    "ratings",
    "rulesets",
    "search",
    "selfplay",
    "setups",
    "sprt",
]
