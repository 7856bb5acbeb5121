"""Which documents there are, and which tables of them."""

from __future__ import annotations

from collections.abc import Callable

from planecast.errors import InputError
from planecast.reproduce import bsdp, components, rates, res, skx, vpe
from planecast.reproduce.claim import Reproduction, Table, checks_of, inside_baseline
from planecast.reproduce.documents import document_of

_TABLES: dict[str, Callable[[], list[Table]]] = {
    "vpe": vpe.tables,
    "bsdp": bsdp.tables,
    "skx": skx.tables,
    "res": res.tables,
    "components": components.tables,
    "rates": rates.tables,
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
    shown = tuple(_with_baseline(one) for one in tables)
    return Reproduction(document=name, title=document_of(name).title, tables=shown)


def _with_baseline(table: Table) -> Table:
    """A table of checks that has no baseline of its own gets its claims' alternatives as one."""
    others = [one for one in checks_of(table.claims) if one.alternative]
    if table.baselines or not others:
        return table
    names = "; ".join(dict.fromkeys(one.alternative for one in others))
    baseline = inside_baseline(f"{table.number}.alternatives", names, others)
    return table.model_copy(update={"baselines": (baseline,)})
