//! The table of keys.
//!
//! Promises: every action stands here in every context in which it does something, with keys or without.
//! Leaves to others: everything; this is data. A test keeps it free of clashes.

use super::Action::{self, *};
use super::Context::{self, Diff, Global, Message, Task, Tasks, Text};

/// An action, where it does something, and the keys it has there.
pub(super) struct Row(pub Action, pub &'static [Context], pub &'static [&'static str]);

/// Places in which a cursor or a text moves.
const LISTS: &[Context] = &[Tasks, Diff, Text, Context::Help, Message];

/// Places in which text is typed.
const TYPING: &[Context] = &[Context::Filter, Context::Palette];

pub(super) const TABLE: &[Row] = &[
    // movement
    Row(CursorDown, LISTS, &["j", "down"]),
    Row(CursorUp, LISTS, &["k", "up"]),
    Row(HalfPageDown, LISTS, &["ctrl-d"]),
    Row(HalfPageUp, LISTS, &["ctrl-u"]),
    Row(PageDown, LISTS, &["space", "pagedown", "ctrl-f"]),
    Row(PageUp, LISTS, &["pageup", "ctrl-b"]),
    Row(First, LISTS, &["g g", "home"]),
    Row(Last, LISTS, &["G", "end"]),
    Row(CursorDown, TYPING, &["down", "ctrl-n"]),
    Row(CursorUp, TYPING, &["up", "ctrl-p"]),
    Row(PageDown, TYPING, &["pagedown"]),
    Row(PageUp, TYPING, &["pageup"]),
    Row(ScrollLeft, &[Diff, Text], &["h", "left"]),
    Row(ScrollRight, &[Diff, Text], &["l", "right"]),
    Row(ScrollHome, &[Diff, Text], &["0"]),
    Row(NextHunk, &[Diff], &["}"]),
    Row(PreviousHunk, &[Diff], &["{"]),
    Row(NextGroup, &[Tasks], &["}"]),
    Row(PreviousGroup, &[Tasks], &["{"]),
    Row(NextMatch, &[Diff, Text], &["n"]),
    Row(PreviousMatch, &[Diff, Text], &["N"]),
    // the task
    Row(Open, &[Tasks], &["enter"]),
    Row(NextTask, &[Task], &["]"]),
    Row(PreviousTask, &[Task], &["["]),
    Row(TabNext, &[Task], &["tab"]),
    Row(TabPrevious, &[Task], &["shift-tab"]),
    Row(Tab1, &[Task], &["1"]),
    Row(Tab2, &[Task], &["2"]),
    Row(Tab3, &[Task], &["3"]),
    Row(Tab4, &[Task], &["4"]),
    Row(Tab5, &[Task], &["5"]),
    Row(Copy, &[Tasks, Task], &["y"]),
    Row(CopyCommand, &[Tasks, Task], &["Y"]),
    Row(Edit, &[Tasks, Task], &["e"]),
    // the view
    Row(PreviewToggle, &[Tasks], &["p"]),
    Row(PreviewDown, &[Tasks], &["J"]),
    Row(PreviewUp, &[Tasks], &["K"]),
    Row(GroupToggle, &[Tasks], &["z"]),
    Row(Collapse, &[Tasks], &["h", "left"]),
    Row(Expand, &[Tasks], &["l", "right"]),
    Row(CollapseAll, &[Tasks], &["Z"]),
    Row(ToggleSideBySide, &[Diff], &["v"]),
    Row(ToggleWrap, &[Diff, Text], &["w"]),
    Row(ToggleWhitespace, &[Diff], &["i"]),
    Row(FoldToggle, &[Diff], &["enter", "z"]),
    Row(FoldAll, &[Diff], &["Z"]),
    Row(AlgorithmNext, &[Diff], &["a"]),
    Row(ThemeNext, &[Global], &["T"]),
    // filter, search and order
    Row(Filter, &[Tasks], &["/"]),
    Row(ClearFilter, &[Tasks], &["backspace"]),
    Row(Search, &[Diff, Text], &["/"]),
    Row(GroupByNext, &[Tasks], &["o"]),
    Row(SortNext, &[Tasks], &["s"]),
    Row(SortReverse, &[Tasks], &["S"]),
    // other screens
    Row(GotoTasks, &[Global], &["g t"]),
    Row(GotoTask, &[Global], &["g o"]),
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
