"""Games and positions as Arrow tables.

>>> import kirin
>>> games = kirin.games("../../data/tests/fixtures/played-1", variant="wangqi", columns=["game_id", "plies"])
>>> games.column_names
['game_id', 'plies', 'variant']
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from kirin import _native

if TYPE_CHECKING:
    from pyarrow import Table as _Table

__all__ = ["games", "positions"]


def games(
    folder: str | os.PathLike[str], *, variant: str | None = None, columns: Sequence[str] | None = None
) -> _Table:
    """The games of a run, or of a data folder, as a table of pyarrow: a row for each game.

    `variant` chooses the games of one variant, `columns` some of the columns; `variant` is always among them. A file of an
    earlier version has nulls in the columns that it lacks. `polars.from_arrow()` and `to_pandas()` take the table on. The
    games of matches are read by `kirin query FOLDER "select * from games" --to parquet --out FILE`.

    >>> import kirin
    >>> games = kirin.games("../../data/tests/fixtures/played-1", variant="wangqi")
    >>> games.num_rows > 0 and set(games["variant"].to_pylist()) == {"wangqi"}
    True
    """
    return _table(folder, "games", variant, columns)


def positions(
    folder: str | os.PathLike[str], *, variant: str | None = None, columns: Sequence[str] | None = None
) -> _Table:
    """The searched positions of a run, or of a data folder, as a table of pyarrow: a row for each position.

    The arguments are those of games(). `game_id` joins both tables.

    >>> import kirin
    >>> columns = ["game_id", "ply", "root_win", "root_draw"]
    >>> kirin.positions("../../data/tests/fixtures/played-1", variant="wangqi", columns=columns).num_columns
    5
    """
    return _table(folder, "positions", variant, columns)


def _table(
    folder: str | os.PathLike[str], table: Literal["games", "positions"], variant: str | None, columns: Sequence[str] | None
) -> _Table:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise ImportError(f"{error}; pip install pyarrow") from error
    variants = [variant] if variant is not None else list(_native.VARIANTS)
    parts = []
    for name in variants:
        for path in _native.parquet_files(folder, table, variant=name):
            with pyarrow.parquet.ParquetFile(path) as file:
                wanted = [column for column in file.schema_arrow.names if columns is None or column in columns]
                part = file.read(columns=wanted)
            if "variant" not in part.column_names:
                part = part.append_column("variant", pyarrow.repeat(name, part.num_rows))
            parts.append(part)
    if not parts:
        raise ValueError(f"{os.fspath(folder)} holds no {table}" + (f" of {variant}" if variant is not None else "") + " yet")
    whole = pyarrow.concat_tables(parts, promote_options="default")
    if missing := [column for column in columns or [] if column not in whole.column_names]:
        raise ValueError(f"the {table} have no column {missing[0]!r}; kirin.parquet_files() names the files that have all")
    return whole
