"""Neural networks: input features, architectures, inference and training.

`backend`, `optimizer` and `trainer` import TensorFlow and belong in worker processes; all other
modules can be imported without it.
"""
