"""Scenes and objects as glTF 2.0 files, for Blender, Unity, Unreal and other programs."""
