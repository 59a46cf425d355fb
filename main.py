"""Goishi's command line: `python main.py --help`.

This file must parse under old Pythons (3.6), so that they too are told what is wrong, and must
stay light: every worker process imports it once more. So there is nothing here but the check of
the Python version; the commands live in the package `sim.commands`.
"""

import sys

OLDEST = (3, 11)
NEWEST = (3, 13)


def version_problem(version: "tuple[int, ...]") -> str:
    """Return in one line what to do about an unsupported Python, empty when it is supported."""
    if OLDEST <= tuple(version[:2]) <= NEWEST:
        return ""
    return (
        "Python {}.{} to {}.{} needed, this is {}.{}; "
        "make the virtual environment with one of those, as in: python3.{} -m venv .venv"
    ).format(*OLDEST, *NEWEST, version[0], version[1], NEWEST[1])


def main() -> int:
    """Check the Python version, then hand over to the commands."""
    problem = version_problem(sys.version_info[:3])
    if problem:
        sys.stderr.write("goishi: " + problem + "\n")
        return 1
    try:
        from sim.commands import main as run_command

        return run_command(sys.argv[1:])
    except KeyboardInterrupt:  # while the packages are loaded
        return 130


if __name__ == "__main__":
    sys.exit(main())
