"""Shares of packets by stage, as a person writes them: ``acl:0.01,classify:5%``."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import BeforeValidator

_PART = re.compile(r"([a-z_]{1,20}):([0-9]{1,3}(?:\.[0-9]{1,9})?)(%?)")


def stage_shares(text: str) -> dict[str, float]:
    """Share of packets by stage; nothing for ``none``.

    Raises ValueError, saying what it got and what is allowed.
    """
    found: dict[str, float] = {}
    for part in [] if text == "none" else text.split(","):
        match = _PART.fullmatch(part.strip())
        share = float(match[2]) / (100 if match[3] else 1) if match else 2.0
        if match is None or share > 1:
            raise ValueError(
                f"got '{text}', which is not a list of stages with a share from 0 to 1 such as "
                "acl:0.01,classify:5%"
            )
        if match[1] in found:
            raise ValueError(f"got '{text}', in which {match[1]} appears twice")
        found[match[1]] = share
    return found


def _shares(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"got {value}, which is not a list such as acl:0.01,classify:5%")
    # One spelling for each, so that equal traffic compares equal.
    found = stage_shares(value.strip()).items()
    return ",".join(f"{name}:{share:.11f}".rstrip("0").rstrip(".") for name, share in found) or (
        "none"
    )


StageShares = Annotated[str, BeforeValidator(_shares, json_schema_input_type=str)]
"""Stages with shares, or ``none``."""
