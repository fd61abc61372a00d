//! What stops a reading as a whole. A bad row does not: see [`super::Skipped`].

use super::looks::Looks;
use crate::text::shown;
use std::io;
use std::path::{Path, PathBuf};

/// Why a path could not be read as a dataset: what is wrong, where, and what to do next.
#[derive(Debug, thiserror::Error)]
pub enum DatasetError {
    /// There is nothing at this path.
    #[error("there is no file or folder `{}`{}", shown(.path), near_file(.near))]
    NotFound {
        /// The path.
        path: PathBuf,
        /// The most similar name in the same folder.
        near: Option<String>,
    },
    /// The system does not let us read it.
    #[error("cannot read `{}`: {source}; check its permissions and that the disk is there", shown(.path))]
    Unreadable {
        /// The path.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// A pipe, socket or device.
    #[error("`{}` is {what}, which cannot be opened in place; write its data to a file and open that", shown(.path))]
    Special {
        /// The path.
        path: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// No format recognises it.
    #[error("`{}` is not a dataset that mendbench reads: it is {}. {}\nLooked for: {}", shown(.path), .looks.what, .looks.next, formats_line())]
    Unrecognised {
        /// The path.
        path: PathBuf,
        /// What it looks like, and what helps.
        looks: Looks,
    },
    /// Several formats recognise it equally well.
    #[error("`{}` could be read as {}; choose with --format", shown(.path), .formats.join(" or "))]
    Ambiguous {
        /// The path.
        path: PathBuf,
        /// Their names.
        formats: Vec<&'static str>,
    },
    /// No format has this name.
    #[error("there is no format `{name}`{}; the formats are {}", nearest(.near), names_line())]
    UnknownFormat {
        /// The name.
        name: String,
        /// The most similar one.
        near: Option<&'static str>,
    },
    /// The chosen format reads files, and this is a folder, or the other way round.
    #[error("the format `{format}` reads {wants}, and `{}` is {found}", shown(.path))]
    WrongPlace {
        /// The path.
        path: PathBuf,
        /// The format.
        format: &'static str,
        /// What it reads.
        wants: &'static str,
        /// What this is.
        found: &'static str,
    },
    /// A name that cannot be the first part of `dataset/id`.
    #[error(
        "`{0}` cannot be the name of a dataset: it must not be empty and must hold no `/`, no white space and no control character"
    )]
    BadDatasetName(String),
}

impl DatasetError {
    pub(crate) fn from_io(path: &Path, source: io::Error) -> DatasetError {
        if source.kind() == io::ErrorKind::NotFound {
            return DatasetError::NotFound { path: path.to_owned(), near: similar_file(path) };
        }
        DatasetError::Unreadable { path: path.to_owned(), source }
    }
}

fn near_file(near: &Option<String>) -> String {
    match near {
        Some(name) => format!("; did you mean `{name}`?"),
        None => "; check the spelling, relative paths start at the current folder".to_owned(),
    }
}

fn nearest(near: &Option<&'static str>) -> String {
    near.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

fn names_line() -> String {
    super::formats().iter().map(|format| format!("`{}`", format.name())).collect::<Vec<_>>().join(", ")
}

fn formats_line() -> String {
    let list: Vec<String> = super::formats()
        .iter()
        .map(|format| format!("{} (`{}`)", format.describe(), format.name()))
        .collect();
    list.join("; ")
}

/// The name in the same folder that is most like the missing one.
fn similar_file(path: &Path) -> Option<String> {
    let wanted = path.file_name()?.to_str()?;
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let names = std::fs::read_dir(parent).ok()?.take(2_000).flatten();
    let names: Vec<String> = names.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    nearest_name(wanted, names.iter().map(String::as_str)).map(str::to_owned)
}

/// The candidate most like `wanted`, if one is like it at all.
pub(crate) fn nearest_name<'a>(wanted: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    // Work grows with the product of the lengths, and `wanted` may come from a hostile file.
    if wanted.len() > 200 {
        return None;
    }
    let wanted_lower = wanted.to_lowercase();
    candidates
        .map(|candidate| (strsim::damerau_levenshtein(&wanted_lower, &candidate.to_lowercase()), candidate))
        .filter(|(distance, candidate)| *distance * 3 <= candidate.chars().count().max(3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}
