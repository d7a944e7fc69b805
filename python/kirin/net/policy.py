"""The factorised policy: the logit of a move from a network's outputs for the tokens that it touches
(train/src/network/policy.rs)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from .blueprint import SCALARS


class Move(NamedTuple):
    """The tokens that a move touches, for the side to move: squares (rank × files + file, the board turned by 180° for the
    second player), then hand slots, and last the pass.

    >>> import kirin.net
    >>> kirin.net.Move(source=58, target=40)
    Move(source=58, target=40, promotes=False, via=())
    """

    # Source square, hand slot, or the pass.
    source: int
    # Destination square, or the pass.
    target: int
    promotes: bool = False
    # Further squares: where a move of several legs comes by, or what it shoots at.
    via: tuple[int, ...] = ()


@dataclass(frozen=True)
class MoveTable:
    """The legal moves of a batch as tensors. Each position is padded to the same number of moves.

    >>> import kirin.net
    >>> two, one = [kirin.net.Move(8, 16), kirin.net.Move(9, 17)], [kirin.net.Move(8, 24)]
    >>> kirin.net.MoveTable.of([two, one]).legal.tolist()
    [[True, True], [True, False]]
    """

    # [batch, width]: tokens.
    source: Tensor
    target: Tensor
    # [batch, width]: 1.0 where the move promotes.
    promotes: Tensor
    # [batch, width, most] tokens, and 1.0 where a token is meant; None if no move has further squares.
    via: Tensor | None
    meant: Tensor | None
    # [batch, width]: whether there is a move.
    legal: Tensor

    @staticmethod
    def of(positions: Sequence[Sequence[Move]]) -> MoveTable:
        """The moves of each position.

        >>> import kirin.net
        >>> moves = kirin.net.MoveTable.of([[kirin.net.Move(8, 16), kirin.net.Move(9, 17, promotes=True)]])
        >>> moves.target.tolist(), moves.promotes.tolist()
        ([[16, 17]], [[0.0, 1.0]])
        """
        width = max((len(moves) for moves in positions), default=0)
        most = max((len(move.via) for moves in positions for move in moves), default=0)
        size = (len(positions), max(width, 1))
        source, target = torch.zeros(size, dtype=torch.int64), torch.zeros(size, dtype=torch.int64)
        promotes, legal = torch.zeros(size), torch.zeros(size, dtype=torch.bool)
        via = torch.zeros((*size, most), dtype=torch.int64) if most else None
        meant = torch.zeros((*size, most)) if most else None
        for row, moves in enumerate(positions):
            for column, move in enumerate(moves):
                source[row, column], target[row, column] = move.source, move.target
                promotes[row, column], legal[row, column] = float(move.promotes), True
                if via is not None and meant is not None and move.via:
                    via[row, column, : len(move.via)] = torch.tensor(move.via)
                    meant[row, column, : len(move.via)] = 1.0
        return MoveTable(source, target, promotes, via, meant, legal)

    def to(self, device: torch.device | str) -> MoveTable:
        """The same moves on a device.

        >>> import kirin.net
        >>> kirin.net.MoveTable.of([[kirin.net.Move(8, 16)]]).to("cpu").source.tolist()
        [[8]]
        """
        return MoveTable(
            source=self.source.to(device),
            target=self.target.to(device),
            promotes=self.promotes.to(device),
            via=None if self.via is None else self.via.to(device),
            meant=None if self.meant is None else self.meant.to(device),
            legal=self.legal.to(device),
        )


def logits(tokens: Tensor, moves: MoveTable) -> Tensor:
    """Logits of all moves, [batch, width], from `Outputs.tokens`. Those of padding have no meaning.

        logit = query(source) · key(target) / √dim + leaves(source) + arrives(target)
              + [promotes] · (promotes_from(source) + promotes_at(target)) + Σ touches(via)

    >>> import torch
    >>> import kirin.net
    >>> tokens = torch.zeros(1, 4, 13)  # four tokens, each with a query and a key of four numbers, and five more
    >>> tokens[0, 2, 8] = 1.5  # "leaves" of token 2
    >>> kirin.net.logits(tokens, kirin.net.MoveTable.of([[kirin.net.Move(2, 0), kirin.net.Move(1, 0)]])).tolist()
    [[1.5, 0.0]]
    """
    dim = (tokens.shape[2] - SCALARS) // 2
    query, key = tokens[..., :dim], tokens[..., dim : 2 * dim]
    leaves, arrives, promotes_from, promotes_at, touches = tokens[..., 2 * dim :].unbind(2)
    pairs = torch.bmm(query, key.transpose(1, 2)) * dim**-0.5
    promotion = promotes_from.gather(1, moves.source) + promotes_at.gather(1, moves.target)
    found: Tensor = (
        pairs.flatten(1).gather(1, moves.source * tokens.shape[1] + moves.target)
        + leaves.gather(1, moves.source)
        + arrives.gather(1, moves.target)
        + promotion * moves.promotes
    )
    if moves.via is not None and moves.meant is not None:
        found = found + (touches.gather(1, moves.via.flatten(1)).view_as(moves.meant) * moves.meant).sum(2)
    return found


def log_policy(tokens: Tensor, moves: MoveTable) -> Tensor:
    """Logarithms of the probabilities of all moves, [batch, width]; padding has none (e to the −1e9).

    >>> import torch
    >>> import kirin.net
    >>> moves = kirin.net.MoveTable.of([[kirin.net.Move(2, 0), kirin.net.Move(1, 0)], [kirin.net.Move(3, 0)]])
    >>> kirin.net.log_policy(torch.zeros(2, 4, 13), moves).exp().round(decimals=3).tolist()
    [[0.5, 0.5], [1.0, 0.0]]
    """
    # −1e9 stands for −∞, whose gradient would not be a number.
    return logits(tokens, moves).masked_fill(~moves.legal, -1e9).log_softmax(1)


@dataclass(frozen=True)
class PolicyTargets:
    """What a policy should have been, with one row for each sample.

    >>> import torch
    >>> import kirin.net
    >>> moves = kirin.net.MoveTable.of([[kirin.net.Move(2, 0), kirin.net.Move(1, 0)]])
    >>> targets = kirin.net.PolicyTargets(moves, shares=torch.tensor([[0.75, 0.25]]), weight=torch.ones(1))
    >>> targets.shares.shape == moves.legal.shape
    True
    """

    moves: MoveTable
    # [batch, width]: each row sums to 1 unless it has no moves.
    shares: Tensor
    weight: Tensor

    def cross_entropy(self, tokens: Tensor) -> Tensor:
        """[batch]: the cross-entropy of the policy in nats, times the weight of the sample.

        >>> import torch
        >>> import kirin.net
        >>> moves = kirin.net.MoveTable.of([[kirin.net.Move(2, 0), kirin.net.Move(1, 0)]])
        >>> targets = kirin.net.PolicyTargets(moves, shares=torch.tensor([[0.75, 0.25]]), weight=torch.ones(1))
        >>> round(float(targets.cross_entropy(torch.zeros(1, 4, 13))), 3)  # ln 2
        0.693
        """
        return -(self.shares * log_policy(tokens, self.moves)).sum(1) * self.weight
