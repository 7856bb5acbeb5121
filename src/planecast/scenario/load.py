"""Reads scenarios from YAML files."""

from __future__ import annotations

import os
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
    data = merged(document.data, changes)
    if "traffic.pcap" not in changes:
        beside(data, Path(path).parent)
    return validated(Scenario, data, place)


def beside(data: dict[str, Any], folder: Path) -> None:
    """Makes the capture that a file names relative to that file's folder."""
    traffic = data.get("traffic")
    if isinstance(traffic, dict) and isinstance(traffic.get("pcap"), str):
        traffic["pcap"] = os.path.normpath(folder / traffic["pcap"])
