//! The ladder of DESIGN §6, climbed for one language: Docker where an image is named, then the local rungs.
//!
//! Promises: what was chosen is said; what a person insisted on is never replaced by something else; what dead owners left
//! behind is cleaned first. Leaves to others: the rungs (`sandbox`), remembering what came of it ([`super::stand`]).

use super::request::Environment;
use super::stand::{Ground, Grounds};
use super::toolchain::{self, Toolchain};
use crate::config::{Language, Settings};
use crate::sandbox::docker::DockerRung;
use crate::sandbox::local::{Ladder, Pool};
use crate::sandbox::{Limits, Provider, Rung, SandboxError, local};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// What was chosen about the sandbox, by flags or settings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Choice {
    /// The rung; `None`: the best that stands.
    pub rung: Option<Rung>,
    /// The image for Docker, whatever the language says.
    pub image: Option<String>,
    /// The image where the language says nothing.
    pub default_image: Option<String>,
    /// Whether to run without a sandbox where none stands.
    pub unsafe_local: bool,
    /// How many sandboxes are used at once.
    pub jobs: usize,
}

impl Choice {
    /// What settings say, with flags over them.
    pub fn new(
        settings: &Settings,
        rung: Option<&str>,
        image: Option<&str>,
        unsafe_local: bool,
    ) -> Result<Choice, String> {
        let text = |value: &str| Some(value.to_owned()).filter(|value| !value.is_empty());
        let named = match rung.unwrap_or(settings.get("sandbox")) {
            "" | "auto" => None,
            name => Some(Rung::parse(name).filter(|rung| *rung != Rung::Unsafe).ok_or_else(|| {
                let known: Vec<&str> =
                    Rung::ALL.into_iter().filter(|rung| *rung != Rung::Unsafe).map(Rung::as_str).collect();
                format!("there is no sandbox `{name}`; there are auto, {}", known.join(", "))
            })?),
        };
        Ok(Choice {
            rung: named,
            image: image.and_then(text),
            default_image: text(settings.get("image")),
            unsafe_local,
            jobs: 1,
        })
    }
}

/// What a climb came to.
type Found = Result<Arc<Ground>, Arc<SandboxError>>;

/// The real grounds of this machine.
pub struct Ladders {
    choice: Choice,
    helper: Option<PathBuf>,
    say: Box<dyn Fn(&str) + Send + Sync>,
    known: Mutex<BTreeMap<String, Found>>,
}

impl Ladders {
    /// Cleans what dead owners left and gets ready; `say` hears what takes long (pulling an image).
    pub fn new(choice: Choice, say: Box<dyn Fn(&str) + Send + Sync>) -> Ladders {
        // What cannot be cleaned now is met again at the next start; it does not stand in the way.
        let _ = local::reap();
        Ladders { choice, helper: None, say, known: Mutex::new(BTreeMap::new()) }
    }

    /// With another program as the helper inside: tests name the real binary.
    #[must_use]
    pub fn with_helper(mut self, helper: PathBuf) -> Ladders {
        self.helper = Some(helper);
        self
    }

    fn climb(&self, language: Option<&Language>) -> Result<Ground, SandboxError> {
        let image = self.choice.image.as_ref();
        let image = image.or_else(|| language?.image.as_ref()).or(self.choice.default_image.as_ref());
        let mut notes = Vec::new();
        match (self.choice.rung, image) {
            (Some(Rung::Docker), None) => {
                let why = "no image is named: give --image, or set `image` in config.toml or languages.toml";
                return Err(SandboxError::Unavailable { rung: Rung::Docker, why: why.to_owned() });
            }
            (Some(Rung::Docker) | None, Some(image)) => match self.docker(image, language) {
                Ok(ground) => return Ok(ground),
                Err(error) if self.choice.rung.is_some() || self.choice.image.is_some() => return Err(error),
                Err(error) => notes.push(format!("not in Docker: {error}")),
            },
            _ => {}
        }
        let toolchain = language.and_then(|language| language.toolchain.as_ref());
        let toolchain = match toolchain.map(toolchain::find) {
            None => Toolchain::default(),
            Some(Ok(found)) => found,
            Some(Err(why)) => {
                notes.push(format!("its tools did not answer: {why}"));
                Toolchain::default()
            }
        };
        let mut ladder = Ladder::new()
            .readable(toolchain.readable)
            .search(toolchain.search)
            .unsafe_local(self.choice.unsafe_local);
        if let Some(helper) = &self.helper {
            ladder = ladder.with_helper(helper.clone());
        }
        let provider: Box<dyn Provider> = match self.choice.rung {
            Some(rung) => ladder.on(rung)?,
            None => ladder.choose()?,
        };
        // The next ones are made while these are used.
        let provider = Box::new(Pool::new(provider, self.choice.jobs.max(1)));
        Ok(Ground { provider, environment: Environment::Local(toolchain.versions), notes })
    }

    fn docker(&self, image: &str, language: Option<&Language>) -> Result<Ground, SandboxError> {
        let mut rung = DockerRung::connect(image, &mut |line| (self.say)(line))?;
        if let Some(helper) = &self.helper {
            rung = rung.with_helper(helper);
        }
        let environment = Environment::Image(rung.image_id().to_owned());
        if self.choice.jobs > 1 {
            let limits =
                language.map_or(Limits::default(), |language| Limits::default().with(&language.limits));
            rung.ahead(self.choice.jobs, &limits);
        }
        Ok(Ground { provider: Box::new(rung), environment, notes: Vec::new() })
    }
}

impl Grounds for Ladders {
    fn ground(&self, language: Option<&Language>) -> Result<Arc<Ground>, SandboxError> {
        let name = language.map_or("", |language| language.name.as_str());
        // Others wait: one climb is enough for all of them.
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known
            .entry(name.to_owned())
            .or_insert_with(|| self.climb(language).map(Arc::new).map_err(Arc::new));
        found.clone().map_err(SandboxError::Known)
    }
}
