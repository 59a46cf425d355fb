"""What the `draw(ui)` of a panel may use: widgets in the theme's look, and ImGui itself."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from types import ModuleType
from typing import Protocol

import numpy as np
import numpy.typing as npt

Numbers = Sequence[float] | npt.NDArray[np.generic]
Series = tuple[str, str, Numbers, Numbers]
"""One line of a chart: its label, the name of its colour, its x values and its y values."""
Color = tuple[float, float, float, float]
"""Red, green, blue and opacity, from 0 to 1."""


class UiTheme(Protocol):
    """The look of panels.

    Attributes:
        name: "dark" or "light".
        scale: how much larger than usual everything is.
    """

    name: str
    scale: float

    @property
    def bold(self) -> object:
        """The font of headings, as ImGui takes it."""

    @property
    def mono(self) -> object:
        """The font of code, as ImGui takes it."""

    def px(self, value: float) -> float:
        """Return a length of the usual size in this scale's pixels."""

    def color(self, name: str) -> Color:
        """Return a colour by its name: text, muted, amber, green, red, blue and others."""

    def vector(self, name: str) -> object:
        """Return a colour as ImGui's widgets take it, an `ImVec4`."""

    def packed(self, name: str, opacity: float = 1.0) -> int:
        """Return a colour as ImGui's draw lists take it, so much fainter."""


class Ui(Protocol):
    """What a panel draws with; the modules `imgui` and `implot` are there for the rest.

    Attributes:
        imgui: Dear ImGui.
        implot: its charts.
    """

    imgui: ModuleType
    implot: ModuleType

    @property
    def theme(self) -> UiTheme:
        """Fonts, colours and lengths."""

    @property
    def room(self) -> float:
        """Width in pixels available to the next widget."""

    def button_width(self, label: str, *, icon: str = "") -> float:
        """Return the width in pixels of a button with this label and icon."""

    def beside(self, width: float) -> None:
        """Continue on the same line if a widget of `width` pixels fits."""

    def same_line(self, offset: float = 0.0) -> None:
        """Continue on the same line, at `offset` pixels from the left if given."""

    def heading(self, text: str, *, wraps: bool = False) -> None:
        """Draw a bold line; `wraps` allows line breaks."""

    def section(self, text: str, *, is_open: bool = True) -> bool:
        """Draw the header of a foldable section, initially `is_open`; return whether it is open."""

    def text(self, text: str, color: str = "text") -> None:
        """Draw a line of text in a colour of the theme."""

    def muted_text(self, text: str) -> None:
        """Draw wrapped text in the muted colour."""

    def key_value(self, key: str, value: str) -> None:
        """Draw a muted key and its right-aligned value."""

    def button(self, label: str, *, icon: str = "", tip: str = "") -> bool:
        """Draw a button, with a Font Awesome icon if named; return whether it was pressed.

        A label "##name" shows only the icon; the name makes it unique.
        """

    def tip(self, text: str) -> None:
        """Add a tooltip to the last widget."""

    def blocks(self, shares: Sequence[float | None], *, width: float = 13.0) -> None:
        """Draw shares from 0 to 1 as a row of small filled blocks; None is a faint one."""

    def chart(
        self,
        title: str,
        series: Sequence[Series],
        *,
        height: float = 120.0,
        kind: str = "line",
        y_limits: tuple[float, float] | None = None,
        x_limits: tuple[float, float] | None = None,
        empty: str = "No data yet",
        marks: Sequence[tuple[float, str]] = (),
        band: tuple[Numbers, Numbers, Numbers] | None = None,
        levels: Sequence[float] = (),
        thin: Collection[str] = (),
        beside: tuple[str, str] = ("", "text"),
        x_name: str = "",
        y_name: str = "",
        whole: str = "x",
    ) -> float | None:
        """Draw a chart; return the x value that was clicked in this frame, else None.

        Args:
            title: text above it.
            series: (label, colour name, x values `[n]`, y values `[n]`) of each line.
            height: pixels.
            kind: "line" or "bar".
            y_limits: fixed limits of the vertical axis.
            x_limits: fixed limits of the horizontal axis.
            empty: text while there is no data.
            marks: (x, label) of vertical lines, such as changed parameters.
            band: (x, low, high), each `[n]`, of an interval around the last series.
            levels: y values of horizontal lines, such as a target.
            thin: labels of series whose lines are thinner.
            beside: (text, colour name) of a line below the title.
            x_name: name of the horizontal axis.
            y_name: name of the vertical axis.
            whole: "x", "y", "xy" or "": axes with whole numbers only, where all values are whole.
        """
