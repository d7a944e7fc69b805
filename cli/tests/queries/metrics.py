"""Reads a table of metrics with polars and with DuckDB, and prints what both say as JSON: rows of column and value."""

import json
import sys

import duckdb
import polars

path = sys.argv[1]
by_polars = polars.read_parquet(path).sort("generation").to_dicts()
table = duckdb.sql(f"select * from read_parquet('{path}') order by generation")
by_duckdb = [dict(zip(table.columns, row)) for row in table.fetchall()]
json.dump({"polars": by_polars, "duckdb": by_duckdb}, sys.stdout)
