//! Whether two runs are the same in what counts.
//!
//! Promises: prompts, answers, outcomes, code, verdicts, counts of tests and feedback are compared, by hash where they are
//! texts; times, ids, names of models, costs, reports' timings and lost calls are not.
//! Leaves to others: saying it (`cli`).

use super::error::RunnerError;
use super::record::RunRecord;
use super::spec::TrajectoryHead;
use crate::repair::RunEvent;
use crate::repair::event::What;
use crate::task::TaskName;
use serde_json::{Value, json};
use std::fmt;

/// A place where two runs differ.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// The task.
    pub task: TaskName,
    /// The sample, from 1.
    pub sample: u32,
    /// The attempt; of the first run where both have one.
    pub attempt: u32,
    /// The turn.
    pub turn: u32,
    /// What was found, in words.
    pub what: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { task, sample, attempt, turn, what } = self;
        write!(f, "{task}, sample {sample}, attempt {attempt}, turn {turn}: {what}")
    }
}

/// The first difference of each trajectory; those of one run that the other has not are differences, too.
///
/// # Errors
///
/// One of the records cannot be read.
pub fn compare(one: &RunRecord, two: &RunRecord) -> Result<Vec<Difference>, RunnerError> {
    let mut found = Vec::new();
    let mut others: Vec<&TrajectoryHead> = two.trajectories.iter().collect();
    let lone = |head: &TrajectoryHead, which: &str| Difference {
        task: head.task.clone(),
        sample: head.sample,
        attempt: 0,
        turn: 0,
        what: format!("only the {which} run has it"),
    };
    for head in &one.trajectories {
        let same = |other: &&TrajectoryHead| {
            other.task == head.task && other.revision == head.revision && other.sample == head.sample
        };
        let Some(at) = others.iter().position(same) else {
            found.push(lone(head, "first"));
            continue;
        };
        let other = others.remove(at);
        let (first, second) = (essences(&one.events(head)?), essences(&two.events(other)?));
        if let Some((attempt, turn, what)) = difference(&first, &second) {
            found.push(Difference { task: head.task.clone(), sample: head.sample, attempt, turn, what });
        }
    }
    found.extend(others.into_iter().map(|head| lone(head, "second")));
    Ok(found)
}

/// What counts of an event.
#[derive(Debug, Clone, PartialEq)]
struct Essence {
    attempt: u32,
    turn: u32,
    kind: String,
    fields: Vec<(&'static str, Value)>,
}

fn difference(first: &[Essence], second: &[Essence]) -> Option<(u32, u32, String)> {
    for (one, two) in first.iter().zip(second) {
        if one == two {
            continue;
        }
        let place = (one.attempt, one.turn);
        if (place, &one.kind) != ((two.attempt, two.turn), &two.kind) {
            let what =
                format!("`{}`, and `{}` (attempt {}, turn {})", one.kind, two.kind, two.attempt, two.turn);
            return Some((one.attempt, one.turn, what));
        }
        let differ = one.fields.iter().zip(&two.fields).find(|(one, two)| one != two);
        let what = match differ {
            Some(((name, one), (_, two))) => format!("`{name}` is {}, and {}", short(one), short(two)),
            None => format!("`{}` differs", one.kind),
        };
        return Some((one.attempt, one.turn, what));
    }
    let (short, long, which) =
        if first.len() < second.len() { (first, second, "second") } else { (second, first, "first") };
    let more = long.get(short.len())?;
    Some((more.attempt, more.turn, format!("only the {which} run got to `{}`", more.kind)))
}

/// A hash by its beginning.
fn short(value: &Value) -> String {
    match value.as_str() {
        Some(text) => text.chars().take(12).collect(),
        None => value.to_string(),
    }
}

fn essences(events: &[RunEvent]) -> Vec<Essence> {
    events.iter().filter_map(essence).collect()
}

fn essence(event: &RunEvent) -> Option<Essence> {
    let fields = match &event.what {
        What::PromptBuilt(data) => vec![
            ("call", json!(data.call)),
            ("prompt", json!(data.prompt)),
            ("exposure", json!(data.exposure)),
        ],
        What::AnswerFinished(data) => {
            data.answer.as_ref()?;
            vec![
                ("call", json!(data.call)),
                ("answer", json!(data.answer)),
                ("reasoning", json!(data.reasoning)),
                ("finish", json!(data.finish)),
            ]
        }
        What::Extracted(data) => vec![
            ("extraction outcome", json!(data.outcome)),
            ("usable", json!(data.usable)),
            ("flags", json!(data.flags)),
            ("extraction", json!(data.extraction)),
        ],
        What::Applied(data) => vec![
            ("application outcome", json!(data.outcome)),
            ("code", json!(data.code)),
            ("flags", json!(data.flags)),
            ("why", json!(data.why)),
        ],
        // What is tried again is not compared: it is the machine's and not the code's.
        What::Verified(data) if data.verdict == crate::report::Verdict::InfraError => return None,
        What::Verified(data) => vec![
            ("verdict", json!(data.verdict)),
            ("code", json!(data.code)),
            ("tests passed", json!(data.passed)),
            ("tests executed", json!(data.executed)),
            ("scores", json!(data.scores)),
        ],
        What::FeedbackMade(data) => vec![
            ("feedback", json!(data.kind)),
            ("source", json!(data.source)),
            ("text", json!(data.text)),
            ("exposure", json!(data.exposure)),
        ],
        What::Intervened(data) => vec![
            ("intervention", json!(data.action)),
            ("content", json!(data.content)),
            ("saw_reference", json!(data.saw_reference)),
        ],
        What::Stopped(data) => vec![("reason", json!(data.reason))],
        What::RequestStarted(_)
        | What::AnswerDelta(_)
        | What::BuildOutput(_)
        | What::TestFinished(_)
        | What::Waiting(_)
        | What::Unknown { .. } => return None,
    };
    Some(Essence { attempt: event.attempt, turn: event.turn, kind: event.kind().to_owned(), fields })
}
