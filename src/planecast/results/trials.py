"""Raw trials as Parquet: columns of numpy arrays, written and read through DuckDB."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planecast.errors import RunError
from planecast.results.atomic import disk_error

Columns = Mapping[str, NDArray[Any]]
"""Column name to a one-dimensional array; every array has the same length."""


def write_parquet(
    columns: Columns, path: Path, shown: Path | None = None, *, nan_is_null: bool = False
) -> None:
    """Write `columns` to `path`; errors call the file `shown`.

    With `nan_is_null` a number that there is none of is NULL, which SQL's max and avg leave out.

    Raises ValueError for no columns or columns of different lengths, RunError for what the disk
    refuses.
    """
    import duckdb

    arrays = {name: np.asarray(column) for name, column in columns.items()}
    lengths = {array.shape for array in arrays.values()}
    if len(lengths) != 1 or any(len(shape) != 1 for shape in lengths):
        shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise ValueError(f"columns of one length are needed, got {shapes or 'none'}")
    names = [name for name, array in arrays.items() if nan_is_null and array.dtype.kind == "f"]
    null = ", ".join(
        f'CASE WHEN NOT isnan("{name}") THEN "{name}" END AS "{name}"' for name in names
    )
    what = f"* REPLACE ({null})" if null else "*"
    with duckdb.connect(":memory:") as connection:
        connection.register("trials", arrays)
        try:
            connection.execute(
                f"COPY (SELECT {what} FROM trials) TO {quoted(path)} "
                "(FORMAT parquet, COMPRESSION zstd)"
            )
        except duckdb.IOException as error:
            raise _disk_error(error, shown or path) from error


def read_parquet(path: Path) -> dict[str, NDArray[Any]]:
    """The columns of a ``trials.parquet``; a number that is NULL is NaN, a text None.

    Raises RunError when it can't be read.
    """
    import duckdb

    with duckdb.connect(":memory:") as connection:
        try:
            found = connection.execute(f"SELECT * FROM read_parquet({quoted(path)})").fetchnumpy()
        except duckdb.Error as error:
            raise RunError(
                f"can't read the trials: {str(error).splitlines()[0]}", str(path)
            ) from error
    return {name: _without_mask(column) for name, column in found.items()}


def _without_mask(column: NDArray[Any]) -> NDArray[Any]:
    if not np.ma.is_masked(column):
        return np.asarray(column)
    number = column.dtype.kind in "iufb"
    found = np.array(np.ma.getdata(column), dtype=np.float64 if number else object)
    found[np.ma.getmaskarray(column)] = np.nan if number else None
    return found


def quoted(path: Path) -> str:
    """A path as an SQL string."""
    return "'" + str(path).replace("'", "''") + "'"


def _disk_error(error: Exception, path: Path) -> RunError:
    # DuckDB hands errno over only inside its message.
    text = str(error)
    full = "No space left" in text or '"errno":"28"' in text or "quota" in text.lower()
    return disk_error(28 if full else None, text.splitlines()[0], path)
