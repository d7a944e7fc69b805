"""Features that Kirin wrote, and what its network says of them. `train/tests/features.rs` writes them into a folder, names it
in KIRIN_REFERENCE, and runs this."""

import json
import os
import shutil
import tempfile
import unittest
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch.utils.data import DataLoader

import kirin.net
from kirin.net.features import FeatureDataset

# Largest difference from Kirin's outputs.
TOLERANCE = 1e-4


def planes_of(data: FeatureDataset) -> torch.Tensor:
    return torch.cat([planes for planes, _ in data])


def as_rows(planes: torch.Tensor) -> list[bytes]:
    """The positions in an order of their own."""
    return sorted(row.numpy().tobytes() for row in planes)


@unittest.skipUnless("KIRIN_REFERENCE" in os.environ, "KIRIN_REFERENCE names no folder: run cargo test -p train --test features")
class Features(unittest.TestCase):
    def setUp(self) -> None:
        torch.set_num_threads(1)
        torch.manual_seed(1)
        self.cases = sorted(Path(os.environ["KIRIN_REFERENCE"]).iterdir())
        self.assertEqual([case.name for case in self.cases], ["janggi", "wangqi", "xiangqi"])

    def test_planes_and_answers_are_kirins(self) -> None:
        for case in self.cases:
            with self.subTest(case.name):
                file = kirin.net.read_network(case / "network.safetensors")
                wanted = load_file(case / "expected.safetensors")
                data = FeatureDataset(case / "all", batch=100)
                self.assertEqual(data.blueprint, file.blueprint)
                self.assertTrue(torch.equal(planes_of(data), wanted["planes"]), "the planes, to the bit")
                seen = 0
                logits = []
                for planes, targets in data:
                    with torch.no_grad():
                        outputs = file.network(planes)
                    for name, output in outputs._asdict().items():
                        expected = wanted[name][seen : seen + len(planes)]
                        self.assertEqual(output.shape, expected.shape, name)
                        # A head that the network lacks has no numbers.
                        if output.numel():
                            self.assertLessEqual(float((output - expected).abs().max()), TOLERANCE, name)
                    moves = targets.policy.moves
                    logits.append(kirin.net.logits(outputs.tokens, moves)[moves.legal])
                    seen += len(planes)
                    sums = targets.policy.shares.sum(1)
                    self.assertLessEqual(float((sums - 1.0).abs().max()), 1e-5, "probabilities of moves")
                    self.assertLessEqual(float((targets.wdl.sum(1) - 1.0).abs().max()), 1e-5)
                difference = torch.cat(logits) - wanted["logits"]
                self.assertLessEqual(float(difference.abs().max()), TOLERANCE, "logits of the legal moves")
                self.assertEqual(seen, data.rows)

    def test_every_row_comes_once_in_a_pass(self) -> None:
        for case in self.cases:
            whole = as_rows(planes_of(FeatureDataset(case / "all")))
            data = FeatureDataset(case / "all", batch=37, seed=3)
            first, second = planes_of(data), planes_of(data)
            self.assertFalse(torch.equal(first, second), "each pass has an order of its own")
            self.assertEqual([as_rows(first), as_rows(second)], [whole, whole])
            self.assertTrue(torch.equal(first, planes_of(FeatureDataset(case / "all", batch=37, seed=3))))
            splits = [planes_of(FeatureDataset(case / "split", split)) for split in ("training", "validation")]
            self.assertEqual(as_rows(torch.cat(splits)), whole)
            for workers in (0, 2):
                loader = DataLoader(FeatureDataset(case / "all", seed=3), batch_size=None, num_workers=workers)
                first, second = (torch.cat([planes for planes, _ in loader]) for _ in range(2))
                self.assertFalse(torch.equal(first, second), f"each pass with {workers} workers has an order of its own")
                self.assertEqual([as_rows(first), as_rows(second)], [whole, whole])

    def test_it_learns(self) -> None:
        for case in self.cases:
            with self.subTest(case.name):
                data = FeatureDataset(case / "split", batch=64, seed=1)
                same = list(FeatureDataset(case / "split", batch=1000))
                network = kirin.net.Network(data.blueprint).train()
                optimiser = kirin.net.optimiser(network, rate=3e-3)

                def whole_loss() -> float:
                    network.eval()
                    with torch.no_grad():
                        losses = [float(kirin.net.loss(network(planes), targets)) for planes, targets in same]
                    network.train()
                    return sum(losses) / len(losses)

                # The running statistics of an untrained network are those of no data.
                for planes, _ in data:
                    network(planes)
                before, steps = whole_loss(), 0
                while steps < 40:
                    for planes, targets in data:
                        kirin.net.loss(network(planes), targets).backward()
                        kirin.net.clip(network)
                        optimiser.step()
                        optimiser.zero_grad()
                        steps += 1
                self.assertLess(whole_loss(), 0.95 * before)

    def test_what_cannot_be_used_is_named(self) -> None:
        case = self.cases[0] / "all"
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / "copy"
            shutil.copytree(case, copy)
            part = copy / json.loads((copy / "features.json").read_text())["training"]["files"][0]
            part.write_bytes(part.read_bytes()[:-100])
            with self.assertRaisesRegex(kirin.net.FileProblem, f"{part.name} is damaged"):
                list(FeatureDataset(copy))
            about = json.loads((copy / "features.json").read_text())
            (copy / "features.json").write_text(json.dumps(about | {"format_version": 3}))
            with self.assertRaisesRegex(kirin.net.FileProblem, "format_version is not 2"):
                FeatureDataset(copy)
            (copy / "features.json").unlink()
            with self.assertRaisesRegex(kirin.net.FileProblem, "the export was cut off"):
                FeatureDataset(copy)
            with self.assertRaises(OSError):
                FeatureDataset(Path(folder) / "nothing")


if __name__ == "__main__":
    unittest.main()
