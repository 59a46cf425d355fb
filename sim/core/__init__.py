"""The engine without a picture: scene, scripts, clock and files. No panda3d in here."""
