"""Seats: who plays a side, a player in a worker process or a person who clicks."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from ai import (
    Choice,
    Game,
    Limit,
    MoveChoice,
    OpeningPhase,
    Option,
    PlayerInfo,
    ProjectError,
    Said,
    UnknownPlayerError,
    find_player_info,
    get_player_info,
    refusal_of,
    split_label,
)
from ai.messages import (
    AskKernels,
    Configure,
    DescribePlayer,
    KernelState,
    LoadCheckpoint,
    LoadWeights,
    MoveChosen,
    OpeningAnswered,
    OpeningRequest,
    PlayerDescribed,
    PlayRequest,
    Ready,
)
from scripts.gomoku.board.board_view import BoardView, NoPointError
from sim import FieldError, FormerName, Script, WorkerError, field, option, signal, tr

HUMAN = "human"
STAND_IN = "random"
"""Player that is created at a person's seat if the seat's own player cannot play the game."""


@dataclass(frozen=True)
class LoadableNetwork:
    """A network that a player can load.

    Attributes:
        source: where it comes from, for example "this run" or the name of a checkpoint.
    """

    source: str
    message: LoadWeights | LoadCheckpoint
    """Message that makes a worker load it; contains its weights or the folder of a checkpoint."""

    @property
    def network_id(self) -> int:
        """Its id; 0 before the first training."""
        return self.message.network_id

    @property
    def label(self) -> str:
        """Text for a list: the number and the source."""
        return f"{self.network_id}, {self.source}"


class PlayerWorker:
    """A worker process that can play as any known player, with any network.

    If the process dies, a new one is set up with the same player and network.

    Attributes:
        player: the player in the worker; None before the first.
        network: the network that it has loaded; None if there is none.
        is_compiled: whether the player runs at full speed.
        link: connection to the worker; None until it is started.
        is_provisional: whether the player searches less than usual, as its fast code is still being
            compiled. It is renewed at the first `sit_down` after that.
        lacks_kernels: whether fast code of some players was not compiled when the process chose its
            own. Each player then gets a new process.
    """

    def __init__(
        self, script: Script, title: str, *, is_needed: bool = False, keeps_limits: bool = False
    ) -> None:
        """Create the object; the process starts when it is first needed.

        Args:
            script: owner of the worker, which ends with it.
            title: name of the worker in the console.
            is_needed: whether a headless run ends if the process has died too often.
            keeps_limits: whether the limits of moves hold even while fast code is being compiled,
                because the results are measured.
        """
        self.player: Configure | None = None
        self.network: LoadWeights | LoadCheckpoint | None = None
        self.is_compiled = True
        self.is_provisional = False
        self.link: Any = None
        self.lacks_kernels = False
        self._script = script
        self._title = title
        self._is_needed = is_needed
        self._keeps_limits = keeps_limits
        self._ahead: tuple[Configure, Any] | None = None  # asked for, and its answer to come

    async def sit_down(
        self, player: Configure, network: LoadWeights | LoadCheckpoint | None = None
    ) -> None:
        """Make the worker play as a player with a network.

        Nothing is done again if the worker already has this player or this network.

        Args:
            player: the player, its rules and its settings.
            network: the network; None to leave the network as it is.

        Raises:
            WorkerError: the player or network cannot be created, or the worker failed.
        """
        self.open()
        if player == self.player and self.is_provisional and await self._is_code_ready():
            network = network or self.network
            self.restart()
        if player != self.player:
            if self.link.failure or self.lacks_kernels:  # another player may do better
                self.link.restart()
            ready: Ready = await self._script.background(self._asked(player))
            self.player, self.network, self.is_compiled = player, None, ready.compiled
            self.lacks_kernels = ready.is_first_choice
            self.is_provisional = ready.is_first_choice and not ready.compiled
        if network is not None and network is not self.network:
            await self._script.background(self.link.request(network))
            self.network = network

    def _asked(self, player: Configure) -> Any:
        """Return the worker's answer to come, of a player that is asked for, maybe ahead."""
        ahead, self._ahead = self._ahead, None
        if ahead is not None and ahead[0] == player and ahead[1].error is None:
            return ahead[1]
        return self.link.request(player)

    async def _is_code_ready(self) -> bool:
        """Return whether the player's fast code is compiled by now."""
        state: KernelState = await self._script.background(self.link.request(AskKernels()))
        return state.is_ready

    def stand_up(self) -> None:
        """Forget the player, so that the next `sit_down` creates it anew in any case."""
        self.player = None

    async def describe(self, name: str) -> tuple[Option, ...]:
        """Return the settings that a player offers. The worker does not change its own player.

        Args:
            name: name of the player.

        Raises:
            WorkerError: no player has this name, or its module cannot be imported.
        """
        self.open()
        answer: PlayerDescribed = await self._script.background(
            self.link.request(DescribePlayer(name))
        )
        return answer.settings

    def open(self, player: Configure | None = None) -> None:
        """Start the process, unless it runs.

        Args:
            player: the first player, which the process then creates while others start; None to
                wait for `sit_down`.
        """
        if self.link is None:
            self.link = self._script.workers.open(
                self._title,
                "ai.workers.player:main",
                {"project": str(self._script.run.offering)},
                on_restart=self._set_up,
                owner=self._script.slot,
                keeps_nothing=True,
                is_optional=not self._is_needed,
            )
            if player is not None:
                self._ahead = (player, self.link.request(player))

    async def choose(
        self,
        moves: tuple[int, ...],
        *,
        seed: int,
        session: int = 1,
        game: int = 0,
        limit: Limit | None = None,
        may_give_up: bool = False,
    ) -> MoveChosen:
        """Return the player's move in a position.

        Args:
            moves: all moves of the game so far.
            seed: random seed of the move.
            session: number of the match, which the answer repeats.
            game: number of the game, which the answer repeats.
            limit: limit of the thinking time; None for the player's own.
            may_give_up: whether the player may answer that it gives the game up.

        Raises:
            WorkerError: the player failed, or gave up though it may not.
        """
        limit = self._bounded(limit or Limit())
        request = PlayRequest(session, game, len(moves), moves, limit, seed)
        while True:
            answer: MoveChosen = await self._script.background(self.link.request(request))
            if (answer.session, answer.game, answer.ply) == (session, game, len(moves)):
                if answer.choice.forfeit and not may_give_up:
                    raise WorkerError(answer.choice.forfeit)
                return answer

    def _bounded(self, limit: Limit) -> Limit:
        """Return the limit of a move; a low one while the player's fast code is being compiled.

        So nobody waits for the slow version. It is left as it is in runs that can be repeated: with
        a seed, or at maximum speed.
        """
        run, player = self._script.run, self.player
        if not self.is_provisional or player is None or self._keeps_limits:
            return limit
        if run.seeded or self._script.time.instant:
            return limit
        most = find_player_info(player.player, run.offering).plain_nodes
        return replace(limit, nodes=most if limit.nodes is None else min(most, limit.nodes))

    async def answer_opening(
        self,
        phase: OpeningPhase,
        *,
        seed: int,
        session: int = 1,
        game: int = 0,
        limit: Limit | None = None,
    ) -> OpeningAnswered:
        """Return the player's answer in an opening: a choice of color, or stones.

        Args:
            phase: the opening so far.
            seed: random seed of the answer.
            session: number of the match, which the answer repeats.
            game: number of the game, which the answer repeats.
            limit: limit of the thinking time; None for the player's own.

        Raises:
            WorkerError: the player failed.
        """
        request = OpeningRequest(session, game, phase, self._bounded(limit or Limit()), seed)
        while True:
            answer: OpeningAnswered = await self._script.background(self.link.request(request))
            known = (answer.session, answer.game, answer.steps)
            if known == (session, game, len(phase.said)):
                return answer

    def restart(self) -> None:
        """Restart the process; the player is created again at the next `sit_down`."""
        self.link.restart()
        self.player, self.lacks_kernels = None, False

    def _set_up(self, link: Any) -> None:
        """Give a restarted process the player and network that the previous one had.

        Args:
            link: connection to the restarted process.
        """
        if self.player is not None:
            link.send(self.player)
            if self.network is not None:
                link.send(self.network)


PERSON = PlayerInfo(
    "you", tr("A person who clicks on points."), "you", title=tr("you"), short_name=tr("you")
)
"""Entry of a person at the window in the list of players."""


class Seat(Script):
    """Base class of the seats; a subclass turns its fields into the settings of a player.

    Attributes:
        color: color that the seat plays, 1 or -1; 0 before the first game.
        player: name of the player in the worker; empty before the first game.
        rules: rules of the game that the player was created for.
        worker: worker process of the player; None before the first game.
        think_seconds: sum of the thinking times so far, seconds.
        is_away: whether the match is paused, so that clicks do not belong to this seat.
        offered: choices that a person has at present in an opening.
    """

    board: BoardView = field(None, help=tr("Where a person clicks"))
    player_white: str | None = option(
        metavar="NAME", listed_by="players", help="Who plays White: NAME, or NAME@KEY=VALUE,…"
    )
    player_black: str | None = option(
        metavar="NAME", listed_by="players", help="Who plays Black: NAME, or NAME@KEY=VALUE,…"
    )
    move_seconds: float | None = option(
        min=0.001,
        max=3600.0,
        metavar="S",
        help="Thinking time of each move, of players that think.",
    )
    is_human: bool = field(
        False, title=tr("Played by a person"), help=tr("You play here, with clicks")
    )
    guest: str = field(
        "",
        title=tr("Player at this seat"),
        help=tr("A name that `python main.py players` lists; empty: the seat's own player"),
    )
    player_settings: dict[str, Any] = field(
        {},
        options="player_options",
        help=tr("Settings of players that have no fields here: {player: {key: value}}"),
    )
    ready = signal()
    has_own_fields: ClassVar[bool] = True
    """Whether the settings of the selected player are fields of the seat."""

    def awake(self) -> None:
        self._options: dict[str, tuple[Option, ...] | None] = {}
        self.color = 0
        self.player = ""
        self.rules: Game | None = None
        self.worker: PlayerWorker | None = None
        self.think_seconds = 0.0
        self.is_away = False
        self._asked_for = ""
        self._guest_then = ""
        self._sitting: PlayerInfo | None = None
        self._is_recalled = False
        self._legal: frozenset[int] = frozenset()
        self.offered: tuple[Choice, ...] = ()
        self._chosen: Choice | None = None

    def player_name(self) -> str:
        """Return the name of the player that the fields select."""
        return "random"

    def settings(self) -> dict[str, Any]:
        """Return the player's settings from the fields."""
        return {}

    def hold(self, name: str) -> bool:
        """Set the fields so that they select a player, if they can.

        Args:
            name: name of the player.

        Returns:
            Whether the fields select that player now.
        """
        return name == self.player_name()

    def take_side(self, color: int) -> None:
        """Choose the player that the command line names for a color; called once, at the start.

        Args:
            color: color of the seat, 1 or -1.

        Raises:
            OptionError: a setting on the command line is invalid.
        """
        label = (self.player_black if color == 1 else self.player_white) or ""
        name, given = split_label(label)
        self._guest_then = self.guest
        self._asked_for = "" if not name or self.hold(name) else name
        if not self._asked_for and label and self.has_own_fields:
            declared: dict[str, Any] = {key: getattr(type(self), key, None) for key in given}
            for key in [key for key, item in declared.items() if hasattr(item, "option")]:
                setattr(self, key, declared[key].option.resolve(given.pop(key)))
        if given:
            own = {**self._settings_of(name), **{key: _read(text) for key, text in given.items()}}
            self.player_settings = {**self.player_settings, name: own}

    def chosen_player(self) -> str:
        """Return the name of the player for the next game.

        The command line decides first, then the field `guest`, then the seat's other fields. A
        guest chosen during the run has priority over the command line.
        """
        if self._asked_for and self.guest == self._guest_then:
            return self._asked_for
        return self.guest or self.player_name()

    def validate(self) -> None:
        self.check_player("guest", self.guest)

    def check_player(self, field_name: str, name: str) -> None:
        """Check that there is a player of a name; "" is none and always right.

        Args:
            field_name: name of the field that holds it.
            name: name of the player.

        Raises:
            FieldError: there is none; the message lists the known ones.
        """
        try:
            if name:
                get_player_info(name, self.run.offering)
        except UnknownPlayerError as error:
            raise FieldError(field_name, expected=error.expected, found=repr(name)) from None
        except ProjectError as error:
            raise FieldError(field_name, expected="a known player", found=str(error)) from None

    def chosen_settings(self) -> dict[str, Any]:
        """Return the settings of `chosen_player`.

        The settings in the field `player_settings` come first. The others come from the seat's own
        fields, if these select this player.
        """
        name = self.chosen_player()
        own = self.settings() if name == self.player_name() else {}
        return {**own, **self._settings_of(name)}

    def sitting(self) -> tuple[str, dict[str, Any]]:
        """Return the player of the next game, and its settings."""
        return self.chosen_player(), self.chosen_settings()

    def noted_settings(self) -> dict[str, Any]:
        """Return the settings whose changes are kept with the run."""
        return self.chosen_settings()

    @property
    def member(self) -> str | None:
        """Opponent of the league that plays this game; None if the same player plays all games."""
        return None

    def played_as(self, opponent: str | None) -> tuple[str, dict[str, Any]] | None:
        """Return the player that played a past game at this seat.

        Args:
            opponent: opponent of the league that played the game; None without a league.

        Returns:
            Name and settings of the player; None if it is the present player.
        """
        return None

    def prepare_game(self, game: int) -> None:
        """Prepare for the game with this number; called before `prepare`."""

    await_game = FormerName("prepare_game")

    def _settings_of(self, name: str) -> dict[str, Any]:
        """Return what the field `player_settings` contains for a player.

        Args:
            name: name of the player.

        Returns:
            The settings by name; empty if there are none.

        Raises:
            FieldError: the field's entry for the player is not a mapping of settings.
        """
        found = self.player_settings.get(name, {})
        if not isinstance(found, dict):
            expected = tr("{name}: {{key: value}}").format(name=name)
            raise FieldError("player_settings", expected=expected, found=repr(found)[:80])
        return found

    @property
    def player_options(self) -> Mapping[str, tuple[Option, ...] | None]:
        """Editable settings of the chosen player, as a mapping from its name to its settings.

        The settings are None while a worker is asked for them. The mapping is empty for a person,
        and if the settings are fields of the seat.
        """
        name = self.chosen_player()
        if name == HUMAN or (name == self.player_name() and self.has_own_fields):
            return {}
        if name not in self._options:
            self._options[name] = find_player_info(name, self.run.offering).own_settings or None
            if self._options[name] is None:
                self.start_coroutine(self._learn_options(name))
        return {name: self._options[name]}

    async def _learn_options(self, name: str) -> None:
        try:
            self._options[name] = await self._given_worker(name).describe(name)
        except WorkerError as error:
            self.log.warning(f"the settings of {name} are not known: {error}")

    def _given_worker(self, name: str) -> PlayerWorker:
        """Return the seat's worker; create it if there is none yet.

        Args:
            name: name of the player, part of the worker's name in the console.
        """
        if self.worker is None:
            title = f"{'white' if self.color < 0 else 'black'} ({name})"
            self.worker = PlayerWorker(self, title, is_needed=True)
        return self.worker

    @property
    def limit(self) -> Limit:
        """Limit of a move: the thinking time from the command line, else the player's own limit."""
        return Limit(seconds=self.move_seconds)

    @property
    def label(self) -> str:
        """Display name of the player."""
        return tr("you") if self.is_human else self.player

    @property
    def info(self) -> PlayerInfo:
        """Entry of the seat's player in the list of players; it says "you" for a person."""
        if self.is_human:
            return PERSON
        name = self.player or self.chosen_player()
        if self._sitting is None or self._sitting.name != name:
            self._sitting = find_player_info(name, self.run.offering)
        return self._sitting

    @property
    def network(self) -> LoadWeights | LoadCheckpoint | None:
        """The learner's network that plays here; None if the player has none."""
        return None if self.worker is None else self.worker.network

    @property
    def network_id(self) -> int:
        """Id of the network that plays here; 0 without a learner's network."""
        return 0 if self.network is None else self.network.network_id

    @property
    def seated(self) -> Configure | None:
        """Message that created the player in this seat's worker; None before the first game."""
        return None if self.worker is None else self.worker.player

    @property
    def is_compiled(self) -> bool:
        """Whether the player runs at full speed; True before the first game."""
        return self.worker is None or self.worker.is_compiled

    @property
    def seated_settings(self) -> dict[str, Any]:
        """The seated player's settings; empty before the first game."""
        return {} if self.seated is None else dict(self.seated.settings)

    def require_player(self) -> None:
        """Check that the player of the next game is known, before a process starts for it.

        Raises:
            UnknownPlayerError: no player has the chosen name.
        """
        name = self.sitting()[0]
        if name != HUMAN:
            get_player_info(name, self.run.offering)

    def open_worker(self, color: int, rules: Game) -> None:
        """Start the worker's process ahead of `prepare`, and let it create the player.

        Args:
            color: color that the seat plays.
            rules: rules of the game.
        """
        self.color = color  # after an opening that swapped, too
        name, own = self.sitting()
        if name == HUMAN:
            self._given_worker(self.player_name()).open()
            return
        player = Configure(player=name, rules=rules, settings=own, color=color)
        self._given_worker(name).open(player)

    async def prepare(self, color: int, rules: Game) -> None:
        """Create the player for the next game in the worker; does nothing if nothing has changed.

        Args:
            color: color that the seat plays.
            rules: rules of the game.

        Raises:
            WorkerError: the player cannot be created.
            UnknownPlayerError: no player has the chosen name.
        """
        self.color = color  # after an opening that swapped, too
        chosen = name, own = self.sitting()
        if name == HUMAN:
            self.is_human = self.is_human or self.seated is None  # who left has left
            name, own = self.player_name(), self.settings()
            info = find_player_info(name, self.run.offering)
            if info.factory and refusal_of(info, rules, own):  # who returns must be able to play
                name, own = STAND_IN, {}
        get_player_info(name, self.run.offering)
        request = Configure(player=name, rules=rules, settings=own, color=color)
        if request == self.seated:
            await self.renew()
            return
        kept = self.network if name == self.player else None  # another player's fits no more
        self.player, self.rules = name, rules
        try:
            await self._given_worker(name).sit_down(request, kept)
        except WorkerError:
            if self.sitting() == chosen:
                raise
            await self.prepare(color, rules)  # renamed or taken away while the process began

    async def use_network(self, network: LoadWeights) -> None:
        """Load a network and its remembered positions into the seat's player."""
        if self.worker is not None and self.seated is not None:
            await self.worker.sit_down(self.seated, network)

    async def choose(
        self, *, session: int, game: int, moves: tuple[int, ...], legal: frozenset[int], seed: int
    ) -> MoveChoice:
        """Return the seat's move; wait for the player, or for a person's click.

        Args:
            session: number of the match.
            game: number of the game.
            moves: all moves of the game so far.
            legal: points that may be played.
            seed: random seed of the move.

        Raises:
            NoPointError: the request to the person was cancelled.
            WorkerError: the player failed.
        """
        if self.is_human:
            return await self._await_click(legal)
        if self.worker is None:
            raise RuntimeError("expected a seat whose player was prepared")
        if not (self.run.seeded or self.time.instant):  # such a run can be repeated
            await self.renew()
        answer = await self.worker.choose(
            moves, seed=seed, session=session, game=game, limit=self.limit, may_give_up=True
        )
        self.think_seconds += answer.seconds
        return answer.choice

    async def answer_opening(
        self, phase: OpeningPhase, *, game: int, points: frozenset[int], color: int, seed: int
    ) -> tuple[Said, ...]:
        """Return the seat's answer in an opening: a choice of color, or stones.

        A player answers with all stones, a person with one stone at a time.

        Args:
            phase: the opening so far.
            game: number of the game.
            points: points that may be played.
            color: color of the next stone.
            seed: random seed of the answer.

        Raises:
            NoPointError: the request to the person was cancelled.
        """
        if self.is_human:
            self.color = color
            if phase.choices:
                return (await self._await_choice(phase.choices),)
            return ((await self._await_click(points)).move,)
        if self.worker is None:
            raise RuntimeError("expected a seat whose player was prepared")
        answer = await self.worker.answer_opening(
            phase, seed=seed, session=0, game=game, limit=self.limit
        )
        self.think_seconds += answer.seconds
        return answer.said

    def choose_color(self, choice: Choice) -> bool:
        """Make a person's choice in an opening; return False if it is not offered now."""
        if choice not in self.offered or self.is_away:
            return False
        self._chosen = choice
        return True

    @property
    def needs_kernels(self) -> bool:
        """Whether fast code is to be compiled: that of this player or, in a window, of others."""
        if self.worker is None:
            return False
        return not self.worker.is_compiled or (self.worker.lacks_kernels and not self.run.headless)

    @property
    def is_provisional(self) -> bool:
        """Whether the player searches less than usual, as its fast code is still being compiled."""
        return not self.is_human and self.worker is not None and self.worker.is_provisional

    async def renew(self) -> None:
        """Let a provisional player run its fast code from now on, if that is compiled by now."""
        if self.is_provisional and self.worker is not None and self.seated is not None:
            await self.worker.sit_down(self.seated, self.network)

    def recall(self) -> None:
        """Cancel the request for a person's click."""
        self._is_recalled = True

    async def _await_choice(self, choices: tuple[Choice, ...]) -> Choice:
        self.offered, self._chosen, self._is_recalled = choices, None, False
        try:
            await self.until(
                lambda: self._chosen is not None or self._is_recalled or not self.is_human
            )
        finally:
            self.offered = ()
        if self._chosen is None:
            raise NoPointError("the person made no choice")
        return self._chosen

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


def player_like(
    seats: Sequence[Seat], name: str, rules: Game
) -> tuple[Configure, LoadWeights | LoadCheckpoint | None]:
    """Return the messages that create, in another worker, the same player as at one of the seats.

    If no seat has the player, it is created with its default settings. At a seat with a league,
    only the player that the seat's own fields select is considered.

    Args:
        seats: the seats to search, in this order.
        name: name of the player.
        rules: rules of the game that the player shall play.

    Returns:
        The message that creates the player, and the one that loads its network; None if it has
        none.
    """
    for seat in seats:
        seated, own = seat.seated, seat.played_as(None)
        if own is not None:
            if own[0] == name:
                return Configure(player=name, rules=rules, settings=own[1]), None
            continue
        if seated is not None and seated.player == name and seated.rules.size == rules.size:
            is_learner = get_player_info(name, seat.run.offering).learner is not None
            return replace(seated, rules=rules, color=0), seat.network if is_learner else None
    return Configure(player=name, rules=rules), None


def _read(text: str) -> object:
    """Return the value of a setting's text: a number or bool if it is one, else the text itself."""
    try:
        found = json.loads(text)
    except ValueError:
        return text
    return found if isinstance(found, bool | int | float) else text
