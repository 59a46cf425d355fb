"""What a script sees: `Script`, signals, panels, the HUD."""
