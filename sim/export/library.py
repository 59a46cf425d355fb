"""Contents of an exported library: its C header and its binary description.

The shim reads the description to check and convert arguments. All numbers in the description are
little-endian. Places in it are given as offsets from its first byte, so it can lie at any address.
Its structures are declared in `shim.h`: Library, Function, Value.
"""

from __future__ import annotations

import re
import struct
import textwrap
from dataclasses import dataclass
from typing import Final

from sim.core.native.exported import MOST_DIMENSIONS, ExportedType, Signature


@dataclass(frozen=True, slots=True)
class PythonFiles:
    """Paths within the exported Python folder, as POSIX paths."""

    library: str
    """Python's shared library, such as "lib/libpython3.11.so.1.0"."""
    standard: str
    """Folder of the standard library, such as "lib/python3.11"."""
    preload: tuple[str, ...] = ()
    """Libraries that the shim loads before Python's, because the target machine may lack them."""


@dataclass(frozen=True, slots=True)
class Library:
    """Contents of an exported library.

    Attributes:
        functions: signatures of the exported functions.
        python: paths within the exported Python folder.
    """

    name: str
    """Name of the library, a C identifier, with which every symbol begins."""
    module: str
    """Module name of the script."""
    functions: tuple[Signature, ...]
    python: PythonFiles

    @property
    def home_variable(self) -> str:
        """Name of the environment variable with the path of the exported Python folder."""
        return f"{self.name.upper()}_HOME"


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of an exported function in C.

    Attributes:
        name: name of the argument.
        about: description for the header.
    """

    name: str
    type: str
    """C type, such as "const int8_t *"; the star of a pointer comes last."""
    about: str

    @property
    def is_real(self) -> bool:
        """Whether the argument is passed in a floating-point register."""
        return self.type == "double"

    @property
    def declaration(self) -> str:
        """The parameter's C declaration, as in `float *x`."""
        return f"{self.type}{self.name}" if self.type.endswith("*") else f"{self.type} {self.name}"


_WORDS: Final = (
    "alignas alignof and asm auto bool break case catch char class const constexpr continue "
    "default delete do double else enum explicit export extern false float for friend goto if "
    "inline int long namespace new not nullptr operator or private protected public register "
    "restrict return short signed sizeof static struct switch template this throw true try "
    "typedef typename union unsigned using virtual void volatile while xor"
)
C_KEYWORDS: Final = frozenset(_WORDS.split())
SCALAR_TYPES: Final = {"int": "int64_t", "float": "double", "bool": "int32_t", "str": "char"}
ITEM_TYPES: Final = {"float32": "float", "float64": "double", "bool": "uint8_t"}


def item_type(dtype: str) -> str:
    """Return the C type of an array's items."""
    return ITEM_TYPES.get(dtype, f"{dtype}_t")


def arguments_of(signature: Signature) -> tuple[Argument, ...]:
    """Return the arguments of an exported function in C, in order.

    Arguments through which the function returns its result come last.

    Args:
        signature: types of the function's parameters and of its result.
    """
    found = [one for value in signature.parameters for one in _parameter(value)]
    if signature.result is not None:
        found += _result(signature.result)
    return tuple(found)


def _parameter(value: ExportedType) -> list[Argument]:
    name = c_name(value.name)
    if value.kind == "str":
        return [Argument(name, "const char *", "text in UTF-8, ends with a zero byte")]
    if value.kind != "array":
        about = {"bool": "0: no, else yes"}.get(value.kind, "")
        return [Argument(name, SCALAR_TYPES[value.kind], about)]
    constant, about = ("", "items, read and written") if value.is_written else ("const ", "items")
    kind = f"{constant}{item_type(value.dtype)} *"
    items = Argument(name, kind, f"{about}, {shape_text(value)}")
    sizes = (
        Argument(f"{value.name}_size{i}", "int64_t", _size_text(size, i, value.name))
        for i, size in enumerate(value.sizes)
    )
    return [items, *sizes]


def _result(value: ExportedType) -> list[Argument]:
    name = c_name(value.name)
    if value.kind not in ("array", "str"):
        return [Argument(name, f"{SCALAR_TYPES[value.kind]} *", "where the result is put")]
    if value.kind == "str":
        return [
            Argument(name, "char *", "buffer for text in UTF-8, ends with a zero byte"),
            Argument(f"{value.name}_capacity", "int64_t", "bytes in the buffer"),
            Argument(f"{value.name}_length", "int64_t *", "bytes without the zero, or NULL"),
        ]
    about = f"buffer for the items, {shape_text(value)}"
    sizes = (
        Argument(f"{value.name}_size{i}", "int64_t *", f"size of dimension {i}, or NULL")
        for i in range(len(value.sizes))
    )
    return [
        Argument(name, f"{item_type(value.dtype)} *", about),
        Argument(f"{value.name}_capacity", "int64_t", "items that the buffer holds"),
        *sizes,
    ]


def c_name(name: str) -> str:
    """Return a valid C name for a parameter, avoiding keywords such as `default`."""
    return f"{name}_" if name in C_KEYWORDS else name


def shape_text(value: ExportedType) -> str:
    """Return an array's shape in words, such as "any x 3 float32, row by row"."""
    sizes = " x ".join("any" if size is None else str(size) for size in value.sizes)
    order = ", row by row" if len(value.sizes) > 1 else ""
    return f"{sizes} {value.dtype}{order}"


def _size_text(size: int | None, dimension: int, name: str) -> str:
    return f"size of {name} in dimension {dimension}" + ("" if size is None else f": {size}")


MAGIC: Final = b"goishi/1"
_DESCRIPTION_HEAD: Final = struct.Struct("<8s10I")
_FUNCTION: Final = struct.Struct("<4I")
_VALUE: Final = struct.Struct(f"<IBBH{MOST_DIMENSIONS}q")
_KINDS: Final = {"int": b"i", "float": b"d", "bool": b"b", "str": b"s", "array": b"a"}
_ITEM_SIZES: Final = {"bool": 1}


class _Texts:
    """Table of texts, each stored once and followed by a zero byte."""

    def __init__(self, start: int) -> None:
        self._start = start
        self._places: dict[str, int] = {}
        self.data = bytearray()

    def place(self, text: str) -> int:
        """Return the offset of a text in the table.

        Args:
            text: the text; it is added if the table does not have it.
        """
        if text not in self._places:
            self._places[text] = self._start + len(self.data)
            self.data += text.encode("utf-8") + b"\0"
        return self._places[text]


def describe(library: Library) -> bytes:
    """Return the binary description of a library, which the shim reads."""
    functions = library.functions
    function_start = _DESCRIPTION_HEAD.size
    value_start = function_start + _FUNCTION.size * len(functions)
    values = [value for function in functions for value in _values(function)]
    texts = _Texts(value_start + _VALUE.size * len(values))
    head = _DESCRIPTION_HEAD.pack(
        MAGIC,
        texts.place(library.name),
        texts.place(library.home_variable),
        texts.place(library.python.library),
        texts.place(library.python.standard),
        texts.place("\n".join(library.python.preload)),
        texts.place(library.module),
        texts.place("\n".join(map(str, functions))),
        len(functions),
        function_start,
        0,
    )
    records = bytearray()
    for function in functions:
        records += _FUNCTION.pack(
            texts.place(function.name),
            value_start,
            len(function.parameters),
            function.result is not None,
        )
        value_start += _VALUE.size * len(_values(function))
    for value in values:
        records += _pack_value(value, texts)
    return bytes(head + records + texts.data)


def _values(function: Signature) -> tuple[ExportedType, ...]:
    return (*function.parameters, *(() if function.result is None else (function.result,)))


def _pack_value(value: ExportedType, texts: _Texts) -> bytes:
    bits = "".join(character for character in value.dtype if character.isdigit())
    item_size = int(bits) // 8 if bits else _ITEM_SIZES.get(value.dtype, 0)
    sizes = [-1 if size is None else size for size in value.sizes]
    sizes += [-1] * (MOST_DIMENSIONS - len(sizes))
    place = texts.place(value.name)
    return _VALUE.pack(place, _KINDS[value.kind][0], item_size, len(value.sizes), *sizes)


ERROR_CODES: Final = {
    "OK": (0, "it went well"),
    "NOT_STARTED": (-1, "init was not called, or failed"),
    "NO_PYTHON": (-2, "Python's folder is not there or Python did not start"),
    "NO_SCRIPT": (-3, "the script cannot be imported"),
    "NULL_POINTER": (-4, "a pointer is NULL"),
    "WRONG_SHAPE": (-5, "an array's size is not the expected one"),
    "WRONG_TEXT": (-6, "a text is not UTF-8"),
    "SCRIPT_FAILED": (-7, "the function raised an exception"),
    "WRONG_RESULT": (-8, "the function returned another kind of value"),
    "BUFFER_TOO_SMALL": (-9, "the result does not fit into the caller's buffer"),
    "BUSY": (-10, "init or shutdown was called from inside a call"),
    "OTHER_PYTHON": (-11, "another Python or exported script is in this process"),
}
"""Codes that a function in C returns, with their meaning; the shim uses the same numbers."""

_HEAD: Final = """\
/** @file {name}.h
 * C interface of the Python script {module}, written by Goishi.
 *
 * Every function returns GOISHI_OK (0) or a negative error code; results are put where the
 * arguments point, and on an error these places are left as they were (only the length and sizes
 * are told for GOISHI_BUFFER_TOO_SMALL). All functions may be called from any thread. Python runs
 * one call at a time. Arrays and texts are copied: the caller may free them after the call.
 */
#ifndef {guard}
#define {guard}

#include <stdint.h>

#ifdef __cplusplus
extern "C" {{
#endif

#ifndef GOISHI_ERROR_CODES
#define GOISHI_ERROR_CODES
enum goishi_code {{
{codes}
}};
#endif

/** Start Python and import the script. Once is enough; again is harmless.
 *
 * @param home  The folder `python` that lies beside the library, or NULL: then the environment
 *              variable {variable}, else the folder beside the library.
 */
int32_t {name}_init(const char *home);

/** Let go of the script once all calls have returned; init may be called again. Python itself
 *  stays in the process, asleep. */
int32_t {name}_shutdown(void);

/** Say what went wrong in this thread's last call, in UTF-8; empty when it went well. The text
 *  stays valid until this thread's next call. */
const char *{name}_last_error(void);
"""
TAIL: Final = """
#ifdef __cplusplus
}
#endif

#endif
"""
_WIDTH: Final = 96
_NO_BREAK: Final = "\x1f"


def header_text(library: Library) -> str:
    """Return the text of a library's C header."""
    codes = [
        f"    {f'GOISHI_{name} = {number},':34}/**< {about} */"
        for name, (number, about) in ERROR_CODES.items()
    ]
    head = _HEAD.format(
        name=library.name,
        module=library.module,
        guard=f"{library.name.upper()}_H",
        variable=library.home_variable,
        codes="\n".join(codes),
    )
    functions = [function_text(library.name, function) for function in library.functions]
    return head + "".join(functions) + TAIL


def declaration(prefix: str, function: Signature) -> str:
    """Return a function's C declaration without semicolon, wrapped if it is long.

    Args:
        prefix: name of the library.
        function: the function.
    """
    arguments = [argument.declaration for argument in arguments_of(function)] or ["void"]
    start = f"int32_t {prefix}_{function.name}("
    whole = ", ".join(argument.replace(" ", _NO_BREAK) for argument in arguments)
    lines = textwrap.wrap(whole, _WIDTH - len(start), break_long_words=False)
    indented = ("\n" + " " * len(start)).join(lines)
    return f"{start}{indented})".replace(_NO_BREAK, " ")


def function_text(prefix: str, function: Signature) -> str:
    """Return a function's C declaration with the comment that its docstring makes.

    Args:
        prefix: name of the library.
        function: the function.
    """
    text, described = _read_docstring(function.document)
    lines = text.splitlines() or [f"Call {function.name} of the script."]
    comment = [f"/** {lines[0]}", *(f" * {line}".rstrip() for line in lines[1:]), " *"]
    comment += _parameters(function, described)
    comment.append(f" * @return  GOISHI_OK or a negative code; see {prefix}_last_error().")
    return "\n" + "\n".join(comment) + f"\n */\n{declaration(prefix, function)};\n"


def _parameters(function: Signature, described: dict[str, str]) -> list[str]:
    lines: list[str] = []
    outputs = {"result"} if function.result is not None else set()
    inputs = {value.name for value in function.parameters}
    for argument in arguments_of(function):
        plain = argument.name if argument.name in described else argument.name.rstrip("_")
        about = described.get(plain, "")
        if argument.about:
            about = f"{about} ({argument.about})" if about else argument.about
        is_output = plain.partition("_")[0] in outputs and plain not in inputs
        way = "[out]" if is_output and "*" in argument.type else ""
        start, next_start = f" * @param{way} {argument.name}  ", " *     "
        wrapped = textwrap.wrap(about, _WIDTH, initial_indent=start, subsequent_indent=next_start)
        lines += wrapped or [start.rstrip()]
    return lines


def _read_docstring(document: str) -> tuple[str, dict[str, str]]:
    """Split a docstring into its general text and its descriptions of arguments.

    Args:
        document: the docstring.

    Returns:
        (text before the first section, descriptions by name of the argument). The text of
        `Returns:` has the name "result".
    """
    safe = document.replace("*/", "* /")
    titles = r"^(Args|Returns|Raises|Yields|Example|Examples):$"
    sections = re.split(titles, safe, flags=re.MULTILINE)
    described: dict[str, str] = {}
    for title, body in zip(sections[1::2], sections[2::2], strict=True):
        if title == "Args":
            for name, about in re.findall(r"^ +(\w+): ((?:.|\n(?! +\w+: ))+)", body, re.MULTILINE):
                described[name] = " ".join(about.split())
        elif title == "Returns":
            described["result"] = " ".join(body.split())
    return sections[0].strip(), described
