//! What happens in a run, as lines: for `repair` and `replay` alike.
//!
//! Promises: with `--json` each event as it is, flushed; else a line for each finished turn, with the answer before it where
//! somebody watches a single trajectory; nothing from outside is obeyed by a terminal. Leaves to others: the closing
//! counts (`closing`), how a line is worded (`words`).

use super::flow::Flow;
use super::words;
use crate::cli::{Failure, Output};
use crate::repair::RunEvent;
use crate::repair::event::{Applied, Call, Channel, ContentHash, Extracted, RequestFault, Verified, What};
use crate::report::{Status, Verdict};
use crate::runner::{Contents, RunRecord, TrajectoryHead};
use crate::text::{pad, truncate, width};
use crate::theme::Role;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use uuid::Uuid;

/// Widest column of tasks' names.
const WIDEST: usize = 40;
/// Takes a line of the terminal back.
const ERASE: &str = "\r\u{1b}[K";
/// What stands before each line of an answer.
const GUTTER: &str = "  │ ";

/// How events are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// Each as an object.
    Json,
    /// Line by line; `many`: trajectories run at once, and each line names its task.
    Lines {
        /// Whether each line names its task.
        many: bool,
    },
    /// As lines, with the answer as it streams and what is waited for.
    Live,
}

impl Look {
    /// What fits the output.
    pub fn of(output: &Output, many: bool) -> Look {
        // A terminal that cannot take a line back gets lines that stay.
        let is_dumb = std::env::var("TERM").is_ok_and(|term| term == "dumb");
        match (output.json, output.terminal && !many && !is_dumb) {
            (true, _) => Look::Json,
            (false, true) => Look::Live,
            (false, false) => Look::Lines { many },
        }
    }
}

/// Shows a run.
pub struct Stage<'a> {
    record: &'a RunRecord,
    contents: Contents,
    look: Look,
    places: HashMap<Uuid, usize>,
    scenes: HashMap<Uuid, Scene>,
    column: usize,
    flow: Flow,
    reasoned: usize,
    has_status: bool,
}

/// What is known of a trajectory.
#[derive(Default)]
struct Scene {
    /// Tests of the newest verified code, by id.
    tests: BTreeMap<String, Status>,
    turn: Turn,
    is_open: bool,
    taken: u32,
}

/// What is known of the turn under way.
#[derive(Default)]
struct Turn {
    at: (u32, u32),
    extracted: Option<Extracted>,
    applied: Option<Applied>,
    tokens: Option<u64>,
    milliseconds: u64,
    is_told: bool,
}

impl<'a> Stage<'a> {
    /// A stage for a run.
    pub fn new(record: &'a RunRecord, look: Look) -> Stage<'a> {
        let heads = record.trajectories.iter();
        Stage {
            contents: record.contents(),
            look,
            places: heads.clone().enumerate().map(|(place, head)| (head.id, place)).collect(),
            scenes: HashMap::new(),
            column: heads.map(|head| width(&name(record, head))).max().unwrap_or(0).min(WIDEST),
            flow: Flow::default(),
            reasoned: 0,
            has_status: false,
            record,
        }
    }

    /// Takes over what a run that is gone on with had come to, so that what follows is compared with it.
    pub fn catch_up(&mut self) {
        let record = self.record;
        for head in &record.trajectories {
            // What cannot be read is told by those who drive it.
            let (Ok(events), Ok(machine)) = (record.events(head), record.machine(head)) else { continue };
            if events.is_empty() {
                continue;
            }
            let at = machine.position();
            let mut scene = Scene { turn: Turn { at, ..Turn::default() }, ..Scene::default() };
            let turns = machine.trajectory().turns.iter().filter(|turn| turn.turn > 0);
            let told = turns.filter(|turn| (turn.attempt, turn.turn) != at || turn.verdict.is_some());
            scene.taken = u32::try_from(told.count()).unwrap_or(u32::MAX);
            for event in events {
                let is_now = (event.attempt, event.turn) == at;
                match event.what {
                    What::Verified(verified) if verified.verdict != Verdict::InfraError => {
                        if let Some((_, tests)) = self.tests(verified.report.as_ref()) {
                            scene.tests = tests;
                        }
                        scene.turn.is_told |= is_now;
                    }
                    What::Extracted(extracted) if is_now => scene.turn.extracted = Some(extracted),
                    What::Applied(applied) if is_now => scene.turn.applied = Some(applied),
                    _ => {}
                }
            }
            self.scenes.insert(head.id, scene);
        }
    }

    /// Says which run it is.
    pub fn open(&mut self, output: &mut Output) -> Result<(), Failure> {
        let record = self.record;
        if self.look == Look::Json {
            output.object(&json!({
                "type": "run", "v": 1, "id": record.id, "created": record.created, "spec": record.spec,
                "trajectories": record.trajectories,
            }))?;
            return flush(output);
        }
        let cells: Vec<String> = record.spec.cells.iter().map(words::cell).collect();
        output.styled(&[
            ("run ", Role::TextDim),
            (&words::short(record.id), Role::Accent),
            ("  ", Role::Text),
            (&cells.join("; "), Role::TextStrong),
        ])?;
        flush(output)
    }

    /// Shows an event of a trajectory.
    pub fn show(&mut self, id: Uuid, event: &RunEvent, output: &mut Output) -> Result<(), Failure> {
        if self.look == Look::Json {
            output.object(&object(event))?;
            return flush(output);
        }
        let record = self.record;
        let Some(place) = self.places.get(&id).copied() else { return Ok(()) };
        let Some(head) = record.trajectories.get(place) else { return Ok(()) };
        let mut scene = self.scenes.remove(&id).unwrap_or_default();
        let shown = self.tell(place, head, &mut scene, event, output);
        if matches!(event.what, What::Stopped(_)) {
            // Whatever may still be heard of it: it has its heading.
            scene = Scene { is_open: true, ..Scene::default() };
        }
        self.scenes.insert(id, scene);
        shown?;
        flush(output)
    }

    fn tell(
        &mut self,
        place: usize,
        head: &TrajectoryHead,
        scene: &mut Scene,
        event: &RunEvent,
        output: &mut Output,
    ) -> Result<(), Failure> {
        if !std::mem::replace(&mut scene.is_open, true) {
            self.heading(place, head, output)?;
        }
        if event.is_durable() && scene.turn.at != (event.attempt, event.turn) {
            self.unverified(head, scene, output)?;
            scene.turn = Turn { at: (event.attempt, event.turn), ..Turn::default() };
        }
        match &event.what {
            What::AnswerDelta(delta) => self.delta(delta.call, delta.channel, &delta.text, output),
            What::Waiting(waiting) => {
                let left = waiting.until.map(|until| until.duration_since(event.at).as_secs());
                let left = left.filter(|left| *left > 0).map(|left| format!(" ({left} s)"));
                self.status(&format!("{}{}", waiting.what, left.unwrap_or_default()), output)
            }
            What::TestFinished(test) => {
                let of = test.planned.map(|planned| format!("/{planned}")).unwrap_or_default();
                self.status(&format!("testing {}{of}", test.done), output)
            }
            What::PromptBuilt(built) => {
                let words = match built.call {
                    Call::Repair => format!("asked with about {} tokens", built.tokens),
                    Call::Preliminary(_) => format!("asked beforehand with about {} tokens", built.tokens),
                    Call::Helper => format!("the helper is asked with about {} tokens", built.tokens),
                };
                self.remark(head, scene, &words, output)
            }
            What::AnswerFinished(finished) => {
                self.settle(output)?;
                scene.turn.milliseconds += finished.usage.total_ms.unwrap_or(0);
                // Those of a lost call are a guess.
                let is_lost = finished.other.contains_key("lost");
                if let Some(tokens) = finished.usage.output_tokens.filter(|_| !is_lost) {
                    *scene.turn.tokens.get_or_insert(0) += tokens;
                }
                match finished.fault {
                    None => Ok(()),
                    Some(RequestFault::Aborted) => self.line(
                        head,
                        &[("  left: ", Role::TextDim), (&finished.detail, Role::TextDim)],
                        output,
                    ),
                    Some(_) => self.line(
                        head,
                        &[("  no answer: ", Role::StatusError), (&finished.detail, Role::Text)],
                        output,
                    ),
                }
            }
            What::Extracted(extracted) => {
                scene.turn.extracted = Some(extracted.clone());
                Ok(())
            }
            What::Applied(applied) => {
                scene.turn.applied = Some(applied.clone());
                Ok(())
            }
            What::Verified(verified) => self.verified(head, scene, verified, output),
            What::FeedbackMade(_) => self.unverified(head, scene, output),
            What::Intervened(intervened) => {
                let words = format!("a person stepped in: {}", intervened.action);
                self.line(head, &[("  ", Role::Text), (&words, Role::Mark)], output)
            }
            What::Stopped(stopped) => {
                self.unverified(head, scene, output)?;
                let (words, role) = words::ending(stopped.reason, &stopped.detail, scene.taken);
                self.line(head, &[("  ", Role::Text), (&words, role)], output)
            }
            What::RequestStarted(_) | What::BuildOutput(_) | What::Unknown { .. } => Ok(()),
        }
    }

    /// The line that begins a trajectory, where it has the output to itself.
    fn heading(&mut self, place: usize, head: &TrajectoryHead, output: &mut Output) -> Result<(), Failure> {
        if self.look == (Look::Lines { many: true }) {
            return Ok(());
        }
        self.settle(output)?;
        let of = self.record.trajectories.len();
        let count = if of > 1 { format!("  {} of {of}", place + 1) } else { String::new() };
        let title = self.record.task(head).map(|task| task.title).unwrap_or_default();
        output.line("")?;
        output.styled(&[
            (&name(self.record, head), Role::Accent),
            ("  ", Role::Text),
            (&truncate(&title, 100), Role::Text),
            (&count, Role::TextDim),
        ])
    }

    /// A line of second rank, where somebody watches.
    fn remark(
        &mut self,
        head: &TrajectoryHead,
        scene: &Scene,
        words: &str,
        output: &mut Output,
    ) -> Result<(), Failure> {
        if self.look != Look::Live {
            return Ok(());
        }
        self.settle(output)?;
        let turn = words::turn(self.record.spec.cell(&head.cell), scene.turn.at);
        output.styled(&[
            ("  ", Role::Text),
            (&turn, Role::TextStrong),
            ("  ", Role::Text),
            (words, Role::TextDim),
        ])
    }

    /// A piece of an answer.
    fn delta(
        &mut self,
        call: Call,
        channel: Channel,
        text: &str,
        output: &mut Output,
    ) -> Result<(), Failure> {
        if self.look != Look::Live {
            return Ok(());
        }
        if channel == Channel::Reasoning {
            self.reasoned += text.chars().count();
            return self.status(&format!("thinking, {} characters so far", self.reasoned), output);
        }
        self.erase(output)?;
        if self.reasoned > 0 {
            let words = format!("  thought for {} characters", std::mem::take(&mut self.reasoned));
            output.styled(&[(&words, Role::TextDim)])?;
        }
        let gutter = if call == Call::Repair { GUTTER } else { "  ┊ " };
        let piece = self.flow.push(text, gutter);
        output.raw(&piece)
    }

    /// What is being waited for, on the last line of the terminal.
    fn status(&mut self, words: &str, output: &mut Output) -> Result<(), Failure> {
        if self.look != Look::Live {
            return Ok(());
        }
        let rest = self.flow.end(GUTTER);
        output.raw(&rest)?;
        let columns = output.width().saturating_sub(6);
        let words = format!("{ERASE}  … {}", truncate(words, columns));
        self.has_status = true;
        output.raw(&words)
    }

    fn erase(&mut self, output: &mut Output) -> Result<(), Failure> {
        if std::mem::take(&mut self.has_status) { output.raw(ERASE) } else { Ok(()) }
    }

    /// Ends what has no line feed yet.
    pub fn settle(&mut self, output: &mut Output) -> Result<(), Failure> {
        self.erase(output)?;
        self.reasoned = 0;
        let rest = self.flow.end(GUTTER);
        output.raw(&rest)
    }

    /// Code was tested.
    fn verified(
        &mut self,
        head: &TrajectoryHead,
        scene: &mut Scene,
        verified: &Verified,
        output: &mut Output,
    ) -> Result<(), Failure> {
        if verified.verdict == Verdict::InfraError {
            let parts = [("  not tested: ", Role::StatusError), (verified.why.as_str(), Role::Text)];
            return self.line(head, &parts, output);
        }
        let mut counts = (verified.passed, verified.executed);
        let mut flips = Vec::new();
        if let Some((of, tests)) = self.tests(verified.report.as_ref()) {
            counts = of;
            if scene.turn.at.1 > 0 {
                flips = words::flips(&scene.tests, &tests);
            }
            scene.tests = tests;
        }
        let word = verified.verdict.as_str();
        let mark = if verified.verdict == Verdict::Passed { "✔" } else { "✘" };
        let mut rest: Vec<(String, Role)> = vec![(format!("{}/{} tests  ", counts.0, counts.1), Role::Count)];
        rest.push((
            words::outcomes(scene.turn.extracted.as_ref(), scene.turn.applied.as_ref()),
            Role::TextDim,
        ));
        let time = if verified.remembered { None } else { Some(verified.total_ms) };
        rest.push((words::took(scene.turn.tokens, scene.turn.milliseconds, time), Role::TextDim));
        rest.extend(flips);
        if verified.verdict != Verdict::Passed || counts.1 == 0 {
            rest.push((verified.why.replace('\n', " "), Role::Text));
        }
        self.turn_line(head, scene, &format!("{mark} {word:<14} "), Role::of_verdict(word), &rest, output)
    }

    /// The turn under way has ended without anything to test.
    fn unverified(
        &mut self,
        head: &TrajectoryHead,
        scene: &mut Scene,
        output: &mut Output,
    ) -> Result<(), Failure> {
        let Some(extracted) = scene.turn.extracted.clone().filter(|_| !scene.turn.is_told) else {
            return Ok(());
        };
        let applied = scene.turn.applied.clone();
        let word = match &applied {
            Some(applied) => applied.outcome.as_str(),
            None => extracted.outcome.as_str(),
        };
        let why = applied.as_ref().map(|applied| applied.why.replace('\n', " ")).unwrap_or_default();
        let rest = [
            ("nothing to test  ".to_owned(), Role::Count),
            (words::outcomes(Some(&extracted), applied.as_ref()), Role::TextDim),
            (words::took(scene.turn.tokens, scene.turn.milliseconds, None), Role::TextDim),
            (why, Role::Text),
        ];
        self.turn_line(head, scene, &format!("– {word:<14} "), Role::VerdictNotRun, &rest, output)
    }

    fn turn_line(
        &mut self,
        head: &TrajectoryHead,
        scene: &mut Scene,
        verdict: &str,
        role: Role,
        rest: &[(String, Role)],
        output: &mut Output,
    ) -> Result<(), Failure> {
        scene.turn.is_told = true;
        scene.taken += u32::from(scene.turn.at.1 > 0);
        let turn = words::turn(self.record.spec.cell(&head.cell), scene.turn.at);
        let mut parts: Vec<(&str, Role)> = vec![("  ", Role::Text)];
        let turn = format!("{turn:<8} ");
        parts.push((&turn, Role::TextStrong));
        parts.push((verdict, role));
        parts.extend(rest.iter().map(|(text, role)| (text.as_str(), *role)));
        self.line(head, &parts, output)
    }

    /// A line, with the task before it where several run at once.
    fn line(
        &mut self,
        head: &TrajectoryHead,
        parts: &[(&str, Role)],
        output: &mut Output,
    ) -> Result<(), Failure> {
        self.settle(output)?;
        let name = match self.look {
            Look::Lines { many: true } => {
                let name = name(self.record, head);
                pad(&name, self.column.max(width(&name)))
            }
            _ => String::new(),
        };
        let mut all = vec![(name.as_str(), Role::Accent)];
        all.extend(parts);
        // No blanks at the end of a line.
        while all.last().is_some_and(|(text, _)| text.trim_end().is_empty()) {
            all.pop();
        }
        if let Some((text, _)) = all.last_mut() {
            *text = text.trim_end();
        }
        output.styled(&all)
    }

    /// The tests of a report, with how many passed of how many; none where it is not kept.
    #[allow(clippy::type_complexity)]
    fn tests(&self, report: Option<&ContentHash>) -> Option<((u64, u64), BTreeMap<String, Status>)> {
        let report = self.contents.report(report?).ok()?;
        let (passed, of) = report.passed_of();
        let tests = report.report.cases.into_iter().map(|case| (case.id, case.status)).collect();
        Some(((passed as u64, of as u64), tests))
    }
}

/// The task of a trajectory, with its sample where there are several.
fn name(record: &RunRecord, head: &TrajectoryHead) -> String {
    let task = head.task.to_string();
    if record.spec.samples > 1 { format!("{task} #{}", head.sample) } else { task }
}

/// An event as `--json` prints it.
fn object(event: &RunEvent) -> Value {
    let mut object = serde_json::to_value(event).unwrap_or(Value::Null);
    if let Some(map) = object.as_object_mut() {
        map.insert("type".to_owned(), json!("run-event"));
    }
    object
}

fn flush(output: &mut Output) -> Result<(), Failure> {
    Ok(output.writer().flush()?)
}
