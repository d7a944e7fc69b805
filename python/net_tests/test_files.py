"""Files that are sound are read, and files that are not are refused with a reason."""

import contextlib
import io
import json
import shutil
import struct
import tempfile
import unittest
import warnings
from pathlib import Path
from unittest import mock

import kirin.net
from kirin.net.__main__ import main
from kirin.net.file import read_contents

NETWORKS = Path(__file__).parents[2] / "train/networks"
FIRST_FORMAT = Path(__file__).parents[2] / "train/tests/fixtures/format-1.safetensors"


def take_apart(path: Path) -> tuple[dict, bytes]:
    """The header of a safetensors file, and the bytes of its tensors."""
    whole = path.read_bytes()
    (length,) = struct.unpack("<Q", whole[:8])
    return json.loads(whole[8 : 8 + length]), whole[8 + length :]


def put_together(path: Path, header: dict, data: bytes) -> None:
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


class Files(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "net.safetensors"
        self.header, self.data = take_apart(NETWORKS / "wangqi.safetensors")
        self.kirin = json.loads(self.header["__metadata__"]["kirin"])

    def refused(self, *words: str) -> None:
        """The file as it stands now is refused, with its name and these words."""
        self.header["__metadata__"]["kirin"] = json.dumps(self.kirin)
        put_together(self.path, self.header, self.data)
        with self.assertRaises(kirin.net.FileProblem) as caught:
            kirin.net.read_network(self.path)
        for part in (str(self.path), *words):
            self.assertIn(part, str(caught.exception))

    def test_networks_that_come_with_kirin_are_read(self) -> None:
        for path in NETWORKS.glob("*.safetensors"):
            file = kirin.net.read_network(path)
            self.assertTrue(file.checked, path)
            self.assertEqual((file.blueprint.variant, file.stored_as), (path.stem, "BF16"))
            self.assertTrue(file.generation > 0 and not file.network.training)

    def test_a_file_of_the_first_format_is_read(self) -> None:
        file = kirin.net.read_network(FIRST_FORMAT)
        self.assertTrue(file.checked)
        self.assertEqual(file.stored_as, "F32")

    def test_a_changed_weight_is_noticed(self) -> None:
        self.data = bytes([self.data[0] ^ 1]) + self.data[1:]
        self.refused("its contents have digest", "restore it from a copy")

    def test_without_blake3_the_digest_is_not_checked_and_that_is_said(self) -> None:
        path = NETWORKS / "wangqi.safetensors"
        with mock.patch.dict("sys.modules", {"blake3": None}), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            file = kirin.net.read_network(path)
        self.assertFalse(file.checked)
        self.assertIn("pip install blake3", str([str(warning.message) for warning in caught]))

    def test_a_file_that_is_cut_short_is_no_network(self) -> None:
        self.data = self.data[:-7]
        self.refused("damaged or not a kirin file")

    def test_a_file_of_another_program_is_no_network(self) -> None:
        put_together(self.path, {"x": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}, bytes(4))
        with self.assertRaisesRegex(kirin.net.FileProblem, "it has no kirin description"):
            kirin.net.read_network(self.path)

    def test_a_later_version_is_refused_before_anything_else_is_read(self) -> None:
        self.kirin["version"] = 3
        self.refused("its format version is 3", "use a newer kirin.net")

    def test_another_kind_is_refused(self) -> None:
        self.kirin["format"] = "kirin-checkpoint"
        self.refused("this is a checkpoint file where a network file is needed")
        with self.assertRaisesRegex(kirin.net.FileProblem, "a network file where a samples file is needed"):
            read_contents(NETWORKS / "wangqi.safetensors", "samples")

    def described(self, change: object) -> None:
        """Changes the description, and the digest with it."""
        import blake3
        import torch
        from safetensors.torch import load_file

        assert callable(change)
        description = json.loads(self.kirin["description"])
        change(description)
        self.kirin["description"] = json.dumps(description)
        hasher = blake3.blake3(("network" + self.kirin["description"]).encode())
        for name, tensor in sorted(load_file(NETWORKS / "wangqi.safetensors").items()):
            values = tensor.to(torch.float32).numpy()
            hasher.update((name + str(list(tensor.shape))).encode() + values.astype("<f4").tobytes())
        self.kirin["digest"] = hasher.hexdigest()[:16]

    def test_tensors_that_do_not_fit_the_description_are_named(self) -> None:
        self.described(lambda description: description["blueprint"]["config"].update(policy_dim=16))
        self.refused("do not fit its own description: policy.tokens.weight is [69, 64] and not [37, 64]")

    def test_tensors_that_are_missing_are_named(self) -> None:
        self.described(lambda description: description["blueprint"]["config"].update(blocks=5))
        self.refused("block.04.", "is missing")

    def test_tensors_too_many_are_named(self) -> None:
        self.described(lambda description: description["blueprint"]["config"].update(blocks=3))
        self.refused("block.03.", "is not part of such a network")

    def test_unknown_keys_and_values_out_of_range_are_refused(self) -> None:
        self.described(lambda description: description["blueprint"]["config"].update(wings=2))
        self.refused("its config has 'wings', which this kirin.net does not know")

    def test_a_value_out_of_range_is_refused(self) -> None:
        self.described(lambda description: description["blueprint"]["config"].update(blocks=1_000_000))
        self.refused("its config.blocks is 1000000, out of range; 1 to 60")

    def test_a_value_of_another_type_is_refused(self) -> None:
        self.described(lambda description: description["blueprint"]["shape"].update(ranks="8"))
        self.refused("its shape.ranks is '8', which is no int")


class Commands(unittest.TestCase):
    def run_main(self, *arguments: str) -> tuple[int, str, str]:
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(list(arguments))
        return code, out.getvalue(), err.getvalue()

    def test_a_network_is_shown(self) -> None:
        path = str(NETWORKS / "wangqi.safetensors")
        code, out, _ = self.run_main("show", path)
        self.assertEqual(code, 0)
        for words in ("4x64, mixing se", "agrees with the contents", "tokens, wdl, short_wdl, plies_left, material"):
            self.assertIn(words, out)
        code, out, _ = self.run_main("show", path, "--json")
        self.assertEqual((code, json.loads(out)["tokens"]), (0, 72))

    def test_what_cannot_be_shown_is_told(self) -> None:
        code, _, err = self.run_main("show", "nowhere.safetensors")
        self.assertTrue(code == 74 and "nowhere.safetensors" in err, err)
        code, _, err = self.run_main("show", __file__)
        self.assertTrue(code == 78 and "damaged or not a kirin file" in err, err)

    def test_nothing_is_left_where_a_file_cannot_be_written(self) -> None:
        path = str(NETWORKS / "wangqi.safetensors")
        code, _, err = self.run_main("export", path, "--to", "torchscript", "--out", "nowhere/net.pt")
        self.assertTrue(code == 74 and "nowhere" in err, err)
        self.assertFalse(Path("nowhere").exists())

    def test_an_export_does_not_replace_its_network(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "net.safetensors"
            shutil.copy(NETWORKS / "wangqi.safetensors", path)
            before = path.read_bytes()
            code, _, err = self.run_main("export", str(path), "--to", "torchscript", "--out", f"{folder}/./net.safetensors")
            self.assertTrue(code == 78 and "name another file" in err, err)
            self.assertEqual(path.read_bytes(), before)


if __name__ == "__main__":
    unittest.main()
