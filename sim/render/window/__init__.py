"""The window, its buffers and its input."""
