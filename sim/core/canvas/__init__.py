"""Canvases: pictures that scripts draw on; commands are checked here, a painter sets the pixels."""
