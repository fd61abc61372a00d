//! Keys become answers, marks and steps.
//!
//! Promises: an answer is asked to be kept only from a key of a finger, on an item whose evidence is there, while
//! nothing else is being written; what cannot be done is said in words. Leaves to others: what a press is (`guard`), what comes back (`kept`).

use super::evidence::Source;
use super::kept::all_done;
use super::work::{Pending, Typed, Wanted, Work};
use super::{AnnotateScreen, Press, Stage};
use crate::keymap::{Action, Key};
use crate::label::codebook::Kind;
use crate::label::entry;
use crate::label::value::Value;
use crate::study::Entry;
use crate::text;
use crate::tui::msg::study::annotate::{Ask, Mark};
use crate::tui::msg::study::{self};
use crate::tui::msg::{Cmd, Said};
use crate::tui::screens::{Context, Outcome};
use crate::tui::widgets::input::Input;
use serde_json::{Value as Json, json};

/// What is said of keys that no finger pressed.
const HELD_WORDS: &str = "a held key answers once; press it again for the next answer";
const BURST_WORDS: &str = "keys that come all at once, as of a paste, answer nothing";

/// What is said of keys that come while something is being written.
const STILL_SAVING: &str = "still saving; this key was not taken";

pub(super) fn info(words: impl Into<String>) -> Outcome {
    Outcome::said(Said::info(words))
}

pub(super) fn refuse(words: impl Into<String>) -> Outcome {
    Outcome::said(Said::error(words))
}

impl AnnotateScreen {
    pub(super) fn in_hand(&mut self) -> Option<&mut Work> {
        match &mut self.stage {
            Stage::Work(work) => Some(work),
            _ => None,
        }
    }

    /// Words for a key that no finger pressed.
    fn not_pressed(&self) -> Option<Outcome> {
        match self.press {
            Press::Fresh => None,
            Press::Repeat => Some(info(HELD_WORDS)),
            Press::Burst => Some(info(BURST_WORDS)),
        }
    }

    /// Why the question cannot be answered now.
    fn hindrance(&self, work: &Work) -> Option<Outcome> {
        if let Some(pending) = &work.pending {
            let same = match &pending.what {
                Wanted::Answer { row, entry, .. } => {
                    *row == work.at && work.asked().is_some_and(|question| question.id == entry.question)
                }
                _ => false,
            };
            return match &pending.failure {
                None => Some(info(STILL_SAVING)),
                Some(_) if same => None,
                Some(_) => {
                    Some(refuse("something is not saved yet: Enter tries again, Backspace gives it up"))
                }
            };
        }
        if work.resting {
            return Some(refuse(
                "everything is answered: an arrow key lets you change this item, ] and [ go to others",
            ));
        }
        if let Some(why) = work.closed() {
            return Some(refuse(why));
        }
        if work.list.is_some() {
            return Some(refuse("the list is shown: Enter goes to an item, L closes it"));
        }
        if work.taught.is_some() {
            return Some(refuse("Enter goes on to the next item"));
        }
        match &self.evidence.source {
            Source::Here(_) => None,
            Source::Reading => Some(info("the item is still being read")),
            Source::Gone => Some(refuse("its task is not here, so nothing can be judged: S puts it aside")),
            Source::Failed(_) => {
                Some(refuse("its task could not be read, so nothing can be judged: S puts it aside"))
            }
        }
    }

    /// A key that stands for no action.
    pub(super) fn answer_key(&mut self, key: Key, ctx: &mut Context) -> Outcome {
        let press = self.press;
        let Some(work) = self.work() else { return Outcome::ignored() };
        let Some(character) = key.typed() else { return Outcome::ignored() };
        let Some(question) = work.asked() else { return Outcome::ignored() };
        let answer = question.answers.iter().position(|answer| answer.key == Some(character));
        let starts_number = matches!(question.kind, Kind::Number { .. }) && character.is_ascii_digit();
        if let Some(words) = self.not_pressed() {
            return words;
        }
        if answer.is_none() && !starts_number {
            let shown = text::sanitise(&key.to_string()).into_owned();
            return info(match question.kind {
                Kind::Number { .. } | Kind::Text => {
                    format!("Enter lets you type; {shown} means nothing here")
                }
                _ => format!("{shown} is no answer to this question"),
            });
        }
        debug_assert_eq!(press, Press::Fresh);
        if let Some(hindered) = self.hindrance(work) {
            return hindered;
        }
        match answer {
            Some(number) => self.choose(number, ctx),
            None => {
                if let Some(work) = self.in_hand() {
                    work.field = Some((Typed::Answer, Input::new(&character.to_string())));
                }
                Outcome::done()
            }
        }
    }

    /// Takes an answer of the question, or chooses it where several can be right.
    fn choose(&mut self, number: usize, ctx: &mut Context) -> Outcome {
        let multiple = self.work().is_some_and(Work::is_multiple);
        if multiple {
            return self.toggle(number);
        }
        let Some(work) = self.in_hand() else { return Outcome::ignored() };
        let answer = work.asked().and_then(|question| question.answers.get(number));
        let Some(id) = answer.filter(|answer| answer.can_be_given()).map(|answer| answer.id.clone()) else {
            return Outcome::ignored();
        };
        self.keep_answer(json!(id), ctx)
    }

    fn toggle(&mut self, number: usize) -> Outcome {
        let Some(work) = self.in_hand() else { return Outcome::ignored() };
        let Some(id) = work.asked().and_then(|question| question.answers.get(number)).map(|a| a.id.clone())
        else {
            return Outcome::ignored();
        };
        if !work.staged.remove(&id) {
            work.staged.insert(id.clone());
        }
        work.cursor = Some(number);
        work.toggled = Some(id);
        work.empty_asked = false;
        self.guard.gave_answer();
        Outcome::done()
    }

    /// Asks to keep an answer to the question.
    fn keep_answer(&mut self, answer: Json, ctx: &mut Context) -> Outcome {
        let revision = self.evidence.loaded().map(|loaded| loaded.revision.to_string());
        let evidence = self.evidence.opened();
        let Some(work) = self.in_hand() else { return Outcome::ignored() };
        let Some(question) = work.asked().map(|question| question.id.clone()) else {
            return Outcome::ignored();
        };
        let row = work.row();
        let entry = Box::new(Entry {
            item: row.item.clone(),
            question,
            answer,
            confidence: work.confidence,
            seconds: Some(row.state.seconds),
            evidence,
            revision,
            codebook: Some(work.opened.stamp.clone()),
            phase: Some(work.opened.phase),
        });
        let what = Wanted::Answer { row: work.at, entry, was_open: row.state.open };
        work.toggled = None;
        self.guard.gave_answer();
        self.write(what, ctx)
    }

    /// Has something written.
    pub(super) fn write(&mut self, what: Wanted, ctx: &mut Context) -> Outcome {
        let Some(work) = self.in_hand() else { return Outcome::ignored() };
        let round = work.opened.round;
        let ask = match &what {
            Wanted::Answer { entry, .. } => Ask::Answer(round, entry.clone()),
            Wanted::Undo { only } => Ask::Undo(round, *only),
            Wanted::Mark { row, mark } => {
                let item = work.rows().get(*row).map(|row| row.item.clone()).unwrap_or_default();
                Ask::Mark(round, item, mark.clone())
            }
        };
        let ticket = ctx.ticket();
        work.pending = Some(Pending { ticket, what, failure: None, take_back: false, seconds: 0 });
        work.quit_asked = false;
        Outcome::commands(vec![Cmd::Study { ticket, ask: Box::new(study::Ask::Annotate(ask)) }])
    }

    /// The key that gave the last answer turned out to be held.
    pub(super) fn take_back_held(&mut self, ctx: &mut Context) -> Vec<Cmd> {
        self.guard.forget();
        let Some(work) = self.in_hand() else { return Vec::new() };
        if let Some(id) = work.toggled.take() {
            if !work.staged.remove(&id) {
                work.staged.insert(id);
            }
            return Vec::new();
        }
        match &mut work.pending {
            Some(pending) => {
                pending.take_back = true;
                Vec::new()
            }
            None => match work.event {
                Some(event) => self.write(Wanted::Undo { only: Some(event) }, ctx).commands,
                None => Vec::new(),
            },
        }
    }

    /// Carries out an action while a round is in hand.
    pub(super) fn do_action(&mut self, action: Action, ctx: &mut Context) -> Outcome {
        let Some(work) = self.in_hand() else { return Outcome::ignored() };
        let listed = work.list.is_some();
        if matches!(
            action,
            Action::AnswerNext | Action::AnswerPrevious | Action::QuestionNext | Action::QuestionPrevious
        ) {
            work.resting = false;
        }
        match action {
            Action::AnswerNext | Action::CursorDown if listed => work.step_list(1),
            Action::AnswerPrevious | Action::CursorUp if listed => work.step_list(-1),
            Action::PageDown | Action::HalfPageDown if listed => work.step_list(10),
            Action::PageUp | Action::HalfPageUp if listed => work.step_list(-10),
            Action::First if listed => work.step_list(isize::MIN),
            Action::Last if listed => work.step_list(isize::MAX),
            Action::Back if listed => work.list = None,
            Action::Back if work.explain => work.explain = false,
            Action::ListItems => work.list = if listed { None } else { Some(work.at) },
            Action::AnswerNext => work.move_cursor(1),
            Action::AnswerPrevious => work.move_cursor(-1),
            Action::QuestionNext | Action::QuestionPrevious => {
                let forward = action == Action::QuestionNext;
                if !work.step_question(forward) {
                    let which = if forward { "last" } else { "first" };
                    return info(format!("this is the {which} question about the item"));
                }
            }
            Action::ExplainAnswer => {
                work.explain = !work.explain;
                if work.explain && work.cursor.is_none() {
                    work.move_cursor(1);
                }
            }
            Action::TakeAnswer => return self.take(ctx),
            Action::ToggleAnswer => {
                let Some(cursor) = work.cursor.filter(|_| work.is_multiple()) else {
                    return self.evidence.act(Action::PageDown, ctx);
                };
                if let Some(words) = self.not_pressed() {
                    return words;
                }
                if let Some(hindered) = self.work().and_then(|work| self.hindrance(work)) {
                    return hindered;
                }
                return self.toggle(cursor);
            }
            Action::TakeBack => return self.take_back(ctx),
            Action::SkipItem | Action::FlagItem | Action::NoteItem => return self.mark(action, ctx),
            Action::MoreSure | Action::LessSure => {
                let step: i8 = if action == Action::MoreSure { 1 } else { -1 };
                let now = work.confidence.unwrap_or(3).saturating_add_signed(step).clamp(1, 5);
                work.confidence = Some(now);
                return info(format!("{now} of 5 sure of the next answers about this item"));
            }
            Action::NextTask | Action::PreviousTask => {
                let forward = action == Action::NextTask;
                let next = if forward { Some(work.at + 1) } else { work.at.checked_sub(1) };
                return match next.filter(|next| *next < work.rows().len()) {
                    Some(next) => self.go(next, ctx),
                    None => {
                        info(format!("this is the {} of your items", if forward { "last" } else { "first" }))
                    }
                };
            }
            Action::NextOpen
            | Action::NextFlagged
            | Action::NextNoted
            | Action::NextStale
            | Action::NextSkipped => {
                return match work.jump(action) {
                    (Some(place), _) => self.go(place, ctx),
                    (None, words) => info(words),
                };
            }
            Action::Reload => {
                let round = work.opened.round;
                let said = Some(Said::info("reading the round anew"));
                return Outcome { said, ..Outcome::commands(vec![self.ask_to_open(Some(round), ctx)]) };
            }
            Action::Quit if work.pending.is_some() && !work.quit_asked => {
                work.quit_asked = true;
                return refuse(match work.unsaved() {
                    true => "something is not saved: Enter tries again; q leaves without it",
                    false => {
                        "still saving: wait a moment; q leaves all the same, and tells if it was not saved"
                    }
                });
            }
            _ => return self.evidence.act(action, ctx),
        }
        Outcome::done()
    }

    /// Goes to an item, unless something would be left behind.
    fn go(&mut self, place: usize, ctx: &mut Context) -> Outcome {
        let Some(work) = self.in_hand() else { return Outcome::ignored() };
        match &work.pending {
            Some(pending) if pending.failure.is_some() => {
                return refuse("something is not saved: Enter tries again, Backspace gives it up");
            }
            Some(_) => return info("still saving; then one can go on"),
            None => {}
        }
        work.resting = false;
        work.go(place);
        Outcome::commands(self.show_item(ctx))
    }

    /// The Enter key: what it takes depends on what is there.
    fn take(&mut self, ctx: &mut Context) -> Outcome {
        let press = self.not_pressed();
        let Some(work) = self.in_hand() else { return Outcome::ignored() };
        if let Some(place) = work.list {
            return self.go(place, ctx);
        }
        if let Some(words) = press {
            return words;
        }
        if let Some(pending) = work.pending.take_if(|pending| pending.failure.is_some()) {
            return self.write(pending.what, ctx);
        }
        if work.taught.is_some() {
            return match work.next_open() {
                Some(place) => self.go(place, ctx),
                None => {
                    work.taught = None;
                    info(all_done(work))
                }
            };
        }
        if let Some(hindered) = self.work().and_then(|work| self.hindrance(work)) {
            return hindered;
        }
        let Some(work) = self.in_hand() else { return Outcome::ignored() };
        let Some(question) = work.asked() else { return Outcome::ignored() };
        match &question.kind {
            Kind::Multiple if work.staged.is_empty() && !work.empty_asked => {
                work.empty_asked = true;
                info("nothing is chosen; Enter again says that none of these is right")
            }
            Kind::Multiple => {
                let chosen = json!(work.staged);
                self.keep_answer(chosen, ctx)
            }
            Kind::Number { .. } | Kind::Text => {
                let before = match work.given() {
                    Some(value @ (Value::Number(_) | Value::Text(_))) => value.to_string(),
                    _ => String::new(),
                };
                work.field = Some((Typed::Answer, Input::new(&before)));
                Outcome::done()
            }
            _ => match work.cursor {
                Some(cursor) => self.choose(cursor, ctx),
                None => info("the arrow keys choose an answer, and Enter takes it; or press its key"),
            },
        }
    }

    fn take_back(&mut self, ctx: &mut Context) -> Outcome {
        if let Some(words) = self.not_pressed() {
            return words;
        }
        let Some(work) = self.in_hand() else { return Outcome::ignored() };
        if work.list.take().is_some() {
            return Outcome::done();
        }
        match &work.pending {
            Some(pending) if pending.failure.is_some() => {
                work.pending = None;
                return info("given up; the item is as it was on disk");
            }
            Some(_) => return info(STILL_SAVING),
            None => {}
        }
        if work.is_staged() {
            let question = work.question;
            work.ask(question);
            return info("nothing is chosen any more");
        }
        if let Some(why) = work.closed() {
            return refuse(why.to_owned());
        }
        self.guard.forget();
        self.write(Wanted::Undo { only: None }, ctx)
    }

    fn mark(&mut self, action: Action, ctx: &mut Context) -> Outcome {
        if let Some(words) = self.not_pressed() {
            return words;
        }
        let Some(work) = self.in_hand() else { return Outcome::ignored() };
        if work.pending.is_some() {
            return info(STILL_SAVING);
        }
        if let Some(why) = work.closed() {
            return refuse(why.to_owned());
        }
        let (row, marks) = (work.at, &work.row().state.marks);
        match action {
            Action::FlagItem => {
                let mark = Mark::Flagged(!marks.flagged);
                self.write(Wanted::Mark { row, mark }, ctx)
            }
            Action::SkipItem if marks.skipped.is_some() => {
                self.write(Wanted::Mark { row, mark: Mark::Skipped(None) }, ctx)
            }
            Action::SkipItem => {
                work.field = Some((Typed::Skip, Input::default()));
                Outcome::done()
            }
            _ => {
                let note = marks.note.clone();
                work.field = Some((Typed::Note, Input::new(&note)));
                Outcome::done()
            }
        }
    }

    /// A key while something is typed.
    pub(super) fn type_in_field(&mut self, key: Key, action: Option<Action>, ctx: &mut Context) -> Outcome {
        let press = self.not_pressed();
        let Some(work) = self.in_hand() else { return Outcome::ignored() };
        let Some((typed, input)) = &mut work.field else { return Outcome::ignored() };
        match action {
            Some(Action::Back) => work.field = None,
            Some(Action::Accept) => {
                // The end of a line that was pasted confirms nothing.
                if let Some(words) = press {
                    return words;
                }
                let (typed, text) = (*typed, input.text().to_owned());
                return self.commit(typed, &text, ctx);
            }
            _ => {
                input.key(key, action);
            }
        }
        Outcome::done()
    }

    fn commit(&mut self, typed: Typed, text: &str, ctx: &mut Context) -> Outcome {
        if typed == Typed::Answer
            && let Some(hindered) = self.work().and_then(|work| self.hindrance(work))
        {
            return hindered;
        }
        let Some(work) = self.in_hand() else { return Outcome::ignored() };
        let row = work.at;
        let mark = match typed {
            Typed::Skip => Mark::Skipped(Some(text.trim().to_owned())),
            Typed::Note => Mark::Noted(text.trim().to_owned()),
            Typed::Answer => {
                let Some(question) = work.asked() else { return Outcome::ignored() };
                // What does not fit is told while it can still be mended.
                if let Err(error) = entry::of_text(question, text) {
                    return refuse(error.to_string());
                }
                work.field = None;
                return self.keep_answer(json!(text), ctx);
            }
        };
        work.field = None;
        self.write(Wanted::Mark { row, mark }, ctx)
    }
}
