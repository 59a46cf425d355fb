"""The scene: objects, component slots, fields, and what is where."""
