"""The network: trunk, factorised policy head, and value head with its auxiliary outputs (train/src/network).

The names in `state_dict()` are those of Kirin's files.
"""

from __future__ import annotations

import math
import torch
from torch import Tensor, nn
from torch.nn import functional

from .blueprint import SCALARS, Blueprint, Config
from .heads import HEADS, Outputs

# Added to a variance before its square root is taken.
NORM_EPSILON = 1e-5
# Share of the newest batch in the running statistics while a network is trained.
NORM_MOMENTUM = 0.1


class ConvNorm(nn.Module):
    """A convolution without bias that keeps the size of the board, and its batch norm."""

    mean: Tensor
    variance: Tensor

    def __init__(self, inputs: int, outputs: int, size: int, gain: float = 1.0) -> None:
        super().__init__()
        self.weight = nn.Parameter(_scaled((outputs, inputs, size, size), math.sqrt(2.0), inputs * size * size))
        self.gain = nn.Parameter(torch.full((outputs,), gain))
        self.bias = nn.Parameter(torch.zeros(outputs))
        self.register_buffer("mean", torch.zeros(outputs))
        self.register_buffer("variance", torch.ones(outputs))
        self.padding = size // 2

    def forward(self, x: Tensor) -> Tensor:
        y = functional.conv2d(x, self.weight, padding=self.padding)
        return functional.batch_norm(
            y, self.mean, self.variance, self.gain, self.bias, self.training, NORM_MOMENTUM, NORM_EPSILON
        )


class Dense(nn.Module):
    """A dense layer."""

    def __init__(self, inputs: int, outputs: int, gain: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(_scaled((outputs, inputs), gain, inputs))
        self.bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, x: Tensor) -> Tensor:
        return functional.linear(x, self.weight, self.bias)


class Block(nn.Module):
    """A residual block."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        channels = config.channels
        self.mixing = config.mixing
        self.first = ConvNorm(channels, channels, 3)
        # With a gain of 0 every block is the identity at first, so that deep trunks learn from the start.
        self.second = ConvNorm(channels, channels, 3, gain=0.0)
        if config.mixing == "se":
            self.squeeze = Dense(channels, config.se_hidden, math.sqrt(2.0))
            self.excite = Dense(config.se_hidden, 2 * channels, 0.5)
        elif config.mixing == "pool":
            self.pool = Dense(2 * channels, channels, 1.0)

    def forward(self, x: Tensor) -> Tensor:
        y = self.first(x)
        if self.mixing == "pool":
            y = y + over_board(self.pool(pooled(y)))
        y = self.second(functional.relu(y))
        if self.mixing == "se":
            scale, shift = self.excite(functional.relu(self.squeeze(y.mean((2, 3))))).chunk(2, 1)
            y = y * over_board(scale.sigmoid()) + over_board(shift)
        return functional.relu(y + x)


class PolicyHead(nn.Module):
    """Inputs of the tokens: squares from the board, the others learned; and the query, key and scalars of each."""

    def __init__(self, blueprint: Blueprint) -> None:
        super().__init__()
        channels, shape = blueprint.config.channels, blueprint.shape
        self.board = ConvNorm(channels, channels, 1)
        self.beside = nn.Parameter(_scaled((shape.tokens - shape.squares, channels), 1.0, 1))
        self.pool = Dense(2 * channels, channels, 1.0)
        self.tokens = Dense(channels, 2 * blueprint.config.policy_dim + SCALARS, 0.5)

    def hidden(self, x: Tensor, pool: Tensor) -> Tensor:
        """[batch, tokens, channels]: squares, then hand slots and pass."""
        squares = square_rows(functional.relu(self.board(x)))
        beside = functional.relu(self.beside.to(pool.dtype).unsqueeze(0) + self.pool(pool).unsqueeze(1))
        return torch.cat([squares, beside], 1)


class ValueHead(nn.Module):
    """The numbers of the heads of the value branch. Always in fp32."""

    def __init__(self, blueprint: Blueprint) -> None:
        super().__init__()
        config, shape = blueprint.config, blueprint.shape
        inputs = config.value_channels * shape.squares + 2 * config.channels
        self.board = ConvNorm(config.channels, config.value_channels, 1)
        self.hidden = Dense(inputs, config.value_hidden, math.sqrt(2.0))
        self.out = Dense(config.value_hidden, sum(head.numbers(shape) for head in HEADS), 0.3)

    def forward(self, x: Tensor, pool: Tensor) -> Tensor:
        board = square_rows(functional.relu(self.board(x))).flatten(1)
        both = torch.cat([board, pool], 1).float()
        with torch.autocast(x.device.type, enabled=False):
            out: Tensor = self.out(functional.relu(self.hidden(both)))
        return out


class Network(nn.Module):
    """Kirin's network. An untrained one has Kirin's distribution of weights, but not the same numbers.

    >>> import kirin.net
    >>> shape = kirin.net.Shape(planes=5, ranks=4, files=3, hand_slots=2, material=6)
    >>> network = kirin.net.Network(kirin.net.Blueprint("small", shape, kirin.net.Config(blocks=2, channels=16)))
    >>> len(network.block), list(network.stem.weight.shape)
    (2, [16, 5, 3, 3])
    """

    def __init__(self, blueprint: Blueprint) -> None:
        super().__init__()
        self.blueprint = blueprint
        config, shape = blueprint.config, blueprint.shape
        self.stem = ConvNorm(shape.planes, config.channels, 3)
        self.block = nn.ModuleDict({f"{i:02}": Block(config) for i in range(config.blocks)})
        self.policy = PolicyHead(blueprint)
        self.value = ValueHead(blueprint)

    def forward(self, planes: Tensor) -> Outputs:
        """Evaluates `[batch, planes, ranks, files]`.

        >>> import torch
        >>> import kirin.net
        >>> network = kirin.net.read_network("train/networks/wangqi.safetensors").network
        >>> shape = network.blueprint.shape
        >>> outputs = network(torch.zeros(2, shape.planes, shape.ranks, shape.files))
        >>> isinstance(outputs, kirin.net.Outputs), outputs.wdl.shape, outputs.plies_left.shape
        (True, torch.Size([2, 3]), torch.Size([2]))
        """
        x = functional.relu(self.stem(planes))
        for block in self.block.values():
            x = block(x)
        pool = pooled(x)
        hidden = self.policy.hidden(x, pool)
        value = self.value(x, pool)
        outputs, at = [self.policy.tokens(hidden).float()], 0
        for head in HEADS:
            end = at + head.numbers(self.blueprint.shape)
            outputs.append(value[:, at] if head.width is None else value[:, at:end])
            at = end
        return Outputs(*outputs)


def pooled(x: Tensor) -> Tensor:
    """Mean and maximum of each channel over the board: [batch, 2 × channels]."""
    return torch.cat([x.mean((2, 3)), x.amax((2, 3))], 1)


def over_board(x: Tensor) -> Tensor:
    """[batch, channels] as [batch, channels, 1, 1]."""
    return x.unsqueeze(-1).unsqueeze(-1)


def square_rows(x: Tensor) -> Tensor:
    """[batch, channels, ranks, files] as [batch, squares, channels]."""
    return x.permute(0, 2, 3, 1).flatten(1, 2)


def _scaled(shape: tuple[int, ...], gain: float, inputs: int) -> Tensor:
    """Uniform with variance gain² / inputs."""
    bound = gain * math.sqrt(3.0 / inputs)
    return torch.empty(shape).uniform_(-bound, bound)
