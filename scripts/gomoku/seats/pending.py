"""Changes of fields that wait for the next game, and how values are written and read."""

from __future__ import annotations

from collections.abc import Hashable

from ai import OptionValue

LONGEST_NAME = 60


class PendingChanges:
    """Pending values, by owner and key, which take effect at the next game."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[Hashable, str], OptionValue] = {}
        self.revision = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def propose(
        self, owner: Hashable, key: str, value: OptionValue, *, current: OptionValue
    ) -> None:
        """Add a pending change; proposing the current value withdraws it."""
        self.revision += 1
        if value == current and type(value) is type(current):
            self._waiting.pop((owner, key), None)
        else:
            self._waiting[owner, key] = value

    def withdraw(self, owner: Hashable, key: str) -> None:
        """Remove a pending change, if there is one."""
        self.revision += 1
        self._waiting.pop((owner, key), None)

    def withdraw_all(self, owner: Hashable) -> None:
        """Remove all pending changes of an owner."""
        self.revision += 1
        for place in [place for place in self._waiting if place[0] is owner]:
            del self._waiting[place]

    def has(self, owner: Hashable, key: str) -> bool:
        """Return whether a change of this key is pending."""
        return (owner, key) in self._waiting

    def value(self, owner: Hashable, key: str) -> OptionValue:
        """Return the pending value.

        Raises:
            KeyError: no change is pending.
        """
        return self._waiting[owner, key]

    def of(self, owner: Hashable) -> dict[str, OptionValue]:
        """Return the pending changes of one owner."""
        return {key: value for (who, key), value in self._waiting.items() if who is owner}

    def take(self) -> list[tuple[Hashable, str, OptionValue]]:
        """Remove and return all pending changes as (owner, key, value)."""
        taken = [(owner, key, value) for (owner, key), value in self._waiting.items()]
        self._waiting.clear()
        self.revision += 1
        return taken


def write_value(value: object) -> str:
    """Return a value in the form in which it is typed."""
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
