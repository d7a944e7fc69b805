"""A head of the value branch (train/src/heads/head.rs)."""

from __future__ import annotations

from typing import Literal, NamedTuple

from torch import Tensor
from torch.nn import functional

from .blueprint import Shape


class Head(NamedTuple):
    """What is declared of a head."""

    # The name of its output and of its target.
    name: str
    # How many numbers it says: None is one, which is no list, a name is that field of `Shape`. A network with 0 lacks it.
    width: int | str | None
    loss: Literal["cross_entropy", "huber"]
    # The name of its weight in the loss.
    key: str
    # The name of the weight of a sample; None: all count alike.
    counts: str | None

    def sizes(self, shape: Shape) -> list[int]:
        """The sizes of a sample's target."""
        if self.width is None:
            return []
        return [self.width if isinstance(self.width, int) else int(getattr(shape, self.width))]

    def numbers(self, shape: Shape) -> int:
        """How many numbers it says."""
        return sum(self.sizes(shape)) if self.width is not None else 1

    def distance(self, output: Tensor, target: Tensor) -> Tensor:
        """[batch]: how far outputs are from their targets."""
        if self.loss == "cross_entropy":
            return -(target * output.log_softmax(1)).sum(1)
        each = functional.huber_loss(output, target, reduction="none")
        if each.dim() == 1:
            return each
        # Without numbers the network lacks this head, and a mean of nothing would not be a number.
        return each.mean(1) if each.shape[1] else each.sum(1)
