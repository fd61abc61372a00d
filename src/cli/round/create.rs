//! `mendbench round create`.
//!
//! Promises: the same tasks or runs, filter and seed give the same round; items that an earlier round of the study has
//! had are marked as such. Leaves to others: what there is to draw (`population`, `turns`), drawing and making
//! (`study::draft`), assigning (`label::assign`).

use super::flags::Create;
use super::population::Population;
use super::{object, plan, turns};
use crate::cli::study::{codebook, failure, studies_or_new};
use crate::cli::{Arguments, DONE, Failure, Output};
use crate::config::Config;
use crate::label::codebook::{Codebook, Subject};
use crate::label::extent::Extent;
use crate::label::item::{Answered, Purpose};
use crate::label::round::called;
use crate::label::sample::Size;
use crate::study::{Candidate, Draft, StudyError, any_seed, known_items, overlap};
use crate::task::filter::Filter;
use crate::text::counted;
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
    let size: Size =
        what.sample.parse::<Size>().map_err(|error| Failure::usage(format!("--sample: {error}")))?;
    let seed = what.seed.unwrap_or_else(any_seed);
    let expression = what.filter.as_deref().unwrap_or("");
    let filter = Filter::parse_without_labels(expression)
        .map_err(|error| Failure::usage(format!("--filter: {error}")))?;
    let population = match (codebook.subject, what.run.is_empty()) {
        (Subject::Task, true) => Population::of_tasks(arguments, what, &filter, output)?,
        (Subject::Turn, false) => turns::population(arguments, what, &filter, output)?,
        (Subject::Turn, true) => {
            return Err(Failure::usage(format!(
                "codebook `{}` asks about turns of repair runs: name the runs with --run, as `--run last`; `mendbench runs` lists them",
                codebook.id
            )));
        }
        (Subject::Task, false) => {
            return Err(Failure::usage(format!(
                "codebook `{}` asks about tasks, and --run gives turns of repair runs: leave --run out, or choose a codebook about turns, as patch-correctness or failure-pattern",
                codebook.id
            )));
        }
    };
    let studies = studies_or_new(arguments)?;
    let passing: Vec<Candidate> =
        population.passing.iter().filter_map(|number| population.all.get(*number).cloned()).collect();
    let training =
        known(what.training.as_deref(), &codebook, &population.all, ("--training", Purpose::Training))?;
    let gold = known(what.gold.as_deref(), &codebook, &population.all, ("--gold", Purpose::Gold))?;
    let wanted = wanted_overlap(what)?;
    let from_earlier = wanted.as_ref().map_or(0, |(_, count)| *count);
    let draft = Draft {
        name: what.name.clone(),
        study: what.study.clone(),
        codebook,
        annotators: what.annotators.iter().map(|name| name.trim().to_owned()).collect(),
        arbitrator: what.arbitrator.clone(),
        lead,
        source: population.source.clone(),
        filter: expression.to_owned(),
        size,
        seed,
        excluding: what.excluding.clone(),
        overlap: wanted,
        plan: (!what.unassigned).then(|| plan(&what.plan, seed)),
        repeats: what.plan.repeat,
    };
    let drawn = draft.draw(&studies, &passing, &[training, gold].concat()).map_err(|error| match error {
        StudyError::Sample(_) => Failure::usage(format!("--sample: {error}")),
        StudyError::Overlap(_) => Failure::usage(format!("--overlap: {error}")),
        error => failure(error),
    })?;
    if drawn.chosen.is_empty() {
        return Err(Failure::usage(format!(
            "no item is left: {} of {} pass the filter `{expression}`, and {} of these are in rounds left out",
            population.passing.len(),
            population.all.len(),
            drawn.left_out
        )));
    }
    let mut items = Vec::new();
    for (candidate, purpose) in &drawn.chosen {
        items.push(population.item(candidate, purpose.clone())?);
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
    let of =
        |is: &dyn Fn(&Purpose) -> bool| round.items.list().iter().filter(|item| is(&item.purpose)).count();
    let beside = [
        (of(&|purpose| matches!(purpose, Purpose::Training(_))), "for training"),
        (of(&|purpose| matches!(purpose, Purpose::Gold(_))), "with known answers"),
        (Extent::of(&round).second, "served a second time"),
        (from_earlier, "of an earlier round"),
    ];
    let beside = beside.iter().filter(|(count, _)| *count > 0);
    let beside: String = beside.map(|(count, what)| format!("; {count} {what}")).collect();
    output.line(&format!(
        "{}: {} of {} drawn from {}, seed {seed}{beside}",
        called(&format!("{}/{}", round.study, round.name)),
        counted(of(&|purpose| *purpose == Purpose::Study) - from_earlier, "item"),
        drawn.population,
        round.sampling.source
    ))?;
    if again > 0 {
        output.note(&format!(
            "{} {} in an earlier round of the study: labels of such items are re-verified, not independent",
            counted(again, "item"),
            if again == 1 { "was" } else { "were" }
        ));
    }
    Ok(DONE)
}

/// The round and the number that `--overlap` names.
fn wanted_overlap(what: &Create) -> Result<Option<(String, usize)>, Failure> {
    let Some(text) = &what.overlap else { return Ok(None) };
    let bad = || Failure::usage(format!("--overlap: `{text}` is not ROUND:N, as `r1:20`"));
    overlap(text).map(Some).ok_or_else(bad)
}

/// Items with known answers, of the file that a flag names.
fn known(
    file: Option<&Path>,
    codebook: &Codebook,
    all: &[Candidate],
    (flag, purpose): (&str, fn(Answered) -> Purpose),
) -> Result<Vec<(Candidate, Purpose)>, Failure> {
    let Some(file) = file else { return Ok(Vec::new()) };
    known_items(file, codebook, all, purpose).map_err(|error| Failure::usage(format!("{flag}: {error}")))
}
