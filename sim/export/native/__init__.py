"""Scripts as C libraries without Python: the implementation of `python main.py export --native`.

`exporter` runs the whole export. `worker` imports the script in a child process and turns its
functions into machine code. `machine_code` is numba with the processor and the system of the
target. `entries` are the doors through which C calls the functions. `c_source` writes the C half
and the header. `linking` makes the library with ziglang or a C compiler. `policy_script` writes a
script for a policy file. `arrays.c` is linked into each library: it has memory for arrays.
"""
