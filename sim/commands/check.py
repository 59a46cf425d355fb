"""`check`: validates a scene file, its script classes, their fields, and the objects' looks.

Nothing is drawn. Errors in models, materials and textures are reported with the same words as in a
run that draws the objects.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Annotated, Final

import typer

from ai.registry.players import list_players
from ai.registry.project_games import list_games
from base.errors import FieldError, GoishiError, SceneFileError
from base.files import SHIPPED_ROOT
from base.manifest import ProjectError
from base.trust import Trust, trust_for_this_run, trust_of
from base.values import JsonObject
from sim.commands.cli.ending import FAILED, SUCCESS, echo
from sim.commands.cli.flags import command, switch
from sim.core.assets.animation.animator import asset_paths
from sim.core.assets.assets import IMPORT_SECONDS, AssetLibrary, read_robot
from sim.core.assets.formats import is_robot
from sim.core.files.scene_checker import instance_id
from sim.core.files.scene_file import SceneDocument, find_project, load
from sim.core.files.scene_file import check as check_file
from sim.core.geometry.builtin_models import ModelRegistry
from sim.core.host.declared import declared_kinds
from sim.core.host.display_guard import install_display_guard
from sim.core.host.script_loader import (
    ENGINE_PREFIX,
    ScriptLoader,
    bound_recursion,
    install_tensorflow_guard,
)
from sim.core.project.manifest import Manifest, package_warnings, read_manifest
from sim.core.project.scene_path import require_scene
from sim.core.reporting.console import Console
from sim.core.scene.fields import collect_fields, present_names, unknown_fields
from sim.core.scene.look_check import look_errors
from sim.core.script.script import Script

PICTURES: Final = "sim.render.materials.textures"


def look_faults_of(document: SceneDocument, *, is_safe: bool) -> Iterator[SceneFileError]:
    """Yield the errors in the models, materials and textures of a scene.

    Args:
        document: the scene file, already found valid.
        is_safe: whether to import none of the project's scripts; models that these define are then
            not checked.
    """
    own = _manifest(document)
    console = Console(stderr=False)
    loader = ScriptLoader(document.project, SHIPPED_ROOT, is_safe=is_safe)
    models, _ = declared_kinds(loader, own, console, is_safe=is_safe)
    hidden = {entry.name for entry in own.models} if is_safe else set()
    file = document.path.name
    used: dict[str, str] = {}
    for object_id, entry in document.data["objects"].items():
        merged = {**document.prefabs.get(entry.get("prefab", ""), {}), **entry}
        model = merged.get("model") or {}
        if "asset" in model:
            for path in asset_paths(model):
                used.setdefault(path, object_id)
        if model.get("builtin") not in hidden:
            for key, text in _object_faults(merged, document, models):
                yield _fault(file, object_id, key, text)
    for record in console.records:
        yield _fault(file, "", "model", record.text)
    yield from _file_faults(document, used)


def _object_faults(
    entry: JsonObject, document: SceneDocument, models: ModelRegistry
) -> Iterator[tuple[str, str]]:
    """Yield the errors in an object's model, material and texture, without opening model files.

    Args:
        entry: the object's entry in the scene file, merged with its prefab.
        document: the scene file.
        models: the known kinds of built-in models.

    Yields:
        (key of the entry, text of the error).
    """
    model, material = entry.get("model") or {}, entry.get("material") or {}
    for text in look_errors(model, material, models):
        key, _, rest = text.partition(": ")
        yield key, rest
    if entry.get("texture") is not None:
        try:
            import_module(PICTURES).picture_of(entry["texture"], document.project)
        except OSError as error:
            yield "texture", f"expected a picture, found {entry['texture']}: {error.strerror}"
        except ValueError as error:
            yield "texture", str(error)


def _file_faults(document: SceneDocument, used: dict[str, str]) -> Iterator[SceneFileError]:
    """Yield the errors in the model files that a scene's objects show.

    Args:
        document: the scene file.
        used: which files to check. For each path of a file it has the id of the first object with
            that file, which the error names.
    """
    if not used:
        return
    library = AssetLibrary(document.project)
    try:
        assets = [library.get(path) for path in used]
        library.poll(IMPORT_SECONDS)
    finally:
        library.close()
    for asset in assets:
        for text in (asset.error, *asset.warnings):
            if text:
                yield _fault(
                    document.path.name, used[asset.path], "model.asset", f"{asset.path}: {text}"
                )


def _manifest(document: SceneDocument) -> Manifest:
    try:
        return read_manifest(document.project)
    except GoishiError:  # `project_faults` reports it
        return Manifest(document.project)


def _fault(file: str, object_id: str, key: str, text: str) -> SceneFileError:
    before, _, rest = text.partition("expected ")
    expected, _, found = rest.partition(", found ")
    if not found:
        return SceneFileError(file, object_id, key, expected="what can be drawn", found=text)
    return SceneFileError(
        file, object_id, key, expected=expected, found=f"{found} {before}".strip()
    )


@command
def check(
    scene: Annotated[
        Path, typer.Argument(metavar="SCENE", help="The scene file.", show_default=False)
    ],
    *,
    trust: bool = switch("--trust", "Load the scripts of a folder that is not trusted."),
) -> int:
    """Check a scene file and its scripts, or a robot's file (URDF, MJCF).

    Writes a line for each error, as file:object:key: expected ..., found .... The scripts' modules
    are loaded, but none of their hooks runs. Exit code 1 if there is an error. Missing packages of
    the project's requirements.txt are warnings on stderr. The scripts of a project that is not
    trusted are compiled, not loaded.
    """
    scene = require_scene(scene)
    project = find_project(scene)
    if is_robot(scene.name):
        return check_robot(scene.resolve(), project)
    for text in package_warnings(project):
        sys.stderr.write(f"goishi: warning: {text}\n")
    if trust:
        trust_for_this_run(project)
    is_trusted = trust or trust_of(project) is Trust.TRUSTED
    if not is_trusted:
        sys.stderr.write(
            f"goishi: warning: {project} is not trusted: its scripts were compiled, not loaded; "
            "--trust loads them (docs/security.md)\n"
        )
    faults: list[GoishiError] = [*(check_file(scene) or content_faults(scene, is_trusted))]
    faults += project_faults(project)
    for fault in faults:
        echo(" ".join(str(fault).split()))
    return FAILED if faults else SUCCESS


def check_robot(file: Path, project: Path) -> int:
    """Print the errors in a robot's file, or the parts that Goishi ignores; return the exit code.

    Args:
        file: path of the URDF or MJCF file.
        project: folder of the project that contains it.
    """
    try:
        robot = read_robot(project, file.relative_to(project.resolve()).as_posix())
    except SceneFileError as error:
        echo(" ".join(str(error).split()))
        return FAILED
    for line in robot["left_out"]:
        echo(f"{file.name}: left out: {line}")
    return SUCCESS


def project_faults(project: Path) -> Iterator[GoishiError]:
    """Yield the errors in the project's `goishi.toml`; none of the project's code is run."""
    try:
        read_manifest(project)
        list_players(project)
        list_games(project)
    except ProjectError as error:
        yield error


def content_faults(scene: Path, is_trusted: bool) -> Iterator[SceneFileError]:
    """Yield the errors in the scripts and looks of a valid scene file.

    Args:
        scene: path of the scene file.
        is_trusted: whether the scripts may be loaded; otherwise they are only compiled.
    """
    yield from component_faults(scene) if is_trusted else source_faults(scene)
    yield from look_faults_of(load(scene), is_safe=not is_trusted)


def component_faults(scene: Path) -> Iterator[SceneFileError]:
    """Yield the errors in the script classes and fields of a valid scene file."""
    install_tensorflow_guard()
    install_display_guard()
    bound_recursion()
    document = load(scene)
    loader = ScriptLoader(document.project, SHIPPED_ROOT)
    classes: dict[str, type[Script] | SceneFileError] = {}
    targets: dict[str, type] = {}
    components = list(_components(document))
    for object_id, component_id, component in components:
        type_name = component["type"]
        if type_name not in classes:
            classes[type_name] = _load(loader, scene, object_id, component_id, type_name)
        found = classes[type_name]
        if not isinstance(found, SceneFileError):
            targets[component_id] = targets[instance_id(object_id, component_id)] = found
    for object_id, component_id, component in components:
        found = classes[component["type"]]
        if isinstance(found, SceneFileError):
            yield _same_fault(found, object_id, component_id)
        else:
            yield from _field_faults(scene, object_id, component_id, component, found, targets)


def source_faults(scene: Path) -> Iterator[SceneFileError]:
    """Yield the errors in the script files of a valid scene; they are compiled, not run."""
    document = load(scene)
    loader = ScriptLoader(document.project, SHIPPED_ROOT)
    for object_id, component_id, component in _components(document):
        type_name = component["type"]
        if type_name.startswith(ENGINE_PREFIX):
            continue
        try:
            package, module, _ = loader.locate(type_name)
            package.compile(module)
        except Exception as error:
            yield _load_fault(scene, object_id, component_id, type_name, error)


def _components(document: SceneDocument) -> Iterator[tuple[str, str, JsonObject]]:
    """Yield all components of a scene, those of prefabs included.

    Args:
        document: the scene file.

    Yields:
        (id of the object, id of the component, the component's entry). For a component of a prefab,
        the entry has the object's own field values.
    """
    for object_id, entry in document.data["objects"].items():
        prefab = document.prefabs.get(entry.get("prefab", ""), {})
        overrides: dict[str, JsonObject] = {}
        for key, value in entry.get("overrides", {}).items():
            component_id, _, name = key.partition("/")
            overrides.setdefault(component_id, {})[name] = value
        for component_id, component in prefab.get("components", {}).items():
            fields = {**component.get("fields", {}), **overrides.get(component_id, {})}
            yield object_id, component_id, {**component, "fields": fields}
        for component_id, component in entry.get("components", {}).items():
            yield object_id, component_id, component


def _load(
    loader: ScriptLoader, scene: Path, object_id: str, component_id: str, type_name: str
) -> type[Script] | SceneFileError:
    """Load a script class; return the error instead if loading it failed.

    Args:
        loader: loads the class.
        scene: path of the scene file, for the error.
        object_id: id of the object, for the error.
        component_id: id of the component, for the error.
        type_name: type name of the component, which names the class.
    """
    try:
        return loader.load(type_name)
    except (Exception, SystemExit) as error:
        return _load_fault(scene, object_id, component_id, type_name, error)


def _load_fault(
    scene: Path, object_id: str, component_id: str, type_name: str, error: BaseException
) -> SceneFileError:
    return SceneFileError(
        scene.name,
        object_id,
        f"{component_id}.type",
        expected="a script class that loads",
        found=f"{type_name} ({_describe(error)})",
    )


def _describe(error: BaseException) -> str:
    place = ""
    if isinstance(error, SyntaxError) and error.filename:
        place = f" at {error.filename}:{error.lineno}"
    return f"{type(error).__name__}: {error}{place}"


def _same_fault(fault: SceneFileError, object_id: str, component_id: str) -> SceneFileError:
    return SceneFileError(
        fault.file, object_id, f"{component_id}.type", expected=fault.expected, found=fault.found
    )


def _field_faults(
    scene: Path,
    object_id: str,
    component_id: str,
    component: JsonObject,
    cls: type[Script],
    targets: Mapping[str, type],
) -> Iterator[SceneFileError]:
    """Yield the errors in the field values of a component.

    Args:
        scene: path of the scene file, for the errors.
        object_id: id of the object, for the errors.
        component_id: id of the component, for the errors.
        component: the component's entry.
        cls: its script class.
        targets: the classes of the scene's components by id, for what references point to.
    """
    declared = collect_fields(cls)
    values = component.get("fields", {})
    for name, present in zip(values, present_names(values, declared), strict=True):
        key = f"{component_id}.fields.{name}"
        if present not in declared:
            (error,) = unknown_fields(cls.__name__, [name], declared)
            yield SceneFileError(
                scene.name, object_id, key, expected=error.expected, found=error.found
            )
            continue
        try:
            declared[present].parse(values[name], targets.get)
        except FieldError as error:
            yield SceneFileError(
                scene.name, object_id, key, expected=error.expected, found=error.found
            )
