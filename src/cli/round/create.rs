//! `mendbench round create`.
//!
//! Promises: the same tasks or runs, filter and seed give the same round; items that an earlier round of the study has
//! had are marked as such. Leaves to others: what there is to draw (`population`, `turns`), drawing (`label::sample`),
//! assigning (`label::assign`).

use super::flags::Create;
use super::population::{Candidate, Population};
use super::{object, plan, turns};
use crate::cli::study::{codebook, failure, studies_or_new};
use crate::cli::{Arguments, DONE, Failure, Output, counted, shown};
use crate::config::Config;
use crate::label::codebook::{Codebook, Subject};
use crate::label::entry;
use crate::label::item::{Answered, Purpose, Stratum};
use crate::label::round::{Created, Round, Sampling};
use crate::label::sample::{Size, draw};
use crate::label::turn::may_mean;
use crate::label::value::Labels;
use crate::study::{NewRound, Studies};
use crate::task::filter::Filter;
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
    let size: Size =
        what.sample.parse::<Size>().map_err(|error| Failure::usage(format!("--sample: {error}")))?;
    let seed = what.seed.unwrap_or_else(|| Uuid::now_v7().as_u64_pair().1 >> 11);
    let expression = what.filter.as_deref().unwrap_or("");
    let filter = Filter::parse(expression).map_err(|error| Failure::usage(format!("--filter: {error}")))?;
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
    let (earlier, _) = studies.list().map_err(failure)?;
    let pool = Pool::of(&studies, what, &population)?;
    let training = known(what.training.as_deref(), &codebook, &population.all, "--training")?;
    let gold = known(what.gold.as_deref(), &codebook, &population.all, "--gold")?;
    let special: BTreeSet<&String> = training.keys().chain(gold.keys()).collect();
    let free: Vec<&Candidate> =
        pool.fresh.iter().copied().filter(|candidate| !special.contains(&candidate.name)).collect();
    let strata: Vec<Stratum> = free.iter().map(|candidate| candidate.stratum.clone()).collect();
    let drawn = draw(&strata, size, seed).map_err(|error| {
        Failure::usage(format!("--sample: {error}: so many pass the filter and are not left out"))
    })?;
    let mut chosen: Vec<&Candidate> = drawn.into_iter().map(|number| free[number]).collect();
    chosen.extend(pool.again(seed)?);
    let mut items = Vec::new();
    for candidate in chosen {
        items.push(population.item(candidate, Purpose::Study)?);
    }
    for (list, purpose) in [
        (training, Purpose::Training as fn(Answered) -> Purpose),
        (gold, Purpose::Gold as fn(Answered) -> Purpose),
    ] {
        for (name, answered) in list {
            if let Some(candidate) = population.all.iter().find(|candidate| candidate.name == name) {
                items.push(population.item(candidate, purpose(answered))?);
            }
        }
    }
    if items.is_empty() {
        return Err(Failure::usage(format!(
            "no item is left: {} of {} pass the filter `{expression}`, and {} of these are in rounds left out",
            population.passing.len(),
            population.all.len(),
            population.passing.len() - pool.fresh.len()
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
            source: population.source.clone(),
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
    let of =
        |is: &dyn Fn(&Purpose) -> bool| round.items.list().iter().filter(|item| is(&item.purpose)).count();
    let overlap = pool.overlap.as_ref().map_or(0, |(_, count, _)| *count);
    let beside = [
        (of(&|purpose| matches!(purpose, Purpose::Training(_))), "for training"),
        (of(&|purpose| matches!(purpose, Purpose::Gold(_))), "with known answers"),
        (of(&|purpose| matches!(purpose, Purpose::Repeat(_))), "served twice"),
        (overlap, "of an earlier round"),
    ];
    let beside = beside.iter().filter(|(count, _)| *count > 0);
    let beside: String = beside.map(|(count, what)| format!("; {count} {what}")).collect();
    output.line(&format!(
        "round {}/{}: {} of {} drawn from {}, seed {seed}{beside}",
        round.study,
        round.name,
        counted(of(&|purpose| *purpose == Purpose::Study) - overlap, "item"),
        free.len(),
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

/// What can be drawn.
struct Pool<'a> {
    /// Those that pass the filter and are in no round that is left out.
    fresh: Vec<&'a Candidate>,
    excluded: Vec<Uuid>,
    /// A round from which some are drawn again: its id, how many, and what of it passes.
    overlap: Option<(Uuid, usize, Vec<&'a Candidate>)>,
}

impl<'a> Pool<'a> {
    fn of(studies: &Studies, what: &Create, population: &'a Population) -> Result<Pool<'a>, Failure> {
        let round = |name: &str| studies.find(Some(name)).map_err(failure);
        let passing: Vec<&Candidate> =
            population.passing.iter().filter_map(|number| population.all.get(*number)).collect();
        let mut left_out: Vec<Round> = Vec::new();
        for name in &what.excluding {
            left_out.push(round(name)?);
        }
        let is_in = |round: &Round, candidate: &Candidate| round.items.place(&candidate.name).is_some();
        let mut overlap = None;
        if let Some(text) = &what.overlap {
            let parts = text.rsplit_once(':').and_then(|(name, count)| Some((name, count.parse().ok()?)));
            let (name, count): (&str, usize) = parts
                .ok_or_else(|| Failure::usage(format!("--overlap: `{text}` is not ROUND:N, as `r1:20`")))?;
            let earlier = round(name)?;
            let again = passing.iter().copied().filter(|candidate| is_in(&earlier, candidate)).collect();
            overlap = Some((earlier.id, count, again));
            left_out.push(earlier);
        }
        let is_out = |candidate: &&Candidate| left_out.iter().any(|round| is_in(round, candidate));
        let fresh = passing.into_iter().filter(|candidate| !is_out(candidate)).collect();
        Ok(Pool { fresh, excluded: left_out.iter().map(|round| round.id).collect(), overlap })
    }

    /// What is drawn again.
    fn again(&self, seed: u64) -> Result<Vec<&'a Candidate>, Failure> {
        let Some((_, count, candidates)) = &self.overlap else { return Ok(Vec::new()) };
        let strata: Vec<Stratum> = candidates.iter().map(|candidate| candidate.stratum.clone()).collect();
        let drawn = draw(&strata, Size::Count(*count), seed.wrapping_add(1))
            .map_err(|error| Failure::usage(format!("--overlap: {error}")))?;
        Ok(drawn.into_iter().map(|number| candidates[number]).collect())
    }
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
    all: &[Candidate],
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
        match known_line(line, codebook, all) {
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

fn known_line(line: &str, codebook: &Codebook, all: &[Candidate]) -> Result<(String, Answered), String> {
    let line: KnownLine = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let exact = all.iter().find(|candidate| candidate.name == line.item);
    let fitting: Vec<&Candidate> = match exact {
        Some(exact) => vec![exact],
        None => all.iter().filter(|candidate| may_mean(&line.item, &candidate.name)).take(2).collect(),
    };
    let candidate = match fitting.as_slice() {
        [only] => only,
        [] => return Err(format!("there is nothing to draw that is called `{}`", line.item)),
        _ => return Err(format!("`{}` may be several; write the whole name", line.item)),
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
    Ok((candidate.name.clone(), Answered { answers, why: line.why }))
}
