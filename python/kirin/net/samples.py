"""Batches of samples that Kirin wrote (train/src/samples/export.rs)."""

from __future__ import annotations

from os import PathLike

import torch
from torch import Tensor

from .file import read_contents
from .heads import HEADS, SAMPLE_WEIGHTS, Targets
from .policy import MoveTable, PolicyTargets


def read_samples(path: str | PathLike[str]) -> list[tuple[Tensor, Targets]]:
    """Planes and targets of each batch, in the order of their steps.

    Raises FileProblem: the file cannot be used. Raises OSError: it cannot be read.

    A file with two batches of two positions, of which the first has two moves and the second one:

    >>> import kirin.net
    >>> for planes, targets in kirin.net.read_samples("wangqi.samples"):
    ...     print(len(planes), targets.wdl.shape, targets.policy.moves.legal.sum(1).tolist())
    2 torch.Size([2, 3]) [2, 1]
    2 torch.Size([2, 3]) [2, 1]
    """
    contents = read_contents(path, "samples")
    steps = sorted({name.split(".")[0] for name in contents.tensors})
    return [_batch(contents.tensors, step) for step in steps]


def _batch(tensors: dict[str, Tensor], step: str) -> tuple[Tensor, Targets]:
    def part(name: str) -> Tensor:
        return tensors[f"{step}.{name}"]

    def policy(name: str) -> PolicyTargets:
        moves, first = part(f"{name}.moves"), part(f"{name}.first").long()
        table, rows, columns = unpack(moves, first)
        shares = torch.zeros(table.legal.shape)
        shares[rows, columns] = part(f"{name}.share")
        return PolicyTargets(table, shares, part(f"{name}.weight"))

    def target(name: str, *sizes: int) -> Tensor:
        # Absent where the network has no head for it.
        absent = torch.zeros(len(part("planes")), *sizes)
        return tensors.get(f"{step}.{name}", absent)

    others = {head.name: target(head.name, 0) for head in HEADS}
    others.update({name: target(name) for name in SAMPLE_WEIGHTS})
    return part("planes"), Targets(policy=policy("policy"), **others)


def unpack(moves: Tensor, first: Tensor) -> tuple[MoveTable, Tensor, Tensor]:
    """The table of moves that are written as numbers, one position after another, with the row and the column of each
    move in it. `first` says where the moves of each position begin, and at the end how many there are."""
    counts = first[1:] - first[:-1]
    positions, width = len(counts), max(int(counts.max()) if len(counts) else 0, 1)
    rows = torch.repeat_interleave(torch.arange(positions), counts)
    columns = torch.arange(len(moves)) - first[rows]

    def spread(values: Tensor) -> Tensor:
        table = torch.zeros((positions, width, *values.shape[1:]), dtype=values.dtype)
        table[rows, columns] = values
        return table

    via_len = moves[:, 3]
    most = int(via_len.max()) if len(moves) else 0
    meant = (torch.arange(most) < via_len[:, None]).float()
    table = MoveTable(
        source=spread(moves[:, 0].long()),
        target=spread(moves[:, 1].long()),
        promotes=spread(moves[:, 2]),
        via=spread(moves[:, 4 : 4 + most].long()) if most else None,
        meant=spread(meant) if most else None,
        legal=spread(torch.ones(len(moves), dtype=torch.bool)),
    )
    return table, rows, columns
