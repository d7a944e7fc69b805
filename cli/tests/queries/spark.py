"""Runs Spark SQL queries, a JSON list of texts on standard input, on this machine, and prints their rows as JSON."""

import json
import sys

from pyspark.sql import SparkSession

COLUMNS = ["setup_first", "setup_second", "line", "games", "first_wins", "draws"]

builder = SparkSession.builder.master("local[2]")
# Nothing listens to the outside, and a small table is not cut into 200 parts.
for name, value in {
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.shuffle.partitions": "2",
}.items():
    builder = builder.config(name, value)
spark = builder.getOrCreate()
tables = [spark.sql(query).collect() for query in json.load(sys.stdin)]
json.dump([[[row[column] for column in COLUMNS] for row in rows] for rows in tables], sys.stdout)
spark.stop()
