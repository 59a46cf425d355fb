"""Scripts as C libraries: the implementation of `python main.py export`.

`exporter` runs the whole export, with a compiler or without. `inspection` runs the script in a
child process to see what it needs; `runtime` reads its imports and copies a Python for it.
`library` writes the header and the description of the functions, `stubs` their machine code. The
shim (`shim_start.c`, `shim_call.c`) and `bridge` run in the exported folder.
"""
