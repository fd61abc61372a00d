//! Small tables of numbers, from a file or straight from the command line: confusion tables, counts, weights.

use super::RatingsError;
use super::lines::Lines;
use csv::{ReaderBuilder, StringRecord, Trim};

/// Most numbers of a table.
const MOST_NUMBERS: usize = 10_000_000;

/// A table of numbers; names where the first line or the first column is no number.
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    /// Names of the columns.
    pub columns: Option<Vec<String>>,
    /// The rows.
    pub rows: Vec<MatrixRow>,
}

/// A row of a [`Matrix`].
#[derive(Debug, Clone, PartialEq)]
pub struct MatrixRow {
    /// Its name.
    pub name: Option<String>,
    /// Its numbers, finite.
    pub numbers: Vec<f64>,
    /// Its line, from 1.
    pub line: u64,
}

/// Whether a text is numbers with separators, as `20,5; 10,15`, and not the name of a file.
pub fn looks_inline(text: &str) -> bool {
    let digits = text.chars().any(|character| character.is_ascii_digit());
    digits
        && text.chars().all(|character| matches!(character, '0'..='9' | '-' | '.' | ',' | ';' | ' ' | '\n'))
        && text.contains([',', ';', ' '])
}

/// Reads a table. Rows are lines; fields are separated by `delimiter`. All rows must be equally long.
pub fn parse_matrix(file: &str, bytes: &[u8], delimiter: u8) -> Result<Matrix, RatingsError> {
    let bad = |line: u64, problem: String| RatingsError::BadTable { file: file.to_owned(), line, problem };
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .trim(Trim::All)
        .delimiter(delimiter)
        .from_reader(bytes);
    let mut places = Lines::of(bytes);
    let mut lines: Vec<(u64, StringRecord)> = Vec::new();
    let mut numbers = 0;
    for record in reader.records() {
        let record = record.map_err(|error| {
            bad(places.of_record(error.position()), "not UTF-8 text; save the table as UTF-8".to_owned())
        })?;
        numbers += record.len();
        if numbers > MOST_NUMBERS {
            let (file, most) = (file.to_owned(), MOST_NUMBERS as u64);
            return Err(RatingsError::TooMuch { file, most, what: "numbers", next: "" });
        }
        lines.push((places.of_record(record.position()), record));
    }
    let Some((_, first)) = lines.first() else { return Err(RatingsError::Empty { file: file.to_owned() }) };
    // A first line with a text in it, other than in its first field, holds names.
    let named = first.iter().skip(1).any(|field| field.parse::<f64>().is_err())
        || (first.len() == 1 && first.iter().any(|field| field.parse::<f64>().is_err()));
    let header: Option<Vec<String>> = named.then(|| first.iter().map(str::to_owned).collect());
    let body = &lines[usize::from(named)..];
    let Some((_, start)) = body.first() else { return Err(RatingsError::NoRows { file: file.to_owned() }) };
    let width = start.len();
    // Rows have names where the first field of any is no number, or where the header says so.
    let headed = header.as_ref().is_some_and(|header| {
        header.len() == width && header.first().is_some_and(|name| name.is_empty() || name == "item")
    });
    let names =
        headed || body.iter().any(|(_, row)| row.get(0).is_some_and(|field| field.parse::<f64>().is_err()));
    let skip = usize::from(names);
    let mut rows = Vec::with_capacity(body.len());
    for (line, row) in body {
        if row.len() != width {
            let problem = format!("a row of {} where the first has {width}", row.len());
            return Err(bad(*line, problem));
        }
        let number = |field: &str| match field.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(number),
            _ => Err(bad(*line, format!("`{field}` is not a number"))),
        };
        let numbers = row.iter().skip(skip).map(number).collect::<Result<Vec<f64>, _>>()?;
        let name = names.then(|| row.get(0).unwrap_or_default().to_owned());
        rows.push(MatrixRow { name, numbers, line: *line });
    }
    let columns = match header {
        None => None,
        Some(header) if header.len() == width => Some(header[skip..].to_vec()),
        // Some programs leave the corner out.
        Some(header) if header.len() + skip == width => Some(header),
        Some(header) => {
            let problem = format!("{} names for {width} columns", header.len());
            return Err(bad(1, problem));
        }
    };
    Ok(Matrix { columns, rows })
}
