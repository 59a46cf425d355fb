"""Changes of fields that wait for the next game, and how values are written and read."""

from __future__ import annotations

from collections.abc import Hashable

from ai import OptionValue

LONGEST_NAME = 60


class PendingChanges:
    """By owner and key, the value that takes effect at the next game."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[Hashable, str], OptionValue] = {}
        self.revision = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def propose(
        self, owner: Hashable, key: str, value: OptionValue, *, current: OptionValue
    ) -> None:
        """Let a change wait; the present value withdraws what waited before."""
        self.revision += 1
        if value == current and type(value) is type(current):
            self._waiting.pop((owner, key), None)
        else:
            self._waiting[owner, key] = value

    def withdraw(self, owner: Hashable, key: str) -> None:
        """Take a waiting change back; without effect where none waits."""
        self.revision += 1
        self._waiting.pop((owner, key), None)

    def withdraw_all(self, owner: Hashable) -> None:
        """Take every change of an owner back."""
        self.revision += 1
        for place in [place for place in self._waiting if place[0] is owner]:
            del self._waiting[place]

    def has(self, owner: Hashable, key: str) -> bool:
        """Whether a change of this key waits."""
        return (owner, key) in self._waiting

    def value(self, owner: Hashable, key: str) -> OptionValue:
        """Return the value that waits.

        Raises:
            KeyError: none does.
        """
        return self._waiting[owner, key]

    def of(self, owner: Hashable) -> dict[str, OptionValue]:
        """Return what waits for one owner."""
        return {key: value for (who, key), value in self._waiting.items() if who is owner}

    def take(self) -> list[tuple[Hashable, str, OptionValue]]:
        """Return (owner, key, value) of everything that waits, which waits no more."""
        taken = [(owner, key, value) for (owner, key), value in self._waiting.items()]
        self._waiting.clear()
        self.revision += 1
        return taken


def write_value(value: object) -> str:
    """Return a value as a person would type it."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def clean_name(text: str) -> str:
    """Return a text as one line of at most 60 printable characters."""
    line = "".join(letter if letter.isprintable() else " " for letter in text)
    return " ".join(line.split())[:LONGEST_NAME]


def read_pairs(text: str) -> dict[str, str]:
    """Return what a text of KEY=VALUE pairs, separated by spaces, sets."""
    return dict(item.partition("=")[::2] for item in text.split())
