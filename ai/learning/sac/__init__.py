"""Soft actor-critic (SAC): a learner for environments whose actions are bounded numbers."""
