"""The form of a new game: who plays, how strong, board, rules and clock; it plays nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from ai import (
    OPENING_NAMES,
    PLAYERS,
    RULE_NAMES,
    Game,
    PlayerInfo,
    ProjectError,
    find_player_info,
    list_players,
)
from scripts.gomoku.board.names import RULE_TITLES
from scripts.gomoku.game.game_choices import (
    LEVEL,
    MOST_LEVEL,
    SIZES,
    YOU,
    GameChoices,
    SeatChoice,
    fault_of,
    has_choices,
    has_levels,
    portrait_of,
)
from scripts.gomoku.game.game_clock import TimeControl
from scripts.gomoku.seats.seat import HUMAN
from sim import FieldError, Ui, tr, wording

LABELS = 118.0  # where the fields begin, pixels from the left at scale 1
FIELD = 250.0
NUMBER = 74.0
TILE = 250.0
COLUMNS = 2
FULL_STRENGTH = MOST_LEVEL + 1  # place of full strength on the slider of levels
GAP = 14.0
THINKING = (0.0, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0)
CLOCKS = (
    TimeControl(),
    TimeControl(1.0),
    TimeControl(3.0, 2.0),
    TimeControl(5.0),
    TimeControl(10.0, 5.0),
    TimeControl(5.0, 0.0, 3, 20.0),
    TimeControl(15.0, 0.0, 5, 30.0),
)
NUMBERS = (
    ("minutes", tr("Total"), "min", tr("Time of each side for the whole game")),
    ("increment", tr("after each move"), "s", tr("What a side gets after each of its moves")),
    (
        "periods",
        tr("Byo-yomi"),
        "x",
        tr("Periods after the total time; a move within one costs nothing"),
    ),
    ("period", tr("of", "periods of so many seconds"), "s", tr("Length of a byo-yomi period")),
)
OPENING_TITLES = {
    "none": tr("none"),
    "balanced": tr("balanced"),
    "pro": tr("pro"),
    "long-pro": tr("long-pro"),
    "swap": tr("swap"),
    "swap2": tr("swap2"),
}
RULE_TIPS = {
    "freestyle": tr("Five or more in a row win"),
    "standard": tr("Exactly five in a row win"),
    "renju": tr("Black has fouls, and wins with exactly five"),
    "caro": tr("Exactly five in a row win, unless blocked at both ends"),
}
OPENING_TIPS = {
    "none": tr("Nothing is prescribed"),
    "balanced": tr("Three stones lie on the board"),
    "pro": tr("Black begins at the centre, and stays outside the middle 5x5"),
    "long-pro": tr("Black begins at the centre, and stays outside the middle 7x7"),
    "swap": tr("Black places three stones, White chooses a colour"),
    "swap2": tr("As swap, and White may add two stones"),
}
COLOR_WORDS = {
    "chosen": tr("as chosen above"),
    "lot": tr("drawn by lot"),
    "changed": tr("changed after each game"),
}


class NewGameForm:
    """Draws the choices of a new game, and keeps what is refused.

    Attributes:
        choices: the present choices.
        faults: why the game cannot be played, by name of the field.
        refusals: why a typed value was refused, by name of the field; the old value came back.
    """

    def __init__(self, project: Path, choose: Callable[[str, Any], object]) -> None:
        """Create the form.

        Args:
            project: folder of the project, whose own players are offered.
            choose: called with the name and the new value of a field that the user changes.
        """
        self.choices = GameChoices()
        self.faults: Mapping[str, str] = {}
        self.refusals: dict[str, str] = {}
        self._base: Game | None = None
        self._project = project
        self._choose = choose
        self._players: list[PlayerInfo] = []
        self._sides: Mapping[int, str] = {1: tr("Black"), -1: tr("White")}
        self._typed: dict[str, float] = {}

    def open(self, choices: GameChoices, base: Game, sides: Mapping[int, str]) -> None:
        """Show choices.

        Args:
            choices: the choices.
            base: rules of the scene's match.
            sides: names of the colors.
        """
        self._base, self._sides, self.refusals = base, sides, {}
        try:
            found = list_players(self._project)
        except ProjectError:  # its file is unsound, as is said when the scene is opened
            found = list(PLAYERS.values())
        self._players = [info for info in found if info.name != HUMAN]
        self.set(choices)

    def set(self, choices: GameChoices) -> None:
        """Show other choices, and check them."""
        self.choices = choices
        self.faults = {} if self._base is None else choices.faults(self._base, self._project)

    def change(self, key: str, value: Any) -> None:
        """Change a field; a refused value is told beside it, and the old one stays.

        Args:
            key: name of the field.
            value: its new value.
        """
        self.refusals.pop(key, None)
        try:
            self.set(self.choices.with_value(key, value))
        except FieldError as error:
            self.refusals[error.field] = tr("expected {expected}").format(expected=error.expected)

    # -- drawing ------------------------------------------------------------------------------

    def draw(self, ui: Ui) -> None:
        """Draw all fields."""
        self._draw_seats(ui)
        ui.imgui.dummy(ui.imgui.ImVec2(0, ui.theme.px(2)))
        if self._base is not None and has_choices(self._base):
            self._draw_board(ui)
        self._draw_opening(ui)
        self._draw_time(ui)
        self._draw_allowed(ui)

    def _draw_seats(self, ui: Ui) -> None:
        imgui = ui.imgui
        flags = int(imgui.TableFlags_.sizing_stretch_same)
        if not imgui.begin_table("seats", 2, flags):
            return
        imgui.table_next_row()
        for side, color in (("black", 1), ("white", -1)):
            imgui.table_next_column()
            imgui.push_id(side)
            self._draw_seat(ui, side, color)
            imgui.pop_id()
        imgui.end_table()

    def _draw_seat(self, ui: Ui, side: str, color: int) -> None:
        """Draw who plays a side: a tile that opens the list, and the strength.

        Args:
            ui: widgets.
            side: "black" or "white", the name of the field.
            color: its color.
        """
        imgui = ui.imgui
        choice: SeatChoice = getattr(self.choices, side)
        info = self._info(choice.player)
        ui.heading(self._sides[color])
        icon, paint = portrait_of(info)
        name = tr("You") if info is None else info.short_name
        note = tr("a person at this window") if info is None else info.title
        tip = tr("Choose who plays ") + self._sides[color]
        width = imgui.get_content_region_avail().x
        if ui.tile(
            (wording("{name}").format(name=name) + f"###{side}"),
            icon,
            color=paint,
            note=note,
            tip=tip,
            width=width,
        ):
            imgui.open_popup("players")
        self._draw_players(ui, side, choice)
        if info is not None and has_levels(info):
            self._draw_level(ui, side, choice.level, info)
        self._draw_fault(ui, side)

    def _draw_level(self, ui: Ui, side: str, level: int, info: PlayerInfo) -> None:
        """Draw the strength of a player: a slider from 1 to 10, then full strength.

        Args:
            ui: widgets.
            side: "black" or "white".
            level: the present level.
            info: the player.
        """
        imgui = ui.imgui
        known = {item.number: item for item in info.levels}
        words = (
            tr("level %d of {most_level}").format(most_level=MOST_LEVEL)
            if level
            else tr("full strength")
        )
        tip = tr("Strength: 1 is the weakest; at the right end the player plays its best")
        if level in known:
            words += ": " + known[level].word
            tip += wording("\n{description}").format(description=known[level].description)
        imgui.set_next_item_width(imgui.get_content_region_avail().x)
        place = level or FULL_STRENGTH
        is_moved, chosen = imgui.slider_int("##level", place, 1, FULL_STRENGTH, words)
        ui.tip(tip)
        if is_moved and chosen != place:
            self._choose(f"{side}_{LEVEL}", chosen % FULL_STRENGTH)

    def _info(self, player: str) -> PlayerInfo | None:
        return None if player == YOU else find_player_info(player, self._project)

    def _draw_players(self, ui: Ui, side: str, choice: SeatChoice) -> None:
        """Draw the list of all players while it is open: a tile for each.

        Args:
            ui: widgets.
            side: name of the field.
            choice: who is chosen so far.
        """
        imgui = ui.imgui
        height = imgui.get_io().display_size.y * 0.8
        unlimited = imgui.FLT_MAX
        imgui.set_next_window_size_constraints(imgui.ImVec2(0, 0), imgui.ImVec2(unlimited, height))
        if not imgui.begin_popup("players"):
            return
        for index, (name, info) in enumerate(self._offered()):
            if index % COLUMNS:
                imgui.same_line()
            icon, paint = portrait_of(info)
            refusal = self._refusal(side, name)
            label = tr("You") if info is None else info.short_name
            note = refusal or (tr("a person") if info is None else _strength_words(info))
            tip = tr("You click on points") if info is None else info.description
            is_pressed = ui.tile(
                (label + "##" + name),
                icon,
                color="muted" if refusal else paint,
                note=note,
                tip=(tip + "\n" + refusal) if refusal else tip,
                is_on=name == choice.player,
                width=ui.theme.px(TILE),
            )
            if is_pressed:
                self._choose(side, name)
                imgui.close_current_popup()
        imgui.end_popup()

    def _offered(self) -> list[tuple[str, PlayerInfo | None]]:
        """Return a person and all players.

        Those that play this game come first, and of these the ones with levels of strength.
        """
        players = [(info.name, info) for info in self._players]
        players.sort(
            key=lambda pair: (bool(self._refusal("black", pair[0])), not has_levels(pair[1]))
        )
        return [(YOU, None), *players]

    def _refusal(self, side: str, name: str) -> str:
        """Return why a player cannot play the chosen game; empty if it can."""
        if self._base is None:
            return ""
        choice = replace(getattr(self.choices, side), player=name)
        try:
            return fault_of(choice, self.choices.rules(self._base), self._project)
        except FieldError:
            return ""

    def _draw_board(self, ui: Ui) -> None:
        sizes = range(SIZES[0], SIZES[1] + 1)
        size = self.choices.size
        self._label(ui, tr("Board"))
        words = {number: f"{number} x {number}" for number in sizes}
        self._combo(ui, "size", size, words, tr("Points along a side; bowls and camera follow"))
        self._draw_fault(ui, "size")
        self._label(ui, tr("Rule"))
        self._combo(
            ui,
            "rule",
            self.choices.rule,
            {name: RULE_TITLES.get(name, name) for name in RULE_NAMES},
            RULE_TIPS.get(self.choices.rule, ""),
            RULE_TIPS,
        )
        self._draw_fault(ui, "rule")

    def _draw_opening(self, ui: Ui) -> None:
        self._label(ui, tr("Opening"))
        names = {name: OPENING_TITLES.get(name, name) for name in OPENING_NAMES}
        opening = self.choices.opening
        self._combo(ui, "opening", opening, names, OPENING_TIPS.get(opening, ""), OPENING_TIPS)
        self._draw_fault(ui, "opening")
        self._label(ui, tr("Colours"))
        tip = tr("Who has which colour in this game and in the next ones")
        self._combo(ui, "colors", self.choices.colors, COLOR_WORDS, tip)
        ui.beside(ui.button_width(tr("Swap"), icon="right-left"))
        if ui.button(tr("Swap"), icon="right-left", tip=tr("The two above change their sides")):
            self._choose("swap", None)

    def _draw_time(self, ui: Ui) -> None:
        choices = self.choices
        self._label(ui, tr("Thinking time"))
        seconds = {item: _thinking_words(item) for item in sorted({*THINKING, choices.seconds})}
        tip = tr("Of each move, for players that think; a clock bounds it, too")
        self._combo(ui, "seconds", choices.seconds, seconds, tip)
        self._draw_fault(ui, "seconds")
        self._label(ui, tr("Clock"))
        known = list(CLOCKS) if choices.clock in CLOCKS else [*CLOCKS, choices.clock]
        words = {clock: clock.text for clock in known}
        tip = tr("When a side's time is over, it loses")
        chosen = self._combo_of(ui, "clock", choices.clock, words, tip)
        if chosen is not None:
            self._choose("clock", [*asdict(chosen).values()])
        if choices.clock.is_on:
            self._draw_clock(ui, choices.clock)

    def _draw_clock(self, ui: Ui, clock: TimeControl) -> None:
        """Draw the numbers of a clock."""
        for index, (name, before, unit, tip) in enumerate(NUMBERS):
            if index in (0, 2):
                self._label(ui, before)
            else:
                ui.imgui.same_line()
                ui.text(before, "muted")
                ui.imgui.same_line()
            self._number(ui, name, getattr(clock, name), tip)
            ui.imgui.same_line()
            ui.text(unit, "muted")
            if index in (1, 3):
                for key in (NUMBERS[index - 1][0], name):
                    self._draw_fault(ui, key)

    def _number(self, ui: Ui, key: str, value: float, tip: str) -> None:
        """Draw a field for a number; what is typed counts when the field is left.

        Args:
            ui: widgets.
            key: name of the field.
            value: its present value.
            tip: its tooltip.
        """
        imgui = ui.imgui
        imgui.set_next_item_width(ui.theme.px(NUMBER))
        shown = self._typed.get(key, value)
        is_whole = isinstance(value, int)
        if is_whole:
            _, typed = imgui.input_int(f"##{key}", int(shown), 0)
        else:
            _, typed = imgui.input_float(f"##{key}", float(shown), 0.0, 0.0, "%g")
        ui.tip(tip)
        if imgui.is_item_active():
            self._typed[key] = typed
        if imgui.is_item_deactivated_after_edit():
            self._typed.pop(key, None)
            self._choose(key, typed)
        elif not imgui.is_item_active():
            self._typed.pop(key, None)

    def _draw_allowed(self, ui: Ui) -> None:
        self._label(ui, tr("Allowed"))
        for index, (key, words, tip) in enumerate((
            ("takes_back", tr("Take-backs"), tr("A person may take back moves (U)")),
            ("hints", tr("Hints"), tr("A person may ask for hints (H)")),
        )):  # fmt: skip
            if index:
                ui.imgui.same_line()
            is_on = getattr(self.choices, key)
            is_changed, value = ui.imgui.checkbox(words, is_on)
            ui.tip(tip)
            if is_changed:
                self._choose(key, value)

    # -- parts --------------------------------------------------------------------------------

    def _label(self, ui: Ui, text: str) -> None:
        """Draw the name of a field, and place the field beside it."""
        ui.imgui.align_text_to_frame_padding()
        ui.text(text, "muted")
        ui.imgui.same_line(ui.theme.px(LABELS))

    def _combo(
        self,
        ui: Ui,
        key: str,
        value: Any,
        words: Mapping[Any, str],
        tip: str,
        tips: Mapping[Any, str] | None = None,
    ) -> None:
        """Draw a list from which the value of a field is chosen.

        Args:
            ui: widgets.
            key: name of the field.
            value: its present value.
            words: the values with their texts.
            tip: tooltip of the closed list.
            tips: tooltips of the values; None for none.
        """
        chosen = self._combo_of(ui, key, value, words, tip, tips)
        if chosen is not None:
            self._choose(key, chosen)

    def _combo_of(
        self,
        ui: Ui,
        key: str,
        value: Any,
        words: Mapping[Any, str],
        tip: str,
        tips: Mapping[Any, str] | None = None,
    ) -> Any:
        """Draw a list; return the value that was chosen in this frame, else None."""
        imgui = ui.imgui
        imgui.set_next_item_width(min(ui.theme.px(FIELD), imgui.get_content_region_avail().x))
        is_open = imgui.begin_combo(f"##{key}", words.get(value, str(value)))
        if not is_open:
            ui.tip(tip)
            return None
        chosen = None
        for item, text in words.items():
            if imgui.selectable(text, item == value)[0] and item != value:
                chosen = item
            if tips is not None and item in tips:
                ui.tip(tips[item])
            if item == value and imgui.is_window_appearing():
                imgui.set_item_default_focus()
        imgui.end_combo()
        return chosen

    def _draw_fault(self, ui: Ui, key: str) -> None:
        """Draw why the value of a field is refused, in red below it."""
        told = self.refusals.get(key) or self.faults.get(key)
        if told:
            if key not in ("black", "white"):
                ui.imgui.set_cursor_pos_x(ui.theme.px(LABELS))
            ui.imgui.push_text_wrap_pos(0.0)
            ui.text(told, "red")
            ui.imgui.pop_text_wrap_pos()


def _strength_words(info: PlayerInfo) -> str:
    return (
        tr("levels 1 to {most_level}").format(most_level=MOST_LEVEL)
        if has_levels(info)
        else info.title
    )


def _thinking_words(seconds: float) -> str:
    return tr("{seconds:g} s a move").format(seconds=seconds) if seconds else tr("the player's own")
