//! The table of keys.
//!
//! Promises: every action stands here in every context in which it does something, with keys or without.
//! Leaves to others: everything; this is data. A test keeps it free of clashes.

use super::Action::{self, *};
use super::Context::{
    self, Agreement, Annotate, Diff, Discuss, Global, Launch as Sheet, Message, Repair, Rounds, Runs, Task,
    Tasks, Tests, Text,
};

/// An action, where it does something, and the keys it has there.
pub(super) struct Row(pub Action, pub &'static [Context], pub &'static [&'static str]);

/// Places in which a cursor or a text moves.
const LISTS: &[Context] = &[
    Tasks,
    Diff,
    Tests,
    Text,
    Repair,
    Runs,
    Annotate,
    Discuss,
    Agreement,
    Rounds,
    Sheet,
    Context::Help,
    Message,
];

/// Those in which the space bar shows more.
const READING: &[Context] = &[Tasks, Diff, Tests, Text, Runs, Sheet, Context::Help, Message];

/// Places in which text is typed.
const TYPING: &[Context] = &[Context::Filter, Context::Palette];

pub(super) const TABLE: &[Row] = &[
    // movement
    Row(CursorDown, LISTS, &["j", "down"]),
    Row(CursorUp, LISTS, &["k", "up"]),
    Row(HalfPageDown, LISTS, &["ctrl-d"]),
    Row(HalfPageUp, LISTS, &["ctrl-u"]),
    Row(PageDown, READING, &["space", "pagedown", "ctrl-f"]),
    Row(PageDown, &[Repair], &["pagedown", "ctrl-f"]),
    Row(PageUp, LISTS, &["pageup", "ctrl-b"]),
    Row(First, LISTS, &["g g", "home"]),
    Row(Last, LISTS, &["G", "end"]),
    Row(CursorDown, TYPING, &["down", "ctrl-n"]),
    Row(CursorUp, TYPING, &["up", "ctrl-p"]),
    Row(PageDown, TYPING, &["pagedown"]),
    Row(PageUp, TYPING, &["pageup"]),
    Row(ScrollLeft, &[Diff, Tests, Text], &["h", "left"]),
    Row(ScrollRight, &[Diff, Tests, Text], &["l", "right"]),
    Row(ScrollLeft, &[Repair], &["h"]),
    Row(ScrollRight, &[Repair], &["l"]),
    Row(ScrollHome, &[Diff, Tests, Text, Repair], &["0"]),
    Row(NextHunk, &[Diff], &["}"]),
    Row(PreviousHunk, &[Diff], &["{"]),
    Row(NextGroup, &[Tasks], &["}"]),
    Row(PreviousGroup, &[Tasks], &["{"]),
    Row(NextMatch, &[Diff, Tests, Text], &["n"]),
    Row(PreviousMatch, &[Diff, Tests, Text], &["N"]),
    Row(NextFailure, &[Tests], &["}"]),
    Row(PreviousFailure, &[Tests], &["{"]),
    Row(NextMark, &[Diff], &["d"]),
    Row(PreviousMark, &[Diff], &["D"]),
    // the task
    Row(Open, &[Tasks, Runs], &["enter"]),
    Row(NextTask, &[Task], &["]"]),
    Row(PreviousTask, &[Task], &["["]),
    Row(TabNext, &[Task, Repair], &["tab"]),
    Row(TabPrevious, &[Task, Repair], &["shift-tab"]),
    Row(Tab1, &[Task, Repair], &["1"]),
    Row(Tab2, &[Task, Repair], &["2"]),
    Row(Tab3, &[Task, Repair], &["3"]),
    Row(Tab4, &[Task, Repair], &["4"]),
    Row(Tab5, &[Task], &["5"]),
    Row(RunBuggy, &[Task], &["t"]),
    Row(RunReference, &[Task], &["T"]),
    Row(CancelRun, &[Task, Repair], &["x"]),
    Row(ShowSpot, &[Tests], &["enter"]),
    Row(ToggleOutput, &[Tests, Repair], &["o"]),
    Row(Copy, &[Tasks, Task], &["y"]),
    Row(CopyCommand, &[Tasks, Task], &["Y"]),
    // a repair
    Row(Launch, &[Tasks, Task, Repair], &["r"]),
    Row(LaunchAgain, &[Tasks, Task, Repair], &["R"]),
    Row(StartRun, &[Sheet], &["enter"]),
    Row(ValueNext, &[Sheet], &["right", "l"]),
    Row(ValuePrevious, &[Sheet], &["left", "h"]),
    Row(Pause, &[Repair], &["space"]),
    Row(Step, &[Repair], &["s"]),
    Row(GiveFeedback, &[Repair], &["f"]),
    Row(EditCode, &[Repair], &["e"]),
    Row(NextTurn, &[Repair], &["right", "enter"]),
    Row(PreviousTurn, &[Repair], &["left"]),
    Row(NextTrajectory, &[Repair], &["]"]),
    Row(PreviousTrajectory, &[Repair], &["["]),
    Row(Play, &[Repair], &["P"]),
    Row(Faster, &[Repair], &["+", "="]),
    Row(Slower, &[Repair], &["-"]),
    Row(CopyCommand, &[Repair, Runs], &["y"]),
    Row(Copy, &[Repair], &["Y"]),
    Row(ChangeAgainst, &[Repair], &["d"]),
    Row(ShowReference, &[Repair], &["D"]),
    Row(ShowPrompt, &[Repair], &["p"]),
    Row(ToggleReasoning, &[Repair], &["z"]),
    Row(Edit, &[Tasks, Task], &["e"]),
    // the view
    Row(PreviewToggle, &[Tasks], &["p"]),
    Row(PreviewDown, &[Tasks], &["J"]),
    Row(PreviewUp, &[Tasks], &["K"]),
    Row(GroupToggle, &[Tasks], &["z"]),
    Row(Collapse, &[Tasks], &["h", "left"]),
    Row(Expand, &[Tasks], &["l", "right"]),
    Row(CollapseAll, &[Tasks], &["Z"]),
    Row(ToggleSideBySide, &[Diff, Repair], &["v"]),
    Row(ToggleWrap, &[Diff, Text, Repair], &["w"]),
    Row(ToggleWhitespace, &[Diff], &["i"]),
    Row(FoldToggle, &[Diff], &["enter", "z"]),
    Row(FoldAll, &[Diff, Repair], &["Z"]),
    Row(AlgorithmNext, &[Diff], &["a"]),
    Row(ThemeNext, &[Global], &["ctrl-t"]),
    // filter, search and order
    Row(Filter, &[Tasks, Runs], &["/"]),
    Row(ClearFilter, &[Tasks, Runs], &["backspace"]),
    Row(Search, &[Diff, Tests, Text], &["/"]),
    Row(GroupByNext, &[Tasks], &["o"]),
    Row(SortNext, &[Tasks], &["s"]),
    Row(SortReverse, &[Tasks], &["S"]),
    // other screens
    Row(GotoTasks, &[Global], &["g t"]),
    Row(GotoTask, &[Global], &["g o"]),
    Row(GotoRepair, &[Global], &["g r"]),
    Row(GotoRuns, &[Global], &["g u"]),
    Row(GotoAnnotate, &[Global], &["g a"]),
    Row(GotoDiscuss, &[Global], &["g d"]),
    Row(GotoAgreement, &[Global], &["g k"]),
    Row(GotoRounds, &[Global], &["g s"]),
    // typing
    Row(Accept, TYPING, &["enter"]),
    Row(ClearInput, TYPING, &["ctrl-u"]),
    Row(DeleteBack, TYPING, &["backspace", "ctrl-h"]),
    Row(DeleteForward, TYPING, &["delete"]),
    Row(DeleteWord, TYPING, &["ctrl-w"]),
    Row(InputLeft, TYPING, &["left"]),
    Row(InputRight, TYPING, &["right"]),
    Row(InputStart, TYPING, &["home", "ctrl-a"]),
    Row(InputEnd, TYPING, &["end", "ctrl-e"]),
    // answers
    Row(Confirm, &[Context::Confirm], &["y", "enter"]),
    Row(Decline, &[Context::Confirm], &["n", "esc", "q"]),
    // everywhere
    Row(Back, &[Global], &["esc"]),
    Row(Back, TYPING, &["esc", "ctrl-c"]),
    Row(Back, &[Context::Help], &["esc", "q", "?"]),
    Row(Back, &[Message], &["esc", "enter", "q"]),
    Row(Help, &[Global], &["?"]),
    Row(Palette, &[Global], &[":"]),
    Row(Quit, &[Global], &["q", "ctrl-c"]),
    Row(Reload, &[Global], &["ctrl-r"]),
    Row(ShowSkipped, &[Global], &["!"]),
    Row(Redraw, &[Global], &["ctrl-l"]),
    Row(ToggleMouse, &[Global], &["M"]),
    Row(Suspend, &[Global], &["ctrl-z"]),
];
