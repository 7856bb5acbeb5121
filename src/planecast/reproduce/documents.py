"""Published documents of the catalogue: figures by id, with unit and place."""

from __future__ import annotations

from functools import cache
from typing import Self

from pydantic import model_validator

from planecast.catalog import entry_path
from planecast.scenario.document import read_document
from planecast.scenario.model import Noun
from planecast.scenario.problems import validated


class Figure(Noun):
    """A published number, or a range of them."""

    value: float | None = None
    low: float | None = None
    """Lower end, where the document gives a range."""
    high: float | None = None
    unit: str
    place: str
    """Where in the document it stands."""

    @model_validator(mode="after")
    def _one_or_range(self) -> Self:
        if (self.value is None) == (self.low is None) or (self.low is None) != (self.high is None):
            raise ValueError("a figure has a value, or low and high")
        return self


class Document(Noun):
    """A document and its figures."""

    name: str
    title: str
    figures: dict[str, Figure]

    def value(self, key: str) -> float:
        """A figure that is one number."""
        value = self.figures[key].value
        if value is None:
            raise KeyError(f"{key} is a range")
        return value


@cache
def document_of(name: str) -> Document:
    """A document by name. Raises InputError for one that the catalogue doesn't have."""
    found = read_document(entry_path("published", name))
    return validated(Document, found.data, found.where)
