//! The screen of rounds: all of them, and the desk of the one under the cursor.
//!
//! Promises: what is shown is what `study` lets who looks see; a phase ends only after it was asked about in words,
//! and with what stands in the way beside it; Enter goes where one's work is. Leaves to others: the rules (`label`),
//! the keeping (`study`), labelling and deciding (`annotate`, `discuss`).

mod ask;
mod asking;
mod assign;
mod desk;
mod draw;
mod making;
mod rows;
mod sheet;
pub mod words;

use super::part::Part;
use super::{Context, Go, Outcome, Place};
use crate::keymap::{self, Action, Key};
use crate::label::codebook::Codebook;
use crate::label::phase::Phase;
use crate::label::visible::Role as Is;
use crate::study::{Brief, Waiting};
use crate::text::counted;
use crate::theme::Role;
use crate::tui::msg::study::{self, rounds::Ask, rounds::Told};
use crate::tui::msg::{Cmd, JobResult, Said};
use crate::tui::widgets::canvas::Canvas;
use crate::tui::widgets::numbers::page_step;
use crate::tui::widgets::panel;
use crate::tui::widgets::text_view::{Block, TextView};
use ask::Question;
use asking::About;
use assign::AssignSheet;
use desk::Desk;
use sheet::Sheet;
use std::time::Duration;
use uuid::Uuid;
use words::name;

/// The cursor has come to rest when it has not moved for this long.
const REST: Duration = Duration::from_millis(70);

/// A paragraph that is shown over the screen.
struct Paragraph {
    text: String,
    view: TextView,
}

/// State of the screen.
#[derive(Default)]
pub struct RoundsScreen {
    /// What can be asked in a new round.
    codebooks: Vec<Codebook>,
    /// Who one is.
    name: String,
    seed: u64,
    rows: Option<Vec<Brief>>,
    problems: Vec<String>,
    failure: Option<String>,
    cursor: usize,
    top: usize,
    /// The round that the cursor goes to when the list has come.
    wanted: Option<Uuid>,
    desk: Option<Desk>,
    in_desk: bool,
    /// What is to be asked about when the desk has come.
    asks: Option<About>,
    question: Option<Question>,
    paragraph: Option<Paragraph>,
    sheet: Option<Box<Sheet>>,
    assigning: Option<Box<AssignSheet>>,
    list_ticket: u64,
    desk_ticket: u64,
    desk_timer: u64,
    methods_ticket: u64,
    /// An end of a phase, or of a round, that is being written.
    ending: u64,
    size: (u16, u16),
}

impl RoundsScreen {
    /// With these codebooks to choose from.
    pub fn new(codebooks: Vec<Codebook>) -> RoundsScreen {
        RoundsScreen { codebooks, ..RoundsScreen::default() }
    }

    fn rows(&self) -> &[Brief] {
        self.rows.as_deref().unwrap_or_default()
    }

    /// The phase that a round was in when the rounds were read.
    pub fn phase_of(&self, round: Uuid) -> Option<Phase> {
        self.rows().iter().find(|row| row.round.id == round).map(|row| row.round.phase)
    }

    fn current(&self) -> Option<&Brief> {
        self.rows().get(self.cursor)
    }

    fn ask(ticket: u64, ask: Ask) -> Cmd {
        Cmd::Study { ticket, ask: Box::new(study::Ask::Rounds(ask)) }
    }

    fn list(&mut self, ctx: &mut Context) -> Cmd {
        self.list_ticket = ctx.ticket();
        RoundsScreen::ask(self.list_ticket, Ask::List)
    }

    /// Whether list and desk stand side by side.
    fn is_wide(&self) -> bool {
        self.size.0 >= draw::WIDE
    }

    /// Asks for the desk of the round under the cursor.
    fn want_desk(&mut self, ctx: &mut Context) -> Vec<Cmd> {
        self.desk_timer = 0;
        self.desk_ticket = ctx.ticket();
        match self.current() {
            Some(brief) => vec![RoundsScreen::ask(self.desk_ticket, Ask::Desk(brief.round.id))],
            None => Vec::new(),
        }
    }

    /// The desk that is shown, if it is that of the round under the cursor.
    fn shown_desk(&self) -> Option<&Desk> {
        let id = self.current()?.round.id;
        self.desk.as_ref().filter(|desk| desk.whole.brief.round.id == id)
    }

    fn glyphs(ctx: &Context) -> (&'static str, &'static str) {
        (ctx.skin.glyphs.full, ctx.skin.glyphs.rest)
    }

    fn take_desk(&mut self, whole: Box<crate::study::Whole>, ctx: &Context) {
        let id = whole.brief.round.id;
        if let Some(row) = self.rows.iter_mut().flatten().find(|row| row.round.id == id) {
            *row = whole.brief.clone();
        }
        let place = self.desk.as_ref().filter(|desk| desk.whole.brief.round.id == id);
        let place = place.map_or((0, 0), |desk| (desk.cursor, desk.top));
        let mut desk = Desk::new(whole, draw::desk_width(self.size), RoundsScreen::glyphs(ctx));
        (desk.cursor, desk.top) = place;
        desk.move_by(0, draw::desk_rows(self.size));
        self.desk = Some(desk);
    }

    fn take_list(&mut self, rounds: Vec<Brief>, ctx: &mut Context) -> Vec<Cmd> {
        let at = self.wanted.take().or_else(|| self.current().map(|row| row.round.id));
        self.cursor = rounds.iter().position(|row| Some(row.round.id) == at).unwrap_or(0);
        self.rows = Some(rounds);
        self.keep_visible();
        self.want_desk(ctx)
    }

    fn keep_visible(&mut self) {
        let rows = draw::cards(self.size);
        self.top = self.top.min(self.cursor).max((self.cursor + 1).saturating_sub(rows.max(1)));
    }

    fn move_by(&mut self, by: isize, ctx: &mut Context) -> Outcome {
        if let Some(paragraph) = &mut self.paragraph {
            paragraph.view.scroll(by);
            return Outcome::done();
        }
        if self.in_desk {
            let rows = draw::desk_rows(self.size);
            if let Some(desk) = &mut self.desk {
                desk.move_by(by, rows);
            }
            return Outcome::done();
        }
        let before = self.cursor;
        self.cursor = self.cursor.saturating_add_signed(by).min(self.rows().len().saturating_sub(1));
        self.keep_visible();
        if before == self.cursor {
            return Outcome::done();
        }
        // What was to be asked was about the round that the cursor was on.
        self.asks = None;
        self.desk_timer = ctx.ticket();
        Outcome::commands(vec![Cmd::After(self.desk_timer, REST)])
    }

    /// Where one's work in a round is; none: at its desk.
    fn work(brief: &Brief) -> Option<Place> {
        match (brief.role, brief.round.phase) {
            (_, Phase::Closed) => Some(Place::Agreement),
            (Is::Annotator(_), Phase::Labelling) => Some(Place::Annotate),
            (Is::Annotator(_), Phase::Adjudication) if matches!(brief.waiting, Waiting::LookAgain(_)) => {
                Some(Place::Annotate)
            }
            (Is::Annotator(_), Phase::Discussion | Phase::Adjudication) => Some(Place::Discuss),
            (Is::Arbitrator | Is::LeadAndArbitrator, Phase::Adjudication) => Some(Place::Discuss),
            (Is::Lead | Is::LeadAndArbitrator, Phase::Discussion | Phase::Adjudication) => {
                Some(Place::Agreement)
            }
            _ => None,
        }
    }

    fn enter(&mut self, ctx: &mut Context) -> Outcome {
        if self.in_desk {
            let line = self.desk.as_ref().and_then(|desk| desk.lines.get(desk.cursor));
            return match line.and_then(|line| line.opens.clone()) {
                Some(task) => Outcome::go(Go::TaskNamed(task)),
                None => Outcome::said(Said::info("nothing to open on this line; items open their tasks")),
            };
        }
        let Some(brief) = self.current() else { return Outcome::done() };
        let round = brief.round.id;
        match RoundsScreen::work(brief) {
            Some(place) => Outcome::go(Go::Study(place, Some(round))),
            None => self.show_desk(ctx),
        }
    }

    fn show_desk(&mut self, ctx: &mut Context) -> Outcome {
        if self.rows().is_empty() {
            return Outcome::done();
        }
        self.in_desk = !self.in_desk;
        if self.in_desk && self.shown_desk().is_none() {
            return Outcome::commands(self.want_desk(ctx));
        }
        Outcome::done()
    }

    fn copy(&self) -> Outcome {
        let text = match (&self.paragraph, self.in_desk, &self.desk) {
            (Some(paragraph), ..) => paragraph.text.clone(),
            (None, true, Some(desk)) => {
                let words = |line: &desk::Line| line.parts.iter().map(|(text, _)| text.as_str()).collect();
                let lines: Vec<String> = desk.lines.iter().map(words).collect();
                lines.join("\n")
            }
            _ => self.current().map(|row| name(&row.round)).unwrap_or_default(),
        };
        Outcome::commands(vec![Cmd::Copy(text)])
    }

    fn leave(&mut self) -> Outcome {
        if self.paragraph.take().is_some() || self.question.take().is_some() {
            return Outcome::done();
        }
        if self.in_desk {
            self.in_desk = false;
            return Outcome::done();
        }
        Outcome::go(Go::Tasks)
    }
}

impl Part for RoundsScreen {
    fn open(&mut self, round: Option<Uuid>, ctx: &mut Context) -> Vec<Cmd> {
        self.question = None;
        self.paragraph = None;
        self.asks = None;
        if self.rows.is_none() || self.size.0 == 0 {
            self.wanted = round;
        }
        vec![self.list(ctx)]
    }

    fn told(&mut self, ticket: u64, told: &mut study::Told, ctx: &mut Context) -> Option<Outcome> {
        if let Some(sheet) = self.sheet.as_mut()
            && sheet.awaits(ticket)
        {
            let step = sheet.told(ticket, told, ctx);
            return Some(self.follow_sheet(step, ctx));
        }
        if let Some(sheet) = self.assigning.as_mut()
            && sheet.awaits(ticket)
        {
            let step = sheet.told(told);
            return Some(self.follow_assignment(step, ctx));
        }
        let known = [self.list_ticket, self.desk_ticket, self.methods_ticket, self.ending];
        if ticket == 0 || !known.contains(&ticket) {
            return None;
        }
        let taken = std::mem::replace(told, study::Told::Refused(String::new()));
        match taken {
            study::Told::Rounds(Told::Listed { rounds, problems, name, seed }) => {
                (self.problems, self.name, self.failure) = (problems, name, None);
                self.seed = seed;
                return Some(Outcome::commands(self.take_list(rounds, ctx)));
            }
            study::Told::Rounds(Told::Desk(whole)) => {
                let refused = match self.asks.take() {
                    Some(about) => self.ask_about(about, &whole),
                    None => None,
                };
                self.take_desk(whole, ctx);
                if let Some(why) = refused {
                    return Some(Outcome::said(Said::info(why)));
                }
            }
            study::Told::Rounds(Told::Advanced(whole)) => {
                self.ending = 0;
                let round = &whole.brief.round;
                let words = match round.history.last() {
                    Some(step) => format!("{}: {} has ended, {} begins", name(round), step.from, step.to),
                    None => name(round),
                };
                let forced = round.deviations.last().filter(|_| {
                    round
                        .history
                        .last()
                        .is_some_and(|step| round.deviations.last().is_some_and(|last| last.at >= step.at))
                });
                let words = match forced {
                    Some(last) => format!("{words}; written down: {}", last.deviation.words()),
                    None => words,
                };
                self.take_desk(whole, ctx);
                return Some(Outcome::said(Said::info(words)));
            }
            study::Told::Rounds(Told::Withdrawn(words)) => {
                self.ending = 0;
                self.in_desk = false;
                return Some(Outcome {
                    said: Some(Said::info(words)),
                    ..Outcome::commands(vec![self.list(ctx)])
                });
            }
            study::Told::Rounds(Told::Methods(text)) => {
                let blocks = text.lines().map(|line| Block::Prose(line.to_owned()));
                let blocks = blocks.flat_map(|block| [block, Block::Blank]).collect();
                let mut view = TextView::new(blocks);
                view.set_wrap(true);
                self.paragraph = Some(Paragraph { text, view });
                let (width, height) = self.size;
                return Some(Outcome::commands(self.resize(width, height, ctx)));
            }
            study::Told::Refused(why) if ticket == self.list_ticket && self.rows.is_none() => {
                self.failure = Some(why);
            }
            study::Told::Refused(why) => {
                self.asks = None;
                if ticket == self.ending {
                    self.ending = 0;
                }
                return Some(Outcome::said(Said::error(why)));
            }
            other => {
                *told = other;
                return None;
            }
        }
        Some(Outcome::done())
    }

    fn done(&mut self, ticket: u64, result: &mut JobResult, ctx: &mut Context) -> Option<Vec<Cmd>> {
        self.sheet.as_mut()?.done(ticket, result, ctx)
    }

    fn timer(&mut self, number: u64, ctx: &mut Context) -> Option<Outcome> {
        if number == self.desk_timer && number != 0 {
            return Some(Outcome::commands(self.want_desk(ctx)));
        }
        let commands = match self.assigning.as_mut() {
            Some(sheet) => sheet.timer(number, ctx)?,
            None => self.sheet.as_mut()?.timer(number, ctx)?,
        };
        Some(Outcome::commands(commands))
    }

    fn tasks_changed(&mut self, ctx: &mut Context) -> Vec<Cmd> {
        self.sheet.as_mut().map_or_else(Vec::new, |sheet| sheet.choose(ctx))
    }

    fn contexts(&self) -> Vec<keymap::Context> {
        if self.question.is_some() {
            return vec![keymap::Context::Confirm];
        }
        vec![keymap::Context::Rounds]
    }

    fn act(&mut self, action: Action, ctx: &mut Context) -> Outcome {
        let page = |half| page_step(draw::desk_rows(self.size) as u16, half);
        match action {
            Action::Confirm if self.question.is_some() => self.confirm(ctx),
            Action::Decline => {
                self.question = None;
                Outcome::done()
            }
            Action::CursorDown => self.move_by(1, ctx),
            Action::CursorUp => self.move_by(-1, ctx),
            Action::HalfPageDown => self.move_by(page(true), ctx),
            Action::HalfPageUp => self.move_by(-page(true), ctx),
            Action::PageDown => self.move_by(page(false), ctx),
            Action::PageUp => self.move_by(-page(false), ctx),
            Action::First => self.move_by(isize::MIN / 2, ctx),
            Action::Last => self.move_by(isize::MAX / 2, ctx),
            Action::GoToWork if self.paragraph.is_some() => self.leave(),
            Action::GoToWork => self.enter(ctx),
            Action::ShowDesk if self.paragraph.is_none() => self.show_desk(ctx),
            Action::NewRound => self.new_round(ctx),
            Action::AdvancePhase => self.ask_to_end(ctx),
            Action::AssignRound => self.ask_to_assign(ctx),
            Action::WithdrawRound => self.ask_to_withdraw(ctx),
            Action::ShowMethods if self.paragraph.is_some() => self.leave(),
            Action::ShowMethods => self.methods(ctx),
            Action::CopyCommand if self.paragraph.is_some() => self.copy(),
            Action::CopyCommand => self.copy_command(),
            Action::Copy => self.copy(),
            Action::Reload => Outcome::commands(vec![self.list(ctx)]),
            Action::Back => self.leave(),
            // From here they lead into the round under the cursor.
            Action::GotoAnnotate => self.go_with(Place::Annotate),
            Action::GotoDiscuss => self.go_with(Place::Discuss),
            Action::GotoAgreement => self.go_with(Place::Agreement),
            _ => Outcome::ignored(),
        }
    }

    fn other_key(&mut self, key: Key, _ctx: &mut Context) -> Outcome {
        let Some(question) = &mut self.question else { return Outcome::ignored() };
        match key.typed() {
            Some('F') if question.toggle_force() => Outcome::done(),
            Some('Y') => self.copy_command(),
            _ => Outcome::ignored(),
        }
    }

    fn is_typing(&self) -> bool {
        self.sheet.is_some() || self.assigning.is_some()
    }

    fn typed(&mut self, key: Key, action: Option<Action>, ctx: &mut Context) -> Outcome {
        if let Some(sheet) = self.assigning.as_mut() {
            let step = sheet.key(key, action, ctx);
            return self.follow_assignment(step, ctx);
        }
        let Some(sheet) = self.sheet.as_mut() else { return Outcome::ignored() };
        let step = sheet.key(key, action, ctx);
        self.follow_sheet(step, ctx)
    }

    fn paste(&mut self, text: &str, ctx: &mut Context) -> Vec<Cmd> {
        if let Some(sheet) = self.assigning.as_mut() {
            return sheet.paste(text, ctx);
        }
        self.sheet.as_mut().map_or_else(Vec::new, |sheet| sheet.paste(text, ctx))
    }

    fn resize(&mut self, width: u16, height: u16, ctx: &mut Context) -> Vec<Cmd> {
        let changed = self.size != (width, height);
        self.size = (width, height);
        if let Some(paragraph) = &mut self.paragraph {
            let (wide, high) = draw::paragraph_size(self.size);
            paragraph.view.resize(wide.saturating_sub(4), high.saturating_sub(2));
        }
        if let Some(sheet) = &mut self.sheet {
            sheet.layout(self.size);
        }
        if changed {
            let (wide, rows) = (draw::desk_width(self.size), draw::desk_rows(self.size));
            if let Some(desk) = &mut self.desk {
                desk.lay_out(wide, RoundsScreen::glyphs(ctx));
                desk.keep_visible(rows);
            }
            self.keep_visible();
        }
        Vec::new()
    }

    fn wheel(&mut self, down: bool) {
        let by = if down { 3 } else { -3 };
        if let Some(paragraph) = &mut self.paragraph {
            paragraph.view.scroll(by);
        } else if self.in_desk {
            let rows = draw::desk_rows(self.size);
            if let Some(desk) = &mut self.desk {
                desk.move_by(by, rows);
            }
        } else {
            let last = self.rows().len().saturating_sub(1);
            self.cursor = self.cursor.saturating_add_signed(by.signum()).min(last);
            self.keep_visible();
        }
    }

    fn click(&mut self, x: u16, y: u16, ctx: &mut Context) -> Outcome {
        if self.paragraph.is_some() || self.question.is_some() {
            return Outcome::done();
        }
        match draw::at(self.size, self.in_desk, x, y) {
            draw::Spot::Card(number) if self.top + number < self.rows().len() => {
                let (was, here) = (self.cursor, self.top + number);
                self.in_desk = false;
                if was == here {
                    return self.enter(ctx);
                }
                self.cursor = here;
                Outcome::commands(self.want_desk(ctx))
            }
            draw::Spot::Line(row) => {
                self.in_desk = true;
                if let Some(desk) = &mut self.desk {
                    desk.cursor = (desk.top + row).min(desk.lines.len().saturating_sub(1));
                }
                Outcome::done()
            }
            _ => Outcome::done(),
        }
    }

    fn means_something(&self, action: Action) -> bool {
        let leads = self.current().is_some_and(|row| row.role.leads() && row.round.phase != Phase::Closed);
        match action {
            Action::Confirm => self.question.as_ref().is_some_and(|question| !question.stops()),
            Action::AdvancePhase => leads,
            Action::AssignRound => self.current().is_some_and(|row| row.waiting == Waiting::Assign),
            Action::WithdrawRound => {
                leads && self.current().is_some_and(|row| row.progress.is_none_or(|(done, _)| done == 0))
            }
            Action::GoToWork if self.in_desk => {
                let line = self.desk.as_ref().and_then(|desk| desk.lines.get(desk.cursor));
                line.is_some_and(|line| line.opens.is_some())
            }
            Action::GoToWork | Action::ShowDesk | Action::ShowMethods => !self.rows().is_empty(),
            _ => true,
        }
    }

    fn footer(&self) -> Option<String> {
        let proposes = match (&self.assigning, &self.sheet) {
            (Some(sheet), _) => sheet.proposes(),
            (None, Some(sheet)) => sheet.proposes(),
            (None, None) => false,
        };
        match (self.ending != 0, proposes) {
            (true, _) => Some("saving…".to_owned()),
            (false, true) => Some("typing replaces it, End edits it".to_owned()),
            (false, false) => None,
        }
    }

    fn says(&self, action: Action) -> Option<&'static str> {
        match (&self.assigning, &self.sheet) {
            (Some(sheet), _) => sheet.says(action),
            (None, sheet) => sheet.as_ref()?.says(action),
        }
    }

    fn source(&self) -> Option<(&str, &str)> {
        Some((self.current()?.round.source_of_tasks()?, self.name.as_str()))
    }

    fn crumbs(&self) -> Vec<String> {
        let mut crumbs = vec!["rounds".to_owned()];
        if self.in_desk && !self.is_wide() {
            crumbs.extend(self.current().map(|row| name(&row.round)));
        }
        crumbs
    }

    fn header(&self) -> String {
        match &self.rows {
            None => String::new(),
            Some(rows) if self.name.is_empty() => {
                format!("{}; --as NAME says who you are", counted(rows.len(), "round"))
            }
            Some(rows) => format!("{}, you are {}", counted(rows.len(), "round"), self.name),
        }
    }

    fn draw(&self, ctx: &Context, canvas: &mut Canvas<'_>) {
        if let (Some(failure), None) = (&self.failure, &self.rows) {
            panel::message(canvas, &ctx.skin, "The rounds could not be read", failure, Role::StatusError);
            return;
        }
        draw::screen(self, ctx, canvas);
    }
}

impl RoundsScreen {
    fn go_with(&self, place: Place) -> Outcome {
        Outcome::go(Go::Study(place, self.current().map(|row| row.round.id)))
    }
}
