//! What keys do on the screen of agreement.
//!
//! Promises: Enter always opens what the cursor is on: a kappa its matrix, a cell its items, an item its task; Esc goes
//! the same way back. Leaves to others: drawing.

use super::cases::Cases;
use super::sheet::Sheet;
use super::{AgreementScreen, Tab, go_to, key_of, who_words};
use crate::keymap::{Action, Key};
use crate::label::compare::Basis;
use crate::label::overview::{Line, Who};
use crate::study::TableForm;
use crate::tui::msg::study::{self, agreement::Ask};
use crate::tui::msg::{Cmd, Said};
use crate::tui::screens::{Context, Go, Outcome};
use crate::tui::widgets::numbers::page_step;
use uuid::Uuid;

/// What is said where who said what may not be seen.
const CLOSED: &str = "who said what is hidden from you here, so items cannot be listed";

impl AgreementScreen {
    pub(super) fn acted(&mut self, action: Action, ctx: &mut Context) -> Outcome {
        if self.asking {
            self.asking = false;
            return match action {
                Action::Confirm => Outcome::commands(self.ask_for(self.hand, true, ctx)),
                _ => Outcome::said(Said::info("labelling stays blind")),
            };
        }
        if self.sheet.is_some() {
            return self.acted_on_sheet(action);
        }
        match action {
            Action::Reload => return Outcome::commands(self.ask_for(self.hand, false, ctx)),
            Action::CopyCommand => return self.copy(),
            Action::ExportSheet => return self.open_sheet(),
            Action::LookLive => return self.look_live(),
            Action::NextRound => return self.neighbour(1),
            Action::PreviousRound => return self.neighbour(-1),
            Action::ToggleBasis => return self.other_basis(),
            Action::PartKappas => self.show(Tab::Kappas),
            Action::PartMatrix => self.show(Tab::Matrix),
            Action::PartCategories => self.show(Tab::Categories),
            Action::PartRounds => self.show(Tab::Rounds),
            Action::PartPeople => self.show(Tab::People),
            Action::TabNext => self.show(self.tab.beside(1)),
            Action::TabPrevious => self.show(self.tab.beside(-1)),
            Action::NextQuestion => self.next_question(1),
            Action::PreviousQuestion => self.next_question(-1),
            Action::ToggleShares => self.by_share = !self.by_share,
            Action::Open => return self.enter(),
            Action::Back => return self.back(),
            Action::CursorDown => self.step(1),
            Action::CursorUp => self.step(-1),
            Action::ScrollRight => self.sideways(1),
            Action::ScrollLeft => self.sideways(-1),
            Action::HalfPageDown => self.step(page_step(self.height(), true)),
            Action::HalfPageUp => self.step(-page_step(self.height(), true)),
            Action::PageDown => self.step(page_step(self.height(), false)),
            Action::PageUp => self.step(-page_step(self.height(), false)),
            Action::First => self.step(isize::MIN / 2),
            Action::Last => self.step(isize::MAX / 2),
            _ => return Outcome::ignored(),
        }
        Outcome::done()
    }

    /// Whether an action would do something now.
    pub(super) fn would_do(&self, action: Action) -> bool {
        let hidden = self.overview().and_then(|round| round.hidden.as_ref());
        let matrix = self.tab == Tab::Matrix && self.cases.is_none();
        match action {
            Action::LookLive => hidden.is_some_and(|hidden| hidden.at_a_price),
            Action::ToggleBasis => self.has_basis(Basis::Revised) && self.has_basis(Basis::Blind),
            Action::ToggleShares => matrix,
            Action::NextQuestion | Action::PreviousQuestion => self.cases.is_none(),
            Action::NextRound | Action::PreviousRound => self.ids.len() > 1,
            Action::Open => self.overview().is_some() && (hidden.is_none() || self.tab > Tab::Categories),
            Action::ExportSheet => self.overview().is_some(),
            _ => true,
        }
    }

    pub(super) fn show(&mut self, tab: Tab) {
        self.cases = None;
        self.tab = tab;
        self.people.inside = false;
        if tab == Tab::Rounds {
            let at = self.rounds.iter().position(|round| Some(round.id) == self.hand);
            self.round_row.cursor = at.unwrap_or(0);
        }
    }

    /// Moves the cursor up or down.
    pub(super) fn step(&mut self, by: isize) {
        let moved = |at: usize| at.saturating_add_signed(by);
        if let Some(cases) = &mut self.cases {
            let (to, count) = (moved(cases.place.cursor), cases.rows.len());
            cases.place.go(to, count);
            return;
        }
        match self.tab {
            Tab::Kappas => {
                let (to, count) = (moved(self.row.cursor), self.rows.len());
                let before = self.row.cursor;
                self.row.go(to, count);
                if self.row.cursor != before {
                    self.select();
                }
            }
            Tab::Matrix => {
                let count = self.chosen().map_or(0, |(line, _)| line.categories.len());
                self.cell.0 = moved(self.cell.0).min(count.saturating_sub(1));
            }
            Tab::Categories => {
                let rows = |detail: &super::detail::Detail| detail.categories.len() + detail.figures.len();
                let count = self.detail.as_ref().map_or(0, rows);
                let to = moved(self.category.cursor);
                self.category.go(to, count);
            }
            Tab::Rounds => {
                let (to, count) = (moved(self.round_row.cursor), self.rounds.len());
                self.round_row.go(to, count);
            }
            Tab::People if self.people.inside => {
                let count = self.drift_rows();
                self.people.row = moved(self.people.row).min(count.saturating_sub(1));
            }
            Tab::People => {
                let (to, count) = (moved(self.people.person.cursor), self.persons().len());
                self.people.person.go(to, count);
            }
        }
    }

    /// Moves the cursor to the left or right.
    fn sideways(&mut self, by: isize) {
        if self.cases.is_some() {
            return;
        }
        match self.tab {
            Tab::Matrix => {
                let count = self.chosen().map_or(0, |(line, _)| line.categories.len());
                self.cell.1 = self.cell.1.saturating_add_signed(by).min(count.saturating_sub(1));
            }
            Tab::People => {
                let count = self.drift().map_or(0, |drift| drift.blocks.len());
                self.people.block = self.people.block.saturating_add_signed(by).min(count.saturating_sub(1));
            }
            _ => {}
        }
    }

    /// The next question or pair, or the one before; of annotators over time the next question.
    fn next_question(&mut self, by: isize) {
        if self.cases.is_some() {
            return;
        }
        if self.tab == Tab::People {
            let count = self.person().map_or(0, |person| person.drift.len());
            self.people.question =
                self.people.question.saturating_add_signed(by).min(count.saturating_sub(1));
            self.people.row = 0;
            return;
        }
        let to = self.row.cursor.saturating_add_signed(by).min(self.rows.len().saturating_sub(1));
        if to != self.row.cursor {
            self.row.cursor = to;
            self.select();
        }
    }

    fn other_basis(&mut self) -> Outcome {
        let other = if self.revised { Basis::Blind } else { Basis::Revised };
        if !self.has_basis(other) {
            return Outcome::said(Said::info("no label is revised before discussion begins"));
        }
        let was = self.chosen().map(|(line, who)| (key_of(line), who));
        self.revised = !self.revised;
        self.cases = None;
        self.list(was);
        Outcome::done()
    }

    fn neighbour(&mut self, by: isize) -> Outcome {
        let at = self.ids.iter().position(|id| Some(*id) == self.hand);
        let to = at.and_then(|at| at.checked_add_signed(by)).and_then(|to| self.ids.get(to));
        match to {
            Some(id) => go_to(*id),
            None => {
                let which = if by > 0 { "newest" } else { "first" };
                Outcome::said(Said::info(format!("this is the {which} round of the study")))
            }
        }
    }

    fn look_live(&mut self) -> Outcome {
        let hidden = self.overview().and_then(|round| round.hidden.as_ref());
        match hidden {
            Some(hidden) if hidden.at_a_price => {
                self.asking = true;
                Outcome::done()
            }
            Some(hidden) => Outcome::said(Said::info(hidden.why.clone())),
            None => Outcome::said(Said::info("agreement is not hidden here")),
        }
    }

    /// Opens what the cursor is on.
    fn enter(&mut self) -> Outcome {
        if let Some(cases) = &self.cases {
            return match cases.task() {
                Some(task) => Outcome::go(Go::TaskNamed(task)),
                None => Outcome::said(Said::info("there is nothing to open")),
            };
        }
        let hidden = self.overview().is_some_and(|round| round.hidden.is_some());
        match self.tab {
            Tab::Rounds => match self.rounds.get(self.round_row.cursor) {
                Some(round) if Some(round.id) == self.hand => {
                    self.show(Tab::Kappas);
                    Outcome::done()
                }
                Some(round) => go_to(round.id),
                None => Outcome::done(),
            },
            Tab::People if !self.people.inside => {
                if self.drift_rows() == 0 {
                    return Outcome::said(Said::info("there is nothing to open"));
                }
                self.people.inside = true;
                Outcome::done()
            }
            Tab::People => self.list_cases(self.drift_cases()),
            _ if hidden => Outcome::ignored(),
            Tab::Kappas => {
                self.show(Tab::Matrix);
                Outcome::done()
            }
            Tab::Matrix | Tab::Categories => {
                if !self.overview().is_some_and(|round| round.opens) {
                    return Outcome::said(Said::info(CLOSED));
                }
                let cases = match self.tab {
                    Tab::Matrix => self.cell_cases(),
                    _ => self.category_cases(),
                };
                self.list_cases(cases)
            }
        }
    }

    fn list_cases(&mut self, cases: Option<Cases>) -> Outcome {
        match cases {
            Some(cases) if !cases.rows.is_empty() => {
                self.cases = Some(cases);
                Outcome::done()
            }
            _ => Outcome::said(Said::info("no item is behind this")),
        }
    }

    /// The items of the cell under the cursor.
    fn cell_cases(&self) -> Option<Cases> {
        let (line, pair) = self.chosen_pair()?;
        let (row, column) = self.cell;
        let [one, other] = line.names(pair);
        let name = |place: usize| line.categories.get(place).map_or("?", String::as_str);
        let title = format!("{}: {one} said {}, {other} said {}", line.question, name(row), name(column));
        Some(listed(line, title, line.cell(pair, row, column)))
    }

    /// The items in which anybody used the category under the cursor.
    fn category_cases(&self) -> Option<Cases> {
        let (line, who) = self.chosen()?;
        let wanted = u32::try_from(self.category.cursor).ok()?;
        let raters: Vec<usize> = match who {
            Who::Pair(number) => line.pairs.get(number)?.raters.to_vec(),
            Who::All => (0..line.raters.len()).collect(),
        };
        let said = |rater: usize, item: usize| {
            line.labels.get(rater).and_then(|row| row.get(item)).copied().flatten()
        };
        let uses = |item: &usize| raters.iter().any(|rater| said(*rater, *item) == Some(wanted));
        let items = (0..line.items.len()).filter(uses).collect();
        let name = line.categories.get(self.category.cursor)?;
        let title = format!("{}: {name} was an answer of {}", line.question, who_words(line, who));
        Some(listed(line, title, items))
    }

    fn back(&mut self) -> Outcome {
        if self.cases.take().is_some() {
            return Outcome::done();
        }
        if self.people.inside {
            self.people.inside = false;
            return Outcome::done();
        }
        if self.tab != Tab::Kappas {
            self.show(Tab::Kappas);
            return Outcome::done();
        }
        Outcome::go(Go::Tasks)
    }

    /// The command that prints the same.
    fn copy(&mut self) -> Outcome {
        let Some(overview) = self.overview() else { return Outcome::ignored() };
        let round = format!("{}/{}", overview.study, overview.name);
        let basis = self.basis().as_str();
        let words = ["mendbench", "agreement", "--round", &round, "--basis", basis];
        let joined = shlex::try_join(words).unwrap_or_else(|_| words.join(" "));
        Outcome::commands(vec![Cmd::Copy(joined)])
    }

    fn open_sheet(&mut self) -> Outcome {
        let Some(overview) = self.overview() else { return Outcome::ignored() };
        let question = self.chosen().map_or("", |(line, _)| line.question.as_str());
        self.sheet = Some(Sheet::new(&overview.study, &overview.name, question));
        Outcome::done()
    }

    fn acted_on_sheet(&mut self, action: Action) -> Outcome {
        let Some(sheet) = &mut self.sheet else { return Outcome::ignored() };
        let last = TableForm::ALL.len() - 1;
        match action {
            Action::CursorDown => sheet.form = (sheet.form + 1).min(last),
            Action::CursorUp => sheet.form = sheet.form.saturating_sub(1),
            Action::First => sheet.form = 0,
            Action::Last => sheet.form = last,
            Action::ScrollLeft | Action::ScrollRight => sheet.all_rounds = !sheet.all_rounds,
            Action::CopyCommand => return Outcome::commands(vec![Cmd::Copy(sheet.command())]),
            Action::Open => {
                sheet.typing = true;
                return Outcome::done();
            }
            Action::Back => {
                self.sheet = None;
                return Outcome::done();
            }
            _ => return Outcome::ignored(),
        }
        sheet.rename();
        Outcome::done()
    }

    /// A key while the name of a file is typed.
    pub(super) fn typed_name(&mut self, key: Key, action: Option<Action>, ctx: &mut Context) -> Outcome {
        let round = self.hand.unwrap_or(Uuid::nil());
        let Some(sheet) = &mut self.sheet else { return Outcome::ignored() };
        match action {
            Some(Action::Accept) if sheet.name.text().trim().is_empty() => {
                return Outcome::said(Said::error("a file needs a name"));
            }
            Some(Action::Accept) => {
                sheet.typing = false;
                let ask = Ask::Export {
                    round,
                    form: sheet.form(),
                    all_rounds: sheet.all(),
                    question: sheet.question.clone(),
                    path: sheet.name.text().trim().into(),
                };
                self.writing = ctx.ticket();
                let ask = Box::new(study::Ask::Agreement(ask));
                return Outcome::commands(vec![Cmd::Study { ticket: self.writing, ask }]);
            }
            Some(Action::Back) => sheet.typing = false,
            _ => drop(sheet.name.key(key, action)),
        }
        Outcome::done()
    }
}

/// Items of a line, each with what everybody said.
fn listed(line: &Line, title: String, items: Vec<usize>) -> Cases {
    let row = |item: usize| {
        let said = line.said(item).into_iter().map(|said| said.unwrap_or("—").to_owned());
        (line.items.get(item).cloned().unwrap_or_default(), said.collect())
    };
    let count = items.len();
    let noun = if count == 1 { "item" } else { "items" };
    let rows = items.into_iter().map(row).collect();
    Cases::new(format!("{title} · {count} {noun}"), line.raters.clone(), rows)
}
