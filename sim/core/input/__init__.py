"""Raw input events, named actions and the key map."""
