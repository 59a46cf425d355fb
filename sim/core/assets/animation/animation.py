"""`Animation`: the interface through which a script plays clips and moves joints of a model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from base.closed import Closed
from sim.core.assets.animation.batch import Overlay, PoseBatch, PoseRequest
from sim.core.assets.animation.layers import BASE, Layer, mask_of
from sim.core.assets.animation.playing import Crossfade, Playing, PlayingEnd
from sim.core.assets.animation.poses import FloatArray, Pose, without_scale
from sim.core.assets.animation.rig import Animated, AnimationError, BoundRig, Rig, listed
from sim.core.geometry.rotations import local_matrices as matrices_of_degrees
from sim.core.geometry.vectors import Matrix44
from sim.core.tasks.waits import Wait

NO_OVERLAYS: Final[Sequence[Overlay]] = ()
NO_POSE = PoseBatch.alone(
    Pose(np.empty((0, 3)), np.empty((0, 4)), np.empty((0, 3)), np.empty(0)), np.empty((0, 4, 4))
)


class Loaded(Wait):
    """Wait that ends when a model is loaded or has failed to load; its result is True if loaded."""

    def __init__(self, animation: Animation) -> None:
        self._animation = animation

    def ready(self, now: float, instant: bool) -> bool:
        """Return whether loading has ended, also by failure; True for a built-in model.

        Args:
            now: present time, unused.
            instant: whether waits end at once, unused.
        """
        animation = self._animation
        is_hopeless = animation.has_failed or not animation.can_load or animation.is_gone
        return animation.is_ready or is_hopeless

    def result(self) -> bool:
        """Return whether the model was loaded."""
        return self._animation.is_ready


class Animation(Closed):
    """Plays the clips of one object's model and moves its joints.

    The model is loaded in the background. Commands given before that are carried out once it is
    loaded. Until then `clips` is empty; `await animation.loaded()` waits for the model.

    Clips play in layers. The base layer moves the whole figure. Each further layer has a name and
    a mask of joints, on which its clip takes the place of those below: a figure can wave while it
    walks. `clip`, `time` and `pose` are those of the base layer.

    Attributes:
        has_failed: whether the model failed to load.
        rate: largest number of poses per second; 0 for a new pose in each frame.
        revision: counter that increases with each new pose.
        batch: for the engine: the computed poses of all objects that share the model.
        number: index of this object's pose in `batch`.
    """

    __slots__ = (
        "_attached", "_clock", "_driven", "_fade", "_has_pose", "_is_paused", "_is_stale",
        "_layers", "_model", "_object", "_phase", "_playing", "batch", "has_failed", "number",
        "rate", "revision",
    )  # fmt: skip

    def __init__(self, obj: Animated) -> None:
        self._object = obj
        self._model = BoundRig(obj)
        self._playing: Playing | None = None
        self._has_pose = False
        self._fade = Crossfade()
        self._layers: dict[str, Layer] = {}
        self._driven: dict[str, FloatArray] = {}
        self._attached: dict[str, tuple[Animated, str, FloatArray]] = {}
        self._is_paused = False
        self._is_stale = True
        self._clock = 0.0
        self._phase = -1
        self.has_failed = False
        self.rate = 0.0
        self.revision = 0
        self.batch = NO_POSE
        self.number = 0

    @property
    def matrices(self) -> FloatArray:
        """Matrices `[J, 4, 4]` of the J joints, from the joint's space to the model's space."""
        return np.asarray(self.batch.matrices[self.number])

    @property
    def weights(self) -> FloatArray:
        """Weights `[S]` of the blend shapes."""
        return np.asarray(self.batch.poses.sliders[self.number])

    # -- what there is ------------------------------------------------------------------------

    @property
    def is_ready(self) -> bool:
        """Whether the model is loaded."""
        return self._model.rig is not None

    @property
    def is_gone(self) -> bool:
        """Whether the object was destroyed; then nothing plays any more."""
        return not self._object.is_alive

    @property
    def can_load(self) -> bool:
        """Whether the model can have clips: it comes from a file, or no model is set yet."""
        return self._model.can_load

    @property
    def clips(self) -> tuple[str, ...]:
        """Names of the clips; empty until the model is loaded."""
        return () if self._model.rig is None else tuple(self._model.rig.clips)

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints; empty until the model is loaded."""
        return () if self._model.rig is None else self._model.rig.joints

    @property
    def clip(self) -> str:
        """Name of the current clip, playing or paused; empty if there is none."""
        return "" if self._playing is None else self._playing.clip

    @property
    def is_playing(self) -> bool:
        """Whether a clip is playing, in any layer: neither paused nor ended."""
        if self._is_paused:
            return False
        if self._playing is not None and not self._playing.is_over:
            return True
        return any(layer.is_playing for layer in self._layers.values())

    @property
    def layers(self) -> dict[str, str]:
        """The clip of each layer that has one, by the layer's name; without the base layer."""
        tops = {name: layer.top for name, layer in self._layers.items()}
        return {name: top.playing.clip for name, top in tops.items() if top is not None}

    @property
    def time(self) -> float:
        """Playback time in seconds from the start of the clip; assign to seek."""
        return 0.0 if self._playing is None else self._playing.time

    @time.setter
    def time(self, value: float) -> None:
        if self._playing is not None:
            self._playing.time = _finite("time", value)
            self._is_stale = True

    def duration(self, clip: str) -> float:
        """Return the duration of a clip in seconds.

        Raises:
            AnimationError: the model has no such clip, or is not loaded yet.
        """
        return self._model.clip(clip).duration

    def loaded(self) -> Wait:
        """Return a wait that ends when the model is loaded (True) or failed to load (False)."""
        return Loaded(self)

    # -- playing ------------------------------------------------------------------------------

    def play(
        self,
        clip: str,
        *,
        loop: bool = True,
        speed: float = 1.0,
        blend: float = 0.2,
        layer: str = BASE,
        mask: str | Sequence[str] | None = None,
        weight: float = 1.0,
        restart: bool = False,
    ) -> Playing:
        """Play a clip from its start, cross-faded from the present pose.

        A clip that is playing already goes on, so that this can be called in each frame; its speed
        is set. A negative speed plays it backwards from its end.

        Args:
            clip: name of the clip.
            loop: whether to repeat it until another clip is played.
            speed: speed factor.
            blend: duration of the cross-fade, seconds.
            layer: name of the layer; empty for the base layer.
            mask: joints that the layer moves, each with all joints below it: a name or several.
                None for the layer's mask so far, and at first for all joints. A layer with a mask
                moves no blend shapes. The base layer has no mask.
            weight: share of the layer's clip in the pose, 0 to 1.
            restart: whether to start again a clip that is playing already.

        Returns:
            The state of this playback.

        Raises:
            AnimationError: the model has no such clip or joint.
            ValueError: a number is not finite, or the mask holds no names.
        """
        return self._play(
            clip, loop, speed, blend, layer, mask, weight, restart=restart, returns=False
        )

    def play_once(
        self,
        clip: str,
        *,
        speed: float = 1.0,
        blend: float = 0.2,
        layer: str = BASE,
        mask: str | Sequence[str] | None = None,
        weight: float = 1.0,
        restart: bool = False,
    ) -> Wait:
        """Play a clip once, to its end: `await self.object.animation.play_once("wave")`.

        The result of the wait is True if the clip ended. It is False if another clip replaced it,
        or if the object was destroyed or got another model. While the object is disabled, its
        clips stand, and the wait with them. When the simulation runs at maximum speed the wait ends
        at once. A layer's clip is blended out at its end.

        Args:
            clip: name of the clip.
            speed: speed factor; negative plays it backwards.
            blend: duration of the cross-fade, seconds.
            layer: name of the layer, as for `play`.
            mask: joints that the layer moves, as for `play`.
            weight: share of the layer's clip in the pose, 0 to 1.
            restart: whether to start again a clip that is played once already.

        Raises:
            AnimationError: the model has no such clip or joint.
            ValueError: a number is not finite, or the mask holds no names.
        """
        playing = self._play(
            clip, False, speed, blend, layer, mask, weight, restart=restart, returns=True
        )
        return PlayingEnd(playing)

    def _play(
        self,
        clip: str,
        loop: bool,
        speed: float,
        blend: float,
        layer: str,
        mask: str | Sequence[str] | None,
        weight: float,
        *,
        restart: bool,
        returns: bool,
    ) -> Playing:
        """Play a clip, as `play` and `play_once` say; `returns` is whether a layer lets it go.

        Args:
            clip: name of the clip.
            loop: whether to repeat it.
            speed: speed factor.
            blend: duration of the cross-fade, seconds.
            layer: name of the layer.
            mask: joints that the layer moves.
            weight: share of the layer's clip in the pose.
            restart: whether to start again a clip that is playing already.
            returns: whether a layer blends the clip out at its end.
        """
        self._model.check_clip(clip)
        speed, fade = _finite("speed", speed), _finite("blend", blend)
        weight = _finite("weight", weight)
        self._is_paused = False
        if layer == BASE and mask is not None:
            raise ValueError(f"mask: expected a layer with a name, found the mask {mask!r:.80}")
        known = self._playing if layer == BASE else self._playing_in(layer)
        if known is not None and not restart and known.goes_on_as(clip, loop=loop, speed=speed):
            known.speed = speed
            if layer != BASE:
                self._weigh(layer, weight)
            return known
        playing = Playing(clip, loop=loop, speed=speed)
        if playing.speed < 0.0 and self.is_ready:
            playing.time = self._model.clip(clip).duration
        if layer == BASE:
            self._replace(playing, fade)
        else:
            self._play_in(layer, playing, mask_of(mask), fade, returns)
            self._weigh(layer, weight)
        if self.is_gone:
            self.end()
        return playing

    def _playing_in(self, name: str) -> Playing | None:
        top = self._layers[name].top if name in self._layers else None
        return None if top is None else top.playing

    def _play_in(
        self, name: str, playing: Playing, names: tuple[str, ...] | None, fade: float, returns: bool
    ) -> None:
        """Play a clip in a layer with a name, which is created if need be.

        Args:
            name: name of the layer.
            playing: the clip's playback.
            names: joints that the layer moves; None for those so far.
            fade: seconds in which the clip is blended in.
            returns: whether it is blended out at its end.
        """
        for joint in names or ():
            self._model.check_joint(joint)
        layer = self._layers.setdefault(name, Layer())
        layer.play(playing, names, fade, returns=returns)
        self._is_stale = True

    def _weigh(self, name: str, weight: float) -> None:
        wanted = min(1.0, max(0.0, weight))
        self._is_stale = self._layers[name].weigh(wanted) or self._is_stale

    def pose(self, clip: str, *, frame: float = 0.0, time: float | None = None) -> None:
        """Show one still pose of a clip.

        Args:
            clip: name of the clip.
            frame: frame number, at the frame rate of the model's file; ignored if `time` is set.
            time: seconds from the clip's start; None to use `frame`.

        Raises:
            AnimationError: the model has no such clip.
        """
        self._model.check_clip(clip)
        playing = Playing(clip, loop=False, speed=0.0)
        rate = self._model.clip(clip).frame_rate if self.is_ready else 30.0
        playing.time = _finite("frame", frame) / rate if time is None else _finite("time", time)
        playing.is_over = True
        self._replace(playing, 0.0)

    def pause(self) -> None:
        """Pause the clip at its present time."""
        self._is_paused = True

    def resume(self) -> None:
        """Resume the paused clip."""
        self._is_paused = False

    def stop(self, layer: str | None = None, *, blend: float = 0.2) -> None:
        """Stop all clips and return to the model's rest pose, or stop those of one layer.

        Args:
            layer: name of the layer, which is blended out; None for all layers, at once.
            blend: duration of the blending, seconds.
        """
        if layer is not None and layer != BASE:
            if layer in self._layers:
                self._layers[layer].stop(max(0.0, _finite("blend", blend)))
                self._is_stale = True
            return
        if layer is None:
            self._end_layers()
        self._replace(None, 0.0)

    def _end_layers(self) -> None:
        for layer in self._layers.values():
            layer.end()
        self._layers.clear()

    def _replace(self, playing: Playing | None, fade: float) -> None:
        if self._playing is not None:
            self._playing.is_over = True
        self._playing = playing
        self._fade.begin(self.batch.plain[self.number] if self._has_pose else None, fade)
        self._is_stale = True

    # -- joints -------------------------------------------------------------------------------

    def joint(self, name: str) -> Matrix44:
        """Return the matrix from a joint to the world, without scale.

        Until the model is loaded it is the object's own world matrix.

        Raises:
            AnimationError: the model has no such joint.
        """
        world = np.asarray(self._object.transform.world_matrix, dtype=np.float64)
        if self._model.is_there():
            world = self.matrices[self._model.joint(name)] @ world
        return Matrix44(without_scale(world))

    def drive(self, joint: str, rotation: Sequence[float] | None) -> None:
        """Rotate a joint further than the clip does, until this is called again for the joint.

        Args:
            joint: name of the joint.
            rotation: heading, pitch and roll in degrees, which are added to the clip's movement.
                The joint is the centre, and the axes are those of the object. None removes the
                rotation.

        Raises:
            AnimationError: the model has no such joint.
            ValueError: the rotation is not three finite numbers.
        """
        self._model.check_joint(joint)
        if rotation is None:
            self._is_stale = self._driven.pop(joint, None) is not None or self._is_stale
            return
        angles = np.asarray(rotation, dtype=np.float64)
        if angles.shape != (3,) or not np.isfinite(angles).all():
            raise ValueError(f"rotation: expected three finite numbers, found {rotation!r}")
        turn = matrices_of_degrees(np.zeros((1, 3)), angles[None], np.ones((1, 3)))[0, :3, :3]
        if joint not in self._driven or not np.array_equal(self._driven[joint], turn):
            self._driven[joint] = turn
            self._is_stale = True

    def attach(
        self, obj: Animated, joint: str, *, offset: Sequence[float] = (0.0, 0.0, 0.0)
    ) -> None:
        """Attach an object to a joint: it follows the joint's position and rotation, not its scale.

        Args:
            obj: any other object of the scene.
            joint: name of the joint.
            offset: metres from the joint, along the joint's axes.

        Raises:
            AnimationError: the model has no such joint, or `obj` is this object or an ancestor of
                it.
        """
        self._model.check_joint(joint)
        if not hasattr(obj, "subtree"):
            raise AnimationError(f"attach: expected an object of the scene, found {obj!r:.60}")
        if self._object in obj.subtree():
            raise AnimationError(
                f"attach: expected an object that does not carry {self._object.path}, "
                f"found {obj.path}"
            )
        self._attached[obj.id] = (obj, joint, np.asarray(offset, dtype=np.float64))

    def detach(self, obj: Animated) -> None:
        """Detach an object from its joint; it stays where it is in the world."""
        self._attached.pop(obj.id, None)

    # -- for the engine -----------------------------------------------------------------------

    @property
    def has_attached(self) -> bool:
        """Whether any object is attached to a joint."""
        return bool(self._attached)

    @property
    def attached(self) -> list[tuple[Animated, str, FloatArray]]:
        """The attached objects, each with the joint's name and the offset `[3]` in metres."""
        return list(self._attached.values())

    def bind(self, rig: Rig | None) -> list[str]:
        """Set the rig of the loaded model.

        Args:
            rig: the rig; None if there is no model.

        Returns:
            Warnings: one for each clip or joint that a script uses but that is missing in the rig.
        """
        faults: list[str] = []
        self._model.rig = rig
        self._has_pose = False
        self._fade.end()
        self._is_stale, self.has_failed = True, False
        self.revision += 1
        self.batch = NO_POSE if rig is None else PoseBatch.alone(rig.rest, rig.rest_matrices)
        self.number = 0
        if rig is None:
            return faults
        where = f"animation of {self._object.path}"
        if self._playing is not None and self._playing.clip not in rig.clips:
            found = self._playing.clip
            faults.append(f"{where}: clip: expected {listed(rig.clips, found)}, found {found!r}")
            self._playing.is_over, self._playing = True, None
        faults += self._drop_layers(rig, where)
        unknown = {name for name in self._driven if name not in rig.index}
        unknown |= {name for _, name, _ in self._attached.values() if name not in rig.index}
        for name in sorted(unknown):
            faults.append(f"{where}: joint: expected {listed(rig.joints, name)}, found {name!r}")
            self._driven.pop(name, None)
        kept = {key: entry for key, entry in self._attached.items() if entry[1] not in unknown}
        self._attached = kept
        return faults

    def _drop_layers(self, rig: Rig, where: str) -> list[str]:
        """Drop the layers that do not fit a rig; return a warning for each clip or joint.

        Args:
            rig: the new rig.
            where: start of the warnings.
        """
        faults: list[str] = []
        for name, layer in list(self._layers.items()):
            clips, joints = layer.missing(rig)
            faults += [
                f"{where}: clip: expected {listed(rig.clips, item)}, found {item!r}"
                for item in sorted(clips)
            ]
            faults += [
                f"{where}: mask: expected {listed(rig.joints, name)}, found {item!r}"
                for item in sorted(joints)
            ]
            if clips or joints:
                layer.end()
                del self._layers[name]
        return faults

    def fail(self) -> None:
        """Mark the model as failed to load; a wait for the current clip then ends."""
        self.has_failed = True
        self.end()

    def end(self) -> None:
        """End all playback, since the object is gone or has no model with clips any more.

        Whoever waits for the end of a clip, or for the model, waits no longer.
        """
        if self._playing is not None:
            self._playing.is_over = True
        self._end_layers()

    def request(self, dt: float, *, instant: bool) -> PoseRequest | None:
        """Advance the clip and return the request for its new pose.

        Args:
            dt: seconds of scene time to advance.
            instant: whether waits end at once; a clip that does not loop then jumps to its end.

        Returns:
            The pose to compute; None if the pose is unchanged, not due yet at `rate`, or the model
            is not loaded.
        """
        rig = self._model.rig
        if rig is None:
            if not self.can_load:
                self.end()
            return None
        self._pass_time(rig, dt, instant)
        if not self._is_stale or (self.rate > 0.0 and not self._is_due()):
            return None
        self._is_stale = self._fade.origin is not None
        playing = self._playing
        return PoseRequest(
            rig,
            "" if playing is None else playing.clip,
            0.0 if playing is None else playing.time,
            self._fade.origin,
            self._fade.share,
            {rig.index[name]: turn for name, turn in self._driven.items()} if self._driven else {},
            self._overlays(rig) if self._layers else NO_OVERLAYS,
        )

    def _overlays(self, rig: Rig) -> list[Overlay]:
        return [item for layer in self._layers.values() for item in layer.overlays(rig)]

    def take(self, batch: PoseBatch, number: int) -> None:
        """Store the computed pose of this object.

        Args:
            batch: computed poses of several objects.
            number: index of this object's pose in the batch.
        """
        self._has_pose = True
        self.batch, self.number = batch, number
        self.revision += 1

    def keep(self) -> None:
        """Copy the pose out of its batch, so that the batch's arrays can be freed."""
        self.batch, self.number = self.batch.apart(self.number), 0

    def _pass_time(self, rig: Rig, dt: float, instant: bool) -> None:
        if instant:  # instant time: a clip is at its end at once, a looping one at its start
            self._fade.end()
            if self._playing is not None and not self._playing.loop and not self._playing.is_over:
                self._playing.finish(rig.clips[self._playing.clip].duration)
                self._is_stale = True
            for layer in self._layers.values():
                self._is_stale = layer.finish(rig) or self._is_stale
            self._drop_empty_layers()
            return
        if dt <= 0.0:
            return
        self._clock += dt
        if self._fade.origin is not None:
            self._fade.advance(dt)
            self._is_stale = True
        playing = self._playing
        if playing is not None and not playing.is_over and not self._is_paused:
            playing.advance(dt, rig.clips[playing.clip].duration)
            self._is_stale = True
        if self._layers:
            for layer in self._layers.values():
                if layer.advance(rig, dt, is_paused=self._is_paused):
                    self._is_stale = True
            self._drop_empty_layers()

    def _drop_empty_layers(self) -> None:
        for name in [name for name, layer in self._layers.items() if layer.is_empty]:
            del self._layers[name]

    def _is_due(self) -> bool:
        """Return whether `rate` allows a new pose now; always True while no clip is playing."""
        if not self.is_playing:
            return True
        phase = math.floor(self._clock * self.rate)
        if phase == self._phase:
            return False
        self._phase = phase
        return True


def _finite(name: str, value: float) -> float:
    if not isinstance(value, int | float | np.number) or not math.isfinite(value):
        raise ValueError(f"{name}: expected a finite number, found {value!r}")
    return float(value)
