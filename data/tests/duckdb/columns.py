"""Prints the columns of a Parquet file as DuckDB reads them: {name: {"type": …, "values": […]}}."""

import json
import sys

import duckdb

table = duckdb.read_parquet(sys.argv[1], hive_partitioning=False)
types = dict(zip(table.columns, map(str, table.types)))
# Times in milliseconds since 1970: for others Python would need a package of time zones.
times = [f'epoch_ms("{name}") AS "{name}"' for name, kind in types.items() if kind.startswith("TIMESTAMP")]
rows = table.select(f"* REPLACE ({', '.join(times)})" if times else "*").fetchall()
columns = {name: {"type": types[name], "values": [row[place] for row in rows]} for place, name in enumerate(types)}
json.dump(columns, sys.stdout, default=bytes.hex)
