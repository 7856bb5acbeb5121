"""Scenario: one question to any engine; machine, workload, traffic and placement together."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, WithJsonSchema

from planecast.scenario.model import Noun
from planecast.scenario.placement import Placement
from planecast.scenario.traffic import Traffic
from planecast.scenario.workload import Workload

_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}"


def _name(text: str) -> str:
    if re.fullmatch(_NAME, text) is None:
        raise ValueError(f"got '{text}'; a name is 1 to 64 letters, digits and . _ -")
    return text


Name = Annotated[
    str, AfterValidator(_name), WithJsonSchema({"type": "string", "pattern": f"^{_NAME}$"})
]
"""A name that can be part of a file name."""


class Scenario(Noun):
    """A configuration whose performance is asked for. Every engine takes one and gives a Result."""

    name: Name
    """Short name; it becomes part of the run's folder."""
    machine: Name = "host"
    """Machine it runs on: host is the one planecast runs on."""
    workload: Workload = Workload()
    """What is done to each packet."""
    traffic: Traffic = Traffic()
    """The packets that come in."""
    placement: Placement = Placement()
    """CPUs, bursts, rings and pages."""
