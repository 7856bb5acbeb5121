"""What every noun is made of: a frozen pydantic model that refuses what it doesn't know."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Self, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from planecast.errors import InputError
from planecast.scenario.units import parse_bytes, parse_count, parse_rate_pps


class AbsentKeyError(InputError, AttributeError):
    """A key was read that does not apply to the noun at hand."""


class Noun(BaseModel):
    """Base of the nouns: immutable, strict about types, unknown keys refused.

    A key that does not apply to a noun is absent from it (`drop`): it is in no dump, and to read it
    raises AbsentKeyError.

    The docstring under a field becomes its description in the JSON Schema (`schema`). Validators
    are built when they are first needed: most verbs need few of them.
    """

    model_config = ConfigDict(
        frozen=True,
        strict=True,
        extra="forbid",
        defer_build=True,
        allow_inf_nan=False,
    )

    def drop(self, name: str) -> None:
        """Makes a field absent: for validators alone, before anybody else has the noun."""
        self.__dict__.pop(name, None)
        self.model_fields_set.discard(name)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """As pydantic has it, but for what was derived from the fields (`cached_property`), which
        the copy derives again."""
        copy = super().model_copy(update=update, deep=deep)
        for name in copy.__dict__.keys() - type(self).model_fields.keys():
            del copy.__dict__[name]
        return copy

    def copy_without(self, name: str) -> Self:
        """A copy in which a field is absent."""
        copy = self.model_copy()
        copy.drop(name)
        return copy

    if not TYPE_CHECKING:  # every attribute would pass the type checker

        def __getattr__(self, name: str) -> Any:
            if name in type(self).model_fields:
                raise AbsentKeyError(
                    f"{name} does not apply here", type(self).__name__.lower(), "leave it out"
                )
            return super().__getattr__(name)


def _whole(value: Any) -> Any:
    # YAML reads 1e3 as a float; a float that isn't whole passes, to be refused by the strict int.
    return int(value) if isinstance(value, float) and value.is_integer() else value


def typed(parse: Callable[[str], Any], accepts: Any = float | str) -> BeforeValidator:
    """Of a number that a person may type as text: `parse` reads it."""
    other = _whole if accepts == int | str else lambda value: value
    return BeforeValidator(
        lambda value: parse(value) if isinstance(value, str) else other(value),
        json_schema_input_type=accepts,
    )


def listed(value: Any) -> Any:
    """A YAML list, or text with commas (``none`` for nothing), as the tuple that a noun holds."""
    if value == "none":
        return ()
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    return tuple(value) if isinstance(value, list) else value


Item = TypeVar("Item")

ListOf = Annotated[tuple[Item, ...], Field(strict=False)]
"""What a run stores as a list and a noun holds as a tuple; a person types none of it. Without
`listed`, which would make Python's objects of thousands of items first."""


def list_text(values: tuple[Any, ...] | list[Any]) -> str:
    """A list as a person types it: ``acl,key``, or ``none``."""
    return ",".join(map(str, values)) or "none"


def value_text(value: Any) -> str:
    """A key's value as a person types it, of a list too, which JSON makes of a tuple."""
    return list_text(value) if isinstance(value, list | tuple) else str(value)


def power_of_two(size: int) -> int:
    """The number itself. Raises ValueError for one that is no power of two."""
    if size & (size - 1):
        raise ValueError(f"got {size}, which is not a power of two")
    return size


Count = Annotated[int, typed(parse_count, int | str)]
"""A whole number; a person may type ``64Ki``."""

Bytes = Annotated[int, typed(parse_bytes, int | str)]
"""A size in bytes; a person may type ``1.5kB``."""


OfferedRate = Annotated[
    float | None, Field(ge=1, le=1e10), typed(parse_rate_pps, float | str | None)
]
"""Packets a second; a person may type ``14.88Mpps``."""
