//! Drawing the workbench: header, screen, footer, overlays.
//!
//! Promises: a pure function of the state, at any size. Leaves to others: the screens and overlays themselves.

use super::{App, SMALLEST, Screen};
use crate::keymap::{Action, Hint};
use crate::text;
use crate::theme::Role;
use crate::tui::msg::Said;
use crate::tui::overlays::help;
use crate::tui::screens::{repair, task, tasks};
use crate::tui::widgets::ascii;
use crate::tui::widgets::canvas::Canvas;
use ratatui::buffer::Buffer;

impl App {
    /// Draws everything.
    pub fn view(&self, buffer: &mut Buffer) {
        self.draw(buffer);
        if !self.unicode {
            ascii::reduce(buffer);
        }
    }

    fn draw(&self, buffer: &mut Buffer) {
        let area = buffer.area;
        let mut canvas = Canvas::new(buffer, area);
        canvas.clear(self.ctx.skin.style(Role::Text));
        let (width, height) = (canvas.width(), canvas.height());
        if width < SMALLEST.0 || height < SMALLEST.1 {
            let needs = format!("mendbench needs {} columns and {} rows", SMALLEST.0, SMALLEST.1);
            for (y, line) in (0..height).zip(text::wrap(&needs, usize::from(width.max(1)))) {
                canvas.print(0, y, &line, self.ctx.skin.style(Role::Text), width);
            }
            return;
        }
        self.draw_header(&mut canvas.part(0, 0, width, 1));
        let mut body = canvas.part(0, 1, width, height - 2);
        match self.screen {
            Screen::Tasks => tasks::draw(&self.tasks, &self.ctx, &mut body),
            Screen::Task => task::draw(&self.task, &self.ctx, &mut body),
            Screen::Repair => repair::draw(&self.repair, &self.ctx, &mut body),
            Screen::Runs => self.runs.draw(&self.ctx, &mut body),
            Screen::Study(place) => self.studies.part(place).draw(&self.ctx, &mut body),
        }
        // A message that needs more than one row covers the end of the body.
        let foot = (self.status_lines().len() as u16).clamp(1, height - 1);
        let mut area = canvas.part(0, height - foot, width, foot);
        if foot > 1 {
            area.clear(self.ctx.skin.style(Role::Footer));
        }
        self.draw_footer(&mut area);
        for overlay in &self.overlays {
            overlay.draw(&mut canvas, &self.ctx.skin);
        }
        if !self.pending.is_empty() {
            help::draw_continuations(
                &mut canvas,
                &self.ctx.skin,
                &self.keymap,
                &self.contexts(),
                &self.pending,
            );
        }
    }

    fn draw_header(&self, canvas: &mut Canvas<'_>) {
        let skin = &self.ctx.skin;
        let width = canvas.width();
        canvas.style_row(0, skin.style(Role::Header));
        // The open task in the list; a filter may have left it out meanwhile.
        let listed = self.tasks.current().filter(|summary| Some(summary.key) == self.task.key());
        let mut crumbs = vec![self.ctx.origin.label.clone()];
        match self.screen {
            Screen::Task => {
                crumbs.extend(self.task.id().or(listed.map(|summary| summary.id)).map(str::to_owned));
            }
            // There the task and what is done count more than where it comes from.
            Screen::Repair => {
                crumbs = self.repair.header().0.map(str::to_owned).into_iter().collect();
                crumbs.push("repair".to_owned());
            }
            Screen::Runs => crumbs.push("runs".to_owned()),
            Screen::Study(place) => crumbs = self.studies.part(place).crumbs(),
            Screen::Tasks => {}
        }
        let right = match self.screen {
            Screen::Tasks => tasks::header(&self.tasks),
            Screen::Task if listed.is_some() => {
                let (number, all) = self.tasks.position();
                format!("{number} of {all}")
            }
            Screen::Task => "not in the list".to_owned(),
            Screen::Repair => {
                let left: usize = crumbs.iter().map(|crumb| text::width(crumb) + 3).sum();
                let room = usize::from(width).saturating_sub(left + 14);
                let mut words = self.repair.header().1;
                let fits = words.iter().position(|words| text::width(words) <= room);
                let at = fits.unwrap_or(words.len().saturating_sub(1));
                if words.is_empty() { String::new() } else { words.swap_remove(at) }
            }
            Screen::Runs => self.runs.header(),
            Screen::Study(place) => self.studies.part(place).header(),
        };
        let right_width = (text::width(&right) as u16).min(width / 4 * 3);
        let room = width.saturating_sub(right_width + 3);
        let mut x = canvas.print(1, 0, "mendbench", skin.over(Role::Header, Role::Accent), room);
        for crumb in crumbs {
            if x + 4 >= room {
                break;
            }
            x = canvas.print(x + 1, 0, skin.glyphs.crumb, skin.over(Role::Header, Role::TextDim), 1);
            x = canvas.print(x + 1, 0, &crumb, skin.style(Role::Header), room.saturating_sub(x));
        }
        canvas.print_end(0, 0, &right, skin.over(Role::Header, Role::Count), width.saturating_sub(1));
    }

    /// Whether an action would do something now: others are not hinted at.
    fn means_something(&self, action: Action) -> bool {
        if !self.overlays.is_empty() {
            return true;
        }
        match (self.screen, action) {
            (Screen::Tasks, Action::Launch) => return self.tasks.current().is_some(),
            (Screen::Task, Action::Launch) => return self.task.loaded().is_some(),
            _ => {}
        }
        match self.screen {
            Screen::Tasks => self.tasks.means_something(action),
            Screen::Task => self.task.means_something(action),
            Screen::Repair => self.repair.means_something(action),
            Screen::Runs => self.runs.means_something(action),
            Screen::Study(place) => self.studies.part(place).means_something(action),
        }
    }

    /// The word for an action where the screen has one of its own.
    fn says(&self, action: Action) -> Option<&'static str> {
        match self.screen {
            Screen::Study(place) if self.overlays.is_empty() => self.studies.part(place).says(action),
            Screen::Repair if self.overlays.is_empty() => self.repair.says(action),
            _ => None,
        }
    }

    /// What is told in the place of the hints: a message, or else a remark on the line under the cursor.
    fn said(&self) -> Option<Said> {
        if self.status.is_some() || self.screen != Screen::Task || !self.overlays.is_empty() {
            return self.status.clone();
        }
        self.task.remark().map(Said::info)
    }

    /// What there is to tell, on as many rows as it needs, but no more than a third of the screen.
    fn status_lines(&self) -> Vec<String> {
        let Some(said) = self.said() else { return Vec::new() };
        let (width, height) = self.size;
        let mut lines = text::wrap(&said.text, usize::from(width.saturating_sub(2).max(1)));
        lines.truncate(usize::from(height / 3).max(1));
        lines
    }

    fn draw_footer(&self, canvas: &mut Canvas<'_>) {
        let skin = &self.ctx.skin;
        let width = canvas.width();
        canvas.style_row(0, skin.style(Role::Footer));
        if let Some(said) = self.said() {
            let role = if said.is_error { Role::StatusError } else { Role::StatusInfo };
            for (y, line) in self.status_lines().iter().enumerate() {
                canvas.style_row(y as u16, skin.style(Role::Footer));
                canvas.print(1, y as u16, line, skin.over(Role::Footer, role), width.saturating_sub(2));
            }
            return;
        }
        let mut x = 1;
        let background = self.repair.background().filter(|_| self.screen != Screen::Repair);
        let status = match self.screen {
            Screen::Task => self.task.status().or(background),
            Screen::Study(place) => self.studies.part(place).footer().or(background),
            _ => background,
        };
        if let Some(status) = status {
            x = canvas.print(x, 0, &status, skin.over(Role::Footer, Role::StatusInfo), width) + 3;
        }
        for Hint { key, label, action } in
            self.keymap.footer(&self.contexts(), |action| self.means_something(action))
        {
            let label = self.says(action).unwrap_or(label);
            let wide = (text::width(&key) + text::width(label) + 1) as u16;
            if x + wide + 1 > width {
                continue;
            }
            x = canvas.print(x, 0, &key, skin.over(Role::Footer, Role::FooterKey), wide);
            x = canvas.print(x + 1, 0, label, skin.style(Role::Footer), wide) + 2;
        }
    }
}
