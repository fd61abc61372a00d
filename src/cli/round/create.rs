//! `mendbench round create`.
//!
//! Promises: the same tasks, filter and seed give the same round; items that an earlier round of the study has had
//! are marked as such. Leaves to others: drawing (`label::sample`), assigning (`label::assign`).

use super::flags::Create;
use super::{object, plan};
use crate::catalogue::{Catalogue, open, read};
use crate::cli::study::{codebook, failure, studies_or_new};
use crate::cli::tasks::{note_skips, selected};
use crate::cli::{Arguments, DONE, Failure, Output, counted, request, shown};
use crate::config::Config;
use crate::label::codebook::{Codebook, Subject};
use crate::label::entry;
use crate::label::item::{Answered, Item, Purpose, Stratum};
use crate::label::round::{Created, Round, Sampling};
use crate::label::sample::{Size, draw};
use crate::label::value::Labels;
use crate::study::{NewRound, Studies};
use crate::task::filter::Filter;
use crate::task::table::Summary;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
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
        return Err(Failure::usage(format!(
            "codebook `{}` asks about turns of repair runs; rounds are made of tasks: choose one whose subject is task",
            codebook.id
        )));
    }
    let size: Size =
        what.sample.parse::<Size>().map_err(|error| Failure::usage(format!("--sample: {error}")))?;
    let seed = what.seed.unwrap_or_else(|| Uuid::now_v7().as_u64_pair().1 >> 11);
    let expression = what.filter.as_deref().unwrap_or("");
    let filter = Filter::parse_without_labels(expression)
        .map_err(|error| Failure::usage(format!("--filter: {error}")))?;
    let catalogue = open(&request(arguments, what.path.as_ref()))?;
    let list = read(&*catalogue)?;
    let mut rows = selected(&*catalogue, &list.table, &filter)?;
    rows.sort_unstable();
    let rows: Vec<Summary<'_>> = rows.iter().filter_map(|(row, _)| list.table.get(*row)).collect();
    note_skips(&list.skips, output);
    let studies = studies_or_new(arguments)?;
    let (earlier, _) = studies.list().map_err(failure)?;
    let pool = Pool::of(&studies, what, &rows)?;
    let all: Vec<Summary<'_>> = (0..list.table.len() as u32).filter_map(|row| list.table.get(row)).collect();
    let training = known(what.training.as_deref(), &codebook, &all, "--training")?;
    let gold = known(what.gold.as_deref(), &codebook, &all, "--gold")?;
    let special: BTreeSet<&String> = training.keys().chain(gold.keys()).collect();
    let free: Vec<&Summary<'_>> =
        pool.fresh.iter().copied().filter(|row| !special.contains(&full_name(row))).collect();
    let strata: Vec<Stratum> = free.iter().map(|row| stratum(row)).collect();
    let drawn = draw(&strata, size, seed).map_err(|error| {
        Failure::usage(format!("--sample: {error}: so many pass the filter and are not left out"))
    })?;
    let mut chosen: Vec<&Summary<'_>> = drawn.into_iter().map(|number| free[number]).collect();
    chosen.extend(pool.again(seed)?);
    let mut items = Vec::new();
    for row in chosen {
        items.push(item(&*catalogue, row, Purpose::Study)?);
    }
    for (list, purpose) in [
        (training, Purpose::Training as fn(Answered) -> Purpose),
        (gold, Purpose::Gold as fn(Answered) -> Purpose),
    ] {
        for (name, answered) in list {
            if let Some(row) = all.iter().find(|row| full_name(row) == name) {
                items.push(item(&*catalogue, row, purpose(answered))?);
            }
        }
    }
    if items.is_empty() {
        return Err(Failure::usage(format!(
            "no item is left: {} of {} pass the filter `{expression}`, and {} of these are in rounds left out",
            rows.len(),
            list.table.len(),
            rows.len() - pool.fresh.len()
        )));
    }
    let of_study: Vec<Round> = earlier.into_iter().filter(|round| round.study == what.study).collect();
    crate::study::mark_seen(&mut items, &of_study);
    let again = items.iter().filter(|item| !item.seen_in.is_empty()).count();
    let created = Created {
        name: what.name.clone(),
        study: what.study.clone(),
        codebook,
        annotators: what.annotators.iter().map(|name| name.trim().to_owned()).collect(),
        arbitrator: what.arbitrator.clone(),
        lead,
        sampling: Sampling {
            source: catalogue.origin().label.clone(),
            filter: expression.to_owned(),
            population: free.len(),
            size: size.to_string(),
            seed,
            excluded: pool.excluded.clone(),
            overlap: pool.overlap.as_ref().map(|(round, count, _)| (*round, *count)),
        },
    };
    let new = NewRound {
        created,
        items,
        plan: (!what.unassigned).then(|| plan(&what.plan, seed)),
        repeats: what.plan.repeat,
    };
    let round = studies.create(Uuid::now_v7(), new).map_err(failure)?;
    if output.json {
        output.object(&object(&round))?;
        return Ok(DONE);
    }
    output.line(&format!(
        "round {}/{}: {} of {} drawn from {}, seed {seed}",
        round.study,
        round.name,
        counted(round.items.list().len(), "item"),
        free.len(),
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

/// What can be drawn.
struct Pool<'a> {
    /// Rows that pass the filter and are in no round that is left out.
    fresh: Vec<&'a Summary<'a>>,
    excluded: Vec<Uuid>,
    /// A round from which some are drawn again: its id, how many, and its rows.
    overlap: Option<(Uuid, usize, Vec<&'a Summary<'a>>)>,
}

impl<'a> Pool<'a> {
    fn of(studies: &Studies, what: &Create, rows: &'a [Summary<'a>]) -> Result<Pool<'a>, Failure> {
        let round = |name: &str| studies.find(Some(name)).map_err(failure);
        let mut left_out: Vec<Round> = Vec::new();
        for name in &what.excluding {
            left_out.push(round(name)?);
        }
        let mut overlap = None;
        if let Some(text) = &what.overlap {
            let parts = text.rsplit_once(':').and_then(|(name, count)| Some((name, count.parse().ok()?)));
            let (name, count): (&str, usize) = parts
                .ok_or_else(|| Failure::usage(format!("--overlap: `{text}` is not ROUND:N, as `r1:20`")))?;
            let earlier = round(name)?;
            let again: Vec<&Summary<'_>> =
                rows.iter().filter(|row| earlier.items.place(&full_name(row)).is_some()).collect();
            overlap = Some((earlier.id, count, again));
            left_out.push(earlier);
        }
        let is_out =
            |row: &&Summary<'_>| left_out.iter().any(|round| round.items.place(&full_name(row)).is_some());
        let fresh = rows.iter().filter(|row| !is_out(row)).collect();
        Ok(Pool { fresh, excluded: left_out.iter().map(|round| round.id).collect(), overlap })
    }

    /// The rows that are drawn again.
    fn again(&self, seed: u64) -> Result<Vec<&'a Summary<'a>>, Failure> {
        let Some((_, count, rows)) = &self.overlap else { return Ok(Vec::new()) };
        let strata: Vec<Stratum> = rows.iter().map(|row| stratum(row)).collect();
        let drawn = draw(&strata, Size::Count(*count), seed.wrapping_add(1))
            .map_err(|error| Failure::usage(format!("--overlap: {error}")))?;
        Ok(drawn.into_iter().map(|number| rows[number]).collect())
    }
}

fn full_name(row: &Summary<'_>) -> String {
    format!("{}/{}", row.dataset, row.id)
}

fn stratum(row: &Summary<'_>) -> Stratum {
    Stratum {
        dataset: row.dataset.to_owned(),
        language: row.language.to_owned(),
        error_type: row.error_type.to_owned(),
    }
}

fn item(catalogue: &dyn Catalogue, row: &Summary<'_>, purpose: Purpose) -> Result<Item, Failure> {
    let task = catalogue.task(row.key)?;
    Ok(Item {
        // The list keeps the beginning of long names only.
        name: task.name().to_string(),
        revision: task.revision().as_str().to_owned(),
        stratum: stratum(row),
        purpose,
        seen_in: Vec::new(),
    })
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
