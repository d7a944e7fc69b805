"""A game as a Gymnasium environment of one agent that plays against a chosen opponent.

>>> from kirin.gymnasium import Game
>>> env = Game("wangqi")
>>> observation, info = env.reset(seed=1)
>>> action = env.action_space.sample(info["action_mask"])
>>> observation, reward, terminated, truncated, info = env.step(action)
>>> env.position.ply
2
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

import kirin

__all__ = ["Game"]


class Game(gymnasium.Env):
    """The agent plays `side` ('first', 'second', or 'random' for one of them in each game); `opponent` is a function that
    gets a Position and returns a move in UCI, and without it plays random moves.

    An observation is Position.planes(); `info["action_mask"]` (int8, as Gymnasium samples with it) has the legal actions.
    The reward is 1 for a win, -1 for a loss, and otherwise 0. An action that is not legal loses the game, and `info` has
    `"illegal": True`.

    >>> from kirin.gymnasium import Game
    >>> env = Game("xiangqi", side="first")
    >>> observation, info = env.reset(seed=1)
    >>> observation, reward, terminated, truncated, info = env.step(env.position.action("h3e3"))
    >>> reward, terminated, env.position.moves()[0]
    (0.0, False, 'h3e3')
    """

    metadata = {"render_modes": ["ansi", "svg"], "render_fps": 1}

    def __init__(
        self,
        variant: str,
        *,
        opponent: Callable[[kirin.Position], str] | None = None,
        side: str = "random",
        start: str | None = None,
        ruleset: str | None = None,
        attacks: bool = False,
        render_mode: str | None = None,
    ) -> None:
        if side not in ("first", "second", "random"):
            raise ValueError(f"side is {side!r}; expected 'first', 'second' or 'random'")
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise ValueError(f"render_mode is {render_mode!r}; expected one of {self.metadata['render_modes']}")
        self._start = kirin.Position(variant, start, ruleset)
        if self._start.outcome() is not None:
            raise ValueError(f"no game can start where it has ended: {self._start.fen}")
        self._opponent = opponent or self._random_move
        self._side = side
        self._attacks = attacks
        self._over = True
        self.position = self._start.copy()
        self.render_mode = render_mode
        shape = kirin.planes_shape(variant, attacks=attacks)
        self.observation_space = spaces.Box(0.0, np.inf, shape, np.float32)
        self.action_space = spaces.Discrete(len(self.position.action_mask()))

    def _random_move(self, position: kirin.Position) -> str:
        moves = position.legal_moves()
        return moves[int(self.np_random.integers(len(moves)))]

    def _info(self, **more: Any) -> dict[str, Any]:
        return {"action_mask": self.position.action_mask().astype(np.int8), "side": self.side, **more}

    def _reply(self) -> None:
        self.position.push(self._opponent(self.position.copy()))

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        super().reset(seed=seed)
        while True:
            self.position = self._start.copy()
            self.side = ("first", "second")[int(self.np_random.integers(2))] if self._side == "random" else self._side
            if self.position.side != self.side:
                self._reply()
            if self.position.outcome() is None:
                break
            if self._side != "random":
                raise ValueError(f"the opponent ends the game with its first move from {self._start.fen}")
        self._over = False
        return self.position.planes(attacks=self._attacks), self._info()

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        if self._over:
            raise ValueError("the game is over; call reset()")
        try:
            move = self.position.move_of(int(action))
        except ValueError:
            self._over = True
            return self.position.planes(attacks=self._attacks), -1.0, True, False, self._info(illegal=True)
        self.position.push(move)
        outcome = self.position.outcome()
        if outcome is None:
            self._reply()
            outcome = self.position.outcome()
        planes = self.position.planes(attacks=self._attacks)
        if outcome is None:
            return planes, 0.0, False, False, self._info()
        self._over = True
        reward = float(outcome.result if self.side == "first" else -outcome.result)
        return planes, reward, not outcome.cut_off, outcome.cut_off, self._info(outcome=outcome)

    def render(self) -> str | None:
        if self.render_mode is None:
            return None
        return self.position.svg() if self.render_mode == "svg" else str(self.position)
