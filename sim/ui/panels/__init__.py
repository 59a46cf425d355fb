"""The panels of the studio, a file each."""
