"""Answers for dev/peers/src/pyffish.rs: the legal moves of positions in a notation of Fairy-Stockfish.

usage: notation.py VARIANT NOTATION, the name of a constant of pyffish
in:  fen
out: moves as UCI=TEXT, separated by TABs
"""

import sys

import pyffish

variant, notation = sys.argv[1], getattr(pyffish, sys.argv[2])

for line in sys.stdin:
    fen = line.rstrip("\n")
    moves = pyffish.legal_moves(variant, fen, [])
    texts = (pyffish.get_san(variant, fen, move, False, notation) for move in moves)
    print("\t".join(f"{move}={text}" for move, text in zip(moves, texts)), flush=True)
