//! `mendbench round status`.
//!
//! Promises: the lead sees everybody, an annotator in the blind phase only their own part, in words that do not
//! depend on the others.

use super::{deviations, object};
use crate::cli::study::{failure, obstacle};
use crate::cli::{DONE, Failure, Output};
use crate::label::aside::Aside;
use crate::label::extent::Extent;
use crate::label::phase::{Obstacle, Phase};
use crate::label::status::Progress;
use crate::label::visible::Role as Part;
use crate::study::Desk;
use crate::text::counted;
use crate::text::{pad, width};
use crate::theme::Role;
use serde_json::{Value, json};

/// Prints how far a round is.
pub fn run(desk: &Desk, output: &mut Output) -> Result<u8, Failure> {
    let all = desk.progress().map_err(failure)?;
    let waiting = waiting(desk)?;
    if output.json {
        let mut status = object(&desk.round);
        status["type"] = json!("round-status");
        status["you"] = json!({ "name": desk.name, "part": desk.role.as_str() });
        status["waiting"] = json!(waiting);
        status["problems"] = json!(desk.round.problems);
        output.object(&status)?;
        for (annotator, progress) in &all {
            output.object(&of_annotator(desk, *annotator, progress))?;
        }
        return Ok(DONE);
    }
    let round = &desk.round;
    output.styled(&[
        (&format!("{}/{}", round.study, round.name), Role::Accent),
        (&format!("  {}", round.phase), Role::TextStrong),
        (
            &format!(
                "  {}, codebook {} {}, seed {}",
                Extent::of(round),
                round.codebook().id,
                round.codebook().stamp(),
                round.sampling.seed
            ),
            Role::TextDim,
        ),
    ])?;
    let since = round.history.last().map_or(round.created, |step| step.at);
    output.line(&format!(
        "  since {}; lead {}, arbitrator {}; you: {}, {}",
        since.strftime("%Y-%m-%d %H:%M UTC"),
        round.lead.name,
        round.arbitrator.name,
        desk.name,
        desk.role.as_str()
    ))?;
    if round.assignment.is_none() {
        output.line("  nothing is assigned yet")?;
    }
    let names = round.annotators.iter().map(|person| width(&person.name)).max().unwrap_or(0).min(30);
    for (annotator, progress) in &all {
        let name = name_of(desk, *annotator);
        let mut parts = vec![format!("{} of {} done", progress.done, progress.assigned)];
        if let Some(pace) = progress.pace {
            parts.push(pace.words());
        }
        for (count, words) in [
            (progress.flagged, "flagged"),
            (progress.conflicts, "contradicting each other"),
            (progress.late, "answered after labelling had ended"),
        ] {
            if count > 0 {
                parts.push(format!("{count} {words}"));
            }
        }
        if progress.aside.count() > 0 {
            parts.push(format!("{} without a place in the round", progress.aside.count()));
        }
        if progress.sealed {
            parts.push("handed in, sealed".to_owned());
        }
        output.styled(&[
            ("  ", Role::Text),
            (&pad(name, names), Role::TextStrong),
            (&format!("  {}", parts.join(", ")), Role::Text),
        ])?;
        if round.phase == Phase::Labelling || matches!(desk.role, Part::Annotator(own) if own == *annotator) {
            for (what, items) in &progress.missing {
                let line = Obstacle { who: "  ".to_owned() + name, what: *what, items: items.clone() };
                output.line(&format!("  {}", obstacle(&line)))?;
            }
        }
    }
    let aside = all.iter().fold(Aside::default(), |sum, (_, progress)| sum.and(progress.aside));
    for words in aside.words() {
        output.note(&words);
    }
    if all.iter().any(|(_, progress)| progress.shut) {
        output.note(&format!("nothing can be labelled: {}", desk.shut_words()));
    }
    if let Some(waiting) = waiting {
        output.line(&format!("  waiting for the arbitrator: {}", counted(waiting, "question")))?;
    }
    for deviated in &round.deviations {
        output.line(&format!(
            "  deviation, {}: {}",
            deviated.at.strftime("%Y-%m-%d %H:%M UTC"),
            deviated.deviation.words()
        ))?;
    }
    for problem in &round.problems {
        output.note(problem);
    }
    Ok(DONE)
}

/// How many questions wait for the arbitrator, for those who may know.
fn waiting(desk: &Desk) -> Result<Option<usize>, Failure> {
    let may = desk.role.arbitrates() || desk.role.leads();
    if desk.round.phase != Phase::Adjudication || !may {
        return Ok(None);
    }
    let cases = desk.cases().map_err(failure)?;
    let open = cases.iter().filter(|case| case.waits_for.is_empty());
    Ok(Some(open.map(|case| case.settled.open.len()).sum()))
}

/// Answers without a place in the round, as an object.
pub fn aside(aside: Aside) -> Value {
    json!({ "unasked": aside.unasked, "untaken": aside.untaken, "not_theirs": aside.not_theirs })
}

fn name_of(desk: &Desk, annotator: usize) -> &str {
    desk.round.annotators.get(annotator).map_or("", |person| person.name.as_str())
}

fn of_annotator(desk: &Desk, annotator: usize, progress: &Progress) -> Value {
    let missing: serde_json::Map<String, Value> =
        progress.missing.iter().map(|(what, items)| (what.as_str().to_owned(), json!(items))).collect();
    json!({
        "type": "annotator-progress", "v": 1, "round": desk.round.name, "annotator": name_of(desk, annotator),
        "assigned": progress.assigned, "done": progress.done, "answers": progress.answers,
        "flagged": progress.flagged, "missing": missing, "conflicts": progress.conflicts,
        "late": progress.late, "sealed": progress.sealed, "aside": aside(progress.aside),
        "shut": progress.shut,
        "seconds_per_item": progress.pace.map(|pace| pace.median),
        "n_paced": progress.pace.map(|pace| pace.items),
        "pace_clock": progress.pace.map(|pace| pace.clock.as_str()),
        "deviations": deviations(&desk.round).len(),
    })
}
