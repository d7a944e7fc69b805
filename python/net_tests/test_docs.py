"""The examples of the docstrings of kirin.net and kirin.program are true, and none is missing. They run in a folder with a
link to `train`, so that their paths are those of the repository, and with a small file of samples, `wangqi.samples`."""

import contextlib
import doctest
import importlib.util
import inspect
import json
import re
import shutil
import sys
import tempfile
import types
import unittest
import warnings
from collections.abc import Iterator
from pathlib import Path

import torch
from blake3 import blake3
from safetensors.torch import save_file

import kirin.net

ROOT = Path(__file__).resolve().parents[2]


def write_samples(path: Path) -> None:
    """Two batches of two samples for Wangqi, with two moves and one, as train/src/samples/export.rs writes them."""
    shape = kirin.net.read_network(ROOT / "train/networks/wangqi.safetensors").blueprint.shape
    tensors = {}
    for step in ("000001", "000002"):
        batch = {
            "planes": torch.zeros(2, shape.planes, shape.ranks, shape.files),
            "policy.moves": torch.tensor([[8, 16, 0, 0], [9, 17, 0, 0], [10, 18, 0, 0]]).float(),
            "policy.first": torch.tensor([0.0, 2.0, 3.0]),
            "policy.share": torch.tensor([0.75, 0.25, 1.0]),
            "policy.weight": torch.ones(2),
            "wdl": torch.tensor([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]),
            "value_weight": torch.ones(2),
            "short_wdl": torch.full((2, 3), 1 / 3),
            "plies_left": torch.ones(2),
            "plies_weight": torch.ones(2),
            "material": torch.zeros(2, shape.material),
        }
        batch["policy.moves"] = torch.nn.functional.pad(batch["policy.moves"], (0, 5))
        tensors.update({f"{step}.{name}": tensor for name, tensor in batch.items()})
    hasher = blake3(b"samples{}")
    for name, tensor in sorted(tensors.items()):
        hasher.update((name + str(list(tensor.shape))).encode() + tensor.numpy().astype("<f4").tobytes())
    about = {"format": "kirin-samples", "version": 2, "digest": hasher.hexdigest()[:16], "description": "{}"}
    save_file(tensors, path, {"kirin": json.dumps(about)})


def installed_program(folder: Path) -> types.ModuleType:
    """kirin.program as it lies beside an installed program."""
    for name in ("kirin", "bin"):
        (folder / name).mkdir()
    (folder / "bin/kirin").touch()
    copy = shutil.copy(ROOT / "python/kirin/program.py", folder / "kirin")
    spec = importlib.util.spec_from_file_location("kirin.program", copy)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def methods(name: str, public: type) -> Iterator[tuple[str, object]]:
    """The public methods that a class itself has. Its fields and properties need no examples: those of the class show them."""
    for member in vars(public):
        if not member.startswith("_") and inspect.isroutine(getattr(public, member)):
            yield f"{name}.{member}", getattr(public, member)


class Examples(unittest.TestCase):
    def setUp(self) -> None:
        stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        (folder / "train").symlink_to(ROOT / "train")
        write_samples(folder / "wangqi.samples")
        self.program = installed_program(folder)
        # Nothing else of sys.modules is put back: onnx cannot be loaded twice.
        sys.modules["kirin.program"] = self.program
        self.addCleanup(sys.modules.pop, "kirin.program")
        stack.enter_context(contextlib.chdir(folder))
        # The exporter's warnings about PyTorch's own parts do not help users.
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")

    def test_examples_are_true(self) -> None:
        documented: list[tuple[str, object]] = [("kirin.net", kirin.net)]
        # Constants have no docstring.
        shown_by_others = []
        for module in (kirin.net, self.program):
            for name in module.__all__:
                public = getattr(module, name)
                if inspect.isroutine(public) or inspect.isclass(public):
                    documented.append((f"{module.__name__}.{name}", public))
                else:
                    shown_by_others.append(name)
                if inspect.isclass(public):
                    documented.extend(methods(f"{module.__name__}.{name}", public))

        runner, parser, sources = doctest.DocTestRunner(), doctest.DocTestParser(), ""
        for name, public in documented:
            with self.subTest(name):
                self.assertTrue(public.__doc__, "it has no docstring")
                test = parser.get_doctest(inspect.cleandoc(public.__doc__ or ""), {}, name, None, None)
                self.assertTrue(test.examples, "it has no example")
                sources += "".join(example.source for example in test.examples)
                told: list[str] = []
                failed = runner.run(test, out=told.append).failed
                self.assertEqual(failed, 0, "".join(told))
        for name in shown_by_others:
            self.assertTrue(re.search(rf"\bkirin\.net\.{name}\b", sources), f"no example shows {name}")


if __name__ == "__main__":
    unittest.main()
