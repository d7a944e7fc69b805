"""The vectors of rules/tests, read from its text files."""

from pathlib import Path

RULES = Path(__file__).resolve().parents[2] / "rules" / "tests"


def lines(path):
    """The lines of a file that are neither empty nor comments."""
    text = (RULES / path).read_text(encoding="utf-8")
    return [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]


def perft_suite(variant, most):
    """FEN, depth and count of the lines of a suite whose count is at most `most`."""
    for line in lines(f"perft/{variant}.perft"):
        fen, *counts = (field.strip() for field in line.split(";"))
        for count in counts:
            depth, nodes = count[1:].split()
            if int(nodes) <= most:
                yield fen, int(depth), int(nodes)


def unrolled(moves):
    """`a (b c)2 d` is `a b c b c d`."""
    if "(" not in moves:
        return moves.split()
    before, rest = moves.split("(")
    cycle, rest = rest.split(")")
    times, *after = rest.split()
    return before.split() + cycle.split() * int(times) + after
