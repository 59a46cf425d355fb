"""The app: every part of the engine composed, and the frame loop."""
