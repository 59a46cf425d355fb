"""Controls of a person at the board: undo, hint, swap sides, resign."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from ai import Board, Choice, GameSession, PositionValue, to_text
from ai.messages import EvaluatePosition
from scripts.gomoku.board.board_view import BoardView
from scripts.gomoku.game.match import Match
from scripts.gomoku.seats.seat import PlayerWorker, player_like
from sim import Script, Ui, WorkerError, field, on, tr, wording

NOTICE_SECONDS = 4.0
FIRST_OFFER = 10
"""Moves before which no draw can be offered: until then nobody can judge the position."""
MOST_FOR_DRAW = 0.05
"""Greatest expected result with which a player accepts a draw."""
RECENT = 3
"""Number of moves for which the value of a player's last move is taken for its present one."""
CHOICES = {
    Choice.WHITE: (tr("Take {white}"), "choose_white"),
    Choice.BLACK: (tr("Take {black}"), "choose_black"),
    Choice.TWO_MORE: (tr("Two more stones"), "choose_two_more"),
}
"""Button label and method name of each choice in an opening."""


class HumanControls(Script, title="Your seat"):
    """The panel "Your seat" and its keys; they exist only while a person is seated."""

    match: Match = field(None)
    board: BoardView = field(None)
    hint_player: Literal["pattern", "opponent", "oracle", "alpha-beta"] = field(
        "pattern", help=tr("Who gives hints; opponent: the player at the other seat")
    )

    def awake(self) -> None:
        self.is_at_table = False
        self.wants_to_resign = False
        self.notice = ""
        self._notice_end = 0.0
        self._adviser = PlayerWorker(self, "hints")
        self._is_advising = False
        self.switches: list[Callable[[Ui], object]] = []
        """Functions that draw further switches into the panel."""
        self.before_undo: Callable[[], bool] | None = None
        """Called before a move is taken back; returns whether that was done otherwise."""
        self.offers_draw = False
        """Whether one of two people at the board has offered a draw to the other."""
        self._judge: Any = None

    @property
    def people(self) -> list[int]:
        """Colors played by people, in the live game or in a side game."""
        return self.match.table.people

    @property
    def is_persons_turn(self) -> bool:
        """Whether the game waits for a person: for a move, or for a choice in the opening."""
        session = self.match.table.session
        if session is None or session.is_over:
            return False
        if not session.opening.is_over:
            return session.opening.color_of(session.opening.decider) in self.people
        return session.board.to_move in self.people

    def update(self, dt: float) -> None:
        if self.match is None:
            return
        is_at_table = bool(self.people)
        if is_at_table != self.is_at_table:
            self.is_at_table = is_at_table
            self._rise() if not is_at_table else self._sit_down()
        if self.notice and self.time.now > self._notice_end and not self.time.instant:
            self.say("")

    def _sit_down(self) -> None:
        self.panel(tr("Your seat"), self.draw, dock="overlay-bottom", icon="user")
        self.command("undo", tr("Take back"), self.undo, key="u", icon="rotate-left")
        self.command("hint", tr("Hint"), self.ask_hint, key="h", icon="lightbulb")

    def _rise(self) -> None:
        self.panels.unregister(self.slot)
        self.wants_to_resign = False
        self.say("")
        self.board.mark_hint(None)

    def say(self, text: str) -> None:
        """Show a short text in the status bar and the panel; "" removes it."""
        self.notice = text
        self._notice_end = self.time.now + NOTICE_SECONDS
        if text:
            self.status.set("seat", text)
        else:
            self.status.clear("seat")

    # -- what can be done ---------------------------------------------------------------------

    def undo(self) -> None:
        """Take back the person's last move, and the other player's reply to it."""
        if self.before_undo is not None and self.before_undo():
            self.say(tr("Choose another move"))
        elif not self.match.table.rights.takes_back:
            self.say(tr("Take-backs are not allowed in this game"))
        elif self.match.table.take_back():
            self.say(tr("Move taken back"))
        else:
            self.say(tr("You have no move to take back"))

    def ask_hint(self) -> None:
        """Ask another player for a hint and mark its move on the board.

        On another player's turn, and during the opening, a message appears instead.
        """
        if not self.match.table.rights.hints:
            self.say(tr("Hints are not allowed in this game"))
        elif not self.is_persons_turn:
            self.say(self._whose_turn())
        elif self.match.table.question:
            self.say(tr("Hints are available after the opening"))
        elif not self._is_advising:
            self.start_coroutine(self._advise())

    def _whose_turn(self) -> str:
        """Return a message for a person who acts when it is not their turn."""
        session = self.match.table.session
        if session is None or session.is_over or self.is_persons_turn:
            return tr("It is not your turn")
        color = session.board.to_move
        if not session.opening.is_over:
            color = session.opening.color_of(session.opening.decider)
        return tr("Wait for {side}'s move").format(side=self.board.sides[color])

    def choose_white(self) -> None:
        """Take White in the opening."""
        self._choose(Choice.WHITE)

    def choose_black(self) -> None:
        """Take Black in the opening."""
        self._choose(Choice.BLACK)

    def choose_two_more(self) -> None:
        """Choose to place two more stones, so that the other player chooses the color."""
        self._choose(Choice.TWO_MORE)

    def _choose(self, choice: Choice) -> None:
        if not self.match.table.choose(choice):
            self.say(tr("There is nothing to choose now"))

    def resign(self) -> None:
        """Ask for confirmation at the first call; resign the game at the second."""
        if not self.wants_to_resign:
            self.wants_to_resign = True
            self.say(tr("Resign this game?"))
            return
        self.wants_to_resign = False
        people, session = self.people, self.match.table.session
        if people and session is not None:
            to_move = session.board.to_move
            color = to_move if to_move in people else people[0]
            has_resigned = self.match.table.resign(color)
            self.say(tr("You resign") if has_resigned else tr("No game is being played"))

    def offer_draw(self) -> None:
        """Offer a draw to the other side; a player answers by its value of the position."""
        session, people = self.match.table.session, self.people
        if session is None or session.is_over or not people:
            self.say(tr("No game is being played"))
        elif session.board.ply < FIRST_OFFER:
            self.say(tr("A draw can be offered after {count} moves").format(count=FIRST_OFFER))
        elif len(people) == 2:
            self.offers_draw = True
            self.say(
                tr("{side} offers a draw: does the other agree?").format(
                    side=self.board.sides[session.board.to_move]
                )
            )
        elif not self._is_advising:
            self.start_coroutine(self._ask_for_draw(-people[0]))

    def agree_draw(self) -> None:
        """End the game as a draw, on which both people agree."""
        self.offers_draw = False
        if self.match.table.agree_draw():
            self.say(tr("Draw agreed"))

    def decline_draw(self) -> None:
        """Decline the draw that the other person has offered."""
        self.offers_draw = False
        self.say(tr("The draw is declined"))

    async def _ask_for_draw(self, color: int) -> None:
        """Let the player of a side answer an offer of a draw.

        It accepts if it expects no more than a draw. It takes the value of its last move, or else
        the value that the review gives the position.
        """
        table = self.match.table
        session = table.session
        if session is None:
            return
        side, moves = self.board.sides[color], tuple(session.board.moves)
        self._is_advising = True
        try:
            value = await self._value_for(session, color)
        except WorkerError as error:
            self.say(tr("No answer: {error}").format(error=error))
            return
        finally:
            self._is_advising = False
        if table.session is not session or tuple(session.board.moves) != moves or session.is_over:
            return
        found = tr("it expects {value:+.2f} for itself").format(value=value)
        if value > MOST_FOR_DRAW:
            self.say(tr("{side} declines the draw: {found}").format(side=side, found=found))
        elif table.agree_draw():
            self.say(tr("{side} accepts the draw: {found}").format(side=side, found=found))

    async def _value_for(self, session: GameSession, color: int) -> float:
        """Return the expected result of a side in a position, from -1 to 1.

        Raises:
            WorkerError: the position cannot be evaluated.
        """
        ply, choice = session.choices.get(color, (-RECENT, None))
        if choice is not None and choice.value is not None and session.board.ply - ply < RECENT:
            return float(choice.value)
        if self._judge is None:
            project = {"project": str(self.run.offering)}
            target = "ai.workers.player:main"
            self._judge = self.workers.open(
                "draw offer", target, project, owner=self.slot, is_optional=True
            )
        board = session.board
        request = EvaluatePosition(board.rules, tuple(board.moves))
        self.status.set("seat", tr("The draw is considered"), busy=True)
        found: PositionValue = await self.background(self._judge.request(request))
        return float(found.value if board.to_move == color else -found.value)

    def swap_sides(self) -> None:
        """Swap colors with the other player."""
        if len(self.people) != 1:
            self.say(tr("Both seats are played by people"))
            return
        self.match.table.swap_sides()
        self.wants_to_resign = False
        self.say("")

    async def _advise(self) -> None:
        table = self.match.table
        session = table.session
        if session is None:
            return
        board = session.board
        moves, rules, seed = tuple(board.moves), board.rules, session.next_seed
        name = self._adviser_name(table.player_of(-board.to_move))
        seats = (self.match.white, self.match.black)
        self._is_advising = True
        self.status.set("seat", tr("{name} is looking for a hint").format(name=name), busy=True)
        try:
            await self._adviser.sit_down(*player_like(seats, name, rules))
            choice = (await self._adviser.choose(moves, seed=seed)).choice
        except WorkerError as error:
            self.say(tr("No hint: {error}").format(error=error))
            return
        finally:
            self._is_advising = False
        if self.is_at_table and table.session is session and tuple(board.moves) == moves:
            self.board.mark_hint(choice.move)
            point = to_text(choice.move, rules.size, rules.rows)
            self.say(tr("Hint: {point} ({name} player)").format(point=point, name=name))
        else:
            self.say("")

    def _adviser_name(self, opponent: str) -> str:
        if self.hint_player != "opponent":
            return self.hint_player
        return opponent or "alpha-beta"

    # -- what is seen -------------------------------------------------------------------------

    @on("board.answered")
    def answer_click(self, move: int, is_taken: bool) -> None:
        """Show why a click on the board was refused.

        Args:
            move: the point that was clicked.
            is_taken: whether the click was accepted as a move.
        """
        session = self.match.table.session if self.match is not None else None
        if not self.is_at_table or session is None or session.is_over:
            return
        board = session.board
        if board.stones[move]:
            self.say(tr("{point} is occupied").format(point=board.to_text(move)))
        elif not is_taken and not self.is_persons_turn:
            self.say(self._whose_turn())
        elif not is_taken and self.match.table.offered:
            self.say(tr("Choose with the buttons first"))
        elif not is_taken and isinstance(board, Board) and board.foul(move) is not None:
            foul = wording(str(board.foul(move)))
            self.say(
                tr("{point} is a {foul}, which Black may not play").format(
                    point=board.to_text(move), foul=foul
                )
            )
        elif not is_taken:
            self.say(tr("{point} cannot be played now").format(point=board.to_text(move)))
        else:
            self.say("")

    @on("match.choice_made")
    def tell_choice(self, text: str) -> None:
        """Show what was chosen in the opening, by this or by the other player."""
        if self.is_at_table:
            self.say(text)

    @on("match.game_over")
    @on("match.own_game_over")
    def end_game(self, record: object) -> None:
        """Dismiss the questions about resigning and about a draw."""
        self.wants_to_resign = self.offers_draw = False

    def draw(self, ui: Ui) -> None:
        """Draw the buttons."""
        table = self.match.table
        sides = tr(" and ").join(self.board.sides[color] for color in self.people)
        title = (
            tr("{title}: you play {side}").format(title=table.title, side=sides)
            if table.title
            else tr("You play {side}").format(side=sides)
        )
        ui.heading(title)
        turn = tr("your turn") if self.is_persons_turn else ""
        if table.question:
            turn = (
                wording("{question} · {turn}").format(question=table.question, turn=turn)
                if turn
                else table.question
            )
        said = self.notice or turn
        if said:
            ui.beside(float(ui.imgui.calc_text_size(said).x))
            ui.text(said, "muted")
        buttons = self._buttons()
        for index, (label, method) in enumerate(buttons):
            if index:
                ui.beside(ui.button_width(label))
            if ui.button(label):
                self.by_hand(method)
        for draw_switch in self.switches:
            draw_switch(ui)

    def _buttons(self) -> list[tuple[str, str]]:
        """Return label and method of each button."""
        table = self.match.table
        if self.offers_draw:
            return [(tr("Agree to the draw"), "agree_draw"), (tr("Decline"), "decline_draw")]
        if self.wants_to_resign:
            return [(tr("Yes, resign"), "resign"), (tr("Play on"), "play_on")]
        sides = {"black": self.board.sides[1], "white": self.board.sides[-1]}
        buttons = [
            (label.format(**sides), method)
            for label, method in map(CHOICES.__getitem__, table.offered)
        ]
        rights, is_opening = table.rights, bool(table.question)
        offered = (
            (rights.takes_back, tr("Undo (U)"), "undo"),
            (rights.hints and not is_opening, tr("Hint (H)"), "ask_hint"),
            (rights.swaps and not is_opening, tr("Swap sides"), "swap_sides"),
            (rights.draws and not is_opening, tr("Offer a draw"), "offer_draw"),
            (True, tr("Resign"), "resign"),
            (True, table.leave_label, "leave"),
        )
        return buttons + [(label, method) for is_there, label, method in offered if is_there]

    def play_on(self) -> None:
        """Dismiss the question about resigning and play on."""
        self.wants_to_resign = False
        self.say("")

    def leave(self) -> None:
        """Give the seat back to its player, or leave the side game after a confirmation."""
        self.say(self.match.table.leave())


TableTalk = HumanControls
"""Former name of `HumanControls`; older scenes and scripts still use it."""
