//! New rounds, and who labels what in them.
//!
//! Promises: everything that is random comes from the recorded seed; a round is there whole or not at all; who
//! labels what does not change once somebody has labelled. Leaves to others: which tasks there are.

use super::keep::{label_stream, refuse_withdrawn, round_stream};
use super::{Desk, Studies, StudyError};
use crate::label::assign::{Assignment, Plan, assign, repeats};
use crate::label::event::What;
use crate::label::item::{Item, Items};
use crate::label::round::{Created, Round, check_people, is_name, same_name, same_study};
use crate::store::NewEvent;
use crate::text::{composed, folded};
use jiff::SignedDuration;
use std::collections::BTreeSet;
use uuid::Uuid;

/// Items in one event.
const MOST_ITEMS: usize = 5_000;

/// For how long a name is held while its round is made; a process that dies holds it no longer.
const MAKING: SignedDuration = SignedDuration::from_secs(30);

/// A round that is to be made.
#[derive(Debug, Clone)]
pub struct NewRound {
    /// What it is made with.
    pub created: Created,
    /// Its items, drawn already.
    pub items: Vec<Item>,
    /// Who labels what; none: that is said later.
    pub plan: Option<Plan>,
    /// How many items are served a second time.
    pub repeats: usize,
}

impl Studies {
    /// Makes a round. Names are kept in composed form.
    ///
    /// # Errors
    ///
    /// Names that cannot be, people who cannot take part, a name that is taken, or that another process gives to a
    /// round in this very moment; nothing to assign; the workspace fails.
    pub fn create(&self, id: Uuid, new: NewRound) -> Result<Round, StudyError> {
        let NewRound { mut created, items, plan, repeats } = new;
        for name in [&mut created.name, &mut created.study, &mut created.arbitrator, &mut created.lead]
            .into_iter()
            .chain(&mut created.annotators)
        {
            *name = composed(name).into_owned();
        }
        let new = NewRound { created, items, plan, repeats };
        // Between the look at the names that are taken and the new one nobody else makes a round of this name.
        let job = format!("round-name/{}/{}", new.created.study, folded(&new.created.name));
        let (owner, now) = (id.to_string(), self.clock.now());
        let Some(fence) = self.store.acquire(&job, &owner, now + MAKING, now)? else {
            let (study, name) = (new.created.study, new.created.name);
            return Err(StudyError::NameBeingTaken { study, name });
        };
        let made = self.create_alone(id, new);
        // A lease that cannot be given back runs out.
        drop(self.store.release(&job, fence));
        made
    }

    fn create_alone(&self, id: Uuid, new: NewRound) -> Result<Round, StudyError> {
        let created = &new.created;
        for name in [&created.name, &created.study] {
            if !is_name(name) {
                return Err(StudyError::BadName(name.clone()));
            }
        }
        check_people(&created.annotators, &created.arbitrator, &created.lead)?;
        let (rounds, _) = self.list()?;
        if rounds
            .iter()
            .any(|other| same_study(&other.study, &created.study) && same_name(&other.name, &created.name))
        {
            return Err(StudyError::NameTaken { study: created.study.clone(), name: created.name.clone() });
        }
        let mut whats = vec![What::RoundCreated(Box::new(created.clone()))];
        let mut items = new.items;
        if let Some(plan) = new.plan {
            items.extend(repeats(&items, new.repeats, plan.seed));
            let assignment = assign(&items, &created.annotators, plan)?;
            whats.push(What::Assigned(assignment));
        }
        for part in items.chunks(MOST_ITEMS) {
            whats.push(What::ItemsAdded(part.to_vec()));
        }
        let orders = 1..;
        let events: Vec<NewEvent> =
            orders.zip(&whats).map(|(order, what)| self.event(id, order, &created.lead, what)).collect();
        if !self.append(&round_stream(id), 0, &events)? {
            return Err(StudyError::BadRound { id: id.to_string(), why: "its id is taken".to_owned() });
        }
        self.open(id)
    }
}

/// Marks the items that one of these rounds has had before: labels of those are no independent ones.
pub fn mark_seen(items: &mut [Item], rounds: &[Round]) {
    for round in rounds {
        let names: BTreeSet<&str> = round.items.list().iter().map(|item| item.name.as_str()).collect();
        for item in items.iter_mut().filter(|item| names.contains(item.name.as_str())) {
            item.seen_in.push(round.id);
        }
    }
}

impl Desk {
    /// What an assignment would be, without writing it down.
    pub fn preview(&self, plan: Plan, again: usize) -> Result<(Assignment, Items), StudyError> {
        let (assignment, items, _) = deal(&self.round, plan, again)?;
        Ok((assignment, items))
    }

    /// Whether who looks may say who labels what, now.
    ///
    /// # Errors
    ///
    /// Only the lead may, and only before somebody has labelled; the workspace fails.
    pub fn check_assign(&self) -> Result<(), StudyError> {
        if !self.role.leads() {
            return Err(self.not_your_part("only its lead assigns"));
        }
        refuse_withdrawn(&self.round)?;
        for annotator in 0..self.round.annotators.len() {
            if self.has_written(annotator)? {
                return Err(StudyError::LabelsExist);
            }
        }
        Ok(())
    }

    /// Says who labels what, as long as nobody has labelled.
    pub fn assign(&mut self, plan: Plan, again: usize) -> Result<(), StudyError> {
        self.check_assign()?;
        let studies = self.studies.clone();
        let before = self.round.assignment.clone();
        self.round = studies.change(self.round.id, &self.actor(), &|round| {
            let (assignment, _, new) = deal(round, plan, again)?;
            let mut whats = Vec::new();
            if !new.is_empty() {
                whats.push(What::ItemsAdded(new));
            }
            whats.push(What::Assigned(assignment));
            Ok(whats)
        })?;
        // Somebody may have answered in the very moment: then who labels what stays as it was for them.
        let Some(before) = before else { return Ok(()) };
        match self.check_assign() {
            Err(StudyError::LabelsExist) => {
                let what = What::Assigned(before);
                self.round = studies.change(self.round.id, &self.actor(), &|_| Ok(vec![what.clone()]))?;
                Err(StudyError::LabelsExist)
            }
            checked => checked,
        }
    }

    /// Whether an annotator has written anything; asked before the streams are read.
    pub(super) fn has_written(&self, annotator: usize) -> Result<bool, StudyError> {
        let stream = label_stream(self.round.id, &self.key(annotator));
        Ok(!self.studies.store.read(&stream, 1, 1)?.is_empty())
    }
}

/// Who would label what of a round, with so many more items served a second time: the assignment, all items by whose
/// numbers it goes, and those among them that are new. Second servings that nobody has are left aside, but for those
/// that are drawn again.
fn deal(round: &Round, plan: Plan, again: usize) -> Result<(Assignment, Items, Vec<Item>), StudyError> {
    let drawn = repeats(round.items.list(), again, plan.seed);
    let idle: BTreeSet<&str> = round
        .idle()
        .into_iter()
        .filter_map(|number| Some(round.items.get(number)?.name.as_str()))
        .filter(|name| !drawn.iter().any(|item| item.name == *name))
        .collect();
    let new: Vec<Item> =
        drawn.iter().filter(|item| round.items.place(&item.name).is_none()).cloned().collect();
    let mut items = round.items.clone();
    items.add(new.iter().cloned());
    let keys: Vec<String> = round.annotators.iter().map(|person| person.key.clone()).collect();
    let mut assignment = assign(items.list(), &keys, plan)?;
    let is_idle =
        |number: &u32| items.get(*number as usize).is_some_and(|item| idle.contains(item.name.as_str()));
    assignment.queues.iter_mut().for_each(|queue| queue.retain(|number| !is_idle(number)));
    Ok((assignment, items, new))
}
