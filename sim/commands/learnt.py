"""`learnt`: keep what a player has learnt in a file, or load it on another machine."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, cast

import typer

from ai.game import RulesError, game_of
from ai.registry.players import UnknownPlayerError, get_player_info, resolve_settings
from ai.session.teaching import LearnerSession
from ai.store.checkpoints import ORIGIN, CheckpointStore, LearnerOrigin
from ai.store.learnt_file import SUFFIX, LearntFile, LearntFileError, read_learnt
from base.errors import UsageError
from base.schema import OptionError
from sim.commands.cli.ending import echo
from sim.commands.cli.flags import command, flag
from sim.core.files.scene_file import find_project, load
from sim.core.project.data_dir import open_data_dir
from sim.core.project.run_options import DEFAULT_SCENE
from sim.core.project.scene_dir import SceneIdentity, scene_dir

if TYPE_CHECKING:
    from collections.abc import Callable

    from ai.learning.learner import Learner

LEARNERS: Final = "learner"
"""Folder of a scene's learners; see `scripts/gomoku/seats/learner_client.py`."""
SCENE: Final = flag(
    DEFAULT_SCENE, "--scene SCENE", "Whose scene.", show_default="scenes/self_teaching.scene.json"
)
DATA_DIR: Final = flag(
    None, "--data-dir DIR", "The data folder [your user data folder].", show_default=False
)
File = Annotated[Path, typer.Argument(metavar="FILE", help=f"A file that ends in {SUFFIX}.")]


@command
def save_learnt(
    file: File,
    *,
    scene: Path = SCENE,
    player: str | None = flag(
        None, "--player NAME", "Whose learning [the player that learnt last].", show_default=False
    ),
    data_dir: Path | None = DATA_DIR,
) -> None:
    """Write what a player has learnt in a scene into one file."""
    if saved := _save(file, scene, player, data_dir, "learnt save"):
        echo(f"saved {file} ({saved.words})")


def learnt_in(scene: Path, data_dir: Path | None, player: str) -> LearntFile:
    """Return what a player has learnt in a scene.

    Args:
        scene: the scene file.
        data_dir: the data folder; None for the user's.
        player: name of the player.

    Raises:
        UsageError: it has learnt nothing there.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"network{SUFFIX}"
        _save(path, scene, player, data_dir, player)
        return read_learnt(path)


@command
def load_learnt(file: File, *, scene: Path = SCENE, data_dir: Path | None = DATA_DIR) -> None:
    """Load what a file holds into a scene; what was learnt before is kept as a checkpoint."""
    found = read_learnt(file)
    with _learners_of(scene, data_dir) as folder:
        try:
            session = _session_of(LearnerOrigin(found.player, found.rules, found.settings), folder)
        except UsageError as error:
            raise LearntFileError(f"{file}: {error}") from error
        if session.checkpoints is not None:
            session.checkpoints.load()
        session.load_file(file)
        echo(f"loaded {file} ({found.words})")


@contextmanager
def _learners_of(scene: Path, data_dir: Path | None) -> Iterator[Path]:
    """Context manager that locks the data folder and yields the folder of a scene's learners.

    Args:
        scene: the scene file.
        data_dir: the data folder; None for the user's.
    """
    project = find_project(scene)
    identity = SceneIdentity.of(load(scene, project=project).id, scene, project)
    with open_data_dir(data_dir) as data:
        if data.instead_of is not None:
            raise UsageError(data.note)
        yield scene_dir(data.path, identity, is_known=True)[0] / LEARNERS


def _save(
    file: Path, scene: Path, player: str | None, data_dir: Path | None, owner: str
) -> LearntFile | None:
    """Write what a player has learnt in a scene into a file, and return it.

    Args:
        file: the file to write.
        scene: the scene file.
        player: name of the player; None for the one that learnt last.
        data_dir: the data folder; None for the user's.
        owner: whose error it is that nothing was learnt.
    """
    with _learners_of(scene, data_dir) as folder:
        session = _session_of(_newest_origin(folder, player, owner), folder)
        if session.checkpoints is None:
            return None
        if message := session.checkpoints.load():
            echo(message)
        return session.checkpoints.save_file(file)


def _newest_origin(folder: Path, player: str | None, owner: str) -> LearnerOrigin:
    """Return what the learner is made from that has learnt last.

    Args:
        folder: folder of the scene's learners.
        player: name of its player; None for any.
        owner: whose error it is that nothing was learnt.
    """
    found: list[tuple[float, Any]] = []
    for each in sorted(folder.iterdir()) if folder.is_dir() else []:
        for checkpoint in CheckpointStore(each).listed()[:1]:
            origin = checkpoint.state.get(ORIGIN)
            if isinstance(origin, dict) and player in (None, origin.get("player")):
                found.append((checkpoint.directory.stat().st_mtime, origin))
    if not found:
        who = "a player" if player is None else player
        raise UsageError(
            f"{owner}: expected something that {who} has learnt, found nothing in {folder}"
        )
    origin = max(found, key=lambda pair: pair[0])[1]
    return LearnerOrigin(origin["player"], dict(origin["rules"]), dict(origin["settings"]))


def _session_of(origin: LearnerOrigin, folder: Path) -> LearnerSession:
    """Create the learner of a player with its checkpoints; nothing is read yet.

    Args:
        origin: what the learner is made from. It is not trusted.
        folder: folder of the scene's learners.
    """
    try:
        info = get_player_info(origin.player)
        if info.learner is None or "create" in origin.rules:
            raise UsageError(f"expected a shipped player that learns, found {origin.player!r:.60}")
        rules = game_of(origin.rules)
        settings = resolve_settings(info, origin.settings)
        create = cast("Callable[..., Learner]", info.load(info.learner))
        learner = create(rules, settings, 0, threads=1, share=1.0)
    except (UnknownPlayerError, OptionError, RulesError, KeyError, TypeError) as error:
        raise UsageError(f"{error}") from error
    return LearnerSession(learner, folder, origin)
