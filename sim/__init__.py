"""The engine's public door: what a script imports.

Names are looked up when first used, so that `import sim` costs nothing: the command line, which
lives below it, must be able to say which packages are missing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sim.core.animation.animation import Animation
    from sim.core.animation.bound_rig import AnimationError
    from sim.core.camera_view import CameraView
    from sim.core.canvas import Canvas
    from sim.core.compiled import compiled
    from sim.core.components import Camera, Light, Text
    from sim.core.coroutines import Task, Wait
    from sim.core.environment import DayLight, Fog, Sky
    from sim.core.errors import FieldError, GoishiError, WorkerError
    from sim.core.exported import ExportError, Shape, exported
    from sim.core.fields import Asset, Color, field
    from sim.core.hud import HudCanvas
    from sim.core.job import JobError, job
    from sim.core.note import Note
    from sim.core.physics import Contact, Gravity, Layer, RigidBody
    from sim.core.scene import Scene
    from sim.core.scene_camera import PictureError
    from sim.core.scene_object import SceneObject
    from sim.core.script import Script, action
    from sim.core.signals import on, signal
    from sim.core.sound_source import Sound
    from sim.core.space import Hit

__all__ = [
    "Animation",
    "AnimationError",
    "Asset",
    "Camera",
    "CameraView",
    "Canvas",
    "Color",
    "Contact",
    "DayLight",
    "ExportError",
    "FieldError",
    "Fog",
    "GoishiError",
    "Gravity",
    "Hit",
    "HudCanvas",
    "JobError",
    "Layer",
    "Light",
    "Note",
    "PictureError",
    "RigidBody",
    "Scene",
    "SceneObject",
    "Script",
    "Shape",
    "Sky",
    "Sound",
    "Task",
    "Text",
    "Wait",
    "WorkerError",
    "action",
    "compiled",
    "exported",
    "field",
    "job",
    "on",
    "signal",
]

_HOMES = {
    "sim.core.camera_view": ("CameraView",),
    "sim.core.canvas": ("Canvas",),
    "sim.core.animation.animation": ("Animation",),
    "sim.core.animation.bound_rig": ("AnimationError",),
    "sim.core.compiled": ("compiled",),
    "sim.core.components": ("Camera", "Light", "Text"),
    "sim.core.coroutines": ("Task", "Wait"),
    "sim.core.environment": ("DayLight", "Fog", "Sky"),
    "sim.core.errors": ("FieldError", "GoishiError", "WorkerError"),
    "sim.core.exported": ("ExportError", "Shape", "exported"),
    "sim.core.fields": ("Asset", "Color", "field"),
    "sim.core.hud": ("HudCanvas",),
    "sim.core.job": ("JobError", "job"),
    "sim.core.note": ("Note",),
    "sim.core.physics": ("Contact", "Gravity", "Layer", "RigidBody"),
    "sim.core.scene": ("Scene",),
    "sim.core.scene_camera": ("PictureError",),
    "sim.core.scene_object": ("SceneObject",),
    "sim.core.script": ("Script", "action"),
    "sim.core.signals": ("on", "signal"),
    "sim.core.sound_source": ("Sound",),
    "sim.core.space": ("Hit",),
}


def __getattr__(name: str) -> object:
    """Import the home of `name` when the name is first used."""
    home = next((home for home, names in _HOMES.items() if name in names), None)
    if home is None:
        raise AttributeError(f"module 'sim' has no attribute {name!r}")
    value: object = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)
