"""Games and their records."""

import copy
import pickle
import random
from pathlib import Path

import kirin
import pytest

FIXTURES = Path(__file__).resolve().parents[2] / "records" / "tests" / "fixtures"


@pytest.mark.parametrize("variant", kirin.VARIANTS)
def test_what_is_written_is_read(variant):
    choice = random.Random(1)
    game = kirin.Game(kirin.Position(variant), first="甲", second="B \"b\"", event="Final", site="Seoul")
    game.date, game.round, game.opening = "2024.05.01 10:30:00", "3", "an opening"
    game.first_rating, game.opening_plies = 2450.5, 4
    for _ in range(20):
        game.push(choice.choice(game.position.legal_moves()))
    assert game.outcome is None and game.result == "*" and len(game.moves()) == 20 == game.position.ply
    for outcome in (None, kirin.Outcome(-1, "resign"), kirin.Outcome(0, "adjudicated")):
        game.outcome = outcome
        assert kirin.Game.read(game.text().encode(), variant, format="pgn") == [game]
        assert game == pickle.loads(pickle.dumps(game)) == copy.copy(game) == copy.deepcopy(game)
    assert game != kirin.Game(game.position)
    if variant == "shogi":
        for format in ("kif", "csa"):
            (read,) = kirin.Game.read(game.text(format).encode(), variant, format=format)
            assert (read.moves(), read.outcome, read.first) == (game.moves(), game.outcome, game.first)
    while game.moves():
        game.undo()
    assert game.position == kirin.Position(variant)


def test_every_move_sets_the_outcome():
    game = kirin.Game(kirin.Position("xiangqi", "3k5/1R7/9/9/9/9/9/9/9/R3K4 w - - 0 1"))
    assert game.start_fen == game.position.fen and game.outcome is None
    game.push("a1a10")
    assert (game.result, game.outcome.reason) == ("1-0", "checkmate")
    game.undo()
    game.outcome = kirin.Outcome(-1, "resign")
    game.push("b9b8")
    assert game.outcome is None
    game.position.undo()
    assert game.moves() == ["b9b8"], "position is a copy"


@pytest.mark.parametrize(
    ("name", "variant"),
    [("plain.kif", "shogi"), ("book.ki2", "shogi"), ("two.csa", "shogi"), ("page.html", "xiangqi"), ("server.gib", "janggi")],
)
def test_files_of_other_programs(name, variant):
    games = kirin.Game.read(FIXTURES / name, variant)
    assert games and all(game.moves() and game.variant == variant for game in games)


def test_broken_games_are_left_out_with_a_warning():
    with pytest.warns(UserWarning, match=r"are left out; the first: .*many\.pgn:\d+: "):
        games = kirin.Game.read(FIXTURES / "many.pgn", "xiangqi")
    assert games[0].first == "alice"
    with pytest.raises(FileNotFoundError):
        kirin.Game.read("no/such/file.pgn", "xiangqi")
