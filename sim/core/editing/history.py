"""What was done and undone, in steps; the oldest steps go first."""

from __future__ import annotations

from dataclasses import dataclass, field

from sim.core.editing.changes import Change, merged

MOST_STEPS = 1000


@dataclass(eq=False)
class Step:
    """What one undo takes back.

    Attributes:
        label: "Move Board".
        lines: Python lines that do the same, each with what it changes.
        authored: changes of the scene as its file has it.
        live: changes of the scene that runs.
    """

    label: str
    lines: list[tuple[frozenset[tuple[str, ...]], str]] = field(default_factory=list)
    authored: list[Change] = field(default_factory=list)
    live: list[Change] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.authored or self.live)

    @property
    def python(self) -> str:
        """The Python lines."""
        return "\n".join(line for _, line in self.lines)

    @property
    def keys(self) -> frozenset[tuple[str, ...]]:
        """What is changed; empty where that cannot be joined with anything."""
        keys = {change.key for change in [*self.authored, *self.live]}
        return frozenset() if () in keys else frozenset(keys)

    def take(self, step: Step) -> None:
        """Take up a later step: successive changes of one property are one."""
        for change in step.authored:
            self.authored = merged(self.authored, change)
        for change in step.live:
            self.live = merged(self.live, change)
        for keys, line in step.lines:
            self._take_line(keys, line)

    def _take_line(self, keys: frozenset[tuple[str, ...]], line: str) -> None:
        for index in range(len(self.lines) - 1, -1, -1):
            known = self.lines[index][0]
            if not known or not keys:
                break
            if known == keys:
                del self.lines[index]
                break
        self.lines.append((keys, line))


class History:
    """The steps that can be undone and redone, and which of them is in the file."""

    def __init__(self, most_steps: int = MOST_STEPS) -> None:
        self.most_steps = most_steps
        self.done: list[Step] = []
        self.undone: list[Step] = []
        self._base: object = self
        self._saved: object = self

    @property
    def is_changed(self) -> bool:
        """Whether the file differs from what stands in it."""
        return self.mark is not self._saved

    @property
    def mark(self) -> object:
        """The last step that changed what the file holds."""
        return next((step for step in reversed(self.done) if step.authored), self._base)

    def mark_saved(self) -> None:
        """Note that the file holds what there is now."""
        self._saved = self.mark

    def push(self, step: Step) -> None:
        """Add a step; what was undone before cannot be redone any more."""
        self.done.append(step)
        self.undone.clear()
        while len(self.done) > self.most_steps:
            oldest = self.done.pop(0)
            if oldest.authored:
                self._base = oldest

    def state(self) -> HistoryState:
        """Return what `bring_back` needs."""
        return HistoryState(tuple(self.done), tuple(self.undone), self._base, self.mark)

    def bring_back(self, state: HistoryState) -> None:
        """Make the steps those of a moment before."""
        self.done, self.undone = list(state.done), list(state.undone)
        self._base = state.base

    def forget_live(self) -> None:
        """Let the running scene follow its authored form: it was built anew from that."""
        for steps in (self.done, self.undone):
            for step in steps:
                step.live = list(step.authored)
            steps[:] = [step for step in steps if step]


@dataclass(frozen=True)
class HistoryState:
    """The steps at one moment."""

    done: tuple[Step, ...]
    undone: tuple[Step, ...]
    base: object
    mark: object
