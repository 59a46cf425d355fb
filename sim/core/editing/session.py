"""Edit sessions: apply edits to the running and the authored scene, with undo and redo.

Scripts may change the running (live) scene. The authored scene is the scene as in its file: only
edits change it, never scripts. Therefore what is saved and what undo restores do not depend on
scripts.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from base.errors import EditError
from base.values import JsonObject
from sim.core.editing.changes import SKIPPED, Change, TargetGoneError, merged
from sim.core.editing.checks import refuse
from sim.core.files import scene_file
from sim.core.files.scene_json import Words
from sim.core.scene.object_state import SceneState
from sim.core.scene.scene import (
    ComponentSlot,
    Scene,
    SceneObject,
    capture_scene,
    check_room,
    new_id,
    restore_scene,
)
from sim.core.scene.scene_data import scene_data

if TYPE_CHECKING:
    from sim.core.reporting.console import Console


MOST_STEPS = 1000


@dataclass(eq=False)
class UndoStep:
    """One step of the undo history.

    Attributes:
        label: text for the user, such as "Move Board".
        lines: Python lines that make the same edit, each with the keys of the properties it
            changes.
        authored: changes of the authored scene.
        live: changes of the running scene.
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
        """The keys of the step's changes; empty if the step cannot be merged with another."""
        keys = {change.key for change in [*self.authored, *self.live]}
        return frozenset() if () in keys else frozenset(keys)

    def merge(self, step: UndoStep) -> None:
        """Add the changes of a later step to this one; changes of one property become one."""
        for change in step.authored:
            self.authored = merged(self.authored, change)
        for change in step.live:
            self.live = merged(self.live, change)
        for keys, line in step.lines:
            self._merge_line(keys, line)

    def _merge_line(self, keys: frozenset[tuple[str, ...]], line: str) -> None:
        for index in range(len(self.lines) - 1, -1, -1):
            known = self.lines[index][0]
            if not known or not keys:
                break
            if known == keys:
                del self.lines[index]
                break
        self.lines.append((keys, line))


class History:
    """The stacks of steps to undo and to redo, and the step after which the file was saved.

    Attributes:
        most_steps: largest number of steps to undo.
        done: steps to undo, the latest last.
        undone: steps to redo, the next last.
    """

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
        """The last step that changed the authored scene; compared by identity to detect changes."""
        return next((step for step in reversed(self.done) if step.authored), self._base)

    def mark_saved(self) -> None:
        """Record that the file was saved now."""
        self._saved = self.mark

    def push(self, step: UndoStep) -> None:
        """Add a step; clear the steps to redo, and drop the oldest step if there are too many."""
        self.done.append(step)
        self.undone.clear()
        while len(self.done) > self.most_steps:
            oldest = self.done.pop(0)
            if oldest.authored:
                self._base = oldest

    def state(self) -> HistoryState:
        """Return a snapshot of the undo history that `bring_back` can restore."""
        return HistoryState(tuple(self.done), tuple(self.undone), self._base, self.mark)

    def bring_back(self, state: HistoryState) -> None:
        """Restore the undo history from a snapshot."""
        self.done, self.undone = list(state.done), list(state.undone)
        self._base = state.base

    def forget_live(self) -> None:
        """Replace all steps' changes of the running scene by those of the authored scene.

        Called when the running scene has been rebuilt from the authored one. Steps that changed
        only the running scene are dropped.
        """
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


Plan = Callable[[Scene], list[Change]]


@dataclass(frozen=True)
class Edit:
    """Data of the notification that is sent after each edit.

    Attributes:
        label: text for the user, such as "Move Board".
        python: Python line that makes the same edit; several lines for a group of edits.
    """

    label: str
    python: str


class EditSession:
    """The live and the authored scene, and the undo history.

    Args:
        scene: the running scene. Create the session before the first frame, while the scene equals
            its file.
        console: where an undo reports changes that it had to skip.
        refuses: function that returns the reason why the scene cannot be edited now; "" if it can.
        most_steps: largest number of steps in the undo history; beyond it, the oldest are dropped.
        make_id: function that makes the ids of new objects and components.
    """

    def __init__(
        self,
        scene: Scene,
        console: Console,
        *,
        refuses: Callable[[], str] = str,
        most_steps: int = MOST_STEPS,
        make_id: Callable[[str], str] = new_id,
    ) -> None:
        self.scene = scene
        self.authored = clone_scene(scene)
        self.history = History(most_steps)
        self.make_id = make_id
        self.revision = 0
        self.on_edit: list[Callable[[Edit], object]] = []
        self.refuses = refuses
        self._console = console
        self._open: list[UndoStep] = []
        self._gesture: UndoStep | None = None

    # -- the file -----------------------------------------------------------------------------

    @property
    def is_changed(self) -> bool:
        """Whether there are unsaved changes."""
        return self.history.is_changed or any(step.authored for step in self._open)

    def mark_saved(self) -> None:
        """Record that the file was saved now."""
        self.end_gesture()
        self.history.mark_saved()

    def data(self) -> JsonObject:
        """Return the authored scene as the data of its file; callers must not change it."""
        return scene_data(self.authored)

    def save(self, path: Path) -> None:
        """Write the authored scene to a file; a file that is replaced is kept as `.bak`.

        Raises:
            OSError: it cannot be written; the old file is unchanged.
        """
        scene_file.save(path, self.data())
        self.mark_saved()

    def save_as(self, path: Path) -> None:
        """Write the authored scene to another file; from now on it has an id of its own.

        Raises:
            OSError: it cannot be written; the old file is unchanged.
        """
        scene_id = self.make_id("scn")
        scene_file.save(path, {**self.data(), "id": scene_id})
        self.authored.id = scene_id
        self.mark_saved()

    # -- undo ---------------------------------------------------------------------------------

    @property
    def can_undo(self) -> bool:
        """Whether there is a step to undo."""
        return bool(self.undo_label)

    @property
    def can_redo(self) -> bool:
        """Whether there is a step to redo."""
        return bool(self.redo_label)

    @property
    def undo_label(self) -> str:
        """Label of the step that `undo` would revert; empty if there is none."""
        steps = [*self.history.done[-1:], *(step for step in self._open if step)]
        return steps[-1].label if steps else ""

    @property
    def redo_label(self) -> str:
        """Label of the step that `redo` would repeat; empty if there is none."""
        undone = self.history.undone
        return undone[-1].label if undone and not any(self._open) else ""

    def undo(self) -> bool:
        """Undo the last step; return False if there is none.

        Raises:
            EditError: a group of edits has not ended yet, or the scene cannot be edited now.
        """
        return self._step_over(forward=False)

    def redo(self) -> bool:
        """Repeat the step that was undone last; return False if there is none.

        Raises:
            EditError: a group of edits has not ended yet, or the scene cannot be edited now.
        """
        return self._step_over(forward=True)

    def _step_over(self, *, forward: bool) -> bool:
        self._check_allowed()
        self.end_gesture()
        name = "redo" if forward else "undo"
        if self._open:
            raise EditError(f"{name}: expected the end of {self._open[-1].label!r} first")
        source, target = self.history.undone, self.history.done
        if not forward:
            source, target = target, source
        if not source:
            return False
        step = source.pop()
        target.append(step)
        self._apply_step(step, forward=forward)
        self.revision += 1
        self._notify(Edit(f"{name.capitalize()} {step.label}", f"editor.{name}()"))
        return True

    # -- several edits as one -----------------------------------------------------------------

    @contextlib.contextmanager
    def group(self, label: str) -> Iterator[None]:
        """Make the edits in the `with` block one step to undo; an exception reverts all of them."""
        step = UndoStep(label)
        self._open.append(step)
        try:
            yield
        except BaseException:
            self._close(step, is_kept=False)
            raise
        self._close(step)

    @contextlib.contextmanager
    def gesture(self, label: str) -> Iterator[None]:
        """Make the edits in the `with` block one undo step, such as one drag of a slider.

        An exception in the block reverts them.

        Args:
            label: text for the user, such as "Move Board".
        """
        self.begin_gesture(label)
        step = self._gesture
        try:
            yield
        except BaseException:
            if self._gesture is step:
                self.cancel_gesture()
            raise
        if self._gesture is step:
            self.end_gesture()

    def begin_gesture(self, label: str) -> None:
        """Start a gesture: edits are merged into one step until `end_gesture`."""
        self.end_gesture()
        self._gesture = UndoStep(label)
        self._open.append(self._gesture)

    def end_gesture(self) -> None:
        """End the gesture, if there is one."""
        if self._gesture is not None and self._gesture in self._open:
            self._close(self._gesture)

    def cancel_gesture(self) -> None:
        """Revert the edits since `begin_gesture`."""
        if self._gesture is not None and self._gesture in self._open:
            self._close(self._gesture, is_kept=False)

    def _close(self, step: UndoStep, *, is_kept: bool = True) -> None:
        """End an open group or gesture, and those that were opened inside it.

        Args:
            step: the step that collects its edits.
            is_kept: whether to keep the edits; else they are reverted.
        """
        while step in self._open:
            last = self._open.pop()
            if last is self._gesture:
                self._gesture = None
            if not is_kept:
                self._apply_step(last, forward=False)
                self.revision += 1
            elif last:
                self._keep(last)

    # -- doing --------------------------------------------------------------------------------

    def commit(self, label: str, python: str, plan: Plan) -> bool:
        """Make an edit: compute its changes for both scenes and apply them.

        Args:
            label: text for the user, such as "Move Board".
            python: Python line that makes the same edit.
            plan: function that gets a scene and returns the changes that the edit makes there. It
                is called for the authored and for the running scene.

        Returns:
            Whether there were any changes.

        Raises:
            EditError: the edit is not possible; nothing was changed.
        """
        self._check_allowed()
        step = UndoStep(label, authored=plan(self.authored), live=plan(self.scene))
        if not step:
            return False
        step.lines = [(step.keys, python)]
        self._perform(step)
        self.revision += 1
        self._keep(step)
        return True

    def keep_live(self, label: str, change: Change) -> None:
        """Add a step to the undo history for a change that was already made to the running scene.

        Args:
            label: text for the user, such as "Move Board".
            change: the change.
        """
        self.end_gesture()
        self.revision += 1
        self._keep(UndoStep(label, live=[change]))

    def _check_allowed(self) -> None:
        reason = self.refuses()
        if reason:
            raise EditError(reason)

    def _keep(self, step: UndoStep) -> None:
        if self._open:
            self._open[-1].merge(step)
        else:
            self.history.push(step)
            self._notify(Edit(step.label, step.python))

    def _perform(self, step: UndoStep) -> None:
        tried: list[tuple[Scene, Change]] = []
        try:
            for scene, changes in ((self.scene, step.live), (self.authored, step.authored)):
                for change in changes:
                    tried.append((scene, change))
                    change.apply(scene, forward=True)
        except BaseException as error:
            for scene, change in reversed(tried):
                with contextlib.suppress(*SKIPPED):
                    change.apply(scene, forward=False)
            if isinstance(error, TargetGoneError):
                raise EditError(f"{step.label}: {error}") from None
            raise

    def _apply_step(self, step: UndoStep, *, forward: bool) -> None:
        """Apply or revert a step in both scenes.

        Changes that are no longer possible, because scripts changed the scene, are skipped; one
        warning reports them.
        """
        missing: list[str] = []
        for scene, changes in ((self.authored, step.authored), (self.scene, step.live)):
            for change in changes if forward else reversed(changes):
                try:
                    change.apply(scene, forward=forward)
                except SKIPPED as error:
                    missing.append(str(error))
        if missing:
            name = "redo" if forward else "undo"
            rest = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
            self._console.warning(f"{name} {step.label}: left out: {missing[0]}{rest}")

    def _notify(self, edit: Edit) -> None:
        for callback in list(self.on_edit):
            callback(edit)

    # -- what is given ------------------------------------------------------------------------

    def _object(self, obj: object) -> SceneObject:
        if not isinstance(obj, SceneObject):
            raise refuse("object", "an object of the scene", obj)
        if self.scene.get(obj.id) is not obj or not obj.is_alive:
            raise refuse("object", "an object of the scene", Words(f"{obj.name}, which is gone"))
        return obj

    def _slot(self, slot: object) -> ComponentSlot:
        if not isinstance(slot, ComponentSlot):
            raise refuse("component", "a component of the scene", slot)
        if self.scene.component(slot.id) is not slot or not slot.object.is_alive:
            raise refuse(
                "component", "one of the scene", Words(f"{slot.class_name}, which is gone")
            )
        return slot

    def _parent(self, parent: SceneObject | None) -> SceneObject | None:
        return None if parent is None else self._object(parent)

    def _authored_parent(self, parent: SceneObject | None) -> SceneObject | None:
        above = self._parent(parent)
        if above is not None and not self._is_authored(above):
            raise refuse(
                "parent", "an object of the scene's file", Words(f"{above.path}, made by a script")
            )
        return above

    def _is_authored(self, obj: SceneObject) -> bool:
        return obj.id in self.authored.objects

    def _known_to_file(self, top: SceneObject) -> Scene | None:
        """Return the authored scene if it contains an object, else None.

        Callers use the result to find the objects and components that an undo may restore.

        Args:
            top: the object.
        """
        return self.authored if self._is_authored(top) else None

    def _check_room(self, count: int) -> None:
        for scene in (self.scene, self.authored):
            check_room(scene, count)

    # -- the whole scene ----------------------------------------------------------------------

    def moment(self) -> Snapshot:
        """Return a snapshot of the authored scene and the undo history."""
        self.end_gesture()
        return Snapshot(capture_scene(self.authored), self.history.state())

    def differs_from(self, moment: Snapshot) -> bool:
        """Return whether edits, undo or redo have changed the authored scene since a snapshot.

        Args:
            moment: the snapshot.
        """
        is_open = any(step.authored for step in self._open)
        return is_open or self.history.mark is not moment.history.mark

    def bring_back(self, moment: Snapshot) -> None:
        """Restore the authored scene and the undo history from a snapshot."""
        self.end_gesture()
        restore_scene(self.authored, moment.scene)
        self.history.bring_back(moment.history)

    def rebuild(self, label: str) -> None:
        """Rebuild the running scene from the authored one; all scripts start anew.

        Args:
            label: text for the notification of this edit.
        """
        self.end_gesture()
        restore_scene(self.scene, capture_scene(self.authored))
        self.history.forget_live()
        self.revision += 1
        self._notify(Edit(label, ""))


@dataclass(frozen=True)
class Snapshot:
    """Snapshot of the authored scene and the undo history."""

    scene: SceneState
    history: HistoryState


def clone_scene(scene: Scene) -> Scene:
    """Return a copy of a scene without a host, on which no scripts run."""
    copy = Scene(scene.settings)
    copy.id, copy.project = scene.id, scene.project
    copy.extra, copy.extra_settings = scene.extra, scene.extra_settings
    copy.authored_settings, copy.has_settings = scene.authored_settings, scene.has_settings
    copy.authored_order = scene.authored_order
    restore_scene(copy, capture_scene(scene))
    return copy
