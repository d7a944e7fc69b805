"""Answers for fairy.rs: one line a question, from pyffish (Fairy-Stockfish's rules as a Python module).

usage: fairy.py VARIANTS.ini
in:  variant TAB fen TAB moves
out: fen TAB check TAB end TAB legal moves; the end is `-`, or the result for the side to move: win, draw, loss
"""

import re
import sys

import pyffish

with open(sys.argv[1], encoding="utf-8") as variants:
    pyffish.load_variant_config(variants.read())


def result(value):
    return "draw" if value == 0 else "win" if value > 0 else "loss"


def is_drop_mate(variant, fen, move):
    """Whether a pawn drop mates. Fairy-Stockfish lists such moves in Shogi, and lets them lose afterwards."""
    board, side = fen.split("[")[0], fen.split()[1]
    ranks = [re.sub(r"\d", lambda run: " " * int(run[0]), rank.replace("+", "")) for rank in board.split("/")]
    king, step = ("k", -1) if side == "w" else ("K", 1)
    at = next(index for index, rank in enumerate(ranks) if king in rank)
    front = "P@" + "abcdefghi"[ranks[at].index(king)] + str(len(ranks) - at + step)
    return move == front and not pyffish.legal_moves(variant, fen, [move])


for line in sys.stdin:
    variant, fen, moves = line.rstrip("\n").split("\t")
    moves = moves.split()
    # Every call sets its variant up anew, which takes most of the time: so no call is made for nothing, and
    # only what depends on the way here is asked with the moves.
    now = pyffish.get_fen(variant, fen, moves) if moves else fen
    legal = pyffish.legal_moves(variant, now, [])
    if variant == "shogi":
        legal = [move for move in legal if not is_drop_mate(variant, now, move)]
    end = "-"
    if not legal:
        end = result(pyffish.game_result(variant, now, []))
    elif moves:
        claimable, value = pyffish.is_optional_game_end(variant, fen, moves)
        end = result(value) if claimable else "-"
    check = "check" if pyffish.gives_check(variant, now, []) else "-"
    print(now, check, end, " ".join(sorted(legal)), sep="\t", flush=True)
