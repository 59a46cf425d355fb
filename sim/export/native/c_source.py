"""The C half of a library without Python: its header, and functions that check what they get."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final

from sim.core.native.exported import ExportedType, Signature
from sim.export.library import (
    ERROR_CODES,
    SCALAR_TYPES,
    TAIL,
    Argument,
    arguments_of,
    c_name,
    declaration,
    function_text,
    item_type,
)
from sim.export.native.entries import TOO_SMALL, WRONG_RESULT, door_name

CODES: Final = (
    "OK", "NULL_POINTER", "WRONG_SHAPE", "SCRIPT_FAILED", "WRONG_RESULT", "BUFFER_TOO_SMALL",
)  # fmt: skip
"""The codes of `library.ERROR_CODES` that a library without Python returns."""


@dataclass(frozen=True, slots=True)
class NativeLibrary:
    """Contents of a library without Python.

    Attributes:
        name: name of the library, a C identifier, with which every symbol begins.
        module: module name of the script.
        functions: signatures of the exported functions.
    """

    name: str
    module: str
    functions: tuple[Signature, ...]


_HEAD: Final = """\
/** @file {name}.h
 * C interface of the Python script {module}, written by Goishi.
 *
 * The library is machine code alone: it needs no Python, no start and no end. Every function
 * returns GOISHI_OK (0) or a negative error code; results are put where the arguments point, and
 * on an error these places are left as they were (only the sizes are told for
 * GOISHI_BUFFER_TOO_SMALL). All functions may be called from any thread, several at a time.
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

/** Say what went wrong in this thread's last call, in UTF-8; empty when it went well. The text is
 *  a constant. */
const char *{name}_last_error(void);
"""


def header_text(library: NativeLibrary) -> str:
    """Return the text of a library's C header."""
    codes = [
        f"    {f'GOISHI_{name} = {ERROR_CODES[name][0]},':34}/**< {ERROR_CODES[name][1]} */"
        for name in CODES
    ]
    head = _HEAD.format(
        name=library.name,
        module=library.module,
        guard=f"{library.name.upper()}_H",
        codes="\n".join(codes),
    )
    return head + "".join(function_text(library.name, one) for one in library.functions) + TAIL


_START: Final = """\
#include "{name}.h"
#include <stddef.h>

#if defined(_WIN32)
#define PUBLIC __declspec(dllexport)
#else
#define PUBLIC __attribute__((visibility("default")))
#endif

typedef struct {{ const char *text; }} Error;

static _Thread_local const char *last_error = "";

PUBLIC const char *{name}_last_error(void) {{ return last_error; }}

static int32_t done(int32_t code, const char *text) {{
    last_error = text;
    return code;
}}
"""
_FUNCTION: Final = """
int32_t {door}({parameters});

PUBLIC {declaration} {{
    int64_t code = 0;
    const Error *error = NULL;
{before}
    if ({door}({arguments}) != 0)
        return done(GOISHI_SCRIPT_FAILED, error && error->text ? error->text : "{name}: failed");
{after}
    return done(GOISHI_OK, "");
}}
"""


def c_text(library: NativeLibrary) -> str:
    """Return the C source of a library's functions."""
    head = _START.format(name=library.name)
    return head + "".join(
        _function(library.name, index, function) for index, function in enumerate(library.functions)
    )


class _Wrapper:
    """Collects the C lines of one function, around the call of its door.

    Args:
        function: signature of the function.
    """

    def __init__(self, function: Signature) -> None:
        self.name = function.name
        self.before: list[str] = []
        self.after: list[str] = []
        self.types = ["int64_t *", "const Error **"]
        self.arguments = ["&code", "&error"]

    def refuse(self, condition: str, code: str, text: str) -> None:
        """Return an error code where a condition holds."""
        said = json.dumps(f"{self.name}: {text}")
        self.before += [f"    if ({condition})", f"        return done(GOISHI_{code}, {said});"]

    def give(self, kind: str, value: str) -> None:
        """Pass a value to the door."""
        self.types.append(kind)
        self.arguments.append(value)


def _function(prefix: str, index: int, function: Signature) -> str:
    wrapper = _Wrapper(function)
    for value in function.parameters:
        _take(wrapper, value)
    if function.result is not None:
        _give_back(wrapper, function.result, arguments_of(function))
    return _FUNCTION.format(
        door=door_name(index),
        parameters=", ".join(wrapper.types),
        declaration=declaration(prefix, function),
        before="\n".join(wrapper.before),
        arguments=", ".join(wrapper.arguments),
        name=function.name,
        after="\n".join(wrapper.after),
    )


def _take(wrapper: _Wrapper, value: ExportedType) -> None:
    """Add the checks of a parameter, and pass it on."""
    name = c_name(value.name)
    if value.kind != "array":
        kind = SCALAR_TYPES[value.kind]
        wrapper.give(kind, f"{name} != 0" if value.kind == "bool" else name)
        return
    count = []
    for number, size in enumerate(value.sizes):
        given = f"{value.name}_size{number}"
        wanted = "0 or more" if size is None else str(size)
        wrapper.refuse(
            f"{given} < 0" if size is None else f"{given} != {size}",
            "WRONG_SHAPE",
            f"{value.name}: expected size {wanted} in dimension {number}",
        )
        count.append(f"{given} > 0")
    wrapper.refuse(
        f"!{name} && {' && '.join(count)}",
        "NULL_POINTER",
        f"{value.name}: expected a pointer, found NULL",
    )
    constant = "" if value.is_written else "const "
    wrapper.give(f"{constant}{item_type(value.dtype)} *", name)
    for number in range(len(value.sizes)):
        wrapper.give("int64_t", f"{value.name}_size{number}")


def _give_back(wrapper: _Wrapper, value: ExportedType, arguments: tuple[Argument, ...]) -> None:
    """Add the checks of the place of a result, and what is done with it after the call."""
    name = c_name(value.name)
    sizes = max(len(value.sizes), 1)
    wrapper.before.insert(0, f"    int64_t sizes[{sizes}] = {{0}};")
    if value.kind != "array":
        kind = SCALAR_TYPES[value.kind]
        wrapper.before.insert(0, f"    {kind} found = 0;")
        wrapper.refuse(f"!{name}", "NULL_POINTER", f"{name}: expected a pointer, found NULL")
        wrapper.after.append(f"    *{name} = found;")
        wrapper.give(f"{kind} *", "&found")
        wrapper.give("int64_t", "1")
    else:
        capacity = f"{value.name}_capacity"
        wrapper.refuse(f"{capacity} < 0", "BUFFER_TOO_SMALL", f"{capacity}: expected 0 or more")
        wrapper.refuse(
            f"!{name} && {capacity} > 0",
            "NULL_POINTER",
            f"{name}: expected a pointer, found NULL",
        )
        _check_sizes(wrapper, value, arguments)
        wrapper.give(f"{item_type(value.dtype)} *", name)
        wrapper.give("int64_t", capacity)
    wrapper.give("int64_t *", "sizes")


def _check_sizes(wrapper: _Wrapper, value: ExportedType, arguments: tuple[Argument, ...]) -> None:
    """Add what is done with the sizes of an array after the call."""
    wanted = str(value).partition(": ")[2]
    wrong, small = (json.dumps(f"{wrapper.name}: {text}") for text in (
        f"expected the result {wanted}, found other sizes",
        "the result does not fit; its sizes are reported",
    ))  # fmt: skip
    wrapper.after += [
        f"    if (code == {WRONG_RESULT})",
        f"        return done(GOISHI_WRONG_RESULT, {wrong});",
    ]
    for number, argument in enumerate(arguments[-len(value.sizes) :]):
        wrapper.after.append(f"    if ({argument.name}) *{argument.name} = sizes[{number}];")
    wrapper.after += [
        f"    if (code == {TOO_SMALL})",
        f"        return done(GOISHI_BUFFER_TOO_SMALL, {small});",
    ]
