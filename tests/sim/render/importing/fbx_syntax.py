"""The spelling of FBX files: a tree of parts as text and as binary."""

from __future__ import annotations

import base64
import struct
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Part:
    """One node of the file's tree; a list among the values is an array."""

    name: str
    values: list[Any] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)


def to_text(tree: list[Part], version: int) -> bytes:
    digits = str(version)
    head = f"; FBX {digits[0]}.{digits[1]}.{digits[2]} project file\n"
    return (head + "\n".join(_text(part, 0) for part in tree) + "\n").encode()


def _text(part: Part, depth: int) -> str:
    pad = "\t" * depth
    if len(part.values) == 1 and isinstance(part.values[0], list):
        values = part.values[0]
        inner = ",".join(_word(value) for value in values)
        return f"{pad}{part.name}: *{len(values)} {{\n{pad}\ta: {inner}\n{pad}}}"
    line = f"{pad}{part.name}: " + ",".join(_word(value) for value in part.values)
    if not part.parts and part.values:
        return line
    inner = "\n".join(_text(child, depth + 1) for child in part.parts)
    return f"{line} {{\n{inner}\n{pad}}}"


def _word(value: Any) -> str:
    if isinstance(value, bytes):
        return '"' + base64.b64encode(value).decode() + '"'
    if isinstance(value, str):
        name, mark, kind = value.partition("\x00\x01")
        return value if value == "L" else f'"{kind}::{name}"' if mark else f'"{name}"'
    return repr(value)


def to_binary(tree: list[Part], version: int) -> bytes:
    content = bytearray(b"Kaydara FBX Binary  \x00\x1a\x00" + struct.pack("<I", version))
    for part in tree:
        _binary(part, content, version)
    content += bytes(25 if version >= 7500 else 13)
    return bytes(content)


def _binary(part: Part, content: bytearray, version: int) -> None:
    begin = len(content)
    kind = "<QQQ" if version >= 7500 else "<III"
    content += bytes(struct.calcsize(kind))
    name = part.name.encode()
    content += bytes([len(name)]) + name
    before = len(content)
    for value in part.values:
        content += _value(value)
    length = len(content) - before
    for child in part.parts:
        _binary(child, content, version)
    if part.parts:
        content += bytes(25 if version >= 7500 else 13)
    struct.pack_into(kind, content, begin, len(content), len(part.values), length)


def _value(value: Any) -> bytes:
    if isinstance(value, list):
        is_real = any(isinstance(item, float) for item in value)
        is_long = not is_real and any(abs(item) > 2**31 - 1 for item in value)
        letter, kind = ("d", "d") if is_real else ("l", "q") if is_long else ("i", "i")
        body = struct.pack(f"<{len(value)}{kind}", *value)
        return letter.encode() + struct.pack("<III", len(value), 0, len(body)) + body
    if isinstance(value, bytes):
        return b"R" + struct.pack("<I", len(value)) + value
    if value == "L":  # a straight line to the next key
        return b"CL"
    if isinstance(value, str):
        text = value.encode()
        return b"S" + struct.pack("<I", len(text)) + text
    if isinstance(value, float):
        return b"D" + struct.pack("<d", value)
    return (
        b"L" + struct.pack("<q", value)
        if abs(value) > 2**31 - 1
        else b"I" + struct.pack("<i", value)
    )
