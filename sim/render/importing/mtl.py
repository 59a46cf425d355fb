"""Material libraries of OBJ files (MTL).

Source: Wavefront's specification of MTL, version 4.2, and the words of physically based materials
that many programs write beside it (Pr, Pm, Ke, norm).
"""

from __future__ import annotations

import codecs
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from base.contents import stand_in
from sim.core.assets.animation.poses import FloatArray
from sim.render.importing.model_data import (
    WHITE,
    Beside,
    ModelData,
    Pixels,
    Sampler,
    bare_surface,
    is_cut,
    metallic_roughness_of,
    normals_of,
)
from sim.render.materials.surface import Surface

WIDE_MARKS: Final = (b"\xff\xfe", b"\xfe\xff")
SAMPLE: Final = 64  # bytes: text of two bytes a letter has zeros among the first
LARGEST_LIBRARY: Final = 32 * 2**20  # bytes
MOST_LIBRARIES: Final = 64
MOST_TOLD: Final = 5  # faulty lines of a library that are told one by one
LIBRARY_LINE: Final = re.compile(rb"(?:^|[\r\n])[ \t]*mtllib[ \t]+([^\r\n]*)")
NUMBERS: Final = {"kd": 3, "ke": 3, "d": 1, "tr": 1, "ns": 1, "pr": 1, "pm": 1}
"""Words with numbers that matter to the looks, in lower case, and how many numbers each has."""
MAPS: Final = {
    "map_kd": "color", "map_d": "opacity", "map_tr": "clearness", "map_ke": "emission",
    "map_pr": "roughness", "map_pm": "metalness", "norm": "normals", "map_kn": "normals",
    "bump": "heights", "map_bump": "heights",
}  # fmt: skip
"""Words with a picture that matters to the looks, in lower case, and what each picture tells."""
OPTIONS: Final = {
    "-blendu": 1, "-blendv": 1, "-boost": 1, "-bm": 1, "-cc": 1, "-clamp": 1, "-imfchan": 1,
    "-mm": 2, "-o": 3, "-s": 3, "-t": 3, "-texres": 1, "-type": 1,
}  # fmt: skip
"""Options before a picture's name, and the most values of each."""
LIGHTEST: Final = 0.01  # opacity below which a material is not seen
DEFAULT: Final = (0.8, 0.8, 0.8)


@dataclass(frozen=True)
class MtlMap:
    """A picture of a material, with its options.

    Attributes:
        name: name of the file.
        scale: factors of u and v (`-s`).
        offset: what is added to u and v (`-o`).
        strength: of a bump or normal map (`-bm`).
        base: value of black, 0 to 1 (`-mm`).
        gain: range of values above `base` (`-mm`).
        channel: the channel that a map of one value uses: r, g, b, m or l; "" for none given.
        is_clamped: whether the picture ends at its border instead of repeating (`-clamp on`).
    """

    name: str
    scale: tuple[float, float] = (1.0, 1.0)
    offset: tuple[float, float] = (0.0, 0.0)
    strength: float = 1.0
    base: float = 0.0
    gain: float = 1.0
    channel: str = ""
    is_clamped: bool = False


@dataclass
class MtlMaterial:
    """A material of a library: the words that matter to the looks.

    Attributes:
        name: its name.
        numbers: numbers by word, in lower case.
        maps: pictures by what they tell, as in `MAPS`.
    """

    name: str
    numbers: dict[str, tuple[float, ...]] = field(default_factory=dict)
    maps: dict[str, MtlMap] = field(default_factory=dict)

    @property
    def opacity(self) -> float:
        """How opaque it is, 0 to 1; `d` says so, else `Tr` says the opposite."""
        if "d" in self.numbers:
            return min(max(self.numbers["d"][0], 0.0), 1.0)
        return 1.0 - min(max(self.numbers.get("tr", (0.0,))[0], 0.0), 1.0)


def is_wide(content: bytes) -> bool:
    """Return whether a text is in UTF-16."""
    head = content[:SAMPLE]
    halves = (head[::2].count(0), head[1::2].count(0))
    return content.startswith(WIDE_MARKS) or max(halves) * 4 > len(head) > 1


def read_libraries(content: bytes, beside: Beside) -> tuple[dict[str, MtlMaterial], list[str]]:
    """Read all material libraries (MTL files) that an OBJ file names.

    Args:
        content: content of the OBJ file.
        beside: finds the MTL files; those that are missing are recorded there.

    Returns:
        The materials by name, and warnings. A name that stands in several libraries means the
        material of the first.
    """
    found: dict[str, MtlMaterial] = {}
    warnings: list[str] = []
    read: set[str] = set()
    for line in LIBRARY_LINE.finditer(content):
        for name in _library_names(text_of(line[1]), beside):
            if name in read or len(read) >= MOST_LIBRARIES:
                continue
            read.add(name)
            path = beside.find(name)
            if path is None:
                beside.missing.append(name)
                continue
            size = path.stat().st_size
            if size > LARGEST_LIBRARY:
                most = f"a material library of at most {LARGEST_LIBRARY} bytes"
                beside.refuse(name, most, f"of {size} bytes")
                continue
            library = path.read_bytes().removeprefix(codecs.BOM_UTF8)
            if library and (other := stand_in(library)):
                beside.refuse(name, "a material library", f"which is {other}")
                continue
            materials, faults = parse_library(library, name)
            found = {**materials, **found}
            warnings += faults
    _show_all_if_none_is_seen(found)
    return found, warnings


def _show_all_if_none_is_seen(materials: Mapping[str, MtlMaterial]) -> None:
    """Make materials solid if all are invisible: some programs write 0 and mean solid."""
    if materials and all(item.opacity < LIGHTEST for item in materials.values()):
        for material in materials.values():
            material.numbers["d"] = (1.0,)


def _library_names(text: str, beside: Beside) -> Iterator[str]:
    """Yield the names of a line with several libraries; names may have spaces.

    Args:
        text: the line without its first word.
        beside: knows which files there are.
    """
    words = [found.span() for found in re.finditer(r"\S+", text)][:MOST_LIBRARIES]
    first = 0
    while first < len(words):
        begin = words[first][0]
        ends = range(len(words), first, -1)
        names = [text[begin : words[end - 1][1]].strip("\"'") for end in ends]
        fit = next((at for at, name in enumerate(names) if beside.find(name)), None)
        if fit is None:  # the name that is missed ends where a library's name does
            endings = [at for at, name in enumerate(names) if name.lower().endswith(".mtl")]
            fit = endings[-1] if endings else 0
        yield names[fit]
        first = ends[fit]


def text_of(content: bytes) -> str:
    """Return a line as text: UTF-8, or else Latin-1."""
    try:
        return content.decode("utf-8-sig").strip()
    except UnicodeDecodeError:
        return content.decode("latin-1").strip()


def parse_library(content: bytes, name: str) -> tuple[dict[str, MtlMaterial], list[str]]:
    """Parse a material library.

    Args:
        content: content of the MTL file.
        name: name of the file, for the warnings.

    Returns:
        The materials by name, as `usemtl` spells it, and warnings.
    """
    if is_wide(content):
        return {}, [f"expected text in UTF-8 or ASCII in {name}, found UTF-16: left out"]
    found: dict[str, MtlMaterial] = {}
    warnings: list[str] = []
    material: MtlMaterial | None = None
    lines = content.replace(b"\\\r\n", b" ").replace(b"\\\n", b" ").splitlines()
    for number, line in enumerate(lines, start=1):
        word, _, rest = line.strip(b"\xef\xbb\xbf \t\0").replace(b"\t", b" ").partition(b" ")
        key, rest = word.decode("latin-1").lower(), rest.strip()
        try:
            if key == "newmtl":
                material = None
                if not rest:
                    raise ValueError("a name", "none")
                title = rest.decode("utf-8", "replace")
                material = found.setdefault(title, MtlMaterial(title))
            elif material is not None and key in NUMBERS:
                material.numbers[key] = _numbers(rest.split(), NUMBERS[key])
            elif material is not None and key in MAPS:
                material.maps[MAPS[key]] = parse_map(text_of(rest))
        except ValueError as error:
            expected, other = error.args if len(error.args) == 2 else ("a word", str(error))
            place = f"behind {key} in {name}, line {number}"
            warnings.append(f"expected {expected} {place}, found {other}: left out")
    if len(warnings) > MOST_TOLD:
        rest_of = f"{len(warnings) - MOST_TOLD} more lines of {name} are left out"
        warnings = [*warnings[:MOST_TOLD], f"expected a sound library, found others: {rest_of}"]
    return found, warnings


def _numbers(words: list[bytes], count: int) -> tuple[float, ...]:
    """Return the numbers behind a word; one number stands for three alike.

    Raises:
        ValueError: a word is no finite number, or there is none; its two arguments say what was
            expected and found.
    """
    words = [word for word in words if word != b"-halo"][:count]
    text = b" ".join(words).decode("ascii", "replace")
    try:
        found = tuple(float(word) for word in words)
    except ValueError:
        raise ValueError("numbers", repr(text[:40])) from None
    if not found or not all(map(math.isfinite, found)):
        raise ValueError("numbers", repr(text[:40]) if text else "none")
    return found if len(found) == count else (found[0],) * count


def parse_map(text: str) -> MtlMap:
    """Parse a picture's options and name; the name comes last and may have spaces.

    Args:
        text: the line without its first word.

    Raises:
        ValueError: there is no name; its two arguments say what was expected and found.

    >>> parse_map("-s 2 2 -clamp on my wall.png").name
    'my wall.png'
    """
    words = [(found[0], found.start()) for found in re.finditer(r"\S+", text)]
    options: dict[str, list[str]] = {}
    at = 0
    while at < len(words) and words[at][0].lower() in OPTIONS:
        option = words[at][0].lower()
        values = [word for word, _ in words[at + 1 : at + 1 + OPTIONS[option]]]
        if option in ("-s", "-o", "-t", "-mm"):
            count = next((k for k, word in enumerate(values) if _float(word) is None), len(values))
            values = values[:count]
        options[option] = values
        at += 1 + len(values)
    if at >= len(words):
        raise ValueError("the name of a picture", "none")
    scale, offset = _pair(options.get("-s"), 1.0), _pair(options.get("-o"), 0.0)
    base, gain = ([*map(_float, options.get("-mm", ())), None, None])[:2]
    strength = _float((options.get("-bm") or ["1"])[0])
    return MtlMap(
        text[words[at][1] :].strip().strip("\"'"),
        scale,
        offset,
        1.0 if strength is None else strength,
        0.0 if base is None else base,
        1.0 if gain is None else gain,
        (options.get("-imfchan") or [""])[0].lower(),
        (options.get("-clamp") or [""])[0].lower() == "on",
    )


def _float(word: str) -> float | None:
    try:
        found = float(word)
    except ValueError:
        return None
    return found if math.isfinite(found) else None


def _pair(words: list[str] | None, fallback: float) -> tuple[float, float]:
    values = [_float(word) for word in words or ()]
    first, second = ([*values, None, None])[:2]
    return (fallback if first is None else first, fallback if second is None else second)


class MtlSurfaces:
    """Converts the materials of libraries to surfaces; each is read once and then shared.

    Args:
        data: gets the surfaces and their pictures.
        beside: finds the pictures.
        materials: the materials by name.
    """

    def __init__(
        self, data: ModelData, beside: Beside, materials: Mapping[str, MtlMaterial]
    ) -> None:
        self._data = data
        self._beside = beside
        self._materials = materials
        self._surfaces: dict[tuple[str, bool], int] = {}
        self._layouts: dict[int, MtlMap] = {}
        self._pixels: dict[str, Pixels | None] = {}
        self._made: dict[tuple[object, ...], int] = {}

    def number(self, material: Any, *, is_inked: bool = False) -> int:
        """Return the index in `ModelData.surfaces` of a material, which is added if it is new.

        Args:
            material: what has the material's `name`; None for no material.
            is_inked: whether the mesh has vertex colours; then no material means white, else grey.
        """
        known = None if material is None else self._materials.get(str(material.name))
        key = ("" if known is None else known.name, known is None and is_inked)
        if key not in self._surfaces:
            if known is None:
                number = self._data.add_surface(bare_surface(has_colors=is_inked))
            else:
                number = self._data.add_surface(self._read(known))
                self._note_layout(number, known)
            self._surfaces[key] = number
        return self._surfaces[key]

    def place(self, uvs: FloatArray, surface: int) -> FloatArray:
        """Return texture coordinates `[N, 2]` with the `-s` and `-o` of a surface applied."""
        layout = self._layouts.get(surface)
        if layout is None:
            return uvs
        return np.asarray(uvs * np.array(layout.scale) + np.array(layout.offset))

    def _note_layout(self, number: int, material: MtlMaterial) -> None:
        seen = [item for item in material.maps.values() if self._pixels.get(item.name) is not None]
        first = material.maps.get("color")
        first = first if first in seen else next(iter(seen), None)
        if first is None:
            return
        self._layouts[number] = first
        if any((item.scale, item.offset) != (first.scale, first.offset) for item in seen):
            self._data.warnings.append(
                f"expected the same -s and -o for all pictures of {material.name}, found others: "
                f"those of {first.name} are used"
            )

    def _read(self, material: MtlMaterial) -> Surface:
        numbers, maps = material.numbers, material.maps
        picture = self._color(maps)
        emissive = self._picture(maps.get("emission"))
        glow = numbers.get("ke", (0.0, 0.0, 0.0))
        if emissive >= 0 and not any(glow):
            glow = WHITE
        joined = self._joined(maps.get("metalness"), maps.get("roughness"))
        metallic = 1.0 if joined >= 0 and "metalness" in maps else numbers.get("pm", (0.0,))[0]
        shine = numbers.get("ns")  # to roughness as ufbx has it
        rough = 0.5 if shine is None else 1.0 - math.sqrt(max(shine[0], 0.0) / 100.0)
        rough = 1.0 if joined >= 0 and "roughness" in maps else numbers.get("pr", (rough,))[0]
        normals, strength = self._normals(maps)
        # the picture is the colour, as in the program that wrote the file
        color = WHITE if picture >= 0 and "color" in maps else numbers.get("kd", DEFAULT)
        return Surface(
            name=material.name,
            color=_three(color, 1.0),
            opacity=material.opacity,
            roughness=min(max(rough, 0.0), 1.0),
            metallic=min(max(metallic, 0.0), 1.0),
            picture=picture,
            metallic_roughness_picture=joined,
            normal_picture=normals,
            normal_scale=strength,
            emissive=_three(glow, 10.0),
            emissive_picture=emissive,
            is_cut=picture >= 0 and is_cut(self._data.pictures[picture]),
        )

    # -- pictures -----------------------------------------------------------------------------

    def _file(self, map_: MtlMap | None) -> Pixels | None:
        """Return the pixels of a picture, each file decoded once; None if it cannot be had."""
        if map_ is None:
            return None
        if map_.name not in self._pixels:
            self._pixels[map_.name] = self._beside.picture(map_.name)
        found = self._pixels[map_.name]
        if found is None or (map_.base, map_.gain) == (0.0, 1.0):
            return found
        values = found.astype(np.float32)
        values[..., :3] = map_.base * 255.0 + map_.gain * values[..., :3]
        return np.clip(np.rint(values), 0, 255).astype(np.uint8)

    def _add(self, key: tuple[object, ...], pixels: Pixels | None) -> int:
        """Return the index of a picture, which is added when its key is first asked for.

        Args:
            key: what it is made of; the first `MtlMap` in it tells whether it repeats.
            pixels: the picture; None for none.
        """
        if key not in self._made:
            first = next((item for item in key if isinstance(item, MtlMap)), None)
            edge = Sampler("clamp", "clamp") if first is not None and first.is_clamped else None
            self._made[key] = self._data.add_picture(pixels, edge)
        return self._made[key]

    def _picture(self, map_: MtlMap | None) -> int:
        return self._add((map_,), self._file(map_))

    def _color(self, maps: Mapping[str, MtlMap]) -> int:
        """Return the index of the picture of colour and opacity; -1 for none."""
        color, opacity = maps.get("color"), maps.get("opacity") or maps.get("clearness")
        pixels = self._file(color)
        veil = self._file(opacity)
        if veil is None or opacity is None:
            return self._add((color,), pixels)
        alpha = one_channel(veil, opacity.channel)
        if "opacity" not in maps:
            alpha = np.asarray(255 - alpha, dtype=np.uint8)
        import cv2

        if pixels is None:
            pixels = np.full((*alpha.shape, 3), 255, dtype=np.uint8)
        height, width = max(alpha.shape, pixels.shape[:2])
        both = [cv2.resize(item, (width, height)) for item in (pixels[..., :3], alpha)]
        return self._add((color, opacity, "opacity"), np.dstack(both))

    def _joined(self, metal: MtlMap | None, rough: MtlMap | None) -> int:
        pixels = [self._file(item) for item in (metal, rough)]
        for at, item in enumerate((metal, rough)):
            found = pixels[at]
            if found is not None and item is not None and item.channel:
                pixels[at] = np.dstack([one_channel(found, item.channel)] * 3)
        return self._add((metal, rough, "joined"), metallic_roughness_of(*pixels))

    def _normals(self, maps: Mapping[str, MtlMap]) -> tuple[int, float]:
        """Return the index of the normal map, -1 for none, and its strength."""
        for kind in ("normals", "heights"):
            map_ = maps.get(kind)
            found = self._file(map_)
            if map_ is None or found is None:
                continue
            if kind == "heights":
                if map_.channel:
                    found = np.dstack([one_channel(found, map_.channel)] * 3)
                made = normals_of(found, map_.strength)
                if made is not found:
                    return self._add((map_, "heights"), made), 1.0
            return self._add((map_, "normals"), found), map_.strength
        return -1, 1.0


def one_channel(pixels: Pixels, channel: str = "") -> Pixels:
    """Return one value a pixel, `[h, w]`.

    Args:
        pixels: `[h, w, 3|4]`, BGR(A).
        channel: r, g, b, m for the alpha channel, l for brightness. "" means the alpha channel if
            the picture has one that is in use, else brightness.
    """
    import cv2

    if channel in ("r", "g", "b"):
        return np.ascontiguousarray(pixels[..., "bgr".index(channel)])
    if pixels.shape[2] == 4 and (channel == "m" or (not channel and is_cut(pixels))):
        return np.ascontiguousarray(pixels[..., 3])
    grey = cv2.cvtColor(np.ascontiguousarray(pixels[..., :3]), cv2.COLOR_BGR2GRAY)
    return np.asarray(grey, dtype=np.uint8)


def _three(values: tuple[float, ...], most: float) -> tuple[float, float, float]:
    red, green, blue = (min(max(float(value), 0.0), most) for value in values)
    return (red, green, blue)
