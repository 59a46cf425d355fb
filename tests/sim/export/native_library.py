"""Calls exported libraries by `ctypes` as their headers say, for the tests."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import numpy as np

from sim.core.native.exported import Signature

NUMBERS = {"int": ctypes.c_int64, "float": ctypes.c_double, "bool": ctypes.c_int32}


class ExportError(Exception):
    """A function returned a code; the arguments are the code and the text."""


class NativeLibrary:
    """A library without Python, called with numbers and arrays.

    Args:
        path: the library.
        name: name of the export.
    """

    def __init__(self, path: Path, name: str) -> None:
        self.library = ctypes.CDLL(str(path))
        self.name = name
        self.last_error = getattr(self.library, f"{name}_last_error")
        self.last_error.restype = ctypes.c_char_p

    def __call__(self, signature: Signature, *values: Any, capacity: int = 1000) -> Any:
        """Call a function and return its result.

        Raises:
            ExportError: it returned a code.
        """
        function = getattr(self.library, f"{self.name}_{signature.name}")
        given: list[Any] = []
        for kind, value in zip(signature.parameters, values, strict=True):
            if kind.kind == "array":
                assert value.dtype == kind.dtype
                assert value.flags.c_contiguous
                given += [value.ctypes.data_as(ctypes.c_void_p), *map(ctypes.c_int64, value.shape)]
            else:
                given.append(NUMBERS[kind.kind](value))
        result = signature.result
        if result is None:
            return self.checked(function(*given))
        if result.kind != "array":
            place = NUMBERS[result.kind]()
            self.checked(function(*given, ctypes.byref(place)))
            return bool(place.value) if result.kind == "bool" else place.value
        found = np.full(capacity, 77, result.dtype)
        sizes = [ctypes.c_int64() for _ in result.sizes]
        places = map(ctypes.byref, sizes)
        given += [found.ctypes.data_as(ctypes.c_void_p), ctypes.c_int64(capacity), *places]
        self.checked(function(*given))
        shape = [size.value for size in sizes]
        return found[: int(np.prod(shape))].reshape(shape)

    def checked(self, code: int) -> None:
        """Raise an error for a code other than 0."""
        text = self.last_error().decode("utf-8")
        if code:
            raise ExportError(code, text)
        assert text == ""
