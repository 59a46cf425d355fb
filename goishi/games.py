"""Board games as PettingZoo `AECEnv` environments: Gomoku and all other games that Goishi lists."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from ai.game import BLACK, EMPTY, PASS, WHITE, Game, Rules, RulesError
from ai.game.board import board_of, replayed
from ai.registry.project_games import GameInfo, get_game
from base.errors import FieldError, GoishiError, ResetNeededError, UsageError
from base.modules import ScriptPackage, maker_error
from base.trust import trust_for_this_run
from goishi.spaces import Space

NAMES = {BLACK: "black", WHITE: "white"}


METADATA: dict[str, Any] = {
    "name": "goishi",
    "render_modes": ["ansi"],
    "is_parallelizable": False,
    "render_fps": 1,
}


class GameEnv(AECEnv[str, Any, Any]):  # type: ignore[misc]  # the package is untyped
    """A game of two sides, "black" and "white", that take turns; black begins.

    A side's observation is `{"observation": [rows, columns, 2] int8, "action_mask": [points + 1]
    int8}`. The two planes of the observation show the side's own stones and those of the other
    side. An action is a number. It is a point, row by row, or the number of points, which means to
    pass. Passing is allowed only if no point can be played. At the end the winner gets 1 and the
    loser -1; in a draw both get 0.

    Args:
        game: the game to play.
        name: name of the environment.
    """

    metadata = METADATA

    def __init__(self, game: Game, name: str, render_mode: str | None = None) -> None:
        super().__init__()
        if render_mode not in (None, "ansi"):
            raise UsageError(f"render_mode: expected ansi or None, found {render_mode!r}")
        self.metadata = {**METADATA, "name": name}
        self.render_mode = render_mode
        self._game = game
        self._made_by: tuple[Any, ...] | None = None
        self._points = game.points
        self.possible_agents = list(NAMES.values())
        shape = (game.rows, game.size, 2)
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0, 1, shape, np.int8),
                    "action_mask": spaces.Box(0, 1, (self._points + 1,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {
            agent: spaces.Discrete(self._points + 1) for agent in self.possible_agents
        }
        self.position = board_of(game)
        self.agents: list[str] = []
        self._is_begun = False

    def __getstate__(self) -> dict[str, Any]:
        state = vars(self) | {"position": list(self.position.moves)}
        if self._made_by is not None:
            del state["_game"]  # the class of a project's game has a name of this process
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if self._made_by is not None:
            self._game = _found(*self._made_by)
        self.position = replayed(self._game, state["position"])

    def observation_space(self, agent: str) -> Space:
        """Return the observation space of a side, "black" or "white"."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Space:
        """Return the action space of a side, "black" or "white"."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game; both arguments are ignored, since nothing in a game is random."""
        self.position = board_of(self._game)
        self._is_begun = True
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = NAMES[self.position.to_move]

    def observe(self, agent: str) -> dict[str, Any]:
        """Return a side's observation; its mask is all 0 unless the side is to move.

        Raises:
            ResetNeededError: no game was begun.
        """
        self._check_begun("observe")
        stones = np.asarray(self.position.stones, np.int8).reshape(self._game.rows, -1)
        own = BLACK if agent == NAMES[BLACK] else WHITE
        planes = np.stack([stones == own, stones == -own], axis=-1).astype(np.int8)
        mask = np.zeros(self._points + 1, np.int8)
        if agent == self.agent_selection and not self._is_over:
            mask[:-1] = self.position.legal_moves.mask()
            mask[-1] = not mask.any()
        return {"observation": planes, "action_mask": mask}

    def step(self, action: Any) -> None:
        """Play a move for the side to move.

        Args:
            action: number of the point, or the number of points of the board, to pass. None if the
                game has ended.

        Raises:
            FieldError: the point cannot be played; nothing has happened.
            ResetNeededError: no game was begun.
        """
        self._check_begun("step")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self.position.push(self._checked(action))
        outcome = self.position.outcome()
        self._clear_rewards()
        if outcome is not None:
            for color, name in NAMES.items():
                won = 0.0 if outcome.winner in (None, EMPTY) else float(outcome.winner == color)
                lost = 0.0 if outcome.winner in (None, EMPTY) else float(outcome.winner == -color)
                self.rewards[name] = won - lost
                self.terminations[name] = True
        self.agent_selection = NAMES[self.position.to_move] if outcome is None else _other(agent)
        self._accumulate_rewards()

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Return what PettingZoo tells about the side whose turn it is.

        Args:
            observe: whether to include the observation; otherwise it is None.

        Returns:
            (observation, reward since its last move, terminated, truncated, info).

        Raises:
            ResetNeededError: no game was begun.
        """
        self._check_begun("last")
        found: tuple[Any, float, bool, bool, dict[str, Any]] = super().last(observe)
        return found

    def render(self) -> str | None:
        """Return the board as text if the render mode is "ansi"; otherwise None."""
        return str(self.position) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Do nothing: there is nothing to close."""

    @property
    def _is_over(self) -> bool:
        return any(self.terminations.values())

    def _check_begun(self, method: str) -> None:
        if not self._is_begun:
            raise ResetNeededError(f"{method}: expected a game that runs, found none: call reset()")

    def _checked(self, action: Any) -> int:
        mask = self.observe(self.agent_selection)["action_mask"]
        is_number = isinstance(action, int | np.integer) and not isinstance(action, bool)
        if not is_number or not 0 <= int(action) <= self._points or not mask[int(action)]:
            expected = "a point that can be played (its action_mask is 1)"
            raise FieldError("GameEnv.step", expected=expected, found=repr(action)[:60])
        return PASS if int(action) == self._points else int(action)


def make_game(
    name: str,
    *,
    project: str | Path | None = None,
    render_mode: str | None = None,
    size: int | None = None,
    rule: str | None = None,
) -> GameEnv:
    """Make an environment of a game by its name; `python main.py games` lists the names.

    Args:
        name: name of the game, such as "freestyle-15" or "tic-tac-toe".
        project: folder of a project whose own games can be named too; None for none.
        render_mode: "ansi" for the board as text; None for no rendering.
        size: number of columns instead of the game's own; also of rows, if the board is square.
        rule: which rows win, instead of the game's own rule: "freestyle", "standard", "renju" or
            "caro".

    Raises:
        UsageError: no game has this name, there is no such folder, or the game cannot have this
            size or rule.
    """
    made_by = (name, None if project is None else Path(project).resolve(), size, rule)
    env = GameEnv(_found(*made_by), name, render_mode)
    env._made_by = made_by
    return env


def _found(name: str, project: Path | None, size: int | None, rule: str | None) -> Game:
    """Return a game by its name.

    Args:
        name: name of the game.
        project: folder of a project whose own games can be named too; None for none.
        size: number of columns; None for the game's own.
        rule: name of the rule; None for the game's own.

    Raises:
        UsageError: no game has this name, there is no such folder, or the game cannot have this
            size or rule.
    """
    if project is not None and not project.is_dir():
        raise UsageError(f"project: expected a folder, found {project}")
    try:
        info = get_game(name, project)
    except LookupError as error:
        raise UsageError(str(error)) from None
    changes = {"size": size, "rule": rule}
    changes = {key: value for key, value in changes.items() if value is not None}
    game = _game_of(info)
    try:
        return replace(game, **changes) if changes else game  # type: ignore[type-var]
    except RulesError as error:
        raise UsageError(f"{name}: {error}") from None
    except (TypeError, ValueError) as error:
        raise UsageError(
            f"{name}: expected a game with {', '.join(changes)}, found {error}"
        ) from None


def _game_of(info: GameInfo) -> Game:
    """Return the game that a list entry describes.

    A class of a project is loaded under a module name of its own, so that projects do not mix.

    Args:
        info: the game's entry in the list of games.

    Raises:
        UsageError: the project has no such class.
        MakerError: the class cannot be made.
    """
    if info.project is None or isinstance(info.described, Rules):
        return info.rules
    fields = dict(info.described)
    module, _, name = str(fields.pop("create")).partition(":")
    trust_for_this_run(info.project)  # the program names it
    private = f"goishi_game_{abs(hash(info.project)):x}"
    package = ScriptPackage(info.project, private, has_text_annotations=False)
    try:
        kind = getattr(package.module_within(module), name, None)
        if not isinstance(kind, type) or Game not in kind.__mro__:
            raise UsageError(
                f"{info.name}: expected a class that derives from Game, found {module}:{name}"
            )
        made: Game = kind(**fields)
    except (GoishiError, KeyboardInterrupt):
        raise
    except BaseException as error:  # whatever the project's code raises
        raise maker_error(f"game {info.name}", error, info.project) from error
    return made


def _other(agent: str) -> str:
    return NAMES[WHITE] if agent == NAMES[BLACK] else NAMES[BLACK]
