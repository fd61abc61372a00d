//! Which model answers under a name: those of the user's configuration, and those that are built in.
//!
//! Promises: a built-in model sees the situation that it is asked in, never the reference.
//! Leaves to others: the models themselves (`model`, `recorded`, `template`).

use super::contents::Contents;
use super::record::Runs;
use super::recorded;
use super::spec::TrajectoryHead;
use super::template;
use crate::config::Prices;
use crate::harness::{Changes, VerifyReport};
use crate::model::{Connections, Model, ModelError};
use crate::repair::Form;
use crate::repair::event::{Call, ContentHash};
use crate::task::Task;
use std::sync::Arc;

/// What a model is asked in; models of the outside see the prompt alone.
pub struct Situation<'a> {
    /// The trajectory.
    pub head: &'a TrajectoryHead,
    /// The task.
    pub task: &'a Task,
    /// Attempt and turn.
    pub attempt: u32,
    /// The turn.
    pub turn: u32,
    /// Which call.
    pub call: Call,
    /// Calls that answer which were made in this trajectory before this one.
    pub earlier: u32,
    /// The shape of the answer.
    pub form: Form,
    /// The prompt.
    pub prompt: &'a ContentHash,
    /// What the newest code changes in the buggy tree.
    pub code: &'a Changes,
    /// The report on the buggy code.
    pub buggy_report: Option<&'a VerifyReport>,
    /// The report on the newest code.
    pub report: Option<&'a VerifyReport>,
}

/// Gives models by their names.
pub trait ModelSource: Send + Sync {
    /// The model with this name for this call.
    ///
    /// # Errors
    ///
    /// There is none, or its key cannot be read.
    fn model(&self, name: &str, situation: &Situation<'_>) -> Result<Arc<dyn Model>, ModelError>;

    /// What a model costs; `None`: nothing, or nobody knows.
    fn prices(&self, name: &str) -> Option<Prices> {
        let _ = name;
        None
    }
}

/// Gives the value of an environment variable.
type Variable = Box<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// The user's models and the built-in ones.
pub struct Models {
    connections: Connections,
    variable: Variable,
    runs: Runs,
    contents: Contents,
}

impl Models {
    /// The prefix of models that answer as a run did.
    pub const RECORDED: &'static str = "recorded:";

    /// These connections; keys are read with `variable`, recorded answers from `runs`.
    pub fn new(connections: Connections, variable: Variable, runs: Runs) -> Models {
        let contents = runs.contents();
        Models { connections, variable, runs, contents }
    }
}

impl ModelSource for Models {
    fn model(&self, name: &str, situation: &Situation<'_>) -> Result<Arc<dyn Model>, ModelError> {
        if let Some(run) = name.strip_prefix(Models::RECORDED) {
            return recorded::model(name, run, &self.runs, &self.contents, situation);
        }
        if template::is_template(name) {
            return template::model(name, situation);
        }
        self.connections.model(name, self.variable.as_ref())
    }

    fn prices(&self, name: &str) -> Option<Prices> {
        self.connections.models().get(name).and_then(|settings| settings.prices)
    }
}
