"""`python -m kirin.net`: show a network file, or export it."""

from __future__ import annotations

import argparse
import dataclasses
import json
import logging
import os
import sys
import warnings

from . import FileProblem, export_onnx, export_torchscript, output_names, read_network
from .file import NetworkFile, UncheckedWarning

# Exit codes as `kirin` has them: wrong input; a file that cannot be read or written; something missing.
WRONG_INPUT, INPUT_OUTPUT, UNAVAILABLE = 78, 74, 69


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m kirin.net", description="Kirin's networks in PyTorch.")
    commands = parser.add_subparsers(dest="command", required=True)
    show = commands.add_parser("show", help="say what a network file holds, after checking it")
    show.add_argument("net", help="a network file of Kirin")
    show.add_argument("--json", action="store_true", help="print one JSON object")
    export = commands.add_parser("export", help="write a network as ONNX or TorchScript")
    export.add_argument("net", help="a network file of Kirin")
    export.add_argument("--to", choices=["onnx", "torchscript"], required=True, help="the format")
    export.add_argument("--out", required=True, help="the file to write; it appears whole or not at all")
    given = parser.parse_args(arguments)
    # The exporter's warnings about PyTorch's own parts do not help users.
    warnings.simplefilter("ignore")
    warnings.simplefilter("always", UncheckedWarning)
    warnings.showwarning = lambda message, *rest: print(f"warning: {message}", file=sys.stderr)
    logging.getLogger("torch").setLevel(logging.ERROR)
    try:
        file = read_network(given.net)
        if given.command == "export" and os.path.exists(given.out) and os.path.samefile(given.net, given.out):
            print(f"--out {given.out} is the network itself; name another file", file=sys.stderr)
            return WRONG_INPUT
        if given.command == "show":
            _show(file, given.json)
        elif given.to == "onnx":
            export_onnx(file.network, given.out)
        else:
            export_torchscript(file.network, given.out)
    except FileProblem as problem:
        print(problem, file=sys.stderr)
        return WRONG_INPUT
    except OSError as error:
        print(error, file=sys.stderr)
        return INPUT_OUTPUT
    except ImportError as error:
        print(f"{error}; pip install onnx onnxscript", file=sys.stderr)
        return UNAVAILABLE
    return 0


def _show(file: NetworkFile, as_json: bool) -> None:
    blueprint, shape = file.blueprint, file.blueprint.shape
    parameters = sum(tensor.numel() for tensor in file.network.parameters())
    known = {
        "id": file.id,
        "variant": blueprint.variant,
        "generation": file.generation,
        "training_step": file.training_step,
        "stored_as": file.stored_as,
        "digest_checked": file.checked,
        "parameters": parameters,
        "input": [shape.planes, shape.ranks, shape.files],
        "tokens": shape.tokens,
        "outputs": output_names(file.network),
        "config": dataclasses.asdict(blueprint.config),
    }
    if as_json:
        print(json.dumps(known))
        return
    config = blueprint.config
    seen = [name for name, shown in dataclasses.asdict(config.features).items() if shown]
    checked = "agrees with the contents" if file.checked else "not checked (pip install blake3)"
    lines = {
        "network": f"{file.id}, generation {file.generation}, {file.training_step:,} training steps",
        "variant": blueprint.variant,
        "size": f"{config.blocks}x{config.channels}, mixing {config.mixing}, {parameters:,} parameters",
        "stored as": file.stored_as,
        "digest": checked,
        "input": f"planes [batch, {shape.planes}, {shape.ranks}, {shape.files}]"
        + (f", with {', '.join(seen)}" if seen else ""),
        "tokens": f"{shape.tokens}: {shape.squares} squares, {shape.hand_slots} hand slots, pass",
        "outputs": ", ".join(output_names(file.network)),
    }
    for name, value in lines.items():
        print(f"{name:<10} {value}")


if __name__ == "__main__":
    sys.exit(main())
