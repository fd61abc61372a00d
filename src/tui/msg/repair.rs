//! Messages about repair runs: what is asked, what happens, what was looked up.
//!
//! Promises: plain data, bounded. Everything about a run under way carries the ticket that it was started with; what was
//! looked up carries the ticket of its own request.

use super::verify::Heard;
use crate::catalogue::LoadedTask;
use crate::config::Prices;
use crate::label::turn::TurnName;
use crate::repair::cell::{Cell, Strategy, Technique};
use crate::repair::event::{ContentHash, StopReason};
use crate::repair::{Form, RunEvent};
use crate::report::Verdict;
use crate::runner::{TrajectoryHead, Wish};
use crate::sandbox::Rung;
use crate::task::{FeedbackKind, Task};
use crate::tui::widgets::output_view::OutputLine;
use crate::tui::widgets::test_list::Test;
use crate::tui::widgets::text_view::Block;
use jiff::Timestamp;
use std::sync::Arc;
use uuid::Uuid;

/// A model that can be chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelChoice {
    /// Its name.
    pub name: String,
    /// What it costs; `None`: not known.
    pub prices: Option<Prices>,
    /// Whether it costs nothing, because it is built in.
    pub is_free: bool,
    /// Longest answer, tokens, where it is known.
    pub max_tokens: Option<u64>,
    /// A word about it.
    pub remark: String,
}

/// What the launch sheet chooses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchChoice {
    /// Name of the model.
    pub model: String,
    /// What the model is told about its newest code.
    pub feedback: FeedbackKind,
    /// How often it may try.
    pub strategy: Strategy,
    /// The way of asking.
    pub technique: Technique,
    /// The shape of the answer.
    pub form: Form,
    /// Where tests run; `None`: the best that stands.
    pub rung: Option<Rung>,
    /// Trajectories.
    pub samples: u32,
}

impl LaunchChoice {
    /// The cell; helper feedback is written by the same model.
    pub fn cell(&self, templates: &str) -> Cell {
        let mut cell = Cell::new(&self.model, templates);
        cell.feedback = self.feedback;
        cell.strategy = self.strategy;
        cell.technique = self.technique;
        cell.form = self.form;
        cell.helper = crate::repair::cell::needs_helper(self.feedback).then(|| self.model.clone());
        cell
    }

    /// What a cell chose, as far as the sheet can choose it.
    pub fn of_cell(cell: &Cell, samples: u32) -> LaunchChoice {
        LaunchChoice {
            model: cell.model.clone(),
            feedback: cell.feedback,
            strategy: cell.strategy,
            technique: cell.technique,
            form: cell.form,
            rung: None,
            samples: samples.max(1),
        }
    }
}

/// What is asked of the runs.
#[derive(Debug)]
pub enum Ask {
    /// Start a run of one task.
    Start {
        /// The task.
        task: Arc<Task>,
        /// How.
        choice: LaunchChoice,
    },
    /// The first prompt of such a run.
    Preview {
        /// The task.
        task: Arc<Task>,
        /// How.
        choice: LaunchChoice,
    },
    /// Do something to the run with this ticket.
    Steer(Steer),
    /// Read a trajectory.
    Open {
        /// Its run.
        run: Uuid,
        /// The trajectory.
        trajectory: Uuid,
    },
    /// Look something up.
    Look(Look),
    /// How a task was repaired last in this workspace.
    LastChoice,
    /// A task with what a turn made of it in the place of the reference, if the turn made this still.
    AfterTurn {
        /// The key that the task is to have.
        key: u64,
        /// The turn.
        name: TurnName,
        /// The hash of what it made; none: whatever that is.
        made: Option<String>,
    },
    /// The runs of the workspace.
    Runs,
    /// The trajectories of one.
    Trajectories(Uuid),
}

/// What a person does to a run.
#[derive(Debug, Clone, PartialEq)]
pub enum Steer {
    /// Nothing new is begun.
    Pause,
    /// A pause ends.
    GoOn,
    /// One step is made.
    Step,
    /// It ends.
    Cancel,
    /// Something is wanted of a trajectory.
    Wish(Uuid, Box<Wish>),
}

/// A version of the code of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Code {
    /// The task's buggy tree.
    Buggy,
    /// Its reference.
    Reference,
    /// What a turn made of the buggy tree.
    Turn(ContentHash),
}

/// What is looked up.
#[derive(Debug)]
pub enum Look {
    /// Texts and tests of a turn.
    Turn {
        /// Which: attempt and turn.
        position: (u32, u32),
        /// Its answer.
        answer: Option<ContentHash>,
        /// Its reasoning.
        reasoning: Option<ContentHash>,
        /// Its report.
        report: Option<ContentHash>,
    },
    /// The difference between two versions.
    Change {
        /// The task.
        task: Arc<Task>,
        /// The old version.
        from: Code,
        /// The new version.
        to: Code,
    },
    /// The messages of a prompt.
    Prompt(ContentHash),
    /// Syntax colours of a piece of an answer.
    Colours {
        /// Which piece.
        piece: usize,
        /// Our name of its language, or what a fence says.
        language: String,
        /// The code.
        text: String,
    },
}

/// What is told.
#[derive(Debug)]
pub enum Told {
    /// A task as a turn left it.
    AfterTurn(Arc<LoadedTask>),
    /// A run was made and begins.
    Started(Box<Started>),
    /// Something could not be done, and why.
    Refused(String),
    /// What happened since the last of these.
    News(News),
    /// A run ended, or was left; what went wrong beside the work.
    Ended(Option<String>),
    /// A trajectory was read.
    Opened(Box<Opened>),
    /// Texts and tests of a turn.
    Turn(Box<TurnTexts>),
    /// The difference between two versions.
    Change(Arc<LoadedTask>),
    /// A prompt.
    Prompt(Vec<Block>),
    /// Syntax colours of a piece of an answer, line by line.
    Colours {
        /// Which piece.
        piece: usize,
        /// Its lines.
        spans: Vec<Vec<crate::syntax::highlight::Span>>,
    },
    /// The first prompt of a run: its length in tokens, and its messages.
    Preview {
        /// Estimated length, tokens.
        tokens: u64,
        /// The messages.
        blocks: Vec<Block>,
    },
    /// How a task was repaired last in this workspace.
    LastChoice(Option<LaunchChoice>),
    /// The runs of the workspace, newest first.
    Runs(Vec<RunRow>),
    /// The trajectories of a run.
    Trajectories(Uuid, Vec<TrajectoryRow>),
}

/// A run that begins.
#[derive(Debug)]
pub struct Started {
    /// Its id.
    pub run: Uuid,
    /// Its trajectories.
    pub heads: Vec<TrajectoryHead>,
    /// Its cell.
    pub cell: Cell,
    /// Its task.
    pub task: Arc<Task>,
}

/// What happened since the last of these.
#[derive(Debug)]
pub struct News {
    /// The time.
    pub now: Timestamp,
    /// What happened, in order; pieces of one text may be joined.
    pub events: Vec<RunEvent>,
    /// Wishes that were not granted, and why.
    pub refused: Vec<String>,
    /// Dropped with the news: tells the sender that more may come.
    pub heard: Heard,
}

/// A trajectory that was read.
#[derive(Debug)]
pub struct Opened {
    /// Its run.
    pub run: Uuid,
    /// How many trajectories that has.
    pub trajectories: usize,
    /// Which it is.
    pub head: TrajectoryHead,
    /// Its cell.
    pub cell: Cell,
    /// Its task.
    pub task: Arc<Task>,
    /// Its events, transient ones included as far as they are kept.
    pub events: Vec<RunEvent>,
}

/// Texts and tests of a turn.
#[derive(Debug, Default)]
pub struct TurnTexts {
    /// Which: attempt and turn.
    pub position: (u32, u32),
    /// The answer.
    pub answer: Option<String>,
    /// The reasoning.
    pub reasoning: Option<String>,
    /// The tests with what they said.
    pub tests: Vec<Test>,
    /// What builds and tests printed.
    pub output: Vec<OutputLine>,
    /// What could not be found.
    pub missing: Option<String>,
}

/// A run in the list.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRow {
    /// Its id.
    pub id: Uuid,
    /// When it was made.
    pub created: Timestamp,
    /// Name of the recording that it is, where it comes with the sample tasks.
    pub recording: Option<&'static str>,
    /// Models of its cells.
    pub models: Vec<String>,
    /// Their feedback.
    pub feedback: Vec<FeedbackKind>,
    /// Their strategies.
    pub strategies: Vec<Strategy>,
    /// Tasks.
    pub tasks: usize,
    /// Trajectories.
    pub trajectories: usize,
    /// Those that repaired.
    pub repaired: usize,
    /// Those that did not.
    pub failed: usize,
    /// Those that the infrastructure ended.
    pub infrastructure: usize,
    /// Those that a person cancelled or stepped into or the budget ended, and those with nothing to repair.
    pub other: usize,
}

impl RunRow {
    /// Trajectories that are not over.
    pub fn open(&self) -> usize {
        self.trajectories.saturating_sub(self.repaired + self.failed + self.infrastructure + self.other)
    }
}

/// A trajectory in the list.
#[derive(Debug, Clone, PartialEq)]
pub struct TrajectoryRow {
    /// Which it is.
    pub head: TrajectoryHead,
    /// Its model.
    pub model: String,
    /// Turns taken.
    pub turns: u32,
    /// The newest verdict.
    pub verdict: Option<Verdict>,
    /// Tests that passed and that were executed then.
    pub counts: Option<(u64, u64)>,
    /// Words of its turns' extractions and applications.
    pub outcomes: Vec<String>,
    /// Why it is over.
    pub stopped: Option<StopReason>,
    /// Whether a person stepped in.
    pub intervened: bool,
}
