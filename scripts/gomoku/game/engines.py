"""The panel "Engines": adds outside engines by mouse, checks them, and seats them at the board."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ai import (
    EngineEntry,
    EngineFileError,
    add_engine,
    check_engine,
    declared_engines,
    engine_command,
    engine_of,
    engines_file,
    free_engine_name,
    get_engine,
    refusal_of,
    remove_engine,
    rename_engine,
)
from scripts.gomoku.game.match import Match
from scripts.gomoku.seats.seat import Seat
from sim import JobError, Script, Ui, job, tr

ICON = "plug"
LABELS = 84.0  # where the form's fields begin, pixels from the left at scale 1
NUMBER_WIDTH = 90.0
RULES = ("freestyle", "standard", "renju", "caro")
MEGABYTES = 100
OF_THE_FILE = "engines.toml"
CHECK_TIP = tr("Starts it and lets it make two moves")
EngineButton = tuple[str, str, tuple[str, ...], str]
"""Label of a button, method that it calls, arguments, and tip."""


@job
def check(name: str, table: dict[str, Any] | None) -> tuple[bool, str]:
    """Check an engine in a worker process; see `check_engine`.

    Args:
        name: name of the engine.
        table: its entry, as in `engines.toml`; None for that of the declared engine.

    Returns:
        Whether it answered as it should, and one line of text.
    """
    found = check_engine(get_engine(name) if table is None else engine_of(name, table))
    return found.is_sound, found.text


@dataclass
class EngineForm:
    """The fields in which a new engine is described.

    Attributes:
        fault: why it was not added; empty if there is no reason.
        may_be_added: whether it can be added although its check failed.
    """

    program: str = ""
    arguments: str = ""
    name: str = ""
    rules: dict[str, bool] = field(
        default_factory=lambda: {rule: rule in EngineEntry("", ()).rules for rule in RULES}
    )
    seconds: float = 5.0
    memory: int = 0
    fault: str = ""
    may_be_added: bool = False

    def table(self) -> dict[str, Any]:
        """Return the engine's entry, as in `engines.toml`.

        Raises:
            EngineFileError: a field is empty, or the arguments have a quotation without an end.
        """
        if not self.program.strip():
            raise EngineFileError("expected a program, found nothing")
        path = Path(self.program.strip()).expanduser()
        found: dict[str, Any] = {"command": engine_command(path, self.arguments)}
        if path.is_absolute():
            found["folder"] = str(path.parent)
        found["rules"] = [rule for rule, is_played in self.rules.items() if is_played]
        found["seconds"] = self.seconds
        if self.memory:
            found["memory"] = self.memory
        return found


class Engines(Script, title="Engines"):
    """Panel of the user's outside engines: adds, checks, renames and removes them, and seats them.

    They are kept in the user's `engines.toml`, for all scenes and projects.

    Attributes:
        engines: the declared engines, in the order of the file.
        fault: why the last action failed; empty if it did not.
        said: result of the last check by name of the engine: whether it is sound, and the text.
        form: fields of an engine that is to be added; None if none is.
        checking: name of the engine that is being checked; empty if none is.
    """

    def awake(self) -> None:
        self.engines: list[EngineEntry] = []
        self.fault = ""
        self.said: dict[str, tuple[bool, str]] = {}
        self.form: EngineForm | None = None
        self.checking = ""
        self.to_remove = ""
        self.renamed = ""
        self.new_name = ""
        self.match: Match | None = None

    def start(self) -> None:
        found = (slot.instance for slot in self.scene.components())
        self.match = next((item for item in found if isinstance(item, Match)), None)
        self.panel(tr("Engines"), self.draw, dock="right", order=3, icon=ICON)
        self.refresh()

    def refresh(self) -> None:
        """Read the user's engines again."""
        self.fault = ""
        try:
            self.engines = list(declared_engines().values())
        except EngineFileError as error:
            self.engines, self.fault = [], str(error)

    # -- what can be done ---------------------------------------------------------------------

    def open_form(self) -> None:
        """Show the fields of a new engine."""
        self.form = self.form or EngineForm()

    def close_form(self) -> None:
        """Discard the fields of a new engine."""
        self.form = None

    def fill(self, key: str, value: str | float) -> None:
        """Fill in a field of a new engine.

        Args:
            key: name of the field: "program", "arguments", "name", "seconds" or "memory".
            value: its value.
        """
        self.open_form()
        setattr(self.form, key, value)
        if self.form is not None:
            self.form.fault, self.form.may_be_added = "", False

    def choose_rule(self, rule: str, is_played: bool) -> None:
        """Say whether a new engine plays a rule.

        Args:
            rule: name of the rule.
            is_played: whether the engine plays it.
        """
        self.open_form()
        if self.form is not None:
            self.form.rules[rule] = is_played

    def browse(self) -> None:
        """Ask for the file of a new engine's program."""
        self.ask_file(self.choose_program, tr("Choose an engine's program"))

    def choose_program(self, path: str) -> None:
        """Fill in a program's path, and a name if none is given.

        Args:
            path: path of the program's file.
        """
        self.open_form()
        form = self.form
        if form is None:
            return
        form.program, form.fault, form.may_be_added = path, "", False
        try:
            form.name = form.name or free_engine_name(Path(path))
        except EngineFileError as error:
            form.fault = str(error)

    def add(self, name: str, table: dict[str, Any], is_checked: bool = True) -> None:
        """Declare an engine, after a check that it passes.

        Args:
            name: a new name.
            table: its entry, as in `engines.toml`.
            is_checked: whether to check it before.
        """
        if self.form is None:
            self.form = EngineForm(name=name)
        if not self.checking:
            self.start_coroutine(self._add(self.form, name, table, is_checked))

    def test(self, name: str) -> None:
        """Check a declared engine; the panel shows the result."""
        if not self.checking:
            self.start_coroutine(self._check(name, None))

    def rename(self, name: str, new: str) -> None:
        """Rename an engine, at the seats of the match, too.

        Args:
            name: its present name.
            new: its new name.
        """
        before = self._player_of(name)
        if self._change(lambda: rename_engine(name, new)):
            self.renamed = ""
            if name in self.said:
                self.said[new] = self.said.pop(name)
            for seat in self._seats_of(before):
                seat.guest = self._player_of(new)

    def remove(self, name: str) -> None:
        """Remove an engine, from the seats of the match, too; its program's file stays."""
        player = self._player_of(name)
        self.to_remove = ""
        if self._change(lambda: remove_engine(name)):
            self.said.pop(name, None)
            for seat in self._seats_of(player):
                seat.guest = ""

    def sit(self, name: str, side: str) -> None:
        """Let an engine play a side of the match from the next game on.

        Args:
            name: name of the engine.
            side: "black" or "white".
        """
        if self.match is None:
            return
        seat: Seat = getattr(self.match, side)
        try:
            info = get_engine(name).info
        except (EngineFileError, LookupError, ValueError) as error:
            self.fault = str(error)
            return
        self.fault = refusal_of(info, self.match.rules)
        if not self.fault:
            seat.guest = info.name
            self.log.info(f"{info.name} plays {self._sides()[side]} from the next game on")

    def stand_up(self, side: str) -> None:
        """Give a side of the match back to the seat's own player, from the next game on.

        Args:
            side: "black" or "white".
        """
        if self.match is not None:
            getattr(self.match, side).guest = ""

    def _change(self, change: Any) -> bool:
        """Change the user's file and read it again.

        Args:
            change: called without arguments.

        Returns:
            Whether it was changed.
        """
        try:
            change()
        except EngineFileError as error:
            self.fault = str(error)
            return False
        self.refresh()
        return True

    async def _add(
        self, form: EngineForm, name: str, table: dict[str, Any], is_checked: bool
    ) -> None:
        form.fault, form.may_be_added = "", False
        try:
            if any(entry.name == name for entry in self.engines):
                raise EngineFileError(f"expected a name that no engine has, found {name!r}")
            engine_of(name, table)
            if is_checked:
                is_sound, text = await self._check(name, table)
                if not is_sound:
                    form.fault, form.may_be_added = text, True
                    return
            add_engine(name, table)
        except EngineFileError as error:
            form.fault = str(error).removeprefix(f"{engines_file()}: ")
            return
        if self.form is form:
            self.form = None
        self.refresh()
        self.log.info(f"{self._player_of(name)} is a player now")

    async def _check(self, name: str, table: dict[str, Any] | None) -> tuple[bool, str]:
        self.checking = name
        self.status.set("engines", tr("{name} is being checked").format(name=name), busy=True)
        try:
            is_sound, text = await self.background(check(name, table))
        except JobError as error:
            is_sound, text = False, str(error)
        finally:
            self.checking = ""
            self.status.clear("engines")
        self.said[name] = (is_sound, text)
        return is_sound, text

    # -- who sits at the board ----------------------------------------------------------------

    def _sides(self) -> dict[str, str]:
        """Return the names of the two sides for people, by the name of the match's field."""
        if self.match is None or self.match.board is None:
            return {}
        return {"black": self.match.board.sides[1], "white": self.match.board.sides[-1]}

    def _seats_of(self, player: str) -> list[Seat]:
        """Return the seats of the match at which a player sits as a guest.

        Args:
            player: name of the player.
        """
        seats = [] if self.match is None else [self.match.black, self.match.white]
        return [seat for seat in seats if seat is not None and seat.guest == player]

    def _player_of(self, name: str) -> str:
        found = (entry for entry in self.engines if entry.name == name)
        return next((entry.info.name for entry in found), "")

    # -- drawing ------------------------------------------------------------------------------

    def draw(self, ui: Ui) -> None:
        """Draw the engines, and the fields of a new one."""
        ui.muted_text(
            tr(
                "Programs of yours that speak the Gomocup protocol. Each is a player of that name "
                "in every list of players."
            )
        )
        if self.fault:
            self._draw_text(ui, self.fault, "red")
            of_the_file = self.fault.startswith(str(engines_file()))
            if of_the_file and ui.button(tr("Read again"), icon="rotate", tip=str(engines_file())):
                self.by_hand("refresh")
        for entry in self.engines:
            ui.imgui.push_id(entry.name)
            self._draw_engine(ui, entry)
            ui.imgui.pop_id()
        ui.imgui.dummy(ui.imgui.ImVec2(0, ui.theme.px(4)))
        if self.form is not None:
            self._draw_form(ui, self.form)
        elif ui.button(
            tr("Add engine…"),
            icon="plus",
            tip=tr("Kept in {engines_file}").format(engines_file=engines_file()),
        ):
            self.by_hand("open_form")

    def _draw_engine(self, ui: Ui, entry: EngineEntry) -> None:
        name = entry.name
        ui.imgui.dummy(ui.imgui.ImVec2(0, ui.theme.px(4)))
        ui.heading(entry.info.name)
        command = entry.command_text
        ui.text(_end_of(ui, command), "muted")
        ui.tip(f"{command}\n{', '.join(entry.rules)}; {entry.declared_by}")
        if name in self.said:
            is_sound, text = self.said[name]
            self._draw_text(ui, text, "green" if is_sound else "red")
        if self.renamed == name:
            self._draw_rename(ui, name)
            return
        if self.to_remove == name:
            ui.muted_text(tr("Remove it from the list? Its file stays."))
            self._draw_buttons(
                ui, [(tr("Yes, remove"), "remove", (name,), ""), (tr("Keep"), "keep", (), "")]
            )
            return
        buttons: list[EngineButton] = [(tr("Check"), "test", (name,), CHECK_TIP)]
        for side, title in self._sides().items():
            sits = self.match is not None and getattr(self.match, side).guest == entry.info.name
            leave = (
                tr("Leave {title}").format(title=title),
                "stand_up",
                (side,),
                tr("The seat's own player comes back"),
            )
            take = (
                tr("Seat at {title}").format(title=title),
                "sit",
                (name, side),
                tr("It plays {title} from the next game on").format(title=title),
            )
            buttons.append(leave if sits else take)
        if Path(entry.declared_by).name == OF_THE_FILE:
            buttons.append((tr("Rename"), "ask_name", (name,), ""))
            buttons.append((tr("Remove"), "ask_removal", (name,), ""))
        ui.imgui.begin_disabled(bool(self.checking))
        self._draw_buttons(ui, buttons)
        ui.imgui.end_disabled()

    def _draw_buttons(self, ui: Ui, buttons: list[EngineButton]) -> None:
        """Draw a row of buttons that call methods of this script.

        Args:
            ui: user interface of the panel.
            buttons: the buttons.
        """
        for index, (label, method, arguments, tip) in enumerate(buttons):
            if index:
                ui.beside(ui.button_width(label))
            if ui.button(label, tip=tip):
                self.by_hand(method, *arguments)

    def ask_name(self, name: str) -> None:
        """Show a field for the new name of an engine."""
        self.renamed, self.new_name, self.to_remove = name, name, ""

    def ask_removal(self, name: str) -> None:
        """Ask whether to remove an engine."""
        self.to_remove, self.renamed = name, ""

    def keep(self) -> None:
        """Do not rename or remove an engine."""
        self.to_remove, self.renamed, self.fault = "", "", ""

    def _draw_rename(self, ui: Ui, name: str) -> None:
        ui.imgui.set_next_item_width(ui.room)
        flags = int(ui.imgui.InputTextFlags_.enter_returns_true)
        is_entered, self.new_name = ui.imgui.input_text("##new", self.new_name, flags)
        new = self.new_name.strip()
        if ui.button(tr("Save")) or is_entered:
            self.by_hand("rename", name, new)
        ui.beside(ui.button_width(tr("Cancel")))
        if ui.button(tr("Cancel")):
            self.by_hand("keep")

    def _draw_form(self, ui: Ui, form: EngineForm) -> None:
        imgui = ui.imgui
        ui.heading(tr("Add an engine"))
        imgui.begin_disabled(bool(self.checking))
        width = ui.button_width("##browse", icon="folder-open")
        form.program = self._draw_field(
            ui, tr("Program"), form.program, tr("path of its file"), width
        )
        ui.same_line()
        if ui.button("##browse", icon="folder-open", tip=tr("Choose the program's file")):
            self.by_hand("browse")
        form.arguments = self._draw_field(ui, tr("Arguments"), form.arguments, tr("none"))
        form.name = self._draw_field(ui, tr("Name"), form.name, tr("letters, digits, . _ -"))
        if ui.section(tr("More"), is_open=False):
            self._draw_more(ui, form)
        if form.fault:
            self._draw_text(ui, form.fault, "red")
        if ui.button(tr("Check and add"), icon="check", tip=CHECK_TIP):
            self._add_by_hand(form, is_checked=True)
        if form.may_be_added:
            ui.beside(ui.button_width(tr("Add anyway")))
            if ui.button(tr("Add anyway")):
                self._add_by_hand(form, is_checked=False)
        ui.beside(ui.button_width(tr("Cancel")))
        if ui.button(tr("Cancel") + "##form"):
            self.by_hand("close_form")
        imgui.end_disabled()
        if self.checking:
            ui.muted_text(tr("{checking} is being checked …").format(checking=self.checking))

    def _add_by_hand(self, form: EngineForm, *, is_checked: bool) -> None:
        try:
            table = form.table()
        except EngineFileError as error:
            form.fault = str(error)
            return
        more = () if is_checked else (False,)
        self.by_hand("add", form.name.strip(), table, *more)

    def _draw_more(self, ui: Ui, form: EngineForm) -> None:
        """Draw the fields that most engines do not need: rules, seconds and memory."""
        imgui = ui.imgui
        for index, rule in enumerate(RULES):
            if index:
                ui.beside(imgui.calc_text_size(rule).x + 2 * imgui.get_frame_height())
            has_changed, is_played = imgui.checkbox(rule, form.rules[rule])
            if has_changed:
                self.by_hand("choose_rule", rule, is_played)
        self._draw_label(ui, tr("Seconds"))
        imgui.set_next_item_width(ui.theme.px(NUMBER_WIDTH))
        form.seconds = max(
            0.01, float(imgui.input_float("##seconds", form.seconds, format="%g")[1])
        )
        self._say_filled(ui, "seconds", form.seconds)
        ui.tip(tr("For a move, where nothing else is said"))
        self._draw_label(ui, tr("Memory"))
        imgui.set_next_item_width(ui.theme.px(NUMBER_WIDTH))
        form.memory = max(0, int(imgui.input_int("##memory", form.memory, MEGABYTES)[1]))
        self._say_filled(ui, "memory", form.memory)
        ui.tip(tr("Megabytes that it may use, its children included; 0: no limit"))

    def _draw_field(self, ui: Ui, label: str, text: str, hint: str, beside: float = 0.0) -> str:
        """Draw a text field with its label.

        Args:
            ui: user interface of the panel.
            label: name of the field.
            text: its text.
            hint: what the empty field shows.
            beside: width of what is drawn beside it, pixels.

        Returns:
            The text, which the user may have changed.
        """
        self._draw_label(ui, label)
        gap = ui.imgui.get_style().item_spacing.x if beside else 0.0
        ui.imgui.set_next_item_width(ui.room - beside - gap)
        text = str(ui.imgui.input_text_with_hint(f"##{label}", hint, text)[1])
        self._say_filled(ui, label.lower(), text)
        return text

    def _say_filled(self, ui: Ui, key: str, value: str | float) -> None:
        """Fill in a field by hand, once its widget, drawn last, is left with another value.

        Args:
            ui: user interface of the panel.
            key: name of the field.
            value: its value.
        """
        if ui.imgui.is_item_deactivated_after_edit():
            self.by_hand("fill", key, value)

    def _draw_label(self, ui: Ui, label: str) -> None:
        ui.imgui.align_text_to_frame_padding()
        ui.text(label, "muted")
        ui.same_line(ui.theme.px(LABELS))

    def _draw_text(self, ui: Ui, text: str, color: str) -> None:
        """Draw a text of several lines in a color of the theme."""
        ui.imgui.push_text_wrap_pos(0.0)
        ui.text(text, color)
        ui.imgui.pop_text_wrap_pos()


def _end_of(ui: Ui, text: str) -> str:
    """Return a text that fits the panel's width; a long one keeps its end, after an ellipsis.

    Args:
        ui: user interface of the panel.
        text: the text.
    """
    imgui = ui.imgui
    if imgui.calc_text_size(text).x <= ui.room:
        return text
    kept = text
    while kept and imgui.calc_text_size(f"…{kept}").x > ui.room:
        kept = kept[max(1, len(kept) // 40) :]
    return f"…{kept}"
