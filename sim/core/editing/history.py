"""Undo and redo history in steps; the oldest steps are dropped first."""

from __future__ import annotations

from dataclasses import dataclass, field

from sim.core.editing.changes import Change, merged

MOST_STEPS = 1000


@dataclass(eq=False)
class UndoStep:
    """One undo step.

    Attributes:
        label: text for people, such as "Move Board".
        lines: equivalent Python lines, each with the key of what it changes.
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
        """The equivalent Python lines as one text."""
        return "\n".join(line for _, line in self.lines)

    @property
    def keys(self) -> frozenset[tuple[str, ...]]:
        """The keys of its changes; empty if it cannot be merged."""
        keys = {change.key for change in [*self.authored, *self.live]}
        return frozenset() if () in keys else frozenset(keys)

    def take(self, step: UndoStep) -> None:
        """Merge a later step into this one: successive changes of a property become one."""
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
    """The undo and redo stacks, and the step at which the file was saved."""

    def __init__(self, most_steps: int = MOST_STEPS) -> None:
        self.most_steps = most_steps
        self.done: list[UndoStep] = []
        self.undone: list[UndoStep] = []
        self._base: object = self
        self._saved: object = self

    @property
    def is_changed(self) -> bool:
        """Whether there are unsaved changes."""
        return self.mark is not self._saved

    @property
    def mark(self) -> object:
        """The last step that changed the authored scene, to compare by identity."""
        return next((step for step in reversed(self.done) if step.authored), self._base)

    def mark_saved(self) -> None:
        """Record that the file was saved now."""
        self._saved = self.mark

    def push(self, step: UndoStep) -> None:
        """Add a step; the redo stack is cleared."""
        self.done.append(step)
        self.undone.clear()
        while len(self.done) > self.most_steps:
            oldest = self.done.pop(0)
            if oldest.authored:
                self._base = oldest

    def state(self) -> HistoryState:
        """Return a snapshot of the stacks for `bring_back`."""
        return HistoryState(tuple(self.done), tuple(self.undone), self._base, self.mark)

    def bring_back(self, state: HistoryState) -> None:
        """Restore the stacks from a snapshot."""
        self.done, self.undone = list(state.done), list(state.undone)
        self._base = state.base

    def forget_live(self) -> None:
        """Drop the live changes of all steps after the running scene was rebuilt from the file."""
        for steps in (self.done, self.undone):
            for step in steps:
                step.live = list(step.authored)
            steps[:] = [step for step in steps if step]


@dataclass(frozen=True)
class HistoryState:
    """Snapshot of the undo and redo stacks."""

    done: tuple[UndoStep, ...]
    undone: tuple[UndoStep, ...]
    base: object
    mark: object
