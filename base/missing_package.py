"""Messages about how to install a package that a script imports."""

from __future__ import annotations

import sys

from base.program import PROGRAM

PACKAGES = {
    "attr": "attrs",
    "Bio": "biopython",
    "bs4": "beautifulsoup4",
    "cairo": "pycairo",
    "Crypto": "pycryptodome",
    "cv2": "opencv-python",
    "dateutil": "python-dateutil",
    "docx": "python-docx",
    "dotenv": "python-dotenv",
    "fitz": "PyMuPDF",
    "git": "GitPython",
    "igraph": "python-igraph",
    "jwt": "PyJWT",
    "Levenshtein": "python-Levenshtein",
    "magic": "python-magic",
    "OpenGL": "PyOpenGL",
    "PIL": "pillow",
    "pywt": "PyWavelets",
    "serial": "pyserial",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "socks": "PySocks",
    "usb": "pyusb",
    "yaml": "PyYAML",
    "zmq": "pyzmq",
}
"""Names on PyPI of packages whose import name differs, by import name."""


def package_of(error: BaseException) -> str:
    """Return the name of the pip package whose import failed; empty if unknown.

    Args:
        error: a `ModuleNotFoundError`, or a worker's error with an attribute `package`.
    """
    told = getattr(error, "package", "")  # set by a worker
    if isinstance(told, str) and told:
        return told
    if not isinstance(error, ModuleNotFoundError) or not error.name:
        return ""
    top = error.name.partition(".")[0]
    is_own = top.startswith(("goishi", "scripts", "_"))
    if is_own or top in sys.stdlib_module_names or top in sys.modules:
        return ""
    return PACKAGES.get(top, top)


def offer(package: str, script: str) -> str:
    """Return a message that a script needs a package, with the command that installs it.

    Args:
        package: name for pip.
        script: the script, as the user knows it.
    """
    return f"{script} needs the package {package}: {PROGRAM} pip install {package}"


def missing_package(module: str) -> str:
    """Return a message that a package is not installed, with the command that installs it.

    Args:
        module: name of the imported module.

    >>> missing_package("yaml")
    'expected the package yaml, found none: python main.py pip install PyYAML'
    """
    top = module.partition(".")[0]
    return f"expected the package {top}, found none: {PROGRAM} pip install {PACKAGES.get(top, top)}"
