"""A YAML file as plain data that remembers the line of every key.

ruamel.yaml and not PyYAML: YAML 1.2 leaves ``off`` and ``0000:18:00.0`` text, and every node knows
its line.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.constructor import DuplicateKeyError
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from planecast.errors import InputError
from planecast.scenario.keys import Location
from planecast.scenario.read_file import read_text

_MAX_BYTES = 128 << 10  # a second of parsing; the largest file of the catalogue has 20 KiB
_MAX_DEPTH = 32
_REFUSED = (YAMLError, ValueError, IndexError, RecursionError)
"""What ruamel raises; IndexError for text that begins as a number does, such as ``-_``."""
_BRACKET = re.compile(r"[][{}]")
_DASHES = re.compile(rf"(?:[-?] ){{{_MAX_DEPTH}}}")
_LONG_NUMBER = re.compile(r"[0-9]{100,}")
_MAX_NODES = 100_000  # a few nested aliases can stand for more values than memory holds


class Document(NamedTuple):
    """What a YAML file says, and where it says it."""

    path: str
    """The file's name as the person gave it."""
    data: dict[str, Any]
    """Plain dicts, lists and scalars."""
    lines: dict[Location, int]
    """Line, from 1, of every key and list entry."""

    def where(self, location: Location) -> str:
        """``file:line`` of the innermost known place of `location`."""
        for end in range(len(location), 0, -1):
            if location[:end] in self.lines:
                return f"{self.path}:{self.lines[location[:end]]}"
        return self.path


def read_document(path: str | Path) -> Document:
    """Read a YAML file whose top is a mapping.

    Raises InputError with the file and line for a file that can't be read, YAML that can't be
    parsed, a key that stands twice.
    """
    return parse_document(read_text(Path(path), _MAX_BYTES), str(path))


def parse_document(text: str, path: str) -> Document:
    """As `read_document`, for text at hand; `path` is what errors call it."""
    if _too_deep(text):
        raise InputError("the file is nested too deeply", path, "correct the file")
    number = _LONG_NUMBER.search(text)
    if number is not None:
        line = text.count("\n", 0, number.start()) + 1
        what = f"a number of {len(number[0]):,} digits is not plausible"
        raise InputError(what, f"{path}:{line}", "correct that line")
    try:
        root = YAML(typ="rt", pure=True).load(text)
    except DuplicateKeyError as error:
        key = str(error.problem).split('"')[1] if '"' in str(error.problem) else "a key"
        raise InputError(
            f"the key {key} appears twice", _marked(path, error), "remove one of the two"
        ) from None
    except MarkedYAMLError as error:
        raise InputError(
            f"this is not YAML: {error.problem}", _marked(path, error), "correct that line"
        ) from None
    except _REFUSED as error:
        raise InputError(
            f"this is not YAML: {str(error).splitlines()[0]}", path, "correct the file"
        ) from None
    if not isinstance(root, CommentedMap):
        found = "nothing" if root is None else "a list" if isinstance(root, list) else "a value"
        raise InputError(
            f"the file holds {found} where a mapping of keys is needed", path, "begin with `name:`"
        )
    lines: dict[Location, int] = {}
    return Document(path, _Plain(path, lines).value(root, ()), lines)


_NULL = ("null", "Null", "NULL", "~")


def parse_value(text: str) -> Any:
    """A value typed on the command line, read as YAML reads it: ``4096``, ``auto``, ``[a, b]``.

    Text that is no YAML is taken as it stands.
    """
    if _too_deep(text):
        return text
    try:
        value = YAML(typ="rt", pure=True).load(text)
        if value is None:  # nothing, or a comment, is text
            return None if text in _NULL else text
        return _Plain(text, {}).value(value, ())
    except (*_REFUSED, InputError):
        return text


def _too_deep(text: str) -> bool:
    """Whether brackets or dashes nest deeper than any value here: the parser would take seconds to
    find out."""
    depth = 0
    for bracket in _BRACKET.findall(text):
        depth += 1 if bracket in "[{" else -1
        if depth > _MAX_DEPTH:
            return True
    return _DASHES.search(text) is not None


def _marked(path: str, error: MarkedYAMLError) -> str:
    mark = error.problem_mark or error.context_mark
    return f"{path}:{mark.line + 1}" if mark is not None else path


class _Plain:
    """Turns ruamel's nodes into plain data and notes the line of each."""

    def __init__(self, path: str, lines: dict[Location, int]) -> None:
        self._path = path
        self._lines = lines
        self._nodes = 0

    def value(self, node: Any, at: Location) -> Any:
        self._nodes += 1
        if self._nodes > _MAX_NODES or len(at) > _MAX_DEPTH:
            raise InputError("the file is nested too deeply or too large", self._path)
        if isinstance(node, CommentedMap):
            return {str(key): self._entry(node, key, (*at, str(key))) for key in node}
        if isinstance(node, CommentedSeq):
            return [self._entry(node, i, (*at, i)) for i in range(len(node))]
        return _scalar(node)

    def _entry(self, parent: Any, key: Any, at: Location) -> Any:
        try:
            # A list entry that is a mapping has its line as the mapping's first key has.
            position = parent.lc.item(key) if isinstance(key, int) else parent.lc.key(key)
            self._lines[at] = position[0] + 1
        except (KeyError, TypeError, AttributeError):
            pass  # a merged key (<<) has no place of its own: its parent's line is used
        return self.value(parent[key], at)


def _scalar(node: Any) -> Any:
    """ruamel keeps how a scalar was written (quotes, underscores) in subclasses: drop that."""
    for kind in (bool, int, float, str):
        if isinstance(node, kind):
            return kind(node)
    return None if node is None else str(node)
