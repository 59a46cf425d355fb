"""Skeletal animation as pure data: rigs, clips, poses and their playback. Draws nothing."""
