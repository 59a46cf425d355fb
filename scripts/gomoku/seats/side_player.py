"""A player in a separate worker, independent of the match's workers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ai import (
    Configure,
    Game,
    Limit,
    LoadCheckpoint,
    LoadWeights,
    MoveChoice,
    MoveChosen,
    PlayRequest,
    get_player_info,
)

if TYPE_CHECKING:
    from scripts.gomoku.game.match import Match
    from sim import Script


@dataclass(frozen=True)
class Network:
    """A network that a player can load."""

    source: str
    message: LoadWeights | LoadCheckpoint
    """Message that loads it in a worker: its weights, or the folder of a checkpoint."""

    @property
    def network_id(self) -> int:
        """Its id; 0 before the first training."""
        return self.message.network_id

    @property
    def label(self) -> str:
        """Text in a list."""
        return f"{self.network_id}, {self.source}"


class SidePlayer:
    """A worker that can be any player of the registry, with any network."""

    def __init__(self, script: Script, title: str) -> None:
        """Start without a worker process.

        Args:
            script: owner of the worker, which is ended with it.
            title: name of the worker in the console.
        """
        self._script = script
        self._title = title
        self._link: Any = None
        self._configured: Configure | None = None
        self._network: Network | None = None

    async def sit_down(self, player: Configure, network: Network | None = None) -> None:
        """Load a player and network into the worker, unless they are loaded.

        Raises:
            WorkerError: the worker cannot load it.
        """
        if self._link is None:
            self._link = self._script.workers.open(
                self._title,
                "ai.workers.player:main",
                {"project": str(self._script.run.project)},
                on_restart=self._set_up,
                owner=self._script.slot,
            )
        if player != self._configured:
            await self._script.background(self._link.request(player))
            self._configured, self._network = player, None
        if network is not None and network is not self._network:
            await self._script.background(self._link.request(network.message))
            self._network = network

    async def choose(self, moves: tuple[int, ...], *, seed: int) -> MoveChoice:
        """Return the player's move after `moves`.

        Raises:
            WorkerError: the player failed.
        """
        request = PlayRequest(
            session=1, game=0, ply=len(moves), moves=moves, limit=Limit(), seed=seed
        )
        answer: MoveChosen = await self._script.background(self._link.request(request))
        return answer.choice

    def _set_up(self, link: Any) -> None:
        """Configure a restarted worker with the player and its weights."""
        if self._configured is not None:
            link.send(self._configured)
            if self._network is not None:
                link.send(self._network.message)


def player_like(match: Match, name: str, rules: Game) -> tuple[Configure, Network | None]:
    """Return the configuration and network of a player, as in the match if it plays there."""
    for seat in (match.white, match.black):
        seated = seat.seated
        if seated is None or seated.player != name or seated.rules.size != rules.size:
            continue
        player = replace(seated, rules=rules, color=0)
        if seat.network is None or not get_player_info(name, match.run.project).learner:
            return player, None
        return player, Network("now", seat.network)
    return Configure(player=name, rules=rules), None
