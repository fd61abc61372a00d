//! The screens of studies within the state: which one is meant, what the others need not know.
//!
//! Promises: the round in hand is one for all four. Leaves to others: the screens themselves
//! (`screens::{annotate, discuss, agreement, rounds}`).

use super::{App, Screen};
use crate::keymap::{Action, Key};
use crate::label::codebook::Codebook;
use crate::label::phase::Phase;
use crate::tui::msg::study::Told;
use crate::tui::msg::{Cmd, JobResult, Said};
use crate::tui::screens::agreement::AgreementScreen;
use crate::tui::screens::annotate::AnnotateScreen;
use crate::tui::screens::discuss::DiscussScreen;
use crate::tui::screens::elsewhere::elsewhere;
use crate::tui::screens::part::Part;
use crate::tui::screens::rounds::RoundsScreen;
use crate::tui::screens::{Context, Outcome, Place};
use crate::tui::widgets::diff_view::Choices;
use uuid::Uuid;

/// The four screens, and the round in hand.
pub(super) struct Studies {
    annotate: AnnotateScreen,
    discuss: DiscussScreen,
    agreement: AgreementScreen,
    rounds: RoundsScreen,
    round: Option<Uuid>,
}

impl Studies {
    pub(super) fn new(choices: Choices, codebooks: Vec<Codebook>) -> Studies {
        Studies {
            annotate: AnnotateScreen::new(choices),
            discuss: DiscussScreen::new(choices),
            agreement: AgreementScreen::default(),
            rounds: RoundsScreen::new(codebooks),
            round: None,
        }
    }

    /// An answer that could not be written and that nobody gave up, in words.
    pub(super) fn unsaved(&self) -> Option<String> {
        self.annotate.unsaved_words()
    }

    pub(super) fn part(&self, place: Place) -> &dyn Part {
        match place {
            Place::Annotate => &self.annotate,
            Place::Discuss => &self.discuss,
            Place::Agreement => &self.agreement,
            Place::Rounds => &self.rounds,
        }
    }

    pub(super) fn part_mut(&mut self, place: Place) -> &mut dyn Part {
        match place {
            Place::Annotate => &mut self.annotate,
            Place::Discuss => &mut self.discuss,
            Place::Agreement => &mut self.agreement,
            Place::Rounds => &mut self.rounds,
        }
    }

    /// Whether a round is known to be closed.
    fn is_closed(&self, round: Uuid) -> bool {
        let phase = self.rounds.phase_of(round).max(self.agreement.phase_of(round));
        phase == Some(Phase::Closed)
    }

    pub(super) fn resize(&mut self, width: u16, height: u16, ctx: &mut Context) -> Vec<Cmd> {
        Place::ALL.into_iter().flat_map(|place| self.part_mut(place).resize(width, height, ctx)).collect()
    }

    pub(super) fn tasks_changed(&mut self, ctx: &mut Context) -> Vec<Cmd> {
        Place::ALL.into_iter().flat_map(|place| self.part_mut(place).tasks_changed(ctx)).collect()
    }

    pub(super) fn done(
        &mut self,
        ticket: u64,
        result: &mut JobResult,
        ctx: &mut Context,
    ) -> Option<Vec<Cmd>> {
        Place::ALL.into_iter().find_map(|place| self.part_mut(place).done(ticket, result, ctx))
    }
}

impl App {
    /// Goes to a screen of studies; with a round that one is in hand from then on.
    pub(super) fn go_to_study(&mut self, place: Place, round: Option<Uuid>) -> Vec<Cmd> {
        self.screen = Screen::Study(place);
        self.tasks.set_round(round.or(self.studies.round));
        let Some(chosen) = round else {
            // Who goes to label without choosing means a round that is open.
            let kept = self.studies.round;
            let kept = kept.filter(|id| place != Place::Annotate || !self.studies.is_closed(*id));
            return self.studies.part_mut(place).return_to(kept, &mut self.ctx);
        };
        self.studies.round = Some(chosen);
        self.studies.part_mut(place).open(Some(chosen), &mut self.ctx)
    }

    /// An answer of the studies has come.
    pub(super) fn study_told(&mut self, ticket: u64, told: &mut Told) -> Vec<Cmd> {
        if self.task.labels_told(ticket, told) {
            return Vec::new();
        }
        if let Some(commands) = self.tasks.labels_told(ticket, told, &mut self.ctx) {
            let why = self.tasks.filter_error().map(Said::error);
            self.status = why.filter(|_| self.screen == Screen::Tasks).or(self.status.take());
            return commands;
        }
        for place in Place::ALL {
            if let Some(outcome) = self.studies.part_mut(place).told(ticket, told, &mut self.ctx) {
                // Who went to disagreements without choosing a round has the one in hand that came.
                if self.screen == Screen::Study(Place::Discuss) && place == Place::Discuss {
                    self.studies.round = self.studies.discuss.round().or(self.studies.round);
                }
                return self.follow_part(place, outcome);
            }
        }
        Vec::new()
    }

    /// A timer has run out; `None` if no screen of a study asked for it.
    pub(super) fn study_timer(&mut self, number: u64) -> Option<Vec<Cmd>> {
        for place in Place::ALL {
            if let Some(outcome) = self.studies.part_mut(place).timer(number, &mut self.ctx) {
                return Some(self.follow_part(place, outcome));
            }
        }
        None
    }

    /// What a screen wants is heeded while it is shown; of another one only the commands.
    fn follow_part(&mut self, place: Place, outcome: Outcome) -> Vec<Cmd> {
        if self.screen == Screen::Study(place) { self.follow(outcome) } else { outcome.commands }
    }

    /// A key that stands for no action.
    pub(super) fn other_key(&mut self, key: Key) -> Vec<Cmd> {
        let Screen::Study(place) = self.screen else { return Vec::new() };
        let outcome = self.studies.part_mut(place).other_key(key, &mut self.ctx);
        self.follow(outcome)
    }

    pub(super) fn study_typed(&mut self, place: Place, key: Key, action: Option<Action>) -> Vec<Cmd> {
        let outcome = self.studies.part_mut(place).typed(key, action, &mut self.ctx);
        self.follow(outcome)
    }

    /// Opens a task by its name, `dataset/id`.
    pub(super) fn open_task_named(&mut self, name: &str) -> Vec<Cmd> {
        match self.ctx.key_of(name) {
            Some(key) => {
                if let Screen::Study(place) = self.screen {
                    self.task_from = Some(place);
                }
                self.screen = Screen::Task;
                let mut commands = self.tasks.select(key, &mut self.ctx);
                commands.extend(self.task.open(key, None, &mut self.ctx));
                commands
            }
            None => {
                let name = crate::text::sanitise(name);
                let label = &self.ctx.origin.label;
                let words = match self.ctx.all_tasks_read() {
                    true => {
                        let drawn = match self.screen {
                            Screen::Study(place) => self.studies.part(place).source(),
                            _ => None,
                        };
                        let more = drawn.map(|(source, who)| elsewhere(source, who, &self.ctx));
                        let more = more.map_or_else(String::new, |more| format!(". {more}"));
                        format!("{name} is not among the tasks of {label}{more}")
                    }
                    false => format!("the tasks of {label} are still being read, {name} has not come yet"),
                };
                self.status = Some(Said::error(words));
                Vec::new()
            }
        }
    }
}
