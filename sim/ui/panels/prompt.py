"""The prompt: a line below the console for Python input."""

from __future__ import annotations

import re
from collections.abc import Callable

from imgui_bundle import imgui

from base.language.wording import tr
from sim.core.editing.interpreter import Interpreter
from sim.ui.theme.theme import Theme

MOST_LINES = 8  # of the input that are seen at once
MOST_CHOICES = 12
INDENT = "    "
HINTS = (
    tr("Python: scene, find(name), component(class), selected, editor"),
    tr("Python: scene, find(name)"),
    tr("Python"),
)
"""What the empty field says: the first of these texts that fits."""
WORD = re.compile(r"\w*\Z")


class PromptLine:
    """An input line for Python code, which the interpreter runs.

    Enter runs the input and Shift+Enter starts a new line. Up and Down move through earlier inputs.
    Tab completes a name; Escape clears the input.

    Args:
        interpreter: runs and completes the code, and keeps the history.

    Attributes:
        text: the input.
        choices: completions in the displayed list; empty if it is closed.
        choice: index of the selected completion.
        is_active: whether the prompt has the keyboard focus.
    """

    def __init__(self, interpreter: Interpreter) -> None:
        self.interpreter = interpreter
        self.text = ""
        self.choices: list[str] = []
        self.choice = 0
        self.is_active = False
        self._names: list[str] = []  # all that fitted when Tab was pressed
        self._cursor = 0  # in characters
        self._place = len(interpreter.history.entries)
        self._draft = ""
        self._restored: str | None = None
        self._submitted = ""
        self._focus_frames = 0  # drawings in which the keyboard is asked for

    def height(self) -> float:
        """Return the height of the prompt in pixels, spacing included."""
        lines = min(MOST_LINES, self.text.count("\n") + 1)
        style = imgui.get_style()
        return float(
            lines * imgui.get_text_line_height() + 2 * style.frame_padding.y + style.item_spacing.y
        )

    def focus(self) -> None:
        """Give the prompt the keyboard focus."""
        self._focus_frames = 3

    def let_go(self) -> None:
        """Cancel a pending `focus`; called after a click elsewhere."""
        self._focus_frames = 0

    def draw(self, theme: Theme) -> None:
        """Draw the prompt and handle its keys."""
        imgui.push_font(theme.mono, 0.0)
        imgui.align_text_to_frame_padding()
        imgui.text_colored(theme.vector("amber"), "..." if "\n" in self.text else ">>>")
        imgui.same_line()
        if self._focus_frames:
            self._focus_frames -= 1
            if not self.is_active:
                imgui.set_keyboard_focus_here()
        kinds = imgui.InputTextFlags_
        flags = kinds.callback_completion | kinds.callback_always | kinds.escape_clears_all
        size = imgui.ImVec2(-1, self.height() - imgui.get_style().item_spacing.y)
        before = self.text
        _, self.text = imgui.input_text_multiline(
            "##prompt", before, size, int(flags), self._on_callback
        )
        self._after(before)
        corner = imgui.get_item_rect_min()
        if not self.text and not self.is_active:
            place = imgui.ImVec2(corner.x + theme.px(8), corner.y + theme.px(4))
            room = imgui.get_item_rect_max().x - place.x - theme.px(4)
            hint = next((text for text in HINTS if imgui.calc_text_size(text).x <= room), "")
            imgui.get_window_draw_list().add_text(place, theme.packed("muted"), hint)
        if self.choices:
            self._draw_choices(theme, corner)
        imgui.pop_font()

    def _after(self, before: str) -> None:
        """Handle what the text widget did: focus lost, Escape, text typed or input submitted.

        Args:
            before: text before the widget was drawn.
        """
        self.is_active = imgui.is_item_active()
        if self.is_active and _is_pressed(imgui.Key.escape):
            self._place = len(self.interpreter.history.entries)
            if self.choices:
                self._restored = before
        if not self.is_active or _is_pressed(imgui.Key.escape):
            self._close_choices()
        elif self.text != before and self._names:
            self._narrow(self.text[: self._cursor])
        if self._submitted:
            source, self._submitted = self._submitted, ""
            self.interpreter.run(source)
            self.focus()  # a message that the input made may have taken it
            self._place = len(self.interpreter.history.entries)

    # -- keys: inside the widget, so that no key that follows is lost --------------------------

    def _on_callback(self, state: imgui.InputTextCallbackData) -> int:
        if state.event_flag == imgui.InputTextFlags_.callback_completion:
            self._edit(state, self._complete)
            return 0
        if self._restored is not None:
            _put(state, self._restored, len(self._restored))
            self._restored = None
        elif _is_pressed(imgui.Key.enter) or _is_pressed(imgui.Key.keypad_enter):
            if not imgui.get_io().key_shift and not imgui.get_io().key_ctrl:
                self._edit(state, self._enter)
        elif _is_pressed(imgui.Key.up_arrow):
            self._edit(state, lambda text, cursor: self._walk(-1, text, self._cursor))
        elif _is_pressed(imgui.Key.down_arrow):
            self._edit(state, lambda text, cursor: self._walk(1, text, self._cursor))
        self._cursor = _cursor(state)
        return 0

    def _edit(
        self,
        state: imgui.InputTextCallbackData,
        change: Callable[[str, int], tuple[str, int] | None],
    ) -> None:
        changed = change(str(state.buf), _cursor(state))
        if changed is not None:
            _put(state, *changed)
        self._cursor = _cursor(state)

    def _enter(self, text: str, cursor: int) -> tuple[str, int]:
        """Handle the Enter key: accept a completion, continue the input on a new line, or run it.

        Args:
            text: text of the widget.
            cursor: position of the cursor, characters.

        Returns:
            The new text and cursor; the widget's own line break is removed.
        """
        if text[cursor - 1 : cursor] == "\n":
            text, cursor = text[: cursor - 1] + text[cursor:], cursor - 1
        if self.choices:
            return self._accepted(self.choices[self.choice], text, cursor)
        if self.interpreter.needs_more(text):
            last = text.rpartition("\n")[2]
            indent = last[: len(last) - len(last.lstrip())]
            text = f"{text}\n{indent}{INDENT if last.rstrip().endswith(':') else ''}"
            return text, len(text)
        self._submitted = text
        return "", 0

    def _walk(self, step: int, text: str, cursor: int) -> tuple[str, int] | None:
        """Handle the keys Up and Down: move in the list of completions, or else in the history.

        Args:
            step: -1 for Up, 1 for Down.
            text: text of the widget.
            cursor: position of the cursor, characters.

        Returns:
            The new text and cursor; None if the widget is to move the cursor itself.
        """
        if self.choices:
            self.choice = (self.choice + step) % len(self.choices)
            return text, cursor
        beyond = text[:cursor] if step < 0 else text[cursor:]
        entries = self.interpreter.history.entries
        place = self._place + step
        if "\n" in beyond or not 0 <= place <= len(entries):
            return None
        if self._place >= len(entries):
            self._draft = text
        self._place = place
        text = entries[place] if place < len(entries) else self._draft
        return text, len(text)

    # -- completion ---------------------------------------------------------------------------

    def _complete(self, text: str, cursor: int) -> tuple[str, int] | None:
        before = text[:cursor]
        if self.choices:
            return self._accepted(self.choices[self.choice], text, cursor)
        if not before.rpartition("\n")[2].strip():
            return _inserted(INDENT, text, cursor, 0)
        self._names = self.interpreter.complete(text, cursor)
        self._narrow(before)
        word = _word(before)
        shared = _shared(self.choices)
        if len(self.choices) == 1:
            return self._accepted(self.choices[0], text, cursor)
        if len(shared) > len(word) and shared.startswith(word):
            return _inserted(shared, text, cursor, len(word))
        return None

    def _narrow(self, before: str) -> None:
        """Update the list of completions to those that start with the typed word.

        Args:
            before: text before the cursor.
        """
        word = _word(before)
        known = self.choices[self.choice] if self.choices else ""
        self.choices = [name for name in self._names if name.lower().startswith(word.lower())]
        if not before.strip() or self.choices == [word]:
            self._close_choices()
        self.choice = self.choices.index(known) if known in self.choices else 0

    def _close_choices(self) -> None:
        self.choices, self._names, self.choice = [], [], 0

    def _accepted(self, name: str, text: str, cursor: int) -> tuple[str, int]:
        self._close_choices()
        return _inserted(name, text, cursor, len(_word(text[:cursor])))

    def _draw_choices(self, theme: Theme, above: imgui.ImVec2) -> None:
        first = max(0, min(self.choice - MOST_CHOICES // 2, len(self.choices) - MOST_CHOICES))
        imgui.set_next_window_pos(
            imgui.ImVec2(above.x, above.y - 4), imgui.Cond_.always, imgui.ImVec2(0, 1)
        )
        if imgui.begin_tooltip():
            for number, name in enumerate(self.choices[first : first + MOST_CHOICES], first):
                imgui.selectable(name, number == self.choice)
            if len(self.choices) > MOST_CHOICES:
                imgui.text_colored(theme.vector("muted"), f"{self.choice + 1}/{len(self.choices)}")
            imgui.end_tooltip()


def _word(before: str) -> str:
    found = WORD.search(before)
    return found[0] if found is not None else ""


def _shared(names: list[str]) -> str:
    """Return the longest common prefix of names."""
    first, last = min(names, default=""), max(names, default="")
    same = [number for number, pair in enumerate(zip(first, last, strict=False), 1)
            if first[:number] == last[:number]]  # fmt: skip
    return first[: max(same, default=0)]


def _inserted(piece: str, text: str, cursor: int, replaced: int) -> tuple[str, int]:
    start = cursor - replaced
    return text[:start] + piece + text[cursor:], start + len(piece)


def _cursor(state: imgui.InputTextCallbackData) -> int:
    """Return where the cursor is, in characters; the widget counts bytes."""
    return len(str(state.buf).encode()[: state.cursor_pos].decode("utf-8", "ignore"))


def _put(state: imgui.InputTextCallbackData, text: str, cursor: int) -> None:
    state.delete_chars(0, state.buf_text_len)
    state.insert_chars(0, text)
    place = len(text[:cursor].encode())
    state.cursor_pos = state.selection_start = state.selection_end = place


def _is_pressed(key: imgui.Key) -> bool:
    return bool(imgui.is_key_pressed(key))
