"""Event names: which event of a definition a tool means by what it writes."""

from __future__ import annotations

import re
from collections.abc import Mapping

from planecast.topdown.definition import Definition

_PMU = re.compile(r"(?P<pmu>[a-z0-9_]+)/(?P<inside>.*)/(?P<privilege>[a-zA-Z]*)")
_PRIVILEGE = re.compile(r":(?!c\d|e\d|i\d|u0x)[ukhGHpPSDIW]+$")
_MODIFIERS = {"cmask": "c", "edge": "e", "inv": "i"}
_MODIFIER = re.compile(r"(?P<kind>[cei])(?P<value>\d+)|u(?P<mask>0x[0-9a-f]+)")
_UNDER_A_NAME = re.compile(r"[.\-:]")
TSC_HZ = "SYSTEM_TSC_FREQ"
"""Clock of the time-stamp counter: formulas name it as if it were an event."""
SMALL_CORES = "cpu_atom"
"""The efficient cores of a hybrid processor, as perf calls them: no data plane's tree is theirs."""


def plain_name(text: str) -> str:
    """A name that all spellings of an event have in common.

    ``UOPS_EXECUTED.CORE:i1:c1``, ``uops_executed_core:c1:i1`` and
    ``cpu/uops_executed.core,cmask=0x1,inv/u`` are one event.
    """
    match = _PMU.fullmatch(text.strip())
    if match:
        name, modifiers = _inside(match["inside"])
        if match["pmu"] == SMALL_CORES:
            name = f"{SMALL_CORES}/{name}"
    else:
        name, *modifiers = _PRIVILEGE.sub("", text.strip()).split(":")
    plain = _UNDER_A_NAME.sub("_", name.lower())
    return ":".join([plain, *sorted(modifier.lower() for modifier in modifiers)])


def event_lookup(definition: Definition) -> Mapping[str, str]:
    """The definition's events by every plain name under which a recording may know them."""
    found: dict[str, str] = {}
    for event in definition.events:
        found[plain_name(event)] = event
        # older tools write a modifier into the name, fb_full_c1, and so do we
        found[_one_word(event)] = event
        for alias in definition.file.aliases.get(event, ()):
            found.setdefault(plain_name(alias), event)
        encoding = definition.file.encodings.get(event)
        if encoding:
            found.setdefault(plain_name(encoding), event)
    return found


def _one_word(event: str) -> str:
    return re.sub(r"\W", "_", plain_name(event))


def perf_event(definition: Definition, event: str) -> str | None:
    """What ``perf stat -e`` is given for an event, or None for one that it can't be asked for.

    Raw encodings get the event's plain name, so that the recording can be read back.
    """
    if event == TSC_HZ:
        return None
    encoding = definition.file.encodings.get(event)
    if encoding is not None:
        return f"{encoding.removesuffix('/')},name={_one_word(event)}/"
    if event in definition.file.together:
        return definition.file.aliases[event][0]
    name, *modifiers = event.lower().split(":")
    asked = []
    for modifier in modifiers:
        match = _MODIFIER.fullmatch(modifier)
        if match is None:
            return None
        key = {"c": "cmask", "e": "edge", "i": "inv", None: "umask"}[match["kind"]]
        asked.append(f"{key}={match['value'] or match['mask']}")
    return f"cpu/{','.join([name, *asked])}/" if asked else name


def _inside(text: str) -> tuple[str, list[str]]:
    """Name and modifiers of what stands between a PMU's slashes."""
    name, raw, modifiers = "", [], []
    for part in text.split(","):
        key, _, value = part.strip().partition("=")
        if key == "name":
            return value, []  # perf was given a name for it
        if key in _MODIFIERS:
            number = int(value, 0) if re.fullmatch(r"(0x[0-9a-fA-F]+|\d+)", value) else 1
            modifiers.append(f"{_MODIFIERS[key]}{number}")
        elif key == "umask" and name:
            modifiers.append(f"u{value}")  # another mask than the event's own
        elif not value and not name:
            name = key
        else:
            raw.append(part.strip())
    return name or ",".join(raw), modifiers
