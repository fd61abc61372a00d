//! A round that is wanted: what its seed draws and deals out, before anything is written down.
//!
//! Promises: the command line and the workbench draw by this and nothing else, so the same wishes and the same tasks
//! give the same items and the same assignment; looking at a draft writes nothing.
//! Leaves to others: which tasks there are and pass the filter, and reading them (`catalogue`); making the round
//! (`create`).

use super::{NewRound, Pool, Studies, StudyError, mark_seen};
use crate::label::assign::{Plan, assign, repeats};
use crate::label::codebook::{Codebook, Subject};
use crate::label::item::{Item, Purpose, Stratum};
use crate::label::round::{Created, Round, Sampling, check_people, is_name, same_name, same_study};
use crate::label::sample::{Size, draw};
use crate::task::table::Summary;
use std::collections::{BTreeMap, BTreeSet};
use uuid::Uuid;

/// What a candidate is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// The task with this key in the catalogue.
    Task(u64),
    /// A turn of a repair run, with the hash of what it made.
    Turn(String),
}

/// A task or turn that can become an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Its name as the list has it; the list keeps the beginning of long ones only.
    pub name: String,
    /// What it is.
    pub source: Source,
    /// The parts by which a sample is stratified.
    pub stratum: Stratum,
}

impl Candidate {
    /// A row of the list.
    pub fn of(row: &Summary<'_>) -> Candidate {
        let stratum = Stratum {
            dataset: row.dataset.to_owned(),
            language: row.language.to_owned(),
            error_type: row.error_type.to_owned(),
        };
        Candidate { name: format!("{}/{}", row.dataset, row.id), source: Source::Task(row.key), stratum }
    }
}

/// A round that is wanted.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    /// Its name in its study.
    pub name: String,
    /// Name of the study.
    pub study: String,
    /// What is asked.
    pub codebook: Codebook,
    /// Who labels.
    pub annotators: Vec<String>,
    /// Who settles what is contested.
    pub arbitrator: String,
    /// Who runs it.
    pub lead: String,
    /// Where the tasks come from, for people.
    pub source: String,
    /// The filter that they pass.
    pub filter: String,
    /// How much of it is drawn.
    pub size: Size,
    /// Seed of everything that is random.
    pub seed: u64,
    /// Rounds whose items are left out, by their names.
    pub excluding: Vec<String>,
    /// A round, by its name, from which so many items are drawn again.
    pub overlap: Option<(String, usize)>,
    /// Who labels what; none: that is said later.
    pub plan: Option<Plan>,
    /// How many items are served a second time.
    pub repeats: usize,
}

/// What the seed draws.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawn {
    /// What becomes items, in their order, and what each is there for.
    pub chosen: Vec<(Candidate, Purpose)>,
    /// How many could be drawn: those that pass, without those left out.
    pub population: usize,
    /// How many of those that pass are in rounds that are left out.
    pub left_out: usize,
    excluded: Vec<Uuid>,
    overlap: Option<(Uuid, usize)>,
}

/// What a draft comes to, for people.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Preview {
    /// How many could be drawn.
    pub population: usize,
    /// How many of those that pass are in rounds that are left out.
    pub left_out: usize,
    /// How many are drawn, without what is served twice.
    pub items: usize,
    /// By stratum: how many are drawn, of how many.
    pub strata: Vec<(Stratum, usize, usize)>,
    /// What each annotator gets to label.
    pub queues: Vec<(String, usize)>,
    /// Names of the first items, in the order of the round.
    pub first: Vec<String>,
    /// How many were in an earlier round of the study.
    pub again: usize,
    /// How many of them are drawn from an earlier round, to verify them.
    pub verified: usize,
    /// How many of them are for training.
    pub training: usize,
    /// How many of them have known answers that only the lead knows.
    pub gold: usize,
    /// What stands in the way of making it, each in words.
    pub problems: Vec<String>,
}

/// Items that a preview names.
const NAMED: usize = 50;

impl Draft {
    /// What the seed draws from the tasks that pass the filter, in the order of the list; `known` are training and
    /// gold items, which are never drawn.
    ///
    /// # Errors
    ///
    /// A round that is left out is not there; more is wanted than there is.
    pub fn draw(
        &self,
        studies: &Studies,
        passing: &[Candidate],
        known: &[(Candidate, Purpose)],
    ) -> Result<Drawn, StudyError> {
        let mut left_out: Vec<Round> = Vec::new();
        for name in &self.excluding {
            left_out.push(studies.find(Some(name))?);
        }
        let mut overlap = None;
        if let Some((name, count)) = &self.overlap {
            let earlier = studies.find(Some(name))?;
            overlap = Some((earlier.clone(), *count));
            left_out.push(earlier);
        }
        let is_in = |round: &Round, candidate: &Candidate| round.items.place(&candidate.name).is_some();
        let fresh: Vec<&Candidate> = passing
            .iter()
            .filter(|candidate| !left_out.iter().any(|round| is_in(round, candidate)))
            .collect();
        let outside = passing.len() - fresh.len();
        let special: BTreeSet<&str> = known.iter().map(|(candidate, _)| candidate.name.as_str()).collect();
        let free: Vec<&Candidate> =
            fresh.into_iter().filter(|candidate| !special.contains(candidate.name.as_str())).collect();
        let of = |from: &[&Candidate], size: Size, seed: u64| {
            let strata: Vec<Stratum> = from.iter().map(|candidate| candidate.stratum.clone()).collect();
            let drawn = draw(&strata, size, seed)?;
            Ok(drawn.into_iter().map(|number| from[number].clone()).collect::<Vec<_>>())
        };
        let mut chosen = of(&free, self.size, self.seed).map_err(StudyError::Sample)?;
        if let Some((earlier, count)) = &overlap {
            let again: Vec<&Candidate> =
                passing.iter().filter(|candidate| is_in(earlier, candidate)).collect();
            let seed = self.seed.wrapping_add(1);
            chosen.extend(of(&again, Size::Count(*count), seed).map_err(StudyError::Overlap)?);
        }
        let mut chosen: Vec<(Candidate, Purpose)> =
            chosen.into_iter().map(|candidate| (candidate, Purpose::Study)).collect();
        chosen.extend(known.iter().cloned());
        Ok(Drawn {
            chosen,
            population: free.len(),
            left_out: outside,
            excluded: left_out.iter().map(|round| round.id).collect(),
            overlap: overlap.map(|(round, count)| (round.id, count)),
        })
    }

    /// Makes the round of what was drawn, with this id, a UUIDv7; `items` are the chosen ones, read.
    ///
    /// # Errors
    ///
    /// Names that cannot be, people who cannot take part, a name that is taken.
    pub fn make(
        self,
        studies: &Studies,
        id: Uuid,
        drawn: &Drawn,
        mut items: Vec<Item>,
    ) -> Result<Round, StudyError> {
        mark_seen(&mut items, &self.earlier(studies)?);
        let created = Created {
            name: self.name,
            study: self.study,
            codebook: self.codebook,
            annotators: self.annotators,
            arbitrator: self.arbitrator,
            lead: self.lead,
            sampling: Sampling {
                source: self.source,
                filter: self.filter,
                population: drawn.population,
                size: self.size.to_string(),
                seed: self.seed,
                excluded: drawn.excluded.clone(),
                overlap: drawn.overlap,
            },
        };
        let new = NewRound { created, items, plan: self.plan, repeats: self.repeats };
        studies.create(id, new)
    }

    /// What would come of it; what stands in the way is told beside what can be said all the same.
    ///
    /// # Errors
    ///
    /// The workspace fails.
    pub fn preview(&self, studies: &Studies, pool: &Pool) -> Result<Preview, StudyError> {
        let passing: &[Candidate] = &pool.passing;
        let mut preview = Preview { problems: self.problems(studies)?, ..Preview::default() };
        let known = pool.known(&self.codebook).unwrap_or_else(|error| {
            preview.problems.push(error.to_string());
            Vec::new()
        });
        let drawn = match self.draw(studies, passing, &known) {
            Ok(drawn) => drawn,
            Err(error @ StudyError::Store(_)) => return Err(error),
            Err(error) => {
                preview.problems.push(error.to_string());
                preview.population = passing.len();
                return Ok(preview);
            }
        };
        preview.population = drawn.population;
        preview.left_out = drawn.left_out;
        preview.items = drawn.chosen.len();
        preview.verified = drawn.overlap.map_or(0, |(_, count)| count);
        let of = |word: &str| drawn.chosen.iter().filter(|(_, purpose)| purpose.as_str() == word).count();
        (preview.training, preview.gold) = (of("training"), of("gold"));
        preview.first = drawn.chosen.iter().take(NAMED).map(|(one, _)| one.name.clone()).collect();
        let mut strata: BTreeMap<&Stratum, (usize, usize)> = BTreeMap::new();
        passing.iter().for_each(|one| strata.entry(&one.stratum).or_default().1 += 1);
        drawn.chosen.iter().for_each(|(one, _)| strata.entry(&one.stratum).or_default().0 += 1);
        preview.strata =
            strata.into_iter().map(|(stratum, (drawn, of))| (stratum.clone(), drawn, of)).collect();
        // Revisions are read when it is made: nothing that is drawn or dealt depends on them.
        let mut items: Vec<Item> =
            drawn.chosen.iter().map(|(one, purpose)| draft_item(one, purpose)).collect();
        mark_seen(&mut items, &self.earlier(studies)?);
        preview.again = items.iter().filter(|item| !item.seen_in.is_empty()).count();
        match self.plan {
            _ if items.is_empty() => preview.problems.push("no item is left to label".to_owned()),
            None => {}
            Some(plan) => {
                items.extend(repeats(&items, self.repeats, plan.seed));
                match assign(&items, &self.annotators, plan) {
                    Ok(assignment) => {
                        let counts = assignment.queues.iter().map(Vec::len);
                        preview.queues = self.annotators.iter().cloned().zip(counts).collect();
                    }
                    Err(error) => preview.problems.push(error.to_string()),
                }
            }
        }
        Ok(preview)
    }

    /// The rounds of its study, the newest first.
    fn earlier(&self, studies: &Studies) -> Result<Vec<Round>, StudyError> {
        let (mut rounds, _) = studies.list()?;
        rounds.retain(|round| same_study(&round.study, &self.study));
        Ok(rounds)
    }

    /// What of the names and people cannot be, in words.
    fn problems(&self, studies: &Studies) -> Result<Vec<String>, StudyError> {
        let mut problems = Vec::new();
        if self.codebook.subject == Subject::Turn {
            problems.push(turns(&self.codebook));
        }
        for (name, what) in [(&self.name, "the round"), (&self.study, "the study")] {
            if name.is_empty() {
                problems.push(format!("{what} wants a name"));
            } else if !is_name(name) {
                problems.push(StudyError::BadName(name.clone()).to_string());
            }
        }
        let (rounds, _) = studies.list()?;
        if rounds
            .iter()
            .any(|other| same_study(&other.study, &self.study) && same_name(&other.name, &self.name))
        {
            let (study, name) = (self.study.clone(), self.name.clone());
            problems.push(StudyError::NameTaken { study, name }.to_string());
        }
        if self.annotators.iter().all(String::is_empty) {
            problems.push("name those who label, with commas between".to_owned());
        } else if self.arbitrator.is_empty() {
            problems.push("name the arbitrator: somebody who does not label".to_owned());
        } else if let Err(error) = check_people(&self.annotators, &self.arbitrator, &self.lead) {
            problems.push(error.to_string());
        }
        Ok(problems)
    }
}

/// The round and the number that `ROUND:N` names.
pub fn overlap(text: &str) -> Option<(String, usize)> {
    let (name, count) = text.rsplit_once(':')?;
    Some((name.to_owned(), count.parse().ok()?))
}

/// A seed for a round that names none.
pub fn any_seed() -> u64 {
    Uuid::now_v7().as_u64_pair().1 >> 11
}

/// Why a codebook cannot be used where there are only tasks.
fn turns(codebook: &Codebook) -> String {
    format!(
        "codebook `{}` asks about turns of repair runs, and these are tasks: `mendbench round create --run RUN` makes a round of turns",
        codebook.id
    )
}

fn draft_item(candidate: &Candidate, purpose: &Purpose) -> Item {
    Item {
        name: candidate.name.clone(),
        revision: String::new(),
        stratum: candidate.stratum.clone(),
        purpose: purpose.clone(),
        seen_in: Vec::new(),
    }
}
