"""The engine's public door: what a script imports.

Names are looked up when first used, so that `import sim` costs nothing: the command line, which
lives below it, must be able to say which packages are missing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from base.errors import FieldError, GoishiError, WorkerError
    from sim.core.assets.animation.animation import Animation
    from sim.core.assets.animation.bound_rig import AnimationError
    from sim.core.audio.sound_bank import SoundKind
    from sim.core.canvas.canvas import Canvas
    from sim.core.components.components import Camera, Light, Text
    from sim.core.components.environment import DayLight, Fog, Sky
    from sim.core.components.note import Note
    from sim.core.components.physics import Contact, Gravity, Layer, RigidBody
    from sim.core.components.sound_source import Sound
    from sim.core.geometry.builtin_models import ModelKey, ModelKind, ModelLook, ModelPart
    from sim.core.geometry.camera_pose import CameraView
    from sim.core.geometry.meshes import Mesh
    from sim.core.native.compiled import compiled
    from sim.core.native.exported import ExportError, Shape, exported
    from sim.core.scene.fields import Asset, Color, field
    from sim.core.scene.scene import Scene
    from sim.core.scene.scene_camera import PictureError
    from sim.core.scene.scene_object import SceneObject
    from sim.core.scene.spatial_index import Hit
    from sim.core.script.coroutines import Task
    from sim.core.script.hud import HudCanvas
    from sim.core.script.job import JobError, job
    from sim.core.script.options import option
    from sim.core.script.script import Script, action
    from sim.core.script.signals import on, signal
    from sim.core.tasks.waits import Wait

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
    "Mesh",
    "ModelKey",
    "ModelKind",
    "ModelLook",
    "ModelPart",
    "Note",
    "PictureError",
    "RigidBody",
    "Scene",
    "SceneObject",
    "Script",
    "Shape",
    "Sky",
    "Sound",
    "SoundKind",
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
    "option",
    "signal",
]

_HOMES = {
    "sim.core.geometry.builtin_models": ("ModelKey", "ModelKind", "ModelLook", "ModelPart"),
    "sim.core.geometry.meshes": ("Mesh",),
    "sim.core.geometry.camera_pose": ("CameraView",),
    "sim.core.audio.sound_bank": ("SoundKind",),
    "sim.core.canvas.canvas": ("Canvas",),
    "sim.core.assets.animation.animation": ("Animation",),
    "sim.core.assets.animation.bound_rig": ("AnimationError",),
    "sim.core.native.compiled": ("compiled",),
    "sim.core.components.components": ("Camera", "Light", "Text"),
    "sim.core.script.coroutines": ("Task",),
    "sim.core.tasks.waits": ("Wait",),
    "sim.core.components.environment": ("DayLight", "Fog", "Sky"),
    "base.errors": ("FieldError", "GoishiError", "WorkerError"),
    "sim.core.native.exported": ("ExportError", "Shape", "exported"),
    "sim.core.scene.fields": ("Asset", "Color", "field"),
    "sim.core.script.hud": ("HudCanvas",),
    "sim.core.script.job": ("JobError", "job"),
    "sim.core.components.note": ("Note",),
    "sim.core.components.physics": ("Contact", "Gravity", "Layer", "RigidBody"),
    "sim.core.scene.scene": ("Scene",),
    "sim.core.scene.scene_camera": ("PictureError",),
    "sim.core.scene.scene_object": ("SceneObject",),
    "sim.core.script.options": ("option",),
    "sim.core.script.script": ("Script", "action"),
    "sim.core.script.signals": ("on", "signal"),
    "sim.core.components.sound_source": ("Sound",),
    "sim.core.scene.spatial_index": ("Hit",),
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
