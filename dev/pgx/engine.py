#!/usr/bin/env python3
"""A USI engine that plays shogi with a network of `train.py` and mctx, so that `kirin eval match` can be the referee.

    PYTHONPATH=$PACKAGES python3 dev/pgx/engine.py --net peer.npz --simulations 64

It searches without noise, always with the same number of simulations, whatever `go` says.
"""

import argparse
import os
import sys

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--net", required=True, help="network of train.py (.npz)")
parser.add_argument("--simulations", type=int, default=64)
arguments = parser.parse_args()

os.environ["JAX_PLATFORMS"] = "cpu"

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from pgx._src.games.shogi import Action  # noqa: E402
from pgx.experimental.shogi import from_sfen  # noqa: E402

from network import Network, untrained  # noqa: E402
from search import env, searched  # noqa: E402

# Kinds in pgx's order, as USI writes a drop.
DROPS = "PLNSBRG"


def load(path: str) -> Network:
    stored = np.load(path)
    blocks, channels = map(int, str(stored["net"]).split("x"))
    like = untrained(jax.random.key(0), env.observation_shape, env.num_actions, blocks, channels, jnp.float32)
    shape = jax.tree.structure(like)
    return jax.tree.unflatten(shape, [jnp.asarray(stored[f"{place:03}"]) for place in range(shape.num_leaves)])


def square(index: int, turned: bool) -> str:
    """pgx counts down the files from the right, and turns the board for the second player."""
    file, rank = divmod(80 - index if turned else index, 9)
    return f"{file + 1}{'abcdefghi'[rank]}"


decode = jax.jit(Action._from_dlshogi_action)


def usi(state, action: int) -> str:
    move, turned = decode(state._x, action), int(state._x.color) == 1
    to = square(int(move.to), turned)
    if bool(move.is_drop):
        return f"{DROPS[int(move.piece)]}*{to}"
    return square(int(move.from_), turned) + to + ("+" if bool(move.is_promotion) else "")


@jax.jit
def best_action(network: Network, state):
    one = jax.tree.map(lambda part: part[None], state)
    found = searched(network, one, jax.random.key(0), arguments.simulations, gumbel_scale=0.0)
    return found.action[0]


def first_state(start, position: str):
    """The state of `startpos` or of `sfen SFEN`."""
    if position == "startpos":
        return start
    state = from_sfen(position.removeprefix("sfen "))
    state = state.replace(current_player=state._x.color)
    state = state.replace(observation=env.observe(state))
    # Of the same types as the states of games, for which everything is compiled.
    return jax.tree.map(lambda part, like: jnp.asarray(part, like.dtype), state, start)


def main() -> None:
    network, step = load(arguments.net), jax.jit(env.step)
    start = jax.jit(env.init)(jax.random.key(0))
    state, begun, played = start, "startpos", []
    for line in sys.stdin:
        match line.split():
            case ["usi"]:
                print("id name pgx + mctx\nid author pgx and mctx authors\nusiok", flush=True)
            case ["isready"]:
                # Compiled before the first clock runs.
                best_action(network, start), step(start, int(np.argmax(start.legal_action_mask)))
                print("readyok", flush=True)
            case ["usinewgame"]:
                state, begun, played = start, "startpos", []
            case ["position", *words]:
                at = words.index("moves") if "moves" in words else len(words)
                first, moves = " ".join(words[:at]), words[at + 1 :]
                if first != begun or moves[: len(played)] != played:
                    state, begun, played = first_state(start, first), first, []
                for text in moves[len(played) :]:
                    legal = np.flatnonzero(np.asarray(state.legal_action_mask))
                    state = step(state, next(int(action) for action in legal if usi(state, int(action)) == text))
                played = moves
            case ["go", *_]:
                if bool(state.terminated):
                    print("bestmove resign", flush=True)
                else:
                    print(f"bestmove {usi(state, int(best_action(network, state)))}", flush=True)
            case ["quit"]:
                return


if __name__ == "__main__":
    main()
