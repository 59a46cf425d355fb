"""The File menu of a window."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final

from imgui_bundle import imgui

from base.language.wording import tr
from sim.ui.shell.toolbar import MenuEntry, ToolMenu

if TYPE_CHECKING:
    from sim.app.file_commands import FileCommands

MOST_RECENT: Final = 8


def _draw_recent(files: FileCommands) -> None:
    for number, path in enumerate(files.recent()[:MOST_RECENT]):
        folder = path.parent.parent.name
        if imgui.menu_item(f"{path.name}   {folder}##{number}", "", False)[0]:
            files.open_recent(path)
        if imgui.is_item_hovered():
            imgui.set_tooltip(str(path))


def _making(files: FileCommands) -> tuple[MenuEntry, ...]:
    """Return the entries that make and export files, and the last one."""
    return (
        MenuEntry(
            "file.new_script",
            tr("New script…"),
            tr("A script with every hook, opened in the Script panel"),
            begins_group=True,
        ),
        MenuEntry(
            "file.make_prefab",
            tr("Make prefab…"),
            tr("Save the chosen object as a file to use again; or drag it into Assets"),
            is_enabled=files.has_chosen,
        ),
        MenuEntry(
            "file.import_asset",
            tr("Import asset…"),
            tr("Copy a model, picture or sound into the project"),
        ),
        MenuEntry(
            "file.export_scene",
            tr("Export scene…"),
            tr("Save the scene as it stands as a glTF file, for Blender, Unity and Unreal"),
            begins_group=True,
        ),
        MenuEntry(
            "file.export_object",
            tr("Export object…"),
            tr("Save the chosen object, with all below it, as a glTF file"),
            is_enabled=files.has_chosen,
        ),
        MenuEntry(
            "file.export_picture",
            tr("Export picture…"),
            tr("Save the picture of the view, without panels"),
        ),
        MenuEntry(
            "file.close",
            tr("Close"),
            tr("Close the window; unsaved work is asked for first"),
            begins_group=True,
        ),
    )


def file_menu(files: FileCommands) -> ToolMenu:
    """Return the menu with the commands for files."""
    entries = (
        MenuEntry(
            "file.new_scene", tr("New scene…"), tr("A scene with a camera, the sun and a floor")
        ),
        MenuEntry("file.open", tr("Open…"), tr("Open a scene; unsaved work is asked for first")),
        MenuEntry(
            "",
            tr("Open recent"),
            is_enabled=lambda: bool(files.recent()),
            more=functools.partial(_draw_recent, files),
        ),
        MenuEntry("studio.save", tr("Save"), tr("Save the scene"), begins_group=True),
        MenuEntry(
            "file.save_as", tr("Save as…"), tr("Save the scene as another file and go on there")
        ),
        MenuEntry(
            "file.new_project",
            tr("New project…"),
            tr("A folder with a scene that runs, a script and a test"),
            begins_group=True,
        ),
        MenuEntry(
            "file.open_project", tr("Open project…"), tr("Open the scene of another project")
        ),
        *_making(files),
    )
    return ToolMenu(tr("File"), tr("Scenes, projects and files"), entries)
