"""What is drawn in place of a failed panel or a component that was stopped after an error."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, Protocol

from imgui_bundle import imgui

from base.language.wording import tr
from sim.core.reporting.console import Console, ConsoleRecord
from sim.core.reporting.failure_text import describe, user_traceback
from sim.core.reporting.python_text import called
from sim.core.scene.scene import ComponentSlot, SlotState
from sim.ui.theme.theme import Theme

BROKEN: Final = (SlotState.QUARANTINED, SlotState.PLACEHOLDER)
WIDTH = 360.0  # pixels of the text, at most
OpenAt = Callable[[str, int], object]


def is_set_aside(slot: ComponentSlot) -> bool:
    """Return whether a component was stopped after an error and waits for a retry."""
    return slot.state in BROKEN


def retry(console: Console, slot: ComponentSlot) -> None:
    """Run a failed component again and print the equivalent Python code."""
    console.python(f"host.retry({called('scene.component', slot.id)})")
    slot.host.retry(slot)


def open_error(error: ConsoleRecord, project: Path, open_at: OpenAt) -> None:
    """Open the file that raised an error, at the error's line.

    Args:
        error: the console's record of the error.
        project: folder of the project, to which a relative path refers.
        open_at: opens a file at a line.
    """
    path = Path(error.file)
    open_at(str(path if path.is_absolute() else project / path), error.line)


def draw_set_aside(
    theme: Theme, console: Console, slot: ComponentSlot, open_at: OpenAt | None = None
) -> None:
    """Draw the error of a failed component and a button that runs it again.

    Args:
        theme: colours and scale.
        console: where the retry is reported.
        slot: the component.
        open_at: opens a file at a line, for a button at the error; None for no such button.
    """
    said = tr("{title} of {name} does not run.").format(title=slot.title, name=slot.object.name)
    _draw_error(theme, console, slot, slot.error, said, open_at)


def _draw_error(
    theme: Theme,
    console: Console,
    slot: ComponentSlot,
    error: ConsoleRecord | None,
    said: str,
    open_at: OpenAt | None,
) -> None:
    """Draw an error of a script, a button that tries again, and one that opens its line.

    Args:
        theme: colours and scale.
        console: where the retry is reported.
        slot: the component.
        error: the error; None if there is none.
        said: text above the error.
        open_at: opens a file at a line, for a button at the error; None for no such button.
    """
    imgui.push_id(f"set aside {slot.id}")
    room = imgui.get_content_region_avail().x
    is_narrow = theme.px(80) < room < theme.px(WIDTH)
    imgui.push_text_wrap_pos(imgui.get_cursor_pos_x() + (room if is_narrow else theme.px(WIDTH)))
    imgui.text(said)
    if error is not None:
        imgui.text_colored(theme.vector("red"), error.text)
    imgui.pop_text_wrap_pos()
    if imgui.button(tr("Retry")):
        retry(console, slot)
    if open_at is not None and error is not None and error.file:
        imgui.same_line()
        if imgui.button(tr("Open at line {line}").format(line=error.line)):
            open_error(error, console.project, open_at)
    imgui.pop_id()


class Drawn(Protocol):
    """What a script draws in the window: a panel, a dialog, or the menu of a command."""

    slot: ComponentSlot
    error: ConsoleRecord | None

    @property
    def title(self) -> str:
        """What the user calls it."""

    def attempt(self, draw: Callable[..., object], *arguments: object) -> None:
        """Call a drawing of it; after an error it is set aside."""


def draw_of_script(
    entry: Drawn,
    draw: Callable[..., object],
    ui: object,
    theme: Theme,
    console: Console,
    open_at: OpenAt | None = None,
) -> None:
    """Draw what a script offers, or say why it is not drawn.

    After an error it is not drawn again until the script is saved or the user has asked for it.
    The component goes on.

    Args:
        entry: the panel, the dialog or the command.
        draw: its drawing.
        ui: the widgets that the drawing is called with.
        theme: colours and scale.
        console: where a retry is reported.
        open_at: opens a file at a line; None for no such button.
    """
    if is_set_aside(entry.slot):
        draw_set_aside(theme, console, entry.slot, open_at)
        return
    if entry.error is None:
        state = balance()
        entry.attempt(draw, ui)
        restore(state)
        return
    _draw_error(
        theme,
        console,
        entry.slot,
        entry.error,
        tr("{title} cannot be drawn.").format(title=entry.title),
        open_at,
    )


class PanelGuard:
    """Catches exceptions in the drawing of panels, reports them and repairs ImGui's state.

    Args:
        console: receives the reports.

    Attributes:
        broken: error messages of the failed panels, by name.
    """

    def __init__(self, console: Console) -> None:
        self.console = console
        self.broken: dict[str, str] = {}

    @contextlib.contextmanager
    def panel(self, name: str) -> Iterator[None]:
        """Catch an exception in the `with` block, which draws a panel, and report it.

        The panel then counts as broken until the user resets it.

        Args:
            name: title of the panel.
        """
        state = balance()
        try:
            yield
        except Exception as error:
            self.broken[name] = describe(error)
            details = user_traceback(error)
            text = f"panel {name}: {describe(error).splitlines()[0]}"
            self.console.add(ConsoleRecord("error", text, details=details))
        finally:
            restore(state)

    def is_broken(self, name: str) -> bool:
        """If a panel is broken, draw its error and a reset button in its place.

        Args:
            name: title of the panel.

        Returns:
            Whether the panel is broken; False after a click on the button.
        """
        if name not in self.broken:
            return False
        imgui.text_wrapped(tr("This panel failed: {broken}").format(broken=self.broken[name]))
        if imgui.button(tr("Show it again")):
            del self.broken[name]
        return name in self.broken


def balance() -> imgui.internal.ErrorRecoveryState:
    """Return the sizes of ImGui's internal stacks, for `restore`."""
    state = imgui.internal.ErrorRecoveryState()
    imgui.internal.error_recovery_store_state(state)
    return state


def restore(state: imgui.internal.ErrorRecoveryState) -> None:
    """Close whatever was begun in ImGui since the state was taken, such as windows and styles."""
    imgui.internal.error_recovery_try_to_recover_state(state)
