"""Script API: the base class `Script`, signals, panels and the heads-up display (HUD)."""
