"""Sky, fog and daylight components, and the environment data that the renderer gets from them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from base.language.wording import tr
from sim.core.geometry.rotations import FloatArray
from sim.core.scene.fields import Color, field
from sim.core.script.script import Script

if TYPE_CHECKING:
    from sim.core.scene.scene import ComponentSlot, Scene, SceneObject

Tone = tuple[float, float, float]
"""Colour as linear light (not sRGB): red, green and blue.

The same type of three numbers is also used for positions and directions.
"""
STUDIO_SUN_TO = (-0.62, 0.36, 0.7)
STUDIO_SUN: Tone = (3.1, 2.65, 2.05)
WHITE: Tone = (1.0, 1.0, 1.0)
MOST_LAMPS = 16
"""Point lights, spot lights and further suns that are drawn."""
FAR = 1e6
"""Metres to a sun that is drawn as a lamp: its light comes from one direction everywhere."""
AS_LAMP = 0.3183 * 2.2
"""Part of a sun's light that a lamp with the same effect has, as the shader weighs both."""
GAMMA = 2.2
HOURS = 24.0
AT_ORIGIN = 1e-6  # metres
KINDS = ("sim:Sky", "sim:Fog", "sim:DayLight", "sim:Light")


class Sky(Script):
    """A sky that replaces the default studio: background, reflections and light in the shadows."""

    zenith: Color = field((0.20, 0.44, 0.84), help=tr("Colour straight above; DayLight changes it"))
    horizon: Color = field((0.70, 0.82, 0.94))
    ground: Color = field((0.42, 0.40, 0.37), help=tr("Colour below the horizon"))
    brightness: float = field(1.0, min=0.0, max=5.0)
    clouds: float = field(0.45, min=0.0, max=1.0, help=tr("How much of the sky they cover"))
    sun_size: float = field(2.2, min=0.0, max=30.0, unit="°", help=tr("Diameter of the sun's disc"))


class Fog(Script):
    """Fog: hides the far distance."""

    color: Color = field((0.72, 0.81, 0.90))
    density: float = field(
        0.03,
        min=0.0,
        max=10.0,
        unit="1/m",
        help=tr("After 1/density metres, 37 % of the light is left"),
    )
    clear: float = field(
        10.0, min=0.0, max=10_000.0, unit="m", help=tr("Distance up to which there is no fog")
    )


class DayLight(Script, title="Daylight"):
    """Moves the sun and colours the sky by the time of day.

    It determines the scene's sunlight; the settings of a sun `Light` are then not used, except for
    its shadows.
    """

    hour: float = field(10.0, min=0.0, max=24.0, unit="h", help=tr("Noon at 12; night before 6"))
    speed: float = field(
        0.0, min=0.0, max=100.0, unit="h/s", help=tr("Hours a second of scene time")
    )
    height: float = field(58.0, min=5.0, max=90.0, unit="°", help=tr("Height of the sun at noon"))
    north: float = field(
        0.0, min=-360.0, max=360.0, unit="°", help=tr("Turns the sun's path around z")
    )
    intensity: float = field(2.6, min=0.0, max=100.0, help=tr("Brightness of the sun at noon"))

    def update(self, dt: float) -> None:
        """Advance the time of day by `dt` seconds of scene time."""
        if self.speed > 0.0 and dt > 0.0:
            self.hour = (self.hour + self.speed * dt) % HOURS


@dataclass(frozen=True)
class SkyState:
    """Colours and clouds of a sky; colours in linear light.

    Attributes:
        zenith: colour straight above.
        horizon: colour at the horizon.
        ground: colour below the horizon.
        clouds: covered fraction of the sky, 0 to 1.
        sun_size: diameter of the sun's disc, degrees.
    """

    zenith: Tone
    horizon: Tone
    ground: Tone
    clouds: float = 0.0
    sun_size: float = 2.2


@dataclass(frozen=True)
class FogState:
    """Fog as the renderer needs it.

    Attributes:
        color: linear light.
        density: per metre.
        start: distance up to which it is clear, metres.
    """

    color: Tone
    density: float
    start: float


@dataclass(frozen=True)
class Lamp:
    """A point light, a spot light, or a sun beside the scene's first one.

    Attributes:
        place: world position, metres.
        light: linear light at a distance of one metre.
        ahead: unit vector along which a spot light shines.
        cosines: cosine of the angle from `ahead` at which a spot light is dark, and of the angle up
            to which it has its full light; None for a point light.
    """

    place: Tone
    light: Tone
    ahead: Tone = (0.0, 1.0, 0.0)
    cosines: tuple[float, float] | None = None


@dataclass(frozen=True)
class Environment:
    """The lights, sky and fog of a scene at one moment.

    Attributes:
        sun_to: unit vector towards the sun.
        sun: linear light of the sun.
        ambient: linear light from all directions.
        lamps: the point lights, the spot lights, and the suns beside the one of `sun`.
        dark: paths of the objects whose lights are too many, and are not drawn.
        heaven: the sky; None for the default studio.
        haze: the fog; None for none.
        casts: whether the sun casts shadows; if not, objects have soft spots below them.
    """

    sun_to: Tone = STUDIO_SUN_TO
    sun: Tone = STUDIO_SUN
    ambient: Tone = (0.0, 0.0, 0.0)
    lamps: tuple[Lamp, ...] = ()
    dark: tuple[str, ...] = ()
    heaven: SkyState | None = None
    haze: FogState | None = None
    casts: bool = False

    @property
    def has_spots(self) -> bool:
        """Whether any of the lamps is a spot light."""
        return any(lamp.cosines for lamp in self.lamps)


class EnvironmentResolver:
    """Computes a scene's environment from its light, sky, fog and daylight components.

    It searches the scene's objects again only after objects or components were added or removed.
    """

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._revision = -1
        self._slots: list[ComponentSlot] = []

    def now(self) -> Environment:
        """Return the scene's lights, sky and fog as they are at present."""
        if self._revision != self._scene.structure_revision:
            self._revision = self._scene.structure_revision
            slots = (slot for obj in self._scene.objects.values() for slot in obj.components)
            self._slots = [slot for slot in slots if slot.type_name in KINDS]
        active = [slot for slot in self._slots if slot.instance is not None and slot.is_active]
        suns: list[tuple[SceneObject, Any]] = []
        lamps: list[Lamp] = []
        dark: list[str] = []
        ambient = np.zeros(3)
        found: dict[str, Any] = {}
        for slot in active:
            script: Any = slot.instance
            if slot.type_name != "sim:Light":
                found.setdefault(slot.class_name, script)
                continue
            light = linear(script.color) * script.intensity
            if script.kind == "sun":
                suns.append((slot.object, script))
            elif script.kind == "ambient":
                ambient += light
            elif len(lamps) < MOST_LAMPS:
                lamps.append(_lamp_of(slot.object, script, tone_of(light)))
            else:
                dark.append(slot.object.path)
        first = sun_of(suns)
        sun_to, sun = (STUDIO_SUN_TO, STUDIO_SUN) if first is None else shining(*first)
        if len(suns) > 1 and "DayLight" not in found:
            others = [item for item in suns if item is not first]
            room = MOST_LAMPS - len(lamps)
            lamps += [_far_lamp(*item) for item in others[:room]]
            dark += [obj.path for obj, _ in others[room:]]
        heaven = None if "Sky" not in found else _heaven_of(found["Sky"])
        haze = None if "Fog" not in found else _haze_of(found["Fog"])
        if "DayLight" in found:
            before = heaven or SkyState(WHITE, WHITE, WHITE)
            sun_to, sun, after = by_day(found["DayLight"], before)
            heaven = None if heaven is None else after
            if haze is not None:  # it has the horizon's light
                lit = np.array(after.horizon) / np.maximum(before.horizon, 1e-3)
                tone = tone_of(haze.color * np.minimum(lit, 2.0))
                haze = FogState(tone, haze.density, haze.start)
        casts = first is not None and first[1].shadows == "cast"
        return Environment(
            sun_to, sun, tone_of(ambient), tuple(lamps), tuple(dark), heaven, haze, casts
        )


def _lamp_of(obj: SceneObject, script: Any, light: Tone) -> Lamp:
    place = tone_of(obj.transform.world_position)
    if script.kind != "spot":
        return Lamp(place, light)
    half = math.radians(min(max(float(script.angle), 1.0), 170.0) / 2.0)
    full = half * (1.0 - min(max(float(script.softness), 0.0), 1.0))
    cosines = (math.cos(half), max(math.cos(full), math.cos(half) + 1e-3))
    return Lamp(place, light, tone_of(obj.transform.forward), cosines)


def _far_lamp(obj: SceneObject, script: Any) -> Lamp:
    """Return a sun as a lamp, which is drawn beside the scene's first sun."""
    to, light = map(np.array, shining(obj, script))
    return Lamp(tone_of(to * FAR), tone_of(light * AS_LAMP * FAR**2))


def sun_of(suns: Sequence[tuple[SceneObject, Any]]) -> tuple[SceneObject, Any] | None:
    """Return the sun of a scene: the one whose shadows are drawn, and whose disc the sky shows.

    It is the first one that casts shadows. If none does, it is the first one. Dark suns count only
    where there are no others.

    Args:
        suns: active sun lights, each with its object.
    """
    if len(suns) < 2:
        return suns[0] if suns else None
    found = [item for item in suns if item[1].intensity > 0.0] or suns
    return next((item for item in found if item[1].shadows == "cast"), found[0])


def shining(obj: SceneObject, script: Any) -> tuple[Tone, Tone]:
    """Return the unit vector towards a sun and the sun's linear light.

    A sun whose object stands at the origin shines along the object's y axis. If the object is not
    turned either, the sun shines straight down.
    """
    away = np.array(obj.transform.world_position, dtype=np.float64)
    length = float(np.linalg.norm(away))
    if length <= AT_ORIGIN:
        away, length = -np.asarray(obj.transform.forward, dtype=np.float64), 1.0
        if not np.any(obj.transform.world_rotation):
            away = np.array([0.0, 0.0, 1.0])
    to = away / length
    return tone_of(to), tone_of(linear(script.color) * script.intensity)


def _heaven_of(sky: Sky) -> SkyState:
    colors = (sky.zenith, sky.horizon, sky.ground)
    zenith, horizon, ground = (linear(color) * sky.brightness for color in colors)
    return SkyState(tone_of(zenith), tone_of(horizon), tone_of(ground), sky.clouds, sky.sun_size)


def _haze_of(fog: Fog) -> FogState:
    return FogState(tone_of(linear(fog.color)), fog.density, fog.clear)


def by_day(day: DayLight, heaven: SkyState) -> tuple[Tone, Tone, SkyState]:
    """Return the direction towards the sun, its light, and the sky at a time of day.

    At night the light is the moon's, opposite the sun.

    Args:
        day: the component with the time of day.
        heaven: colours of the sky in daylight.
    """
    angle = math.pi * (day.hour - 6.0) / 12.0
    tilt, north = math.radians(day.height), math.radians(day.north)
    x, y, z = math.cos(angle), -math.sin(angle) * math.cos(tilt), math.sin(angle) * math.sin(tilt)
    cosine, sine = math.cos(north), math.sin(north)
    to = np.array([x * cosine - y * sine, x * sine + y * cosine, z])
    light = _mix((1.0, 0.42, 0.16), (1.0, 0.92, 0.80), _ramp(0.0, 0.45, z))
    sun = light * day.intensity * _ramp(-0.04, 0.16, z)
    if z < -0.04:  # the moon, opposite the sun
        to = -to
        sun = np.array([0.10, 0.14, 0.26]) * _ramp(0.04, 0.2, -z)
    is_day, is_dusk = _ramp(-0.16, 0.22, z), 1.0 - _ramp(0.02, 0.34, abs(z))
    zenith = _mix((0.004, 0.006, 0.016), heaven.zenith, is_day)
    horizon = _mix((0.010, 0.014, 0.030), heaven.horizon, is_day)
    horizon = _mix(horizon, (0.95, 0.40, 0.16), 0.75 * is_dusk * _ramp(-0.2, 0.0, z))
    ground = _mix((0.004, 0.005, 0.008), heaven.ground, is_day)
    tones = (tone_of(zenith), tone_of(horizon), tone_of(ground))
    changed = SkyState(*tones, heaven.clouds, heaven.sun_size)
    return tone_of(to), tone_of(sun), changed


def linear(color: Sequence[float]) -> FloatArray:
    """Convert an sRGB colour, 0 to 1, to linear light."""
    return np.asarray(np.array(color[:3], dtype=np.float64) ** GAMMA)


def tone_of(values: Iterable[float]) -> Tone:
    """Return three numbers as a `Tone` tuple."""
    red, green, blue = (float(value) for value in values)
    return (red, green, blue)


def _mix(first: Tone | FloatArray, second: Tone | FloatArray, share: float) -> FloatArray:
    return np.asarray(np.array(first) * (1.0 - share) + np.array(second) * share)


def _ramp(low: float, high: float, value: float) -> float:
    """Return 0 for values up to `low`, 1 from `high` on, and a smooth rise between them.

    Args:
        low: end of the range with the result 0.
        high: start of the range with the result 1.
        value: the number to convert.
    """
    share = min(1.0, max(0.0, (value - low) / (high - low)))
    return share * share * (3.0 - 2.0 * share)
