//! What an action did to a view: the same for all screens that show one.
//!
//! Leaves to others: which key stands for an action (`keymap`), telling it (`screens`).

/// What an action did to a difference or to a page of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Acted {
    /// It was done.
    Done,
    /// It was done, and what is shown is shown in another way from now on.
    Chosen,
    /// This is to be copied.
    Copied(String),
    /// There was nothing to do, and why.
    Nothing(&'static str),
    /// There are no folded lines at the cursor; which key shows the whole file is the screen's to tell.
    NoFold,
    /// It means nothing to this view.
    Ignored,
}
