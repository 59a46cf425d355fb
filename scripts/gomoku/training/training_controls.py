"""Controls of the training panel: fields, pending changes, and refused texts."""

from __future__ import annotations

from typing import Any

from ai import (
    LEAGUE,
    MEMBERS,
    Option,
    OptionError,
    find_player_info,
    get_player_info,
    resolve_settings,
)
from scripts.gomoku.seats.genetic_seat import GeneticSeat, short_title
from scripts.gomoku.seats.pending import write_value
from scripts.gomoku.seats.player_seat import PlayerSeat
from scripts.learning.panel_parts import draw_given_up
from sim import Ui, tr, wording

VALUE_PLACE = 128.0  # where values begin, pixels from the left
NUMBER_WIDTH = 88.0
CHOICE_WIDTH = 132.0
UNDO_PADDING = 14.0
NEXT_GAME = tr("at the next game")


class FieldEditor:
    """Draws settings as fields that can be edited; an edit takes effect at the next game.

    In its methods `owner` is the seat that has the setting, and `key` the setting's name.

    Attributes:
        pending: the changes that wait for the next game.
        refusals: reason for which the last edit was refused, by the seat's Python id and the
            setting's name.
    """

    def __init__(self, pending: Any) -> None:
        self.pending = pending
        self.refusals: dict[tuple[int, str], str] = {}
        self._typed: dict[tuple[int, str], str] = {}

    def propose(self, owner: Any, key: str, text: str) -> bool:
        """Set a setting to a typed value from the next game on; an invalid text is refused.

        Args:
            owner: the seat that has the setting.
            key: name of the setting.
            text: the typed text.

        Returns:
            Whether the value was accepted.
        """
        try:
            value = getattr(type(owner), key).option.resolve(text)
        except OptionError as error:
            self.refusals[id(owner), key] = _without_key(key, error)
            return False
        return self.choose(owner, key, value)

    def choose(self, owner: Any, key: str, value: Any) -> bool:
        """Set a setting to a value from the next game on; an invalid value is refused.

        Args:
            owner: the seat that has the setting.
            key: name of the setting.
            value: the new value.

        Returns:
            Whether the value was accepted.
        """
        place = (id(owner), key)
        try:
            self._check(owner, key, value)
        except OptionError as error:
            self.refusals[place] = _without_key(key, error)
            return False
        self.refusals.pop(place, None)
        self._typed.pop(place, None)
        current = self.present(owner, key)
        if key == getattr(owner, "kind_key", None):
            self.pending.withdraw_all(owner)  # what waits was for the player that goes
        self.pending.propose(owner, key, value, current=current)
        controls = 'component("TrainingPanel").controls.editor'
        owner.log.python(f'{controls}.choose({owner.expression}, "{key}", {write_python(value)})')
        return True

    def withdraw(self, owner: Any, key: str) -> None:
        """Cancel the pending change of a setting.

        If the setting selects the player, all pending changes of its seat are cancelled.

        Args:
            owner: the seat that has the setting.
            key: name of the setting.
        """
        controls = 'component("TrainingPanel").controls.editor'
        owner.log.python(f'{controls}.withdraw({owner.expression}, "{key}")')
        self._typed.pop((id(owner), key), None)
        if key == getattr(owner, "kind_key", None):
            self.pending.withdraw_all(owner)
        else:
            self.pending.withdraw(owner, key)

    def refusal(self, owner: Any, key: str) -> str:
        """Return why the last text was refused, else ""."""
        return self.refusals.get((id(owner), key), "")

    def shown(self, owner: Any, key: str) -> Any:
        """Return the value to show for a setting: the pending one, or else the present one.

        Args:
            owner: the seat that has the setting.
            key: name of the setting.
        """
        has = self.pending.has(owner, key)
        return self.pending.value(owner, key) if has else self.present(owner, key)

    def present(self, owner: Any, key: str) -> Any:
        """Return the value that a setting has without its pending change.

        If another player is to be selected at the next game, it is that player's value.

        Args:
            owner: the seat that has the setting.
            key: name of the setting.
        """
        if key == getattr(owner, "kind_key", key):
            return getattr(owner, key)
        return owner.present(key, self.pending.of(owner))

    def _check(self, owner: Any, key: str, value: Any) -> None:
        """Check that a new value fits together with the pending changes of its seat.

        Args:
            owner: the seat that has the setting.
            key: name of the setting.
            value: the new value.

        Raises:
            OptionError: the field `more` contains the same setting, the settings do not fit
                together, or an opponent of the league cannot play the present game.
        """
        if isinstance(owner, GeneticSeat) and (refusal := owner.refuses(key, value)):
            raise OptionError(refusal)
        further = getattr(owner, "further_settings", None)
        if further is None:
            return
        waiting = {} if key == owner.kind_key else self.pending.of(owner)
        if key in further(waiting):
            raise OptionError(f"set in More: {key}={further(waiting)[key]}")
        changed = {**waiting, key: value}
        info = get_player_info(changed.get("player_kind", owner.player_kind))
        resolve_settings(info, owner.settings_with(changed))

    def set(self, seat: PlayerSeat, setting: Option, text: str) -> bool:
        """Set a setting that is kept in the field `more`, from the next game on.

        Args:
            seat: the seat of the player.
            setting: the setting.
            text: the typed text; it is refused if it is invalid.

        Returns:
            Whether the value was accepted.
        """
        try:
            setting.resolve(text)
        except OptionError as error:
            self.refusals[id(seat), setting.key] = _without_key(setting.key, error)
            return False
        self.refusals.pop((id(seat), setting.key), None)
        known, wanted = seat.given({}), seat.given(self.pending.of(seat))
        wanted[setting.key] = text.strip()
        if setting.resolve(text) == setting.resolve(known.get(setting.key, setting.default)):
            wanted.pop(setting.key)  # as it is
            wanted |= {key: value for key, value in known.items() if key == setting.key}
        more = seat.more if wanted == known else " ".join(map("=".join, wanted.items()))
        self.choose(seat, "more", more)
        return True

    # -- drawing ------------------------------------------------------------------------------

    def draw_setting(self, ui: Ui, seat: PlayerSeat, setting: Option) -> None:
        """Draw one setting that is kept in the field `more`: name, value, former value, and error.

        Args:
            ui: user interface of the panel.
            seat: the seat of the player.
            setting: the setting.
        """
        place = (id(seat), setting.key)
        present = seat.given({}).get(setting.key, setting.default)
        waiting = seat.given(self.pending.of(seat)).get(setting.key, setting.default)
        imgui = ui.imgui
        imgui.push_id(f"{seat.slot.id}/more/{setting.key}")
        room = self._draw_name(ui, setting.key.replace("_", " ").capitalize(), setting.help)
        imgui.set_next_item_width(min(ui.theme.px(NUMBER_WIDTH), room))
        if (text := self._draw_text(ui, place, waiting)) is not None:
            self.set(seat, setting, text)
        if setting.resolve(waiting) != setting.resolve(present) and self._draw_was(ui, present):
            self.set(seat, setting, str(present))
        imgui.pop_id()
        if name := self._draw_refusal(ui, seat, setting.key):
            self.set(seat, setting, name)

    def draw(self, ui: Ui, owner: Any, key: str) -> None:
        """Draw one setting that is a field of the seat: name, value, former value, and error.

        Args:
            ui: user interface of the panel.
            owner: the seat.
            key: name of the field.
        """
        imgui = ui.imgui
        declared = getattr(type(owner), key)
        imgui.push_id(f"{owner.slot.id}/{key}")
        room = self._draw_name(ui, declared.title, declared.help)
        option = declared.option
        width = ui.theme.px(CHOICE_WIDTH if option.choices else NUMBER_WIDTH)
        imgui.set_next_item_width(min(width, room))
        self._draw_widget(ui, owner, option)
        self._draw_waiting(ui, owner, key)
        imgui.pop_id()
        if name := self._draw_refusal(ui, owner, key):
            self.propose(owner, key, name)

    def _draw_refusal(self, ui: Ui, owner: Any, key: str) -> str:
        """Draw why the last text was refused; return a known name that is clicked instead."""
        refusal = self.refusal(owner, key)
        if not refusal:
            return ""
        draw_wrapped(ui, tr("not changed: {refusal}").format(refusal=refusal), "red")
        return ui.suggestions(refusal)

    def _draw_name(self, ui: Ui, name: str, explanation: str) -> float:
        """Draw a setting's name and move the cursor to its value; return the width left there.

        Args:
            ui: user interface of the panel.
            name: name of the setting.
            explanation: text of the tooltip.
        """
        imgui = ui.imgui
        room: float = imgui.get_content_region_avail().x
        imgui.align_text_to_frame_padding()
        ui.text(name, "muted")
        if explanation:
            ui.tip(explanation)
        place = min(ui.theme.px(VALUE_PLACE), room * 0.45)
        ui.same_line(place)
        return room - float(place)

    def _draw_widget(self, ui: Ui, owner: Any, option: Option) -> None:
        imgui = ui.imgui
        key, choices = option.key, option.choices
        value = self.shown(owner, key)
        if choices:
            words = [str(choice) for choice in choices]
            has_changed, index = imgui.combo("##value", choices.index(value), words)
            if has_changed:
                self.choose(owner, key, choices[index])
        elif option.value_kind is bool:
            has_changed, is_on = imgui.checkbox("##value", value)
            if has_changed:
                self.choose(owner, key, is_on)
        elif (text := self._draw_text(ui, (id(owner), key), value)) is not None:
            self.propose(owner, key, text)

    def _draw_text(self, ui: Ui, place: tuple[int, str], value: object) -> str | None:
        """Draw an input field for a value.

        Args:
            ui: user interface of the panel.
            place: Python id of the seat that has the setting, and the setting's name.
            value: value shown while nothing has been typed.

        Returns:
            The typed text when the user has finished the edit, else None.
        """
        imgui = ui.imgui
        text = self._typed.get(place, write_value(value))
        has_changed, text = imgui.input_text("##value", text)
        if has_changed:
            self._typed[place] = text
        return self._typed.pop(place, text) if imgui.is_item_deactivated_after_edit() else None

    def _draw_waiting(self, ui: Ui, owner: Any, key: str) -> None:
        if self.pending.has(owner, key) and self._draw_was(ui, self.present(owner, key)):
            self.withdraw(owner, key)

    def _draw_was(self, ui: Ui, value: Any) -> bool:
        """Draw the value that a setting had before a pending change, and a button "undo".

        Args:
            ui: user interface of the panel.
            value: the value before the change.

        Returns:
            Whether the button was clicked.
        """
        imgui = ui.imgui
        text = tr("was {write_value}").format(write_value=write_value(value))
        needed = imgui.calc_text_size(tr("{text}  undo").format(text=text)).x + ui.theme.px(
            UNDO_PADDING
        )
        ui.same_line()
        if imgui.get_content_region_avail().x < needed:
            imgui.new_line()
            spare = imgui.get_content_region_avail().x - needed
            imgui.set_cursor_pos_x(imgui.get_cursor_pos_x() + max(spare, 0.0))
        ui.text(text, "amber")
        ui.same_line()
        is_withdrawn = bool(imgui.small_button(tr("undo")))
        ui.tip(tr("Cancel this change"))
        return is_withdrawn


class TrainingControls:
    """The tab with the controls of the training."""

    def __init__(self, match: Any, trainer: Any) -> None:
        self.match = match
        self.trainer = trainer
        self.editor = FieldEditor(trainer.pending)

    def draw(self, ui: Ui) -> None:
        """Draw buttons, then the fields of both players."""
        trainer = self.trainer
        self._draw_buttons(ui)
        self.draw_waiting(ui)
        white, black = trainer.seat, self.match.black
        if hasattr(white, "kind_key"):
            self._draw_kinds(ui, white)
        if isinstance(black, GeneticSeat):
            if ui.section(tr("Black: opponents"), is_open=True):
                self.draw_opponents(ui)
            title = tr("Black: {title}").format(title=find_player_info(black.player_name()).title)
            keys = black.shown_keys(trainer.pending.of(black))
            self._draw_section(ui, title, black, keys, is_open=False)
        for color, seat in ((tr("White"), white), (tr("Black"), black)):
            settings = seat.own_settings() if hasattr(seat, "own_settings") else ()
            if settings:
                self._draw_settings(
                    ui,
                    wording("{color}: {player_kind}").format(
                        color=color, player_kind=seat.player_kind
                    ),
                    seat,
                    settings,
                )

    def _draw_kinds(self, ui: Ui, white: Any) -> None:
        """Draw the list of learning players, the selected one's description, and its fields.

        Args:
            ui: user interface of the panel.
            white: the seat of the learning player.
        """
        waiting = self.trainer.pending.of(white)
        kind = self.editor.shown(white, white.kind_key)
        if ui.section(tr("White: player"), is_open=True):
            self.editor.draw(ui, white, white.kind_key)
            ui.muted_text(get_player_info(kind).description)
        self._draw_section(
            ui, tr("White: memory"), white, white.shown_memory_keys(waiting), is_open=True
        )
        if keys := white.shown_keys(waiting):
            self._draw_section(ui, tr("White: training"), white, keys, is_open=False)

    def draw_opponents(self, ui: Ui) -> None:
        """Draw the choice of Black's opponents, unless Black's seat is not a `GeneticSeat`.

        Args:
            ui: user interface of the panel.
        """
        black = self.match.black
        if not isinstance(black, GeneticSeat):
            return
        self.editor.draw(ui, black, "opponents")
        is_league = self.editor.shown(black, "opponents") == LEAGUE
        if is_league and black.opponents == LEAGUE and not black.is_league:
            ui.muted_text(
                tr("The league waits: {title} sits there.").format(title=black.info.title)
            )
        elif is_league and black.member is None:
            ui.muted_text(
                tr("In turn: {short_title}.").format(
                    short_title=", ".join(map(short_title, MEMBERS))
                )
            )

    def draw_waiting(self, ui: Ui) -> None:
        """Draw what waits for the next game: the number of changes, and a requested roll back.

        Args:
            ui: user interface of the panel.
        """
        count = len(self.trainer.pending)
        if count:
            what = (
                tr("1 change waits")
                if count == 1
                else tr("{count} changes wait").format(count=count)
            )
            ui.text(tr("{what} for the next game").format(what=what), "amber")
        target = self.trainer.roll_back_to
        if target is not None:
            draw_wrapped(
                ui,
                tr("rolls back to {name} {next_game}").format(
                    name=target.name, next_game=NEXT_GAME
                ),
                "amber",
            )
            if ui.button(tr("Cancel the rollback")):
                self.trainer.by_hand("ask_roll_back", None)

    def _draw_buttons(self, ui: Ui) -> None:
        trainer = self.trainer
        if trainer.link is None:
            ui.muted_text(tr("White's player does not learn: nothing is trained."))
            return
        draw_given_up(ui, trainer)
        if ui.button(tr("Pause training") if trainer.is_training_on else tr("Start training")):
            trainer.is_training_on = not trainer.is_training_on
            trainer.log.python(f"{trainer.expression}.is_training_on = {trainer.is_training_on}")
        ui.same_line()
        ui.imgui.begin_disabled(not trainer.can_retrain or trainer.is_training)
        if ui.button(tr("Retrain now")):
            trainer.by_hand("retrain")
        ui.imgui.end_disabled()
        if trainer.is_training:
            ui.muted_text(tr("Training is under way."))
        elif not trainer.is_training_on:
            ui.muted_text(
                tr("Paused. Games played now are never learnt ({skipped} so far).").format(
                    skipped=trainer.skipped
                )
            )
        elif not trainer.can_retrain:
            ui.muted_text(tr("Nothing to retrain on: the memory is empty."))
        else:
            ui.muted_text(
                tr("Buttons act at once; fields {next_game}.").format(next_game=NEXT_GAME)
            )

    def _draw_section(
        self, ui: Ui, title: str, owner: Any, keys: tuple[str, ...], *, is_open: bool
    ) -> None:
        if ui.section(title, is_open=is_open):
            for key in keys:
                self.editor.draw(ui, owner, key)

    def _draw_settings(
        self, ui: Ui, title: str, seat: PlayerSeat, settings: tuple[Option, ...]
    ) -> None:
        """Draw the settings of a player that has no fields for them.

        Its seat keeps them together in the text field `more`.

        Args:
            ui: user interface of the panel.
            title: title of the section.
            seat: the seat of the player.
            settings: the settings.
        """
        if ui.section(title):
            for setting in settings:
                self.editor.draw_setting(ui, seat, setting)


def _without_key(key: str, error: OptionError) -> str:
    """Return the text of an error without the setting's name at its beginning.

    Args:
        key: name of the setting.
        error: the error.
    """
    return str(error).removeprefix(f"{key}: ")


def write_python(value: Any) -> str:
    """Return a value as Python source; an enum member as its value."""
    return repr(getattr(value, "value", value))


def draw_wrapped(ui: Ui, text: str, color: str) -> None:
    """Draw a text with line breaks at the column's width."""
    ui.imgui.push_text_wrap_pos(0.0)
    ui.text(text, color)
    ui.imgui.pop_text_wrap_pos()
