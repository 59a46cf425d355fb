"""Colors, type and texts of the panels."""
