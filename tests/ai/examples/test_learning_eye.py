"""The learning eye's network: it learns, and the script's own forward pass is Keras's."""

from __future__ import annotations

import numpy as np

from scripts.examples.learning_eye import NAMES, SIDE, convolve, train


def test_it_learns_and_its_convolution_is_that_of_keras():
    import keras

    rng = np.random.default_rng(3)
    labels = rng.integers(0, len(NAMES), 64)
    pictures = rng.integers(0, 40, (64, SIDE, SIDE, 3)).astype(np.uint8)
    for picture, label in zip(pictures, labels, strict=True):
        picture[8 * label : 8 * label + 8] += 180  # a bright band at the shape's own height
    weights = train.function(pictures, labels, [], 8, 0)
    again = train.function(pictures, labels, [], 8, 0)
    assert all(np.array_equal(first, second) for first, second in zip(weights, again, strict=True))

    first, first_bias, second, second_bias, dense, dense_bias = weights
    seen = pictures[:6].astype(np.float32) / np.float32(255.0) - np.float32(0.5)
    small = seen[:, :11, :11]
    expected = keras.ops.relu(keras.ops.conv(small, first, strides=2, padding="valid") + first_bias)
    mine = np.stack([convolve.function(picture, first, first_bias) for picture in small])
    np.testing.assert_allclose(mine, np.asarray(expected), rtol=1e-3, atol=1e-5)

    deep = keras.ops.relu(keras.ops.conv(seen, first, strides=2, padding="valid") + first_bias)
    deep = keras.ops.relu(keras.ops.conv(deep, second, strides=2, padding="valid") + second_bias)
    values = np.asarray(deep).reshape(6, -1) @ dense + dense_bias
    assert (values.argmax(axis=1) == labels[:6]).mean() > 0.8
