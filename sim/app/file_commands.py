"""The commands of the File menu: scenes, projects, scripts, prefabs, assets and pictures.

Each command asks for a file in the dialog, and has a method that does the same with a given path.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from base.errors import GoishiError, UsageError
from base.files import SHIPPED_ROOT
from base.language.wording import tr, wording
from sim.core.editing.asset_import import IMPORTED, import_asset
from sim.core.editing.new_files import (
    PROJECT_SCENE,
    file_stem,
    free_path,
    make_project,
    make_scene,
    make_script,
)
from sim.core.editing.prefab_making import PREFAB
from sim.core.editing.scene_copies import save_elsewhere
from sim.core.files.scene_file import find_project, load
from sim.core.input.key_map import KeyAction
from sim.core.project.recent_scenes import SUFFIX
from sim.core.project.trust import trust_own
from sim.core.reporting.python_text import called
from sim.core.script.file_question import FileQuestion
from sim.render.capture.capture import save_image

if TYPE_CHECKING:
    from sim.app.navigation import Navigation
    from sim.core.project.recent_scenes import RecentScenes
    from sim.core.project.run_context import RunContext
    from sim.core.reporting.console import Console
    from sim.core.scene.scene import SceneObject
    from sim.core.script.panels import PanelRegistry
    from sim.render.capture.recorder import VideoRecorder
    from sim.ui.shell.studio import Studio


SCRIPT: Final = ".py"
PICTURES: Final = (".png", ".jpg")
WORLDS: Final = (".glb", ".gltf")
"""Suffixes of the files in which scenes and objects are exported."""
THUMBNAIL: Final = (320, 180)  # pixels
OWN_PROJECT: Final = tr(
    "expected a project of your own, found Goishi's examples: File, New project makes one"
)


class FileCommands:
    """Makes, opens and saves scenes and projects, and brings files into a project.

    A refused command raises `GoishiError` and changes nothing. Paths may be relative to the
    project.

    Args:
        run: the run of the present scene.
        console: receives errors, and Python code equivalent to the user's actions.
        panels: asks for files.
        navigation: opens scenes and ends the run; it asks about unsaved changes.
        studio: has the editor of the scene and the chosen objects.
        recorder: takes pictures.
        recent: the scenes that were opened last.
        open_script: opens a script in the script editor.
        do: runs an action by name.

    Attributes:
        on_save_as: called with the path after the scene was saved as another file.
    """

    def __init__(
        self,
        run: RunContext,
        console: Console,
        panels: PanelRegistry,
        navigation: Navigation,
        studio: Studio,
        recorder: VideoRecorder,
        recent: RecentScenes,
        *,
        open_script: Callable[[str], object],
        do: Callable[[str], object],
    ) -> None:
        self._run, self._console, self._panels = run, console, panels
        self._navigation, self._studio = navigation, studio
        self._recorder, self._recent = recorder, recent
        self._open_script, self._do = open_script, do
        self.on_save_as: list[Callable[[Path], object]] = []
        studio.ask_where_by(self.ask_save_as)
        navigation.open_others_by(self.open_dropped)
        if not run.headless:
            self.on_save_as.append(recent.add)
            studio.on_save.append(self.keep_picture)
            navigation.before_leaving.append(self.keep_picture)

    # -- scenes -------------------------------------------------------------------------------

    def new_scene(self, path: str | Path) -> None:
        """Make a scene with a camera, the sun and a floor, and open it."""
        file = self._scene_path(path, tr("New scene"))
        with self._writing(tr("New scene")):
            make_scene(file, tr("New scene"))
        self._console.info(f"made {self._console.short_path(str(file))}")
        if fault := trust_own(find_project(file)):
            self._console.warning(fault)
        self._do("studio.studio")
        self._navigation.open_scene(file)

    def open(self, path: str | Path) -> None:
        """Open a scene, after asking about unsaved changes."""
        file = self._path(path)
        load(file, project=find_project(file), allows_missing=not self._run.headless)
        self._navigation.open_scene(file)

    def save_as(self, path: str | Path) -> None:
        """Save the scene as another file of the project, and go on with that file.

        Undo and what plays go on. The copy has an id of its own, so it learns for itself. An
        example of Goishi may be saved into any project, which gets the models and pictures that the
        scene names and the project lacks; the copy is opened there.
        """
        file = self._scene_path(path, tr("Save as"))
        if file == self._path(self._run.scene_path):
            self._studio.save()
            return
        project, copied = find_project(file), list[str]()
        with self._writing(tr("Save as")):
            if project == self._run.project:
                self._studio.editor.save_as(file)
            elif self._run.project == SHIPPED_ROOT:
                copied = save_elsewhere(self._studio.editor.data(), file)
                self._studio.editor.mark_saved()
            else:
                raise UsageError(
                    f"Save as: expected a folder of the project {self._run.project}, where the "
                    f"scene's scripts and assets are, found {file.parent}"
                )
        self._console.info(f"saved {self._console.short_path(str(file))}")
        if copied:
            self._console.info(f"copied into {project}: {', '.join(copied)}")
        if project != self._run.project:
            self._navigation.open_scene(file)
            return
        self._keep_last_picture()
        self._run.scene_path = file
        for listener in self.on_save_as:
            listener(file)
        self._keep_last_picture()

    # -- projects -----------------------------------------------------------------------------

    def new_project(self, path: str | Path) -> None:
        """Make a project with a scene that runs, as `main.py new project` does, and open it."""
        folder = self._path(path)
        with self._writing(tr("New project")):
            fault = make_project(folder, tr("New project"))
        if fault:
            self._console.warning(fault)
        self._console.info(f"made {folder}")
        self._do("studio.studio")
        self._navigation.open_scene(folder / PROJECT_SCENE)

    def open_project(self, path: str | Path) -> None:
        """Open the scene of a project that was opened last, else its main scene."""
        self._navigation.open_scene(self._scene_of(self._path(path)))

    def _scene_of(self, folder: Path) -> Path:
        """Return the scene of a project that is opened.

        Raises:
            UsageError: the folder is no project, or has no scene.
        """
        if folder.name == "scenes" and not (folder / "scenes").is_dir():
            folder = folder.parent
        if not (folder / "scenes").is_dir():
            raise UsageError(f"Open project: expected a folder that holds scenes/, found {folder}")
        recent = [path for path in self._recent.paths if find_project(path) == folder.resolve()]
        others = sorted((folder / "scenes").rglob(f"*{SUFFIX}"))
        scenes = [path for path in (*recent, folder / PROJECT_SCENE, *others) if path.is_file()]
        if not scenes:
            raise UsageError(
                f"Open project: expected a scene in {folder / 'scenes'}, found none; File, New "
                "scene makes one there"
            )
        return scenes[0]

    # -- files of the project -----------------------------------------------------------------

    def new_script(self, path: str | Path) -> None:
        """Write a script into the project's folder `scripts`, and open it in the Script panel."""
        self._require_own(tr("New script"))
        file, scripts = self._path(path), self._run.project / "scripts"
        if not file.is_relative_to(scripts):
            raise UsageError(f"New script: expected a file in {scripts}, found {file}")
        name = file.relative_to(scripts).as_posix()
        self.write_script(name)
        self._console.info(f"wrote scripts/{name}: add it to an object in the Inspector")

    def write_script(self, name: str) -> str:
        """Write a script, and open it in the Script panel; return the type of its component.

        Args:
            name: name of its module below `scripts`, such as "falling_leaf".

        Raises:
            UsageError: the name is none of Python's, there is such a file, or the project is not
                the user's own.
        """
        self._require_own(tr("New script"))
        with self._writing(tr("New script")):
            made, type_name, fault = make_script(self._run.project, name, tr("New script"))
        if fault:
            self._console.warning(fault)
        self._open_script(self._console.short_path(str(made)))
        return type_name

    def make_prefab(self, path: str | Path) -> None:
        """Make a prefab of the chosen object, which becomes its first instance."""
        self._require_own(tr("Make prefab"))
        chosen = self._studio.selection.object
        if chosen is None:
            raise UsageError("Make prefab: expected a chosen object, found none")
        file = self._path(path)
        if not file.is_relative_to(self._run.project / "assets"):
            raise UsageError(
                f"Make prefab: expected a file in {self._run.project / 'assets'}, found {file}"
            )
        self._studio.assets.make_prefab(chosen, file)

    def import_asset(self, path: str | Path) -> None:
        """Copy a model, a picture or a sound into the project's assets, with what it refers to."""
        self._require_own(tr("Import asset"))
        with self._writing(tr("Import asset")):
            made = import_asset(self._path(path), self._run.project)
        self._console.info(f"imported {made}")
        self._studio.assets.renew()

    def export_picture(self, path: str | Path) -> None:
        """Save the picture of the view, without panels."""
        self._recorder.save_picture(self._path(path), has_panels=False)

    def export_scene(self, path: str | Path) -> None:
        """Save the scene as it stands as a glTF file (.glb or .gltf) for other programs."""
        self._export(path, tr("Export scene"), None)

    def export_object(self, path: str | Path) -> None:
        """Save the chosen object, with all below it, as a glTF file (.glb or .gltf)."""
        chosen = self._studio.selection.object
        if chosen is None:
            raise UsageError("Export object: expected a chosen object, found none")
        self._export(path, tr("Export object"), chosen)

    def _export(self, path: str | Path, what: str, chosen: SceneObject | None) -> None:
        """Write the scene or an object as a glTF file, and say on the console what it holds.

        Args:
            path: the file.
            what: the command, for error messages.
            chosen: the object; None for the whole scene.
        """
        from sim.export.gltf.container import check_suffix
        from sim.export.gltf.scene import write_scene

        file = self._path(path)
        check_suffix(file, what)
        with self._writing(what):
            report = write_scene(self._studio.editor.scene, file, chosen)
        for line in report.left_out:
            self._console.warning(f"{what}: left out: {line}")
        self._console.info(f"exported {self._console.short_path(str(file))}: {report.words}")

    def _require_own(self, what: str) -> None:
        if self._run.project == SHIPPED_ROOT:
            raise UsageError(wording("{what}: {why}").format(what=what, why=OWN_PROJECT))

    # -- asking -------------------------------------------------------------------------------

    def actions(self) -> list[tuple[KeyAction, Callable[[], object]]]:
        """Return the commands with their keys."""
        found: tuple[tuple[str, str, str, Callable[[], object]], ...] = (
            ("new_scene", tr("New scene"), "control+shift+n", self.ask_new_scene),
            ("open", tr("Open a scene"), "control+o", self.ask_open),
            ("save_as", tr("Save the scene as another file"), "control+shift+s", self.ask_save_as),
            ("new_project", tr("New project"), "", self.ask_new_project),
            ("open_project", tr("Open a project"), "", self.ask_open_project),
            ("new_script", tr("New script"), "", self.ask_new_script),
            ("make_prefab", tr("Make a prefab of the chosen object"), "", self.ask_prefab),
            ("import_asset", tr("Import a model, picture or sound"), "", self.ask_import),
            ("export_scene", tr("Export the scene as glTF"), "", self.ask_export_scene),
            ("export_object", tr("Export the chosen object as glTF"), "", self.ask_export_object),
            ("export_picture", tr("Export a picture of the view"), "", self.ask_picture),
            ("close", tr("Close the window"), "control+w", self._navigation.close_window),
        )
        return [
            (KeyAction(f"file.{name}", label, chord, tr("File")), do)
            for name, label, chord, do in found
        ]

    def ask_new_scene(self) -> None:
        """Ask where a new scene is to be saved, and make it."""
        folder = self._folder("scenes")
        name = free_path(folder or Path.home(), "scene", SUFFIX).name
        self._ask(tr("New scene"), self.new_scene, (SUFFIX,), folder, name=name, is_new=True)

    def ask_open(self) -> None:
        """Ask which scene to open."""
        self._keep_last_picture()
        recent = tuple(card for card in self._recent.cards() if card.path != self._run.scene_path)
        self._ask(tr("Open a scene"), self.open, (SUFFIX,), self._folder("scenes"), recent=recent)

    def ask_save_as(self) -> None:
        """Ask where the scene is to be saved; a question about unsaved changes is closed."""
        self._navigation.stay()
        name = self._run.scene_path.name
        folder = self._folder("scenes")
        if folder is not None:
            folder = self._run.scene_path.parent
        self._ask(tr("Save the scene as"), self.save_as, (SUFFIX,), folder, name=name)

    def ask_new_project(self) -> None:
        """Ask for the folder of a new project, and make it."""
        folder = None if self._folder("") is None else self._run.project.parent
        self._ask(
            tr("New project"), self.new_project, (), folder,
            name="my_project", is_new=True, is_folder=True,
        )  # fmt: skip

    def ask_open_project(self) -> None:
        """Ask which project to open."""
        folder = None if self._folder("") is None else self._run.project.parent
        others = (card for card in self._recent.projects() if card.path != self._run.project)
        self._ask(
            tr("Open a project"),
            self.open_project,
            (),
            folder,
            recent=tuple(others),
            is_folder=True,
        )

    def ask_new_script(self) -> None:
        """Ask for the name of a new script, and write it."""
        folder = self._own_folder(tr("New script"), "scripts")
        if folder is not None:
            name = free_path(folder, "new_script", SCRIPT).name
            self._ask(tr("New script"), self.new_script, (SCRIPT,), folder, name=name, is_new=True)

    def ask_prefab(self) -> None:
        """Ask where the chosen object is to be saved as a prefab."""
        chosen = self._studio.selection.object
        if chosen is None:
            self._refuse(tr("Make prefab: expected a chosen object, found none"))
            return
        folder = self._own_folder(tr("Make prefab"), "assets")
        if folder is not None:
            name = free_path(folder, file_stem(chosen.name), PREFAB).name
            self._ask(
                tr("Make a prefab of {name}").format(name=chosen.name),
                self.make_prefab,
                (PREFAB,),
                folder,
                name=name,
            )

    def ask_import(self) -> None:
        """Ask which file to copy into the project's assets."""
        if self._run.project == SHIPPED_ROOT:
            self._refuse(tr("Import asset: {own_project}").format(own_project=OWN_PROJECT))
        else:
            self._ask(tr("Import a model, picture or sound"), self.import_asset, IMPORTED, None,
                      verb=tr("Import"))  # fmt: skip

    def ask_export_scene(self) -> None:
        """Ask where the scene is to be saved as a glTF file."""
        name = f"{self._run.scene_path.name.removesuffix(SUFFIX)}{WORLDS[0]}"
        self._ask(tr("Export the scene"), self.export_scene, WORLDS, None, name=name)

    def ask_export_object(self) -> None:
        """Ask where the chosen object is to be saved as a glTF file."""
        chosen = self._studio.selection.object
        if chosen is None:
            self._refuse(tr("Export object: expected a chosen object, found none"))
            return
        name = f"{file_stem(chosen.name)}{WORLDS[0]}"
        self._ask(
            tr("Export {name}").format(name=chosen.name),
            self.export_object,
            WORLDS,
            None,
            name=name,
        )

    def ask_picture(self) -> None:
        """Ask where a picture of the view is to be saved."""
        name = f"{self._run.scene_path.name.removesuffix(SUFFIX)}.png"
        self._ask(tr("Export a picture"), self.export_picture, PICTURES, None, name=name)

    def open_recent(self, path: Path) -> None:
        """Open a scene of the menu; a refusal is a line of the console."""
        try:
            self._by_hand("open", path)
        except GoishiError as error:
            self._refuse(str(error))

    def open_dropped(self, path: Path) -> str | None:
        """Open a project, or import an asset, that was dropped on the window.

        Returns:
            The error message, "" on success; None if it is neither.
        """
        is_project = (path / "scenes").is_dir()
        if not is_project and not (path.is_file() and path.name.lower().endswith(IMPORTED)):
            return None
        try:
            self._by_hand("open_project" if is_project else "import_asset", path)
        except GoishiError as error:
            self._refuse(str(error))
            return str(error)
        return ""

    def has_chosen(self) -> bool:
        """Return whether an object is chosen."""
        return self._studio.selection.object is not None

    def recent(self) -> list[Path]:
        """Return the scenes that were opened last and are still there, without the present one."""
        paths = self._recent.paths
        return [path for path in paths if path != self._run.scene_path and path.is_file()]

    def _ask(
        self,
        label: str,
        method: Callable[[str], object],
        suffixes: tuple[str, ...],
        folder: Path | None,
        **options: Any,
    ) -> None:
        """Ask for a file in the dialog.

        Args:
            label: title of the dialog.
            method: method of this class that is called with the path.
            suffixes: suffixes of the files that fit; empty for any.
            folder: folder in which the dialog begins; None for that of the last such file.
            **options: further fields of `FileQuestion`. With a `name` it asks where to save.
        """
        question = FileQuestion(
            label,
            suffixes=suffixes,
            callback=lambda path: self._by_hand(method.__name__, path),
            is_save="name" in options,
            folder=folder,
            **{"verb": _verb(options), **options},
        )
        self._navigation.leave_presentation()
        self._panels.ask_file(question)

    def _by_hand(self, name: str, path: str | Path) -> None:
        """Call a method with a path that a person chose, and print the equivalent Python code."""
        getattr(self, name)(path)
        file = Path(path)
        is_inside = file.is_relative_to(self._run.project)
        shown = file.relative_to(self._run.project).as_posix() if is_inside else str(file)
        self._console.python(called(f"app.files.{name}", shown))

    def _refuse(self, text: str) -> None:
        self._console.error(text)

    # -- pictures of scenes -------------------------------------------------------------------

    def _keep_last_picture(self) -> None:
        if not self._run.headless:
            self.keep_picture()

    def keep_picture(self) -> None:
        """Keep a small picture of the scene for the dialog that opens scenes."""
        file = self._recent.picture_of(self._run.scene_path)
        with contextlib.suppress(GoishiError, OSError):  # a card without a picture
            file.parent.mkdir(parents=True, exist_ok=True)
            picture = self._studio.view.image(None, THUMBNAIL, overlays=True)
            save_image(file, picture[..., ::-1])
            self._recent.tidy_pictures()

    # -- paths --------------------------------------------------------------------------------

    def _path(self, path: str | Path) -> Path:
        """Return a path as an absolute one; a relative one begins in the project."""
        file = self._run.project / Path(path).expanduser()
        return file.parent.resolve() / file.name

    def _scene_path(self, path: str | Path, what: str) -> Path:
        """Return the path of a scene that is to be written.

        Raises:
            UsageError: its name does not end as that of a scene.
        """
        file = self._path(path)
        if not file.name.endswith(SUFFIX) or file.name == SUFFIX:
            raise UsageError(f"{what}: expected a name that ends in {SUFFIX}, found {file.name!r}")
        return file

    def _folder(self, name: str) -> Path | None:
        """Return a folder of the user's project; None in Goishi's own, or if there is none."""
        folder = self._run.project / name
        return folder if self._run.project != SHIPPED_ROOT and folder.is_dir() else None

    def _own_folder(self, what: str, name: str) -> Path | None:
        """Return a folder of the user's project, made if it is missing.

        Args:
            what: the command, for the console line of a refusal.
            name: name of the folder.

        Returns:
            The folder; None if the command was refused.
        """
        folder = self._run.project / name
        try:
            self._require_own(what)
            with self._writing(what):
                folder.mkdir(exist_ok=True)
        except GoishiError as error:
            self._refuse(str(error))
            return None
        return folder

    @contextlib.contextmanager
    def _writing(self, what: str) -> Iterator[None]:
        """Context manager that turns what the system refuses into an error of one line.

        Args:
            what: the command.

        Raises:
            GoishiError: the system refused to write.
        """
        try:
            yield
        except GoishiError:
            raise
        except OSError as error:
            where = f" {error.filename}" if error.filename else ""
            raise GoishiError(
                f"{what}: expected a place that can be written to, found{where}: "
                f"{error.strerror or error}; nothing was changed"
            ) from None


def _verb(options: Mapping[str, object]) -> str:
    """Return the word on the dialog's button; empty for that of saving."""
    if options.get("is_new"):
        return tr("Make")
    return "" if "name" in options else tr("Open")
