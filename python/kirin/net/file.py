"""Kirin's files: safetensors, with a JSON description in the metadata (train/src/tensor_file.rs)."""

from __future__ import annotations

import ctypes
import json
import sys
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from .blueprint import Blueprint, section
from .network import Network
from .problem import FileProblem

# Newest version of the format that is read.
FORMAT_VERSION = 2


class UncheckedWarning(UserWarning):
    """The digest of a file is not checked, for want of the package blake3.

    This makes it an error:

    >>> import warnings
    >>> import kirin.net
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", kirin.net.UncheckedWarning)
    ...     kirin.net.read_network("train/networks/wangqi.safetensors").checked
    True
    """


@dataclass(frozen=True)
class Contents:
    """A file of any kind, checked against its own digest."""

    description: Mapping[str, Any]
    # In the order of their names, in fp32.
    tensors: dict[str, Tensor]
    digest: str
    # How the tensors are stored: "F32" or "BF16".
    stored_as: str
    # Whether the digest was checked: that needs the package blake3.
    checked: bool


@dataclass(frozen=True)
class NetworkFile:
    """A network and what is known of it.

    >>> import kirin.net
    >>> file = kirin.net.read_network("train/networks/wangqi.safetensors")
    >>> isinstance(file, kirin.net.NetworkFile), file.blueprint.variant, file.stored_as, len(file.id)
    (True, 'wangqi', 'BF16', 16)
    """

    network: Network
    generation: int
    training_step: int
    # 16 hex digits: the name of the network in game records.
    id: str
    stored_as: str
    checked: bool

    @property
    def blueprint(self) -> Blueprint:
        return self.network.blueprint


def read_network(path: str | PathLike[str]) -> NetworkFile:
    """Reads and checks a network: version, digest, names and shapes of all tensors, finite values.

    The network is in evaluation mode. Without the package blake3 the digest is not checked, and a warning says so.
    `FORMAT_VERSION` is the newest version that is read.

    Raises FileProblem: the file cannot be used. Raises OSError: it cannot be read.

    >>> import kirin.net
    >>> file = kirin.net.read_network("train/networks/wangqi.safetensors")
    >>> file.checked, file.network.training
    (True, False)
    >>> kirin.net.FORMAT_VERSION
    2
    """
    contents = read_contents(path, "network")
    try:
        known = section("description", contents.description, {"blueprint", "generation", "training_step"})
        network = Network(Blueprint.of_json(known["blueprint"]))
        _fill(network, contents.tensors)
        generation, step = (_count(known, key) for key in ("generation", "training_step"))
    except FileProblem as problem:
        raise FileProblem(f"{path}: {problem}") from None
    return NetworkFile(network.eval(), generation, step, contents.digest, contents.stored_as, contents.checked)


def read_contents(path: str | PathLike[str], kind: str) -> Contents:
    """Reads a file of a kind: `network`, or `samples` (train/src/samples/export.rs).

    Raises FileProblem: the file cannot be used. Raises OSError: it cannot be read.
    """
    with open(path, "rb"):  # so that a missing file is an OSError with its name
        pass
    try:
        with safe_open(str(path), framework="pt") as file:
            header = _header(file.metadata() or {}, kind)
            stored = {name: file.get_tensor(name) for name in sorted(file.keys())}
    except SafetensorError as error:
        raise FileProblem(f"{path}: damaged or not a kirin file ({error}); restore it from a copy") from None
    except FileProblem as problem:
        raise FileProblem(f"{path}: {problem}") from None
    for name, tensor in stored.items():
        if tensor.dtype not in (torch.float32, torch.bfloat16):
            raise FileProblem(f"{path}: its tensor {name} is {tensor.dtype} and neither fp32 nor bf16; restore it from a copy")
    tensors = {name: tensor.float() for name, tensor in stored.items()}
    found = _digest(kind, header["description"], tensors)
    if found is None:
        message = f"{path}: its digest is not checked, because blake3 is missing (pip install blake3)"
        warnings.warn(message, UncheckedWarning, stacklevel=3)
    elif found != header["digest"]:
        raise FileProblem(
            f"{path}: its contents have digest {found}, but it was written with {header['digest']}; restore it from a copy"
        )
    try:
        description = json.loads(header["description"])
    except ValueError as error:
        raise FileProblem(f"{path}: its description is no JSON ({error}); restore it from a copy") from None
    kinds = {tensor.dtype for tensor in stored.values()}
    stored_as = "BF16" if kinds == {torch.bfloat16} else "F32"
    return Contents(description, tensors, header["digest"], stored_as, found is not None)


def _header(metadata: Mapping[str, str], kind: str) -> dict[str, Any]:
    """What is read first: kind and version decide whether the description can be read at all."""
    if "kirin" not in metadata:
        raise FileProblem("damaged or not a kirin file (it has no kirin description); restore it from a copy")
    try:
        header = json.loads(metadata["kirin"])
    except ValueError as error:
        raise FileProblem(f"its kirin description is no JSON ({error}); restore it from a copy") from None
    wanted = {"format": str, "version": int, "digest": str, "description": str}
    if not isinstance(header, dict):
        raise FileProblem("its kirin description is no JSON object; restore it from a copy")
    for key, of in wanted.items():
        if not isinstance(header.get(key), of):
            raise FileProblem(f"its kirin description has no {key!r}; restore it from a copy")
    if header["version"] > FORMAT_VERSION:
        raise FileProblem(
            f"its format version is {header['version']}, and this kirin.net reads versions up to {FORMAT_VERSION}; "
            "use a newer kirin.net"
        )
    if header["format"] != f"kirin-{kind}":
        raise FileProblem(f"this is a {header['format'].removeprefix('kirin-')} file where a {kind} file is needed")
    return header


def _digest(kind: str, description: str, tensors: Mapping[str, Tensor]) -> str | None:
    """The first 16 hex digits of the BLAKE3 of the contents: of the values in fp32, so that the same values have the
    same digest however they are stored. None without the package blake3."""
    try:
        from blake3 import blake3
    except ImportError:
        return None
    hasher = blake3((kind + description).encode())
    for name, tensor in tensors.items():
        hasher.update((name + str(list(tensor.shape))).encode())
        hasher.update(_little_endian(tensor))
    return str(hasher.hexdigest()[:16])


def _little_endian(tensor: Tensor) -> bytes:
    """The values of an fp32 tensor, one after another."""
    values = tensor.contiguous()
    if sys.byteorder == "big":
        values = values.view(torch.uint8).reshape(-1, 4).flip(1).contiguous()
    # PyTorch itself gives bytes only by way of numpy, which it does not need.
    return ctypes.string_at(values.data_ptr(), 4 * tensor.numel())


def _fill(network: Network, tensors: Mapping[str, Tensor]) -> None:
    """Puts the tensors in, all of them and no others."""
    wanted = network.state_dict()
    for name, place in wanted.items():
        if name not in tensors:
            raise FileProblem(_unfit(f"{name} is missing"))
        if tensors[name].shape != place.shape:
            raise FileProblem(_unfit(f"{name} is {list(tensors[name].shape)} and not {list(place.shape)}"))
        if not bool(tensors[name].isfinite().all()):
            raise FileProblem(
                f"tensor {name} has a value that is not finite, so the training had diverged; use an earlier file"
            )
    for name in tensors:
        if name not in wanted:
            raise FileProblem(_unfit(f"{name} is not part of such a network"))
    network.load_state_dict(dict(tensors))


def _unfit(what: str) -> str:
    return f"its tensors do not fit its own description: {what}; restore it from a copy"


def _count(description: Mapping[str, Any], key: str) -> int:
    value = description[key]
    if type(value) is not int or not 0 <= value < 1 << 64:
        raise FileProblem(f"its description has {key} = {value!r}, which is no count; restore it from a copy")
    return value
