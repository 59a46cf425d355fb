"""Stands for the importer: crashes or computes on files that say so, else never comes back."""

from __future__ import annotations

import os
import signal
import sys
import time

if __name__ == "__main__":
    with open(sys.argv[1], "rb") as stream:
        content = stream.read()
    if content == b"crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    while content == b"busy":
        pass
    time.sleep(600)
