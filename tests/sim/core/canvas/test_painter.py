"""What the painter that paints nothing answers, for runs without a picture."""

from __future__ import annotations

import numpy as np

from sim.core.canvas.painter import Font, Painter


def test_its_pictures_have_the_shapes_that_a_painters_have():
    painter = Painter()
    assert painter.read("a.png").shape == (1, 1, 4)
    assert painter.colored(np.zeros((2, 5), np.uint8), "fire").shape == (2, 5, 3)
    font = Font(10.0, 400)
    assert painter.text_width("abcd", font) == 2 * painter.text_width("ab", font)
