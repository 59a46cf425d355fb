"""The view of a scene: objects, cameras, picking."""
