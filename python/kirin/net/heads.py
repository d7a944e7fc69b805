"""The heads of the network, written from train/src/heads.rs by `UPDATE_EXPECT=1 cargo test --release -p train --lib heads`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from torch import Tensor

from .head import Head
from .policy import PolicyTargets

# The heads of the value branch, in the order of their outputs.
HEADS = (
    Head("wdl", 3, "cross_entropy", "value", "value_weight"),
    Head("short_wdl", 3, "cross_entropy", "short_value", "value_weight"),
    Head("plies_left", None, "huber", "plies_left", "plies_weight"),
    Head("material", "material", "huber", "material", None),
    Head("points", "points", "huber", "points", "points_weight"),
)

# The weights of samples in their losses.
SAMPLE_WEIGHTS = (
    "value_weight",
    "plies_weight",
    "points_weight",
)


class Outputs(NamedTuple):
    """A network's outputs for a batch, all in fp32 and from the point of view of the side to move.

    >>> import torch
    >>> import kirin.net
    >>> network = kirin.net.read_network("train/networks/wangqi.safetensors").network
    >>> shape = network.blueprint.shape
    >>> outputs = network(torch.zeros(1, shape.planes, shape.ranks, shape.files))
    >>> round(float(outputs.wdl.softmax(1).sum()), 3), outputs.plies_left.shape
    (1.0, torch.Size([1]))
    """

    # [batch, tokens, 2 × policy_dim + 5]: what the logits of moves are computed from, see `policy.logits`.
    tokens: Tensor
    # [batch, 3]: logits of win, draw, loss.
    wdl: Tensor
    # [batch, 3]: logits of win, draw, loss as the search is expected to see them in the next plies.
    short_wdl: Tensor
    # [batch]: ln(1 + plies to the end).
    plies_left: Tensor
    # [batch, material]: counts of pieces some plies ahead.
    material: Tensor
    # [batch, points]: points by which the side to move will be ahead at the end, in units of the variant; no number where the network does not say them.
    points: Tensor


@dataclass(frozen=True)
class LossWeights:
    """Weights of the losses in their sum: Kirin's defaults.

    >>> import kirin.net
    >>> kirin.net.LossWeights(value=1.0).value
    1.0
    """

    policy: float = 1.0
    value: float = 0.5
    short_value: float = 0.25
    plies_left: float = 0.1
    material: float = 0.25
    points: float = 0.25


@dataclass(frozen=True)
class Targets:
    """What a network should have answered, with one row for each sample.

    >>> import kirin.net
    >>> planes, targets = kirin.net.read_samples("wangqi.samples")[0]
    >>> targets.wdl.tolist()
    [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    """

    policy: PolicyTargets
    # [batch, 3]: target of win, draw, loss.
    wdl: Tensor
    # [batch]: weight of `wdl` in the loss.
    value_weight: Tensor
    # [batch, 3]: win, draw, loss as the search saw them in the next plies.
    short_wdl: Tensor
    # [batch]: ln(1 + plies to the end).
    plies_left: Tensor
    # [batch]: weight of `plies_left`: 0 where the game was cut off.
    plies_weight: Tensor
    # [batch, material]: counts of pieces some plies ahead.
    material: Tensor
    # [batch, points]: points by which the side to move is ahead at the end, in units of the variant; no number where the network does not say them.
    points: Tensor
    # [batch]: weight of `points`: 0 where the rule set counts none.
    points_weight: Tensor
