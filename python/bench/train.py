#!/usr/bin/env python3
"""Trains Kirin's network in PyTorch as fast as PyTorch does it: the peer of `kirin bench train`, which starts this.

Each line of the standard input is a number of seconds to train; the answer is a line of JSON with samples and seconds.
Batches are ready in memory, as tensors in the layout that the network likes, so that no time is spent on making them.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

# The package `kirin` needs its compiled module, and `kirin.net` does not: it is imported from the sources without the rest.
package = ModuleType("kirin")
package.__path__ = [str(Path(__file__).parents[1] / "kirin")]
sys.modules["kirin"] = package

from kirin import net  # noqa: E402
from kirin.net import Targets  # noqa: E402

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--net", required=True, help="network file with the weights to begin with")
parser.add_argument("--samples", required=True, help="file with batches, which are trained on one after the other")
parser.add_argument("--precision", choices=["fp32", "bf16"], required=True)
parser.add_argument("--threads", type=int, required=True)
parser.add_argument("--rate", type=float, default=1e-4, help="learning rate, small so that nothing diverges")


class Peer:
    """A network in training, and its batches."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        torch.set_num_threads(arguments.threads)
        file = net.read_network(arguments.net)
        self.network = file.network.train()
        self.network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.optimiser = net.optimiser(self.network, arguments.rate)
        self.batches: list[tuple[torch.Tensor, Targets]] = [
            (planes.contiguous(memory_format=torch.channels_last), targets)
            for planes, targets in net.read_samples(arguments.samples)
        ]
        self.in_bf16 = arguments.precision == "bf16"
        self.step = 0

    def train(self, seconds: float) -> dict[str, Any]:
        """Trains for this time, and at least one step."""
        begun, samples = time.perf_counter(), 0
        while samples == 0 or time.perf_counter() - begun < seconds:
            planes, targets = self.batches[self.step % len(self.batches)]
            with torch.autocast("cpu", torch.bfloat16, enabled=self.in_bf16):
                outputs = self.network(planes)
            loss = net.loss(outputs, targets)
            loss.backward()  # type: ignore[no-untyped-call]
            net.clip(self.network)
            self.optimiser.step()
            self.optimiser.zero_grad()
            samples += len(planes)
            self.step += 1
        return {"samples": samples, "seconds": time.perf_counter() - begun}


def main() -> None:
    arguments = parser.parse_args()
    peer = Peer(arguments)
    print(json.dumps({"torch": torch.__version__, "threads": torch.get_num_threads()}), flush=True)
    for line in sys.stdin:
        print(json.dumps(peer.train(float(line))), flush=True)


if __name__ == "__main__":
    main()
