//! The user's settings, layered: flags > environment > file > defaults.
//!
//! Promises: every setting has a default; a wrong key or value names file, line, key and the nearest known
//! one; where a value came from can be shown. Leaves to others: what flags there are (`cli`), what settings do.
//!
//! Files, all optional, in the user's configuration folder: `config.toml` (settings and `[keys.…]`),
//! `themes/*.toml`, `languages.toml` (how languages are built, tested and analysed), `models.toml` (models, by address),
//! `codebooks/NAME.toml` (what studies ask), `prompts/NAME.txt` (templates of prompts in the place of those that come with mendbench).

mod codebooks;
mod error;
mod languages;
mod models;
mod models_read;
mod money;
mod reader;
mod settings;

pub use codebooks::{CodebookProblem, FoundCodebook};
pub use error::ConfigError;
pub use languages::{Analyser, Language, Languages, fill};
pub use models::{
    Decoding, KeySource, ModelSettings, Models, Prices, RateLimits, Route, Timeouts, WireFormat,
};
pub use money::Money;
pub use settings::{SETTINGS, Setting, Settings, Source};

use crate::keymap::Keymap;
use crate::theme::{self, BUILT_IN, Theme};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Environment variable that names another configuration folder.
pub const FOLDER_VARIABLE: &str = "MENDBENCH_CONFIG";

/// Largest configuration file that is read, in bytes.
const MOST_BYTES: u64 = 1 << 20;

/// Everything that was configured.
#[derive(Debug)]
pub struct Config {
    /// The folder that was looked into; it need not exist.
    pub folder: Option<PathBuf>,
    /// Settings and where they came from.
    pub settings: Settings,
    /// Keys.
    pub keymap: Keymap,
}

/// The folder for configuration: `MENDBENCH_CONFIG`, or `mendbench` in the user's configuration folder.
pub fn folder() -> Option<PathBuf> {
    use etcetera::BaseStrategy;
    if let Some(folder) = std::env::var_os(FOLDER_VARIABLE).filter(|folder| !folder.is_empty()) {
        return Some(PathBuf::from(folder));
    }
    etcetera::base_strategy::Xdg::new().ok().map(|base| base.config_dir().join("mendbench"))
}

/// The configuration file in a folder.
pub fn file(folder: &Path) -> PathBuf {
    folder.join("config.toml")
}

/// The file of models in a folder.
pub fn models_file(folder: &Path) -> PathBuf {
    folder.join("models.toml")
}

impl Config {
    /// Nothing configured.
    pub fn defaults() -> Config {
        Config { folder: None, settings: Settings::default(), keymap: Keymap::new() }
    }

    /// Reads the configuration of a folder, then lets the environment speak.
    pub fn read(
        folder: Option<PathBuf>,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Config, ConfigError> {
        let mut config = Config { folder, ..Config::defaults() };
        if let Some(folder) = &config.folder {
            let path = file(folder);
            if let Some(text) = read_text(&path)? {
                let name = path.display().to_string();
                config.settings.take_file(&name, &text)?;
                config.keymap = config.keymap.with_overrides(&name, &text)?;
            }
        }
        config.settings.take_environment(variable)?;
        Ok(config)
    }

    /// The languages: those that come with mendbench, with the user's `languages.toml` laid over them.
    pub fn languages(&self) -> Result<Languages, ConfigError> {
        let built_in = Languages::built_in();
        let Some(path) = self.folder.as_ref().map(|folder| folder.join("languages.toml")) else {
            return Ok(built_in);
        };
        match read_text(&path)? {
            Some(text) => built_in.with_overrides(&path.display().to_string(), &text),
            None => Ok(built_in),
        }
    }

    /// The user's models; none where there is no `models.toml`.
    pub fn models(&self) -> Result<Models, ConfigError> {
        let Some(folder) = &self.folder else { return Ok(Models::default()) };
        let path = models_file(folder);
        let home = etcetera::home_dir().ok();
        match read_text(&path)? {
            Some(text) => Models::parse(&path.display().to_string(), &text, folder, home.as_deref()),
            None => Ok(Models::default()),
        }
    }

    /// The user's templates of prompts, by file name; none where there is no folder of them.
    ///
    /// # Errors
    ///
    /// One of them cannot be read. Whether it is a template is found where it is used.
    pub fn prompts(&self) -> Result<BTreeMap<String, String>, ConfigError> {
        let mut found = BTreeMap::new();
        let Some(folder) = self.folder.as_ref().map(|folder| folder.join("prompts")) else {
            return Ok(found);
        };
        let files = std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path());
        for path in files.filter(|path| path.extension().is_some_and(|ending| ending == "txt")) {
            let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
            if let Some(text) = read_text(&path)? {
                found.insert(name.to_owned(), text);
            }
        }
        Ok(found)
    }

    /// All themes: those that come with mendbench, then the user's, by name; a user's theme with the name
    /// of a built-in one takes its place. Files that are no themes are reported beside them.
    pub fn themes(&self) -> (Vec<Theme>, Vec<ConfigError>) {
        let mut errors = Vec::new();
        let mut themes: Vec<Theme> = BUILT_IN.iter().filter_map(|(name, _)| Theme::built_in(name)).collect();
        let Some(folder) = self.folder.as_ref().map(|folder| folder.join("themes")) else {
            return (themes, errors);
        };
        let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|ending| ending == "toml"))
            .collect();
        files.sort();
        let source = |name: &str| {
            let path = folder.join(format!("{name}.toml"));
            let text = read_text(&path).ok().flatten()?;
            Some(theme::Source { file: path.display().to_string(), text })
        };
        for path in files.into_iter().take(200) {
            let Some(name) = path.file_stem().and_then(|name| name.to_str()).map(str::to_owned) else {
                continue;
            };
            let parsed = match read_text(&path) {
                Ok(Some(text)) => {
                    let file = theme::Source { file: path.display().to_string(), text };
                    Theme::parse(&name, &file, &source).map_err(ConfigError::from)
                }
                Ok(None) => continue,
                Err(error) => Err(error),
            };
            match parsed {
                Ok(theme) => match themes.iter_mut().find(|known| known.name == name) {
                    Some(known) => *known = theme,
                    None => themes.push(theme),
                },
                Err(error) => errors.push(error),
            }
        }
        (themes, errors)
    }
}

/// The text of a file, `None` if there is none.
fn read_text(path: &Path) -> Result<Option<String>, ConfigError> {
    let unreadable = |why: String| ConfigError::Unreadable { path: path.to_owned(), why };
    match std::fs::metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(error.to_string())),
        Ok(metadata) if !metadata.is_file() => return Err(unreadable("it is not a file".to_owned())),
        Ok(metadata) if metadata.len() > MOST_BYTES => {
            return Err(unreadable(format!("it has {} bytes, more than {MOST_BYTES}", metadata.len())));
        }
        Ok(_) => {}
    }
    match std::fs::read(path) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Ok(Some(text)),
            Err(error) => Err(unreadable(format!("byte {} is not UTF-8", error.utf8_error().valid_up_to()))),
        },
        Err(error) => Err(unreadable(error.to_string())),
    }
}

#[cfg(test)]
mod languages_tests;
#[cfg(test)]
mod models_tests;
#[cfg(test)]
mod tests;
