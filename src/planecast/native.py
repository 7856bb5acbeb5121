"""Where the compiled programs of planecast are.

Bottom of the import order, with ``errors``: instruments and data planes both start programs.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from planecast.errors import MissingError


def native_folder() -> Path:
    """The folder that holds the compiled programs; it may not be there.

    ``PLANECAST_NATIVE`` names another one, for a build tree that isn't installed. Otherwise it is
    ``planecast/_native`` as installed: in an editable install that is not next to this file, but
    where packages are installed.
    """
    named = os.environ.get("PLANECAST_NATIVE")
    if named:
        return Path(named)
    next_to_this = Path(__file__).parent / "_native"
    installed = (Path(path, "planecast/_native") for path in sys.path)
    return next((found for found in (next_to_this, *installed) if found.is_dir()), next_to_this)


def peers_folder() -> Path:
    """Where this project's own set-up puts programs of others, from wherever it is asked: in the
    clone that this package lies in. It may not be there."""
    return Path(__file__).parents[2] / "build/peers"


def how_to_build() -> str:
    """What builds the compiled programs again: the set-up of the clone that this package lies in,
    or pip, for a package that was installed and has no Makefile."""
    if _in_clone():
        return "`make setup`"
    return "`pip install --force-reinstall --no-deps .` in a clone of planecast"


def set_up(mode: str) -> str:
    """The project's own set-up, and where it is when this package lies in no clone."""
    return f"tools/setup.sh {mode}" + ("" if _in_clone() else " in a clone of planecast")


def _in_clone() -> bool:
    return (Path(__file__).parents[2] / "tools/setup.sh").is_file()


def native_program(name: str) -> Path:
    """The path of the compiled program `name`, such as ``planecast-dataplane``.

    Raises MissingError when it was not built or not installed.
    """
    path = native_folder() / name
    if not os.access(path, os.X_OK) or not path.is_file():
        raise _not_built(f"the program {name}", path)
    return path


def native_library(name: str) -> Path:
    """The path of a compiled library that is loaded into programs of others, such as
    ``planecast-meter.so``; it need not be executable.

    Raises MissingError when it was not built or not installed.
    """
    path = native_folder() / name
    if not path.is_file():
        raise _not_built(name, path)
    return path


def _not_built(what: str, path: Path) -> MissingError:
    return MissingError(
        f"{what} is not built",
        where=str(path.parent),
        what_to_do=f"install libdpdk-dev and run {how_to_build()} (`planecast doctor` says more)",
    )
