"""Detection of calls that hang: inside the process, and from a second process."""
