"""Writes a network as an ONNX model: operators, constants, and what its numbers mean.

ONNX is the format in which programs hand networks to each other (https://onnx.ai). Unity's Sentis
takes operator set 15 at most, and not all operators. So a graph has operator set 15, and only the
operators of `OPERATORS`.

The package `onnx` is imported only when a model is made.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from base.errors import GoishiError
from base.files import atomic_write

SUFFIX: Final = ".onnx"
OPSET: Final = 15
"""Version of the operators; Unity's Sentis takes 7 to 15."""
IR_VERSION: Final = 8
"""Version of the file's own form, the one that goes with the operators of version 15."""
PRODUCER: Final = "Goishi"
DOMAIN: Final = "goishi"
BATCH: Final = "batch"
"""Name of the first dimension of inputs and outputs, which may have any length."""
PACKAGE: Final = (
    "expected the package onnx, which writes ONNX files "
    "(pip install onnx, or goishi[export]), found none"
)
OPERATORS: Final = frozenset(
    {
        "Abs", "Add", "ArgMax", "Cast", "Clip", "Concat", "Conv", "CumSum", "Div", "Flatten",
        "Gather", "GlobalAveragePool", "GlobalMaxPool", "MatMul", "Max", "Min", "Mul", "Neg", "Pad",
        "ReduceMax", "ReduceMean", "ReduceMin", "ReduceSum", "Relu", "Reshape", "Slice", "Softmax",
        "Sub", "Tanh", "Transpose",
    }
)  # fmt: skip
"""The operators that a graph may have; all of them are in Sentis' list of supported operators."""

Dimensions: TypeAlias = Sequence[int | str]
"""Lengths of an array's axes; a name stands for any length."""


class ExchangeError(GoishiError, ValueError):
    """A network cannot be written for other programs; the message says why."""


class OnnxGraph:
    """A model that is being built, operator by operator; values are known by their names."""

    def __init__(self, name: str, description: str) -> None:
        """Begin an empty model.

        Args:
            name: name of the model.
            description: what it is, for people.
        """
        self.name = name
        self.description = description
        self.operators: list[str] = []
        """Names of the operators so far, in their order."""
        self.facts: dict[str, str] = {}
        """Metadata of the model, by key."""
        self._nodes: list[tuple[str, tuple[str, ...], str, dict[str, Any]]] = []
        self._constants: dict[str, NDArray[Any]] = {}
        self._inputs: list[tuple[str, str, Dimensions, str]] = []
        self._outputs: list[tuple[str, str, Dimensions, str]] = []
        self._renamed: dict[str, str] = {}  # a value that is an output has the output's name

    def input(self, name: str, shape: Dimensions, meaning: str) -> str:
        """Add an input of float32 numbers; return its name.

        Args:
            name: name of the input.
            shape: lengths of its axes.
            meaning: what its numbers are, with order, units and bounds.
        """
        self._inputs.append((name, "float32", shape, meaning))
        return name

    def output(
        self, value: str, name: str, shape: Dimensions, meaning: str, *, dtype: str = "float32"
    ) -> None:
        """Make a value an output of the model.

        Args:
            value: name of the value.
            name: name of the output.
            shape: lengths of its axes.
            meaning: what its numbers are, with order, units and bounds.
            dtype: "float32" or "int64".
        """
        self._renamed[value] = name
        self._outputs.append((name, dtype, shape, meaning))

    def constant(self, array: ArrayLike) -> str:
        """Add an array of numbers; return its name. Whole numbers become int64, others float32."""
        numbers = np.asarray(array)
        name = f"constant_{len(self._constants)}"
        kind = np.int64 if numbers.dtype.kind in "iu" else np.float32
        self._constants[name] = np.ascontiguousarray(numbers, kind).reshape(numbers.shape)
        return name

    def add(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """Apply an operator; return the name of its result.

        Args:
            operator: name of the operator, one of `OPERATORS`.
            inputs: names of its inputs.
            attributes: its attributes by name.

        Raises:
            ValueError: the operator is not in `OPERATORS`.
        """
        if operator not in OPERATORS:
            raise ValueError(f"operator: expected one that Sentis takes, found {operator}")
        made = f"{operator.lower()}_{len(self._nodes)}"
        self._nodes.append((operator, inputs, made, attributes))
        self.operators.append(operator)
        return made

    def dense(self, value: str, weights: NDArray[Any], biases: NDArray[Any]) -> str:
        """Apply a dense layer to `[batch, in]`; return `[batch, out]`.

        Args:
            value: name of the input.
            weights: `[in, out]`.
            biases: `[out]`.
        """
        product = self.add("MatMul", value, self.constant(weights))
        return self.add("Add", product, self.constant(biases))

    def convolution(
        self,
        value: str,
        kernel: NDArray[Any],
        biases: NDArray[Any],
        *,
        stride: int = 1,
        padding: int = 0,
    ) -> str:
        """Apply a convolution to `[batch, in, h, w]`; return `[batch, out, h', w']`.

        Args:
            value: name of the input.
            kernel: `[h, w, in, out]`.
            biases: `[out]`.
            stride: distance from one place of the kernel to the next.
            padding: width of the border of zeros.
        """
        return self.add(
            "Conv",
            value,
            self.constant(np.transpose(kernel, (3, 2, 0, 1))),
            self.constant(biases),
            kernel_shape=list(kernel.shape[:2]),
            strides=[stride, stride],
            pads=[padding] * 4,
        )

    def reshaped(self, value: str, shape: Sequence[int]) -> str:
        """Return a value in another shape, in which one axis may be -1."""
        return self.add("Reshape", value, self.constant(np.array(shape, np.int64)))

    def cast(self, value: str, dtype: str) -> str:
        """Return a value as numbers of another type, "float32" or "int64"."""
        return self.add("Cast", value, to=_kinds()[dtype])

    def model(self) -> Any:
        """Return the model as an `onnx.ModelProto`, checked by `onnx.checker`.

        Raises:
            ExchangeError: the package onnx is missing.
        """
        onnx = _package()
        helper = onnx.helper
        named = self._renamed
        nodes = [
            helper.make_node(
                operator, [named.get(key, key) for key in inputs], [named.get(made, made)], **more
            )
            for operator, inputs, made, more in self._nodes
        ]
        graph = helper.make_graph(
            nodes,
            self.name,
            [self._declared(each) for each in self._inputs],
            [self._declared(each) for each in self._outputs],
            [onnx.numpy_helper.from_array(array, key) for key, array in self._constants.items()],
            doc_string=self.description,
        )
        model = helper.make_model(
            graph,
            producer_name=PRODUCER,
            producer_version=self.facts.get("goishi.version", ""),
            opset_imports=[helper.make_opsetid("", OPSET)],
            ir_version=IR_VERSION,
            domain=DOMAIN,
            model_version=1,
            doc_string=self.description,
        )
        helper.set_model_props(model, self._all_facts())
        onnx.checker.check_model(model, full_check=True)
        return model

    def write(self, path: Path) -> int:
        """Write the model to a file, replacing one that is there; return its size in bytes.

        Raises:
            ExchangeError: the package onnx is missing.
            OSError: the file cannot be written.
        """
        content: bytes = self.model().SerializeToString(deterministic=True)
        atomic_write(path, content)
        return len(content)

    def lines(self) -> list[str]:
        """Return a line for each input and output that says its form and what it means."""
        return [
            f"{side} {name}: {dtype} [{', '.join(map(str, shape))}]: {meaning}"
            for side, values in (("input", self._inputs), ("output", self._outputs))
            for name, dtype, shape, meaning in values
        ]

    def _declared(self, value: tuple[str, str, Dimensions, str]) -> Any:
        name, dtype, shape, meaning = value
        helper = _package().helper
        return helper.make_tensor_value_info(name, _kinds()[dtype], list(shape), meaning)

    def _all_facts(self) -> dict[str, str]:
        """Return the metadata, with what each input and output means."""
        facts = dict(self.facts)
        for key, values in (("inputs", self._inputs), ("outputs", self._outputs)):
            listed = [
                {"name": name, "dtype": dtype, "shape": list(shape), "meaning": meaning}
                for name, dtype, shape, meaning in values
            ]
            facts[f"goishi.{key}"] = json.dumps(listed, ensure_ascii=False)
        return facts


def told(facts: Mapping[str, object]) -> dict[str, str]:
    """Return facts as metadata of a model: keys that begin with "goishi.", values as text or JSON.

    Args:
        facts: values by key; those that are no text are written as JSON.
    """
    return {
        f"goishi.{key}": value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for key, value in facts.items()
    }


def _package() -> Any:
    try:
        import onnx
    except ImportError:
        raise ExchangeError(PACKAGE) from None
    return onnx


def _kinds() -> dict[str, int]:
    """Return ONNX's number of each type of numbers that is used here."""
    types = _package().TensorProto
    return {"float32": types.FLOAT, "int64": types.INT64}


__all__ = ["BATCH", "OPERATORS", "OPSET", "SUFFIX", "ExchangeError", "OnnxGraph", "told"]
