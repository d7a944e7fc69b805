"""VectorEnv against Position, which shares no code of the batch."""

import threading

import kirin
import numpy as np
import pytest


def as_position(env, index):
    """What the rows of a game must be."""
    game = env.position(index)
    assert env.sides[index] == ("first", "second").index(game.side)
    assert env.counts[index] == len(game.legal_moves())
    return game


@pytest.mark.parametrize("attacks", [False, True])
@pytest.mark.parametrize("variant", kirin.VARIANTS)
def test_rows_are_those_of_the_position(variant, attacks):
    env = kirin.VectorEnv(variant, 5, attacks=attacks, threads=2, seed=3)
    assert env.planes.shape == (5, *kirin.planes_shape(variant, attacks=attacks))
    for _ in range(60):
        for index in range(5):
            game = as_position(env, index)
            np.testing.assert_array_equal(env.planes[index], game.planes(attacks=attacks))
            if env.mask is not None:
                np.testing.assert_array_equal(env.mask[index], game.action_mask())
        env.step(env.sample())


@pytest.mark.parametrize("variant", kirin.VARIANTS)
def test_games_end_as_the_position_ends(variant):
    plies = 60 if variant == "koshogi" else 150
    env = kirin.VectorEnv(variant, 16, planes=False, seed=5, ruleset=f"{kirin.rulesets(variant)[0]} max-plies={plies}")
    ended = 0
    for _ in range(2 * plies + 10):
        games = [env.position(index) for index in range(16)]
        actions = env.sample()
        _, rewards, terminated, truncated = env.step(actions)
        finished = {index: (outcome, plies) for index, outcome, plies in env.finished()}
        for index, game in enumerate(games):
            mover = game.side
            moves = game.legal_moves()
            game.push(game.move_of(int(actions[index])) if env.mask is not None else moves[actions[index]])
            outcome = game.outcome()
            assert finished.get(index, (None, None))[0] == outcome
            assert (terminated[index] or truncated[index]) == (outcome is not None)
            if outcome is None:
                assert rewards[index] == 0 and env.position(index) == game
                continue
            ended += 1
            assert finished[index][1] == game.ply
            assert truncated[index] == outcome.cut_off
            assert rewards[index] == outcome.result * (1 if mover == "first" else -1)
            assert env.position(index).ply == 0 and env.sides[index] == 0
    assert ended >= 32


@pytest.mark.parametrize("variant", kirin.VARIANTS)
def test_threads_and_seeds(variant):
    def play(threads, seed):
        env = kirin.VectorEnv(variant, 9, planes=False, threads=threads, seed=seed)
        for _ in range(50):
            env.step(env.sample())
        return [env.position(index) for index in range(9)]

    assert play(1, 7) == play(2, 7) == play(4, 7) != play(1, 8)
    env = kirin.VectorEnv(variant, 2, seed=1)
    first = env.sample().tolist()
    env.step(first)
    env.reset(seed=1)
    assert env.sample().tolist() == first and env.position(0).ply == 0


def test_legal_lists_the_moves():
    for variant in kirin.VARIANTS:
        env = kirin.VectorEnv(variant, 3, planes=False)
        for _ in range(15):
            env.step(env.sample())
        moves, begin = env.legal()
        np.testing.assert_array_equal(np.diff(begin), env.counts)
        assert len(moves) == begin[-1] and moves.shape[1] == 9
        _, ranks, files = kirin.planes_shape(variant)
        for index in range(3):
            game, rows = env.position(index), moves[begin[index] : begin[index + 1]]
            for text, (source, target, promotes, *_) in zip(game.legal_moves(), rows):
                assert bool(promotes) == text.endswith("+")
                if source < ranks * files and game.side == "first":
                    square = lambda token: f"{chr(97 + token % files)}{token // files + 1}"
                    assert text.startswith(square(source) + square(target)), (text, source, target)


def test_starts_are_all_used():
    starts = [kirin.Position("wangqi", moves=moves).fen for moves in ("", *kirin.Position("wangqi").legal_moves()[:3])]
    env = kirin.VectorEnv("wangqi", 64, planes=False, starts=starts)
    assert {env.position(index).fen for index in range(64)} == set(starts)


def test_arrays_are_those_of_the_environment():
    env = kirin.VectorEnv("xiangqi", 4)
    planes, mask = env.reset(), env.mask
    stepped = env.step(env.sample())
    assert stepped[0] is planes and env.planes is planes and env.mask is mask
    assert (planes[:, -7 + 1] >= 0).all()
    assert kirin.VectorEnv("xiangqi", 4, planes=False).reset() is None


def test_steps_in_several_threads():
    environments = [kirin.VectorEnv(variant, 32, threads=2) for variant in kirin.VARIANTS]

    def play(env):
        for _ in range(100):
            env.step(env.sample())

    threads = [threading.Thread(target=play, args=(env,)) for env in environments]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(sum(as_position(env, index).ply for index in range(32)) > 0 for env in environments)
