"""TensorBoard event files: each series of a run becomes a scalar chart.

For worker processes only, like everything that loads TensorFlow.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

FILE_VERSION: Final = "brain.Event:2"

FloatArray = NDArray[np.float64]


def write_events(
    series: Mapping[str, tuple[FloatArray, FloatArray]],
    folder: Path,
    *,
    texts: tuple[tuple[int, str], ...] = (),
) -> Path:
    """Write a run's series as an event file that TensorBoard shows.

    Args:
        series: by name, `[N]` steps and `[N]` values.
        folder: existing folder, which TensorBoard gets as `--logdir`.
        texts: changes of settings during the run, each as (step, text).

    Returns:
        The path of the file.

    Raises:
        OSError: the file cannot be written.
    """
    from ai.nets.backend import tf

    now = time.time()
    path = folder / f"events.out.tfevents.{int(now)}.goishi.{os.getpid()}"
    event, summary = tf.compat.v1.Event, tf.compat.v1.Summary
    try:
        with tf.io.TFRecordWriter(str(path)) as writer:
            writer.write(event(wall_time=now, file_version=FILE_VERSION).SerializeToString())
            for name, (steps, values) in series.items():
                for step, value in zip(steps, values, strict=True):
                    scalar = summary.Value(tag=name, simple_value=float(value))
                    one = event(wall_time=now, step=int(step), summary=summary(value=[scalar]))
                    writer.write(one.SerializeToString())
            for step, text in texts:
                note = summary(value=[_text_value(text)])
                writer.write(event(wall_time=now, step=step, summary=note).SerializeToString())
    except tf.errors.OpError as error:
        raise OSError(f"{path}: cannot be written: {error.message}") from error
    return path


def _text_value(text: str) -> object:
    """Return a value that TensorBoard shows as text."""
    from ai.nets.backend import tf

    summary = tf.compat.v1.Summary
    metadata = tf.compat.v1.SummaryMetadata(
        plugin_data=tf.compat.v1.SummaryMetadata.PluginData(plugin_name="text")
    )
    tensor = tf.make_tensor_proto([text], dtype=tf.string)
    return summary.Value(tag="changes", metadata=metadata, tensor=tensor)
