"""What training minimises (train/src/training/loss.rs), and Kirin's AdamW in PyTorch's words."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor, nn, optim
from torch.nn import functional

from .network import Network, Outputs
from .policy import MoveTable, log_policy


@dataclass(frozen=True)
class LossWeights:
    """Weights of the losses in their sum: Kirin's defaults."""

    policy: float = 1.0
    value: float = 1.0
    short_value: float = 0.25
    plies_left: float = 0.1
    material: float = 0.25


@dataclass(frozen=True)
class PolicyTargets:
    """What a policy should have been, with one row for each sample."""

    moves: MoveTable
    # [batch, width]: each row sums to 1 unless it has no moves.
    shares: Tensor
    weight: Tensor

    def cross_entropy(self, tokens: Tensor) -> Tensor:
        return _cross_entropy(self.shares, log_policy(tokens, self.moves)) * self.weight


@dataclass(frozen=True)
class Targets:
    """What a network should have answered, with one row for each sample."""

    policy: PolicyTargets
    # [batch, 3]: each row sums to 1.
    wdl: Tensor
    value_weight: Tensor
    short_wdl: Tensor
    # [batch]: ln(1 + plies left).
    plies_left: Tensor
    plies_weight: Tensor
    material: Tensor


def loss(outputs: Outputs, targets: Targets, weights: LossWeights = LossWeights()) -> Tensor:
    """The mean over the samples of the weighted sum of all losses."""
    value = _cross_entropy(targets.wdl, outputs.wdl.log_softmax(1))
    short = _cross_entropy(targets.short_wdl, outputs.short_wdl.log_softmax(1))
    plies = functional.huber_loss(outputs.plies_left, targets.plies_left, reduction="none")
    material = functional.huber_loss(outputs.material, targets.material, reduction="none").mean(1)
    each = (
        weights.policy * targets.policy.cross_entropy(outputs.tokens)
        + weights.value * value * targets.value_weight
        + weights.short_value * short * targets.value_weight
        + weights.plies_left * plies * targets.plies_weight
        + weights.material * material
    )
    return each.mean()


def optimiser(network: Network, rate: float, weight_decay: float = 1e-4) -> optim.AdamW:
    """AdamW with decay for matrices and kernels alone, as Kirin has it, in PyTorch's fused form."""
    decays = {name: name.endswith(".weight") for name, _ in network.named_parameters()}
    groups = [
        {"params": [p for name, p in network.named_parameters() if decays[name]], "weight_decay": weight_decay},
        {"params": [p for name, p in network.named_parameters() if not decays[name]], "weight_decay": 0.0},
    ]
    return optim.AdamW(groups, lr=rate, betas=(0.9, 0.999), eps=1e-8, fused=True)


def clip(network: Network, most: float = 1.0) -> Tensor:
    """Scales the gradients down to a norm of `most` over all parameters; returns the norm before."""
    return nn.utils.clip_grad_norm_(network.parameters(), most)


def _cross_entropy(target: Tensor, log: Tensor) -> Tensor:
    """−Σ target · log."""
    return -(target * log).sum(1)
