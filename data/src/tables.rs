//! What the files of all tables have in common.

/// Version of the tables of a data folder. It grows when columns come, go or change their meaning; files of earlier
/// versions stay readable. Version 2 has no `opening_id` in `games`, which nothing ever filled; version 3 has `proven` in
/// `positions`; version 4 has `event`, `site`, `round`, `opening` and `opening_plies` in `games`, and version 5
/// `rating_first` and `rating_second`.
pub const SCHEMA_VERSION: u32 = 5;

/// Rows of a Parquet row group, at most.
pub(crate) const ROW_GROUP_ROWS: usize = 65_536;

/// Footer key of the schema version.
pub(crate) const FOOTER_SCHEMA_VERSION: &str = "kirin.schema_version";

/// Footer key of the digest of the configuration.
pub(crate) const FOOTER_CONFIG: &str = "kirin.config";

/// Footer key of the revision of the program.
pub(crate) const FOOTER_GIT_REVISION: &str = "kirin.git_revision";

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::{env, fs};

    use rules::Wangqi;

    use crate::column::{Column, TableSchema};
    use crate::features::FeatureTable;
    use crate::game::GameTable;
    use crate::match_game::MatchGameTable;
    use crate::position_table::PositionTable;

    /// The columns of a table as docs/reference/files.md lists them.
    fn described<T: TableSchema>() -> String {
        let mut text = "\n| column | type | meaning |\n|---|---|---|\n".to_owned();
        for Column { name, kind, meaning, .. } in T::columns() {
            let _ = writeln!(text, "| `{name}` | {kind} | {meaning} |");
        }
        text + "\n"
    }

    /// `UPDATE_EXPECT=1 cargo test --release -p data --lib` writes the tables anew.
    #[test]
    fn the_reference_lists_the_declared_columns() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/reference/files.md");
        let page = fs::read_to_string(path).unwrap();
        let tables = [
            ("games", described::<GameTable<Wangqi>>()),
            ("positions", described::<PositionTable<Wangqi>>()),
            ("match games", described::<MatchGameTable>()),
            ("features", described::<FeatureTable>()),
        ];
        let mut wanted = page.clone();
        for (table, columns) in tables {
            let begin = format!("<!-- columns of {table}: written from the code by `UPDATE_EXPECT=1 cargo test` -->\n");
            let (before, rest) = wanted.split_once(&begin).unwrap_or_else(|| panic!("files.md lacks {begin}"));
            let (_, after) = rest.split_once("<!-- end -->").expect("the end of the table");
            wanted = format!("{before}{begin}{columns}<!-- end -->{after}");
        }
        if env::var_os("UPDATE_EXPECT").is_some() {
            fs::write(path, wanted).unwrap();
        } else {
            assert!(page == wanted, "files.md is not what the columns say: UPDATE_EXPECT=1 rewrites it");
        }
    }
}
