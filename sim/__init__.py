"""The engine's public door: what a script imports."""

from sim.core.components import Camera, Light, Text
from sim.core.coroutines import Task, Wait
from sim.core.errors import FieldError, GoishiError, WorkerError
from sim.core.fields import Asset, Color, field
from sim.core.scene import Scene
from sim.core.scene_object import SceneObject
from sim.core.script import Script, action, on
from sim.core.signals import signal

__all__ = [
    "Asset",
    "Camera",
    "Color",
    "FieldError",
    "GoishiError",
    "Light",
    "Scene",
    "SceneObject",
    "Script",
    "Task",
    "Text",
    "Wait",
    "WorkerError",
    "action",
    "field",
    "on",
    "signal",
]
