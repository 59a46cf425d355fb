"""Samples: what positions a learner is taught, and with which labels."""
