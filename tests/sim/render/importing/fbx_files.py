"""Writes small FBX files: rigs with skins, blend shapes and clips, as text and binary, 5000 to 7700.

A file is a tree of `Part`s; the emitters know how each version spells a `Model`.
"""

from __future__ import annotations

from tests.sim.render.importing.fbx_modern import Modern
from tests.sim.render.importing.fbx_rigs import Rig
from tests.sim.render.importing.fbx_syntax import to_binary, to_text
from tests.sim.render.importing.fbx_takes import Ancient, Classic


def write(rig: Rig, version: int, *, binary: bool = False) -> bytes:
    """Return the bytes of a file."""
    if version >= 7000:
        tree = Modern(rig, version).tree()
    elif version >= 6000:
        tree = Classic(rig, version).tree()
    else:
        tree = Ancient(rig, version).tree()
    return to_binary(tree, version) if binary else to_text(tree, version)
