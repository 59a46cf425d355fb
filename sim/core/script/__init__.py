"""The API of scripts: `Script`, signals, panels, the HUD."""
