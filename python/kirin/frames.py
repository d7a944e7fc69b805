"""Games, positions and games of matches as Arrow tables.

>>> import kirin
>>> games = kirin.games("../../data/tests/fixtures/played-1", variant="wangqi", columns=["game_id", "plies"])
>>> games.column_names
['game_id', 'plies', 'variant']
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from kirin._native import VARIANTS, _write_matches, parquet_files

if TYPE_CHECKING:
    from pyarrow import Table as _Table

__all__ = ["games", "matches", "positions"]


def games(
    folder: str | os.PathLike[str], *, variant: str | None = None, columns: Sequence[str] | None = None
) -> _Table:
    """The games of a run, or of a data folder, as a table of pyarrow: a row for each game.

    `variant` chooses the games of one variant, `columns` some of the columns; `variant` is always among them. A file of an
    earlier version has nulls in the columns that it lacks. `polars.from_arrow()` and `to_pandas()` take the table on. The
    games of matches are those of matches().

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


def matches(
    path: str | os.PathLike[str], *, variant: str | None = None, columns: Sequence[str] | None = None
) -> _Table:
    """The games of a match log, or of all match logs of a run or of a folder, as a table of pyarrow: a row for each game.

    `first` and `second` are the players by side, `result` is 1 if the player who moved first won, and the first
    `opening_plies` of the moves are the opening. The columns are those of `kirin eval export --to parquet`. Games that ended
    after the decision of a sequential test are not among them. `variant` and `columns` are as for games().

    >>> import kirin
    >>> games = kirin.matches("../../eval/tests/data/logs", columns=["first", "second", "result", "termination"])
    >>> games.column_names
    ['variant', 'first', 'second', 'result', 'termination']
    """
    parquet = _parquet()
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "matches.parquet")
        _write_matches(path, file, variant=variant)
        return _chosen(parquet.read_table(file, memory_map=False), "games of matches", columns)


def _parquet() -> Any:
    try:
        import pyarrow.parquet
    except ImportError as error:
        raise ImportError(f"{error}; pip install pyarrow") from error
    return pyarrow.parquet


def _chosen(table: _Table, what: str, columns: Sequence[str] | None) -> _Table:
    """Those columns, and the variant, in the order of the table."""
    if missing := [column for column in columns or [] if column not in table.column_names]:
        raise ValueError(f"the {what} have no column {missing[0]!r}; there are: {', '.join(table.column_names)}")
    if columns is None:
        return table
    return table.select([column for column in table.column_names if column in columns or column == "variant"])


def _table(
    folder: str | os.PathLike[str], table: Literal["games", "positions"], variant: str | None, columns: Sequence[str] | None
) -> _Table:
    parquet = _parquet()
    import pyarrow

    variants = [variant] if variant is not None else list(VARIANTS)
    parts = []
    for name in variants:
        for path in parquet_files(folder, table, variant=name):
            with parquet.ParquetFile(path) as file:
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
