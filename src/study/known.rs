//! Training and gold items: tasks or turns whose answers are known, as a file has them.
//!
//! Promises: every bad line is told, with its number; answers are checked as those of annotators are; the command line
//! and the workbench read them by this. Leaves to others: what becomes of them (`draft`).

use super::Candidate;
use crate::label::codebook::Codebook;
use crate::label::entry;
use crate::label::item::{Answered, Purpose};
use crate::label::turn::may_mean;
use crate::label::value::Labels;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Error, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Largest file that is read, bytes.
const LARGEST: u64 = 64 << 20;

/// What the items of a round are drawn from, and where those with known answers are told.
#[derive(Debug, Clone, Default)]
pub struct Pool {
    /// What passes the filter.
    pub passing: Arc<Vec<Candidate>>,
    /// All that could be an item; training and gold items need not pass.
    pub all: Arc<Vec<Candidate>>,
    /// A file of training items.
    pub training: Option<PathBuf>,
    /// A file of gold items.
    pub gold: Option<PathBuf>,
}

/// Why items with known answers cannot be taken.
#[derive(Debug, thiserror::Error)]
pub enum KnownError {
    /// The file cannot be read.
    #[error("{file}: cannot be read: {why}; name a file of JSON Lines")]
    Unreadable {
        /// The file.
        file: String,
        /// What is wrong.
        why: String,
    },
    /// Lines that cannot be taken, each with the file, its number and why.
    #[error("{}", .0.join("\n"))]
    BadLines(Vec<String>),
}

impl Pool {
    /// The items with known answers: training, then gold.
    ///
    /// # Errors
    ///
    /// A file that cannot be read, lines that cannot be taken.
    pub fn known(&self, codebook: &Codebook) -> Result<Vec<(Candidate, Purpose)>, KnownError> {
        let mut known = Vec::new();
        for file in self.training.iter().chain(&self.gold) {
            // A pipe would keep who looks waiting.
            if std::fs::metadata(file).is_ok_and(|about| !about.is_file()) {
                let file = crate::text::sanitise(&file.display().to_string()).into_owned();
                return Err(KnownError::Unreadable { file, why: "it is no file".to_owned() });
            }
        }
        if let Some(file) = &self.training {
            known.extend(known_items(file, codebook, &self.all, Purpose::Training)?);
        }
        if let Some(file) = &self.gold {
            known.extend(known_items(file, codebook, &self.all, Purpose::Gold)?);
        }
        Ok(known)
    }
}

/// A line of training or gold items.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct KnownLine {
    item: String,
    answers: BTreeMap<String, serde_json::Value>,
    #[serde(default)]
    why: String,
}

/// The items of a file with known answers, in the order of their names.
///
/// # Errors
///
/// A file that cannot be read, lines that cannot be taken.
pub fn known_items(
    file: &Path,
    codebook: &Codebook,
    all: &[Candidate],
    purpose: fn(Answered) -> Purpose,
) -> Result<Vec<(Candidate, Purpose)>, KnownError> {
    let name = crate::text::sanitise(&file.display().to_string()).into_owned();
    let text =
        read(file).map_err(|why| KnownError::Unreadable { file: name.clone(), why: why.to_string() })?;
    let mut items: BTreeMap<String, (Candidate, Purpose)> = BTreeMap::new();
    let mut bad = Vec::new();
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        match known_line(line, codebook, all) {
            Ok((candidate, answered)) => {
                let item = candidate.name.clone();
                if items.insert(item.clone(), (candidate, purpose(answered))).is_some() {
                    bad.push(format!("{name}, line {number}: {item} comes twice"));
                }
            }
            Err(why) => bad.push(format!("{name}, line {number}: {why}")),
        }
    }
    if bad.is_empty() { Ok(items.into_values().collect()) } else { Err(KnownError::BadLines(bad)) }
}

fn read(file: &Path) -> Result<String, Error> {
    let mut text = String::new();
    File::open(file)?.take(LARGEST + 1).read_to_string(&mut text)?;
    match text.len() as u64 {
        0..=LARGEST => Ok(text),
        _ => Err(Error::new(ErrorKind::FileTooLarge, "it is larger than 64 MiB")),
    }
}

fn known_line(line: &str, codebook: &Codebook, all: &[Candidate]) -> Result<(Candidate, Answered), String> {
    let line: KnownLine = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let exact = all.iter().find(|candidate| candidate.name == line.item);
    let fitting: Vec<&Candidate> = match exact {
        Some(exact) => vec![exact],
        None => all.iter().filter(|candidate| may_mean(&line.item, &candidate.name)).take(2).collect(),
    };
    let candidate = match fitting.as_slice() {
        [only] => *only,
        [] => return Err(format!("there is nothing to draw that is called `{}`", line.item)),
        _ => return Err(format!("`{}` may be several; write the whole name", line.item)),
    };
    let mut answers = Labels::new();
    for asked in &codebook.questions {
        let given = line
            .answers
            .iter()
            .find(|(name, _)| entry::question(codebook, name).is_ok_and(|question| question.id == asked.id));
        if let Some((_, answer)) = given {
            let value = entry::of_json(asked, answer).map_err(|error| error.to_string())?;
            codebook.check(&asked.id, &value, &answers).map_err(|error| error.to_string())?;
            answers.insert(asked.id.clone(), value);
        }
    }
    if let Some(unknown) = line.answers.keys().find(|name| entry::question(codebook, name).is_err()) {
        return Err(format!("there is no question `{unknown}`"));
    }
    Ok((candidate.clone(), Answered { answers, why: line.why }))
}
