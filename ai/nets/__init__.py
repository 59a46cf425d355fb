"""The networks: what they see, how they are built, how they answer, how they are trained.

`features` (state vectors), `architecture` (layers as plain values), `initial`
(first weights), `inference` (numpy, for playing) and `weights_file` need numpy
only; `keras_model` and `trainer` import TensorFlow and belong in worker processes.
"""
