"""The program `kirin` that the wheel installs beside the module."""

from __future__ import annotations

import os
import sysconfig
from pathlib import Path

__all__ = ["find"]


def find() -> str:
    """The path of the program, wherever pip has put it: in the environment, for the user, or below `--target`.

    >>> import os
    >>> from kirin.program import find
    >>> os.path.basename(find())
    'kirin'
    """
    schemes = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", f"{os.name}_user")]
    folders = [*map(Path, schemes), Path(__file__).parents[1] / "bin"]
    for path in (folder / "kirin" for folder in folders):
        if path.is_file():
            return str(path)
    places = ", ".join(str(folder) for folder in folders)
    raise FileNotFoundError(f"the program kirin is in none of {places}; a wheel that `make wheel` built has it")
