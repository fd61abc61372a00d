//! The questions whether a phase is to be ended, with what stands in the way, and whether a round is to be withdrawn.

use super::words::{command, what_ends};
use crate::label::extent::Extent;
use crate::label::phase::{Obstacle, Phase};
use crate::label::round::Round;
use crate::study::Whole;
use crate::text;
use crate::text::counted;
use crate::theme::Role;
use crate::tui::widgets::canvas::Canvas;
use crate::tui::widgets::panel;
use crate::tui::widgets::skin::Skin;
use uuid::Uuid;

/// A question, and of which round.
#[derive(Debug)]
pub struct Question {
    /// The round.
    pub round: Uuid,
    /// What is asked.
    pub asked: Asked,
    title: String,
    meaning: String,
}

/// What is asked.
#[derive(Debug)]
pub enum Asked {
    /// Whether the phase is to be ended.
    End {
        /// The phase that would end.
        from: Phase,
        /// The phase that would begin.
        to: Phase,
        /// What stands in the way.
        obstacles: Vec<Obstacle>,
        /// Whether it is to be ended all the same.
        force: bool,
    },
    /// Whether the round is to be withdrawn.
    Withdraw,
}

impl Question {
    /// The question about the next phase of a round, for who leads it.
    pub fn end(whole: &Whole) -> Option<Question> {
        let round = &whole.brief.round;
        let (from, to) = (round.phase, round.phase.next()?);
        Some(Question {
            round: round.id,
            asked: Asked::End { from, to, obstacles: whole.obstacles.clone()?, force: false },
            title: format!("End {from} of {}?", super::name(round)),
            meaning: what_ends(from, round),
        })
    }

    /// The question whether a round is to be withdrawn.
    pub fn withdraw(round: &Round) -> Question {
        Question {
            round: round.id,
            asked: Asked::Withdraw,
            title: format!("Withdraw {}?", super::name(round)),
            meaning: format!(
                "Nobody has answered anything in it. It is left out of all lists and of agreement from then on, its {} \
                 can be drawn again, and its name may be used again. What happened stays written down.",
                Extent::of(round)
            ),
        }
    }

    /// Whether what is missing stops it.
    pub fn stops(&self) -> bool {
        matches!(&self.asked, Asked::End { obstacles, force: false, .. } if !obstacles.is_empty())
    }

    /// Forces what is missing, or not any more; false: nothing is.
    pub fn toggle_force(&mut self) -> bool {
        match &mut self.asked {
            Asked::End { obstacles, force, .. } if !obstacles.is_empty() => {
                *force = !*force;
                true
            }
            _ => false,
        }
    }

    /// The command that does the same.
    pub fn command(&self, round: &str, who: &str) -> String {
        match &self.asked {
            Asked::End { to, force, .. } => {
                let mut words = vec!["mendbench", "round", "advance", round, "--to", to.as_str()];
                if *force {
                    words.push("--force");
                }
                command(&words, who)
            }
            Asked::Withdraw => command(&["mendbench", "round", "withdraw", round], who),
        }
    }

    fn lines(&self, width: usize) -> Vec<(String, Role)> {
        let mut lines = Vec::new();
        let mut say = |words: &str, role: Role| {
            lines.extend(text::wrap(words, width).into_iter().map(|line| (line, role)));
        };
        if let Asked::End { from, to, .. } = &self.asked {
            let mut first = format!("{from} ends and {to} begins.");
            first[..1].make_ascii_uppercase();
            say(&first, Role::TextStrong);
        }
        say(&self.meaning, Role::Text);
        say("This cannot be taken back.", Role::Text);
        say("", Role::Text);
        match &self.asked {
            Asked::Withdraw => say("y  withdraw it", Role::Text),
            Asked::End { obstacles, force, .. } => {
                if obstacles.is_empty() {
                    say("Nothing is missing.", Role::StatusOk);
                } else {
                    say("Missing:", Role::StatusWarn);
                    for one in obstacles {
                        let named: Vec<&str> = one.items.iter().take(3).map(String::as_str).collect();
                        let more = if one.items.len() > 3 { ", …" } else { "" };
                        let count = counted(one.items.len(), "item");
                        let words = format!(
                            "  {}: {count} {} ({}{more})",
                            one.who,
                            one.what.words(),
                            named.join(", ")
                        );
                        say(&words, Role::Text);
                    }
                }
                say("", Role::Text);
                match (obstacles.is_empty(), *force) {
                    (false, false) => say(
                        "F  go on all the same: that is written down as a deviation from the protocol, and every \
                         export carries it",
                        Role::Text,
                    ),
                    (_, true) => {
                        say(
                            "Forced: this will be written down as a deviation from the protocol.",
                            Role::StatusError,
                        );
                        say("y  end it all the same    F  rather not force it", Role::Text);
                    }
                    (true, false) => say("y  end it", Role::Text),
                }
            }
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
