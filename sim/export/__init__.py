"""Scripts as C libraries: the implementation of `python main.py export`.

`exporter` does it all; `header` and `description` say in C and in bytes which functions there are;
`elf` and `stubs` write the library without a compiler, `c_source` with one; `inspection` runs the
script and sees what it needs, `imports` reads it; `runtime` copies a Python for it. In the exported
folder run the shim (`shim_start.c`, `shim_call.c`) and `bridge`.
"""
