"""JSON Schemas of the files that people write, for editors that complete and check them."""

from __future__ import annotations

import ast
import functools
import inspect
import textwrap
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, get_args

from planecast.scenario.model import Noun

_BOUNDS = (
    ("ge", "minimum"),
    ("le", "maximum"),
    ("gt", "exclusiveMinimum"),
    ("lt", "exclusiveMaximum"),
)


def json_schema(noun: type[Noun]) -> dict[str, Any]:
    """The JSON Schema (2020-12) of the files that hold a noun, as a person may write them."""
    schema = noun.model_json_schema(mode="validation")
    # What a validator reads, such as text for a list of nouns, is in no annotation.
    known = {one.__name__: one for one in _below(Noun)} | _reached(noun, {})
    for name, definition in schema.get("$defs", {}).items():
        if name in known:
            _describe(known[name], definition)
    _describe(noun, schema)
    _bounds_to_numbers(schema)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def _below(noun: type[Noun]) -> Iterator[type[Noun]]:
    for one in noun.__subclasses__():
        yield one
        yield from _below(one)


def _reached(annotation: Any, found: dict[str, type[Noun]]) -> dict[str, type[Noun]]:
    """The nouns that an annotation names, and those in their fields, by name."""
    for inner in get_args(annotation):
        _reached(inner, found)
    is_noun = isinstance(annotation, type) and issubclass(annotation, Noun)
    if is_noun and annotation.__name__ not in found:
        found[annotation.__name__] = annotation
        for field in annotation.model_fields.values():
            _reached(field.annotation, found)
    return found


def _describe(noun: type[Noun], schema: dict[str, Any]) -> None:
    """Adds the docstrings under a noun's fields as descriptions."""
    properties = schema.get("properties", {})
    for field, text in field_docs(noun).items():
        if field in properties:
            properties[field]["description"] = text


@functools.cache
def field_docs(noun: type[Noun]) -> dict[str, str]:
    """The docstrings under a noun's fields, by field.

    pydantic reads them, too (use_attribute_docstrings), but reads every source file at each start.
    """
    found: dict[str, str] = {}
    for base in reversed(noun.__mro__):
        if not issubclass(base, Noun):
            continue
        (body,) = ast.parse(textwrap.dedent(inspect.getsource(base))).body
        assert isinstance(body, ast.ClassDef)
        for field, text in pairwise(body.body):
            if not (isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)):
                continue
            said = text.value if isinstance(text, ast.Expr) else None
            if isinstance(said, ast.Constant):
                found[field.target.id] = inspect.cleandoc(str(said.value))
    return found


def _bounds_to_numbers(node: Any) -> None:
    """Put bounds where JSON Schema has them: on the number, in a field that also takes text.

    pydantic leaves them next to ``anyOf`` under its own names, which no editor knows.
    """
    if isinstance(node, list):
        for inner in node:
            _bounds_to_numbers(inner)
    if not isinstance(node, dict):
        return
    for inner in node.values():
        _bounds_to_numbers(inner)
    for ours, theirs in _BOUNDS:
        bound = node.pop(ours, None) if "anyOf" in node else None
        for choice in node.get("anyOf", []):
            if bound is not None and choice.get("type") in ("integer", "number"):
                choice[theirs] = bound
