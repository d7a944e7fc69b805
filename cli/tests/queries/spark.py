"""Runs Spark SQL queries, a JSON list of texts on standard input, on this machine, and prints their rows as JSON.

The arguments are a folder for Spark's own tables and, for queries of `s3a://`, the address of an S3 and the jars of its client.
"""

import json
import sys

from pyspark.sql import SparkSession

COLUMNS = ["setup_first", "setup_second", "line", "games", "first_wins", "draws"]

warehouse, *s3 = sys.argv[1:]
# Nothing listens to the outside, and a small table is not cut into 200 parts.
settings = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.warehouse.dir": warehouse,
}
if s3:
    endpoint, *jars = s3
    settings |= {
        "spark.jars": ",".join(jars),
        "spark.hadoop.fs.s3a.endpoint": endpoint,
        "spark.hadoop.fs.s3a.path.style.access": "true",
        "spark.hadoop.fs.s3a.access.key": "test",
        "spark.hadoop.fs.s3a.secret.key": "test",
        "spark.hadoop.fs.s3a.aws.credentials.provider": "org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider",
        # The client is older than Spark's Hadoop, whose own values have units that it cannot read.
        "spark.hadoop.fs.s3a.threads.keepalivetime": "60",
        "spark.hadoop.fs.s3a.connection.establish.timeout": "5000",
        "spark.hadoop.fs.s3a.connection.timeout": "200000",
        "spark.hadoop.fs.s3a.multipart.purge.age": "86400",
    }
builder = SparkSession.builder.master("local[2]")
for name, value in settings.items():
    builder = builder.config(name, value)
spark = builder.getOrCreate()
tables = [spark.sql(query).collect() for query in json.load(sys.stdin)]
json.dump([[[row[column] for column in COLUMNS] for row in rows] for rows in tables], sys.stdout)
spark.stop()
