"""A game as a PettingZoo environment of two agents in turn.

>>> from kirin.pettingzoo import env
>>> game = env("xiangqi")
>>> game.reset(seed=1)
>>> observation, reward, terminated, truncated, info = game.last()
>>> game.step(game.action_space(game.agent_selection).sample(observation["action_mask"]))
>>> game.agent_selection
'player_1'
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

import kirin

__all__ = ["env", "raw_env"]


def env(variant: str, **options: Any) -> AECEnv:
    """The environment with PettingZoo's usual checks of the order of calls. The options are those of raw_env.

    >>> from kirin.pettingzoo import env
    >>> env("wangqi", attacks=True).possible_agents
    ['player_0', 'player_1']
    """
    return wrappers.OrderEnforcingWrapper(raw_env(variant, **options))


class raw_env(AECEnv):  # type: ignore[misc] # a class without types
    """Agents 'player_0', the first player, and 'player_1'. An observation has the planes of Position.planes() and the mask of
    legal actions, both from the point of view of the side to move. The mask of the agent that is not to move is empty.

    The winner's reward is 1 and the loser's -1. A game that reaches the ply limit without a winner is truncated.
    `start` is a FEN, `ruleset` the text of a rule set, `attacks` adds the planes of attacked squares.

    >>> from kirin.pettingzoo import raw_env
    >>> game = raw_env("xiangqi")
    >>> game.reset()
    >>> game.step(game.position.action("h3e3"))
    >>> game.position.moves()
    ['h3e3']
    """

    metadata: dict[str, Any] = {"name": "kirin_v0", "render_modes": ["ansi", "svg"], "is_parallelizable": False}

    def __init__(
        self,
        variant: str,
        *,
        start: str | None = None,
        ruleset: str | None = None,
        attacks: bool = False,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise ValueError(f"render_mode is {render_mode!r}; expected one of {self.metadata['render_modes']}")
        self._start = kirin.Position(variant, start, ruleset)
        if self._start.outcome() is not None:
            raise ValueError(f"no game can start where it has ended: {self._start.fen}")
        self._attacks = attacks
        self.position = self._start.copy()
        self.render_mode = render_mode
        self.possible_agents = ["player_0", "player_1"]
        self.agents = self.possible_agents[:]
        actions = len(self.position.action_mask())  # the message where the variant has no table is Kirin's
        shape = kirin.planes_shape(variant, attacks=attacks)
        self.action_spaces = {agent: spaces.Discrete(actions) for agent in self.possible_agents}
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0.0, np.inf, shape, np.float32),
                    "action_mask": spaces.MultiBinary(actions),
                }
            )
            for agent in self.possible_agents
        }

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def _agent_to_move(self) -> str:
        return "player_0" if self.position.side == "first" else "player_1"

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        self.position = self._start.copy()
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self._agent_to_move()

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        mask = self.position.action_mask()
        if agent != self._agent_to_move():
            mask[:] = False
        # The planes are those of the side to move, also for the other agent: PettingZoo asks for those of the agent to move.
        return {
            "observation": self.position.planes(attacks=self._attacks),
            "action_mask": mask.astype(np.int8),
        }

    def step(self, action: int | None) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError(f"{agent} is to move; give an action")
        self.position.push(self.position.move_of(action))
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        outcome = self.position.outcome()
        if outcome is not None:
            self.rewards = {"player_0": float(outcome.result), "player_1": float(-outcome.result)}
            self.terminations = dict.fromkeys(self.agents, not outcome.cut_off)
            self.truncations = dict.fromkeys(self.agents, outcome.cut_off)
            self.infos = {agent: {"outcome": outcome} for agent in self.agents}
        self.agent_selection = self._agent_to_move()
        self._accumulate_rewards()

    def render(self) -> str | None:
        if self.render_mode is None:
            return None
        return self.position.svg() if self.render_mode == "svg" else str(self.position)

    def close(self) -> None:
        pass
