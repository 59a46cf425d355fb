"""Scripts as C libraries: what `python main.py export` is made of.

`exporter` does it all; `header` and `description` say in C and in bytes which functions there are;
`elf` and `stubs` write the library without a compiler, `c_source` with one; `inspection` runs the
script and sees what it needs; `runtime` copies a Python for it. `shim.c` and `bridge` run there.
"""
