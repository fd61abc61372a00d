//! A round's agreement and its annotators, as far as who looks may see them; and the tables that leave from there.
//!
//! Promises: what is hidden is not read: while labelling is blind an annotator gets what their own labels say, the
//! same whatever the others' are; a lead who looks at agreement then leaves a deviation, and gets the tables without
//! the items behind them; pace is told to its owner and to the lead. Leaves to others: the rules (`label::visible`),
//! the statistics (`label::overview`, `label::drift`), drawing.

use super::keep::{LABEL, ROUND, decision_stream, round_stream};
use super::{Desk, Studies, StudyError};
use crate::label::aside::Aside;
use crate::label::drift::{Person, Told, person};
use crate::label::event::Deviation;
use crate::label::overview::{Hidden, Overview, lines};
use crate::label::phase::Phase;
use crate::label::reading::Labelled;
use crate::label::round::Round;
use crate::label::visible::{Access, Agreement, Role, agreement, agreement_hidden};
use std::collections::BTreeMap;
use uuid::Uuid;

/// How far the streams of each round are: what was computed of a round holds as long as this is the same.
pub type Heads = BTreeMap<Uuid, Vec<(String, u64)>>;

impl Studies {
    /// How far the streams of all rounds are.
    pub fn heads(&self) -> Result<Heads, StudyError> {
        let mut heads = Heads::new();
        for prefix in [ROUND, LABEL] {
            for head in self.store.streams(prefix)? {
                let rest = head.name.strip_prefix(prefix).unwrap_or_default();
                let id = rest.split('/').next().and_then(|id| id.parse().ok());
                if let Some(id) = id {
                    heads.entry(id).or_default().push((head.name, head.seq));
                }
            }
        }
        // Labels without their round are no round.
        heads.retain(|id, streams| {
            let own = round_stream(*id);
            streams.iter().any(|(name, _)| *name == own)
        });
        for (id, streams) in &mut heads {
            let decisions = decision_stream(*id);
            let found = self.store.streams(&decisions)?;
            streams.extend(found.into_iter().map(|head| (head.name, head.seq)));
        }
        Ok(heads)
    }
}

impl Desk {
    /// The round's agreement. While labelling is blind only the lead may see it, with `live`, and that leaves a
    /// deviation.
    pub fn overview(&mut self, live: bool) -> Result<Overview, StudyError> {
        let may = agreement(self.role, self.round.phase);
        let shown = match may {
            Agreement::Shown => true,
            Agreement::AtAPrice if live => {
                self.deviate(Deviation::LiveAgreement)?;
                true
            }
            Agreement::AtAPrice | Agreement::Hidden => false,
        };
        let hidden = (!shown).then(|| Hidden {
            why: agreement_hidden(self.round.phase).to_owned(),
            at_a_price: may == Agreement::AtAPrice,
        });
        let people: Vec<usize> = (0..self.round.annotators.len()).collect();
        let opens = shown && people.iter().all(|number| self.access(*number) == Access::All);
        let tolds: Vec<Option<Told>> = people.iter().map(|number| self.told_of(*number, shown)).collect();
        let wanted: Vec<bool> = tolds.iter().map(|told| shown || told.is_some()).collect();
        let all = self.labelled(&wanted)?;
        let aside = if shown { aside(&self.round, &all) } else { Aside::default() };
        let mut lines = if shown { lines(&self.round, &all, true) } else { Vec::new() };
        // What is read is let go where it is used last: of large rounds that takes time too.
        let persons = beside(tolds.into_iter().zip(all).enumerate(), |(number, (told, own))| {
            told.map(|told| person(&self.round, number, &own, &lines, told))
        });
        let persons: Vec<Person> = persons.into_iter().flatten().collect();
        if !opens {
            for line in &mut lines {
                line.items = Vec::new();
                line.labels = Vec::new();
            }
        }
        let compared = self.round.items.list().iter().filter(|item| item.purpose.is_compared());
        Ok(Overview {
            id: self.round.id,
            name: self.round.name.clone(),
            study: self.round.study.clone(),
            phase: self.round.phase,
            role: self.role.as_str(),
            hidden,
            opens,
            items: compared.count(),
            lines,
            people: persons,
            deviations: deviations(&self.round),
            aside,
        })
    }

    /// Answers that have no place in the round, of all annotators; told with agreement, to whom that is shown.
    ///
    /// # Errors
    /// Agreement is hidden; the workspace failed.
    pub fn aside(&self) -> Result<Aside, StudyError> {
        if agreement(self.role, self.round.phase) == Agreement::Hidden {
            return Err(self.hidden(agreement_hidden(self.round.phase)));
        }
        let wanted = vec![true; self.round.annotators.len()];
        Ok(aside(&self.round, &self.labelled(&wanted)?))
    }

    /// What may be told of an annotator; none: nothing.
    fn told_of(&self, number: usize, shown: bool) -> Option<Told> {
        let own = self.role == Role::Annotator(number);
        let all = self.access(number) == Access::All;
        let ended = self.round.phase > Phase::Labelling;
        let told = Told {
            answers: own || all,
            pace: own || self.role.leads(),
            gold: ended && all && (own || self.role.leads()),
            agreement: shown,
        };
        (told.answers || told.pace).then_some(told)
    }

    /// The labels that are wanted, each read on a thread of its own; of the others none.
    fn labelled(&self, wanted: &[bool]) -> Result<Vec<Labelled>, StudyError> {
        let read = |(number, wanted): (usize, &bool)| match wanted {
            true => Ok(Labelled::of(&self.round, self.unguarded(number)?)),
            false => Ok(Labelled::default()),
        };
        beside(wanted.iter().enumerate(), read).into_iter().collect()
    }
}

/// Answers without a place among the blind labels of all.
fn aside(round: &Round, all: &[Labelled]) -> Aside {
    let of = |(number, own): (usize, &Labelled)| Aside::of(round, number, &own.blind);
    all.iter().enumerate().map(of).fold(Aside::default(), Aside::and)
}

/// Does something with each, on a thread of its own, and answers in their order.
fn beside<One: Send, Made: Send>(
    all: impl Iterator<Item = One>,
    make: impl Fn(One) -> Made + Sync,
) -> Vec<Made> {
    std::thread::scope(|scope| {
        let make = &make;
        let threads: Vec<_> = all.map(|one| scope.spawn(move || make(one))).collect();
        let made = |thread: std::thread::ScopedJoinHandle<'_, Made>| match thread.join() {
            Ok(made) => made,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        threads.into_iter().map(made).collect()
    })
}

/// What was not as the protocol has it, each behind its date.
fn deviations(round: &Round) -> Vec<String> {
    let told = |deviated: &crate::label::round::Deviated| {
        format!("{}: {}", deviated.at.strftime("%Y-%m-%d %H:%M UTC"), deviated.deviation.words())
    };
    round.deviations.iter().map(told).collect()
}
