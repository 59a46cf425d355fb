"""The exported functions as C source, for platforms whose libraries we do not write ourselves."""

from __future__ import annotations

import platform
import sys
from pathlib import Path
from typing import Final

from sim.core.native.exported import Signature
from sim.export.build import COMPILE, SOURCES, compile_c, find_compiler
from sim.export.description import describe
from sim.export.header import declaration
from sim.export.library import Argument, Library, arguments_of

_START: Final = """\
#include "{name}.h"
#include <stddef.h>
#include <string.h>

int32_t goishi_shim_init(const void *library, const char *home);
int32_t goishi_shim_shutdown(const void *library);
const char *goishi_shim_last_error(void);
int32_t goishi_shim_call_slots(const void *library, uint32_t index, const uint64_t *slots);

#define PUBLIC __attribute__((visibility("default")))

static const union {{ unsigned char bytes[{size}]; uint64_t aligned; }} library = {{{{
{data}
}}}};

PUBLIC int32_t {name}_init(const char *home) {{ return goishi_shim_init(&library, home); }}
PUBLIC int32_t {name}_shutdown(void) {{ return goishi_shim_shutdown(&library); }}
PUBLIC const char *{name}_last_error(void) {{ return goishi_shim_last_error(); }}
"""


def c_text(library: Library) -> str:
    """Return the C source of a library, to be compiled with its header and the shim."""
    data = describe(library)
    rows = [", ".join(map(str, data[i : i + 20])) for i in range(0, len(data), 20)]
    start = _START.format(name=library.name, size=len(data), data=",\n".join(rows))
    functions = [
        _function(library.name, number, function)
        for number, function in enumerate(library.functions)
    ]
    return start + "".join(functions)


def _function(prefix: str, number: int, function: Signature) -> str:
    arguments = arguments_of(function)
    lines = [f"    uint64_t slots[{max(len(arguments), 1)}] = {{0}};"]
    lines += [f"    {_fill(slot, argument)}" for slot, argument in enumerate(arguments)]
    lines.append(f"    return goishi_shim_call_slots(&library, {number}, slots);")
    return "\nPUBLIC " + declaration(prefix, function) + " {\n" + "\n".join(lines) + "\n}\n"


def _fill(slot: int, argument: Argument) -> str:
    if argument.is_real:
        return f"memcpy(&slots[{slot}], &{argument.name}, sizeof {argument.name});"
    cast = "(uintptr_t)" if argument.type.endswith("*") else "(int64_t)"
    return f"slots[{slot}] = (uint64_t){cast}{argument.name};"


def compile_library(library: Library, folder: Path, target: Path, compiler: str | None) -> None:
    """Compile shim and functions into one library; `folder` must hold the header.

    Raises:
        CompilerError: there is no compiler, or it failed.
    """
    source = folder / f"{library.name}.c"
    source.write_text(c_text(library), encoding="utf-8")
    if sys.platform == "darwin":
        link = ["-dynamiclib", f"-Wl,-install_name,@rpath/{target.name}"]
    else:
        link = ["-shared", "-s", "-Wl,-z,nodelete", f"-Wl,-soname,{target.name}"]
    threads = ["-ldl", "-lpthread"] if platform.system() == "Linux" else []
    words = [
        *COMPILE,
        *link,
        f"-I{folder}",
        "-o",
        str(target),
        *map(str, SOURCES),
        str(source),
        *threads,
    ]
    try:
        compile_c(find_compiler(compiler), words)
    finally:
        source.unlink()
