"""Networks as ONNX and TorchScript files."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable
from os import PathLike
from pathlib import Path

import torch
from torch import Tensor, nn

from .heads import HEADS, Outputs
from .network import Network

# Version of ONNX's operators in the files: every onnxruntime since 1.14 runs it.
OPSET = 18


class _Flat(nn.Module):
    """A network whose outputs are tensors alone."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        self.network = network

    def forward(self, planes: Tensor) -> tuple[Tensor, ...]:
        outputs = self.network(planes)
        return tuple(getattr(outputs, name) for name in output_names(self.network))


def output_names(network: Network) -> list[str]:
    """The outputs of an exported network, in their order: those of `Outputs` for which it has a head.

    >>> import kirin.net
    >>> kirin.net.output_names(kirin.net.read_network("train/networks/wangqi.safetensors").network)
    ['tokens', 'wdl', 'short_wdl', 'plies_left', 'material']
    """
    lacking = {head.name for head in HEADS if head.numbers(network.blueprint.shape) == 0}
    return [name for name in Outputs._fields if name not in lacking]


def export_torchscript(network: Network, path: str | PathLike[str]) -> None:
    """Writes a network as TorchScript, which needs no Python: `torch::jit::load`. Its result is a tuple of tensors.

    >>> import torch
    >>> import kirin.net
    >>> network = kirin.net.read_network("train/networks/wangqi.safetensors").network
    >>> kirin.net.export_torchscript(network, "wangqi.pt")
    >>> shape = network.blueprint.shape
    >>> outputs = torch.jit.load("wangqi.pt")(torch.zeros(1, shape.planes, shape.ranks, shape.files))
    >>> len(outputs) == len(kirin.net.output_names(network))
    True
    """
    flat, planes = _ready(network)
    with torch.no_grad():
        traced = torch.jit.trace(flat, (planes,))  # type: ignore[no-untyped-call]
    _appear(path, lambda new: torch.jit.save(traced, new))


def export_onnx(network: Network, path: str | PathLike[str]) -> None:
    """Writes a network as ONNX: input `planes`, outputs as `output_names` says, any number of positions at once.

    Raises ImportError: onnx or onnxscript is missing.

    >>> import onnx
    >>> import kirin.net
    >>> network = kirin.net.read_network("train/networks/wangqi.safetensors").network
    >>> kirin.net.export_onnx(network, "wangqi.onnx")
    >>> model = onnx.load("wangqi.onnx")
    >>> [output.name for output in model.graph.output] == kirin.net.output_names(network)
    True
    >>> model.opset_import[0].version == kirin.net.OPSET
    True
    """
    flat, planes = _ready(network)
    program = torch.onnx.export(
        flat,
        (planes,),
        input_names=["planes"],
        output_names=output_names(network),
        opset_version=OPSET,
        dynamo=True,
        dynamic_shapes=({0: torch.export.Dim("batch", min=1)},),
        verbose=False,
    )
    assert program is not None, "with dynamo=True there is a program"
    _appear(path, lambda new: program.save(new, external_data=False))


def _ready(network: Network) -> tuple[_Flat, Tensor]:
    """A copy of the network in evaluation mode, and an input. Two positions, because one could be taken for a constant."""
    shape = network.blueprint.shape
    return _Flat(copy.deepcopy(network).cpu()).eval(), torch.zeros(2, shape.planes, shape.ranks, shape.files)


def _appear(path: str | PathLike[str], write: Callable[[str], object]) -> None:
    """Writes a file so that it appears whole or not at all."""
    target = Path(path)
    new = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        # If the folder is missing, this raises an OSError with its name.
        new.touch()
        write(str(new))
        os.replace(new, target)
    finally:
        new.unlink(missing_ok=True)
