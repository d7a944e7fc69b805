"""DuckDB makes the table of `kirin openings`: lines with their results, and the games that reached their positions.

Arguments: data folder, variant, longest line in plies, fewest games of a line, threads. Prints a JSON object.
"""

import json
import resource
import sys
import time

import duckdb

folder, variant, depth, min_games, threads = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:])
begin = time.perf_counter()
db = duckdb.connect()
db.execute(f"SET threads = {threads}")
db.execute("SET preserve_insertion_order = false")
table = lambda name: f"read_parquet('{folder}/{name}/variant={variant}/**/*.parquet', hive_partitioning = false)"
db.execute(
    f"""
    CREATE TEMP TABLE counted AS
    SELECT game_id, result, string_split(moves_text, ' ') AS words FROM {table('games')}
    WHERE (start_fen IS NULL OR setup_first IS NOT NULL) AND game_id NOT IN
        (SELECT game_id FROM {table('positions')} GROUP BY game_id HAVING min(ply) > 0)
    """
)
db.execute(
    f"""
    CREATE TEMP TABLE followers AS
    SELECT game_id, result, ply::UINTEGER AS ply, array_to_string(words[1:ply], ' ') AS line
    FROM counted, range(1, {depth} + 1) AS plies(ply) WHERE ply <= len(words)
    """
)
db.execute(
    f"""
    CREATE TEMP TABLE lines AS
    SELECT ply, line, count(*) AS games, count(*) FILTER (result > 0) AS first_wins, count(*) FILTER (result = 0) AS draws
    FROM followers GROUP BY ply, line HAVING count(*) >= {min_games}
    """
)
db.execute("CREATE TEMP TABLE members AS SELECT game_id, ply, line FROM followers SEMI JOIN lines USING (ply, line)")
db.execute(
    f"""
    CREATE TEMP TABLE keys AS
    SELECT ply, line, any_value(pos_key) AS key FROM members JOIN {table('positions')} USING (game_id, ply) GROUP BY ply, line
    """
)
db.execute(
    f"""
    CREATE TEMP TABLE reached AS
    SELECT key, count(DISTINCT game_id) AS position_games FROM (
        SELECT pos_key AS key, game_id FROM {table('positions')} SEMI JOIN keys ON key = pos_key
        UNION ALL SELECT key, game_id FROM members JOIN keys USING (ply, line)
    ) GROUP BY key
    """
)
rows, games, reached = db.execute(
    """
    CREATE TEMP TABLE openings AS
    SELECT ply, line, games, first_wins, draws, position_games
    FROM lines LEFT JOIN keys USING (ply, line) LEFT JOIN reached USING (key) ORDER BY ply, games DESC, line;
    SELECT count(*), sum(games), sum(position_games) FROM openings
    """
).fetchone()
seconds = time.perf_counter() - begin
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
sums = {"rows": rows, "games": int(games or 0), "reached": int(reached or 0)}
json.dump({"seconds": seconds, "peak_rss_mib": peak, **sums}, sys.stdout)
