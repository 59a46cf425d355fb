"""A seat at the board: holds a player in a worker process, or waits for a person's click."""

from __future__ import annotations

from typing import Any

from ai import (
    Configure,
    Game,
    Limit,
    LoadWeights,
    MoveChoice,
    MoveChosen,
    PlayerInfo,
    PlayRequest,
    Ready,
    find_player_info,
    get_player_info,
)
from scripts.gomoku.board.board_view import BoardView
from sim import Script, field, option, signal

HUMAN = "human"


class Seat(Script):
    """Base class of the seats: `settings()` converts fields to the player's settings."""

    board: BoardView = field(None, help="Where a person clicks")
    player_white: str | None = option(metavar="NAME", help="Who plays White.", listed_by="players")
    player_black: str | None = option(metavar="NAME", help="Who plays Black.", listed_by="players")
    is_human: bool = field(False, help="A person plays this seat")
    ready = signal()

    def awake(self) -> None:
        self.color = 0
        self.player = ""
        self.rules: Game | None = None
        self.is_compiled = True
        self.link: Any = None
        self.think_seconds = 0.0
        self.network: LoadWeights | None = None
        self._configured: Any = None
        self.is_away = False
        self._asked_for = ""
        self._sitting: PlayerInfo | None = None
        self._is_recalled = False
        self._legal: frozenset[int] = frozenset()

    def player_name(self) -> str:
        """Return the name of the player that the fields select."""
        return "random"

    def settings(self) -> dict[str, Any]:
        """Return the player's settings from the fields."""
        return {}

    def hold(self, name: str) -> bool:
        """Set the fields to a player, if possible; return whether they select it."""
        return name == self.player_name()

    def take_side(self, color: int) -> None:
        """Seat the player that the command line names for this color; once, at first."""
        name = (self.player_black if color == 1 else self.player_white) or ""
        self._asked_for = "" if not name or self.hold(name) else name

    def chosen_player(self) -> str:
        """Return the command line's player if the fields cannot select it, else the fields'."""
        return self._asked_for or self.player_name()

    def chosen_settings(self) -> dict[str, Any]:
        """Return the chosen player's settings: the fields' if they select it, else none."""
        return self.settings() if self.chosen_player() == self.player_name() else {}

    @property
    def label(self) -> str:
        """Display name of the player."""
        return "you" if self.is_human else self.player

    @property
    def info(self) -> PlayerInfo:
        """What is known of who sits here, or shall at the first game; of a person: "you"."""
        if self.is_human:
            return PlayerInfo("you", "A person who clicks on points.", "you")
        name = self.player or self.chosen_player()
        if self._sitting is None or self._sitting.name != name:
            self._sitting = find_player_info(name, self.run.project)
        return self._sitting

    @property
    def network_id(self) -> int:
        """Id of the network that plays here; 0 without a learner's network."""
        return 0 if self.network is None else self.network.network_id

    @property
    def seated(self) -> Configure | None:
        """The player in this seat's worker, None before the first game."""
        configured: Configure | None = self._configured
        return configured

    @property
    def seated_settings(self) -> dict[str, Any]:
        """The seated player's settings; empty before the first game."""
        return {} if self.seated is None else dict(self.seated.settings)

    async def prepare(self, color: int, rules: Game) -> None:
        """Seat the player for the next game; does nothing if nothing has changed."""
        name, own = self.chosen_player(), self.chosen_settings()
        if name == HUMAN:
            self.is_human = self.is_human or self._configured is None  # who left has left
            name, own = self.player_name(), self.settings()
        get_player_info(name, self.run.project)
        request = Configure(player=name, rules=rules, settings=own, color=color)
        if request == self._configured:
            return
        if name != self.player:
            self.network = None  # another player's fits this one no more
        self.color, self.player, self.rules = color, name, rules
        if self.link is None:
            self.link = self.workers.open(
                f"{'black' if color == 1 else 'white'} ({name})",
                "ai.workers.player:main",
                {"project": str(self.run.project)},
                on_restart=self._set_up,
                owner=self.slot,
            )
        answer: Ready = await self.background(self.link.request(request))
        self._configured = request
        self.is_compiled = answer.compiled
        if self.network is not None and get_player_info(name, self.run.project).learner:
            await self.use_network(self.network)

    async def use_network(self, network: LoadWeights) -> None:
        """Load a network, and the memory beside it, into the player."""
        self.network = network
        await self.background(self.link.request(network))

    async def choose(
        self, *, session: int, game: int, moves: tuple[int, ...], legal: frozenset[int], seed: int
    ) -> MoveChoice:
        """Return the seat's move; waits for the worker or a person's click."""
        if self.is_human:
            return await self._await_click(legal)
        request = PlayRequest(
            session=session, game=game, ply=len(moves), moves=moves, limit=Limit(), seed=seed
        )
        while True:
            answer: MoveChosen = await self.background(self.link.request(request))
            if (answer.session, answer.game, answer.ply) == (session, game, len(moves)):
                self.think_seconds += answer.seconds
                return answer.choice

    def replace_worker(self) -> None:
        """Restart the worker to use newly compiled kernels. Between games only."""
        if self.link is not None and not self.is_compiled:
            self.link.restart()
            self._configured = None

    def recall(self) -> None:
        """Cancel the request for a person's click."""
        self._is_recalled = True

    async def _await_click(self, legal: frozenset[int]) -> MoveChoice:
        self._legal, self._is_recalled = legal, False
        try:
            move = await self.board.ask_point(
                legal,
                self.color,
                is_wanted=lambda: self.is_human and not self._is_recalled,
                may_use=lambda: not self.is_away,
            )
        finally:
            self._legal = frozenset()
        return MoveChoice(move)

    def _set_up(self, link: Any) -> None:
        """Configure a restarted worker with the player and its weights."""
        if self._configured is not None:
            link.send(self._configured)
            if self.network is not None and get_player_info(self.player, self.run.project).learner:
                link.send(self.network)
