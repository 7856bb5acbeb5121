"""Keys that are there only for some values of another key of the same noun.

A key that doesn't apply is absent: refused when it is typed, not stored, and no attribute.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

from pydantic import model_validator
from pydantic.fields import FieldInfo

from planecast.scenario.keys import choices
from planecast.scenario.model import Noun
from planecast.scenario.refusal import refusal


@dataclass(frozen=True, init=False)
class Only:
    """In a field's annotation: it is there only where the field `key` has one of `values`."""

    key: str
    values: tuple[Any, ...]

    def __init__(self, key: str, *values: Any) -> None:
        object.__setattr__(self, "key", key)
        object.__setattr__(self, "values", values)


def condition_of(field: FieldInfo) -> Only | None:
    """Where a field is there; None: always."""
    return next((one for one in field.metadata if isinstance(one, Only)), None)


class ConditionalNoun(Noun):
    """A noun some of whose fields have an `Only`."""

    @classmethod
    def inapplicable(cls, values: dict[str, Any]) -> Iterator[tuple[str, Only]]:
        """The fields that these values, with the defaults for others, leave no place for."""
        for name, field in cls.model_fields.items():
            condition = condition_of(field)
            if condition is None:
                continue
            value = values.get(condition.key, cls.model_fields[condition.key].default)
            if value not in condition.values:
                yield name, condition

    @model_validator(mode="after")
    def _only_what_applies(self) -> Self:
        for name, condition in self.inapplicable(self.__dict__):
            if name in self.model_fields_set and name in self.__dict__:
                raise refusal(
                    (name,),
                    f"does not apply to {condition.key} {self.__dict__[condition.key]}",
                    f"leave it out, or set {condition.key} to {choices(condition.values)}",
                )
            self.drop(name)
        return self
