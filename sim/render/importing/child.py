"""Program of the child process: reads one model file, writes the imported model to a folder.

    python -m sim.render.importing.child FILE FOLDER PROJECT

The last line of its output is a JSON object. On failure it holds `error`. Else it holds `warnings`,
`notes` and `beside` (the further files that were read). For a robot's file nothing is written to
the folder, and the JSON holds the attributes of `RobotData`.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from importlib import import_module
from pathlib import Path

from base.contents import stand_in_at
from base.values import is_printable
from sim.core.assets.formats import FORMATS, ROBOTS, is_robot, suffix_of
from sim.core.canvas.picture_limit import limit_pictures

MOST_MEMORY = 6 * 2**30  # bytes of address space, where the system can limit it


def main(arguments: list[str]) -> int:
    """Import a file, print the report and end the process at once, without returning.

    It ends by `os._exit`, since some libraries crash during a normal exit.

    Args:
        arguments: the file, the output folder and the project folder.
    """
    source, folder, project = (Path(item) for item in arguments)
    limit_memory()
    limit_pictures()
    if is_robot(source.name):
        report = import_robot(source, project)
    else:
        report = import_model(source, folder, project)
    sys.stdout.write(f"\n{json.dumps(report)}\n")
    sys.stdout.flush()
    os._exit(1 if "error" in report else 0)


def import_model(source: Path, folder: Path, project: Path) -> dict[str, object]:
    """Import a model file into a folder; return the report that the process prints.

    Args:
        source: the model file.
        folder: where `model.bam` and `rig.npz` are written.
        project: the project's folder, outside which no further files are read.
    """
    from panda3d.core import load_prc_file_data

    settings = "bam-texture-mode rawdata\nnotify-level error\ntextures-power-2 none\n"
    load_prc_file_data("goishi", settings)
    from sim.render.importing.build import write_model
    from sim.render.importing.model_data import Beside, ModelError, check, leave_out_still_clips
    from sim.render.importing.recentring import recentre

    if found := stand_in_at(source):
        return {"error": f"expected a model, found {found}"}
    try:
        reader = import_module(FORMATS[suffix_of(source.name)])
        model = reader.read(source, Beside(source, project))
        leave_out_still_clips(model)
        check(model)
        recentre(model)
        write_model(model, folder)
    except (ModelError, OSError) as error:
        return {"error": str(error)}
    except ImportError as error:
        return {"error": f"expected the packages of requirements.txt, found: {error}"}
    except MemoryError:
        return {"error": "expected a model, found one that does not fit into memory"}
    except Exception as error:  # a broken file can break a reader anywhere
        if isinstance(error, UnicodeError) and not is_printable(str(source)):
            return {"error": "expected a path in UTF-8, which this format needs, found another"}
        return {"error": f"expected a model, found a broken file ({type(error).__name__}: {error})"}
    if not model.rig.clips and not any(mesh.is_drawn for mesh in model.meshes):
        why = "; ".join(dict.fromkeys(model.undrawn)) or "it has no triangles that are shown"
        model.warnings.append(f"nothing in it can be drawn: {why}")
    return {"warnings": model.warnings, "notes": model.notes, "beside": model.beside}


def import_robot(source: Path, project: Path) -> dict[str, object]:
    """Read a robot's file; return the attributes of `RobotData`, or a dict with `error`.

    Args:
        source: the file.
        project: the project's folder, outside which no further files are read.
    """
    from sim.render.importing.model_data import Beside, ModelError

    if found := stand_in_at(source):
        return {"error": f"expected a robot, found {found}"}
    try:
        suffix = next(item for item in ROBOTS if source.name.lower().endswith(item))
        reader = import_module(ROBOTS[suffix])
        return {**vars(reader.read(source, Beside(source, project)))}
    except (ModelError, OSError) as error:
        return {"error": str(error)}
    except MemoryError:
        return {"error": "expected a robot, found one that does not fit into memory"}
    except Exception as error:  # a broken file can break a reader anywhere
        if isinstance(error, UnicodeError) and not is_printable(str(source)):
            return {"error": "expected a path in UTF-8, which this format needs, found another"}
        return {"error": f"expected a robot, found a broken file ({type(error).__name__}: {error})"}


def limit_memory() -> None:
    """Limit this process's memory to 6 GiB, so that an oversized file ends only this process.

    Does nothing on Windows.
    """
    if sys.platform != "win32":
        import resource

        with contextlib.suppress(OSError, ValueError):
            _, hard = resource.getrlimit(resource.RLIMIT_AS)
            resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, hard))


if __name__ == "__main__":
    main(sys.argv[1:])
