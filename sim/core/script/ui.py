"""Interface of the `ui` that a panel's `draw(ui)` receives: themed widgets, and ImGui itself."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from types import ModuleType
from typing import Protocol

import numpy as np
import numpy.typing as npt

Numbers = Sequence[float] | npt.NDArray[np.generic]
Series = tuple[str, str, Numbers, Numbers]
"""Line of a chart: (label, colour name, x values `[n]`, y values `[n]`)."""
Color = tuple[float, float, float, float]
"""Red, green, blue and opacity, from 0 to 1."""


class UiTheme(Protocol):
    """Fonts, colours and scale of panels.

    Attributes:
        name: "dark", "light" or "high-contrast".
        scale: scale of the user interface, 1 for the usual size.
    """

    name: str
    scale: float

    @property
    def bold(self) -> object:
        """Font of headings, as an ImGui font object."""

    @property
    def mono(self) -> object:
        """Monospaced font for code, as an ImGui font object."""

    def px(self, value: float) -> float:
        """Convert a length to pixels at the present scale of the user interface.

        Args:
            value: the length in pixels at scale 1.
        """

    def color(self, name: str) -> Color:
        """Return a theme colour by name: text, muted, amber, green, red, blue and others."""

    def vector(self, name: str) -> object:
        """Return a named colour as an `ImVec4`, which ImGui's widgets need."""

    def packed(self, name: str, opacity: float = 1.0) -> int:
        """Return a named colour as a packed 32-bit number, which ImGui's draw lists need.

        Args:
            name: a name that `color` knows.
            opacity: factor on the colour's own opacity, 0 to 1.
        """


class Ui(Protocol):
    """Interface with which a panel draws its widgets.

    Attributes:
        imgui: module of Dear ImGui, for everything that has no method here.
        implot: module of ImPlot, for charts.
    """

    imgui: ModuleType
    implot: ModuleType

    @property
    def theme(self) -> UiTheme:
        """Fonts, colours and scale."""

    @property
    def room(self) -> float:
        """Width in pixels that is available to the next widget."""

    def button_width(self, label: str, *, icon: str = "") -> float:
        """Return the width in pixels of a button with this label and icon."""

    def beside(self, width: float) -> None:
        """Place the next widget on the same line if it fits there; otherwise begin a new line.

        Args:
            width: width of the next widget, pixels.
        """

    def same_line(self, offset: float = 0.0) -> None:
        """Place the next widget on the same line.

        Args:
            offset: distance from the left edge, pixels; 0 to place it right after the last widget.
        """

    def heading(self, text: str, *, wraps: bool = False) -> None:
        """Draw a bold line of text.

        Args:
            text: the text.
            wraps: whether a long text is broken into several lines.
        """

    def section(self, text: str, *, is_open: bool = True) -> bool:
        """Draw the header of a foldable section; return whether the section is open.

        Args:
            text: title of the section.
            is_open: whether it is open at first.
        """

    def text(self, text: str, color: str = "text") -> None:
        """Draw a line of text in a colour of the theme."""

    def muted_text(self, text: str) -> None:
        """Draw wrapped text in the muted colour."""

    def key_value(self, key: str, value: str) -> None:
        """Draw `key` in the muted colour and `value` right-aligned on the same line."""

    def button(self, label: str, *, icon: str = "", tip: str = "") -> bool:
        """Draw a button; return whether it was clicked in this frame.

        Args:
            label: its text; "##name" shows only the icon, and the name keeps the button unique.
            icon: Font Awesome name; empty for none.
            tip: tooltip; empty for none.
        """

    def begin_list(self, name: str, columns: int, flags: int, height: float) -> bool:
        """Begin a table of ImGui that scrolls; keys lead into it and out again.

        End it with `imgui.end_table()` if this returns True.

        Args:
            name: its name for ImGui.
            columns: number of columns.
            flags: flags of the table, with `scroll_y`.
            height: its height, pixels.
        """

    def tile(
        self,
        label: str,
        icon: str,
        *,
        color: str = "text",
        width: float = 0.0,
        note: str = "",
        is_on: bool = False,
        tip: str = "",
    ) -> bool:
        """Draw a tile with a large icon beside a name; return whether it was clicked.

        Args:
            label: the name; "##name" after it keeps the tile unique.
            icon: Font Awesome name of the picture.
            color: name of the picture's colour.
            width: width in pixels; 0 for the available width.
            note: a line below the name; empty for none.
            is_on: whether the tile is chosen, which its frame shows.
            tip: tooltip; empty for none.
        """

    def suggestions(self, refusal: str) -> str:
        """Draw a button for each known name that looks like a misspelt one.

        Args:
            refusal: message about the misspelt name, which lists the known ones after "one of".

        Returns:
            The name whose button was clicked in this frame; empty for none.
        """

    def tip(self, text: str) -> None:
        """Add a tooltip to the widget drawn last."""

    def blocks(self, shares: Sequence[float | None], *, width: float = 13.0) -> None:
        """Draw a row of small blocks, each filled by a fraction from 0 to 1.

        Args:
            shares: fraction of each block; None for a faint, empty block.
            width: width of a block in pixels at scale 1.
        """

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
        """Draw a chart; return the x value on which the user clicked in this frame, else None.

        Args:
            title: text above the chart.
            series: (label, colour name, x values `[n]`, y values `[n]`) of each line.
            height: height in pixels at scale 1.
            kind: "line" or "bar".
            y_limits: (lowest, highest) y value that is shown; None to fit the data.
            x_limits: (lowest, highest) x value that is shown; None to fit the data.
            empty: text that is shown while there is no data.
            marks: (x, label) of vertical lines, such as moments at which a parameter was changed.
            band: (x values, lower ends, upper ends), each `[n]`, of a shaded band around the last
                series; None for none.
            levels: y values of horizontal lines, such as a target.
            thin: labels of the series that are drawn with a thinner line.
            beside: (text, colour name) of a line of text below the title.
            x_name: name of the horizontal axis.
            y_name: name of the vertical axis.
            whole: axes that are labelled with whole numbers only, if all their values are whole:
                "x", "y", "xy" or "" for none.
        """
