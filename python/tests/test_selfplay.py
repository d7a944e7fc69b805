"""Self-play into a data folder."""

import os
import signal
import subprocess
import sys
import threading
import time

import kirin
import numpy as np
import pytest

SHORT = {"games": 5, "visits": 4, "slots": 3}


def limited(variant, plies=24):
    return f"{kirin.rulesets(variant)[0]} max-plies={plies}"


def table(folder, variant):
    columns = ["game_id", "start_fen", "setup_first", "ruleset", "moves_text", "plies", "result", "termination", "generation"]
    return kirin.games(folder, variant=variant, columns=columns).to_pylist()


@pytest.mark.parametrize("variant", kirin.VARIANTS)
def test_games_are_games_by_the_rules(variant, tmp_path):
    played = kirin.selfplay(variant, tmp_path / "data", **SHORT, ruleset=limited(variant))
    games = table(tmp_path / "data", variant)
    assert played.games == len(games) == 5 and played.generation == 1 and played.seconds > 0
    assert played.positions == kirin.positions(tmp_path / "data").num_rows > 0
    for game in games:
        replayed = kirin.Position(variant, game["start_fen"] or None, game["ruleset"], moves=game["moves_text"])
        outcome = replayed.outcome()
        assert (outcome.result, outcome.reason, replayed.ply) == (game["result"], game["termination"], game["plies"])


@pytest.mark.parametrize("network", ["builtin", None])
def test_games_depend_on_the_seed_alone(network, tmp_path):
    def play(name, **options):
        kirin.selfplay("wangqi", tmp_path / name, network=network, **SHORT, ruleset=limited("wangqi"), **options)
        return [game["moves_text"] for game in table(tmp_path / name, "wangqi")]

    assert play("a", seed=7, threads=1) == play("b", seed=7, threads=3) != play("c", seed=8)
    files = [path.read_bytes() for name in "ab" for path in kirin.parquet_files(tmp_path / name)]
    assert files[0] == files[1]


def test_a_folder_grows_by_generations(tmp_path):
    for generation, variant in enumerate(("wangqi", "xiangqi", "wangqi"), 1):
        played = kirin.selfplay(variant, tmp_path, **SHORT, ruleset=limited(variant))
        assert played.generation == generation
    games = kirin.games(tmp_path)
    assert games.num_rows == 15 and len(set(games["game_id"].to_pylist())) == 15
    assert sorted(games["generation"].to_pylist()) == [1] * 5 + [2] * 5 + [3] * 5


def zeros(variant):
    count = kirin.action_count(variant)
    return lambda planes: (np.zeros((len(planes), count)), np.zeros(len(planes)))


def test_a_function_plays(tmp_path):
    sizes = []

    def evaluate(planes, moves, begin):
        assert planes.shape[1:] == kirin.planes_shape("koshogi", attacks=True)
        sizes.append(len(planes))
        return np.zeros(len(moves)), np.zeros(len(planes))

    options = {"ruleset": limited("koshogi", 8), "attacks": True, "legal": True}
    kirin.selfplay("koshogi", tmp_path / "legal", games=5, visits=4, network=evaluate, **options)
    assert max(sizes) == 5 and len(table(tmp_path / "legal", "koshogi")) == 5
    for threads in (1, 2):
        options = {"network": zeros("shogi"), "threads": threads, "ruleset": limited("shogi")}
        kirin.selfplay("shogi", tmp_path / f"{threads}", **SHORT, **options)
    assert table(tmp_path / "1", "shogi") == table(tmp_path / "2", "shogi")


def test_an_exception_keeps_finished_games(tmp_path):
    class Broken(Exception):
        pass

    calls = []

    def evaluate(planes):
        calls.append(len(planes))
        if len(calls) > 160:
            raise Broken
        return zeros("wangqi")(planes)

    with pytest.raises(Broken):
        kirin.selfplay("wangqi", tmp_path, games=1000, visits=4, slots=2, network=evaluate, ruleset=limited("wangqi", 20))
    assert 0 < len(table(tmp_path, "wangqi")) < 100


def test_the_keyboard_ends_self_play_and_keeps_its_games(tmp_path):
    def press():
        while not list(tmp_path.glob("journal/*/*.jsonl")) or not all(
            path.stat().st_size for path in tmp_path.glob("journal/*/*.jsonl")
        ):
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    # A program that was started in the background ignores Ctrl-C.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    thread = threading.Thread(target=press)
    thread.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            kirin.selfplay("wangqi", tmp_path, games=1_000_000, visits=2, ruleset=limited("wangqi"))
    finally:
        thread.join()
        signal.signal(signal.SIGINT, before)
    assert 0 < len(table(tmp_path, "wangqi")) < 1_000_000
    assert kirin.selfplay("wangqi", tmp_path, **SHORT, ruleset=limited("wangqi")).generation == 2


def test_another_call_does_not_take_over_the_games_of_a_killed_one(tmp_path):
    code = "import kirin, sys; kirin.selfplay('wangqi', sys.argv[1], games=100_000, visits=2)"
    process = subprocess.Popen([sys.executable, "-c", code, tmp_path])
    while not any(path.stat().st_size for path in tmp_path.glob("journal/*/*.jsonl")):
        assert process.poll() is None
        time.sleep(0.01)
    process.kill()
    process.wait()
    assert kirin.selfplay("xiangqi", tmp_path, **SHORT, ruleset=limited("xiangqi")).generation == 2
    played = kirin.selfplay("wangqi", tmp_path, **SHORT, ruleset=limited("wangqi"))
    assert (played.generation, played.games) == (3, SHORT["games"])
    generations = [game["generation"] for game in table(tmp_path, "wangqi")]
    assert generations.count(1) > 0 and generations.count(3) == SHORT["games"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"variant": "chess"}, "no variant is called"),
        ({"games": 0}, "games is 0; expected 1 to"),
        ({"visits": -1}, "visits is -1; expected 1 to"),
        ({"slots": 100_000}, "slots"),
        ({"threads": 0}, "threads is 0"),
        ({"ruleset": "blitz"}, "has no rule set"),
        ({"network": "net.safetensors"}, "expected 'builtin', None, a function, or kirin.Network"),
        ({"network": kirin.Network("builtin:shogi")}, "plays shogi"),
        ({"attacks": True}, "a network has its own input"),
        ({"variant": "koshogi", "network": len}, "legal=True"),
    ],
)
def test_wrong_settings_make_no_folder(options, message, tmp_path):
    with pytest.raises(ValueError) as raised:
        kirin.selfplay(**{"variant": "wangqi", "folder": tmp_path / "data", **options})
    assert message in str(raised.value) and not (tmp_path / "data").exists()


def test_the_games_of_a_run_are_left_alone(tmp_path, monkeypatch):
    (tmp_path / "run.json").write_text("{}")
    (tmp_path / "data").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "link").symlink_to(tmp_path / "data")
    monkeypatch.chdir(tmp_path / "data")
    for folder in (tmp_path, tmp_path / "data", ".", tmp_path / "elsewhere" / "link"):
        with pytest.raises(ValueError, match="give a folder of its own"):
            kirin.selfplay("wangqi", folder)
