#!/usr/bin/env python3
"""Trains shogi with the Gumbel AlphaZero example of pgx + mctx for a given time on the CPU: the peer's network.

What is the example's: 32 simulations, 256 moves of each game an iteration, targets from the search's action weights and
from the rewards to come (no value target where a game has not ended), one pass over the samples in batches, Adam at 1e-3.
What is ours: a network of Kirin's size, and a 16th of the example's games and of its training batch, because two cores
would not finish its first iteration in an hour.

    PYTHONPATH=$PACKAGES python3 dev/pgx/train.py --minutes 60 --to peer.npz
"""

import argparse
import os
import time

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--minutes", type=float, required=True, help="time from start to end, compiling not counted")
parser.add_argument("--to", required=True, help="file for the network (.npz), written anew after each iteration")
parser.add_argument("--net", default="4x64", help="blocks x channels")
parser.add_argument("--simulations", type=int, default=32)
parser.add_argument("--games", type=int, default=64, help="games at once")
parser.add_argument("--moves", type=int, default=256, help="moves of each game an iteration")
parser.add_argument("--batch", type=int, default=256, help="samples in a training step")
parser.add_argument("--rate", type=float, default=1e-3)
parser.add_argument("--devices", type=int, default=len(os.sched_getaffinity(0)), help="parts of the games, a core each")
parser.add_argument("--seed", type=int, default=0)
arguments = parser.parse_args()

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={arguments.devices}"

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
import pgx  # noqa: E402
from jax import Array  # noqa: E402
from pgx.experimental import auto_reset  # noqa: E402

from network import Network, untrained  # noqa: E402
from search import env, searched  # noqa: E402
from training import adam, begin, descend, folded, forward  # noqa: E402


def play_move(network: Network, state: pgx.State, key: Array):
    """One move in every game; games that end begin again. With what is learned of it."""
    search_key, game_key = jax.random.split(key)
    found = searched(network, state, search_key, arguments.simulations)
    mover = state.current_player
    keys = jax.random.split(game_key, found.action.shape[0])
    after = jax.vmap(auto_reset(env.step, env.init))(state, found.action, keys)
    reward = jnp.take_along_axis(after.rewards, mover[:, None], axis=1)[:, 0]
    return after, (state.observation, found.action_weights, reward, after.terminated)


def values(rewards: np.ndarray, ended: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Results to come, `[moves, games]`, for the side to move, and whether the game has ended within these moves."""
    value, known = np.zeros(rewards.shape[1]), np.zeros(rewards.shape[1], bool)
    out, mask = np.zeros_like(rewards), np.zeros(rewards.shape, bool)
    for move in reversed(range(len(rewards))):
        value = rewards[move] - np.where(ended[move], 0.0, value)
        known = known | ended[move]
        out[move], mask[move] = value, known
    return out, mask


def loss(trained, statistics, observation, policy, value, known):
    logits, guess, statistics = forward(trained, statistics, observation)
    of_policy = -(policy * jax.nn.log_softmax(logits)).sum(1).mean()
    of_value = (0.5 * (guess - value) ** 2 * known).mean()
    return of_policy + of_value, (statistics, of_policy, of_value)


@jax.jit
def learn(trained, statistics, state, *samples):
    (_, (statistics, *losses)), gradient = jax.value_and_grad(loss, has_aux=True)(trained, statistics, *samples)
    trained, state = descend(trained, state, gradient, arguments.rate)
    return trained, statistics, state, losses


def save(network: Network) -> None:
    leaves = {f"{place:03}": np.asarray(leaf) for place, leaf in enumerate(jax.tree.leaves(network))}
    with open(arguments.to + ".tmp", "wb") as file:
        np.savez(file, net=arguments.net, **leaves)
    os.replace(arguments.to + ".tmp", arguments.to)


def main() -> None:
    blocks, channels = map(int, arguments.net.split("x"))
    network = untrained(jax.random.key(arguments.seed), env.observation_shape, env.num_actions, blocks, channels, jnp.float32)
    trained, statistics = begin(network)
    state, key = adam(trained), jax.random.key(arguments.seed + 1)
    shuffle = np.random.default_rng(arguments.seed)
    key, start = jax.random.split(key)
    each = arguments.games // arguments.devices
    games = jax.pmap(jax.vmap(env.init))(jax.random.split(start, (arguments.devices, each)))
    play = jax.pmap(play_move, in_axes=(None, 0, 0), donate_argnums=1)
    network = folded(trained, statistics)
    # Compiled, and thrown away.
    spare = jax.tree.map(jnp.copy, games)
    jax.block_until_ready(play(network, spare, jax.random.split(key, arguments.devices)))
    samples = (env.observation_shape, (env.num_actions,), (), ())
    jax.block_until_ready(learn(trained, statistics, state, *(jnp.zeros((arguments.batch, *size)) for size in samples)))
    save(network)
    begun, iteration, positions = time.monotonic(), 0, 0
    limit = 60.0 * arguments.minutes
    print("compiled", flush=True)
    # The rest is left for learning from an iteration that time cuts short.
    playing_until = begun + 0.97 * limit
    while time.monotonic() < playing_until:
        iteration += 1
        rows = []
        for _ in range(arguments.moves):
            key, now = jax.random.split(key)
            games, row = play(network, games, jax.random.split(now, arguments.devices))
            # Games of all parts side by side. Observations are bits and weights are small numbers: half is enough.
            flat = [np.asarray(part).reshape(-1, *part.shape[2:]) for part in row]
            rows.append((flat[0].astype(np.int8), flat[1].astype(np.float16), flat[2], flat[3]))
            if time.monotonic() > playing_until:
                break
        observation, policy, rewards, ended = (np.stack(part) for part in zip(*rows))
        value, known = values(rewards, ended)
        flat = [part.reshape(-1, *part.shape[2:]) for part in (observation, policy, value, known)]
        positions += len(flat[0])
        order, told = shuffle.permutation(len(flat[0])), []
        for first in range(0, len(order) - arguments.batch + 1, arguments.batch):
            at = order[first : first + arguments.batch]
            trained, statistics, state, losses = learn(
                trained, statistics, state, *(jnp.asarray(part[at], jnp.float32) for part in flat)
            )
            told.append([float(one) for one in losses])
        network = folded(trained, statistics)
        save(network)
        policy_loss, value_loss = np.mean(told, axis=0) if told else (float("nan"), float("nan"))
        print(
            f"{(time.monotonic() - begun) / 60:.1f} min, iteration {iteration}: {positions:,} positions, "
            f"{int(ended.sum())} games ended, policy loss {policy_loss:.3f}, value loss {value_loss:.3f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
