//! `mendbench round create`.
//!
//! Promises: the same tasks, filter and seed give the same round; items that an earlier round of the study has had
//! are marked as such. Leaves to others: drawing and making (`study::draft`), assigning (`label::assign`).

use super::flags::Create;
use super::{object, plan};
use crate::catalogue::{item_of, open, read};
use crate::cli::study::{codebook, failure, studies_or_new};
use crate::cli::tasks::{note_skips, selected};
use crate::cli::{Arguments, DONE, Failure, Output, counted, request, shown};
use crate::config::Config;
use crate::label::codebook::{Codebook, Subject};
use crate::label::entry;
use crate::label::item::{Answered, Purpose};
use crate::label::sample::Size;
use crate::label::value::Labels;
use crate::study::{Candidate, Draft, StudyError, any_seed, turns};
use crate::task::filter::Filter;
use crate::task::table::Summary;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;
use uuid::Uuid;

/// Runs the command.
pub fn run(
    arguments: &Arguments,
    what: &Create,
    config: &Config,
    output: &mut Output,
) -> Result<u8, Failure> {
    let codebook = codebook(&what.codebook, config)?;
    let lead = match &what.lead {
        Some(lead) => lead.clone(),
        None => what.identity.of(config)?,
    };
    if codebook.subject == Subject::Turn {
        return Err(Failure::usage(turns(&codebook)));
    }
    let size: Size =
        what.sample.parse::<Size>().map_err(|error| Failure::usage(format!("--sample: {error}")))?;
    let seed = what.seed.unwrap_or_else(any_seed);
    let expression = what.filter.as_deref().unwrap_or("");
    let filter = Filter::parse(expression).map_err(|error| Failure::usage(format!("--filter: {error}")))?;
    let catalogue = open(&request(arguments, what.path.as_ref()))?;
    let list = read(&*catalogue)?;
    let mut rows = selected(&*catalogue, &list.table, &filter)?;
    rows.sort_unstable();
    let rows: Vec<Summary<'_>> = rows.iter().filter_map(|(row, _)| list.table.get(*row)).collect();
    note_skips(&list.skips, output);
    let studies = studies_or_new(arguments)?;
    let passing: Vec<Candidate> = rows.iter().map(Candidate::of).collect();
    let all: Vec<Summary<'_>> = (0..list.table.len() as u32).filter_map(|row| list.table.get(row)).collect();
    let training = known(what.training.as_deref(), &codebook, &all, "--training")?;
    let gold = known(what.gold.as_deref(), &codebook, &all, "--gold")?;
    let draft = Draft {
        name: what.name.clone(),
        study: what.study.clone(),
        codebook,
        annotators: what.annotators.iter().map(|name| name.trim().to_owned()).collect(),
        arbitrator: what.arbitrator.clone(),
        lead,
        source: catalogue.origin().label.clone(),
        filter: expression.to_owned(),
        size,
        seed,
        excluding: what.excluding.clone(),
        overlap: overlap(what)?,
        plan: (!what.unassigned).then(|| plan(&what.plan, seed)),
        repeats: what.plan.repeat,
    };
    let drawn = draft
        .draw(
            &studies,
            &passing,
            &[special(training, Purpose::Training, &all), special(gold, Purpose::Gold, &all)].concat(),
        )
        .map_err(|error| match error {
            StudyError::Sample(_) => Failure::usage(format!("--sample: {error}")),
            StudyError::Overlap(_) => Failure::usage(format!("--overlap: {error}")),
            error => failure(error),
        })?;
    if drawn.chosen.is_empty() {
        return Err(Failure::usage(format!(
            "no item is left: {} of {} pass the filter `{expression}`, and {} of these are in rounds left out",
            rows.len(),
            list.table.len(),
            drawn.left_out
        )));
    }
    let mut items = Vec::new();
    for (candidate, purpose) in &drawn.chosen {
        items.push(item_of(&*catalogue, candidate.key, candidate.stratum.clone(), purpose.clone())?);
    }
    let round = draft.make(&studies, Uuid::now_v7(), &drawn, items).map_err(failure)?;
    let again = round
        .items
        .list()
        .iter()
        .filter(|item| !item.seen_in.is_empty() && !matches!(item.purpose, Purpose::Repeat(_)))
        .count();
    if output.json {
        output.object(&object(&round))?;
        return Ok(DONE);
    }
    output.line(&format!(
        "round {}/{}: {} of {} drawn from {}, seed {seed}",
        round.study,
        round.name,
        counted(round.items.list().len(), "item"),
        drawn.population,
        round.sampling.source
    ))?;
    if again > 0 {
        output.note(&format!(
            "{} were in an earlier round of the study: their labels are re-verified, not independent",
            counted(again, "item")
        ));
    }
    Ok(DONE)
}

/// The round and the number that `--overlap` names.
fn overlap(what: &Create) -> Result<Option<(String, usize)>, Failure> {
    let Some(text) = &what.overlap else { return Ok(None) };
    let parts = text.rsplit_once(':').and_then(|(name, count)| Some((name.to_owned(), count.parse().ok()?)));
    let bad = || Failure::usage(format!("--overlap: `{text}` is not ROUND:N, as `r1:20`"));
    parts.map(Some).ok_or_else(bad)
}

/// Items with known answers, in the order of their names.
fn special(
    known: BTreeMap<String, Answered>,
    purpose: fn(Answered) -> Purpose,
    all: &[Summary<'_>],
) -> Vec<(Candidate, Purpose)> {
    let row = |name: &String| all.iter().find(|row| full_name(row) == *name);
    known
        .into_iter()
        .filter_map(|(name, answered)| Some((Candidate::of(row(&name)?), purpose(answered))))
        .collect()
}

fn full_name(row: &Summary<'_>) -> String {
    format!("{}/{}", row.dataset, row.id)
}

/// A line of training or gold items.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct KnownLine {
    item: String,
    answers: BTreeMap<String, serde_json::Value>,
    #[serde(default)]
    why: String,
}

/// Items with known answers, by their whole names; every bad line is told.
fn known(
    file: Option<&Path>,
    codebook: &Codebook,
    rows: &[Summary<'_>],
    flag: &str,
) -> Result<BTreeMap<String, Answered>, Failure> {
    let Some(file) = file else { return Ok(BTreeMap::new()) };
    let text = std::fs::read_to_string(file).map_err(|error| {
        Failure::usage(format!(
            "{flag}: {}: cannot be read: {}",
            shown(file),
            crate::cli::output::reason(&error)
        ))
    })?;
    let mut items = BTreeMap::new();
    let mut bad = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        match known_line(line, codebook, rows) {
            Ok((name, answered)) => {
                if items.insert(name.clone(), answered).is_some() {
                    bad.push(format!("{}, line {}: {name} comes twice", shown(file), number + 1));
                }
            }
            Err(why) => bad.push(format!("{}, line {}: {why}", shown(file), number + 1)),
        }
    }
    if bad.is_empty() { Ok(items) } else { Err(Failure::usage(format!("{flag}: {}", bad.join("\n")))) }
}

fn known_line(line: &str, codebook: &Codebook, rows: &[Summary<'_>]) -> Result<(String, Answered), String> {
    let line: KnownLine = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let fits = |row: &&Summary<'_>| full_name(row) == line.item || row.id == line.item;
    let fitting: Vec<&Summary<'_>> = rows.iter().filter(fits).take(2).collect();
    let row = match fitting.as_slice() {
        [only] => only,
        [] => return Err(format!("there is no task `{}`", line.item)),
        _ => return Err(format!("`{}` is the id of several tasks; write the whole name", line.item)),
    };
    let mut answers = Labels::new();
    for asked in &codebook.questions {
        let given = line
            .answers
            .iter()
            .find(|(name, _)| entry::question(codebook, name).is_ok_and(|question| question.id == asked.id));
        if let Some((_, answer)) = given {
            let value = entry::of_json(asked, answer).map_err(|error| error.to_string())?;
            codebook.check(&asked.id, &value, &answers).map_err(|error| error.to_string())?;
            answers.insert(asked.id.clone(), value);
        }
    }
    if let Some(unknown) = line.answers.keys().find(|name| entry::question(codebook, name).is_err()) {
        return Err(format!("there is no question `{unknown}`"));
    }
    Ok((full_name(row), Answered { answers, why: line.why }))
}
