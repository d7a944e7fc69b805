"""Random play on one core: steps a second of processor time of VectorEnv with masks, with planes, and with planes of attacks,
and of Position, beside pyffish (`scripts/oracles`), in turns. Prints a Markdown table.

usage: python3 python/bench/steps.py [--seconds 2] [--rounds 3] [--games 128] [--pyffish FOLDER] [--variants-ini FILE]
A step is a move: of VectorEnv with its outcome, the mask of the next position and the choice of a random legal action; of
Position the moves as texts, the choice in Python, push() and outcome(); of pyffish the moves as texts and the choice,
from the next FEN or from the moves played, whichever is faster, without repetitions and ends of games other than "no
legal move" and a ply limit. In Kō shogi, which has no table of actions, there is no mask.
"""

import argparse
import os
import random
import sys
import time
from pathlib import Path

import kirin

ROOT = Path(__file__).resolve().parents[2]
PLIES = 400


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--games", type=int, default=128)
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "kirin" / "oracles"
    found = sorted(cache.glob("pyffish-*"))
    parser.add_argument("--pyffish", type=Path, default=found[-1] if found else None)
    parser.add_argument("--variants-ini", type=Path, default=ROOT / "engine/src/client/fairy-stockfish.ini")
    return parser.parse_args()


def vector_env(variant, games, **options):
    env = kirin.VectorEnv(variant, games, threads=1, **options)

    def run(until):
        steps = 0
        while time.process_time() < until:
            for _ in range(10):
                env.step(env.sample())
            steps += 10 * games
        return steps

    return run


def position(variant):
    start = kirin.Position(variant)
    choice = random.Random(1)

    def run(until):
        steps, game = 0, start.copy()
        while time.process_time() < until:
            if game.outcome() or game.ply == PLIES:
                game = start.copy()
            game.push(choice.choice(game.legal_moves()))
            steps += 1
        return steps

    return run


def pyffish(variant, by_fen):
    import pyffish

    start = pyffish.start_fen(variant)
    choice = random.Random(1)

    def run(until):
        steps, fen, played = 0, start, []
        while time.process_time() < until:
            moves = pyffish.legal_moves(variant, fen, [] if by_fen else played)
            if not moves or len(played) == PLIES:
                fen, played = start, []
                continue
            played.append(choice.choice(moves))
            if by_fen:
                fen = pyffish.get_fen(variant, fen, played[-1:])
            steps += 1
        return steps

    return run


def rate(run, seconds):
    start = time.process_time()
    steps = run(start + seconds)
    return steps / (time.process_time() - start)


def main():
    options = arguments()
    known = []
    if options.pyffish:
        sys.path.append(str(options.pyffish))
        import pyffish as module

        # Wangqi is defined in a file of ours.
        module.load_variant_config(options.variants_ini.read_text(encoding="utf-8"))
        known = module.variants()
        print(f"pyffish {'.'.join(map(str, module.version()))}", file=sys.stderr)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    print(f"load before: {os.getloadavg()[0]:.2f} ({os.cpu_count()} cores)", file=sys.stderr)
    columns = ["masks", "masks, planes", "masks, planes, attacks", "Position", "pyffish"]
    print(f"| | {' | '.join(columns)} |\n|---{'|---' * len(columns)}|")
    for variant in kirin.VARIANTS:
        runs = [
            vector_env(variant, options.games, planes=False),
            vector_env(variant, options.games),
            vector_env(variant, options.games, attacks=True),
            position(variant),
        ]
        columns_of = list(range(len(runs)))
        if variant in known:
            runs += [pyffish(variant, by_fen) for by_fen in (True, False)]
            columns_of += [len(columns) - 1] * 2
        best = [0.0] * len(columns)
        for _ in range(options.rounds):
            for at, run in zip(columns_of, runs):
                best[at] = max(best[at], rate(run, options.seconds))
        print(f"| {variant} | " + " | ".join(f"{speed:,.0f}" if speed else "–" for speed in best) + " |", flush=True)
    print(f"load after: {os.getloadavg()[0]:.2f}", file=sys.stderr)


if __name__ == "__main__":
    main()
