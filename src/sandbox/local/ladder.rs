//! The rungs of this machine, and the best one that stands.
//!
//! Promises: a rung that is said to stand has run a command; each is tried once, when it is asked for. Leaves to others:
//! Docker (`sandbox::docker`), and whether to insist (`cli`).

use super::make::{self, Recipe};
use super::{init, standing};
use crate::sandbox::{Limits, Provider, Rung, Sandbox, SandboxError};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// The local rungs, best first.
pub const LOCAL: [Rung; 4] = [Rung::Bubblewrap, Rung::Namespaces, Rung::Landlock, Rung::Unsafe];

/// The rungs of this machine.
#[derive(Debug, Default)]
pub struct Ladder {
    recipe: Arc<Recipe>,
    insists: bool,
    tried: [OnceLock<Result<(), String>>; 4],
}

impl Ladder {
    /// A ladder with nothing besides the machine's own programs. Nothing is tried yet.
    pub fn new() -> Ladder {
        let recipe = Recipe { helper: std::env::current_exe().unwrap_or_default(), ..Recipe::default() };
        Ladder { recipe: Arc::new(recipe), ..Ladder::default() }
    }

    /// Another program to start as a first process: one that calls [`crate::sandbox::own::enter`].
    #[must_use]
    pub fn with_helper(self, helper: PathBuf) -> Ladder {
        self.changed(|recipe| recipe.helper = helper)
    }

    /// Folders that may be read besides: installations of interpreters and compilers. Absolute paths.
    #[must_use]
    pub fn readable(self, folders: Vec<PathBuf>) -> Ladder {
        self.changed(|recipe| recipe.readable = folders)
    }

    /// Folders put first in `PATH`.
    #[must_use]
    pub fn search(self, folders: Vec<PathBuf>) -> Ladder {
        self.changed(|recipe| recipe.search = folders)
    }

    /// Whether to run without a sandbox where none stands.
    #[must_use]
    pub fn unsafe_local(self, insists: bool) -> Ladder {
        Ladder { insists, ..self }
    }

    fn changed(self, change: impl FnOnce(&mut Recipe)) -> Ladder {
        let mut recipe = (*self.recipe).clone();
        change(&mut recipe);
        Ladder { recipe: Arc::new(recipe), insists: self.insists, tried: Default::default() }
    }

    /// The best rung that stands; [`Rung::Unsafe`] only when insisted on.
    pub fn choose(&self) -> Result<Box<dyn Provider>, SandboxError> {
        let mut reasons = Vec::new();
        for rung in LOCAL {
            if rung == Rung::Unsafe && !self.insists {
                continue;
            }
            match self.stands(rung) {
                Ok(()) => return Ok(self.provider(rung)),
                Err(why) => reasons.push(format!("{rung}: {why}")),
            }
        }
        Err(SandboxError::NoRung { reasons: reasons.join("; ") })
    }

    /// This rung, or why it does not stand.
    pub fn on(&self, rung: Rung) -> Result<Box<dyn Provider>, SandboxError> {
        let unavailable = |why: String| SandboxError::Unavailable { rung, why };
        if rung == Rung::Unsafe && !self.insists {
            return Err(unavailable("it is no sandbox; --unsafe-local insists".to_owned()));
        }
        self.stands(rung).map_err(unavailable)?;
        Ok(self.provider(rung))
    }

    /// Each local rung, and why it does not stand.
    pub fn standing(&self) -> Vec<(Rung, Result<(), String>)> {
        LOCAL.into_iter().map(|rung| (rung, self.stands(rung))).collect()
    }

    fn provider(&self, rung: Rung) -> Box<dyn Provider> {
        Box::new(Local { recipe: Arc::clone(&self.recipe), rung })
    }

    fn stands(&self, rung: Rung) -> Result<(), String> {
        let place = LOCAL.iter().position(|&one| one == rung).and_then(|index| self.tried.get(index));
        let Some(place) = place else { return Err("it is no rung of this machine itself".to_owned()) };
        place.get_or_init(|| self.try_out(rung)).clone()
    }

    /// Makes one and runs a command in it.
    fn try_out(&self, rung: Rung) -> Result<(), String> {
        let helper = &self.recipe.helper;
        if !helper.is_absolute() || !helper.is_file() {
            return Err(format!("{} is no program to start in it", crate::text::shown(helper)));
        }
        if rung == Rung::Landlock {
            let generation = init::generation();
            if generation == 0 {
                return Err("this kernel has no Landlock (Linux 5.13 and later have it)".to_owned());
            }
            if !super::identity::is_root() && generation < init::SCOPED {
                return Err(
                    "this kernel's Landlock does not keep signals inside, which an ordinary user needs \
                            (Linux 6.12 and later do)"
                        .to_owned(),
                );
            }
        }
        let limits = Limits { memory: 256 << 20, disk: 16 << 20, ..Limits::default() };
        let said = |error: SandboxError| match error {
            SandboxError::Unavailable { why, .. } => why,
            other => other.to_string(),
        };
        let mut standing = make::make(&self.recipe, rung, &limits).map_err(said)?;
        standing::try_out(&mut standing)?;
        Box::new(standing).clean().map_err(said)
    }
}

/// Makes sandboxes on one rung.
struct Local {
    recipe: Arc<Recipe>,
    rung: Rung,
}

impl Provider for Local {
    fn rung(&self) -> Rung {
        self.rung
    }

    fn make(&self, limits: &Limits) -> Result<Box<dyn Sandbox>, SandboxError> {
        Ok(Box::new(make::make(&self.recipe, self.rung, limits)?))
    }
}
