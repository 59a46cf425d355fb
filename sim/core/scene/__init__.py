"""The scene graph: objects, component slots, fields of scripts and spatial queries."""
