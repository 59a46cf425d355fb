"""Detection of script calls that do not end, inside the process and from a second process."""
