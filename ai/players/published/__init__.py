"""Players that published documents describe: one module each."""
