"""Time measurements of frames: spans by phase and component, the trace file and mean times."""
