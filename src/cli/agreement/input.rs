//! Opening what the flags name.

use super::choices::{self, Choices};
use super::flags::Flags;
use super::study::{Data, Study, quoted};
use crate::agreement::{Counts, PairTable};
use crate::cli::Failure;
use crate::cli::output::reason;
use crate::dataset::ratings::{
    Columns, Layout, Matrix, MatrixRow, RatingsFile, looks_inline, parse_matrix, read_ratings, read_text,
};
use std::path::Path;

/// The byte between fields.
pub fn delimiter(flags: &Flags) -> Result<u8, Failure> {
    match flags.delimiter.as_str() {
        "tab" | "\\t" => Ok(b'\t'),
        one if one.len() == 1 && one != "\"" && one != "\n" => Ok(one.as_bytes()[0]),
        other => Err(Failure::usage(format!("--delimiter is one character or `tab`, not {}", quoted(other)))),
    }
}

/// The content of a file, or of stdin for `-`.
pub fn bytes(file: &str) -> Result<Vec<u8>, Failure> {
    if file == "-" {
        return read_text("stdin", std::io::stdin().lock()).map_err(Failure::usage);
    }
    let failed = |error: std::io::Error| {
        Failure::usage(format!(
            "cannot read {}: {}; check its name and permissions",
            quoted(file),
            reason(&error)
        ))
    };
    if Path::new(file).is_dir() {
        return Err(Failure::usage(format!("{} is a folder; name a file", quoted(file))));
    }
    read_text(file, std::fs::File::open(file).map_err(failed)?).map_err(Failure::usage)
}

/// The rows of the files of ratings, and the names of these.
pub fn ratings(flags: &Flags) -> Result<(RatingsFile, Vec<String>), Failure> {
    let default = Columns::default();
    let name = |given: &Option<String>, usual: String| given.clone().unwrap_or(usual);
    let layout = Layout {
        columns: Columns {
            item: name(&flags.item, default.item),
            rater: name(&flags.rater, default.rater),
            label: name(&flags.label, default.label),
            question: flags.question.clone(),
            round: flags.round.clone(),
        },
        wide: flags.wide,
        raters: choices::list(flags.raters.as_deref().unwrap_or_default())?,
        delimiter: delimiter(flags)?,
        missing: flags.missing.clone(),
        fold: flags.fold,
    };
    let mut files = Vec::new();
    for path in &flags.ratings {
        let name = path.to_string_lossy().into_owned();
        let content = bytes(&name)?;
        files.push((if name == "-" { "stdin".to_owned() } else { name }, content));
    }
    let read = read_ratings(&files, &layout).map_err(Failure::usage)?;
    Ok((read, files.into_iter().map(|(name, _)| name).collect()))
}

/// A table from a file or from the flag itself.
fn matrix(flags: &Flags, flag: &str, given: &str) -> Result<Matrix, Failure> {
    if !Path::new(given).exists() && (looks_inline(given) || given.trim().parse::<u64>().is_ok()) {
        let lines: Vec<String> = given
            .split([';', '\n'])
            .map(|row| row.split([',', ' ']).filter(|field| !field.is_empty()).collect::<Vec<_>>().join(","))
            .filter(|row| !row.is_empty())
            .collect();
        return parse_matrix(flag, lines.join("\n").as_bytes(), b',').map_err(Failure::usage);
    }
    parse_matrix(given, &bytes(given)?, delimiter(flags)?).map_err(Failure::usage)
}

/// Rows as counts.
fn whole(flag: &str, rows: &[MatrixRow]) -> Result<Vec<Vec<u64>>, Failure> {
    let count = |row: &MatrixRow, number: f64| match number {
        number if number >= 0.0 && number.fract() == 0.0 && number <= 9e15 => Ok(number as u64),
        number => {
            Err(Failure::usage(format!("{flag}, line {}: {number} is not a count: 0, 1, 2, …", row.line)))
        }
    };
    rows.iter().map(|row| row.numbers.iter().map(|number| count(row, *number)).collect()).collect()
}

/// The names of `size` categories: declared, or from the head of the table, or their numbers.
fn names(flags: &Flags, matrix: &Matrix, size: usize) -> Result<Vec<String>, Failure> {
    let declared = choices::for_question(&flags.categories, None)?;
    let numbered = || (0..size).map(|number| number.to_string()).collect();
    let names = declared.or_else(|| matrix.columns.clone()).unwrap_or_else(numbered);
    if names.len() != size {
        let text = format!("{} names of categories for {size} columns; check --categories", names.len());
        return Err(Failure::usage(text));
    }
    Ok(names)
}

/// The study of a confusion table.
pub fn table(flags: &Flags, given: &str, remarks: &mut Vec<String>) -> Result<Study, Failure> {
    let matrix = matrix(flags, "--table", given)?;
    if let Some(columns) = &matrix.columns
        && let Some((row, name)) = matrix
            .rows
            .iter()
            .zip(columns)
            .find(|(row, name)| row.name.as_ref().is_some_and(|own| own != *name))
    {
        return Err(Failure::usage(format!(
            "--table, line {}: row {} stands where the columns have {}; rows and columns must have one order",
            row.line,
            quoted(row.name.as_deref().unwrap_or_default()),
            quoted(name)
        )));
    }
    let table = PairTable::new(&whole("--table", &matrix.rows)?)
        .map_err(|error| Failure::usage(format!("--table: {error}")))?;
    let names = names(flags, &matrix, table.categories())?;
    // A table shows its order.
    let choices = Choices::of(flags, &[], Some(names), remarks).map_err(Failure::usage)?;
    Ok(study(choices, vec!["row".to_owned(), "column".to_owned()], Vec::new(), Data::Table(table)))
}

/// The study of counts.
pub fn counts(flags: &Flags, given: &str, remarks: &mut Vec<String>) -> Result<Study, Failure> {
    let matrix = matrix(flags, "--counts", given)?;
    let rows = whole("--counts", &matrix.rows)?;
    let size = rows.first().map_or(0, Vec::len);
    let counts = Counts::new(size, &rows).map_err(|error| Failure::usage(format!("--counts: {error}")))?;
    let names = names(flags, &matrix, size)?;
    let choices = Choices::of(flags, &[], Some(names), remarks).map_err(Failure::usage)?;
    let items = matrix.rows.iter().map(|row| row.name.clone().unwrap_or_default()).collect();
    Ok(study(choices, Vec::new(), items, Data::Counts(counts)))
}

fn study(choices: Choices, raters: Vec<String>, items: Vec<String>, data: Data) -> Study {
    Study {
        question: None,
        round: None,
        raters,
        items,
        categories: choices.categories,
        declared: true,
        ordered: choices.ordered,
        values: choices.values,
        weights: choices.weights,
        scheme: choices.scheme,
        data,
    }
}
