"""Names as FD.io's reports give them to tests: ``64B-1t1c-ip4``.

A part is a frame size with FCS (``64B``, ``IMIX``), threads and cores (``2t1c``: two threads of one
core), and then words. Source: FD.io CSIT, test naming.
"""

from __future__ import annotations

import re

from planecast.errors import InputError
from planecast.scenario import Scenario

_FRAME = re.compile(r"([0-9]+)b", re.IGNORECASE)
_THREADS = re.compile(r"([0-9]+)t([0-9]+)c", re.IGNORECASE)
_LEADING = re.compile(r"(?:[0-9]+b|imix)(?:-|$)|[0-9]+t[0-9]+c(?:-|$)", re.IGNORECASE)


def csit_name(scenario: Scenario) -> str:
    """The name of a scenario: frames, threads and cores, function.

    A result does not report which lcores were siblings, so each lcore counts as a core of its own.
    """
    count = scenario.placement.lcores
    frames = "IMIX" if _mixed(scenario) else f"{scenario.traffic.frame_bytes}B"
    return f"{frames}-{count}t{count}c-{_function(scenario)}"


def _function(scenario: Scenario) -> str:
    """What forwards, as one word: ``testpmd-io``."""
    return scenario.forwards.replace(" ", "-")


def is_csit_name(text: str) -> bool:
    """Whether it begins as such a name does."""
    return _LEADING.match(text) is not None


def matches(name: str, scenario: Scenario) -> bool:
    """Whether a scenario is one that the name could mean.

    What the name leaves out may be anything; a number of cores is compared with none, for a result
    does not report siblings. The words have to be the function's kind or the scenario's name, in
    part at least. Raises InputError for a name that contradicts itself.
    """
    words = []
    for part in name.split("-"):
        frame, threads = _FRAME.fullmatch(part), _THREADS.fullmatch(part)
        if frame and (_mixed(scenario) or int(frame[1]) != scenario.traffic.frame_bytes):
            return False
        if part.lower() == "imix" and not _mixed(scenario):
            return False
        if threads:
            if not 0 < int(threads[2]) <= int(threads[1]):
                raise InputError(
                    f"'{part}' has more cores than threads", name, "write threads first: 2t1c"
                )
            if int(threads[1]) != scenario.placement.lcores:
                return False
        if part and not frame and not threads and part.lower() != "imix":
            words.append(part.lower())
    phrase = "-".join(words)
    return any(phrase in text.lower() for text in (_function(scenario), scenario.name))


def _mixed(scenario: Scenario) -> bool:
    return scenario.traffic.frame_mix != "none"
