//! How cells, turns, outcomes and ends are worded for people.
//!
//! Promises: short, and what is as usual is left out. Leaves to others: laying lines out (`stage`, `closing`, `runs`).

use crate::repair::cell::Context;
use crate::repair::cell::{Cell, FeedbackSource, Strategy, Technique};
use crate::repair::event::{Applied, Extracted, StopReason};
use crate::repair::{Form, Policy};
use crate::report::Status;
use crate::theme::Role;
use std::collections::BTreeMap;
use uuid::Uuid;

/// Most tests that are named on a line.
const MOST_NAMED: usize = 4;

/// The beginning of a run's id that names the millisecond of its making.
pub fn short(run: Uuid) -> String {
    run.to_string().chars().take(13).collect()
}

/// A cell: its model, and what differs from the usual.
pub fn cell(cell: &Cell) -> String {
    let mut parts = vec![cell.model.clone()];
    parts.push(match (cell.told(), cell.feedback_source) {
        (None, _) => "no feedback".to_owned(),
        (Some(kind), FeedbackSource::Fresh) => format!("{kind} feedback"),
        (Some(kind), FeedbackSource::Stored) => format!("{kind} feedback, stored"),
    });
    parts.extend(cell.helper.as_ref().map(|helper| format!("helper {helper}")));
    parts.push(cell.strategy.to_string());
    if cell.technique != Technique::Baseline {
        parts.push(cell.technique.to_string());
    }
    if !cell.without.is_empty() {
        let left: Vec<&str> = cell.without.iter().map(|section| section.as_str()).collect();
        parts.push(format!("without {}", left.join(", ")));
    }
    if cell.form != Form::Function {
        parts.push(cell.form.to_string());
    }
    if cell.context != Context::Task {
        parts.push(format!("context {}", cell.context));
    }
    if !cell.hints.is_empty() {
        let hints: Vec<&str> = cell.hints.iter().map(|hint| hint.as_str()).collect();
        parts.push(format!("hints {}", hints.join(", ")));
    }
    if cell.extraction != Policy::Lenient {
        parts.push(format!("{} extraction", cell.extraction.as_str()));
    }
    for (name, value) in [
        ("temperature", cell.temperature.map(|value| value.to_string())),
        ("top_p", cell.top_p.map(|value| value.to_string())),
        ("seed", cell.seed.map(|value| value.to_string())),
        ("max_tokens", cell.max_tokens.map(|value| value.to_string())),
    ] {
        parts.extend(value.map(|value| format!("{name} {value}")));
    }
    parts.join(" · ")
}

/// A turn: `buggy`, `turn 2`, or `turn 1.2` where there are several attempts.
pub fn turn(cell: Option<&Cell>, (attempt, turn): (u32, u32)) -> String {
    let several =
        cell.is_some_and(|cell| matches!(cell.strategy, Strategy::Conversation { attempts: 2.., .. }));
    match (turn, several) {
        (0, _) => "buggy".to_owned(),
        (turn, false) => format!("turn {turn}"),
        (turn, true) => format!("turn {attempt}.{turn}"),
    }
}

/// What was got out of an answer and how it went in, with a blank behind; empty for code that nobody answered.
pub fn outcomes(extracted: Option<&Extracted>, applied: Option<&Applied>) -> String {
    let mut parts: Vec<String> = Vec::new();
    parts.extend(extracted.map(|extracted| extracted.outcome.to_string()));
    parts.extend(applied.map(|applied| applied.outcome.to_string()));
    let flags = extracted.map(|data| &data.flags).into_iter().chain(applied.map(|data| &data.flags));
    for flag in flags.flatten().map(|flag| flag.as_str().to_owned()) {
        if !parts.contains(&flag) {
            parts.push(flag);
        }
    }
    if parts.is_empty() { String::new() } else { format!("{}  ", parts.join(", ")) }
}

/// Which tests pass now and did not, and the other way round.
pub fn flips(before: &BTreeMap<String, Status>, now: &BTreeMap<String, Status>) -> Vec<(String, Role)> {
    let passed = |tests: &BTreeMap<String, Status>, id: &String| tests.get(id) == Some(&Status::Passed);
    let fixed = now.keys().filter(|id| passed(now, id) && !passed(before, id)).collect::<Vec<_>>();
    let broken = before.keys().filter(|id| passed(before, id) && !passed(now, id)).collect::<Vec<_>>();
    let mut ends: BTreeMap<&str, usize> = BTreeMap::new();
    for id in now.keys().chain(before.keys().filter(|id| !now.contains_key(*id))) {
        *ends.entry(end(id)).or_default() += 1;
    }
    let mut parts = Vec::new();
    for (word, ids, role) in [("fixed", fixed, Role::VerdictPassed), ("broke", broken, Role::VerdictFailed)] {
        if !ids.is_empty() {
            let named: Vec<&str> = ids.iter().take(MOST_NAMED).map(|id| short_test(id, &ends)).collect();
            let more = ids.len().saturating_sub(MOST_NAMED);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            parts.push((format!("{word} {}{more}  ", named.join(", ")), role));
        }
    }
    parts
}

/// The last part of a test's name where no other test ends so, else all of it.
fn short_test<'a>(id: &'a str, ends: &BTreeMap<&str, usize>) -> &'a str {
    if ends.get(end(id)) == Some(&1) { end(id) } else { id }
}

fn end(id: &str) -> &str {
    match id.rsplit(['.', ':', '/']).next() {
        Some(end) if !end.is_empty() => end,
        _ => id,
    }
}

/// What a turn took, with a blank behind: tokens and time of its calls, time of its tests (`None`: remembered, or none).
pub fn took(tokens: Option<u64>, calls: u64, tests: Option<u64>) -> String {
    let mut parts = Vec::new();
    parts.extend(tokens.map(|tokens| format!("{tokens} tokens")));
    let milliseconds = calls + tests.unwrap_or(0);
    if milliseconds > 0 {
        parts.push(seconds(milliseconds));
    }
    if parts.is_empty() { String::new() } else { format!("{}  ", parts.join(", ")) }
}

/// `0.4 s`, `12 s`, `3:07 min`, `2:05 h`.
pub fn seconds(milliseconds: u64) -> String {
    match milliseconds {
        0..=9_949 => format!("{}.{} s", (milliseconds + 50) / 1_000, (milliseconds + 50) % 1_000 / 100),
        9_950..=59_499 => format!("{} s", (milliseconds + 500) / 1_000),
        59_500..=3_599_499 => {
            let whole = (milliseconds + 500) / 1_000;
            format!("{}:{:02} min", whole / 60, whole % 60)
        }
        _ => {
            let whole = milliseconds / 60_000;
            format!("{}:{:02} h", whole / 60, whole % 60)
        }
    }
}

/// How a trajectory ended.
pub fn ending(reason: StopReason, detail: &str, taken: u32) -> (String, Role) {
    let turns = |count: u32| if count == 1 { "1 turn".to_owned() } else { format!("{count} turns") };
    let (words, role) = match reason {
        StopReason::Passed => (format!("repaired after {}", turns(taken)), Role::StatusOk),
        StopReason::Exhausted => (format!("not repaired after {}", turns(taken)), Role::VerdictFailed),
        StopReason::Repeat => {
            (format!("not repaired: the same code again after {}", turns(taken)), Role::VerdictFailed)
        }
        StopReason::NoCode => {
            (format!("not repaired: no usable code after {}", turns(taken)), Role::VerdictFailed)
        }
        StopReason::Budget => ("left: the budget is spent".to_owned(), Role::StatusWarn),
        StopReason::Cancelled => ("cancelled".to_owned(), Role::StatusWarn),
        StopReason::Infrastructure => {
            ("given up: the infrastructure failed, not the model".to_owned(), Role::StatusError)
        }
        StopReason::NotFaulty => {
            ("nothing to repair: the buggy version passes its tests".to_owned(), Role::StatusWarn)
        }
    };
    let detail = detail.replace('\n', " ");
    (if detail.is_empty() { words } else { format!("{words}: {detail}") }, role)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_readable() {
        for (milliseconds, shown) in [
            (0, "0.0 s"),
            (949, "0.9 s"),
            (9_949, "9.9 s"),
            (9_950, "10 s"),
            (59_499, "59 s"),
            (59_500, "1:00 min"),
            (187_000, "3:07 min"),
            (3_599_499, "59:59 min"),
            (7_500_000, "2:05 h"),
        ] {
            assert_eq!(seconds(milliseconds), shown);
        }
    }

    #[test]
    fn a_cell_names_what_is_not_as_usual() {
        let mut plain = Cell::new("m", "t");
        assert_eq!(cell(&plain), "m · test feedback · single");
        plain.technique = Technique::FewShot;
        plain.form = Form::Patch;
        plain.seed = Some(7);
        assert_eq!(cell(&plain), "m · test feedback · single · few-shot · patch · seed 7");
        plain.strategy = Strategy::Conversation { attempts: 2, turns: 3 };
        assert_eq!(turn(Some(&plain), (2, 1)), "turn 2.1");
        assert_eq!(turn(Some(&Cell::new("m", "t")), (1, 2)), "turn 2");
    }

    #[test]
    fn what_flipped_is_named() {
        let tests = |list: &[(&str, Status)]| -> BTreeMap<String, Status> {
            list.iter().map(|(id, status)| ((*id).to_owned(), *status)).collect()
        };
        let before = tests(&[("a", Status::Passed), ("b", Status::Failed), ("c", Status::Passed)]);
        let now = tests(&[("a", Status::Failed), ("b", Status::Passed), ("d", Status::Passed)]);
        let words: Vec<String> = flips(&before, &now).into_iter().map(|(words, _)| words).collect();
        assert_eq!(words, ["fixed b, d  ", "broke a, c  "]);
        assert!(flips(&now, &now).is_empty());
        let now = tests(&[("m.A.x", Status::Passed), ("m.A.y", Status::Passed), ("m.B.y", Status::Failed)]);
        let words: Vec<String> = flips(&tests(&[]), &now).into_iter().map(|(words, _)| words).collect();
        assert_eq!(words, ["fixed x, m.A.y  "], "short, unless that is two tests' name");
    }
}
