//! `mendbench agreement`: how far raters agree, from files of ratings, a confusion table or counts.
//!
//! Promises: one report, or with `--json` one object, for each question and round; bad rows are all told with
//! their lines and counted, and nothing is computed past them unless `--skip-bad` says so; the seed is printed.
//! Leaves to others: the statistics (`agreement`), reading rows (`dataset::ratings`).

mod choices;
mod findings;
mod flags;
mod input;
mod object;
mod report;
mod round;
mod study;

pub use flags::Flags;

use super::{Arguments, DONE, FAILED, Failure, Output};
use crate::config::Config;
use crate::dataset::ratings::{BadRow, RatingsFile};
use crate::text::counted;
use crate::text::sanitise;
use serde_json::json;
use std::collections::BTreeMap;
use study::{Study, gather};

/// Bad rows that are told one by one to people; the rest only by their lines.
const TOLD: usize = 20;

/// Runs the command.
pub fn run(
    arguments: &Arguments,
    flags: &Flags,
    config: &Config,
    output: &mut Output,
) -> Result<u8, Failure> {
    if flags.ratings.is_empty()
        && let Some(name) = &flags.round
    {
        return round::run(arguments, flags, name, config, output);
    }
    let gathered = gather(flags)?;
    for remark in &gathered.remarks {
        output.note(remark);
    }
    tell_bad_rows(&gathered.file, output)?;
    if gathered.file.bad_count > 0 && !flags.skip_bad {
        let next = "nothing is computed; mend the rows, or leave them out with --skip-bad";
        output.note(&format!("{} of {}: {next}", bad(&gathered.file), counted(gathered.file.rows, "row")));
        return Ok(FAILED);
    }
    if gathered.file.bad_count > 0 {
        let twice = gathered.file.bad.iter().any(|row| row.reason.as_str() == "duplicate");
        let first = if twice { "; of duplicates the first row counts" } else { "" };
        output.note(&format!(
            "{} of {} left out{first}",
            bad(&gathered.file),
            counted(gathered.file.rows, "row")
        ));
    }
    for (place, study) in gathered.studies.iter().enumerate() {
        if let ([only], false) = (study.raters.as_slice(), matches!(study.data, study::Data::Counts(_))) {
            output.note(&format!("only one rater, {}: agreement needs two", study::quoted(only)));
        }
        let earlier = before(&gathered.studies[..place], study);
        let found = findings::measure(flags, study, earlier).map_err(Failure::usage)?;
        if output.json {
            output.object(&object::object(flags, study, &found))?;
        } else {
            if place > 0 {
                output.line("")?;
            }
            report::print(flags, study, &found, output)?;
        }
    }
    Ok(DONE)
}

/// The round before a study's, of the same question.
fn before<'a>(studies: &'a [Study], study: &Study) -> Option<&'a Study> {
    study.round.as_ref()?;
    studies.iter().rev().find(|other| other.question == study.question && other.round.is_some())
}

fn bad(file: &RatingsFile) -> String {
    counted(file.bad_count, "bad row")
}

fn tell_bad_rows(file: &RatingsFile, output: &mut Output) -> Result<(), Failure> {
    if output.json {
        for row in &file.bad {
            output.object(&json!({
                "type": "bad-row", "v": 1, "file": row.file, "line": row.line,
                "reason": row.reason.as_str(), "message": row.reason.to_string(),
            }))?;
        }
    } else {
        for row in file.bad.iter().take(TOLD) {
            output.note(&format!("{}, line {}: {}", sanitise(&row.file), row.line, row.reason));
        }
        for (place, lines) in by_place(file.bad.get(TOLD..).unwrap_or_default()) {
            output.note(&format!("{place}: lines {lines}"));
        }
    }
    let kept = file.bad.len() as u64;
    if file.bad_count > kept {
        output.note(&format!("and {} more bad rows", file.bad_count - kept));
    }
    Ok(())
}

/// The lines of each file and reason, runs of them as `4-9`.
fn by_place(rows: &[BadRow]) -> BTreeMap<String, String> {
    let mut runs: BTreeMap<String, Vec<(u64, u64)>> = BTreeMap::new();
    for row in rows {
        let place = format!("{}, {}", sanitise(&row.file), row.reason.as_str());
        let runs = runs.entry(place).or_default();
        match runs.last_mut() {
            Some((_, last)) if *last == row.line || *last + 1 == row.line => *last = row.line,
            _ => runs.push((row.line, row.line)),
        }
    }
    let text = |(first, last): &(u64, u64)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    };
    runs.into_iter()
        .map(|(place, runs)| (place, runs.iter().map(text).collect::<Vec<_>>().join(", ")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::ratings::BadReason;

    #[test]
    fn lines_of_one_reason_are_runs() {
        let row = |line, reason| BadRow { file: "f".to_owned(), line, reason };
        let rows: Vec<BadRow> =
            [2, 3, 4, 9, 11, 12].map(|line| row(line, BadReason::NotUtf8)).into_iter().collect();
        let places = by_place(&rows);
        assert_eq!(
            places.into_iter().collect::<Vec<_>>(),
            [("f, not-utf8".to_owned(), "2-4, 9, 11-12".to_owned())]
        );
    }
}
