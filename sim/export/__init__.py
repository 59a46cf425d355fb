"""Scripts as C libraries: the implementation of `python main.py export`.

`exporter` runs the whole export, with or without a compiler. `inspection` runs the script in a
child process to find out what it needs. `runtime` follows its imports and copies a Python
interpreter. `library` writes the C header and the description of the functions; `stubs` writes
their machine code. The loader code in C (`shim_start.c`, `shim_call.c`), called the shim, and
`bridge` run in the exported folder.
"""
