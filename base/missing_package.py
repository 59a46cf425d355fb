"""Says how to get a package that a script wants to import and that is not installed."""

from __future__ import annotations

import sys

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
"""Import names whose package has another name."""


def package_of(error: BaseException) -> str:
    """Return the package that would end a `ModuleNotFoundError`, empty where none would."""
    told = getattr(error, "package", "")  # by a worker
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
    """Return the line that tells what a script needs and how to get it."""
    return f"{script} needs the package {package}: python main.py pip install {package}"
