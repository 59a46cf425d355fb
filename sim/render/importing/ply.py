"""Importer of PLY: text and binary of both byte orders, faces of any size, and point clouds.

Source: Greg Turk, "The PLY Polygon File Format" (1994), and the words that MeshLab and others write
beside it: texture coordinates, face colours, strips, `comment TextureFile`.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from sim.core.assets.animation.poses import FloatArray, IntArray
from sim.render.importing.fbx import triangulate
from sim.render.importing.model_data import (
    MOST_VERTICES,
    WHITE,
    Beside,
    MeshData,
    ModelData,
    ModelError,
    bare_surface,
    cloud_of,
    is_cut,
    linear_of,
    resting,
    unit,
)
from sim.render.materials.surface import Surface

KINDS: Final = {
    "char": "i1", "int8": "i1", "uchar": "u1", "uint8": "u1", "short": "i2", "int16": "i2",
    "ushort": "u2", "uint16": "u2", "int": "i4", "int32": "i4", "uint": "u4", "uint32": "u4",
    "float": "f4", "float32": "f4", "double": "f8", "float64": "f8",
}  # fmt: skip
ORDERS: Final = {"ascii": "", "binary_little_endian": "<", "binary_big_endian": ">"}
LONGEST_HEADER: Final = 2**16  # bytes
MOST_ROWS: Final = 50_000_000  # of one element
MOST_CORNERS: Final = 3 * MOST_VERTICES  # of all faces together
POINTS: Final = ("x", "y", "z")
NORMALS: Final = ("nx", "ny", "nz")
MAPPED: Final = (("s", "t"), ("u", "v"), ("texture_u", "texture_v"))
COLORED: Final = (("red", "green", "blue"), ("diffuse_red", "diffuse_green", "diffuse_blue"))
CORNERS: Final = ("vertex_indices", "vertex_index")
Numbers = npt.NDArray[Any]


@dataclass(frozen=True)
class Property:
    """A value, or a list of values, that each row of an element has.

    Attributes:
        name: its name.
        kind: NumPy's code of its numbers, without byte order.
        count: NumPy's code of a list's length; "" for a single value.
    """

    name: str
    kind: str
    count: str = ""


@dataclass
class Element:
    """A table of the file, such as its vertices.

    Attributes:
        name: its name.
        rows: number of rows.
        properties: what each row has, in order.
        values: the single values by name, `[rows]`.
        lists: for each list by name its lengths `[rows]` and all its values in one array.
    """

    name: str
    rows: int
    properties: list[Property] = field(default_factory=list)
    values: dict[str, Numbers] = field(default_factory=dict)
    lists: dict[str, tuple[IntArray, Numbers]] = field(default_factory=dict)


def read(path: Path, beside: Beside) -> ModelData:
    """Read a PLY file.

    Args:
        path: the file.
        beside: finds the picture that the file may name.

    Raises:
        ModelError: the file is not readable.
    """
    content = path.read_bytes().removeprefix(codecs.BOM_UTF8)
    elements, pictures, order, start = parse_header(content)
    if order:
        read_binary(content, start, order, elements)
    else:
        read_text(content, start, elements)
    model = ModelData(resting())
    add_meshes(model, {element.name: element for element in elements}, pictures, beside)
    model.warnings += beside.warnings()
    model.beside = beside.seen
    return model


# -- the file -----------------------------------------------------------------------------------


def parse_header(content: bytes) -> tuple[list[Element], list[str], str, int]:
    """Parse the header of a PLY file.

    Args:
        content: content of the file.

    Returns:
        The elements without their rows, the names of the pictures, the byte order ("" for text),
        and the index of the first byte behind the header.

    Raises:
        ModelError: it is no PLY header.
    """
    end = re.search(rb"\bend_header[ \t]*(\r\n|\n|\r)", content[:LONGEST_HEADER])
    if not content.startswith(b"ply") or end is None:
        raise ModelError("expected PLY with its header, found none")
    elements: list[Element] = []
    pictures, order = [], None
    for line in content[: end.start()].decode("latin-1").splitlines()[1:]:
        words = line.split()
        match words:
            case ["format", name, _] if name in ORDERS:
                order = ORDERS[name]
            case ["comment", "TextureFile", _, *_]:
                pictures.append(line.partition("TextureFile")[2].strip())
            case ["element", name, count] if count.isdecimal() and int(count) <= MOST_ROWS:
                elements.append(Element(name, int(count)))
            case ["property", "list", count, kind, name] if elements and {count, kind} <= set(
                KINDS
            ):
                elements[-1].properties.append(Property(name, KINDS[kind], KINDS[count]))
            case ["property", kind, name] if elements and kind in KINDS:
                elements[-1].properties.append(Property(name, KINDS[kind]))
            case ["format" | "element" | "property", *_]:
                raise ModelError(f"expected the header of PLY, found the line {line[:60]!r}")
    if order is None:
        raise ModelError("expected the header of PLY, found none of its three formats")
    return elements, pictures, order, end.end()


def read_text(content: bytes, start: int, elements: list[Element]) -> None:
    """Read the rows of a PLY file in text.

    Args:
        content: content of the file.
        start: index of the first byte behind the header.
        elements: the elements; they get their rows.

    Raises:
        ModelError: the file ends too early, or holds something other than numbers.
    """
    words = content[start:].split()
    try:
        numbers = np.array(words, dtype=np.float64)
    except ValueError:
        raise ModelError("expected numbers behind the header of PLY, found other words") from None
    at = 0
    for element in elements:
        if all(not item.count for item in element.properties):
            width = len(element.properties)
            part = numbers[at : at + element.rows * width]
            if len(part) < element.rows * width:
                raise _too_short(element)
            table = part.reshape(element.rows, width)
            for column, item in enumerate(element.properties):
                element.values[item.name] = table[:, column]
            at += element.rows * width
        else:
            at = _read_rows(numbers, at, element)


def _read_rows(numbers: FloatArray, at: int, element: Element) -> int:
    """Read rows with lists from a text's numbers; return the index behind them.

    Args:
        numbers: all numbers of the file.
        at: index of the first number.
        element: the element; it gets its rows.
    """
    starts: list[list[int]] = [[] for _ in element.properties]
    counts: list[list[int]] = [[] for _ in element.properties]
    flat = numbers.tolist()
    try:
        for _ in range(element.rows):
            for place, item in enumerate(element.properties):
                count = 1
                if item.count:
                    count = int(flat[at])
                    at += 1
                    if count < 0:
                        raise _too_short(element)
                starts[place].append(at)
                counts[place].append(count)
                at += count
    except (IndexError, ValueError, OverflowError):
        raise _too_short(element) from None
    if at > len(flat):
        raise _too_short(element)
    for place, item in enumerate(element.properties):
        first = np.array(starts[place], dtype=np.int64)
        lengths = np.array(counts[place], dtype=np.int64)
        found = numbers[gathered(first, lengths)]
        if item.count:
            element.lists[item.name] = (lengths, found)
        else:
            element.values[item.name] = found
    return at


def read_binary(content: bytes, start: int, order: str, elements: list[Element]) -> None:
    """Read the rows of a binary PLY file.

    Args:
        content: content of the file.
        start: index of the first byte behind the header.
        order: "<" or ">", as NumPy writes the byte order.
        elements: the elements; they get their rows.

    Raises:
        ModelError: the file ends too early.
    """
    data = np.frombuffer(content, dtype=np.uint8)
    at = start
    for element in elements:
        if any(item.count for item in element.properties):
            at = _read_lists(content, data, at, order, element)
            continue
        columns = enumerate(element.properties)
        kind = np.dtype([(str(at_), order + item.kind) for at_, item in columns])
        size = element.rows * kind.itemsize
        if at + size > len(content):
            raise _too_short(element)
        table = np.frombuffer(content, dtype=kind, count=element.rows, offset=at)
        for column, item in enumerate(element.properties):
            element.values[item.name] = table[str(column)]
        at += size


def _read_lists(content: bytes, data: Numbers, at: int, order: str, element: Element) -> int:
    """Read binary rows with lists; return the index of the first byte behind them.

    Args:
        content: content of the file.
        data: the same as an array of bytes.
        at: index of the first byte.
        order: the byte order, as NumPy writes it.
        element: the element; it gets its rows.
    """
    sign: Literal["little", "big"] = "little" if order == "<" else "big"
    sizes = [(np.dtype(item.count or "u1").itemsize if item.count else 0,
              np.dtype(item.kind).itemsize, item.count[:1] == "i")
             for item in element.properties]  # fmt: skip
    if any(item.count[:1] == "f" for item in element.properties):
        raise ModelError(
            f"expected whole numbers as lengths of lists, found others in {element.name}"
        )
    starts: list[list[int]] = [[] for _ in sizes]
    counts: list[list[int]] = [[] for _ in sizes]
    rows = list(zip(sizes, starts, counts, strict=True))
    whole = len(content)
    for _ in range(element.rows):
        for (head, width, is_signed), first, lengths in rows:
            count = 1
            if head == 1 and not is_signed and at < whole:
                count = content[at]
            elif head:
                count = int.from_bytes(content[at : at + head], sign, signed=is_signed)
            at += head
            if count < 0 or at + count * width > whole:
                raise _too_short(element)
            first.append(at)
            lengths.append(count)
            at += count * width
    for item, (_, width, _), first, lengths in zip(
        element.properties, sizes, starts, counts, strict=True
    ):
        amounts = np.array(lengths, dtype=np.int64)
        places = gathered(np.array(first, dtype=np.int64), amounts, width)
        raw = data[places[:, None] + np.arange(width)]
        values = np.ascontiguousarray(raw).view(order + item.kind).ravel()
        if item.count:
            element.lists[item.name] = (amounts, values)
        else:
            element.values[item.name] = values
    return at


def gathered(starts: IntArray, counts: IntArray, step: int = 1) -> IntArray:
    """Return the places of all items of lists, one list behind the other.

    Args:
        starts: `[n]` place of each list's first item.
        counts: `[n]` number of its items.
        step: distance between items.
    """
    before = np.cumsum(counts) - counts
    within = np.arange(int(counts.sum())) - np.repeat(before, counts)
    return np.asarray(np.repeat(starts, counts) + within * step)


def _too_short(element: Element) -> ModelError:
    return ModelError(
        f"expected {element.rows} rows of {element.name} in PLY, found a file that ends before"
    )


# -- the model ----------------------------------------------------------------------------------


def add_meshes(
    model: ModelData, elements: dict[str, Element], pictures: list[str], beside: Beside
) -> None:
    """Add the faces of a PLY file to a model, or its points if it has no faces.

    Args:
        model: the model; changed.
        elements: the tables of the file by name.
        pictures: names of the pictures.
        beside: finds the pictures.

    Raises:
        ModelError: an index or a table is invalid.
    """
    vertex = elements.get("vertex")
    points = None if vertex is None else columns(vertex, POINTS)
    if vertex is None or points is None:
        raise ModelError("expected vertices with x, y and z in PLY, found none")
    if len(points) > MOST_VERTICES:
        raise ModelError(f"expected at most {MOST_VERTICES} vertices, found {len(points)}")
    face = elements.get("face", Element("face", 0))
    lengths, corners = next(
        (face.lists[name] for name in CORNERS if name in face.lists), strips_of(elements)
    )
    if len(corners) > MOST_CORNERS:
        raise ModelError(f"expected at most {MOST_CORNERS} corners of faces, found {len(corners)}")
    corners = np.asarray(corners, dtype=np.int64)
    if len(corners) and not 0 <= corners.min() <= corners.max() < len(points):
        raise ModelError("expected indices of vertices in the faces of PLY, found others")
    inks = colors_of(vertex)
    if not len(corners):
        if len(points):
            model.add_cloud(cloud_of(points, None if inks is None else linear_of(inks)))
        else:
            model.undrawn.append("it has no vertices and no faces")
        return
    starts = np.cumsum(lengths) - lengths
    cut, owners = triangulate(starts, lengths, points[corners])
    if not len(cut):
        model.undrawn.append("its faces have fewer than three corners")
        return
    which = np.zeros(len(cut), dtype=np.int64)
    numbers = face.values.get("texnumber")
    if len(pictures) > 1 and numbers is not None and len(numbers) == len(lengths):
        wanted = np.nan_to_num(np.asarray(numbers, dtype=np.float64)[owners])
        which = np.clip(wanted, -1, len(pictures) - 1).astype(np.int64)
    for number in np.unique(which).tolist():
        chosen = which == number
        name = pictures[number] if 0 <= number < len(pictures) else ""
        _add_part(model, vertex, face, cut[chosen], owners[chosen], corners, name, beside)


def _add_part(
    model: ModelData,
    vertex: Element,
    face: Element,
    cut: IntArray,
    owners: IntArray,
    corners: IntArray,
    picture: str,
    beside: Beside,
) -> None:
    """Add the triangles of one picture.

    Args:
        model: the model; changed.
        vertex: the table of vertices.
        face: the table of faces.
        cut: `[T, 3]` the triangles, as places in `corners`.
        owners: `[T]` the face of each triangle.
        corners: `[C]` the vertex of each corner of all faces.
        picture: name of the picture; "" for none.
        beside: finds the picture.
    """
    places = cut.ravel()
    rows = corners[places]
    points = columns(vertex, POINTS)
    normals, inks = columns(vertex, NORMALS), colors_of(vertex)
    colors = None if inks is None else linear_of(inks)[rows]
    if len(face_inks := _face_colors(face)):
        colors = linear_of(face_inks)[np.repeat(owners, 3)]
    uvs = next((found for pair in MAPPED if (found := columns(vertex, pair)) is not None), None)
    if uvs is not None:
        uvs = uvs[rows]
    lists = face.lists.get("texcoord")
    if lists is not None and len(lists[1]) == 2 * len(corners):
        uvs = np.asarray(lists[1], dtype=np.float64).reshape(-1, 2)[places]
    is_shared = len(face_inks) == 0 and lists is None and normals is not None
    assert points is not None  # noqa: S101
    mesh = MeshData(
        "mesh",
        0,
        points[rows],
        np.zeros((len(rows), 3)) if normals is None else unit(normals)[rows],
        np.zeros((len(rows), 2)) if uvs is None else uvs,
        np.arange(len(rows)).reshape(-1, 3),
        model.add_surface(_surface(model, picture, beside, has_colors=colors is not None)),
        colors=colors,
    )
    if normals is None:
        mesh.flatten()
    elif is_shared:
        mesh.share(rows)
    model.meshes.append(mesh)


def _surface(model: ModelData, picture: str, beside: Beside, *, has_colors: bool) -> Surface:
    number = model.add_picture(beside.picture(picture)) if picture else -1
    if number < 0:
        return bare_surface(has_colors=has_colors)
    return Surface(color=WHITE, picture=number, is_cut=is_cut(model.pictures[number]))


def columns(element: Element, names: tuple[str, ...]) -> FloatArray | None:
    """Return columns of a table as `[rows, k]`; None if one is missing."""
    if any(name not in element.values for name in names):
        return None
    return np.stack([np.asarray(element.values[name], dtype=np.float64) for name in names], axis=1)


def colors_of(element: Element) -> FloatArray | None:
    """Return the sRGB colours of a table's rows, `[rows, 3]`, 0 to 1; None if it has none."""
    for names in COLORED:
        found = columns(element, names)
        if found is not None:
            kinds = {item.name: item.kind for item in element.properties}
            kind = kinds[names[0]]
            most = 1.0 if kind[0] == "f" else 65_535.0 if kind[1] == "2" else 255.0
            if kind[0] == "f" and found.max(initial=0.0) > 1.0:
                most = 255.0  # bytes that were written as floats
            return np.asarray(np.clip(found / most, 0.0, 1.0))
    return None


def _face_colors(face: Element) -> FloatArray:
    found = colors_of(face)
    return np.empty((0, 3)) if found is None else found


def strips_of(elements: dict[str, Element]) -> tuple[IntArray, IntArray]:
    """Return the triangles of the element `tristrips` as lengths and corners; empty without it.

    In a strip, -1 begins a new one, and every second triangle is turned round.
    """
    found = elements.get("tristrips")
    if found is None or not found.lists:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    strip = np.asarray(next(iter(found.lists.values()))[1], dtype=np.int64)
    parts = [np.empty((0, 3), dtype=np.int64)]
    for piece in np.split(strip, np.flatnonzero(strip < 0)):
        piece = piece[piece >= 0]
        if len(piece) >= 3:
            rows = np.stack([piece[:-2], piece[1:-1], piece[2:]], axis=1)
            rows[1::2] = rows[1::2, ::-1]
            parts.append(rows)
    triangles = np.concatenate(parts)
    return np.full(len(triangles), 3, dtype=np.int64), triangles.ravel()
