"""Runs a query of data/README.md, read from standard input, and prints its rows as JSON.

The argument is its language: `sql` for DuckDB, or `python` for a script that leaves a data frame `lines`, of polars or pandas.
"""

import json
import sys

COLUMNS = ["setup_first", "setup_second", "line", "games", "first_wins", "draws"]

text = sys.stdin.read()
if sys.argv[1] == "sql":
    import duckdb

    table = duckdb.sql(text)
    rows = [dict(zip(table.columns, row)) for row in table.fetchall()]
else:
    scope = {}
    exec(text, scope)
    lines = scope["lines"]
    rows = lines.to_dicts() if hasattr(lines, "to_dicts") else lines.to_dict(orient="records")


def plain(value):
    """Whole numbers and texts as JSON has them; what is missing in pandas is not equal to itself."""
    if value is None or value != value:
        return None
    return value if isinstance(value, str) else int(value)


json.dump([[plain(row[column]) for column in COLUMNS] for row in rows], sys.stdout)
