"""Model files of a project (loading, formats) and the skeletal animation of models."""
