"""The mouse lock: while it is on, the mouse turns a view instead of moving a pointer.

Scripts ask for it. A person always gets the pointer back with Escape, and gives it again with a
click into the view, as in web browsers (Pointer Lock 2.0, W3C).
"""

from __future__ import annotations

from base.closed import Closed


class MouseLock(Closed):
    """Decides whether the mouse is locked: scripts ask for it, and a person may end it.

    Attributes:
        is_wanted: whether scripts ask for it.
        is_idle: whether nothing has to be decided: no script asks for it, no person has ended it,
            and it would be allowed. A plain value, because every frame reads it.
    """

    __slots__ = ("_is_allowed", "_is_waiting", "is_idle", "is_wanted")

    def __init__(self) -> None:
        self.is_wanted = False
        self.is_idle = True
        self._is_waiting = False
        self._is_allowed = True

    @property
    def is_on(self) -> bool:
        """Whether the mouse is locked now."""
        return self.is_wanted and self._is_allowed and not self._is_waiting

    @property
    def is_waiting(self) -> bool:
        """Whether a person ended the lock, so that it waits for a click into the view."""
        return self.is_wanted and self._is_allowed and self._is_waiting

    def ask(self, is_wanted: bool) -> None:
        """Ask for the lock, or end it; after a person ended it, it waits for a click."""
        self.is_wanted = is_wanted
        self._judge()

    def allow(self, is_allowed: bool) -> None:
        """Set whether it may be on: not while the scene is paused, stopped or shows the past."""
        self._is_allowed = is_allowed
        self._judge()

    def let_go(self) -> None:
        """Give the pointer back to the person, until the next click into the view."""
        self._is_waiting = True
        self._judge()

    def take_up(self) -> None:
        """Lock the mouse again, after a click into the view."""
        self._is_waiting = False
        self._judge()

    def drop(self) -> None:
        """Forget what scripts asked for, as at a stop or after an error of a script."""
        self.is_wanted = self._is_waiting = False
        self._judge()

    def _judge(self) -> None:
        self.is_idle = self._is_allowed and not self.is_wanted and not self._is_waiting
