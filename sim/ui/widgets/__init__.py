"""What several panels are made of."""
