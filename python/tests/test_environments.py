"""The environments, by the checks of the libraries whose interface they have."""

import warnings

import gymnasium
import kirin
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from kirin.gymnasium import Game
from kirin.pettingzoo import env as two_agents
from kirin.pettingzoo import raw_env
from pettingzoo.test import api_test, seed_test

TABLED = [variant for variant in kirin.VARIANTS if kirin.action_count(variant)]
# check_env draws in each render mode only of an environment that is registered.
gymnasium.register("kirin/Game-v0", entry_point=Game)


@pytest.mark.parametrize("variant", TABLED)
def test_pettingzoo(variant):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*(Observation|observation).*")
        api_test(two_agents(variant, attacks=True), num_cycles=500)


def test_pettingzoo_seeds():
    seed_test(lambda: two_agents("wangqi"), num_cycles=50)


def test_the_winner_gets_one():
    env = raw_env("xiangqi", start="3k5/1R7/9/9/9/9/9/9/9/R3K4 w - - 0 1", render_mode="ansi")
    env.reset()
    env.step(env.position.action("a1a10"))
    assert env.terminations == {"player_0": True, "player_1": True}
    assert env.rewards == {"player_0": 1.0, "player_1": -1.0} and env.infos["player_0"]["outcome"].reason == "checkmate"
    assert env.render() == str(env.position)


def test_the_ply_limit_truncates():
    env = raw_env("xiangqi", ruleset="full max-plies=1")
    env.reset()
    env.step(env.position.action("h3e3"))
    assert env.truncations == {"player_0": True, "player_1": True} and not env.terminations["player_0"]


@pytest.mark.parametrize("variant", TABLED)
def test_gymnasium(variant):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*(infinity|unit test).*")
        check_env(gymnasium.make("kirin/Game-v0", variant=variant, disable_env_checker=True).unwrapped)


def test_gymnasium_against_an_opponent():
    asked = []

    def first_move(position):
        asked.append(position.side)
        return position.legal_moves()[0]

    env = Game("wangqi", opponent=first_move, side="second")
    rewards = []
    for seed in range(3):
        planes, info = env.reset(seed=seed)
        over = False
        while not over:
            assert info["side"] == "second" == env.position.side
            np.testing.assert_array_equal(planes, env.position.planes())
            action = env.action_space.sample(info["action_mask"])
            planes, reward, terminated, truncated, info = env.step(action)
            over = terminated or truncated
        outcome = info["outcome"]
        assert reward == -outcome.result and truncated == outcome.cut_off
        rewards.append(reward)
    assert set(asked) == {"first"} and len(rewards) == 3


def test_gymnasium_actions_that_are_not_legal_lose():
    env = Game("xiangqi", side="first")
    env.reset(seed=1)
    _, reward, terminated, truncated, info = env.step(env.action_space.n - 1)
    assert (reward, terminated, truncated, info["illegal"]) == (-1.0, True, False, True)
    with pytest.raises(ValueError, match="call reset"):
        env.step(0)


def test_bad_options():
    for make in (
        lambda: two_agents("koshogi"),
        lambda: Game("koshogi"),
        lambda: Game("xiangqi", side="black"),
        lambda: Game("xiangqi", render_mode="human"),
        lambda: raw_env("xiangqi", render_mode="human"),
        lambda: Game("xiangqi", start="3k5/R8/9/9/9/9/9/9/9/4K4 b"),
        lambda: raw_env("chess"),
    ):
        with pytest.raises(ValueError):
            make()


def test_a_start_where_the_game_has_ended_is_refused():
    for environment in (two_agents, lambda *given, **named: kirin.gymnasium.Game(*given, **named)):
        with pytest.raises(ValueError, match="no game can start where it has ended"):
            environment("xiangqi", start="3k5/R8/9/9/9/9/9/9/9/4K4 b")
