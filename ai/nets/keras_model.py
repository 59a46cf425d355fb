"""Architectures as Keras models; imports TensorFlow, so for worker processes only."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ai.nets.architecture import CONVOLUTION, Architecture
from ai.nets.backend import keras
from ai.nets.initial import WeightArrays


def build_model(architecture: Architecture) -> keras.Model:
    """Create the Keras model: features `[B, rows, size, C]` to logits `[B, A]`."""
    shape = (architecture.rows, architecture.size, architecture.channels)
    features = keras.Input(shape, name="features")
    answers = []
    for chain in architecture.chains:
        value = features
        for layer in chain:
            activation = None if layer is chain[-1] else "relu"
            if layer.kind == CONVOLUTION:
                value = keras.layers.Conv2D(
                    layer.outputs,
                    layer.kernel,
                    padding="same",
                    activation=activation,
                    kernel_initializer="he_uniform",
                    name=layer.name,
                )(value)
            else:
                if len(value.shape) > 2:
                    value = keras.layers.Flatten()(value)
                value = keras.layers.Dense(
                    layer.outputs,
                    activation=activation,
                    kernel_initializer="he_uniform",
                    name=layer.name,
                )(value)
        answers.append(keras.layers.Flatten()(value) if len(value.shape) > 2 else value)
    logits = answers[0] if len(answers) == 1 else keras.layers.Add()(answers)
    return keras.Model(features, logits, name=architecture.layout.replace("-", "_"))


def set_weights(
    model: keras.Model, architecture: Architecture, weights: Mapping[str, NDArray[np.float32]]
) -> None:
    """Set the model's variables."""
    for layer in architecture.layers:
        kernel, bias = model.get_layer(layer.name).variables
        kernel.assign(weights[f"{layer.name}.kernel"])
        bias.assign(weights[f"{layer.name}.bias"])


def get_weights(model: keras.Model, architecture: Architecture) -> WeightArrays:
    """Return the model's variables as arrays by name."""
    weights: WeightArrays = {}
    for layer in architecture.layers:
        kernel, bias = model.get_layer(layer.name).variables
        weights[f"{layer.name}.kernel"] = np.array(kernel.numpy(), np.float32)
        weights[f"{layer.name}.bias"] = np.array(bias.numpy(), np.float32)
    return weights
