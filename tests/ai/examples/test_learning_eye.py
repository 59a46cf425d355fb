"""The learning eye's network: it learns, and the script's own forward pass is Keras's."""

from __future__ import annotations

import numpy as np

from scripts.examples.learning_eye import NAMES, SIDE, convolve, train, varied


def test_it_learns_and_its_convolution_is_that_of_keras():
    import keras

    rng = np.random.default_rng(3)
    labels = rng.integers(0, len(NAMES), 64)
    pictures = rng.integers(0, 40, (64, SIDE, SIDE, 3)).astype(np.uint8)
    for picture, label in zip(pictures, labels, strict=True):
        edge = 3 * (label + 1)  # of a bright square: as large however the picture is turned
        picture[16 - edge : 16 + edge, 16 - edge : 16 + edge] += 180
    weights = train.function(pictures, labels, [], 8, 0)
    again = train.function(pictures, labels, [], 8, 0)
    assert all(np.array_equal(first, second) for first, second in zip(weights, again, strict=True))

    first, first_bias, *_, dense, dense_bias = weights
    seen = pictures[:6].astype(np.float32) / np.float32(255.0) - np.float32(0.5)
    small = seen[:, :11, :11]
    expected = keras.ops.relu(keras.ops.conv(small, first, strides=2, padding="valid") + first_bias)
    mine = np.stack([convolve.function(picture, first, first_bias) for picture in small])
    np.testing.assert_allclose(mine, np.asarray(expected), rtol=1e-3, atol=1e-5)

    deep = seen
    for kernel, bias in zip(weights[:-2:2], weights[1:-2:2], strict=True):
        deep = keras.ops.relu(keras.ops.conv(deep, kernel, strides=2, padding="valid") + bias)
    values = np.asarray(deep).reshape(6, -1) @ dense + dense_bias
    assert (values.argmax(axis=1) == labels[:6]).mean() > 0.8


def test_varied_pictures_keep_their_shape_in_other_colours_and_turns():
    picture = np.zeros((SIDE, SIDE, 3), np.uint8)
    picture[:8, :4] = (10, 20, 30)
    made = varied(np.array([picture] * 64), np.random.default_rng(1))
    assert made.shape == (64, SIDE, SIDE, 3)
    assert (made.any(axis=3).sum(axis=(1, 2)) == 32).all()
    assert len({tuple(np.unique(one, axis=None)) for one in made}) == 1
    assert len({one.tobytes() for one in made}) > 30, "8 ways to lie, 6 to be coloured"
