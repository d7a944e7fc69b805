"""A residual network of 3 × 3 convolutions with a policy and a value head, in plain JAX, for inference only.

The trunk is what Kirin calls `4x64`: a stem and `blocks` residual blocks of two convolutions with `channels`
channels. The heads are those of pgx's AlphaZero example: 2 planes and a dense layer for the policy, 1 plane and two
dense layers for the value. Batch norm is folded into the convolutions, as Kirin does in play; there is no squeeze and
excitation, so this network has slightly less to compute than Kirin's. Weights are random: speed does not depend on them.
"""

import math
from typing import Callable, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

LAYOUT = ("NHWC", "HWIO", "NHWC")
# Planes of the policy head before its dense layer.
POLICY_PLANES = 2


class Layer(NamedTuple):
    """Weights `[height, width, in, out]` of a convolution or `[in, out]` of a dense layer, and bias `[out]`."""

    weight: Array
    bias: Array


class Network(NamedTuple):
    stem: Layer
    blocks: list[tuple[Layer, Layer]]
    policy_board: Layer
    policy: Layer
    value_board: Layer
    value_hidden: Layer
    value: Layer


def untrained(key: Array, board: tuple[int, int, int], actions: int, blocks: int, channels: int, dtype) -> Network:
    """Random weights for a `board` of `(ranks, files, planes)` and `actions` policy logits.

    The last layer of each head is small: an untrained network is close to indifferent, as Kirin's is.
    """
    ranks, files, planes = board

    def layer(*shape: int, gain: float = math.sqrt(2)) -> Layer:
        nonlocal key
        key, now = jax.random.split(key)
        weight = jax.random.normal(now, shape) * gain / math.sqrt(math.prod(shape[:-1]))
        return Layer(weight.astype(dtype), jnp.zeros(shape[-1], dtype))

    def block() -> tuple[Layer, Layer]:
        return layer(3, 3, channels, channels), layer(3, 3, channels, channels, gain=0.1)

    return Network(
        stem=layer(3, 3, planes, channels),
        blocks=[block() for _ in range(blocks)],
        policy_board=layer(1, 1, channels, POLICY_PLANES),
        policy=layer(POLICY_PLANES * ranks * files, actions, gain=0.5),
        value_board=layer(1, 1, channels, 1),
        value_hidden=layer(ranks * files, channels),
        value=layer(channels, 1, gain=0.3),
    )


def convolve(x: Array, layer: Layer) -> Array:
    return jax.lax.conv_general_dilated(x, layer.weight, (1, 1), "SAME", dimension_numbers=LAYOUT) + layer.bias


def evaluate(
    network: Network, observation: Array, convolve: Callable[[Array, Layer], Array] = convolve
) -> tuple[Array, Array]:
    """Policy logits `[batch, actions]` and values `[batch]` in −1 … 1 for the side to move, both in fp32.

    `observation` is `[batch, ranks, files, planes]` of any type; the network works in the type of its weights. Training
    gives a `convolve` of its own, which normalises; it is called in the order of `training.convolutions`.
    """
    batch = observation.shape[0]
    x = jax.nn.relu(convolve(observation.astype(network.stem.weight.dtype), network.stem))
    for first, second in network.blocks:
        x = jax.nn.relu(x + convolve(jax.nn.relu(convolve(x, first)), second))
    policy = jax.nn.relu(convolve(x, network.policy_board)).reshape(batch, -1)
    policy = policy @ network.policy.weight + network.policy.bias
    value = jax.nn.relu(convolve(x, network.value_board)).reshape(batch, -1)
    value = jax.nn.relu(value @ network.value_hidden.weight + network.value_hidden.bias)
    value = value @ network.value.weight + network.value.bias
    return policy.astype(jnp.float32), jnp.tanh(value[:, 0].astype(jnp.float32))
