"""Libraries that only some verbs need: extras of the package (``pip install planecast[NAME]``)."""

from __future__ import annotations

import importlib
import warnings
from typing import Any

from planecast.errors import MissingError


def extra_library(module: str, extra: str, where: str, otherwise: str = "") -> Any:
    """The module of an optional library, imported without the warnings that it makes on its way in.

    `where` is what asks for it, `otherwise` what can be done without it. Raises MissingError with
    the pip command.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return importlib.import_module(module)
    except ImportError:
        name = module.partition(".")[0]
        command = f"pip install 'planecast[{extra}]'"
        advice = f"{command}, or {otherwise}" if otherwise else command
        raise MissingError(f"the library {name} is not installed", where, advice) from None
