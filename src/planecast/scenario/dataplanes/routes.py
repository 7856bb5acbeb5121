"""Routes of data planes of others."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from planecast.scenario.model import Count

RouteDepth = Literal["mixed"] | Annotated[Count, Field(ge=8, le=32)]
"""Bits of all routes of a table; mixed: from 8 to 32."""
