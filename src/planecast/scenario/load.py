"""Reads scenarios from YAML files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from planecast.scenario.document import read_document
from planecast.scenario.override import check_key, merged, set_place
from planecast.scenario.problems import validated
from planecast.scenario.scenario import Scenario


def load_scenario(path: str | Path, overrides: Mapping[str, Any] | None = None) -> Scenario:
    """The scenario of a YAML file, with `overrides` (dotted keys, as ``--set`` gives them) on top.

    Raises InputError that says file and line, or ``--set KEY=VALUE``, what is wrong there, and what
    is allowed.
    """
    changes = dict(overrides or {})
    document = read_document(path)
    place = set_place(changes, document.where)
    for key in changes:
        check_key(key, place(tuple(key.split("."))))
    return validated(Scenario, merged(document.data, changes), place)
