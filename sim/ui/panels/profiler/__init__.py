"""The profiler panel: frames over time, one frame as a flame graph, the dearest scripts."""
