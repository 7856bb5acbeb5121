"""Published documents of the catalogue: figures by id, with unit and place."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Self

from pydantic import BeforeValidator, model_validator

from planecast.catalog import entry_path
from planecast.reproduce.provenance import read, rests_on
from planecast.scenario.document import read_document
from planecast.scenario.model import Noun, listed
from planecast.scenario.problems import validated

Range = tuple[float, float]


class Figure(Noun):
    """A published number, or a range of them."""

    value: float | None = None
    low: float | None = None
    """Lower end, where the document gives a range."""
    high: float | None = None
    unit: str
    place: str
    """Where in the document it stands."""
    computed_from: Annotated[tuple[str, ...], BeforeValidator(listed)] = ()
    """Ids of figures or rules that the document itself computed it from; none: it was measured."""

    @model_validator(mode="after")
    def _one_or_range(self) -> Self:
        if (self.value is None) == (self.low is None) or (self.low is None) != (self.high is None):
            raise ValueError("a figure has a value, or low and high")
        return self

    @property
    def ends(self) -> Range:
        """(low, high): both the value where it is one."""
        low = self.value if self.low is None else self.low
        high = self.value if self.high is None else self.high
        assert low is not None
        assert high is not None
        return low, high


class Document(Noun):
    """A document and its figures."""

    name: str
    title: str
    figures: dict[str, Figure]

    def id(self, key: str) -> str:
        """A figure's id among those of all documents."""
        return f"{self.name}:{key}"

    def value(self, key: str) -> float:
        """A figure that is one number."""
        value = self.figures[key].value
        if value is None:
            raise KeyError(f"{key} is a range")
        return self.ends(key)[0]

    def ends(self, key: str) -> Range:
        """A figure's range; a number is one of no width."""
        self._rest_on_sources(key)
        low, high = self.figures[key].ends
        return read(self.id(key), low), read(self.id(key), high)

    def published(self, key: str) -> Figure:
        """A figure as it stands there."""
        figure, (low, high) = self.figures[key], self.ends(key)
        if figure.value is not None:
            return figure.model_copy(update={"value": low})
        return figure.model_copy(update={"low": low, "high": high})

    def _rest_on_sources(self, key: str) -> None:
        """Note what the document computed a figure from, to the end: figures of its own, and rules,
        which have a colon."""
        for source in self.figures[key].computed_from:
            if ":" in source:
                rests_on(source)
            else:
                rests_on(self.id(source))
                self._rest_on_sources(source)


@cache
def document_of(name: str) -> Document:
    """A document by name. Raises InputError for one that the catalogue doesn't have."""
    found = read_document(entry_path("published", name))
    return validated(Document, found.data, found.where)
