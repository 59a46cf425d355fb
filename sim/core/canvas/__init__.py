"""Pictures that scripts draw on: commands checked and kept; a painter sets the pixels."""
