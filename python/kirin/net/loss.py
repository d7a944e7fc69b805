"""What training minimises (train/src/training/loss.rs), and Kirin's AdamW in PyTorch's words."""

from __future__ import annotations

from torch import Tensor, nn, optim

from .heads import HEADS, LossWeights, Outputs, Targets
from .network import Network


def loss(outputs: Outputs, targets: Targets, weights: LossWeights = LossWeights()) -> Tensor:
    """The mean over the samples of the weighted sum of all losses.

    >>> import kirin.net
    >>> network = kirin.net.read_network("train/networks/wangqi.safetensors").network
    >>> planes, targets = kirin.net.read_samples("wangqi.samples")[0]
    >>> isinstance(targets, kirin.net.Targets)
    True
    >>> outputs = network(planes)
    >>> whole = kirin.net.loss(outputs, targets)
    >>> without_value = kirin.net.loss(outputs, targets, kirin.net.LossWeights(value=0.0, short_value=0.0))
    >>> bool(without_value < whole)
    True
    """
    each = weights.policy * targets.policy.cross_entropy(outputs.tokens)
    for head in HEADS:
        part: Tensor = getattr(weights, head.key) * head.distance(getattr(outputs, head.name), getattr(targets, head.name))
        each = each + (part if head.counts is None else part * getattr(targets, head.counts))
    return each.mean()


def optimiser(network: Network, rate: float, weight_decay: float = 1e-4) -> optim.AdamW:
    """AdamW with decay for matrices and kernels alone, as Kirin has it, in PyTorch's fused form.

    >>> import kirin.net
    >>> network = kirin.net.read_network("train/networks/wangqi.safetensors").network
    >>> optimiser = kirin.net.optimiser(network, rate=0.001)
    >>> [(group["lr"], group["weight_decay"]) for group in optimiser.param_groups]
    [(0.001, 0.0001), (0.001, 0.0)]
    """
    decays = {name: name.endswith(".weight") for name, _ in network.named_parameters()}
    groups = [
        {"params": [p for name, p in network.named_parameters() if decays[name]], "weight_decay": weight_decay},
        {"params": [p for name, p in network.named_parameters() if not decays[name]], "weight_decay": 0.0},
    ]
    return optim.AdamW(groups, lr=rate, betas=(0.9, 0.999), eps=1e-8, fused=True)


def clip(network: Network, most: float = 1.0) -> Tensor:
    """Scales the gradients down to a norm of `most` over all parameters; returns the norm before.

    >>> import kirin.net
    >>> network = kirin.net.read_network("train/networks/wangqi.safetensors").network
    >>> planes, targets = kirin.net.read_samples("wangqi.samples")[0]
    >>> kirin.net.loss(network(planes), targets).backward()
    >>> before = kirin.net.clip(network, most=0.01)
    >>> after = kirin.net.clip(network, most=0.01)
    >>> bool(before > 0.01), round(float(after), 4)
    (True, 0.01)
    """
    return nn.utils.clip_grad_norm_(network.parameters(), most)
