"""Networks: input features, architecture, inference and training.

`features` (state vectors), `architecture` (layers as plain values), `initial`
(first weights), `inference` (numpy, for playing) and `weights_file` need numpy
only; `keras_model` and `trainer` import TensorFlow and belong in worker processes.
"""
