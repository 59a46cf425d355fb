"""Public API of the engine: the names that a script imports from `sim`.

Names are imported when first used, so that `import sim` needs no other package. The command line
can therefore start and report which packages are missing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from base.door import open_door

if TYPE_CHECKING:
    from base.errors import FieldError, GoishiError, SaveError, WorkerError
    from base.language.wording import capitalized, dated, numeral, tr, tr_many, translated, wording
    from base.policies.policy import Policy, load_policy
    from sim.core.assets.animation.animation import Animation
    from sim.core.assets.animation.rig import AnimationError
    from sim.core.audio.sound_bank import SoundKind
    from sim.core.canvas.canvas import Canvas
    from sim.core.components.components import Camera, Light, Text
    from sim.core.components.environment import DayLight, Fog, Sky
    from sim.core.components.note import Note
    from sim.core.components.physics import (
        BallJoint,
        Collider,
        Contact,
        FixedJoint,
        Gravity,
        HingeJoint,
        Inertia,
        Layer,
        RigidBody,
        SixAxisJoint,
        SliderJoint,
    )
    from sim.core.components.sensors import CameraSensor, ContactSensor, JointSensor, RaySensor
    from sim.core.components.sound_source import Sound
    from sim.core.geometry.builtin_models import ModelKey, ModelKind, ModelLook, ModelPart
    from sim.core.geometry.camera_pose import CameraView
    from sim.core.geometry.meshes import Mesh
    from sim.core.native.compiled import compiled
    from sim.core.native.exported import ExportError, Shape, exported
    from sim.core.scene.fields import Asset, Color, FormerName, field
    from sim.core.scene.scene import Scene, SceneObject
    from sim.core.scene.scene_camera import PictureError
    from sim.core.scene.spatial_index import Bounds, Hit
    from sim.core.script.agent import Agent
    from sim.core.script.hud import HudCanvas
    from sim.core.script.job import JobError, job
    from sim.core.script.options import option
    from sim.core.script.preferences import preference
    from sim.core.script.script import Script, action
    from sim.core.script.signals import on, signal
    from sim.core.script.spaces import Box, Discrete, MultiBinary, MultiDiscrete
    from sim.core.script.ui import Ui
    from sim.core.script.user_code import Task
    from sim.core.tasks.waits import Wait

__getattr__, __dir__, __all__ = open_door(__name__, __file__)
