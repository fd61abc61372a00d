//! Codebooks, by name or by path: those that come with mendbench, and the user's in `codebooks/`.
//!
//! Promises: a user's codebook with the name of one that comes with mendbench takes its place; what is wrong with a
//! file is told with the file; keys are checked against the keymap in force.
//! Leaves to others: what a codebook is (`label`).

use super::{Config, ConfigError, read_text};
use crate::label::codebook::{Codebook, CodebookErrors, ReservedKeys, SHIPPED, shipped};
use crate::text::sanitise;
use std::path::{Path, PathBuf};

/// Most codebooks of a folder.
const MOST: usize = 200;

/// A codebook, and where it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundCodebook {
    /// The codebook.
    pub codebook: Codebook,
    /// Its file; none: it comes with mendbench.
    pub path: Option<PathBuf>,
    /// The text of the file.
    pub text: String,
}

/// Why there is no codebook.
#[derive(Debug, thiserror::Error)]
pub enum CodebookProblem {
    /// No file can be read there.
    #[error(transparent)]
    Unreadable(#[from] ConfigError),
    /// There is no such file.
    #[error("{}: there is no such file", .0.display())]
    NoFile(PathBuf),
    /// There is no codebook of this name.
    #[error(
        "there is no codebook `{name}`; there are {known}; the file of one is named by its path, as ./{name}.toml"
    )]
    Unknown {
        /// What was written.
        name: String,
        /// The names that there are.
        known: String,
    },
    /// A file that is no codebook.
    #[error(transparent)]
    Wrong(#[from] CodebookErrors),
    /// A file of the folder that is not named after its codebook.
    #[error("{}: holds the codebook `{id}`, which is looked for as {id}.toml; rename the file", .path.display())]
    Misnamed {
        /// The file.
        path: PathBuf,
        /// The id in it.
        id: String,
    },
}

impl Config {
    /// The folder of the user's codebooks; it need not exist.
    pub fn codebooks_folder(&self) -> Option<PathBuf> {
        self.folder.as_ref().map(|folder| folder.join("codebooks"))
    }

    /// The keys that codebooks may not use.
    pub fn reserved_keys(&self) -> ReservedKeys {
        ReservedKeys::of(&self.keymap)
    }

    /// All codebooks with a name, sorted; beside them what is wrong with files of the folder.
    pub fn codebooks(&self) -> (Vec<FoundCodebook>, Vec<CodebookProblem>) {
        let (mut found, mut problems) = (Vec::new(), Vec::new());
        let own = self.own_codebooks();
        let names = SHIPPED.iter().map(|shipped| shipped.id.to_owned());
        let mut names: Vec<String> = names.chain(own).collect();
        names.sort();
        names.dedup();
        for name in names {
            match self.codebook(&name) {
                Ok(codebook) => found.push(codebook),
                Err(problem) => problems.push(problem),
            }
        }
        (found, problems)
    }

    /// The codebook of a name, or of a file where there is a `/` or the ending `.toml`.
    ///
    /// # Errors
    /// There is none, or what is wrong with it.
    pub fn codebook(&self, name: &str) -> Result<FoundCodebook, CodebookProblem> {
        let reserved = self.reserved_keys();
        if name.contains(['/', '\\']) || name.ends_with(".toml") {
            let path = Path::new(name);
            return read_codebook(path, &reserved)?.ok_or_else(|| CodebookProblem::NoFile(path.to_owned()));
        }
        if let Some(path) = self.codebooks_folder().map(|folder| folder.join(format!("{name}.toml")))
            && let Some(found) = read_codebook(&path, &reserved)?
        {
            return match found.codebook.id == name {
                true => Ok(found),
                false => Err(CodebookProblem::Misnamed { path, id: found.codebook.id }),
            };
        }
        match shipped(name) {
            Some(shipped) => {
                let codebook = shipped.read(&reserved)?;
                Ok(FoundCodebook { codebook, path: None, text: shipped.text.to_owned() })
            }
            None => {
                let mut known: Vec<String> = SHIPPED.iter().map(|shipped| shipped.id.to_owned()).collect();
                known.extend(self.own_codebooks());
                known.sort();
                known.dedup();
                let known: Vec<String> = known.iter().map(|name| sanitise(name).into_owned()).collect();
                let name = crate::text::truncate(name, 60).into_owned();
                Err(CodebookProblem::Unknown { name, known: known.join(", ") })
            }
        }
    }

    /// The names of the files in the user's folder.
    fn own_codebooks(&self) -> Vec<String> {
        let Some(folder) = self.codebooks_folder() else { return Vec::new() };
        let files = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let files = files.filter(|path| path.extension().is_some_and(|ending| ending == "toml"));
        let names = files.filter_map(|path| path.file_stem()?.to_str().map(str::to_owned));
        names.take(MOST).collect()
    }
}

/// Reads a file; none where there is none.
fn read_codebook(path: &Path, reserved: &ReservedKeys) -> Result<Option<FoundCodebook>, CodebookProblem> {
    let Some(text) = read_text(path)? else { return Ok(None) };
    let codebook = Codebook::read(&path.display().to_string(), &text, reserved)?;
    Ok(Some(FoundCodebook { codebook, path: Some(path.to_owned()), text }))
}
