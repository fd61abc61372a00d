//! The screens. Each has its state, what an action does to it, and how it is drawn.

pub mod agreement;
pub mod annotate;
pub mod discuss;
pub mod elsewhere;
pub mod item_name;
pub mod part;
pub mod repair;
pub mod rounds;
pub mod runs;
pub mod task;
pub mod tasks;

use crate::catalogue::Origin;
use crate::task::table::TaskTable;
use crate::tui::msg::{Cmd, Said};
use crate::tui::widgets::acted::Acted;
use crate::tui::widgets::skin::Skin;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::sync::Arc;
use uuid::Uuid;

/// What screens may know of the world around them.
pub struct Context {
    /// Colours and glyphs.
    pub skin: Skin,
    /// Where the tasks come from.
    pub origin: Origin,
    /// The folder of the workspace, for commands that are shown; none: there is none yet.
    pub workspace: Option<String>,
    tasks: Arc<TaskTable>,
    /// Keys of tasks by name, made when the first is looked for.
    keys: OnceCell<HashMap<String, u64>>,
    /// Whether these are all tasks that there will be.
    all_read: bool,
    tickets: u64,
}

impl Context {
    /// A context with no requests made yet.
    pub fn new(skin: Skin, origin: Origin) -> Context {
        Context {
            skin,
            origin,
            workspace: None,
            tasks: Arc::default(),
            keys: OnceCell::new(),
            all_read: false,
            tickets: 0,
        }
    }

    /// The same beside this workspace.
    pub fn beside(self, workspace: Option<String>) -> Context {
        Context { workspace, ..self }
    }

    /// The list of tasks, as far as it was read.
    pub fn tasks(&self) -> &Arc<TaskTable> {
        &self.tasks
    }

    /// The list of tasks has grown, or is complete.
    pub fn set_tasks(&mut self, tasks: Arc<TaskTable>, complete: bool) {
        self.tasks = tasks;
        self.keys = OnceCell::new();
        self.all_read = complete;
    }

    /// The list of tasks could not be read on: there will be no more.
    pub fn tasks_end(&mut self) {
        self.all_read = true;
    }

    /// Whether a task that is not in the list will not come any more.
    pub fn all_tasks_read(&self) -> bool {
        self.all_read
    }

    /// The key in the catalogue of the task with this name, `dataset/id`.
    pub fn key_of(&self, name: &str) -> Option<u64> {
        let keys = self.keys.get_or_init(|| {
            let rows = 0..u32::try_from(self.tasks.len()).unwrap_or(u32::MAX);
            let rows = rows.filter_map(|row| self.tasks.get(row));
            rows.map(|task| (format!("{}/{}", task.dataset, task.id), task.key)).collect()
        });
        keys.get(name).copied()
    }

    /// A number for a request, never used before.
    pub fn ticket(&mut self) -> u64 {
        self.tickets += 1;
        self.tickets
    }
}

/// What an action did.
#[derive(Debug, Default)]
pub struct Outcome {
    /// To be done outside of the state.
    pub commands: Vec<Cmd>,
    /// For the status line.
    pub said: Option<Said>,
    /// Another screen is wanted.
    pub go: Option<Go>,
    /// Whether the action means something here.
    pub handled: bool,
}

/// The screens of studies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Labelling.
    Annotate,
    /// Discussion and adjudication.
    Discuss,
    /// Agreement.
    Agreement,
    /// The desk of the lead.
    Rounds,
}

impl Place {
    /// All of them.
    pub const ALL: [Place; 4] = [Place::Annotate, Place::Discuss, Place::Agreement, Place::Rounds];
}

/// Another screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Go {
    /// Open the task under the cursor of the list.
    OpenTask,
    /// The task before or after, in the order of the list.
    Neighbour(isize),
    /// Back to the list.
    Tasks,
    /// Back to where one came from.
    Back,
    /// A trajectory of a run.
    Trajectory {
        /// The run.
        run: Uuid,
        /// The trajectory.
        trajectory: Uuid,
    },
    /// A screen of a study; with a round, that one is in hand from then on.
    Study(Place, Option<Uuid>),
    /// A task by its name, `dataset/id`.
    TaskNamed(String),
}

impl Outcome {
    /// The action means nothing here.
    pub fn ignored() -> Outcome {
        Outcome::default()
    }

    /// It was done, and nothing else follows.
    pub fn done() -> Outcome {
        Outcome { handled: true, ..Outcome::default() }
    }

    /// It was done, and these are to be carried out.
    pub fn commands(commands: Vec<Cmd>) -> Outcome {
        Outcome { commands, ..Outcome::done() }
    }

    /// It was done, with a remark.
    pub fn said(said: Said) -> Outcome {
        Outcome { said: Some(said), ..Outcome::done() }
    }

    /// What an action did to a view, told.
    pub fn of(acted: Acted) -> Outcome {
        match acted {
            Acted::Done | Acted::Chosen => Outcome::done(),
            Acted::Copied(text) => Outcome::commands(vec![Cmd::Copy(text)]),
            Acted::Nothing(why) => Outcome::said(Said::info(why)),
            Acted::NoFold => Outcome::said(Said::info("no folded lines here")),
            Acted::Ignored => Outcome::ignored(),
        }
    }

    /// Another screen.
    pub fn go(go: Go) -> Outcome {
        Outcome { go: Some(go), ..Outcome::done() }
    }
}
