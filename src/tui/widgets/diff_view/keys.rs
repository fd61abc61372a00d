//! What actions do to a difference.
//!
//! Promises: the same on every screen that shows one. Leaves to others: actions that need the task again (another
//! comparison, an editor), and telling what came of it.

use super::DiffView;
use crate::keymap::Action;
use crate::tui::widgets::acted::Acted;

/// Columns of a step to the side.
const SIDEWAYS: isize = 8;

impl DiffView {
    /// Carries out an action; where it answers [`Acted::Chosen`], `choices` are other ones.
    pub fn act(&mut self, action: Action) -> Acted {
        match action {
            Action::CursorDown => self.move_by(1),
            Action::CursorUp => self.move_by(-1),
            Action::PageDown => self.page(true, false),
            Action::PageUp => self.page(false, false),
            Action::HalfPageDown => self.page(true, true),
            Action::HalfPageUp => self.page(false, true),
            Action::First => self.edge(false),
            Action::Last => self.edge(true),
            Action::ScrollLeft => self.scroll_sideways(-SIDEWAYS),
            Action::ScrollRight => self.scroll_sideways(SIDEWAYS),
            Action::ScrollHome => self.scroll_home(),
            Action::NextHunk if !self.hunk(true) => return Acted::Nothing("this is the last change"),
            Action::PreviousHunk if !self.hunk(false) => return Acted::Nothing("this is the first change"),
            Action::NextMark if !self.mark_step(true) => return Acted::Nothing("no remark after this line"),
            Action::PreviousMark if !self.mark_step(false) => {
                return Acted::Nothing("no remark before this line");
            }
            Action::NextHunk | Action::PreviousHunk | Action::NextMark | Action::PreviousMark => {}
            Action::ToggleSideBySide => {
                self.toggle_side_by_side();
                return Acted::Chosen;
            }
            Action::ToggleWrap => {
                self.toggle_wrap();
                return Acted::Chosen;
            }
            Action::FoldAll => {
                self.toggle_whole_file();
                return Acted::Chosen;
            }
            Action::FoldToggle | Action::Open => {
                return if self.toggle_fold() { Acted::Done } else { Acted::NoFold };
            }
            Action::Copy => {
                return self
                    .current_text()
                    .map_or(Acted::Nothing("nothing to copy on this line"), Acted::Copied);
            }
            _ => return Acted::Ignored,
        }
        Acted::Done
    }
}
