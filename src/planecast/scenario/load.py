"""Reads scenarios from YAML files."""

from __future__ import annotations

import os
from collections.abc import Container, Mapping
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
    data = merged(document.data, changes)
    resolve_files(data, Path(path).parent, except_for=changes)
    return validated(Scenario, data, place)


_FILES = (("traffic", "pcap"), ("dataplane", "stage_map"))


def resolve_files(data: dict[str, Any], folder: Path, except_for: Container[str] = ()) -> None:
    """Makes the files that a file names relative to that file's folder, but for some keys."""
    for section, key in _FILES:
        part = data.get(section)
        if f"{section}.{key}" in except_for or not isinstance(part, dict):
            continue
        if isinstance(part.get(key), str):
            part[key] = os.path.normpath(folder / part[key])
