"""The notebooks run, on less than their kept outputs show."""

import ast
import json
import re
from pathlib import Path

import matplotlib
import pytest

matplotlib.use("Agg")

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "python" / "notebooks"


def code(name):
    cells = json.loads((NOTEBOOKS / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


def run(name, settings):
    """The names that the notebook leaves behind, and what its cells show; `settings` replaces values of the first cell."""
    sources = ["".join(cell["source"]) for cell in code(name)]
    for setting, value in settings.items():
        sources[0], found = re.subn(rf"^{setting} = .*$", f"{setting} = {value!r}", sources[0], flags=re.MULTILINE)
        assert found == 1, f"{setting} is set {found} times"
    known, shown = {"__name__": name}, []
    for source in sources:
        cell = ast.parse(source)
        last = cell.body.pop() if isinstance(cell.body[-1], ast.Expr) else None
        exec(compile(cell, name, "exec"), known)
        shown.append(eval(compile(ast.Expression(last.value), name, "eval"), known) if last else None)
    return known, shown


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_outputs_are_kept(path):
    cells = code(path.stem)
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1)), "run out of order"
    outputs = [output for cell in cells for output in cell["outputs"]]
    assert all(output["output_type"] != "error" for output in outputs)
    kinds = {kind for output in outputs for kind in output.get("data", {})}
    assert {"image/png", "image/svg+xml"} <= kinds, "a diagram and a board"


@pytest.mark.parametrize("variant", ["wangqi", "janggi"])
def test_openings(variant):
    played = ROOT / "data" / "tests" / "fixtures" / "played-1"
    known, shown = run("openings", {"RUN": str(played), "VARIANT": variant})
    recorded = [json.loads(line)["game"] for line in (played / f"{variant}.jsonl").read_text(encoding="utf-8").splitlines()]
    assert known["games"].height == len(recorded) > 0
    lines = {" ".join(game["moves_text"].split()[:2]) for game in recorded}
    assert known["lines"]["games"].sum() == known["openings"].height > 0
    assert set(known["lines"]["line"]) <= lines
    assert any(hasattr(value, "_repr_svg_") for value in shown)


def test_policy_gradient():
    torch = pytest.importorskip("torch")
    known, shown = run("policy-gradient", {"GAMES": 64, "MOVES": 32, "ROUNDS": 8, "PLAYED": 4})
    assert len(known["shares"]) == 8
    assert all(share is None or 0 <= share <= 1 for _, share in known["shares"])
    won, drawn, lost = next(value for value in shown if isinstance(value, tuple) and len(value) == 3)
    assert won + drawn + lost == 4 and min(won, drawn, lost) >= 0
    assert all(game.outcome() is not None for game in known["games"])
    assert sum(hasattr(value, "_repr_svg_") for value in shown) == 2

    def gain():
        """Mean reward of a move, nearly all of which are pieces at first."""
        torch.manual_seed(1)
        known["env"].reset(seed=1)
        steps, _ = known["play"](24)
        return steps[5].mean().item()

    learned = gain()
    known["network"] = known["Network"]("wangqi")
    assert learned > gain() + 0.002, "eight rounds teach to capture"


def test_what_the_text_says_of_policy_gradient_is_what_came_out():
    outputs = [output for cell in code("policy-gradient") for output in cell["outputs"]]
    plain = ["".join(output.get("data", {}).get("text/plain", "")) for output in outputs]
    won, drawn, lost = next(ast.literal_eval(text) for text in plain if re.fullmatch(r"\(\d+, \d+, \d+\)", text))
    assert won / (won + drawn + lost) > 0.9
