"""The window that asks what to do about a script that does not return; a process of its own.

    python -m sim.ui.widgets.blocked_dialog WORDS

The main window is blocked meanwhile. WORDS say which script it is. The exit status is `WAIT` or
`RESTART`; closing the window means `WAIT`.
"""

from __future__ import annotations

import sys

from imgui_bundle import hello_imgui, imgui

from sim.core.hangs.hang_monitor import RESTART, WAIT

TITLE = "Goishi: a script is not responding"
SIZE = (640, 220)


class BlockedDialog:
    """The content of the window: the question and two buttons.

    Args:
        words: text that names the script.

    Attributes:
        answer: `WAIT`, or `RESTART` after a click on its button.
    """

    def __init__(self, words: str) -> None:
        self.words = words
        self.answer = WAIT

    def draw(self) -> None:
        """Draw the question; a click ends the window."""
        imgui.text_wrapped("A script is not responding and cannot be stopped:")
        imgui.spacing()
        imgui.text_wrapped(self.words)
        imgui.spacing()
        imgui.text_wrapped(
            "Wait, or restart without it? Unsaved changes are lost; what was learnt is kept."
        )
        imgui.spacing()
        if imgui.button("Wait"):
            self._choose(WAIT)
        imgui.same_line()
        if imgui.button("Restart without it"):
            self._choose(RESTART)

    def _choose(self, answer: int) -> None:
        self.answer = answer
        hello_imgui.get_runner_params().app_shall_exit = True


def main(words: str) -> int:
    """Show the window and return the answer, `WAIT` or `RESTART`.

    Args:
        words: text that names the script.
    """
    dialog = BlockedDialog(words)
    parameters = hello_imgui.SimpleRunnerParams()
    parameters.gui_function = dialog.draw
    parameters.window_title = TITLE
    parameters.window_size = SIZE
    parameters.ini_disable = True  # it would lie in the folder of the run
    hello_imgui.run(parameters)
    return dialog.answer


if __name__ == "__main__":
    sys.exit(main(" ".join(sys.argv[1:])))
