//! The harness as both front ends use it: tasks in, verified reports and checks out.
//!
//! Promises: what was verified before is answered from the workspace (unless asked for anew), and said to be; a workspace
//! that fails costs the cache, not the verification, and is said. Leaves to others: which rung ([`Grounds`]), how
//! many at once (the callers' threads: everything here can be shared).

use super::analyse::{Analysis, analyse};
use super::baseline;
use super::cache;
use super::check::{self, Check, RUNS, Standing};
use super::plan::{Changes, Expected, PlanError, Version, plan};
use super::report::VerifyReport;
use super::request::Environment;
use super::seal::Seal;
use super::verify::verify;
use super::watch::{Cancel, Watcher};
use crate::config::{Language, Languages};
use crate::sandbox::{Provider, SandboxError};
use crate::store::{Clock, Store};
use crate::task::Task;
use std::sync::{Arc, Mutex, PoisonError};

/// What tasks of one language are verified on.
pub struct Ground {
    /// Makes the sandboxes.
    pub provider: Box<dyn Provider>,
    /// What the commands run on.
    pub environment: Environment,
    /// What a reader should know: tools that were not found, rungs that were passed over.
    pub notes: Vec<String>,
}

/// Finds the ground for a language; asked often, so it remembers.
pub trait Grounds: Send + Sync {
    /// The ground, or why there is none.
    fn ground(&self, language: Option<&Language>) -> Result<Arc<Ground>, SandboxError>;
}

/// A report, and whether it was known before.
#[derive(Debug, Clone, PartialEq)]
pub struct Verified {
    /// The report.
    pub report: VerifyReport,
    /// Whether it comes from the verdict cache.
    pub cached: bool,
}

/// Why nothing was verified.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// The task cannot be run.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// There is no sandbox.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
}

/// What is to be verified of a task.
#[derive(Debug, Clone)]
pub struct Wanted<'a> {
    /// The task.
    pub task: &'a Task,
    /// The tree to start from.
    pub version: Version,
    /// What is changed in it.
    pub changes: &'a Changes,
    /// Whether an earlier report is ignored.
    pub fresh: bool,
}

/// The harness.
pub struct Harness {
    languages: Languages,
    grounds: Box<dyn Grounds>,
    store: Option<Arc<dyn Store>>,
    clock: Arc<dyn Clock>,
    seal: Seal,
    troubles: Mutex<Vec<String>>,
}

impl Harness {
    /// A harness; without a store nothing is remembered.
    pub fn new(
        languages: Languages,
        grounds: Box<dyn Grounds>,
        store: Option<Arc<dyn Store>>,
        clock: Arc<dyn Clock>,
    ) -> Harness {
        let seal = Seal::default();
        Harness { languages, grounds, store, clock, seal, troubles: Mutex::new(Vec::new()) }
    }

    /// With the seal by which verdicts that were remembered are known as this user's own.
    #[must_use]
    pub fn sealed(mut self, seal: Seal) -> Harness {
        self.seal = seal;
        self
    }

    /// The languages it goes by.
    pub fn languages(&self) -> &Languages {
        &self.languages
    }

    /// The ground on which a task would run.
    pub fn ground(&self, task: &Task) -> Result<Arc<Ground>, SandboxError> {
        self.grounds.ground(self.languages.get(&task.language))
    }

    /// What went wrong beside the work since the last call: a workspace that could not be read or written.
    pub fn troubles(&self) -> Vec<String> {
        std::mem::take(&mut *self.troubles.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The newest check of this revision of a task.
    pub fn checked(&self, task: &Task) -> Option<Check> {
        let store = self.store.as_deref()?;
        self.or_trouble(baseline::look(store, &self.seal, &task.revision())).flatten()
    }

    /// The tests that a repaired tree must pass: the task's lists, or those of its check.
    pub fn expected(&self, task: &Task) -> Expected {
        let listed = Expected::of(task);
        if !listed.is_empty() {
            return listed;
        }
        match self.checked(task) {
            Some(check) if check.standing == Standing::Holds => check.expected(),
            _ => listed,
        }
    }

    /// Verifies a candidate of a task.
    pub fn verify(
        &self,
        wanted: &Wanted<'_>,
        cancel: &Cancel,
        watcher: &mut dyn Watcher,
    ) -> Result<Verified, VerifyError> {
        self.verify_expecting(wanted, &self.expected(wanted.task), cancel, watcher)
    }

    fn verify_expecting(
        &self,
        wanted: &Wanted<'_>,
        expected: &Expected,
        cancel: &Cancel,
        watcher: &mut dyn Watcher,
    ) -> Result<Verified, VerifyError> {
        let ground = self.ground(wanted.task)?;
        let environment = ground.environment.clone();
        let (request, held) =
            plan(wanted.task, wanted.version, wanted.changes, &self.languages, environment, expected)?;
        if let (Some(store), false) = (self.store.as_deref(), wanted.fresh)
            && let Some(Some(report)) = self.or_trouble(cache::look(store, &self.seal, &request.id()))
            && report.rung == Some(ground.provider.rung())
        {
            return Ok(Verified { report, cached: true });
        }
        let mut report = verify(&request, &held, ground.provider.as_ref(), cancel, watcher);
        report.notes.extend(ground.notes.iter().cloned());
        if let Some(store) = self.store.as_deref()
            && !report.is_unsafe()
        {
            self.or_trouble(cache::keep(store, &self.seal, self.clock.as_ref(), &report));
        }
        Ok(Verified { report, cached: false })
    }

    /// What the compilers and analysers of the task's language say, without running its code. Empty for a language
    /// that has none.
    pub fn analyse(
        &self,
        task: &Task,
        version: Version,
        changes: &Changes,
        cancel: &Cancel,
    ) -> Result<Vec<Analysis>, SandboxError> {
        let Some(language) = self.languages.get(&task.language) else { return Ok(Vec::new()) };
        let ground = self.ground(task)?;
        analyse(task, version, changes, language, ground.provider.as_ref(), cancel)
    }

    /// Checks whether a task holds, and keeps the record.
    pub fn check(&self, task: &Task, cancel: &Cancel, watcher: &mut dyn Watcher) -> Check {
        let (name, revision) = (task.name().to_string(), task.revision());
        let listed = Expected::of(task);
        let unchanged = Changes::new();
        let mut runs: Vec<(Version, VerifyReport)> = Vec::new();
        for version in RUNS {
            let wanted = Wanted { task, version, changes: &unchanged, fresh: true };
            match self.verify_expecting(&wanted, &listed, cancel, watcher) {
                Ok(verified) => runs.push((version, verified.report)),
                Err(VerifyError::Plan(error)) => {
                    let check = Check::cannot_run(name, revision, error.to_string());
                    self.remember(&check);
                    return check;
                }
                Err(VerifyError::Sandbox(error)) => {
                    return Check::unknown(name, revision, error.to_string());
                }
            }
            if cancel.is_cancelled() {
                break;
            }
        }
        let check = check::judge(name, revision, &listed, &runs);
        self.remember(&check);
        check
    }

    fn remember(&self, check: &Check) {
        if let Some(store) = self.store.as_deref() {
            self.or_trouble(baseline::keep(store, &self.seal, self.clock.as_ref(), check));
        }
    }

    /// The value, or a trouble that is told once.
    fn or_trouble<T>(&self, result: Result<T, crate::store::StoreError>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                let mut troubles = self.troubles.lock().unwrap_or_else(PoisonError::into_inner);
                let text = error.to_string();
                if !troubles.contains(&text) {
                    troubles.push(text);
                }
                None
            }
        }
    }
}
