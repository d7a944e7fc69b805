"""Random play on one core: steps a second of processor time of VectorEnv with masks, with planes, and with planes of attacks,
and of Position, beside pyffish (`scripts/oracles`) and those of cshogi, pgx and gym-xiangqi that Python can import, in turns.
Prints a Markdown table.

usage: python3 python/bench/steps.py [--seconds 2] [--rounds 3] [--games 128] [--pyffish FOLDER] [--variants-ini FILE]
       [--variants NAME…] [--peers FOLDER]
--peers is a folder of `pip install --target` with the peers. A step is a move: of VectorEnv with its outcome, the mask of the
next position and the choice of a random legal action; of Position the moves as texts, the choice in Python, push() and
outcome(); of pyffish the moves as texts and the choice, from the next FEN or from the moves played, whichever is faster,
without repetitions and ends of games other than "no legal move" and a ply limit; of cshogi the legal moves, the choice in
Python, push() and is_draw(); of pgx, on the CPU, a compiled step of --games games with its planes and masks, which starts
games again that have ended; of gym-xiangqi, where the caller plays both sides, a choice among its mask and step(). In Kō
shogi, which has no table of actions, there is no mask.
"""

import argparse
import importlib.util
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
    parser.add_argument("--variants", nargs="+", choices=kirin.VARIANTS, default=kirin.VARIANTS)
    parser.add_argument("--peers", type=Path)
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


def cshogi():
    import cshogi

    choice = random.Random(1)

    def run(until):
        steps, board = 0, cshogi.Board()
        while time.process_time() < until:
            moves = list(board.legal_moves)
            if not moves or board.move_number > PLIES or board.is_draw() != cshogi.NOT_REPETITION:
                board = cshogi.Board()
                continue
            board.push(choice.choice(moves))
            steps += 1
        return steps

    return run


def pgx(games):
    import jax
    import pgx
    from jax import numpy as jnp
    from pgx.experimental import auto_reset

    env = pgx.make("shogi")
    step = jax.vmap(auto_reset(env.step, env.init))

    def one(state, key):
        choose, *again = jax.random.split(key, games + 1)
        logits = jnp.where(state.legal_action_mask, 0.0, -jnp.inf)
        return step(state, jax.random.categorical(choose, logits), jnp.stack(again)), None

    ten = jax.jit(lambda state, key: jax.lax.scan(one, state, jax.random.split(key, 10))[0])
    key = jax.random.PRNGKey(1)
    # The first call compiles.
    now = [jax.block_until_ready(ten(jax.jit(jax.vmap(env.init))(jax.random.split(key, games)), key))]

    def run(until):
        steps = 0
        while time.process_time() < until:
            now[0] = jax.block_until_ready(ten(now[0], jax.random.PRNGKey(steps)))
            steps += 10 * games
        return steps

    return run


def gym_xiangqi():
    import numpy
    from gym_xiangqi.constants import ALLY
    from gym_xiangqi.envs import XiangQiEnv

    env, choice = XiangQiEnv(), numpy.random.default_rng(1)

    def run(until):
        steps = 0
        env.reset()
        while time.process_time() < until:
            mask = env.ally_actions if env.turn == ALLY else env.enemy_actions
            _, _, done, _ = env.step(choice.choice(numpy.flatnonzero(mask)))
            steps += 1
            if done:
                env.reset()
        return steps

    return run


# Name, the module to import, the variant, what makes a run.
PEERS = [
    ("cshogi", "cshogi", "shogi", lambda games: cshogi()),
    ("pgx", "pgx", "shogi", pgx),
    ("gym-xiangqi", "gym_xiangqi", "xiangqi", lambda games: gym_xiangqi()),
]


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
    if options.peers:
        sys.path.append(str(options.peers))
    peers = [peer for peer in PEERS if importlib.util.find_spec(peer[1])]
    columns = ["masks", "masks, planes", "masks, planes, attacks", "Position", "pyffish", *(name for name, *_ in peers)]
    print(f"| | {' | '.join(columns)} |\n|---{'|---' * len(columns)}|")
    for variant in options.variants:
        runs = [
            vector_env(variant, options.games, planes=False),
            vector_env(variant, options.games),
            vector_env(variant, options.games, attacks=True),
            position(variant),
        ]
        columns_of = list(range(len(runs)))
        if variant in known:
            runs += [pyffish(variant, by_fen) for by_fen in (True, False)]
            columns_of += [columns.index("pyffish")] * 2
        for name, _, plays, make in peers:
            if plays == variant:
                runs.append(make(options.games))
                columns_of.append(columns.index(name))
        best = [0.0] * len(columns)
        for _ in range(options.rounds):
            for at, run in zip(columns_of, runs):
                best[at] = max(best[at], rate(run, options.seconds))
        print(f"| {variant} | " + " | ".join(f"{speed:,.0f}" if speed else "–" for speed in best) + " |", flush=True)
    print(f"load after: {os.getloadavg()[0]:.2f}", file=sys.stderr)


if __name__ == "__main__":
    main()
