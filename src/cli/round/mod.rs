//! `mendbench round`: rounds are made, watched, led through their phases and settled.
//!
//! Promises: who asks sees what `label::visible` allows and nothing else; what stands in the way of a phase is told
//! by name and item (exit code 1). With `--json`, one object a line: `round` (made, advanced, withdrawn, listed),
//! `round-status` with one `annotator-progress` for each annotator that may be seen, `obstacle`, `assignment`,
//! `case` (a question that waits for the arbitrator: `said` in the order A, B, …), `decision`, `stale-label`,
//! `codebook-change`, `item-drift`.
//! Leaves to others: the rules (`label`), keeping (`study`).

mod adjudicate;
mod create;
mod flags;
mod population;
mod status;
mod turns;

pub use flags::Round;
pub use status::aside;

use super::study::{codebook, failure, obstacle, studies};
use super::{Arguments, DONE, FAILED, Failure, Output};
use crate::catalogue::{Catalogue, open, read};
use crate::config::Config;
use crate::label::aside::Aside;
use crate::label::assign::Plan;
use crate::label::codebook::{Change, Subject};
use crate::label::extent::Extent;
use crate::label::item::{Item, Purpose, Revisions};
use crate::label::phase::Refusal;
use crate::label::reading::Stale;
use crate::label::round::{self, called};
use crate::study::{Desk, StudyError};
use crate::text::counted;
use crate::text::pad;
use crate::theme::Role;
use flags::{Advance, Assign, Check, Codebook, Named, PairsName, Rename, Withdraw};
use serde_json::{Value, json};

/// Runs the command.
pub fn run(arguments: &Arguments, what: &Round, config: &Config, output: &mut Output) -> Result<u8, Failure> {
    match what {
        Round::Create(what) => create::run(arguments, what, config, output),
        Round::Assign(what) => assign(arguments, what, config, output),
        Round::Withdraw(what) => withdraw(arguments, what, config, output),
        Round::List { all, identity } => list(arguments, &identity.of(config)?, *all, output),
        Round::Status(named) => status::run(&desk(arguments, named, config)?, output),
        Round::Advance(what) => advance(arguments, what, config, output),
        Round::Adjudicate(what) => adjudicate::run(arguments, what, config, output),
        Round::Codebook(what) => change_codebook(arguments, what, config, output),
        Round::Rename(what) => rename(arguments, what, config, output),
        Round::Check(what) => check(arguments, what, config, output),
    }
}

fn desk(arguments: &Arguments, named: &Named, config: &Config) -> Result<Desk, Failure> {
    let name = named.identity.of(config)?;
    studies(arguments)?.desk(named.round.as_deref(), &name).map_err(failure)
}

/// A round as an object: what everybody may know of it.
pub fn object(round: &round::Round) -> Value {
    let people = |list: &[round::Person]| list.iter().map(|person| person.name.clone()).collect::<Vec<_>>();
    let codebook = round.codebook();
    let extent = Extent::of(round);
    json!({
        "type": "round", "v": 1, "id": round.id, "name": round.name, "study": round.study,
        "created": round.created, "phase": round.phase, "items": extent.served(), "training": extent.training, "second_servings": extent.second,
        "annotators": people(&round.annotators), "arbitrator": round.arbitrator.name,
        "lead": round.lead.name, "codebook": {
            "id": codebook.id, "stamp": codebook.stamp().to_string(), "subject": codebook.subject.name(),
        },
        "sampling": round.sampling, "assigned": round.assignment.is_some(),
        "history": round.history.iter().map(|step| json!({
            "from": step.from, "to": step.to, "at": step.at, "actor": step.actor,
        })).collect::<Vec<_>>(),
        "deviations": deviations(round),
        "withdrawn": round.withdrawn.as_ref().map(|withdrawn| json!({
            "at": withdrawn.at, "actor": withdrawn.actor, "why": withdrawn.why,
        })),
    })
}

/// The deviations of a round, as objects: every export carries them.
pub fn deviations(round: &round::Round) -> Vec<Value> {
    let object = |deviated: &round::Deviated| {
        let mut object = serde_json::to_value(&deviated.deviation).unwrap_or_default();
        object["at"] = json!(deviated.at);
        object["actor"] = json!(deviated.actor);
        object["words"] = json!(deviated.deviation.words());
        object
    };
    round.deviations.iter().map(object).collect()
}

fn withdraw(
    arguments: &Arguments,
    what: &Withdraw,
    config: &Config,
    output: &mut Output,
) -> Result<u8, Failure> {
    let name = what.identity.of(config)?;
    let mut desk = studies(arguments)?.desk(Some(&what.round), &name).map_err(failure)?;
    if what.keep {
        let shut = desk.keep().map_err(failure)?;
        if output.json {
            output.object(&object(&desk.round))?;
        } else if shut == 0 {
            output.line(&format!(
                "nobody's labels were shut: labelling of round {} goes on",
                desk.round.name
            ))?;
        } else {
            let whose = counted(shut, "annotator");
            output.line(&format!("round {} stays: labels of {whose} are open again", desk.round.name))?;
        }
        return Ok(DONE);
    }
    desk.withdraw(&what.why).map_err(failure)?;
    if output.json {
        output.object(&object(&desk.round))?;
    } else {
        output.line(&format!(
            "{} is withdrawn: it is left out everywhere, and its name may be used again",
            called(&format!("{}/{}", desk.round.study, desk.round.name))
        ))?;
    }
    Ok(DONE)
}

fn list(arguments: &Arguments, name: &str, all: bool, output: &mut Output) -> Result<u8, Failure> {
    let studies = studies(arguments)?;
    let (rounds, problems) = if all { studies.list_all() } else { studies.list() }.map_err(failure)?;
    for problem in &problems {
        output.note(problem);
    }
    if rounds.is_empty() {
        output.note("this workspace has no rounds yet; `mendbench round create` makes one");
    }
    let widest =
        rounds.iter().map(|round| round.name.len() + round.study.len() + 1).max().unwrap_or(0).min(60);
    for round in &rounds {
        if output.json {
            output.object(&object(round))?;
            continue;
        }
        let phase = if round.withdrawn.is_some() { "withdrawn" } else { round.phase.as_str() };
        output.styled(&[
            (&pad(&format!("{}/{}", round.study, round.name), widest), Role::Accent),
            (&format!("  {phase:<12}"), Role::TextStrong),
            (&format!("  {}", Extent::of(round)), Role::Text),
            (&format!(", {}", round.codebook().id), Role::TextDim),
            (&format!(", you: {}", round.role(name).as_str()), Role::TextDim),
        ])?;
    }
    if !output.json && rounds.iter().any(|round| round.codebook().subject == Subject::Turn) {
        output.note(SEE_A_TURN);
    }
    Ok(if problems.is_empty() { DONE } else { FAILED })
}

/// How an item that is a turn is looked at.
pub const SEE_A_TURN: &str = "an item that is a turn is shown by `mendbench diff ITEM`";

fn plan(plan: &flags::Plan, seed: u64) -> Plan {
    let pairs = match plan.pairs {
        PairsName::Fixed => crate::label::assign::Pairs::Fixed,
        PairsName::Rotating => crate::label::assign::Pairs::Rotating,
    };
    Plan { pairs, per_item: plan.per_item, seed }
}

fn assign(arguments: &Arguments, what: &Assign, config: &Config, output: &mut Output) -> Result<u8, Failure> {
    let mut desk = desk(arguments, &what.named, config)?;
    let seed = what.seed.unwrap_or(desk.round.sampling.seed);
    let wanted = plan(&what.plan, seed);
    let (assignment, items) = if what.preview {
        desk.preview(wanted, what.plan.repeat).map_err(failure)?
    } else {
        desk.assign(wanted, what.plan.repeat).map_err(failure)?;
        let assignment = desk.round.assignment.clone().unwrap_or_else(|| crate::label::assign::Assignment {
            pairs: wanted.pairs,
            per_item: wanted.per_item,
            seed,
            queues: Vec::new(),
        });
        (assignment, desk.round.items.clone())
    };
    for (person, queue) in desk.round.annotators.iter().zip(&assignment.queues) {
        if output.json {
            let own = desk.role.leads() || round::same_name(&person.name, &desk.name);
            let names = queue.iter().filter_map(|number| Some(items.get(*number as usize)?.name.clone()));
            let names: Option<Vec<String>> = own.then(|| names.collect());
            output.object(&json!({
                "type": "assignment", "v": 1, "round": desk.round.name, "annotator": person.name,
                "items": queue.len(), "queue": names, "pairs": assignment.pairs,
                "per_item": assignment.per_item, "seed": assignment.seed, "preview": what.preview,
            }))?;
        } else {
            let own = queue.iter().filter_map(|number| items.get(*number as usize));
            output.line(&format!("{}: {}", person.name, Extent::among(own)))?;
        }
    }
    if !output.json {
        let done = if what.preview { "a preview: nothing was written down" } else { "assigned" };
        output.note(&format!("{done}, with seed {seed}"));
    }
    Ok(DONE)
}

fn advance(
    arguments: &Arguments,
    what: &Advance,
    config: &Config,
    output: &mut Output,
) -> Result<u8, Failure> {
    let mut desk = desk(arguments, &what.named, config)?;
    let (from, before) = (desk.round.phase, desk.round.deviations.len());
    match desk.advance(what.to, what.force) {
        Ok(()) => {}
        Err(StudyError::Refused(Refusal::Obstacles(obstacles))) => {
            for one in &obstacles {
                if output.json {
                    output.object(&json!({
                        "type": "obstacle", "v": 1, "who": one.who, "what": one.what.as_str(),
                        "items": one.items,
                    }))?;
                } else {
                    output.line(&obstacle(one))?;
                }
            }
            output.note(&format!(
                "{} stays in {from}; --force goes on all the same, and is written down as a deviation",
                called(&desk.round.name)
            ));
            return Ok(FAILED);
        }
        Err(error) => return Err(failure(error)),
    }
    if output.json {
        output.object(&object(&desk.round))?;
    } else {
        output.line(&format!(
            "{}: {from} has ended, {} begins",
            called(&desk.round.name),
            desk.round.phase
        ))?;
        for new in desk.round.deviations.iter().skip(before) {
            output.note(&format!("written down as a deviation: {}", new.deviation.words()));
        }
    }
    Ok(DONE)
}

/// A stale label as an object.
pub fn stale_object(round: &str, annotator: &str, stale: &Stale) -> Value {
    json!({
        "type": "stale-label", "v": 1, "round": round, "annotator": annotator, "item": stale.item,
        "question": stale.question, "value": stale.value, "codebook": stale.codebook.to_string(),
        "why": stale.why(),
    })
}

fn change_codebook(
    arguments: &Arguments,
    what: &Codebook,
    config: &Config,
    output: &mut Output,
) -> Result<u8, Failure> {
    let mut desk = desk(arguments, &what.named, config)?;
    if let (Some(name), Some(why)) = (&what.codebook, &what.why) {
        let new = codebook(name, config)?;
        let mut before = desk.round.codebooks.iter().map(|version| &version.stamp);
        let again = before.any(|stamp| stamp.version == new.version && *stamp != new.stamp());
        let changes = desk.change_codebook(&new, why).map_err(failure)?;
        if again {
            output.note(&format!(
                "version {} of the codebook was another text before: only the hash tells them apart; raise `version` when the text changes",
                new.version
            ));
        }
        for change in &changes.questions {
            let question = change.new.as_ref().or(change.old.as_ref()).map_or("", String::as_str);
            let words: Vec<String> = change.changes.iter().map(Change::to_string).collect();
            if output.json {
                output.object(&json!({
                    "type": "codebook-change", "v": 1, "question": question, "old": change.old,
                    "new": change.new, "changes": words,
                }))?;
            } else {
                output.line(&format!("{question} {}", words.join(", ")))?;
            }
        }
        if changes.is_empty() && !output.json {
            output.line("no question changed: every label stays")?;
        }
    }
    for version in &desk.round.codebooks {
        if !output.json {
            let why = if version.why.is_empty() { String::new() } else { format!(": {}", version.why) };
            output
                .line(&format!("{} {} since {}{why}", version.codebook.id, version.stamp, version.since))?;
        }
    }
    for (annotator, stale) in desk.stale().map_err(failure)? {
        let name = desk.round.annotators.get(annotator).map_or("", |person| person.name.as_str());
        for stale in &stale {
            if output.json {
                output.object(&stale_object(&desk.round.name, name, stale))?;
            } else {
                output.line(&format!(
                    "stale: {name}, {}, {} = {}: {}",
                    stale.item,
                    stale.question,
                    stale.value,
                    stale.why()
                ))?;
            }
        }
    }
    if desk.role.leads() {
        // A lead may know how many there are, as with what is missing.
        for (annotator, progress) in desk.progress().map_err(failure)? {
            let name = desk.round.annotators.get(annotator).map_or("", |person| person.name.as_str());
            for (missing, items) in &progress.missing {
                if matches!(
                    missing,
                    crate::label::phase::Missing::Stale | crate::label::phase::Missing::Unknown
                ) {
                    output.note(&obstacle(&crate::label::phase::Obstacle {
                        who: name.to_owned(),
                        what: *missing,
                        items: items.clone(),
                    }));
                }
            }
        }
    }
    Ok(DONE)
}

fn rename(arguments: &Arguments, what: &Rename, config: &Config, output: &mut Output) -> Result<u8, Failure> {
    let name = what.identity.of(config)?;
    let mut desk = studies(arguments)?.desk(what.round.as_deref(), &name).map_err(failure)?;
    desk.rename(&what.from, &what.to).map_err(failure)?;
    if output.json {
        output.object(&object(&desk.round))?;
    } else {
        output
            .line(&format!("{} is {} from now on; what they have done stays theirs", what.from, what.to))?;
    }
    Ok(DONE)
}

fn check(arguments: &Arguments, what: &Check, config: &Config, output: &mut Output) -> Result<u8, Failure> {
    let desk = desk(arguments, &what.named, config)?;
    let is_of_turns = desk.round.codebook().subject == Subject::Turn;
    let (now, place) = if is_of_turns {
        if what.within.is_some() {
            return Err(Failure::usage(
                "the items of this round are turns of repair runs, which are in the workspace: leave --in out",
            ));
        }
        (turns::revisions(arguments, &desk.round, output)?, "the runs of the workspace".to_owned())
    } else {
        let catalogue = open(&super::request(arguments, what.within.as_ref()))?;
        (revisions(&*catalogue, &desk.round)?, catalogue.origin().label.clone())
    };
    let drift = desk.round.items.drift(&now);
    let source = &desk.round.sampling.source;
    if !drift.gone.is_empty() && what.within.is_none() && !is_of_turns && place != *source {
        output.note(&format!(
            "the round was drawn from {source}, and this looks into {place}: `mendbench round check {} --in {source}` looks there, and --in names any other place where the items are now",
            desk.round.name
        ));
    }
    for (items, word) in [(&drift.gone, "gone"), (&drift.changed, "changed")] {
        for item in items {
            if output.json {
                output.object(&json!({
                    "type": "item-drift", "v": 1, "round": desk.round.name, "item": item, "what": word,
                }))?;
            } else {
                let words = match word {
                    "gone" => "is not there any more",
                    _ => "has changed: labels were given to another revision",
                };
                output.line(&format!("{item} {words}"))?;
            }
        }
    }
    let (gone, changed) = (drift.gone.len(), drift.changed.len());
    let once = |item: &&Item| !matches!(item.purpose, Purpose::Repeat(_));
    let compared = desk.round.items.list().iter().filter(once).count();
    output.note(&format!(
        "{} of {} compared with {place}: {gone} gone, {changed} changed",
        counted(compared, "item"),
        called(&desk.round.name)
    ));
    let aside = desk.progress().map_err(failure)?.into_iter();
    for words in aside.fold(Aside::default(), |sum, (_, progress)| sum.and(progress.aside)).words() {
        output.note(&words);
    }
    Ok(if gone + changed == 0 { DONE } else { FAILED })
}

/// The present revisions of the items of a round.
fn revisions(catalogue: &dyn Catalogue, round: &round::Round) -> Result<Revisions, Failure> {
    let list = read(catalogue)?;
    let mut now = Revisions::new();
    for row in (0..list.table.len() as u32).filter_map(|row| list.table.get(row)) {
        let name = format!("{}/{}", row.dataset, row.id);
        if round.items.place(&name).is_some() {
            let revision = catalogue.task(row.key)?.revision().as_str().to_owned();
            now.insert(name, revision);
        }
    }
    Ok(now)
}
