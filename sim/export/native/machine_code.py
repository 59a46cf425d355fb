"""Machine code of functions for another machine: numba without its runtime and without Python.

Numba compiles for the processor that it runs on. `use_machine` gives it another one. It is for a
process that does nothing else: every function that numba compiles afterwards is for that machine.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import llvmlite.binding as llvm
from llvmlite import ir
from numba.core import codegen
from numba.core.compiler_lock import global_compiler_lock
from numba.core.pythonapi import PythonAPI
from numba.core.registry import cpu_target

from sim.export.native.targets import Machine

OPTIMISATION: Final = 2
NEW_ARRAY: Final = re.compile(r"NRT_MemInfo_alloc(_safe)?(_aligned)?|NRT_Allocate")
"""Names of the functions that numba's code calls for memory; the first argument is the size."""
OURS: Final = frozenset(
    {
        "NRT_Free",
        "NRT_MemInfo_call_dtor",
        "numba_attempt_nocopy_reshape",
        "memcpy",
        "memmove",
        "memset",
    }
)
"""What a library may call besides functions of `math.h`: `arrays.c` has them, or every system."""
_MATH: Final = (
    "acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 "
    "fabs floor fma fmax fmin fmod hypot ldexp lgamma log log10 log1p log2 nextafter pow rint "
    "round sin sinh sqrt tan tanh tgamma trunc"
)
MATH: Final = frozenset(name + kind for name in _MATH.split() for kind in ("", "f"))


class _Codegen(codegen.AOTCPUCodegen):  # type: ignore[misc]
    """Numba's code generator for one machine, which need not be this one."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        super().__init__("goishi")

    def _init(self, llvm_module: Any) -> None:
        self._tm_features = ""
        self._tm = _target_machine(self._machine)
        self._target_data = self._tm.target_data
        self._data_layout = str(self._target_data)
        self._loopvect = False
        self._opt_level = 0
        self._engine = None

    def _create_empty_module(self, name: str) -> Any:
        module = super()._create_empty_module(name)
        module.triple = self._machine.triple
        return module


def _target_machine(machine: Machine) -> Any:
    target = llvm.Target.from_triple(machine.triple)
    return target.create_target_machine(
        cpu=machine.cpu, opt=OPTIMISATION, reloc="pic", codemodel="default"
    )


def use_machine(machine: Machine, error_text: Callable[[Any], str]) -> None:
    """Let numba compile for a machine from now on.

    Args:
        machine: the machine.
        error_text: returns the text of an exception that code may raise, from numba's description
            of it. The code carries this text in place of a pickle.
    """
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    context = cpu_target.target_context
    context._internal_codegen = _Codegen(machine)
    context.aot_mode = True
    context.get_executable = _no_executable
    PythonAPI.serialize_object = lambda self, described: _text_constant(self, error_text(described))


def _no_executable(*_: object) -> Callable[..., object]:
    """Return a new function object: numba wants one for each function, but never calls it here."""
    return [].append


def _text_constant(api: Any, text: str) -> Any:
    """Return numba's structure for an exception, with a text that ends with a zero byte.

    Args:
        api: numba's access to the module that it writes.
        text: the text.
    """
    data = bytearray(text.encode("utf-8") + b"\0")
    digest = hashlib.sha256(data).hexdigest()[:16]
    letters = ir.Constant(ir.ArrayType(ir.IntType(8), len(data)), data)
    constant = api.context.insert_unique_const(api.module, f"goishi.text.{digest}", letters)
    null = ir.Constant(ir.IntType(8).as_pointer(), None)
    zero = ir.Constant(ir.IntType(32), 0)
    fields = [constant.bitcast(null.type), zero, null, null, zero]
    structure = ir.Constant.literal_struct(fields)
    return api.context.insert_unique_const(api.module, f"goishi.error.{digest}", structure)


def finished_module(library: Any) -> Any:
    """Return the LLVM module of a function that numba compiled, with all that it calls inside."""
    with global_compiler_lock:
        if not library._finalized:
            library.finalize()
    text = str(library._get_module_for_linking())
    return llvm.parse_assembly(_RESHAPE.sub(_RESHAPE_READS, text))


_RESHAPE: Final = re.compile(r"declare i32 @numba_attempt_nocopy_reshape\([^\n]*")
_READ: Final = "ptr readonly captures(none)"
_RESHAPE_READS: Final = (
    f"declare i32 @numba_attempt_nocopy_reshape(i64, {_READ}, {_READ}, i64, {_READ}, "
    "ptr captures(none), i64, i32) nounwind memory(argmem: readwrite)"
)
"""Says that the function leaves the new sizes as they are: so LLVM goes on knowing them."""


def optimise(module: Any, machine: Machine, keep: Sequence[str]) -> None:
    """Make everything private but some functions, drop what is unused, and optimise the rest.

    Args:
        module: the LLVM module, which is changed.
        machine: the machine.
        keep: names of the functions that C calls.
    """
    for function in module.functions:
        if not function.is_declaration and function.name not in keep:
            function.linkage = "internal"
    for variable in module.global_variables:
        if not variable.is_declaration:
            variable.linkage = "internal"  # `common`, which WebAssembly has not
    target = _target_machine(machine)
    options = llvm.create_pipeline_tuning_options(speed_level=OPTIMISATION)
    builder = llvm.create_pass_builder(target, options)
    builder.getModulePassManager().run(module, builder)
    module.verify()


def object_code(module: Any, machine: Machine) -> bytes:
    """Return a module as an object file of the machine."""
    code: bytes = _target_machine(machine).emit_object(module)
    return code


def need_of(module: Any) -> str:
    """Return what a module needs that a library without Python has not, in plain words.

    Args:
        module: the module, optimised.

    Returns:
        The one of several needs that tells most; "" if there is none.
    """
    found = set(_needs(module))
    known = [words for _, words in _WORDS if words in found]
    return (known or sorted(found) or [""])[0]


def _needs(module: Any) -> Iterator[str]:
    for function in module.functions:
        if function.is_declaration and not function.name.startswith("llvm."):
            name = str(function.name)
            if not (name in OURS or name in MATH or NEW_ARRAY.fullmatch(name)):
                yield _in_words(name)
    if any(one.name.startswith("numba.dynamic") for one in module.global_variables):
        yield _OBJECT
    if any(_is_open_ended(call) for call in _calls(module)):
        yield "an array whose size is not known when it is exported"


LINEAR_ALGEBRA: Final = "linear algebra (`@`, `np.dot`, `np.linalg`): write its loops"


def _in_words(name: str) -> str:
    for pattern, words in _WORDS:
        if re.match(pattern, name):
            return words
    return f"{name}, a part of numba's runtime"


_OBJECT: Final = "a Python object, a text or `print`"
_WORDS: Final = (
    (r"numba_xx|numba_ez|numba_raw_", LINEAR_ALGEBRA),
    (r"numba_rnd|numba_get_\w*random|numba_get_py_random", "random numbers"),
    (r"numba_dict|numba_set", "a dict or a set"),
    (r"_?Py|numba_gil|numba_unpickle|numba_runtime|printf", _OBJECT),
    (r"numba_list|NRT_", "a list, as `np.sort` and `np.where` do, too"),
)
"""Words for the names of functions that a module calls; the first of them tells most."""


def _calls(module: Any) -> Iterator[Any]:
    for function in module.functions:
        for block in function.blocks:
            for instruction in block.instructions:
                if instruction.opcode in ("call", "invoke"):
                    yield instruction


def _is_open_ended(call: Any) -> bool:
    """Return whether a call asks for memory of a size that is no constant."""
    *arguments, callee = call.operands
    if not NEW_ARRAY.fullmatch(callee.name):
        return False
    return not re.fullmatch(r"i64 \d+", str(arguments[0]).strip())
