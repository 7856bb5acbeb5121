"""Fact: a value of the catalogue, with where it comes from."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from planecast.scenario.model import Noun

Status = Literal["published", "derived", "assumed", "measured"]


class Fact(Noun):
    """A number of an entry, and how it is known."""

    value: Annotated[float, Field(ge=0)]
    """In the unit that its key names."""
    status: Status
    """published: somebody says so; derived: computed from what is published; assumed: taken for
    want of better; measured: by the probe."""
    source: str
    """Key of the entry's `sources`."""


class Positive(Fact):
    """A number that can't be 0."""

    value: Annotated[float, Field(gt=0)]
    """In the unit that its key names."""


class Flag(Noun):
    """A yes or no of an entry."""

    value: bool
    """Yes or no."""
    status: Status
    """How it is known."""
    source: str
    """Key of the entry's `sources`."""


class Text(Noun):
    """A word of an entry."""

    value: str
    """The word."""
    status: Status
    """How it is known."""
    source: str
    """Key of the entry's `sources`."""
