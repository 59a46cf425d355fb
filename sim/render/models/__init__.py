"""Panda3D nodes of models."""
