"""The scene: objects, component slots, fields, spatial queries."""
