//! `mendbench tasks check`: does each task hold, in this sandbox?
//!
//! Promises: every task gets a line, in the order of the list, as soon as its turn has come; counts with their n; what the
//! harness could not do is never counted against a task. Leaves to others: what holding means (`harness`).

use super::arguments::Check;
use super::tasks::{note_skips, selected, skipped_objects};
use super::workshop::{Workshop, bar, set_up};
use super::{Arguments, DONE, FAILED, Failure, INFRASTRUCTURE, INTERRUPTED, Output, request};
use crate::catalogue::{Catalogue, open, read};
use crate::config::Config;
use crate::harness::check::Standing;
use crate::harness::{Check as Record, Unwatched};
use crate::task::filter::Filter;
use crate::text::counted;
use crate::text::truncate;
use crate::theme::Role;
use serde_json::json;
use std::collections::BTreeMap;

/// Runs the command.
pub fn run(arguments: &Arguments, what: &Check, config: &Config, output: &mut Output) -> Result<u8, Failure> {
    let expression = what.filter.as_deref().unwrap_or("");
    let filter = Filter::parse_without_labels(expression)
        .map_err(|error| Failure::usage(format!("--filter: {error}")))?;
    let catalogue = open(&request(arguments, what.path.as_ref()))?;
    let list = read(&*catalogue)?;
    let mut rows = selected(&*catalogue, &list.table, &filter)?;
    rows.sort_unstable();
    let keys: Vec<u64> = rows.iter().filter_map(|(row, _)| list.table.get(*row)).map(|row| row.key).collect();
    let workshop = set_up(arguments, &what.sandboxing, config, output)?;
    let bar = bar(output, keys.len());
    let mut tally = Tally::default();
    let work = |number: usize| check(&*catalogue, &workshop, keys[number]);
    workshop.each(&bar, keys.len(), work, |record| {
        tally.count(&record);
        bar.set_message(tally.short());
        bar.suspend(|| tell(&record, output))
    })?;
    let of = tally.all();
    if output.json {
        skipped_objects(list.skips.rows(), output)?;
        output.object(&json!({
            "type": "task-checks", "v": 1, "source": catalogue.origin().label, "selected": keys.len(),
            "checked": of, "holds": tally.holds, "quarantined": tally.quarantined, "unknown": tally.unknown,
            "rungs": tally.rungs, "skipped": list.skips.counts(),
        }))?;
    } else {
        output.line(&tally.sentence(keys.len()))?;
        note_skips(&list.skips, output);
    }
    for trouble in workshop.harness.troubles() {
        output.note(&format!("the workspace does not remember all of this: {trouble}"));
    }
    if workshop.cancel.is_cancelled() {
        output.note(&format!("cancelled after {of} of {}", counted(keys.len(), "task")));
        return Ok(INTERRUPTED);
    }
    let nothing_but_bad_rows = of == 0 && list.skips.count() > 0;
    Ok(match (tally.unknown, tally.quarantined.is_empty() && !nothing_but_bad_rows) {
        (1.., _) => INFRASTRUCTURE,
        (0, false) => FAILED,
        (0, true) => DONE,
    })
}

/// The record of one task; none, when it was not begun or broken off.
fn check(catalogue: &dyn Catalogue, workshop: &Workshop, key: u64) -> Option<Result<Record, Failure>> {
    if workshop.cancel.is_cancelled() {
        return None;
    }
    let record = catalogue
        .task(key)
        .map(|task| workshop.harness.check(&task, &workshop.cancel, &mut Unwatched))
        .map_err(Failure::from);
    match record {
        Ok(record) if record.standing == Standing::Unknown && workshop.cancel.is_cancelled() => None,
        record => Some(record),
    }
}

fn tell(record: &Record, output: &mut Output) -> Result<(), Failure> {
    if output.json {
        let mut object = json!({ "type": "task-check", "v": 1 });
        if let (Some(object), Ok(serde_json::Value::Object(fields))) =
            (object.as_object_mut(), serde_json::to_value(record))
        {
            object.extend(fields);
        }
        return output.object(&object);
    }
    let (mark, role) = match record.standing {
        Standing::Holds => ("✔ holds        ", Role::VerdictPassed),
        Standing::Quarantined => ("✘ quarantined  ", Role::VerdictFailed),
        Standing::Unknown => ("? unknown      ", Role::Mark),
    };
    let reason = record.reason.map(|reason| format!("{}: ", reason.as_str())).unwrap_or_default();
    let why = if output.terminal { truncate(&record.why, 160).into_owned() } else { record.why.clone() };
    output.styled(&[
        (mark, role),
        (&record.task, Role::Accent),
        ("  ", Role::Text),
        (&reason, Role::Mark),
        (&why.replace('\n', " "), Role::Text),
    ])
}

/// Counts.
#[derive(Debug, Default)]
struct Tally {
    holds: usize,
    quarantined: BTreeMap<&'static str, usize>,
    unknown: usize,
    rungs: BTreeMap<&'static str, usize>,
}

impl Tally {
    fn count(&mut self, record: &Record) {
        match record.standing {
            Standing::Holds => self.holds += 1,
            Standing::Quarantined => {
                let reason = record.reason.map_or("other", |reason| reason.as_str());
                *self.quarantined.entry(reason).or_default() += 1;
            }
            Standing::Unknown => self.unknown += 1,
        }
        if let Some(rung) = record.rung {
            *self.rungs.entry(rung.as_str()).or_default() += 1;
        }
    }

    fn out(&self) -> usize {
        self.quarantined.values().sum()
    }

    fn all(&self) -> usize {
        self.holds + self.out() + self.unknown
    }

    fn short(&self) -> String {
        format!("{} hold, {} quarantined, {} unknown", self.holds, self.out(), self.unknown)
    }

    fn sentence(&self, selected: usize) -> String {
        let mut parts = vec![format!("{} of {} hold", self.holds, counted(self.all(), "task"))];
        if !self.quarantined.is_empty() {
            let reasons: Vec<String> =
                self.quarantined.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
            parts.push(format!("{} quarantined ({})", self.out(), reasons.join(", ")));
        }
        if self.unknown > 0 {
            parts.push(format!("of {} nothing is known, because the harness failed", self.unknown));
        }
        if self.all() < selected {
            parts.push(format!("{} not checked", selected - self.all()));
        }
        let rungs: Vec<&str> = self.rungs.keys().copied().collect();
        if !rungs.is_empty() {
            parts.push(format!("in {}", rungs.join(" and ")));
        }
        parts.join("; ")
    }
}
