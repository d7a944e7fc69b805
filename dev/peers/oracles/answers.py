"""Answers for dev/peers/src/pyffish.rs: one line a question, from pyffish (Fairy-Stockfish's rules as a Python module).

usage: answers.py VARIANTS.ini
in:  variant TAB fen TAB moves
out: fen TAB check TAB end TAB legal moves; the end is `-`, or the result for the side to move: win, draw, loss
"""

import sys

import pyffish

with open(sys.argv[1], encoding="utf-8") as variants:
    pyffish.load_variant_config(variants.read())


def result(value):
    return "draw" if value == 0 else "win" if value > 0 else "loss"


for line in sys.stdin:
    variant, fen, moves = line.rstrip("\n").split("\t")
    moves = moves.split()
    # Every call sets its variant up anew, which takes most of the time: so no call is made for nothing, and
    # only what depends on the way here is asked with the moves.
    now = pyffish.get_fen(variant, fen, moves) if moves else fen
    legal = pyffish.legal_moves(variant, now, [])
    end = "-"
    if moves:
        over, value = pyffish.is_immediate_game_end(variant, fen, moves)
        if not over and legal:
            over, value = pyffish.is_optional_game_end(variant, fen, moves)
        if over:
            end = result(value)
    if end == "-" and not legal:
        end = result(pyffish.game_result(variant, now, []))
    check = "check" if pyffish.gives_check(variant, now, []) else "-"
    print(now, check, end, " ".join(sorted(legal)), sep="\t", flush=True)
