"""Rules of East-Asian chess variants: Janggi, Xiangqi, Shogi, Wangqi and Kō shogi.

`Position` is a game in progress, `VectorEnv` is many games at once in numpy arrays. `kirin.pettingzoo` and
`kirin.gymnasium` are environments for those libraries.

>>> import kirin
>>> game = kirin.Position("xiangqi")
>>> game.push("h3e3")
>>> game.fen
'rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR b - - 1 1'
"""

from kirin._native import (
    REASONS,
    VARIANTS,
    Outcome,
    Position,
    VectorEnv,
    __version__,
    action_count,
    divide,
    notations,
    perft,
    planes_shape,
    position_formats,
    rulesets,
    setups,
)

__all__ = [
    "REASONS",
    "VARIANTS",
    "Outcome",
    "Position",
    "VectorEnv",
    "__version__",
    "action_count",
    "divide",
    "notations",
    "perft",
    "planes_shape",
    "position_formats",
    "rulesets",
    "setups",
]
