//! The screens. Each has its state, what an action does to it, and how it is drawn.

pub mod repair;
pub mod runs;
pub mod task;
pub mod tasks;

use crate::catalogue::Origin;
use crate::tui::msg::Cmd;
use crate::tui::widgets::skin::Skin;

/// What screens may know of the world around them.
pub struct Context {
    /// Colours and glyphs.
    pub skin: Skin,
    /// Where the tasks come from.
    pub origin: Origin,
    tickets: u64,
}

impl Context {
    /// A context with no requests made yet.
    pub fn new(skin: Skin, origin: Origin) -> Context {
        Context { skin, origin, tickets: 0 }
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
    pub said: Option<crate::tui::msg::Said>,
    /// Another screen is wanted.
    pub go: Option<Go>,
    /// Whether the action means something here.
    pub handled: bool,
}

/// Another screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
        run: uuid::Uuid,
        /// The trajectory.
        trajectory: uuid::Uuid,
    },
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
    pub fn said(said: crate::tui::msg::Said) -> Outcome {
        Outcome { said: Some(said), ..Outcome::done() }
    }

    /// Another screen.
    pub fn go(go: Go) -> Outcome {
        Outcome { go: Some(go), ..Outcome::done() }
    }
}
