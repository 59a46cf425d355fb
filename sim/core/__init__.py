"""The engine's core, without graphics: scene, scripts, clock, files. No Panda3D in here."""
