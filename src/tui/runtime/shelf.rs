//! Looks up what events of runs name: texts, prompts, differences, reports, other runs.
//!
//! Promises: bounded; what is not there is said, and what is beside it is still told. Leaves to others: when, and on
//! which thread ([`super::repair`]).

use super::digest::transcript;
use super::repair::{EngineWish, Engines};
use crate::catalogue::LoadedTask;
use crate::diff::DiffOptions;
use crate::harness::{Changes, VerifyReport};
use crate::label::turn::TurnName;
use crate::repair::event::{ContentHash, StopReason};
use crate::repair::prompt::{Message, Speaker};
use crate::report::Case;
use crate::runner::{Contents, RunHead, RunRecord, RunnerError, Runs};
use crate::syntax::highlight::{highlight, syntax_for};
use crate::task::{Content, Revision, Task};
use crate::theme::Role;
use crate::tui::msg::repair::{
    Ask, Code, LaunchChoice, Look, Opened, RunRow, Told, TrajectoryRow, TurnTexts,
};
use crate::tui::widgets::test_list::{Listed, Test};
use crate::tui::widgets::text_view::Block;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use uuid::Uuid;

/// Longest text of a message that is shown, bytes.
const MOST_TEXT: usize = 512 << 10;
/// Most tests that are shown.
const MOST_TESTS: usize = 20_000;
/// Words of outcomes that a row of the list holds.
const MOST_WORDS: usize = 40;

/// Answers. Also called by tests, which have no threads.
pub fn look(engines: &Engines, ask: &Ask) -> Told {
    if matches!(ask, Ask::Runs | Ask::LastChoice) {
        engines.look_anew();
    }
    let engine = || engines.get(EngineWish { keeps: false, rung: None });
    let runs = || engine().map(|engine| engine.runs());
    let told = match ask {
        Ask::Look(Look::Colours { piece, language, text }) => Ok(colours(*piece, language, text)),
        Ask::Look(Look::Change { task, from, to }) => {
            anywhere(engines, &|runs| change(&runs.contents(), task, from, to))
        }
        Ask::Look(Look::Prompt(hash)) => anywhere(engines, &|runs| {
            let prompt = runs.contents().prompt(hash).map_err(said)?;
            Ok(Told::Prompt(messages(&prompt.messages)))
        }),
        Ask::Look(Look::Turn { position, answer, reasoning, report }) => {
            let hashes = [answer.as_ref(), reasoning.as_ref(), report.as_ref()];
            let whole = anywhere(engines, &|runs| {
                let texts = turn(&runs.contents(), *position, hashes);
                texts.missing.clone().map_or(Ok(texts), Err)
            });
            // What is there is shown, whatever is missing.
            let part = |_| runs().map(|runs| turn(&runs.contents(), *position, hashes));
            whole.or_else(part).map(|texts| Told::Turn(Box::new(texts)))
        }
        Ask::Preview { task, choice } => engine().and_then(|engine| {
            let cell = choice.cell(engine.templates.hash());
            cell.check().map_err(|error| error.to_string())?;
            let prompt = engine.preview(task, &cell).map_err(said)?;
            Ok(Told::Preview { tokens: prompt.tokens(), blocks: messages(&prompt.messages) })
        }),
        Ask::Open { run, trajectory } => anywhere(engines, &|runs| open(runs, *run, *trajectory)),
        Ask::AfterTurn { key, name, made } => {
            let record = anywhere(engines, &|runs| runs.open(name.run).map_err(said));
            record.and_then(|record| after_turn(&record, *key, name, made.as_deref())).map(Told::AfterTurn)
        }
        Ask::LastChoice => runs().map(|runs| Told::LastChoice(last_choice(&runs))),
        Ask::Runs => runs().and_then(|runs| all_runs(engines, &runs)),
        Ask::Trajectories(run) => anywhere(engines, &|runs| {
            let record = runs.open(*run).map_err(said)?;
            let rows = record.trajectories.iter().map(|head| trajectory(&record, head));
            let rows: Result<Vec<_>, RunnerError> = rows.collect();
            Ok(Told::Trajectories(*run, rows.map_err(said)?))
        }),
        // These are no questions.
        Ask::Start { .. } | Ask::Steer(_) => Err("nothing was asked".to_owned()),
    };
    told.unwrap_or_else(Told::Refused)
}

/// Looks in the workspace, then in the recordings; what failed first is told where all fail.
fn anywhere<T>(engines: &Engines, what: &dyn Fn(&Runs) -> Result<T, String>) -> Result<T, String> {
    let engine = engines.get(EngineWish { keeps: false, rung: None });
    let found = engine.and_then(|engine| what(&engine.runs()));
    found.or_else(|first| engines.recordings().iter().find_map(|(_, runs)| what(runs).ok()).ok_or(first))
}

/// A task with what a turn made of it in the place of the reference.
fn after_turn(
    record: &RunRecord,
    key: u64,
    name: &TurnName,
    made: Option<&str>,
) -> Result<Arc<LoadedTask>, String> {
    let gone = || format!("this turn of {} is not in this workspace any more", name.task);
    let head = record.trajectories.iter().find(|head| head.id == name.trajectory).ok_or_else(gone)?;
    let applied = record.applied(head).map_err(said)?.turns.into_iter();
    let turn = applied.into_iter().find(|turn| (turn.attempt, turn.turn) == (name.attempt, name.turn));
    let turn = turn.filter(|_| head.task == name.task).ok_or_else(gone)?;
    if made.is_some_and(|made| turn.code.as_str() != made) {
        return Err(format!("this turn of {} made other code than the round was made of", name.task));
    }
    let task = record.task_after(head, &turn.code).map_err(said)?;
    let mut loaded = LoadedTask::new(key, task, DiffOptions::default());
    // What is labelled is what the turn made, so that is its revision.
    loaded.revision = Revision::from_hex(turn.code.as_str()).ok_or_else(gone)?;
    Ok(Arc::new(loaded))
}

/// The runs of the workspace, then the recordings.
fn all_runs(engines: &Engines, runs: &Runs) -> Result<Told, String> {
    let rows = |runs: &Runs, recording: Option<&'static str>| {
        let heads = runs.list()?;
        Ok::<Vec<RunRow>, RunnerError>(heads.iter().map(|head| row(head, recording)).collect())
    };
    let mut all = rows(runs, None).map_err(said)?;
    for (name, recorded) in engines.recordings() {
        all.extend(rows(recorded, Some(name)).map_err(said)?);
    }
    Ok(Told::Runs(all))
}

fn said(error: RunnerError) -> String {
    error.to_string()
}

fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(MOST_TEXT.min(text.len()))]
}

/// The messages of a prompt, to be read.
fn messages(messages: &[Message]) -> Vec<Block> {
    let mut blocks = Vec::new();
    for message in messages {
        if !blocks.is_empty() {
            blocks.push(Block::Blank);
        }
        let who = match message.role {
            Speaker::System => "system",
            Speaker::User => "user",
            Speaker::Assistant => "assistant",
        };
        let tokens = crate::repair::prompt::estimate::tokens(&message.text);
        blocks.push(Block::Heading(who.to_owned(), format!("about {tokens} tokens")));
        blocks.push(Block::Text(cut(&message.text).to_owned()));
        let gone = message.text.len() - cut(&message.text).len();
        if gone > 0 {
            blocks.push(Block::Line(format!("… {gone} bytes more"), Role::TextDim));
        }
    }
    blocks
}

fn colours(piece: usize, language: &str, text: &str) -> Told {
    let first = text.lines().next().unwrap_or_default();
    let file = highlight(text, syntax_for(language, "", first), &AtomicBool::new(false));
    let spans = (0..file.lines()).map(|line| file.line(line).to_vec()).collect();
    Told::Colours { piece, spans }
}

fn turn(contents: &Contents, position: (u32, u32), hashes: [Option<&ContentHash>; 3]) -> TurnTexts {
    let mut texts = TurnTexts { position, ..TurnTexts::default() };
    let [answer, reasoning, report] = hashes;
    let mut missing = None;
    let mut text = |hash: Option<&ContentHash>| match hash.map(|hash| contents.text(hash)) {
        Some(Ok(text)) => Some(text),
        Some(Err(error)) => {
            missing = Some(error.to_string());
            None
        }
        None => None,
    };
    texts.answer = text(answer);
    texts.reasoning = text(reasoning);
    match report.map(|hash| contents.report(hash)) {
        Some(Ok(report)) => {
            texts.tests = tests(&report);
            texts.output = transcript(&report);
        }
        Some(Err(error)) => missing = Some(error.to_string()),
        None => {}
    }
    texts.missing = missing;
    texts
}

fn tests(report: &VerifyReport) -> Vec<Test> {
    let first_line = |case: &Case| {
        let text = case.message.as_deref()?;
        let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
        Some(line.chars().take(400).collect())
    };
    let cases = report.report.cases.iter().take(MOST_TESTS);
    cases
        .map(|case| Test {
            id: case.id.clone(),
            listed: Listed::No,
            status: Some(case.status),
            message: first_line(case),
            seconds: case.seconds,
            spot: None,
        })
        .collect()
}

/// A task whose two versions are these.
fn change(contents: &Contents, task: &Arc<Task>, from: &Code, to: &Code) -> Result<Told, String> {
    let changes = |code: &Code| match code {
        Code::Turn(hash) => contents.code(hash).map_err(said),
        Code::Buggy | Code::Reference => Ok(Changes::new()),
    };
    let (old, new) = (changes(from)?, changes(to)?);
    let (buggy, reference) = (task.buggy_tree(), task.reference_tree());
    let mut paths: BTreeSet<&str> = old.keys().chain(new.keys()).map(String::as_str).collect();
    if [from, to].contains(&&Code::Reference) {
        paths.extend(task.files.buggy.keys().chain(task.files.reference.keys()).map(String::as_str));
    }
    let tree = |code: &Code, changes: &Changes| -> BTreeMap<String, Content> {
        let under = if *code == Code::Reference { &reference } else { &buggy };
        let of = |path: &&str| match changes.get(*path) {
            Some(content) => content.clone(),
            None => under.get(path).map(|content| (*content).clone()),
        };
        paths.iter().filter_map(|path| Some(((*path).to_owned(), of(path)?))).collect()
    };
    let mut compared = (**task).clone();
    compared.files.base.clear();
    compared.marks.clear();
    compared.files.buggy = tree(from, &old);
    compared.files.reference = tree(to, &new);
    Ok(Told::Change(Arc::new(LoadedTask::new(0, compared, DiffOptions::default()))))
}

fn open(runs: &Runs, run: Uuid, trajectory: Uuid) -> Result<Told, String> {
    let record = runs.open(run).map_err(said)?;
    let Some(head) = record.trajectories.iter().find(|head| head.id == trajectory).cloned() else {
        return Err("the run does not hold that trajectory".to_owned());
    };
    let Some(cell) = record.spec.cell(&head.cell).cloned() else {
        return Err(format!("the run has no cell {}", head.cell.short()));
    };
    let task = Arc::new(record.task(&head).map_err(said)?);
    let events = record.replay(&head).map_err(said)?;
    let trajectories = record.trajectories.len();
    Ok(Told::Opened(Box::new(Opened { run, trajectories, head, cell, task, events })))
}

/// What the newest run chose; none where there is none that can be read.
fn last_choice(runs: &Runs) -> Option<LaunchChoice> {
    let record = runs.open(runs.find("last").ok()?).ok()?;
    Some(LaunchChoice::of_cell(record.spec.cells.first()?, record.spec.samples))
}

/// Each value once, in the order in which it came.
fn once<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut known = Vec::new();
    for value in values {
        if !known.contains(&value) {
            known.push(value);
        }
    }
    known
}

fn row(head: &RunHead, recording: Option<&'static str>) -> RunRow {
    let cells = &head.spec.cells;
    let (repaired, failed) = (head.ended(StopReason::Passed), head.failed());
    let infrastructure = head.ended(StopReason::Infrastructure);
    RunRow {
        id: head.id,
        created: head.created,
        recording,
        models: once(cells.iter().map(|cell| cell.model.clone())),
        feedback: once(cells.iter().map(|cell| cell.feedback)),
        strategies: once(cells.iter().map(|cell| cell.strategy)),
        tasks: head.tasks,
        trajectories: head.trajectories,
        repaired,
        failed,
        infrastructure,
        // What a person stepped into is neither the model's success nor its failure.
        other: head.over - repaired - failed - infrastructure,
    }
}

fn trajectory(
    record: &RunRecord,
    head: &crate::runner::TrajectoryHead,
) -> Result<TrajectoryRow, RunnerError> {
    let machine = record.machine(head)?;
    let known = machine.trajectory();
    // The verdict on the buggy code is no result of the model.
    let newest = known.turns.iter().rev().find(|turn| turn.turn > 0 && turn.verdict.is_some());
    let words = known.turns.iter().filter(|turn| turn.turn > 0).flat_map(|turn| {
        let extraction = turn.extraction.map(|word| word.to_string());
        extraction.into_iter().chain(turn.application.map(|word| word.as_str().to_owned()))
    });
    Ok(TrajectoryRow {
        head: head.clone(),
        model: machine.model().to_owned(),
        turns: known.turns_taken(),
        verdict: newest.and_then(|turn| turn.verdict),
        counts: newest.and_then(|turn| turn.counts),
        outcomes: once(words).into_iter().take(MOST_WORDS).collect(),
        stopped: known.stopped,
        intervened: known.intervened,
    })
}
