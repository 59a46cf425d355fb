"""Layers of clips: a layer plays clips over what lies below it, on the joints of its mask.

As in other engines (Unity's avatar masks, Unreal's layered blend per bone): the joints of a layer's
clip take its rotation, position and scale relative to their parents. All other joints keep what
lies below.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sim.core.assets.animation.batch import Overlay
from sim.core.assets.animation.playing import Playing
from sim.core.assets.animation.poses import FloatArray
from sim.core.assets.animation.rig import Rig

BASE = ""
"""Name of the lowest layer, which moves all joints."""


class LayerClip:
    """A clip of a layer, and how far it is blended in.

    Attributes:
        playing: its playback.
        mask: joints that it moves, with all joints below them; empty for all joints.
        weight: its share of the pose when it is blended in, 0 to 1.
        fade: seconds in which it is blended in or out.
        level: how far it is blended in, 0 to 1, without easing.
        is_leaving: whether it is being blended out.
        is_replaced: whether a later clip is blended in over it; its own share then stays.
        returns: whether it is blended out at its end.
    """

    def __init__(
        self, playing: Playing, mask: tuple[str, ...], fade: float, *, returns: bool
    ) -> None:
        self.playing = playing
        self.mask = mask
        self.weight = 1.0
        self.fade = fade
        self.level = 0.0 if fade > 0.0 else 1.0
        self.is_leaving = False
        self.is_replaced = False
        self.returns = returns
        self._covered: tuple[Rig, FloatArray] | None = None

    @property
    def eased(self) -> float:
        """How far it is blended in, 0 to 1, with ease-in and ease-out."""
        return self.level * self.level * (3.0 - 2.0 * self.level)

    @property
    def share(self) -> float:
        """Weight of the clip in the pose, 0 to 1."""
        return self.weight * self.eased

    def leave(self, fade: float) -> None:
        """Begin to blend the clip out within some seconds."""
        self.playing.is_over = self.is_leaving = True
        self.fade = fade
        self.level = self.level if fade > 0.0 else 0.0

    def advance(self, dt: float, duration: float, *, is_paused: bool) -> bool:
        """Advance the clip and its blending; return whether anything has moved.

        Args:
            dt: seconds of scene time.
            duration: duration of the clip, seconds.
            is_paused: whether the clip stands; the blending goes on.
        """
        moves = not self.playing.is_over and not is_paused
        if moves:
            self.playing.advance(dt, duration)
        before = self.level
        if self.is_leaving or not self.is_replaced:
            step = dt / self.fade if self.fade > 0.0 else 1.0
            self.level = min(1.0, max(0.0, before + (-step if self.is_leaving else step)))
        if self.playing.is_over and self.returns and not self.is_leaving:
            self.leave(self.fade)
        return moves or self.level != before

    def covered(self, rig: Rig) -> FloatArray:
        """Return for each of the J joints whether the clip moves it: `[J]`, 0 or 1."""
        if self._covered is None or self._covered[0] is not rig:
            moved = np.zeros(len(rig.joints))
            moved[rig.clips[self.playing.clip].joints] = 1.0
            self._covered = (rig, moved * rig.below(self.mask) if self.mask else moved)
        return self._covered[1]


class Layer:
    """Clips that play over the layers below; a new clip is blended in over the one before."""

    def __init__(self) -> None:
        self._mask: tuple[str, ...] = ()
        self._clips: list[LayerClip] = []

    @property
    def top(self) -> LayerClip | None:
        """The clip that plays, or played last; None while the layer has none or blends it out."""
        last = self._clips[-1] if self._clips else None
        return None if last is None or last.is_leaving else last

    @property
    def is_empty(self) -> bool:
        """Whether the layer changes nothing."""
        return not self._clips

    @property
    def is_playing(self) -> bool:
        """Whether its clip has not ended."""
        return self.top is not None and not self.top.playing.is_over

    def play(
        self, playing: Playing, mask: tuple[str, ...] | None, fade: float, *, returns: bool
    ) -> None:
        """Blend a clip in over those of the layer, whose playback ends.

        Args:
            playing: its playback.
            mask: joints that the layer moves from now on; None for those so far.
            fade: seconds in which the clip is blended in.
            returns: whether it is blended out at its end.
        """
        self._mask = self._mask if mask is None else mask
        for before in self._clips:
            before.playing.is_over = before.is_replaced = True
        self._clips.append(LayerClip(playing, self._mask, fade, returns=returns))

    def weigh(self, weight: float) -> bool:
        """Set the share of the present clip, 0 to 1; return whether it has changed."""
        top = self.top
        if top is None or top.weight == weight:
            return False
        top.weight = weight
        return True

    def stop(self, fade: float) -> None:
        """Blend all clips out within some seconds."""
        for clip in self._clips:
            clip.leave(fade)
        self._drop()

    def advance(self, rig: Rig, dt: float, *, is_paused: bool) -> bool:
        """Advance the clips; return whether anything has moved.

        Args:
            rig: the model's rig.
            dt: seconds of scene time.
            is_paused: whether clips stand.
        """
        moves = [
            clip.advance(dt, rig.clips[clip.playing.clip].duration, is_paused=is_paused)
            for clip in self._clips
        ]
        self._drop()
        return any(moves)

    def finish(self, rig: Rig) -> bool:
        """Jump to the end of what does not loop, and of all blending; return what `advance` does.

        Args:
            rig: the model's rig.
        """
        before = [(clip.playing.time, clip.level) for clip in self._clips]
        for clip in list(self._clips):
            playing = clip.playing
            if not playing.is_over and not playing.loop:
                playing.finish(rig.clips[playing.clip].duration)
            clip.is_leaving = clip.is_leaving or (clip.returns and playing.is_over)
            clip.level = 0.0 if clip.is_leaving else 1.0
        self._drop()
        return before != [(clip.playing.time, clip.level) for clip in self._clips]

    def overlays(self, rig: Rig) -> list[Overlay]:
        """Return what the layer lays over the pose below it, in order.

        A clip that is replaced keeps its share until the new one is blended in. On joints that the
        new one does not move, it is blended out meanwhile.

        Args:
            rig: the model's rig.
        """
        found: list[Overlay] = []
        for place, clip in enumerate(self._clips):
            weights = clip.covered(rig) * clip.share
            shapes = 0.0 if clip.mask else clip.share
            for later in self._clips[place + 1 :]:
                hidden = later.covered(rig) if later.weight >= 1.0 else 0.0
                weights = weights * (1.0 - (1.0 - hidden) * later.eased)
            found.append(Overlay(clip.playing.clip, clip.playing.time, weights, shapes))
        return found

    def missing(self, rig: Rig) -> tuple[set[str], set[str]]:
        """Return the clips and the joints of the layer that a rig does not have."""
        clips = {clip.playing.clip for clip in self._clips} - rig.clips.keys()
        joints = {name for clip in self._clips for name in clip.mask} - rig.index.keys()
        return clips, joints

    def end(self) -> None:
        """Drop all clips at once; whoever waits for the end of one waits no longer."""
        self.stop(0.0)

    def _drop(self) -> None:
        """Drop the clips that are blended out, and those below one that is blended in whole."""
        last = self._clips[-1] if self._clips else None
        for clip in self._clips[:-1]:
            if last is not None and last.is_leaving and not clip.is_leaving:
                clip.leave(last.fade)
        self._clips = [clip for clip in self._clips if clip.level > 0.0 or not clip.is_leaving]
        top = self.top
        if top is not None and top.level >= 1.0:
            self._clips = [top]


def mask_of(mask: str | Sequence[str] | None) -> tuple[str, ...] | None:
    """Return a mask as the names of joints.

    Args:
        mask: the name of one joint, or the names of several; None is returned unchanged.

    Raises:
        ValueError: it is neither.
    """
    if mask is None:
        return None
    names = (mask,) if isinstance(mask, str) else mask
    is_listed = isinstance(names, list | tuple | set | frozenset)
    if not is_listed or not all(isinstance(name, str) for name in names):
        raise ValueError(f"mask: expected a joint's name, or a list of names, found {mask!r:.80}")
    return tuple(names)
