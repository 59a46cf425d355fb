"""Hot reload of assets: saved pictures, models and sounds are replaced in the running scene."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from sim.core.assets.animation.animator import asset_paths
from sim.core.assets.assets import AssetLibrary
from sim.core.assets.formats import FORMATS
from sim.core.audio.sound_files import SUFFIXES as SOUNDS
from sim.core.audio.sound_files import SoundError, sound_seconds
from sim.core.components.sound_source import Sound
from sim.core.files.file_watch import FileWatch
from sim.core.scene.scene import SlotState

if TYPE_CHECKING:
    from sim.core.host.script_host import ScriptHost
    from sim.core.project.run_context import RunContext
    from sim.core.reporting.console import Console
    from sim.core.scene.scene import Scene, SceneObject

PICTURES = (".png", ".jpg", ".jpeg", ".bmp", ".webp", ".tif", ".tiff")
BESIDE = (".mtl", ".bin")  # what models name
FOLDERS = ("assets", "scenes", "scripts")
CALM_SECONDS = 0.1  # that a file must stay as it is: programs write large ones bit by bit

Stamp = tuple[int, int]


@dataclass(eq=False)
class AssetReloader:
    """Replaces saved assets in the running scene; a broken file changes nothing.

    Args:
        host: calls and resumes the components whose files were saved.
        scene: their scene.
        library: the models that were read.
        console: told what was reloaded.
        run: its sounds are read anew.
    """

    host: ScriptHost
    scene: Scene
    library: AssetLibrary
    console: Console
    run: RunContext

    _files: FileWatch = field(init=False)
    _unsettled: dict[Path, tuple[Stamp | None, float]] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self._files = FileWatch("asset-watch", (*PICTURES, *FORMATS, *BESIDE, *SOUNDS))

    def watch(self) -> None:
        """Watch the project's folders in a thread of its own."""
        self._files.start(self.library.project / name for name in FOLDERS)

    def poll(self) -> None:
        """Apply saved files, and models that were reloaded. Once a frame."""
        now = time.perf_counter()
        if fault := self._files.take_fault():
            self.console.error(f"saved assets are no longer seen: {fault}")
        for file in self._files.saved():
            self._unsettled[file] = (_stamp_of(file), now)
        for file, (stamp, since) in list(self._unsettled.items()):
            if _stamp_of(file) != stamp:
                self._unsettled[file] = (_stamp_of(file), now)
            elif now - since >= CALM_SECONDS:
                del self._unsettled[file]
                self.reload(file)
        for path in self.library.take_renewed():
            shown = [obj for obj in self._objects() if path in asset_paths(obj.model or {})]
            self._show(shown)
            self._tell(path, len(shown))

    def reload(self, file: Path) -> bool:
        """Reload a file; return whether anything in the scene uses it.

        A model is loaded in the background and shown by a later `poll`.
        """
        file = file.resolve()
        try:
            path = file.relative_to(self.library.project.resolve()).as_posix()
        except ValueError:
            return False
        if not file.is_file():
            return False  # it was taken away: what was read of it is kept
        is_used = bool(self.library.renew(file))
        if file.suffix.lower() in SOUNDS:
            return self._renew_sounds(file, path) or is_used
        shown = [obj for obj in self._objects() if obj.texture == path]
        self._show(shown)  # the view reads it, says so, or keeps what it has
        return is_used or bool(shown)

    def close(self) -> None:
        """Stop watching."""
        self._files.close()

    def _objects(self) -> list[SceneObject]:
        return list(self.scene.objects.values())

    def _show(self, objects: list[SceneObject]) -> None:
        for obj in objects:
            self.scene.visual_changed(obj)

    def _renew_sounds(self, file: Path, path: str) -> bool:
        slots = [
            slot
            for slot in self.scene.components()
            if isinstance(slot.instance, Sound) and slot.instance.clip == path
        ]
        if not slots:
            return False
        try:
            sound_seconds(self.library.project, path)
        except SoundError as error:
            self.console.error(f"{path}: {error}; the one before is kept")
            return True
        self.run.sound.forget(file)
        for slot in slots:
            if slot.state is SlotState.QUARANTINED:
                self.host.retry(slot)
            elif isinstance(slot.instance, Sound):
                self.host.call(slot, "renew", slot.instance.renew)
        self._tell(path, len(slots))
        return True

    def _tell(self, path: str, count: int) -> None:
        self.console.info(f"reloaded {path}: {count} object{'s' if count != 1 else ''}")


def _stamp_of(file: Path) -> Stamp | None:
    try:
        status = file.stat()
    except OSError:
        return None
    return (status.st_mtime_ns, status.st_size)
