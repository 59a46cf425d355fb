"""Side games: play on from a past position, with any player or person on either side."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from ai import (
    BLACK,
    PLAYERS,
    WHITE,
    Choice,
    GameRecord,
    GameSession,
    Level,
    MoveChoice,
    OptionError,
    Position,
    ProjectError,
    UnknownPlayerError,
    find_player_info,
    list_players,
)
from scripts.gomoku.board.board_view import BoardView, NoPointError
from scripts.gomoku.board.view_state import ViewState
from scripts.gomoku.game.match import Match
from scripts.gomoku.game.match_report import NAMES, describe_end
from scripts.gomoku.game.match_screen import ShownPosition
from scripts.gomoku.game.table import Rights
from scripts.gomoku.history.explained import YOU, played_on
from scripts.gomoku.history.game_viewer import GameViewer
from scripts.gomoku.history.variations import UNFINISHED, Variation
from scripts.gomoku.seats.seat import HUMAN, PERSON, PlayerWorker, player_like
from sim import Script, Task, Ui, WorkerError, field, on, signal, tr, wording

QUESTION = tr("End the side game? Its moves stay as a variation.")
SIDE_WIDTH = 56.0
FULL = tr("full strength")
OPPONENT = "alpha-beta"
"""Player against which a person plays on, unless another one is chosen."""


class SideGame(Script):
    """A game that continues from a past position, beside the match.

    It does not count in the match's results. The learner learns from it only if that is selected.
    """

    match: Match = field(None, help=tr("Waits meanwhile; none: a scene without a match"))
    board: BoardView = field(None)
    viewer: GameViewer = field(None)
    pause_after_stone: float = field(
        0.35,
        min=0.0,
        max=10.0,
        unit="s",
        help=tr("Pause after each stone"),
        former=("move_seconds",),
    )
    ended = signal(object)
    kept = signal(object)

    def awake(self) -> None:
        self.seated = {BLACK: YOU, WHITE: "cnn-ann-plus"}
        self.opponent = OPPONENT
        self.level = 0
        """Level of the opponent's strength; 0 for full strength."""
        self._levels: dict[int, int] = {}  # of the players of this game, by color
        self.learns = False
        self.choices = choices_of(self.run.offering)
        self.session: GameSession | None = None
        self.message = ""
        self.wants_to_leave = False
        self._players = {
            color: PlayerWorker(self, tr("side game, {names}").format(names=name))
            for color, name in ((BLACK, tr("black")), (WHITE, tr("white")))
        }
        self._task: Task | None = None
        self._legal: frozenset[int] = frozenset()
        self._begun = 0
        self._is_recalled = False

    @property
    def current(self) -> Position | None:
        """The position of the side game, None without one."""
        return None if self.session is None else self.session.board

    @property
    def is_running(self) -> bool:
        """Whether a side game is in progress."""
        return self._task is not None and not self._task.done

    def begin(
        self, record: GameRecord, ply: int, *, black: str, white: str, learns: bool = False
    ) -> None:
        """Play on from the position after `ply` moves of a game.

        Args:
            record: the game.
            ply: number of its moves to keep.
            black: a player's name, or "you".
            white: a player's name, or "you".
            learns: whether the learner observes the finished game.
        """
        self.stop()
        session = GameSession.from_record(record, ply)
        board = session.board
        if session.is_over:
            self.message = tr("The game is already decided here")
            return
        self.seated, self._levels = {BLACK: black, WHITE: white}, {}
        self.learns = learns and self._can_learn(record)
        self.viewer.pause()
        self.viewer.is_locked, self.viewer.guest = True, self
        if self.match is not None:
            self.match.pause()
            self.match.table = self
        self.session, self._begun, self.wants_to_leave = session, ply, False
        self.board.show(ViewState.of(board))
        self._publish(session)
        self._task = self.start_coroutine(self._play(session))

    def _can_learn(self, record: GameRecord) -> bool:
        """Return whether the scene's learner could learn from a game that continues a record."""
        match = self.match
        return match is not None and match.trainer is not None and record.rules == match.rules

    @on("viewer.closed")
    def stop(self) -> None:
        """End the side game; what was played is kept as a variation."""
        if self._task is not None:
            self._task.cancel()
            self._task = None
        self._end()

    def _end(self) -> None:
        """Store the moves as a variation, and return the board and seats to the viewer."""
        session, self.session = self.session, None
        self.message = ""
        self._give_back()
        if session is not None and session.board.ply > self._begun:
            self.kept.emit(self._variation(session, UNFINISHED))

    def _give_back(self) -> None:
        """Return the board, the seats and the keys to the viewer."""
        if self.viewer.guest is self:
            self.viewer.guest = None
        self.viewer.is_locked = False
        if self.match is not None and self.match.table is self:
            self.match.table = self.match.front
        self.status.clear("beside")

    def _variation(self, session: GameSession, termination: str, winner: int = 0) -> Variation:
        return Variation(tuple(session.board.moves), winner, termination, dict(self.seated))

    async def _play(self, session: GameSession) -> None:
        try:
            while not session.is_over:
                if session.has_request:
                    session.undo()
                    self.board.show(ViewState.of(session.board))
                    self._publish(session)
                    continue
                if not session.play_pass() and not await self._play_move(session):
                    continue
                self._publish(session)
                await self.board.play(ViewState.of(session.board), self.pause_after_stone)
        except (WorkerError, OptionError, UnknownPlayerError) as error:
            self._end()
            self.message = str(error)
            self.log.warning(f"The side game ended: {error}")
            return
        self._finish(session)

    def _finish(self, session: GameSession) -> None:
        """Show the game's end, and pass the game to the learner if that was chosen."""
        played = session.record()
        self.session = None
        self._give_back()
        self.message = tr("{describe_end} after {moves} moves").format(
            describe_end=describe_end(played), moves=len(played.moves)
        )
        if self.learns:
            origin = {"game": played.game, "ply": self._begun}
            self.match.queue_side_game(played, {"beside": origin})
        title = tr("Side game of game {game}, from move {begun}").format(
            game=played.game, begun=self._begun
        )
        played_by = played_on(self.viewer.played_by, dict(self.seated), self._begun)
        self.kept.emit(self._variation(session, played.termination, played.winner))
        self.viewer.open(played, title=title, main=self.viewer.main, played_by=played_by)
        self.ended.emit(played)

    async def _play_move(self, session: GameSession) -> bool:
        """Ask the side to move for its move and play it.

        Returns:
            Whether a move was played; False if the request was cancelled or the game was given up.
        """
        color = session.board.to_move
        name = self.seated[color]
        choice = await self._choose(session.board)
        if choice is None or session.has_request or self.seated[color] != name:
            return False
        if name == YOU and self.match is not None:
            advised = await self.match.advised(
                session.board,
                choice,
                lambda: self.seated[color] == name and not session.has_request,
            )
            if advised is None:
                return False
            choice = advised
        self.wants_to_leave = False
        if session.gives_up(choice):
            self.log.warning(f"{NAMES[color].capitalize()} loses: {session.forfeit}")
            return False
        session.play_choice(choice, is_person=name == YOU)
        return True

    async def _choose(self, board: Position) -> MoveChoice | None:
        name = self.seated[board.to_move]
        side = wording(NAMES[board.to_move].capitalize())
        if name == YOU:
            self.status.set(
                "beside", tr("Side game · {side}: your turn: click a point").format(side=side)
            )
            return await self._await_click(board)
        self.status.set(
            "beside",
            tr("Side game · {side}: {name} thinks").format(side=side, name=name),
            busy=True,
        )
        player, level = self._players[board.to_move], self._levels.get(board.to_move)
        seats = () if self.match is None else (self.match.white, self.match.black)
        seated, network = player_like(seats, name, board.rules)
        if level:
            seated = replace(seated, settings={**seated.settings, "level": level})
        await player.sit_down(seated, network)
        seed = int(self.rng.integers(2**48))
        answer = await player.choose(tuple(board.moves), seed=seed, may_give_up=True)
        return answer.choice

    async def _await_click(self, board: Position) -> MoveChoice | None:
        self._legal, self._is_recalled = frozenset(board.legal_moves), False
        try:
            move = await self.board.ask_point(
                self._legal, board.to_move, is_wanted=lambda: not self._is_recalled
            )
        except NoPointError:
            return None
        finally:
            self._legal = frozenset()
        return MoveChoice(move)

    def _publish(self, session: GameSession) -> None:
        """Make the side game's position available to the Insight panel and the overlays."""
        if self.match is None:
            return
        board = session.board
        players = {
            color: PERSON if name == YOU else find_player_info(name, self.run.project)
            for color, name in self.seated.items()
        }
        key = (tr("side game"), id(session), board.ply, tuple(board.moves[-1:]))
        shown = ShownPosition(board, session.choices, players, key, note=tr("Side game."))
        self.match.show_instead(shown)

    # -- the panel "Your seat" ----------------------------------------------------------------

    @property
    def title(self) -> str:
        """Text before the names of the seats in the panel "Your seat"."""
        return tr("Side game")

    @property
    def rights(self) -> Rights:
        """What a person may do in a side game; a draw is not offered, since it does not count."""
        return Rights(draws=False)

    def agree_draw(self) -> bool:
        """Return False, since a side game is ended by leaving it."""
        return False

    @property
    def leave_label(self) -> str:
        """Label of the button that ends the side game."""
        return tr("Yes, end it") if self.wants_to_leave else tr("End side game")

    @property
    def people(self) -> list[int]:
        """Colors played by people; empty while no side game is played."""
        if not self.is_running:
            return []
        return [color for color in (BLACK, WHITE) if self.seated[color] == YOU]

    @property
    def offered(self) -> tuple[Choice, ...]:
        """Always empty, since a side game has no opening to choose in."""
        return ()

    @property
    def question(self) -> str:
        """Always empty, since a side game has no opening to decide."""
        return ""

    def choose(self, choice: Choice) -> bool:
        """Return False, since a side game has no opening to choose in."""
        return False

    def take_back(self) -> bool:
        """Take back a person's last move, and the reply to it.

        Returns:
            Whether there was such a move.
        """
        session = self.session
        return session is not None and session.request_undo() and self._recall()

    def resign(self, color: int) -> bool:
        """Resign for the person who plays `color`; return False if no side game is in progress."""
        session = self.session
        return session is not None and session.resign(color) and self._recall()

    def swap_sides(self) -> None:
        """Let a person and a player change seats."""
        self.seated = {color: self.seated[-color] for color in (BLACK, WHITE)}
        self._levels = {-color: level for color, level in self._levels.items()}
        self._recall()

    def player_of(self, color: int) -> str:
        """Return the name of the player of a color; empty for a person."""
        name = self.seated[color]
        return "" if name == YOU else name

    def leave(self) -> str:
        """End the side game; once moves were played, only the second call ends it.

        Returns:
            An empty text, or a question that asks for the second call.
        """
        session = self.session
        has_stones = session is not None and session.board.ply > self._begun
        if self.is_running and has_stones and not self.wants_to_leave:
            self.wants_to_leave = True
            self.status.set("beside", QUESTION)
            return QUESTION
        self.break_off()
        return ""

    def _recall(self) -> bool:
        self._is_recalled = True
        return True

    # -- its part of the panel ----------------------------------------------------------------

    def seat(self, side: str, name: str) -> None:
        """Select the player of a side, "black" or "white", for the next side game.

        Raises:
            KeyError: there is no such side.
        """
        self.seated[{name: color for color, name in NAMES.items()}[side]] = name

    def play_against(self, name: str) -> None:
        """Select the player against whom a person plays on."""
        self.opponent = name

    def set_level(self, level: int) -> None:
        """Select the opponent's level of strength, from 1; 0 for full strength."""
        self.level = level

    def play_black(self) -> None:
        """Play on from the viewer's position as Black, against the selected opponent."""
        self._play_as(BLACK)

    def play_white(self) -> None:
        """Play on from the viewer's position as White, against the selected opponent."""
        self._play_as(WHITE)

    def _play_as(self, color: int) -> None:
        """Play on from the viewer's position as `color`, against the selected opponent."""
        self.seated = {color: YOU, -color: self.opponent}
        has_levels = bool(find_player_info(self.opponent, self.run.offering).levels)
        self.play_on()
        self._levels = {-color: self.level} if self.level and has_levels else {}

    def undo(self) -> None:
        """Take back the person's last move, and the reply to it."""
        self.message = "" if self.take_back() else tr("You have no move to take back")

    def give_up(self) -> None:
        """Resign the side game for the person who plays it."""
        if self.people and self.session is not None:
            to_move = self.session.board.to_move
            self.resign(to_move if to_move in self.people else self.people[0])

    def play_on(self) -> None:
        """Play on from the viewer's position with the selected players."""
        record = self.viewer.record
        if record is None:
            self.message = tr("open a game first")
            return
        black, white = self.seated[BLACK], self.seated[WHITE]
        self.begin(record, self.viewer.ply, black=black, white=white, learns=self.learns)

    def break_off(self) -> None:
        """End the side game and restore the viewer's position."""
        self.stop()
        self.viewer.go_to(self.viewer.ply)

    def draw(self, ui: Ui, record: GameRecord, ply: int) -> None:
        """Draw the selection of players and the buttons that start or end a side game.

        Args:
            ui: user interface of the panel.
            record: the game that is open.
            ply: number of moves before the position shown.
        """
        if self.is_running:
            self._draw_running(ui)
            return
        ui.imgui.align_text_to_frame_padding()
        ui.text(tr("Against"), "muted")
        ui.same_line(ui.theme.px(SIDE_WIDTH))
        ui.imgui.set_next_item_width(ui.room)
        name = self._draw_choice(ui.imgui, tr("your opponent"), self.opponent)
        if name != self.opponent:
            self.by_hand("play_against", name)
        self._draw_strength(ui)
        for color, method in ((BLACK, "play_black"), (WHITE, "play_white")):
            label = tr("Play {names}").format(names=wording(NAMES[color].capitalize())) + "##here"
            if color == WHITE:
                ui.beside(ui.button_width(label))
            tip = tr("You play {names} from move {ply}, against {opponent}").format(
                names=wording(NAMES[color].capitalize()), ply=ply, opponent=self.opponent
            )
            if ui.button(label, tip=tip):
                self.by_hand(method)
        if ui.section(tr("Two players"), is_open=False):
            self._draw_players(ui, record)
        if self.message:
            ui.muted_text(self.message)

    def _draw_strength(self, ui: Ui) -> None:
        """Draw the choice of the opponent's level, if it has levels."""
        levels = find_player_info(self.opponent, self.run.offering).levels
        if not levels:
            return
        imgui, known = ui.imgui, {level.number: level for level in levels}
        imgui.align_text_to_frame_padding()
        ui.text(tr("Level"), "muted")
        ui.same_line(ui.theme.px(SIDE_WIDTH))
        imgui.set_next_item_width(ui.room)
        shown = known.get(self.level)
        if imgui.begin_combo("##strength", FULL if shown is None else _level_words(shown)):
            if imgui.selectable(FULL, shown is None)[0]:
                self.by_hand("set_level", 0)
            for level in levels:
                if imgui.selectable(_level_words(level), level is shown)[0]:
                    self.by_hand("set_level", level.number)
                ui.tip(level.description)
            imgui.end_combo()
        elif shown is not None:
            ui.tip(shown.description)

    def _draw_running(self, ui: Ui) -> None:
        """Draw who plays, and the buttons of a person, unless a panel of the match has them."""
        sides = tr(" against ").join(self._name_of(color) for color in (BLACK, WHITE))
        ui.muted_text(
            tr("{side}, {ply} moves").format(
                side=sides, ply=self.current.ply if self.current is not None else 0
            )
        )
        buttons = [
            (
                (wording("{leave_label}").format(leave_label=self.leave_label) + "##side"),
                "leave",
                "",
            )
        ]
        if self.match is None and self.people:
            buttons = [
                (
                    tr("Undo") + "##side",
                    "undo",
                    tr("Take back your last move, and the reply to it"),
                ),
                (tr("Resign") + "##side", "give_up", tr("The other side wins")),
                *buttons,
            ]
        for number, (label, method, tip) in enumerate(buttons):
            if number:
                ui.beside(ui.button_width(label))
            if ui.button(label, tip=tip):
                self.by_hand(method)
        if self.wants_to_leave:
            ui.muted_text(QUESTION)
        elif self.message:
            ui.muted_text(self.message)

    def _name_of(self, color: int) -> str:
        """Return the name of a side's player, with its level if it has one."""
        level = self._levels.get(color)
        return (
            tr("{seated} (level {level})").format(seated=self.seated[color], level=level)
            if level
            else self.seated[color]
        )

    def _draw_players(self, ui: Ui, record: GameRecord) -> None:
        """Draw the choice of both players, who play on without or with a person."""
        for color in (BLACK, WHITE):
            self._draw_seat(ui, color)
        can_learn = self._can_learn(record)
        ui.imgui.begin_disabled(not can_learn)
        learns = ui.imgui.checkbox(tr("learn from it"), self.learns and can_learn)[1]
        if learns != (self.learns and can_learn):
            self.learns = learns
            self.log.python(f"{self.expression}.learns = {learns}")
        ui.imgui.end_disabled()
        ui.beside(ui.button_width(tr("Play on")))
        if ui.button(tr("Play on")):
            self.by_hand("play_on")

    def _draw_seat(self, ui: Ui, color: int) -> None:
        """Draw a side's name, and the list of who may play it."""
        ui.imgui.align_text_to_frame_padding()
        ui.text(wording(NAMES[color].capitalize()), "muted")
        ui.same_line(ui.theme.px(SIDE_WIDTH))
        ui.imgui.set_next_item_width(ui.room)
        name = self._draw_choice(ui.imgui, NAMES[color], self.seated[color])
        if name != self.seated[color]:
            self.by_hand("seat", NAMES[color], name)

    def _draw_choice(self, imgui: Any, side: str, name: str) -> str:
        """Draw a list from which the player of a side is chosen.

        Args:
            imgui: the imgui module.
            side: the side, "black" or "white".
            name: name of the player chosen so far.

        Returns:
            Name of the player that is chosen now.
        """
        chosen = name
        is_open = imgui.begin_combo(f"##{side}", name)
        if not is_open and imgui.is_item_hovered():
            imgui.set_tooltip(tr("{side} is played by").format(side=wording(side.capitalize())))
        if is_open:
            if imgui.is_window_appearing():  # an engine may have been added
                self.choices = choices_of(self.run.offering)
            for item in self.choices if name in self.choices else (*self.choices, name):
                if imgui.selectable(item, item == name)[0]:
                    chosen = item
            imgui.end_combo()
        return chosen


def _level_words(level: Level) -> str:
    return f"{level.number}: " + level.word


def choices_of(project: Path) -> tuple[str, ...]:
    """Return the names of all players that a side game offers: "you", then the known players.

    Args:
        project: folder of the project, whose own players are included.
    """
    try:
        infos = list_players(project)
    except ProjectError:  # its file is unsound, as is said when the scene is opened
        infos = list(PLAYERS.values())
    return (YOU, *(info.name for info in infos if info.name != HUMAN))
