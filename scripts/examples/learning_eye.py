"""An example of learning from pictures: a small Keras network that recognises shapes."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim import SceneObject, Script, Ui, compiled, field, job, tr

Array = NDArray[Any]
SIDE, SECONDS = 32, 0.5  # of a picture, pixels; that a shape is seen
SHAPES: dict[str, tuple[dict[str, Any], float]] = {  # model, scale
    "box": ({"builtin": "box", "size": 1.25}, 1.0),
    "ball": ({"builtin": "sphere", "radius": 0.8}, 1.0),
    "can": ({"builtin": "cylinder", "radius": 0.55, "height": 1.3}, 1.0),
    "stone": ({"builtin": "stone", "color": "white"}, 2.0),
}
NAMES = tuple(SHAPES)
OTHER, RIGHT, WRONG = ((0.43,) * 3, ""), ((0.51, 0.86, 0.47), " ✓"), ((0.92, 0.31, 0.31), " ✗")


def varied(pictures: Array, rng: np.random.Generator) -> Array:
    """Augment pictures by mirroring, quarter turns and colour changes."""
    mixed = [one[:: rng.choice((1, -1)), :, rng.permutation(3)] for one in pictures]
    return np.array([np.rot90(one, int(rng.integers(4))) for one in mixed])


@job
def train(pictures: Array, labels: Array, weights: list[Array], epochs: int, seed: int) -> Any:
    """Train on pictures uint8 `[n, 32, 32, 3]` with labels int `[n]`; return the new weights."""
    import keras

    keras.utils.set_random_seed(seed)
    layers = [keras.layers.Conv2D(n, 3, strides=2, activation="relu") for n in (24, 32, 64)]
    last = (keras.layers.Flatten(), keras.layers.Dense(len(NAMES)))
    model = keras.Sequential([keras.Input((SIDE, SIDE, 3)), *layers, *last])
    model.set_weights(weights or model.get_weights())
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(3e-3), loss, metrics=["accuracy"])
    rng = np.random.default_rng(seed)
    for epoch in range(epochs):
        scaled = varied(pictures, rng).astype(np.float32) / 255.0 - 0.5
        history = model.fit(scaled, labels, batch_size=32, verbose=0).history
        job.progress((epoch + 1) / epochs, {name: item[-1] for name, item in history.items()})
    return model.get_weights()


@compiled
def convolve(source: Array, kernel: Array, bias: Array) -> Array:
    """Return a 3x3 convolution with stride 2 and ReLU: `[h, w, c]` to `[h/2, w/2, k]`."""
    high, wide = (source.shape[0] - 1) // 2, (source.shape[1] - 1) // 2
    result = np.zeros((high, wide, kernel.shape[3]), np.float32)
    for y, x, k in np.ndindex(high, wide, kernel.shape[3]):
        total = bias[k]
        for i, j, c in np.ndindex(3, 3, kernel.shape[2]):
            total += source[2 * y + i, 2 * x + j, c] * kernel[i, j, c, k]
        result[y, x, k] = max(total, np.float32(0.0))
    return result


class LearningEye(Script):
    """Looks at a rotating shape, guesses its kind, and learns in the background."""

    thing: SceneObject = field(None, help="The object that takes the shapes")
    sign: SceneObject = field(None, help="Where the guess is written")
    lesson: int = field(64, min=16, max=5000, help="New pictures before each training")
    epochs: int = field(10, min=1, max=100, help="Passes over the pictures in a training")

    def start(self) -> None:
        self.pictures: deque[tuple[Array, int]] = deque(maxlen=1600)
        self.hits: deque[float] = deque(maxlen=60)
        self.weights: list[Array] = []
        self.label, self.left, self.rest, self.seen, self.lessons = 0, 0.0, 0.0, 0, 0
        self.chances = np.full(len(NAMES), 1.0 / len(NAMES))
        self.panel(tr("Learning eye"), self.draw, icon="eye")
        self.is_on = bool(self.thing and self.sign and self.run.graphics)
        if self.is_on:
            self.write_sign()
            self.start_coroutine(self.learn())

    def update(self, dt: float) -> None:
        if not self.is_on:
            return
        self.left, self.rest = self.left - dt, self.rest - dt
        if self.left <= 0.0:
            self.show_another(self.thing)
        self.thing.transform.rotation = tuple(self.thing.transform.rotation + self.turning * dt)
        picture = self.scene.camera.image(width=SIDE, height=SIDE, camera=self.object)
        if self.weights:
            self.guess(picture)
        if self.rest <= 0.0:  # two pictures of a shape: more are too much alike
            self.rest, self.seen = SECONDS / 2.0, self.seen + 1
            self.pictures.append((picture, self.label))

    def show_another(self, thing: SceneObject) -> None:
        """Choose another shape, position and colour."""
        self.left, self.rest = SECONDS, 0.0
        self.label = int(self.rng.integers(len(NAMES)))
        self.turning = self.rng.uniform(-110.0, 110.0, 3)
        thing.model, scale = SHAPES[NAMES[self.label]]
        thing.material = {"color": self.rng.uniform(0.15, 0.95, 3).tolist(), "roughness": 0.35}
        thing.transform.position = tuple(self.rng.uniform((-0.25, -0.25, 1.15), (0.25, 0.25, 1.5)))
        thing.transform.rotation = tuple(self.rng.uniform(0.0, 360.0, 3))
        thing.transform.scale = (scale, scale, scale)

    def guess(self, picture: Array) -> None:
        """Classify a picture before it is trained on."""
        *layers, dense, bias = self.weights
        seen = picture.astype(np.float32) / np.float32(255.0) - np.float32(0.5)
        if not convolve.is_compiled:  # ask for machine code with a small picture
            convolve(seen[:3, :3].copy(), *layers[:2])
            return
        for kernel, offset in zip(layers[::2], layers[1::2], strict=True):
            seen = convolve(seen, kernel, offset)
        powers = np.exp((values := seen.ravel() @ dense + bias) - values.max())
        self.chances = powers / powers.sum()
        self.hits.append(float(self.chances.argmax() == self.label))
        self.metrics.log("correct of the last 60", float(np.mean(self.hits)))
        self.write_sign()

    async def learn(self) -> None:
        while True:
            self.goal = self.seen + self.lesson
            await self.until(lambda: self.seen >= self.goal)
            pictures, labels = map(np.array, zip(*self.pictures, strict=True))
            call = train(pictures, labels, self.weights, self.epochs, self.lessons)
            self.weights = await self.background(
                call, lambda share, told: self.metrics.log("loss", told["loss"])
            )
            self.lessons += 1

    def write_sign(self) -> None:
        """Write the probabilities above the shape: a right guess is green, a wrong one red."""
        canvas, best = self.sign.canvas, int(self.chances.argmax()) if self.hits else -1
        canvas.resize(512, 200, background=(0.09, 0.1, 0.12))
        canvas.clear()
        for row, (name, chance) in enumerate(zip(NAMES, self.chances, strict=True)):
            color, sign = OTHER if row != best else RIGHT if best == self.label else WRONG
            canvas.text(name + sign, (20, 44 + 46 * row), color, size=32, weight=500)
            canvas.rectangle((130, 22 + 46 * row, max(1.0, float(chance) * 360), 22), color)

    def draw(self, ui: Ui) -> None:
        told = tr("{seen} pictures seen, {lessons} trainings")
        ui.muted_text(told.format(seen=self.seen, lessons=self.lessons))
        for title, color in ((tr("correct of the last 60"), "green"), (tr("loss"), "amber")):
            ui.chart(title, [(title, color, *self.metrics.series(title))])
