"""Games and positions as tables, and strength from results."""

import json
from pathlib import Path

import kirin
import pyarrow.parquet
import pytest

FIXTURES = Path(__file__).resolve().parents[2] / "data" / "tests" / "fixtures"


def test_games_are_what_was_played():
    games = kirin.games(FIXTURES / "played-1", variant="janggi").to_pylist()
    recorded = (FIXTURES / "played-1" / "janggi.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(games) == len(recorded) > 0
    for game in games:
        played = kirin.Position("janggi", game["start_fen"] or None, game["ruleset"], moves=game["moves_text"])
        assert played.ply == game["plies"]
    assert {game["game_id"] for game in games} == {json.loads(line)["game"]["game_id"] for line in recorded}


def test_positions_belong_to_games():
    games, positions = kirin.games(FIXTURES / "played-1"), kirin.positions(FIXTURES / "played-1")
    variants = games["variant"].unique().to_pylist()
    assert sorted(variants) == sorted(positions["variant"].unique().to_pylist()) == ["janggi", "wangqi"]
    assert set(positions["game_id"].to_pylist()) <= set(games["game_id"].to_pylist())
    some = kirin.positions(FIXTURES / "played-1", columns=["game_id", "ply"])
    assert some.column_names == ["game_id", "ply", "variant"] and some.num_rows == positions.num_rows


@pytest.mark.parametrize("version", range(1, 6))
def test_files_of_earlier_versions_are_read(version):
    folder = FIXTURES / f"schema-{version}"
    files = kirin.parquet_files(folder)
    rows = sum(pyarrow.parquet.ParquetFile(file).metadata.num_rows for file in files)
    assert kirin.games(folder).num_rows == rows > 0


def test_folders_that_hold_nothing_are_refused(tmp_path):
    for read in (kirin.games, kirin.positions, kirin.parquet_files):
        with pytest.raises(ValueError, match="holds no games"):
            read(tmp_path)
    with pytest.raises(ValueError, match="no table is called"):
        kirin.parquet_files(FIXTURES / "played-1", "moves")
    with pytest.raises(ValueError, match="have no column 'colour'"):
        kirin.games(FIXTURES / "played-1", columns=["colour"])
    with pytest.raises(ValueError, match="holds no games of shogi yet"):
        kirin.games(FIXTURES / "played-1", variant="shogi")
    with pytest.raises(ValueError, match="no variant is called"):
        kirin.games(FIXTURES / "played-1", variant="chess")


LOGS = Path(__file__).resolve().parents[2] / "eval" / "tests" / "data" / "logs"


def test_games_of_matches():
    logged = {log.stem: log.read_text(encoding="utf-8").splitlines() for log in LOGS.glob("*.jsonl")}
    table = kirin.matches(LOGS)
    assert set(table["match_name"].to_pylist()) == set(logged)
    for name in logged:
        header, *entries = (json.loads(line) for line in logged[name])
        entries = {(entry["pair"], entry["first_named_first"]): entry for entry in entries if "pair" in entry}
        rows = kirin.matches(LOGS / f"{name}.jsonl").to_pylist()
        assert len(rows) == sum(row == name for row in table["match_name"].to_pylist()) > 0
        for row in rows:
            entry = entries[row["pair"], row["first_named_first"]]
            assert (row["moves_text"], row["plies"], row["result"]) == (entry["moves"], entry["plies"], entry["result"])
            assert row["variant"] == header["variant"] and row["opening_plies"] == entry["opening_plies"]
            assert row["termination"] in kirin.REASONS and row["first"] != row["second"]
            played = kirin.Position(row["variant"], row["start_fen"], moves=row["moves_text"])
            assert played.ply == row["plies"]
    some = kirin.matches(LOGS, variant="wangqi", columns=["result", "first"])
    assert some.column_names == ["variant", "first", "result"]


def test_matches_that_cannot_be_read_are_refused(tmp_path):
    with pytest.raises(FileNotFoundError):
        kirin.matches(tmp_path / "none")
    with pytest.raises(ValueError, match="holds no finished game of a match"):
        kirin.matches(tmp_path)
    with pytest.raises(ValueError, match="holds no finished game of a match in shogi"):
        kirin.matches(LOGS, variant="shogi")
    with pytest.raises(ValueError, match="have no column 'winner'; there are: match_name"):
        kirin.matches(LOGS, columns=["winner"])
    junk = tmp_path / "match.jsonl"
    junk.write_text("junk\n")
    with pytest.raises(ValueError, match="match.jsonl"):
        kirin.matches(junk)


def test_strength():
    games, pairs = kirin.elo((60, 20, 40)), kirin.elo([5, 10, 20, 15, 10])
    assert games.score == pytest.approx(70 / 120) and games.elo_low < games.elo < games.elo_high
    assert pairs.score == pytest.approx((10 * 0.25 + 20 * 0.5 + 15 * 0.75 + 10) / 60)
    mirrored = kirin.elo((40, 20, 60))
    assert mirrored.elo == pytest.approx(-games.elo) and mirrored.los == pytest.approx(1 - games.los)
    assert kirin.elo([5, 10, 12, 8, 15, 10]).elo == pairs.elo, "six counts: level pairs apart"
    for wrong, message in (((1, 2), "are 2 numbers"), ((1, -1, 0), "is not a whole number"), ((2**60, 0, 0), "2\\^53")):
        with pytest.raises(ValueError, match=message):
            kirin.elo(wrong)
    with pytest.raises(TypeError):
        kirin.elo((0.5, 1, 2))


def test_sequential_tests():
    won, lost = kirin.sprt((700, 100, 200), 0, 20), kirin.sprt((200, 100, 700), 0, 20)
    assert (won.decision, lost.decision) == ("H1", "H0") and won.llr > won.upper and lost.llr < lost.lower
    assert kirin.sprt((10, 1, 9), 0, 20).decision == "continue"
    assert kirin.sprt((10, 1, 9), 0, 20, model="logistic").llr != kirin.sprt((10, 1, 9), 0, 20).llr
    with pytest.raises(ValueError, match="elo1"):
        kirin.sprt((1, 1, 1), 5, 5)
    with pytest.raises(ValueError, match="alpha"):
        kirin.sprt((1, 1, 1), alpha=0.7)
    with pytest.raises(ValueError, match="no model is called"):
        kirin.sprt((1, 1, 1), model="glicko")


def test_ratings_of_a_folder():
    variants = {json.loads(log.read_text(encoding="utf-8").splitlines()[0])["variant"] for log in LOGS.glob("*.jsonl")}
    table = kirin.ratings(LOGS, variant=variants.pop())
    assert table.matches >= 1 and len(table.rows) >= 2
    assert [row.elo for row in table.rows] == sorted((row.elo for row in table.rows), reverse=True)
    assert next(row for row in table.rows if row.player == table.anchor).elo == 0
    first, second = table.rows[:2]
    wins, draws, losses = table.between(first.player, second.player)
    assert table.between(second.player, first.player) == (losses, draws, wins)
    with pytest.raises(ValueError, match="no player is called"):
        table.between("missing", first.player)
    with pytest.raises(ValueError, match="anchor"):
        kirin.ratings(LOGS, anchor="missing")
