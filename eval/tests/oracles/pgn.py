"""Replays the games of a PGN file with Fairy-Stockfish's rules (pyffish).

usage: pgn.py VARIANTS.ini < GAMES.pgn
Prints a line a game: variant, number of moves, and the last position without counters. A game with an illegal move, or in a variant unknown here, gives a line that says so.
"""
import re
import sys

import pyffish

with open(sys.argv[1], encoding="utf-8") as definitions:
    pyffish.load_variant_config(definitions.read())

for text in re.split(r"\n(?=\[Event )", sys.stdin.read()):
    tags = dict(re.findall(r'^\[(\w+) "(.*)"\]$', text, re.MULTILINE))
    if "Variant" not in tags:
        continue
    variant = tags["Variant"]
    if variant not in pyffish.variants():
        print(f"{variant}\tunknown")
        continue
    movetext = text.split("\n\n", 1)[1]
    movetext = re.sub(r"\{[^}]*\}", " ", movetext)
    words = [word for word in movetext.split() if not re.fullmatch(r"\d+\.+|1-0|0-1|1/2-1/2|\*", word)]
    moves = []
    for move in words:
        if move not in pyffish.legal_moves(variant, tags["FEN"], moves):
            print(f"{variant}\t{move} is illegal after {moves}")
            break
        moves.append(move)
    else:
        fen = pyffish.get_fen(variant, tags["FEN"], moves)
        print(variant, len(moves), " ".join(fen.split()[:2]), sep="\t")
