//! `mendbench agreement --round`: how far the annotators of a round agree.
//!
//! Promises: blind labels, and apart from them and so named the revised ones; nothing that was talked about or
//! verified again is called independent; a question that is asked only after another comes twice, with the n of
//! each; while labelling is blind nobody sees anything, and a lead who insists leaves a deviation. The objects of
//! `--json` are those of other agreement, with `basis`, `scope`, `part`, `independent`, `n_reverified`,
//! `n_stale_left_out`, `codebook`, `phase`, `deviations` and `aside` (answers of the round that have no place in it, by
//! the reason) beside the statistics.

use super::flags::{BasisName, Flags, MetricName};
use super::study::{Data, Study};
use super::{findings, object, report};
use crate::agreement::{AgreementError, Ratings, SetRatings, Weights};
use crate::cli::round::deviations;
use crate::cli::study::{failure, studies};
use crate::cli::{Arguments, DONE, Failure, Output};
use crate::config::Config;
use crate::label::aside::Aside;
use crate::label::codebook::{Codebook, Question};
use crate::label::compare::{Basis, Compared, Part, Scope};
use crate::label::phase::Phase;
use crate::label::round::Round;
use crate::label::value::Value;
use crate::label::visible::{Agreement, agreement};
use crate::study::{Desk, Studies};
use crate::text::counted;
use crate::theme::Role;
use serde_json::json;
use std::collections::BTreeSet;

/// Prints the agreement of a round.
pub fn run(
    arguments: &Arguments,
    flags: &Flags,
    name: &str,
    config: &Config,
    output: &mut Output,
) -> Result<u8, Failure> {
    if flags.sets.is_some() || flags.values.is_some() || !flags.categories.is_empty() {
        return Err(Failure::usage(
            "--sets, --values and --categories are for files: those of a round are in its codebook",
        ));
    }
    let me = flags.identity.of(config)?;
    let studies = studies(arguments)?;
    let mut desk = studies.desk(Some(name), &me).map_err(failure)?;
    let revised = desk.round.phase > Phase::Labelling;
    let bases: &[Basis] = match flags.basis {
        Some(BasisName::Blind) => &[Basis::Blind],
        Some(BasisName::Revised) => &[Basis::Revised],
        Some(BasisName::Both) => &[Basis::Blind, Basis::Revised],
        None if revised => &[Basis::Blind, Basis::Revised],
        None => &[Basis::Blind],
    };
    if bases.contains(&Basis::Revised)
        && !revised
        && agreement(desk.role, desk.round.phase) != Agreement::Hidden
    {
        return Err(Failure::usage("no label is revised before discussion begins"));
    }
    let mut first = true;
    let mut aside = Aside::default();
    for (place, basis) in bases.iter().enumerate() {
        // One look is one deviation.
        let live = flags.live && place == 0;
        let all = desk.compared(*basis, live).map_err(failure)?;
        if place == 0 {
            aside = desk.aside().map_err(failure)?;
        }
        let before = earlier(&studies, &desk, *basis)?;
        for compared in &all {
            let codebook = match basis {
                Basis::Blind => desk.round.codebook_in(Phase::Labelling),
                Basis::Revised => desk.round.codebook(),
            };
            let study = measured(flags, compared, codebook, &desk.round.name)?;
            let same = |other: &&Compared| {
                (&other.question, other.scope, other.raters.as_slice())
                    == (&compared.question, compared.scope, compared.raters.as_slice())
                    && other.part == Part::Every
                    && other.categories == compared.categories
            };
            let earlier = before.as_ref().and_then(|(round, all)| Some((round, all.iter().find(same)?)));
            let earlier = earlier
                .map(|(round, compared)| measured(flags, compared, codebook, &round.name))
                .transpose()?
                .filter(|_| compared.part == Part::Every);
            let found = findings::measure(flags, &study, earlier.as_ref()).map_err(Failure::usage)?;
            if output.json {
                let mut object = object::object(flags, &study, &found);
                for (key, value) in [
                    ("study", json!(desk.round.study)),
                    ("phase", json!(desk.round.phase)),
                    ("basis", json!(basis.as_str())),
                    ("scope", json!(compared.scope.as_str())),
                    ("part", json!(compared.part.as_str())),
                    ("independent", json!(compared.is_independent())),
                    ("n_reverified", json!(compared.reverified)),
                    ("n_stale_left_out", json!(compared.stale)),
                    ("codebook", json!(codebook.stamp().to_string())),
                    ("deviations", json!(deviations(&desk.round))),
                    ("aside", crate::cli::round::aside(aside)),
                ] {
                    object[key] = value;
                }
                output.object(&object)?;
                continue;
            }
            if !first {
                output.line("")?;
            }
            first = false;
            heading(compared, output)?;
            report::print(flags, &study, &found, output)?;
        }
    }
    if !output.json {
        for deviated in &desk.round.deviations {
            output.note(&format!(
                "deviation, {}: {}",
                deviated.at.strftime("%Y-%m-%d %H:%M UTC"),
                deviated.deviation.words()
            ));
        }
        for words in aside.words() {
            output.note(&words);
        }
    }
    Ok(DONE)
}

/// What the numbers are of, in words.
fn heading(compared: &Compared, output: &mut Output) -> Result<(), Failure> {
    let basis = match (compared.basis, compared.is_independent()) {
        (Basis::Blind, true) => "blind labels, independent".to_owned(),
        (Basis::Blind, false) => {
            format!("blind labels, not independent: {} verified again", counted(compared.reverified, "item"))
        }
        (Basis::Revised, _) => "revised labels, after discussion: not independent".to_owned(),
    };
    let scope = match compared.scope {
        Scope::Asked => "items where all were asked the question",
        Scope::All => "all items, with not being asked as a category",
    };
    let part = match compared.part {
        Part::Every => "",
        Part::New => "; only items that were new",
        Part::Reverified => "; only items that were verified again",
    };
    let stale = match compared.stale {
        0 => String::new(),
        count => format!("; {} left out", counted(count, "stale label")),
    };
    output.styled(&[(&format!("{basis}; {scope}{part}{stale}"), Role::TextDim)])
}

/// The round before this one in its study whose agreement may be seen, with what is compared in it.
fn earlier(studies: &Studies, desk: &Desk, basis: Basis) -> Result<Option<(Round, Vec<Compared>)>, Failure> {
    let (rounds, _) = studies.list().map_err(failure)?;
    let before = rounds.into_iter().find(|round| {
        round.study == desk.round.study && round.id < desk.round.id && round.phase > Phase::Labelling
    });
    let Some(round) = before else { return Ok(None) };
    let mut desk = studies.desk_of(round, &desk.name);
    let all = desk.compared(basis, false).map_err(failure)?;
    Ok(Some((desk.round, all)))
}

/// What is compared, as a study to be measured.
fn measured(flags: &Flags, compared: &Compared, codebook: &Codebook, round: &str) -> Result<Study, Failure> {
    let size = compared.categories.len().max(1);
    let question = codebook.question(&compared.question);
    let numbers: Option<Vec<f64>> =
        compared.categories.iter().map(|name| name.parse().ok()).collect::<Option<Vec<f64>>>();
    let values = numbers.filter(|values| !values.is_empty() && compared.ordered);
    if matches!(flags.metric, MetricName::Interval | MetricName::Ratio) && values.is_none() {
        let text =
            format!("--metric {} needs numbers, and `{}` has none", flags.metric.as_str(), compared.question);
        return Err(Failure::usage(text));
    }
    let (weights, scheme) = weights(flags, compared, question, size)?;
    let place = |value: &Value| compared.category(value);
    let data = if compared.sets {
        let set = |value: &Value| -> BTreeSet<usize> {
            let places = value.answers().into_iter();
            places.filter_map(|id| compared.categories.iter().position(|name| name == id)).collect()
        };
        let rows = compared.cells.iter().map(|row| row.iter().map(|cell| cell.as_ref().map(set)).collect());
        Data::Sets(SetRatings::new(size, rows.collect()).map_err(Failure::usage)?)
    } else {
        let rows =
            compared.cells.iter().map(|row| row.iter().map(|cell| cell.as_ref().and_then(place)).collect());
        Data::Ratings(Ratings::new(size, rows.collect()).map_err(Failure::usage)?)
    };
    Ok(Study {
        question: Some(compared.question.clone()),
        round: Some(round.to_owned()),
        raters: compared.raters.clone(),
        items: compared.items.clone(),
        categories: compared.categories.clone(),
        declared: true,
        ordered: compared.ordered,
        values,
        weights,
        scheme,
        data,
    })
}

fn weights(
    flags: &Flags,
    compared: &Compared,
    question: Option<&Question>,
    size: usize,
) -> Result<(Weights, String), Failure> {
    let plain = || Ok((Weights::nominal(size).map_err(Failure::usage)?, "none".to_owned()));
    let made: Result<Weights, AgreementError> = match flags.weights.as_str() {
        "none" => return plain(),
        // Steps between categories mean nothing where they have no order.
        "linear" | "quadratic" if !compared.ordered => return plain(),
        "linear" => Weights::linear(size),
        "quadratic" => Weights::quadratic(size),
        "taxonomy" => {
            let Some(question) = question.filter(|question| question.is_hierarchical()) else {
                return plain();
            };
            let path = |name: &String| {
                let path: Vec<String> = question.path(name).into_iter().map(str::to_owned).collect();
                if path.is_empty() { vec![name.clone()] } else { path }
            };
            Weights::taxonomy(&compared.categories.iter().map(path).collect::<Vec<Vec<String>>>())
        }
        other => {
            let text = format!("--weights {other}: of a round it is none, linear, quadratic or taxonomy");
            return Err(Failure::usage(text));
        }
    };
    Ok((made.map_err(Failure::usage)?, flags.weights.clone()))
}
