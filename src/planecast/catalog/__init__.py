"""What others have published or specified: CPUs, microarchitectures, cards and documents, as YAML.

A file an entry; each value has a status (published, derived, assumed) and a source. This room only
finds the files; `planecast.scenario.machine` reads CPUs and cards as nouns, and
`planecast.reproduce.documents` the published figures.
"""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from typing import Literal

from planecast.errors import InputError

Kind = Literal["cpus", "microarchitectures", "nics", "published", "graphs", "maps"]

_FOLDER = Path(__file__).parent
_SINGULAR = {
    "cpus": "machine",
    "microarchitectures": "microarchitecture",
    "nics": "card",
    "published": "document",
    "graphs": "graph of nodes",
    "maps": "stage map",
}


def names(kind: Kind) -> list[str]:
    """Names of the entries of a kind, sorted."""
    return sorted(path.stem for path in (_FOLDER / kind).glob("*.yaml"))


def entry_path(kind: Kind, name: str) -> Path:
    """The file of an entry. Raises InputError for a name that the catalogue doesn't have."""
    known = names(kind)
    if name not in known:
        close = get_close_matches(name, known, n=1, cutoff=0.4)
        raise InputError(
            f"the catalogue has no {_SINGULAR[kind]} '{name}'",
            what_to_do=(f"did you mean {close[0]}? " if close else "")
            + "known: "
            + ", ".join(known),
        )
    return _FOLDER / kind / f"{name}.yaml"
