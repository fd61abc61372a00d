//! What reaches the workbench, and what it asks for: the two halves of `update(Msg) -> Vec<Cmd>`.
//!
//! Promises: plain data. Whatever takes time is a [`Job`]: its result carries the ticket of the request,
//! and a result whose ticket is not the newest is dropped by whoever asked.

pub mod repair;
pub mod study;
pub mod verify;

use crate::catalogue::{CatalogueError, LoadedTask, Progress};
use crate::diff::DiffOptions;
use crate::keymap::Key;
use crate::label::item::{Item, Purpose};
use crate::study::Candidate;
use crate::task::filter::Filter;
use crate::task::list::{Arranged, Arrangement};
use crate::task::table::TaskTable;
use crate::tui::widgets::diff_view::FileColours;
use std::sync::Arc;
use std::time::Duration;

/// Something that happened.
#[derive(Debug)]
pub enum Msg {
    /// A key was pressed.
    Key(Key),
    /// Text was pasted.
    Paste(String),
    /// The terminal has another size.
    Resize(u16, u16),
    /// The mouse did something (only while it is captured).
    Mouse(Mouse),
    /// The list of tasks has grown or is complete.
    Table(Progress),
    /// Reading the tasks failed.
    TableFailed(String),
    /// A job has a result.
    Done {
        /// Which request it answers.
        ticket: u64,
        /// The result.
        result: Box<JobResult>,
    },
    /// A timer that was asked for has run out.
    Timer(u64),
    /// The editor, or the clipboard, has something to say.
    Said(Said),
    /// A text was changed in the editor.
    Edited {
        /// Which request it answers.
        ticket: u64,
        /// The new text.
        text: Vec<u8>,
    },
    /// The process was stopped and goes on.
    Resumed,
}

/// A remark for the status line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// The words.
    pub text: String,
    /// Whether something went wrong.
    pub is_error: bool,
}

impl Said {
    /// Good news.
    pub fn info(text: impl Into<String>) -> Said {
        Said { text: text.into(), is_error: false }
    }

    /// Bad news.
    pub fn error(text: impl Into<String>) -> Said {
        Said { text: text.into(), is_error: true }
    }
}

/// What the mouse did, in screen coordinates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mouse {
    /// The first button was pressed.
    Press {
        /// Column.
        x: u16,
        /// Row.
        y: u16,
    },
    /// The wheel was turned: down is true.
    Wheel {
        /// Column.
        x: u16,
        /// Row.
        y: u16,
        /// Towards the user.
        down: bool,
    },
}

/// Something to be done outside of the state.
#[derive(Debug)]
pub enum Cmd {
    /// Work on a thread; only the newest job of a slot is run.
    Start {
        /// The lane that it shares with others of its kind.
        slot: Slot,
        /// Number that comes back with the result.
        ticket: u64,
        /// The work.
        job: Job,
    },
    /// A [`Msg::Timer`] with this number after a while.
    After(u64, Duration),
    /// Text for the clipboard.
    Copy(String),
    /// Verifies a version of a task; one that is still being verified is cancelled.
    Verify {
        /// Number that comes back with news and result.
        ticket: u64,
        /// What is verified.
        job: verify::VerifyJob,
    },
    /// Ends the verification that runs.
    CancelVerify,
    /// Opens text in the user's editor.
    Edit {
        /// Name of the file, for its ending.
        name: String,
        /// The text.
        text: Vec<u8>,
        /// Line to go to, from 1.
        line: u32,
    },
    /// Asks something of the repair runs.
    Repair {
        /// Number that comes back with the answer; of what is done to a run the number that it was started with.
        ticket: u64,
        /// What is asked.
        ask: Box<repair::Ask>,
    },
    /// Asks something of the studies of the workspace.
    Study {
        /// Number that comes back with the answer.
        ticket: u64,
        /// What is asked.
        ask: Box<study::Ask>,
    },
    /// Opens text in the user's editor and hands it back ([`Msg::Edited`]) if it was changed.
    EditBack {
        /// Number that comes back with it.
        ticket: u64,
        /// Name of the file, for its ending.
        name: String,
        /// The text.
        text: Vec<u8>,
        /// Line to go to, from 1.
        line: u32,
    },
    /// Captures the mouse, or leaves it to the terminal.
    CaptureMouse(bool),
    /// Stops the process, as Ctrl-Z does.
    Suspend,
    /// Reads the list of tasks anew.
    ReadList,
    /// Draws everything anew.
    Redraw,
    /// Ends the program.
    Quit,
}

/// A lane of jobs: a new one takes the place of one that has not started, and cancels one that runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Slot {
    /// Filtering and sorting.
    List,
    /// Reading the task under the cursor.
    Preview,
    /// Reading the task that is open.
    Task,
    /// Syntax colours of the task that is open.
    Colours,
    /// Reading a task that is to be repaired.
    Launch,
    /// Reading the task that a disagreement is about.
    Dispute,
    /// Syntax colours of that task.
    DisputeColours,
    /// Choosing and reading the tasks of a round that is to be made.
    Draft,
    /// Reading the task that is labelled.
    Subject,
    /// Reading the one that is labelled next.
    SubjectAhead,
    /// Syntax colours of that one.
    ColoursAhead,
}

/// Work for a thread.
#[derive(Debug)]
pub enum Job {
    /// Choose and arrange rows.
    Arrange {
        /// The rows.
        table: Arc<TaskTable>,
        /// Which ones.
        filter: Arc<Filter>,
        /// In which order.
        arrangement: Arrangement,
        /// Rows to look at, when fewer than all are enough.
        candidates: Option<Arc<Vec<u32>>>,
    },
    /// Read a task and compare its versions.
    Load {
        /// Its key in the catalogue.
        key: u64,
        /// How to compare.
        options: DiffOptions,
    },
    /// Find the syntax colours of a task's files.
    Colours(Arc<LoadedTask>),
    /// Find the tasks that a filter chooses, in the order of the list.
    Choose {
        /// The rows.
        table: Arc<TaskTable>,
        /// Which ones.
        filter: Arc<Filter>,
    },
    /// Read tasks to be items of a round.
    Items(Vec<(Candidate, Purpose)>),
}

/// What a job found.
#[derive(Debug)]
pub enum JobResult {
    /// Rows in table order, and arranged.
    Arranged {
        /// The filter that chose them.
        filter: Arc<Filter>,
        /// In table order, for narrowing.
        selected: Arc<Vec<u32>>,
        /// In list order.
        arranged: Arranged,
    },
    /// Full-text search could not be done.
    ArrangeFailed(String),
    /// The tasks that a filter chooses.
    Chosen(Vec<Candidate>),
    /// Tasks that were read to be items of a round, or why one could not be.
    Items(Result<Vec<Item>, String>),
    /// A task was read.
    Loaded(Result<Arc<LoadedTask>, CatalogueError>),
    /// Colours of one file; they come once for the first lines and again for all.
    Colours {
        /// The task.
        key: u64,
        /// The file's number.
        file: usize,
        /// Its colours.
        colours: FileColours,
    },
    /// A verification goes on.
    Verifying(verify::News),
    /// A verification ended.
    Verified(Box<verify::Finished>),
    /// Nothing could be verified, and why.
    VerifyFailed(String),
    /// Something about repair runs.
    Repair(repair::Told),
    /// Something about studies.
    Study(study::Told),
}
