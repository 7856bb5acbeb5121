"""Which documents there are, and which tables of them."""

from __future__ import annotations

from collections.abc import Callable

from planecast.errors import InputError
from planecast.reproduce import bsdp, components, res, skx, vpe
from planecast.reproduce.claim import Reproduction, Table
from planecast.reproduce.documents import document_of

_TABLES: dict[str, Callable[[], list[Table]]] = {
    "vpe": vpe.tables,
    "bsdp": bsdp.tables,
    "skx": skx.tables,
    "res": res.tables,
    "components": components.tables,
}

DOCUMENTS = tuple(_TABLES)
"""Their short names."""


def reproduce(name: str, table: int | None = None) -> Reproduction:
    """A document's tables, or one of them by number.

    Raises InputError for a document or a table that there isn't.
    """
    if name not in _TABLES:
        raise InputError(
            f"there is no document '{name}'", what_to_do="known: " + ", ".join(DOCUMENTS)
        )
    tables = _TABLES[name]()
    if table is not None:
        chosen = [one for one in tables if one.number == table]
        if not chosen:
            known = ", ".join(f"{one.number} ({one.title})" for one in tables)
            raise InputError(f"{name} has no table {table}", f"--table {table}", f"known: {known}")
        tables = chosen
    return Reproduction(document=name, title=document_of(name).title, tables=tuple(tables))
