//! What the mouse does, while it is captured: the top overlay first, then the screen.
//!
//! Promises: nothing outside of the body of a screen reaches it. Leaves to others: what a screen makes of it.

use super::{App, Screen};
use crate::keymap::Action;
use crate::tui::msg::{Cmd, Mouse};
use crate::tui::screens::tasks;

impl App {
    pub(super) fn mouse(&mut self, mouse: Mouse) -> Vec<Cmd> {
        let (width, height) = self.size;
        match mouse {
            Mouse::Wheel { down, x, y } => {
                if let Some(overlay) = self.overlays.last_mut() {
                    overlay.wheel(down);
                    return Vec::new();
                }
                match self.screen {
                    Screen::Task => {
                        self.task.wheel(down);
                        Vec::new()
                    }
                    Screen::Repair => self.repair.wheel(down, &mut self.ctx),
                    Screen::Runs => {
                        self.runs.wheel(down);
                        Vec::new()
                    }
                    Screen::Study(place) => {
                        self.studies.part_mut(place).wheel(down);
                        Vec::new()
                    }
                    Screen::Tasks => {
                        let body = (x, y.saturating_sub(1));
                        let in_list =
                            tasks::list_row(&self.tasks, &self.ctx, body, (width, height.saturating_sub(2)))
                                .is_some();
                        let action = match (in_list, down) {
                            (true, true) => Action::CursorDown,
                            (true, false) => Action::CursorUp,
                            (false, true) => Action::PreviewDown,
                            (false, false) => Action::PreviewUp,
                        };
                        self.act(action)
                    }
                }
            }
            Mouse::Press { x, y } => {
                self.pending.clear();
                if self.overlays.pop().is_some() || y == 0 {
                    return Vec::new();
                }
                match self.screen {
                    Screen::Task => self.task.click(x, y - 1, &mut self.ctx),
                    Screen::Repair => {
                        self.repair.click(x, y - 1);
                        Vec::new()
                    }
                    Screen::Runs => {
                        self.runs.click(y - 1);
                        Vec::new()
                    }
                    Screen::Study(place) => {
                        let outcome = self.studies.part_mut(place).click(x, y - 1, &mut self.ctx);
                        self.follow(outcome)
                    }
                    Screen::Tasks => {
                        let row = tasks::list_row(
                            &self.tasks,
                            &self.ctx,
                            (x, y - 1),
                            (width, height.saturating_sub(2)),
                        );
                        match row {
                            Some(row) => {
                                let outcome = self.tasks.click(row, &mut self.ctx);
                                self.follow(outcome)
                            }
                            None => Vec::new(),
                        }
                    }
                }
            }
        }
    }
}
