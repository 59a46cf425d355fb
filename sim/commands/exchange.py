"""`export-policy` and `export-net`: what was trained as an ONNX file for other programs.

Modules that compute are imported when the command runs, so that other commands start faster.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from base.errors import UsageError
from base.files import SHIPPED_ROOT, from_home, read_regular
from sim.commands.cli.application import version
from sim.commands.cli.ending import echo
from sim.commands.cli.flags import command, flag
from sim.core.files.scene_file import find_project, load
from sim.core.project.run_options import DEFAULT_SCENE

if TYPE_CHECKING:
    from ai.exchange.graph import OnnxGraph
    from ai.exchange.policies import AgentWords
    from ai.store.learnt_file import LearntFile

SUFFIX: Final = ".onnx"
COLORS: Final = ("black", "white")
SCENES: Final = "scenes"
SHIPPED: Final = "goishi:"
"""What the name of a shipped component begins with."""
OUT: Final = typer.Option(
    "--out", metavar="FILE", help="The file to write; it ends in .onnx.", show_default=False
)


@command
def export_policy(
    policy: Annotated[
        str,
        typer.Argument(
            metavar="POLICY",
            help="A policy file, the folder of a training, or the name of a shipped policy, such "
            "as cart_pole.",
            show_default=False,
        ),
    ],
    out: Annotated[Path, OUT],
    *,
    scene: Path | None = flag(
        None,
        "--scene SCENE",
        "Whose agent names the numbers [the scene of the training, where it ships].",
    ),
) -> None:
    """Write a trained policy of an agent as ONNX: an observation in, an action out.

    The normalisation of observations and the bounds of actions are inside. The metadata says what
    each number is.
    """
    place = _checked_out(out)
    from ai.exchange.sources import policy_of_source

    graph = policy_of_source(policy, version(), lambda name: _agent_words(scene, name))
    _write(graph, place, out)


@command
def export_net(
    network: Annotated[
        str,
        typer.Argument(
            metavar="PLAYER",
            help="A player that plays by a network (alphagomoku, move-net, cnn-lines, …), with "
            "settings as NAME@KEY=VALUE; or a file of networks (.npz), of what was learnt "
            "(.learnt), or the folder of an experiment.",
            show_default=False,
        ),
    ],
    out: Annotated[Path, OUT],
    *,
    board: int | None = flag(
        None, "--board N", "Points along a side, for networks that play on several [15].", 3, 22
    ),
    color: str | None = flag(
        None, "--color NAME", "Only black's or only white's network of a pair.", choices=COLORS
    ),
    scene: Path = flag(
        DEFAULT_SCENE,
        "--scene SCENE",
        "Where a self-teaching player has learnt.",
        show_default="scenes/self_teaching.scene.json",
    ),
    data_dir: Path | None = flag(
        None, "--data-dir DIR", "The data folder [your user data folder].", show_default=False
    ),
) -> None:
    """Write a player's network as ONNX: a board in, a share of each point out.

    What the network is given, such as planes and symmetries, is made inside. The metadata says what
    each number is.
    """
    place = _checked_out(out)
    from ai.exchange.sources import Wish, network_of_source

    def learnt(player: str) -> LearntFile:
        from sim.commands.learnt import learnt_in

        return learnt_in(scene, data_dir, player)

    _write(network_of_source(network, Wish(version(), board, color, learnt)), place, out)


def _checked_out(out: Path) -> Path:
    """Return the path of the file to write.

    Raises:
        UsageError: its name does not end in .onnx.
    """
    if out.suffix.lower() != SUFFIX:
        raise UsageError(f"--out: expected a file that ends in {SUFFIX}, found {str(out)!r:.200}")
    return from_home(out)


def _write(graph: OnnxGraph, place: Path, out: Path) -> None:
    size = graph.write(place)
    echo(f"wrote {out} ({size / 1e3:.0f} kB): {graph.description}")
    for line in graph.lines():
        echo(line)


# -- what an agent's numbers are -------------------------------------------------------------------


def _agent_words(scene: Path | None, name: str) -> AgentWords:
    """Return what the agent of a scene says of its numbers; nothing if it is unknown.

    The scene's scripts are parsed, not run.

    Args:
        scene: the scene that the user named; None for none.
        name: file name of the scene in which the policy was trained; "" if unknown.

    Raises:
        SceneFileError: the scene that the user named is invalid.
    """
    from ai.exchange.policies import AgentWords

    place = SHIPPED_ROOT / SCENES / name if scene is None else from_home(scene)
    if scene is None and not (name and place.is_file()):
        return AgentWords()
    project = find_project(place)
    document = load(place, project=project, allows_missing=True)
    for entry in document.data["objects"].values():
        for component in entry.get("components", {}).values():
            kind = str(component.get("type", ""))
            root = SHIPPED_ROOT if kind.startswith(SHIPPED) else project
            found = _class_words(root, kind.removeprefix(SHIPPED))
            if found is not None:
                return AgentWords(**found)
    return AgentWords()


def _class_words(project: Path, target: str) -> dict[str, Any] | None:
    """Return the docstring of an agent's class and the names that it declares.

    The file is parsed, not run.

    Args:
        project: folder that contains the module's top package.
        target: the class as `module:name`.

    Returns:
        The keyword arguments of `AgentWords`; None if there is no such class, or it is no agent.
    """
    module, _, name = target.partition(":")
    path = project.joinpath(*module.split(".")).with_suffix(".py")
    if not module or not path.is_file():
        return None
    try:
        tree = ast.parse(read_regular(path))
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
        return None
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name == name:
            values = _assigned(node)
            if "action_space" not in values:
                return None
            said = " ".join((ast.get_docstring(node) or "").split())
            names = {key: _texts(values.get(f"{key}_names")) for key in ("observation", "action")}
            return {"description": said, **names}
    return None


def _assigned(node: ast.ClassDef) -> dict[str, ast.expr]:
    """Return the expressions that a class assigns to its attributes, by name."""
    return {
        target.id: item.value
        for item in node.body
        if isinstance(item, ast.Assign)
        for target in item.targets
        if isinstance(target, ast.Name)
    }


def _texts(value: ast.expr | None) -> tuple[str, ...]:
    """Return a tuple or list of texts that is written out in a source; () for anything else."""
    try:
        found = ast.literal_eval(value) if value is not None else ()
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return ()
    is_listed = isinstance(found, tuple | list)
    return tuple(found) if is_listed and all(isinstance(each, str) for each in found) else ()
