"""The network of `network.py` in its training form: batch norm beside each convolution, and Adam, in plain JAX."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

from network import LAYOUT, Layer, Network, evaluate

# Share of the newest batch in the running statistics, and what is added to a variance (those of pgx's example).
MOMENTUM = 0.1
EPSILON = 1e-5


class Norm(NamedTuple):
    gain: Array
    bias: Array


class Statistics(NamedTuple):
    mean: Array
    variance: Array


class Trained(NamedTuple):
    """What is trained. The bias of a convolution is not used: its norm has one."""

    network: Network
    norms: list[Norm]


def convolutions(network: Network) -> list[Layer]:
    """Every convolution, in the order of `norms`."""
    inner = [layer for block in network.blocks for layer in block]
    return [network.stem, *inner, network.policy_board, network.value_board]


def begin(network: Network) -> tuple[Trained, list[Statistics]]:
    sizes = [layer.bias.shape for layer in convolutions(network)]
    norms = [Norm(jnp.ones(size), jnp.zeros(size)) for size in sizes]
    return Trained(network, norms), [Statistics(jnp.zeros(size), jnp.ones(size)) for size in sizes]


def forward(trained: Trained, statistics: list[Statistics], observation: Array) -> tuple[Array, Array, list[Statistics]]:
    """Policy logits, values, and the running statistics after this batch, which itself is normalised by its own."""
    network, after = trained.network, []

    def normed(x: Array, layer: Layer) -> Array:
        place = len(after)
        x = jax.lax.conv_general_dilated(x, layer.weight, (1, 1), "SAME", dimension_numbers=LAYOUT)
        mean, variance = x.mean((0, 1, 2)), x.var((0, 1, 2))
        old = statistics[place]
        after.append(Statistics(*(
            (1 - MOMENTUM) * before + MOMENTUM * now for before, now in zip(old, (mean, variance))
        )))
        norm = trained.norms[place]
        return (x - mean) * jax.lax.rsqrt(variance + EPSILON) * norm.gain + norm.bias

    policy, value = evaluate(network, observation, normed)
    return policy, value, after


def folded(trained: Trained, statistics: list[Statistics]) -> Network:
    """The network for play: norms by the running statistics are part of the convolutions."""
    layers = iter([
        Layer(layer.weight * scale, norm.bias - seen.mean * scale)
        for layer, norm, seen in zip(convolutions(trained.network), trained.norms, statistics)
        for scale in [norm.gain * jax.lax.rsqrt(seen.variance + EPSILON)]
    ])
    network = trained.network
    stem, blocks = next(layers), [(next(layers), next(layers)) for _ in network.blocks]
    return network._replace(stem=stem, blocks=blocks, policy_board=next(layers), value_board=next(layers))


class Adam(NamedTuple):
    """Kingma and Ba 2015, with their constants."""

    step: Array
    first: Trained
    second: Trained


def adam(trained: Trained) -> Adam:
    zeros = jax.tree.map(jnp.zeros_like, trained)
    return Adam(jnp.zeros(()), zeros, zeros)


def descend(trained: Trained, state: Adam, gradient: Trained, rate: float) -> tuple[Trained, Adam]:
    step = state.step + 1
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, state.first, gradient)
    second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, state.second, gradient)

    def moved(weight: Array, m: Array, v: Array) -> Array:
        return weight - rate * (m / (1 - 0.9**step)) / (jnp.sqrt(v / (1 - 0.999**step)) + 1e-8)

    return jax.tree.map(moved, trained, first, second), Adam(step, first, second)
