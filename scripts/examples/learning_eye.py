"""An eye that learns shapes: a small Keras network, trained on pictures of its own scene."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim import SceneObject, Script, compiled, field, job

Array = NDArray[Any]
SIDE = 32
SHAPES: dict[str, tuple[dict[str, Any], float]] = {  # model, scale
    "box": ({"builtin": "box", "size": 1.25}, 1.0),
    "ball": ({"builtin": "sphere", "radius": 0.8}, 1.0),
    "can": ({"builtin": "cylinder", "radius": 0.55, "height": 1.3}, 1.0),
    "stone": ({"builtin": "stone", "color": "white"}, 2.0),
}
NAMES = tuple(SHAPES)


@job
def train(pictures: Array, labels: Array, weights: list[Array], epochs: int, seed: int) -> Any:
    """Train on pictures uint8 `[n, 32, 32, 3]` with labels int `[n]`; return the new weights."""
    import keras

    keras.utils.set_random_seed(seed)
    first, second = (keras.layers.Conv2D(n, 3, strides=2, activation="relu") for n in (8, 16))
    last = (keras.layers.Flatten(), keras.layers.Dense(len(NAMES)))
    model = keras.Sequential([keras.Input((SIDE, SIDE, 3)), first, second, *last])
    model.set_weights(weights or model.get_weights())
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(2e-3), loss, metrics=["accuracy"])
    scaled = pictures.astype(np.float32) / 255.0 - 0.5
    for epoch in range(epochs):
        history = model.fit(scaled, labels, batch_size=32, verbose=0).history
        job.progress((epoch + 1) / epochs, {name: item[-1] for name, item in history.items()})
    return model.get_weights()


@compiled
def convolve(source: Array, kernel: Array, bias: Array) -> Array:
    """Return a 3x3 convolution in steps of two, cut at zero: `[h, w, c]` to `[h/2, w/2, k]`."""
    high, wide = (source.shape[0] - 1) // 2, (source.shape[1] - 1) // 2
    result = np.zeros((high, wide, kernel.shape[3]), np.float32)
    for y, x, k in np.ndindex(high, wide, kernel.shape[3]):
        total = bias[k]
        for i, j, c in np.ndindex(3, 3, kernel.shape[2]):
            total += source[2 * y + i, 2 * x + j, c] * kernel[i, j, c, k]
        result[y, x, k] = max(total, np.float32(0.0))
    return result


class LearningEye(Script):
    """Looks at a shape that turns, guesses what it is, and learns in the background."""

    thing: SceneObject | None = field(None, help="The object that takes the shapes")
    sign: SceneObject | None = field(None, help="Where the guess is written")
    lesson: int = field(96, min=16, max=5000, help="New pictures before each training")
    epochs: int = field(4, min=1, max=100, help="Passes over the pictures in a training")

    def start(self) -> None:
        """Begin with an empty memory."""
        self.pictures: deque[tuple[Array, int]] = deque(maxlen=1200)
        self.hits: deque[float] = deque(maxlen=60)
        self.weights: list[Array] = []
        self.label, self.left, self.seen, self.lessons = 0, 0.0, 0, 0
        self.chances = np.full(len(NAMES), 1.0 / len(NAMES))
        self.panel("Learning eye", self.draw, icon="eye")
        if self.thing is not None and self.run.graphics:
            self.write_sign()
            self.start_coroutine(self.learn())

    def update(self, dt: float) -> None:
        """Turn the shape, take a picture, guess."""
        if self.thing is None or not self.run.graphics:
            return
        self.left -= dt
        if self.left <= 0.0:
            self.show_another(self.thing)
        self.thing.transform.rotation = tuple(self.thing.transform.rotation + self.turning * dt)
        picture = self.scene.camera.image(width=SIDE, height=SIDE, camera=self.object)
        if self.weights:
            self.guess(picture)
        self.pictures.append((picture, self.label))
        self.seen += 1

    def show_another(self, thing: SceneObject) -> None:
        """Take another shape, place and colour."""
        self.left = 0.7
        self.label = int(self.rng.integers(len(NAMES)))
        self.turning = self.rng.uniform(-110.0, 110.0, 3)
        thing.model, scale = SHAPES[NAMES[self.label]]
        thing.material = {"color": self.rng.uniform(0.15, 0.95, 3).tolist(), "roughness": 0.35}
        thing.transform.position = tuple(self.rng.uniform((-0.25, -0.25, 1.15), (0.25, 0.25, 1.5)))
        thing.transform.rotation = tuple(self.rng.uniform(0.0, 360.0, 3))
        thing.transform.scale = (scale, scale, scale)

    def guess(self, picture: Array) -> None:
        """Let the network say what it sees, before it learns from the picture."""
        first, first_bias, second, second_bias, dense, dense_bias = self.weights
        seen = picture.astype(np.float32) / np.float32(255.0) - np.float32(0.5)
        if not convolve.is_compiled:  # ask for machine code with a small picture
            convolve(seen[:3, :3].copy(), first, first_bias)
            return
        features = convolve(convolve(seen, first, first_bias), second, second_bias)
        values = features.ravel() @ dense + dense_bias
        powers = np.exp(values - values.max())
        self.chances = powers / powers.sum()
        self.hits.append(float(self.chances.argmax() == self.label))
        self.metrics.log("right of the last 60", float(np.mean(self.hits)))
        self.write_sign()

    async def learn(self) -> None:
        """Train again and again, on what was seen lately."""
        while True:
            self.goal = self.seen + self.lesson
            await self.until(lambda: self.seen >= self.goal)
            pictures, labels = map(np.array, zip(*self.pictures, strict=True))
            call = train(pictures, labels, self.weights, self.epochs, self.lessons)
            self.weights = await self.background(call, self.heard)
            self.lessons += 1

    def heard(self, fraction: float, values: dict[str, float]) -> None:
        """Keep what a training tells."""
        self.metrics.log("loss", values["loss"])

    def write_sign(self) -> None:
        """Write the chances above the shape: the guess in green, a wrong one in red."""
        import cv2  # not at the top: a run without graphics does without

        if self.sign is None:
            return
        picture = np.full((200, 512, 3), (30, 26, 24), np.uint8)
        best, face = int(self.chances.argmax()) if self.hits else -1, cv2.FontFace("sans")
        for row, (name, chance) in enumerate(zip(NAMES, self.chances, strict=True)):
            bright = (120, 220, 130) if best == self.label else (80, 80, 235)
            color, y = bright if row == best else (110, 110, 110), 14 + 46 * row
            cv2.putText(picture, name, (20, y + 30), color, face, 32, 500)
            cv2.rectangle(picture, (130, y + 8), (130 + int(chance * 360), y + 30), color, -1)
        self.sign.texture = picture

    def draw(self, ui: Any) -> None:
        """Draw the panel."""
        ui.muted_text(f"{self.seen} pictures seen, {self.lessons} trainings")
        for title, color in (("right of the last 60", "green"), ("loss", "amber")):
            ui.chart(title, [(title, color, *self.metrics.series(title))])
