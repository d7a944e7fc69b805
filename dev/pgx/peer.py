"""Self-play of shogi by pgx and mctx on the CPU, measured on demand: the peer in `bench.py`.

Reads one JSON object a line and answers each with one:

    {"play": SECONDS}   moves are played by full searches for so long   → {"positions": N, "seconds": S, "cores": C}
    {"parts": SECONDS}  network alone, rules alone, so long each         → {"net_evals_per_s": R, "steps_per_s": R}

Everything is compiled and has run once before the first line, {"compiled": SECONDS}, is written.
"""

import argparse
import json
import os
import sys
import time
from typing import Callable, NamedTuple

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--batch", type=int, required=True, help="games at once, over all devices")
parser.add_argument("--simulations", type=int, required=True, help="simulations a move")
parser.add_argument("--devices", type=int, default=1, help="parts of the batch that run side by side, a core each")
parser.add_argument("--precision", choices=["fp32", "bf16"], default="fp32", help="number format of the network")
parser.add_argument("--net", default="4x64", help="blocks x channels")
arguments = parser.parse_args()

# Read by XLA when it is loaded.
os.environ["JAX_PLATFORMS"] = "cpu"
if arguments.devices > 1:
    os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={arguments.devices}"

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import pgx  # noqa: E402
from jax import Array  # noqa: E402
from pgx.experimental import auto_reset  # noqa: E402

from network import Network, evaluate, untrained  # noqa: E402
from search import env, searched  # noqa: E402


def play_move(network: Network, state: pgx.State, key: Array) -> tuple[pgx.State, Array]:
    """One move in every game by a search of its own, and how many of them were legal; games that end begin again."""
    search_key, game_key = jax.random.split(key)
    found = searched(network, state, search_key, arguments.simulations)
    legal = jnp.take_along_axis(state.legal_action_mask, found.action[:, None], axis=1).sum()
    keys = jax.random.split(game_key, found.action.shape[0])
    return jax.vmap(auto_reset(env.step, env.init))(state, found.action, keys), legal


def random_move(state: pgx.State, key: Array) -> pgx.State:
    """One random legal move in every game: what the rules cost without a network."""
    action = jax.random.categorical(key, jnp.where(state.legal_action_mask, 0.0, -jnp.inf))
    keys = jax.random.split(key, action.shape[0])
    return jax.vmap(auto_reset(env.step, env.init))(state, action, keys)


def repeat(once: Callable[[], None], seconds: float) -> tuple[int, float]:
    """Calls `once`, which waits for its result, until `seconds` are over: how often, and how long it took."""
    begin, times = time.perf_counter(), 0
    while (elapsed := time.perf_counter() - begin) < seconds:
        once()
        times += 1
    return times, elapsed


class Peer:
    """Games in flight and the compiled functions, each run once."""

    def __init__(self) -> None:
        devices, batch = arguments.devices, arguments.batch
        if batch % devices:
            parser.error(f"--batch {batch} cannot be dealt out to {devices} devices")
        blocks, channels = map(int, arguments.net.split("x"))
        dtype = {"fp32": jnp.float32, "bf16": jnp.bfloat16}[arguments.precision]
        board = env.observation_shape
        self.network = untrained(jax.random.key(0), board, env.num_actions, blocks, channels, dtype)
        self.key = jax.random.key(1)
        self.play = jax.pmap(play_move, in_axes=(None, 0, 0), donate_argnums=1)
        self.state = jax.pmap(jax.vmap(env.init))(jax.random.split(self.next_key(), (devices, batch // devices)))
        self.play_once()

    def next_key(self) -> Array:
        self.key, now = jax.random.split(self.key)
        return now

    def device_keys(self) -> Array:
        return jax.random.split(self.next_key(), arguments.devices)

    def play_once(self) -> None:
        self.state, legal = jax.block_until_ready(self.play(self.network, self.state, self.device_keys()))
        if (illegal := arguments.batch - int(legal.sum())) > 0:
            sys.exit(f"peer: {illegal} of {arguments.batch} moves were illegal")

    def measure_play(self, seconds: float) -> dict:
        """Moves played, one position each, and how many cores they kept busy."""
        before = time.process_time()
        moves, elapsed = repeat(self.play_once, seconds)
        cores = (time.process_time() - before) / elapsed
        return {"positions": moves * arguments.batch, "seconds": elapsed, "cores": cores}

    def measure_parts(self, seconds: float) -> dict:
        """The network alone, then the rules without it, at the same batch. Compiles both first."""
        network = jax.pmap(evaluate, in_axes=(None, 0))
        rules = jax.pmap(random_move)
        state, observation = self.state, self.state.observation

        def network_once() -> None:
            jax.block_until_ready(network(self.network, observation))

        def rules_once() -> None:
            nonlocal state
            state = jax.block_until_ready(rules(state, self.device_keys()))

        rates = []
        for once in (network_once, rules_once):
            once()
            times, elapsed = repeat(once, seconds)
            rates.append(times * arguments.batch / elapsed)
        return {"net_evals_per_s": rates[0], "steps_per_s": rates[1]}


def main() -> None:
    begin = time.perf_counter()
    peer = Peer()
    print(json.dumps({"compiled": time.perf_counter() - begin}), flush=True)
    for line in sys.stdin:
        ((what, seconds),) = json.loads(line).items()
        answer = {"play": peer.measure_play, "parts": peer.measure_parts}[what](seconds)
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
