//! An engine put together from what the user has set up: the same for both front ends.
//!
//! Promises: whoever drives runs, by whichever front end, has the user's prompts, models, languages and sandboxes.
//! Leaves to others: which of them are chosen (`cli`, `tui`), driving (`engine`).

use super::{Engine, Models as Sources, Runs};
use crate::config::{Config, Languages, Models};
use crate::harness::{Choice, Harness, Ladders, Seal};
use crate::model::{Connections, Machine};
use crate::repair::prompt::{Example, Templates};
use crate::store::{Store, SystemClock, SystemIds};
use std::path::PathBuf;
use std::sync::Arc;

/// What an engine is made of.
pub struct Assembly {
    /// Where tests run.
    pub choice: Choice,
    /// How languages are built and tested.
    pub languages: Languages,
    /// The models that are set up.
    pub models: Models,
    /// The prompts' words: see [`templates`].
    pub templates: Templates,
    /// Repairs of other tasks, for techniques that show some.
    pub examples: Vec<Example>,
    /// Keeps everything.
    pub store: Arc<dyn Store>,
    /// What seals remembered verdicts.
    pub seal: Seal,
    /// Folder for the locks of runs that are driven; `None`: nobody else can reach the store.
    pub locks: Option<PathBuf>,
    /// Where models are asked.
    pub handle: tokio::runtime::Handle,
    /// Hears what takes long while a sandbox is got ready.
    pub say: Box<dyn Fn(&str) + Send + Sync>,
}

impl Assembly {
    /// The engine. Cleans up what dead owners left of their sandboxes.
    pub fn engine(self) -> Engine {
        let ladders = Ladders::new(self.choice, self.say);
        let clock = Arc::new(SystemClock);
        let harness =
            Harness::new(self.languages, Box::new(ladders), Some(self.store.clone()), clock.clone());
        let connections = Connections::new(self.models, Arc::new(Machine::new()));
        let variable = Box::new(|name: &str| std::env::var(name).ok());
        Engine {
            models: Arc::new(Sources::new(connections, variable, Runs::new(self.store.clone()))),
            store: self.store,
            harness: Arc::new(harness.sealed(self.seal)),
            templates: Arc::new(self.templates),
            examples: Arc::new(self.examples),
            clock,
            ids: Arc::new(SystemIds),
            handle: self.handle,
            locks: self.locks,
        }
    }
}

/// The prompts' words: ours, with the user's own in their place where there are any.
///
/// # Errors
///
/// One of the user's files cannot be read, or is no template: names the file.
pub fn templates(config: &Config) -> Result<Templates, String> {
    let own = config.prompts().map_err(|error| error.to_string())?;
    Templates::with(&own).map_err(|error| match &config.folder {
        Some(folder) => format!("{}: {error}", crate::text::shown(&folder.join("prompts"))),
        None => error.to_string(),
    })
}
