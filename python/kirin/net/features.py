"""The positions of a run as planes and targets: a folder that `kirin data features RUN --out DIR` wrote (docs/reference/files.md)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import Any

import numpy
import pyarrow.parquet
import torch
from torch import Tensor
from torch.utils.data import IterableDataset, get_worker_info

from .blueprint import Blueprint
from .heads import HEADS, SAMPLE_WEIGHTS, Targets
from .policy import PolicyTargets
from .problem import FileProblem
from .samples import unpack

# The version of the folder that this package reads.
FORMAT_VERSION = 2
# Numbers that stand for a move.
MOVE_NUMBERS = 9
# Columns with lists of any length.
LISTS = ["moves", "policy"]


class FeatureDataset(IterableDataset[tuple[Tensor, Targets]]):
    """Batches of planes `[batch, planes, ranks, files]` and targets, for `DataLoader(dataset, batch_size=None)`.

    `split` is "training" or "validation", `batch` the most samples of a batch. Without a seed the rows come in the order of
    the files. With one, each pass has another order: the files are shuffled, and the rows of `mixed` files at a time, which
    are in memory together. The workers of a loader share the files; the order then also depends on the loader's generator.

    Raises FileProblem: the folder cannot be used. Raises OSError: it cannot be read.
    """

    def __init__(
        self,
        folder: str | PathLike[str],
        split: str = "training",
        batch: int = 256,
        seed: int | None = None,
        mixed: int = 4,
    ) -> None:
        if split not in ("training", "validation"):
            raise ValueError(f"split is {split!r}; there are training and validation")
        if batch < 1 or mixed < 1:
            raise ValueError("batch and mixed are at least 1")
        self.folder = Path(folder)
        path = self.folder / "features.json"
        if self.folder.is_dir() and not path.exists():
            raise FileProblem(f"{path} is missing: the export was cut off; write it again into a new folder")
        about = _json(path)
        if about.get("format_version") != FORMAT_VERSION:
            raise FileProblem(f"{path}: format_version is not {FORMAT_VERSION}; this package is for another Kirin")
        # What the planes and targets are made for: `Network(blueprint)` takes them.
        self.blueprint = Blueprint.of_json(about.get("blueprint"))
        self.rows = int(about[split]["rows"])
        self.files = [self.folder / name for name in about[split]["files"]]
        self.batch, self.seed, self.mixed = batch, seed, mixed
        self.passes = 0

    def __iter__(self) -> Iterator[tuple[Tensor, Targets]]:
        worker = get_worker_info()
        # Workers are copies that are made again for each pass; what they share is the loader's own seed, which differs.
        shared = 0 if worker is None else worker.seed - worker.id
        random = None if self.seed is None else numpy.random.default_rng([self.seed, self.passes, shared])
        self.passes += 1
        files = list(self.files)
        if random is not None:
            random.shuffle(files)  # type: ignore[arg-type]
        if worker is not None:
            files = files[worker.id :: worker.num_workers]
        together = 1 if random is None else self.mixed
        for at in range(0, len(files), together):
            parts = [_Rows(path, self.blueprint) for path in files[at : at + together]]
            order = numpy.array([(part, row) for part in range(len(parts)) for row in range(parts[part].count)])
            if random is not None:
                random.shuffle(order)
            for begin in range(0, len(order), self.batch):
                yield self._batch(parts, order[begin : begin + self.batch])

    def _batch(self, parts: list[_Rows], order: Any) -> tuple[Tensor, Targets]:
        """The samples of these parts and rows."""
        shape = self.blueprint.shape

        def fixed(name: str, *sizes: int) -> Tensor:
            taken = numpy.empty((len(order), parts[0].fixed[name].shape[1]), numpy.float32)
            for part, rows in enumerate(parts):
                chosen = order[:, 0] == part
                taken[chosen] = rows.fixed[name][order[chosen, 1]]
            return torch.from_numpy(taken).reshape(len(order), *sizes)

        def policy(moves: str, shares: str, weight: str) -> PolicyTargets:
            lists = [parts[part].lists(row, moves, shares) for part, row in order]
            first = torch.tensor([0, *numpy.cumsum([len(share) for _, share in lists])])
            numbers = torch.from_numpy(numpy.concatenate([move for move, _ in lists]).astype(numpy.float32))
            table, row, column = unpack(numbers, first)
            spread = torch.zeros(table.legal.shape)
            spread[row, column] = torch.from_numpy(numpy.concatenate([share for _, share in lists]))
            return PolicyTargets(table, spread, fixed(weight))

        others = {head.name: fixed(head.name, *head.sizes(shape)) for head in HEADS}
        others.update({name: fixed(name) for name in SAMPLE_WEIGHTS})
        targets = Targets(policy=policy("moves", "policy", "policy_weight"), **others)
        return fixed("planes", shape.planes, shape.ranks, shape.files), targets


class _Rows:
    """The rows of a file."""

    def __init__(self, path: Path, blueprint: Blueprint) -> None:
        shape = blueprint.shape
        heads = [head for head in HEADS if head.numbers(shape)]
        lists = {head.name: head.numbers(shape) for head in heads if head.width is not None}
        sizes = {"planes": shape.planes * shape.squares, **lists}
        # Columns with one number a row.
        weights = [name for name in SAMPLE_WEIGHTS if any(head.counts == name for head in heads)]
        scalars = ["policy_weight", *weights, *(head.name for head in heads if head.width is None)]
        try:
            table = pyarrow.parquet.read_table(path, columns=[*sizes, *scalars, *LISTS]).combine_chunks()
        except pyarrow.ArrowInvalid as error:
            raise FileProblem(f"{path} is damaged ({error}); write the features again") from error
        self.count = table.num_rows
        # [rows, numbers] of the columns with equally many numbers in each row.
        self.fixed = {name: _numbers(table, name).reshape(self.count, 1) for name in scalars}
        # What the network has no head for.
        self.fixed.update({head.name: numpy.zeros((self.count, 0), numpy.float32) for head in HEADS if head not in heads})
        self.fixed.update({name: numpy.zeros((self.count, 1), numpy.float32) for name in SAMPLE_WEIGHTS if name not in weights})
        for name, size in sizes.items():
            numbers = _numbers(table, name)
            if len(numbers) != size * self.count:
                raise FileProblem(f"{path}: {name} has not {size} numbers a row, as features.json says")
            self.fixed[name] = numbers.reshape(self.count, size)
        self._numbers = {name: _numbers(table, name) for name in LISTS}
        self._first = {name: _offsets(table, name) for name in LISTS}

    def lists(self, row: int, moves: str, shares: str) -> tuple[Any, Any]:
        """The moves of a row, one in each line, and their shares."""
        numbers, share = (self._list(name, row) for name in (moves, shares))
        return numbers.reshape(-1, MOVE_NUMBERS), share

    def _list(self, name: str, row: int) -> Any:
        first = self._first[name]
        return self._numbers[name][first[row] : first[row + 1]]


def _numbers(table: Any, name: str) -> Any:
    """All numbers of a column, one row after another."""
    column = table.column(name).combine_chunks()
    return (column.flatten() if pyarrow.types.is_list(column.type) else column).to_numpy(zero_copy_only=False)


def _offsets(table: Any, name: str) -> Any:
    """Where the list of each row begins, and at the end how many numbers there are."""
    offsets = table.column(name).combine_chunks().offsets.to_numpy()
    return offsets - offsets[0]


def _json(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text())
    except ValueError as error:
        raise FileProblem(f"{path} is damaged ({error}); write the features again") from error
    if not isinstance(value, dict):
        raise FileProblem(f"{path} does not describe features")
    return value
