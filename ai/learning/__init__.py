"""Learning from finished games; TensorFlow is loaded only when a network is trained."""

from __future__ import annotations

from ai.learning.learner import Learner, TrainedWeights

__all__ = ["Learner", "TrainedWeights"]
