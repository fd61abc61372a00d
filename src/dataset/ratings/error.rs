//! What stops the reading of a file of ratings as a whole: what is wrong, where, and what to do next.

use super::super::error::nearest_name;
use crate::text::sanitise;

/// Why a file cannot be read as ratings or as a table.
#[derive(Debug, thiserror::Error)]
pub enum RatingsError {
    /// The system does not let us read it.
    #[error("cannot read `{}`: {source}; check its name and permissions", sanitise(.file))]
    Unreadable {
        /// The file.
        file: String,
        /// The system's reason.
        source: std::io::Error,
    },
    /// There is nothing in it.
    #[error("`{}` is empty; it needs a line of column names and a row for each label", sanitise(.file))]
    Empty {
        /// The file.
        file: String,
    },
    /// There are column names and nothing else.
    #[error("`{}` has column names and no rows", sanitise(.file))]
    NoRows {
        /// The file.
        file: String,
    },
    /// It is not UTF-8 text.
    #[error("`{}` is UTF-16; save it as UTF-8", sanitise(.file))]
    Utf16 {
        /// The file.
        file: String,
    },
    /// Columns that are needed are not there.
    #[error("{}", missing_columns(.file, .wanted, .found))]
    MissingColumns {
        /// The file.
        file: String,
        /// What is wanted: the flag that names it, and the name.
        wanted: Vec<(&'static str, String)>,
        /// The columns there are.
        found: Vec<String>,
    },
    /// A wide table without a column of labels.
    #[error("`{}` has no column of a rater: with --wide each has one beside the item", sanitise(.file))]
    NoRaters {
        /// The file.
        file: String,
    },
    /// Two columns have one name, and it is one that is read.
    #[error("`{}` has two columns `{}`; rename one of them", sanitise(.file), sanitise(.name))]
    TwoColumns {
        /// The file.
        file: String,
        /// Their name.
        name: String,
    },
    /// One column is named for two purposes.
    #[error("the column `{}` cannot be both {one} and {other}", sanitise(.name))]
    OneColumnTwice {
        /// Its name.
        name: String,
        /// A purpose.
        one: &'static str,
        /// The other purpose.
        other: &'static str,
    },
    /// More data than are read.
    #[error("`{}` has more than {most} {what}{}", sanitise(.file), .next)]
    TooMuch {
        /// The file.
        file: String,
        /// How many there may be.
        most: u64,
        /// Of what.
        what: &'static str,
        /// What to do, after a semicolon; or nothing.
        next: &'static str,
    },
    /// A table that is none.
    #[error("{}, line {line}: {problem}", sanitise(.file))]
    BadTable {
        /// The file, or what stands for it.
        file: String,
        /// The line, from 1.
        line: u64,
        /// What is wrong and what helps.
        problem: String,
    },
}

fn missing_columns(file: &str, wanted: &[(&'static str, String)], found: &[String]) -> String {
    let quoted = |name: &str| format!("`{}`", sanitise(name));
    let names: Vec<String> = wanted.iter().map(|(_, name)| quoted(name)).collect();
    let there: Vec<String> = found.iter().take(40).map(|name| quoted(name)).collect();
    let more = if found.len() > there.len() { ", …" } else { "" };
    let flags: Vec<String> = wanted
        .iter()
        .map(|(flag, name)| {
            let near = nearest_name(name, found.iter().map(String::as_str));
            let column = near.map_or("COL".to_owned(), |near| sanitise(near).into_owned());
            format!("{flag} {column}")
        })
        .collect();
    let next = match found {
        [only] if only.contains(';') || only.contains('\t') => {
            let which = if only.contains(';') { "';'" } else { "tab" };
            format!("the columns are not separated by commas: add --delimiter {which}")
        }
        _ => format!("name what is meant with {}", flags.join(" ")),
    };
    let noun = if names.len() == 1 { "no column" } else { "no columns" };
    format!("`{}` has {noun} {}; it has {}{more}; {next}", sanitise(file), names.join(", "), there.join(", "))
}
