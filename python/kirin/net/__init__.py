"""Kirin's network in PyTorch, which this package needs (`pip install "kirin[net]"`).

>>> import torch
>>> import kirin.net
>>> file = kirin.net.read_network("train/networks/shogi.safetensors")
>>> shape = file.blueprint.shape
>>> outputs = file.network(torch.zeros(1, shape.planes, shape.ranks, shape.files))
>>> moves = kirin.net.MoveTable.of([[kirin.net.Move(source=58, target=40), kirin.net.Move(source=57, target=48)]])
>>> policy = kirin.net.log_policy(outputs.tokens, moves).exp()
>>> policy.shape
torch.Size([1, 2])
>>> win, draw, loss = outputs.wdl.softmax(1)[0].tolist()
>>> round(win + draw + loss, 3)
1.0

The paths in the examples start at the root of Kirin's repository.
"""

from .blueprint import Blueprint, Config, Features, Shape
from .export import OPSET, export_onnx, export_torchscript, output_names
from .file import FORMAT_VERSION, NetworkFile, UncheckedWarning, read_network
from .heads import LossWeights, Outputs, Targets
from .loss import clip, loss, optimiser
from .network import Network
from .policy import Move, MoveTable, PolicyTargets, log_policy, logits
from .problem import FileProblem
from .samples import read_samples

__all__ = [
    "FORMAT_VERSION",
    "OPSET",
    "Blueprint",
    "Config",
    "Features",
    "FileProblem",
    "LossWeights",
    "Move",
    "MoveTable",
    "Network",
    "NetworkFile",
    "Outputs",
    "PolicyTargets",
    "Shape",
    "Targets",
    "UncheckedWarning",
    "clip",
    "export_onnx",
    "export_torchscript",
    "log_policy",
    "logits",
    "loss",
    "optimiser",
    "output_names",
    "read_network",
    "read_samples",
]
