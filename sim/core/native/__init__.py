"""Scripts' functions compiled to machine code, and functions exported to C."""
