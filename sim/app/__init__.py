"""The app: composes every part of the engine, and runs the frame loop."""
