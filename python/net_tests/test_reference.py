"""Networks, their outputs and their training as Kirin has them. `train/tests/python.rs` writes them into a folder, names it
in KIRIN_REFERENCE, and runs this; without it there is nothing to compare with."""

import json
import os
import tempfile
import unittest
from pathlib import Path

import numpy
import onnxruntime
import torch
from safetensors.torch import load_file

import kirin.net
from kirin.net.samples import unpack

# Largest difference from Kirin's outputs.
TOLERANCE = 1e-4
# Largest difference of a training loss after some steps, as a share of it.
LOSS_TOLERANCE = 2e-4


@unittest.skipUnless("KIRIN_REFERENCE" in os.environ, "KIRIN_REFERENCE names no folder: run cargo test -p train --test python")
class Reference(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(os.environ["KIRIN_REFERENCE"])
        torch.set_num_threads(1)

    def cases(self, kind: str) -> list[tuple[Path, Path]]:
        """Files of a kind, each with its network."""
        found = sorted(self.folder.glob(f"*.{kind}"))
        self.assertTrue(found, f"no {kind} in {self.folder}")
        return [(path, path.with_name(path.name.removesuffix(kind) + "safetensors")) for path in found]

    def compare(self, found: torch.Tensor, wanted: torch.Tensor, what: str) -> None:
        self.assertEqual(found.shape, wanted.shape, what)
        difference = float((found - wanted).abs().max()) if wanted.numel() else 0.0
        self.assertLessEqual(difference, TOLERANCE, what)

    def test_outputs_are_kirins(self) -> None:
        for path, net in self.cases("outputs"):
            with self.subTest(net.name):
                file = kirin.net.read_network(net)
                reference = load_file(path)
                with torch.no_grad():
                    outputs = file.network(reference["planes"])
                for name, output in outputs._asdict().items():
                    self.assertEqual(output is None, name not in reference, name)
                    if output is not None:
                        self.compare(output, reference[name], f"{net.name}: {name}")
                self.compare(outputs.wdl.softmax(1), reference["chances"], f"{net.name}: chances")

    def test_logits_of_moves_are_kirins(self) -> None:
        for path, net in self.cases("outputs"):
            with self.subTest(net.name):
                reference = load_file(path)
                table, rows, columns = unpack(reference["moves"], reference["first"].long())
                # The same table by the other way, from moves one by one.
                first = reference["first"].int().tolist()
                moves = [
                    kirin.net.Move(source, target, bool(promotes), tuple(via[:count]))
                    for source, target, promotes, count, *via in reference["moves"].int().tolist()
                ]
                by_moves = kirin.net.MoveTable.of([moves[a:b] for a, b in zip(first, first[1:])])
                for made in (table, by_moves):
                    found = kirin.net.logits(reference["tokens"], made)[rows, columns]
                    self.compare(found, reference["logits"], f"{net.name}: logits")
                shares = kirin.net.log_policy(reference["tokens"], table).exp()
                self.compare(shares.sum(1), torch.ones(len(first) - 1), f"{net.name}: probabilities")
                self.assertEqual(float(shares[~table.legal].sum()), 0.0)

    def test_exported_networks_answer_the_same(self) -> None:
        for path, net in self.cases("outputs"):
            with self.subTest(net.name), tempfile.TemporaryDirectory() as folder:
                reference = load_file(path)
                # Between two passes of training.
                network = kirin.net.read_network(net).network.train()
                names = kirin.net.output_names(network)

                script = Path(folder) / "net.pt"
                kirin.net.export_torchscript(network, script)
                for output, name in zip(torch.jit.load(script)(reference["planes"]), names, strict=True):
                    self.compare(output.detach(), reference[name], f"{net.name} in TorchScript: {name}")

                onnx = Path(folder) / "net.onnx"
                kirin.net.export_onnx(network, onnx)
                self.assertEqual(sorted(Path(folder).iterdir()), [onnx, script], "nothing lies beside the files")
                self.assertTrue(all(module.training for module in network.modules()), "the network is as it was")
                session = onnxruntime.InferenceSession(onnx, providers=["CPUExecutionProvider"])
                self.assertEqual([output.name for output in session.get_outputs()], names)
                # Any number of positions at once.
                for count in (1, 3, len(reference["planes"])):
                    outputs = session.run(names, {"planes": reference["planes"][:count].numpy()})
                    for output, name in zip(outputs, names, strict=True):
                        self.assertEqual(output.dtype, numpy.float32)
                        wanted = reference[name][:count]
                        self.compare(torch.from_numpy(output), wanted, f"{net.name} in ONNX: {name} of {count}")

    def test_training_goes_as_kirins(self) -> None:
        for path, net in self.cases("metrics"):
            with self.subTest(net.name):
                wanted = json.loads(path.read_text())
                batches = kirin.net.read_samples(path.with_name(path.name.removesuffix("metrics") + "samples"))
                self.assertEqual(len(wanted), len(batches))
                network = kirin.net.read_network(net).network.train()
                optimiser = kirin.net.optimiser(network, 0.0)
                losses = []
                for line, (planes, targets) in zip(wanted, batches):
                    for group in optimiser.param_groups:
                        group["lr"] = line["learning_rate"]
                    loss = kirin.net.loss(network(planes), targets)
                    loss.backward()
                    kirin.net.clip(network)
                    optimiser.step()
                    optimiser.zero_grad()
                    losses.append(float(loss.detach()))
                for step, (line, loss) in enumerate(zip(wanted, losses), 1):
                    difference = abs(loss / line["loss"] - 1.0)
                    self.assertLess(difference, LOSS_TOLERANCE, f"{net.name}: step {step}: {loss}, Kirin {line['loss']}")
                self.assertLess(losses[-1], losses[0], "it learns")


if __name__ == "__main__":
    unittest.main()
