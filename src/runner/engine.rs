//! The engine: makes runs, and drives their trajectories, several at once.
//!
//! Promises: a run is checked before it is made, task by task; one process at a time drives a run; what a run has spent
//! counts when it is resumed. Leaves to others: one trajectory (`trajectory`).

use super::control::Control;
use super::error::RunnerError;
use super::prompts;
use super::record::{RunRecord, Runs};
use super::source::ModelSource;
use super::spec::{RunSpec, TrajectoryHead};
use super::{Listener, trajectory};
use crate::config::Money;
use crate::harness::Harness;
use crate::harness::many::each;
use crate::model::Budget;
use crate::repair::Cell;
use crate::repair::prompt::{Example, Prompt, Templates};
use crate::store::{Clock, Ids, Store};
use crate::task::Task;
use std::fs::{File, TryLockError};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// What runs are made and driven with.
pub struct Engine {
    /// Keeps everything.
    pub store: Arc<dyn Store>,
    /// Tests code.
    pub harness: Arc<Harness>,
    /// Gives models.
    pub models: Arc<dyn ModelSource>,
    /// The prompts' words.
    pub templates: Arc<Templates>,
    /// Repairs of other tasks, for techniques that show some.
    pub examples: Arc<Vec<Example>>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// New ids.
    pub ids: Arc<dyn Ids>,
    /// Where models are asked: a runtime with threads of its own.
    pub handle: tokio::runtime::Handle,
    /// Folder for the locks of runs that are driven; `None`: nobody else can reach the store.
    pub locks: Option<PathBuf>,
}

/// How a run is driven; none of it can change an answer.
#[derive(Debug, Clone)]
pub struct Drive {
    /// Trajectories at once, from 1.
    pub jobs: usize,
    /// What a person does to it.
    pub control: Control,
    /// Whether verdicts that are remembered are ignored.
    pub fresh: bool,
    /// Whether calls are made whose price nobody knows, although there is a budget.
    pub unknown_prices: bool,
    /// Whether a person is there to give feedback.
    pub person: bool,
    /// Wait before something that failed is tried again; grows with the failures.
    pub backoff: Duration,
}

impl Drive {
    /// One at a time, nobody there, two seconds before another try.
    pub fn new(control: Control) -> Drive {
        Drive {
            jobs: 1,
            control,
            fresh: false,
            unknown_prices: false,
            person: false,
            backoff: Duration::from_secs(2),
        }
    }
}

/// How driving a trajectory ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Left {
    /// It is over.
    Over,
    /// It was left, and can be resumed.
    Interrupted,
}

/// What driving came to.
#[derive(Debug, Default)]
pub struct Driven {
    /// Trajectories that are over.
    pub over: usize,
    /// Those that were left.
    pub interrupted: usize,
    /// What went wrong beside the work, by trajectory.
    pub troubles: Vec<(TrajectoryHead, RunnerError)>,
}

impl Engine {
    /// The runs of the store.
    pub fn runs(&self) -> Runs {
        Runs::new(self.store.clone())
    }

    /// The first prompt that a task's trajectory would send, before there is feedback; says why there is none.
    ///
    /// # Errors
    ///
    /// The task cannot be asked about in this cell.
    pub fn preview(&self, task: &Task, cell: &Cell) -> Result<Prompt, RunnerError> {
        let contents = self.runs().contents();
        prompts::check(&self.templates, &self.examples, &contents, task, cell)
    }

    /// Makes a run of these tasks: one trajectory for each task, cell and sample.
    ///
    /// # Errors
    ///
    /// A cell or a task cannot be run like this; nothing is stored then.
    pub fn create(&self, spec: RunSpec, tasks: &[Arc<Task>]) -> Result<RunRecord, RunnerError> {
        if tasks.is_empty() {
            return Err(RunnerError::NoTask);
        }
        for cell in &spec.cells {
            cell.check()?;
            for task in tasks {
                self.preview(task, cell)?;
            }
        }
        let mut heads = Vec::new();
        for task in tasks {
            let json = task.canonical_json();
            self.store.put(json.as_bytes())?;
            let (name, revision) = (task.name(), task.revision());
            for cell in &spec.cells {
                for sample in 1..=spec.samples.max(1) {
                    heads.push(TrajectoryHead {
                        id: self.ids.next(),
                        task: name.clone(),
                        revision: revision.clone(),
                        group: task.group.clone(),
                        cell: cell.id(),
                        sample,
                    });
                }
            }
        }
        self.runs().create(self.ids.next(), self.clock.now(), spec, heads)
    }

    /// Drives what is not over yet, on threads of its own; blocks until everything is over or left.
    ///
    /// # Errors
    ///
    /// Somebody else drives the run, or its record cannot be read.
    pub fn drive(
        &self,
        run: &RunRecord,
        how: &Drive,
        listener: &dyn Listener,
    ) -> Result<Driven, RunnerError> {
        let _lock = self.lock(run)?;
        let budget = self.budget(run, how)?;
        let heads = &run.trajectories;
        let mut driven = Driven::default();
        let work = |number: usize| {
            let head = &heads[number];
            if how.control.is_left() {
                return Ok(Left::Interrupted);
            }
            trajectory::drive(self, run, head, how, &budget, listener)
        };
        each(how.jobs, heads.len(), work, |number, result| match result {
            Ok(Left::Over) => driven.over += 1,
            Ok(Left::Interrupted) => driven.interrupted += 1,
            Err(error) => driven.troubles.push((heads[number].clone(), error)),
        });
        Ok(driven)
    }

    /// What is left to spend.
    fn budget(&self, run: &RunRecord, how: &Drive) -> Result<Budget, RunnerError> {
        let Some(limit) = run.spec.budget else { return Ok(Budget::new(None)) };
        let mut spent = Money::ZERO;
        for head in &run.trajectories {
            let machine = run.machine(head)?;
            let requests = machine.trajectory().turns.iter().flat_map(|turn| &turn.requests);
            let costs = requests.filter_map(|request| Money::from_dollars(request.usage.usd?));
            spent = costs.fold(spent, Money::plus);
        }
        let left = Some(limit.less(spent));
        Ok(if how.unknown_prices { Budget::allowing_unknown(left) } else { Budget::new(left) })
    }

    /// Keeps other processes from driving the run; let go when it is dropped, or when the process ends.
    fn lock(&self, run: &RunRecord) -> Result<Option<File>, RunnerError> {
        let Some(folder) = &self.locks else { return Ok(None) };
        let trouble = |error: std::io::Error| RunnerError::Lock { run: run.id, why: error.to_string() };
        std::fs::create_dir_all(folder).map_err(trouble)?;
        let file = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(folder.join(format!("{}.lock", run.id)))
            .map_err(trouble)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(file)),
            Err(TryLockError::WouldBlock) => Err(RunnerError::Busy { run: run.id }),
            Err(TryLockError::Error(error)) => Err(trouble(error)),
        }
    }
}
