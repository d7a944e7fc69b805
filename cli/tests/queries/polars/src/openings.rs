use polars::prelude::*;

pub fn openings(data: &str, variant: &str) -> PolarsResult<DataFrame> {
    let scan = |table: &str| {
        let files = PlRefPath::new(format!("{data}/{table}/variant={variant}/**/*.parquet"));
        LazyFrame::scan_parquet(files, ScanArgsParquet::default())
    };
    let first = scan("positions")?.group_by([col("game_id")]).agg([col("ply").min()]);
    let unchosen = first.filter(col("ply").gt(lit(0))).select([col("game_id")]);
    let from_start = col("start_fen").is_null().or(col("setup_first").is_not_null());
    let moves = col("moves_text").str().split(lit(" ")).list();
    scan("games")?
        .filter(col("plies").gt_eq(lit(2)).and(from_start))
        .join(unchosen, [col("game_id")], [col("game_id")], JoinArgs::new(JoinType::Anti))
        .with_column(moves.head(lit(2)).list().join(lit(" "), true).alias("line"))
        .group_by([col("setup_first"), col("setup_second"), col("line")])
        .agg([
            len().alias("games"),
            col("result").gt(lit(0)).sum().alias("first_wins"),
            col("result").eq(lit(0)).sum().alias("draws"),
        ])
        .sort(["games", "line"], SortMultipleOptions::default().with_order_descending_multi([true, false]))
        .collect()
}
