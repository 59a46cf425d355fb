"""Networks: input features, architecture, inference and training.

`backend`, `optimizer` and `trainer` import TensorFlow and belong in worker processes; all other
modules need none to be imported.
"""
