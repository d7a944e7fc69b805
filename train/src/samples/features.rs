//! All samples of a window as Parquet, for training with another program (`kirin.net`).

use crate::error::{Result, TrainError};
use crate::heads::{self, Width};
use crate::samples::dataset::{Dataset, Split};
use crate::samples::moves::{MOVE_NUMBERS, numbers};
use crate::samples::sample::{Batch, Reading};
use data::durable;
use data::{FeatureRow, TargetColumn};
use network::{Blueprint, FileError};
use rules::encode::Shape;
use rules::{MoveList, Variant};
use serde::Serialize;
use std::io::{ErrorKind, Write as _};
use std::path::Path;

/// The file that says what the others are. It comes last, so a folder that has it is whole.
const DESCRIPTION: &str = "features.json";
/// Version of the folder. It grows when columns change their meaning.
const VERSION: u32 = 2;
/// Bytes of planes in a file before compression. Twice that is in memory while it is written.
const FILE_BYTES: usize = 64 << 20;
/// Rows of a file at least, however large the planes are.
const FEWEST_ROWS: usize = 64;

/// What a folder of features holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FeatureFolder {
    format_version: u32,
    /// What the planes and the targets are made for.
    pub blueprint: Blueprint,
    /// Rows that are trained on.
    pub training: FeatureFiles,
    /// Rows of games that are kept for validation.
    pub validation: FeatureFiles,
}

/// Files of features, in the order of their rows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FeatureFiles {
    /// Rows of all of them.
    pub rows: u64,
    /// Their names.
    pub files: Vec<String>,
}

impl<V: Variant> Dataset<V> {
    /// Writes every row of the window into a new or empty folder, as a network of this blueprint is trained on it when
    /// `progress` of the run (0 to 1) is over, and not mirrored: `docs/reference/files.md` has the columns. The file `features.json`
    /// comes last.
    ///
    /// # Errors
    /// There is no row, something is in the folder, or a file cannot be written.
    pub fn write_features(&self, folder: &Path, blueprint: &Blueprint, progress: f64) -> Result<FeatureFolder> {
        if self.rows() + self.held_out_rows() == 0 {
            return Err(TrainError::Data(format!("there is no position of {} to write", V::ID)));
        }
        durable::create_folder(folder)?;
        let io = |source| FileError::Io { action: "write into", path: folder.to_owned(), source };
        if std::fs::read_dir(folder).map_err(io)?.next().is_some() {
            return Err(io(ErrorKind::DirectoryNotEmpty.into()).into());
        }
        let about = serde_json::json!({ "format_version": VERSION, "blueprint": blueprint }).to_string();
        let reading = self.reading(progress, blueprint);
        let write = |name, split| self.write_split(folder, name, split, reading, &about, blueprint);
        let (training, validation) = (write("training", Split::Training)?, write("validation", Split::Validation)?);
        let made = FeatureFolder { format_version: VERSION, blueprint: blueprint.clone(), training, validation };
        let text = serde_json::to_string_pretty(&made).map_err(FileError::from)?;
        durable::write_atomically(&folder.join(DESCRIPTION), |file| writeln!(file, "{text}"))?;
        Ok(made)
    }

    fn write_split(
        &self,
        folder: &Path,
        name: &str,
        split: Split,
        reading: Reading,
        about: &str,
        blueprint: &Blueprint,
    ) -> Result<FeatureFiles> {
        let most = (FILE_BYTES / (4 * blueprint.shape.input_len())).max(FEWEST_ROWS);
        let mut made = FeatureFiles::default();
        let (mut batch, mut origins, mut legal) = (Batch::new(reading), Vec::new(), MoveList::new());
        let mut rows = self.recorded(split).peekable();
        while let Some((game, row)) = rows.next() {
            batch.push(game, row, false, reading, &mut legal);
            origins.push((game.id, row.ply));
            if batch.len() < most && rows.peek().is_some() {
                continue;
            }
            let file = format!("{name}-{:05}.parquet", made.files.len());
            write_file(&folder.join(&file), &batch, &origins, blueprint, about)?;
            made.rows += origins.len() as u64;
            made.files.push(file);
            batch = Batch::new(reading);
            origins.clear();
        }
        Ok(made)
    }
}

fn write_file(
    path: &Path,
    batch: &Batch,
    origins: &[(u64, u16)],
    blueprint: &Blueprint,
    about: &str,
) -> Result<(), data::DataError> {
    let shape = blueprint.shape;
    let moves: Vec<u32> = batch.leaves.tokens.iter().flat_map(numbers).collect();
    let part = |row: usize, width: usize| row * width..(row + 1) * width;
    let columns = target_columns(batch, shape);
    let rows: Vec<FeatureRow> = origins
        .iter()
        .enumerate()
        .map(|(row, &(game_id, ply))| {
            let range = batch.leaves.range_of(row);
            FeatureRow {
                game_id,
                ply: ply.into(),
                planes: &batch.leaves.planes[part(row, shape.input_len())],
                moves: &moves[MOVE_NUMBERS * range.start..MOVE_NUMBERS * range.end],
                policy: &batch.policy[range],
                policy_weight: batch.policy_weight[row],
                targets: columns.iter().map(|(_, values, width)| &values[part(row, *width)]).collect(),
            }
        })
        .collect();
    let targets: Vec<TargetColumn> = columns.iter().map(|(column, ..)| *column).collect();
    data::write_features(path, &targets, &rows, &[("kirin.features", about.to_owned())])
}

/// The columns of targets, each with its values and how many of them a row has. Heads that the network lacks have none.
fn target_columns(batch: &Batch, shape: Shape) -> Vec<(TargetColumn, &[f32], usize)> {
    let mut heads = batch.heads.iter();
    let columns = heads::columns().into_iter().filter_map(|column| match column {
        heads::Column::Head(head) => {
            let column = match head.width {
                Width::Number => TargetColumn::Number(head.name),
                Width::Numbers(_) | Width::OfShape { .. } => TargetColumn::List(head.name),
            };
            Some((column, heads.next()?.as_slice(), head.width.of(shape))).filter(|(.., width)| *width > 0)
        }
        heads::Column::Weight(weight) => {
            let values = batch.weights[weight as usize].as_slice();
            weight.counts_in(shape).then_some((TargetColumn::Number(weight.name()), values, 1))
        }
    });
    columns.collect()
}
