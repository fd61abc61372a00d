//! Where a key is pressed.
//!
//! Promises: a closed list with stable names, because configuration files hold them (`[keys.diff]`).
//! Leaves to others: which contexts are active at a time (`tui::app`): overlay, then screen, then global.

/// A place in which keys have their own meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Context {
    /// Everywhere.
    Global,
    /// The list of tasks.
    Tasks,
    /// A task, whatever its tab.
    Task,
    /// The difference.
    Diff,
    /// The tests of a task.
    Tests,
    /// Text that scrolls: the other tabs.
    Text,
    /// A repair, live or recorded.
    Repair,
    /// The list of runs and of their trajectories.
    Runs,
    /// Labelling.
    Annotate,
    /// Disagreements, discussed or decided.
    Discuss,
    /// Agreement.
    Agreement,
    /// The rounds, for who leads them.
    Rounds,
    /// The launch sheet.
    Launch,
    /// A filter or search being typed.
    Filter,
    /// The command palette.
    Palette,
    /// The help.
    Help,
    /// A message.
    Message,
    /// A question.
    Confirm,
}

impl Context {
    /// All contexts, in the order in which they are documented.
    pub const ALL: [Context; 18] = [
        Context::Global,
        Context::Tasks,
        Context::Task,
        Context::Diff,
        Context::Tests,
        Context::Text,
        Context::Repair,
        Context::Runs,
        Context::Annotate,
        Context::Discuss,
        Context::Agreement,
        Context::Rounds,
        Context::Launch,
        Context::Filter,
        Context::Palette,
        Context::Help,
        Context::Message,
        Context::Confirm,
    ];

    /// The name used in configuration files.
    pub const fn name(self) -> &'static str {
        match self {
            Context::Global => "global",
            Context::Tasks => "tasks",
            Context::Task => "task",
            Context::Diff => "diff",
            Context::Tests => "tests",
            Context::Text => "text",
            Context::Repair => "repair",
            Context::Runs => "runs",
            Context::Annotate => "annotate",
            Context::Discuss => "discuss",
            Context::Agreement => "agreement",
            Context::Rounds => "rounds",
            Context::Launch => "launch",
            Context::Filter => "filter",
            Context::Palette => "palette",
            Context::Help => "help",
            Context::Message => "message",
            Context::Confirm => "confirm",
        }
    }

    /// Where that is, for people.
    pub const fn title(self) -> &'static str {
        match self {
            Context::Global => "everywhere",
            Context::Tasks => "list of tasks",
            Context::Task => "task",
            Context::Diff => "difference",
            Context::Tests => "tests",
            Context::Text => "text",
            Context::Repair => "repair",
            Context::Runs => "list of runs",
            Context::Annotate => "labelling",
            Context::Discuss => "discussion and adjudication",
            Context::Agreement => "agreement",
            Context::Rounds => "rounds",
            Context::Launch => "launch sheet",
            Context::Filter => "typing a filter or search",
            Context::Palette => "command palette",
            Context::Help => "help",
            Context::Message => "message",
            Context::Confirm => "question",
        }
    }

    /// The context with this name.
    pub fn parse(name: &str) -> Option<Context> {
        Context::ALL.into_iter().find(|context| context.name() == name)
    }

    /// Whether characters are typed here, so that no key that types one may do anything else.
    pub const fn is_typing(self) -> bool {
        matches!(self, Context::Filter | Context::Palette)
    }
}
