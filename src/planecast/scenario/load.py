"""Reads scenarios from YAML files."""

from __future__ import annotations

import os
from collections.abc import Container, Mapping
from pathlib import Path
from typing import Any

from planecast.errors import InputError
from planecast.scenario.document import Document, read_document
from planecast.scenario.override import check_key, merged, set_place
from planecast.scenario.problems import validated
from planecast.scenario.scenario import Scenario


def load_scenario(path: str | Path, overrides: Mapping[str, Any] | None = None) -> Scenario:
    """The scenario of a YAML file, with `overrides` (dotted keys, as ``--set`` gives them) on top.

    Raises InputError that says file and line, or ``--set KEY=VALUE``, what is wrong there, and what
    is allowed.
    """
    return _read(read_document(path), path, dict(overrides or {}), {})


def load_varied(
    path: str | Path, overrides: Mapping[str, Any], first: Mapping[str, Any]
) -> Scenario:
    """The scenario that points vary; `first` has the first point's values (``--vary``).

    Without those that neither the file nor `overrides` say it may be none, such as arrivals that
    need a rate: then it takes them. Raises InputError as `load_scenario`, and for a key that both
    say, or of whose section one is.
    """
    for key in overrides:
        if any(f"{key}.".startswith(f"{varied}.") for varied in first):
            raise InputError(
                f"the key is set as well, to {overrides[key]}, which would be lost",
                f"--vary {key}",
                "leave one of the two out",
            )
    document = read_document(path)
    try:
        return _read(document, path, overrides, {})
    except InputError:
        data = merged(document.data, overrides)
        unsaid = {key: value for key, value in first.items() if not _says(data, key)}
        if not unsaid:
            raise
    return _read(document, path, overrides, unsaid)


def _says(data: Mapping[str, Any], dotted: str) -> bool:
    inner: Any = data
    for part in dotted.split("."):
        if not isinstance(inner, Mapping) or part not in inner:
            return False
        inner = inner[part]
    return True


def _read(
    document: Document, path: str | Path, changes: Mapping[str, Any], varied: Mapping[str, Any]
) -> Scenario:
    place = set_place(changes, document.where)
    if varied:
        place = set_place(varied, place, "--vary")
    every = {**changes, **varied}
    for key in every:
        check_key(key, place(tuple(key.split("."))))
    data = merged(document.data, every)
    resolve_files(data, Path(path).parent, except_for=every)
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
