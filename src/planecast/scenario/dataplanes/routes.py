"""Routes of data planes of others."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from planecast.scenario.model import Count

RouteDepth = Literal["mixed"] | Annotated[Count, Field(ge=8, le=32)]
"""Bits of all routes of a table; mixed: from 8 to 32."""

_BASE_MOST = 256


def base_routes(routes: int) -> int:
    """Of so many routes of mixed depths those that split the address space evenly; the others lie
    around destinations of flows, spread over them."""
    return max(2, min(routes // 2, _BASE_MOST))
