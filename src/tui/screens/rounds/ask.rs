//! The question whether a phase is to be ended, with what stands in the way.

use super::words::{command, counted, what_ends};
use crate::label::phase::{Obstacle, Phase};
use crate::study::Whole;
use crate::text;
use crate::theme::Role;
use crate::tui::widgets::canvas::Canvas;
use crate::tui::widgets::panel;
use crate::tui::widgets::skin::Skin;
use uuid::Uuid;

/// The question.
#[derive(Debug)]
pub struct Question {
    /// The round.
    pub round: Uuid,
    /// The phase that would begin.
    pub to: Phase,
    /// What stands in the way.
    pub obstacles: Vec<Obstacle>,
    /// Whether it is to be ended all the same.
    pub force: bool,
    from: Phase,
    title: String,
    meaning: String,
}

impl Question {
    /// The question about the next phase of a round, for who leads it.
    pub fn of(whole: &Whole) -> Option<Question> {
        let round = &whole.overview.round;
        let obstacles = whole.obstacles.clone()?;
        Some(Question {
            round: round.id,
            to: round.phase.next()?,
            obstacles,
            force: false,
            from: round.phase,
            title: format!("End {} of {}?", round.phase, super::name(round)),
            meaning: what_ends(round.phase, round),
        })
    }

    /// Whether what is missing stops it.
    pub fn stops(&self) -> bool {
        !self.obstacles.is_empty() && !self.force
    }

    /// The command that does the same.
    pub fn command(&self, round: &str, who: &str) -> String {
        let mut words = vec!["mendbench", "round", "advance", round, "--to", self.to.as_str()];
        if self.force {
            words.push("--force");
        }
        command(&words, who)
    }

    fn lines(&self, width: usize) -> Vec<(String, Role)> {
        let mut lines = Vec::new();
        let mut say = |words: &str, role: Role| {
            lines.extend(text::wrap(words, width).into_iter().map(|line| (line, role)));
        };
        let mut first = format!("{} ends and {} begins.", self.from, self.to);
        first[..1].make_ascii_uppercase();
        say(&first, Role::TextStrong);
        say(&self.meaning, Role::Text);
        say("This cannot be taken back.", Role::Text);
        say("", Role::Text);
        if self.obstacles.is_empty() {
            say("Nothing is missing.", Role::StatusOk);
        } else {
            say("Missing:", Role::StatusWarn);
            for one in &self.obstacles {
                let named: Vec<&str> = one.items.iter().take(3).map(String::as_str).collect();
                let more = if one.items.len() > 3 { ", …" } else { "" };
                let count = counted(one.items.len(), "item");
                let words =
                    format!("  {}: {count} {} ({}{more})", one.who, one.what.words(), named.join(", "));
                say(&words, Role::Text);
            }
        }
        say("", Role::Text);
        match (self.stops(), self.force) {
            (true, _) => say(
                "F  go on all the same: that is written down as a deviation from the protocol, and every export \
                 carries it",
                Role::Text,
            ),
            (false, true) => {
                say("Forced: this will be written down as a deviation from the protocol.", Role::StatusError);
                say("y  end it all the same    F  rather not force it", Role::Text);
            }
            (false, false) => say("y  end it", Role::Text),
        }
        say("n  leave it as it is    Y  copy the command", Role::Text);
        lines
    }

    /// Draws it over the screen.
    pub fn draw(&self, canvas: &mut Canvas<'_>, skin: &Skin) {
        let width = canvas.width().saturating_sub(4).min(76);
        let lines = self.lines(usize::from(width.saturating_sub(4).max(8)));
        let height = (lines.len() as u16 + 2).min(canvas.height());
        let mut inner = panel::popup(canvas, skin, (&self.title, ""), (width, height));
        let columns = inner.width();
        for (y, (line, role)) in (0..inner.height()).zip(&lines) {
            inner.print(0, y, line, skin.over(Role::Overlay, *role), columns);
        }
    }
}
