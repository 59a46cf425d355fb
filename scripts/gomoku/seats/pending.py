"""Changes of settings: pending until the next game, recorded with the run, shown on charts."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from ai import OptionValue
from sim import tr, wording

LONGEST_NAME = 60


class PendingChanges:
    """Changes of settings that are pending: they take effect at the next game.

    Each pending value belongs to an owner, for example a seat, and to a key, the setting's name.

    Attributes:
        revision: number that grows with every change of the pending values.
    """

    def __init__(self) -> None:
        self._waiting: dict[tuple[Hashable, str], OptionValue] = {}
        self.revision = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def propose(
        self, owner: Hashable, key: str, value: OptionValue, *, current: OptionValue
    ) -> None:
        """Add a pending change of a setting; proposing the current value cancels a pending change.

        Args:
            owner: object that has the setting.
            key: name of the setting.
            value: the new value.
            current: the value that the setting has now.
        """
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

    def pop_all(self) -> list[tuple[Hashable, str, OptionValue]]:
        """Remove and return all pending changes as (owner, key, value)."""
        taken = [(owner, key, value) for (owner, key), value in self._waiting.items()]
        self._waiting.clear()
        self.revision += 1
        return taken


def write_value(value: object) -> str:
    """Return a value as the user would type it, for example "none", "on" or "0.5"."""
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
    """Return the pairs of a text such as "alpha=5 width=0.2", as texts by key."""
    return dict(item.partition("=")[::2] for item in text.split())


Change = Mapping[str, Any]
LONGEST_LABEL = 34


def new_change(game: int, key: str, before: Any, after: Any) -> dict[str, Any]:
    """Return one change of a setting as a dictionary.

    Args:
        game: number of the first game with the new value.
        key: name of the setting.
        before: the old value.
        after: the new value.

    Returns:
        A dictionary with the keys `game`, `key`, `from` and `to`.
    """
    return {"game": game, "key": key, "from": before, "to": after}


def changes_between(
    game: int, before: Mapping[str, Any], after: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return the settings that differ between two games, as changes.

    A setting that only one of the games has is left out.

    Args:
        game: number of the later game.
        before: settings of the earlier game.
        after: settings of the later game.
    """
    return [
        new_change(game, key, before[key], value)
        for key, value in after.items()
        if key in before and before[key] != value
    ]


class ChangeLog:
    """The changes of a run, found by comparing each game's settings with the last one's.

    Attributes:
        changes: the changes so far, in order.
        game: number of the game in play.
    """

    def __init__(self) -> None:
        self.changes: list[dict[str, Any]] = []
        self.game = 0
        self._settings: dict[str, Any] = {}
        self._expected: list[tuple[str, Any, Any]] = []

    def begin(self, game: int, settings: dict[str, Any]) -> list[dict[str, Any]]:
        """Store a game's settings; return the changes since the game before.

        Args:
            game: number of the game that begins.
            settings: its settings.
        """
        found = changes_between(game, self._settings, settings)
        self.game, self._settings = game, settings
        return found

    def expect(self, key: str, before: Any, after: Any) -> None:
        """Store a change that takes effect after the game in play; `due` returns it.

        Args:
            key: name of the setting.
            before: the old value.
            after: the new value.
        """
        self._expected.append((key, before, after))

    def due(self) -> list[dict[str, Any]]:
        """Return the changes that were stored with `expect`, and forget them.

        As they take effect after the game in play, they are returned as changes of the next game.
        """
        expected, self._expected = self._expected, []
        return [new_change(self.game + 1, *change) for change in expected]


def describe(change: Change) -> str:
    """Return a change as short text: "alpha 5 → 10"."""
    key, after = str(change["key"]), change["to"]
    if key == "roll back":
        return tr("back to game {write_value}").format(write_value=write_value(after))
    if key == "retrain":
        return tr("retrained by hand")
    if key == "training":
        return tr("training {write_value}").format(write_value=write_value(after))
    return f"{key} {write_value(change['from'])} → {write_value(after)}"


def marks_of(changes: Sequence[Change]) -> list[tuple[float, str]]:
    """Return labels for the charts that say when settings were changed.

    Args:
        changes: the changes.

    Returns:
        (game, label), one for each game with a change.
    """
    by_game: dict[int, list[str]] = {}
    for change in changes:
        by_game.setdefault(int(change["game"]), []).append(describe(change))
    return [(float(game), _join(labels)) for game, labels in sorted(by_game.items())]


def caption(changes: Sequence[Change], game: int) -> str:
    """Return a text about the changes at a game: "alpha 5 → 10 from this game"; empty for none.

    Args:
        changes: the changes of the run.
        game: number of the game.
    """
    labels = [describe(change) for change in changes if change["game"] == game]
    return tr("{labels} from this game").format(labels=wording(", ").join(labels)) if labels else ""


def _join(labels: list[str]) -> str:
    text = ", ".join(labels)
    return (
        text
        if len(text) <= LONGEST_LABEL
        else wording("{labels} (+{labels2})").format(labels=labels[0], labels2=len(labels) - 1)
    )
