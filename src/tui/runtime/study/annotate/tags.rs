//! What was said about the tasks of a round, for the column and the filters of the list of tasks.
//!
//! Promises: one's own labels; how many have finished only for the lead, who may see how far everybody is; on what
//! annotators differ only where both may be seen. Leaves to others: the list.

use super::task_of;
use crate::label::reading::Reading;
use crate::label::status::reading;
use crate::label::value::Labels;
use crate::label::visible::{Access, Agreement, Role, agreement, agreement_hidden};
use crate::study::{Desk, StudyError};
use crate::task::tags::Tag;
use crate::tui::msg::study::annotate::Tagged;
use std::collections::{HashMap, HashSet};

/// What was said about the tasks of a round.
pub(super) fn tags(desk: &Desk) -> Result<Tagged, StudyError> {
    let (tags, hidden) = by_name(desk)?;
    let takes_part = desk.role != Role::Outsider && !tags.is_empty();
    let round = takes_part.then(|| desk.round.name.clone());
    Ok(Tagged { round, tags, hidden })
}

/// What was said about tasks by their names, and why it is not told on what annotators differ.
fn by_name(desk: &Desk) -> Result<(HashMap<String, Tag>, Option<&'static str>), StudyError> {
    let round = &desk.round;
    let codebook = round.codebook();
    let mut tags: HashMap<String, Tag> = HashMap::new();
    let none = Labels::new();
    if let Ok(me) = desk.annotator() {
        let sheet = desk.sheet(me)?;
        let own = reading(round, &sheet);
        for item in round.queue(me).filter_map(|number| round.items.get(number)) {
            let tag = tags.entry(task_of(item).to_owned()).or_default();
            let labels = own.item(&item.name).unwrap_or(&none);
            tag.mine = true;
            let missing = codebook.missing(labels).len();
            tag.open |= missing > 0;
            if let Some(marks) = sheet.marks.get(&item.name) {
                tag.flagged |= marks.flagged;
                tag.noted |= !marks.note.is_empty();
                tag.skipped |= marks.skipped.is_some();
            }
            let answers = codebook.effective(labels);
            tag.answered.0 += answers.len() as u32;
            tag.answered.1 += (answers.len() + missing) as u32;
            let in_order = codebook.questions.iter().filter_map(|question| answers.get(&question.id));
            tag.said.extend(in_order.map(ToString::to_string));
            tag.answers.extend(
                answers.iter().map(|(asked, value)| (asked.to_lowercase(), value.to_string().to_lowercase())),
            );
        }
        for stale in &own.stale {
            let item = round.items.place(&stale.item).and_then(|number| round.items.get(number));
            if let Some(tag) = item.and_then(|item| tags.get_mut(task_of(item))) {
                tag.stale = true;
                tag.open = true;
            }
        }
    }
    if desk.role.leads() {
        count_finished(desk, &mut tags)?;
    }
    let seen = (0..round.annotators.len()).all(|number| desk.access(number) == Access::All);
    if !seen || agreement(desk.role, round.phase) != Agreement::Shown {
        let why = match agreement(desk.role, round.phase) {
            Agreement::Shown => "the labels of others cannot be seen in this phase",
            _ => agreement_hidden(round.phase),
        };
        return Ok((tags, Some(why)));
    }
    let mut readings: Vec<Reading> = Vec::new();
    for number in 0..round.annotators.len() {
        readings.push(reading(round, &desk.sheet(number)?));
    }
    for item in round.items.list() {
        let said = readings.iter().filter_map(|reading| reading.item(&item.name));
        let said: Vec<Labels> = said.map(|labels| codebook.effective(labels)).collect();
        let differ = |asked: &&str| {
            let mut values = said.iter().filter_map(|labels| labels.get(*asked));
            let first = values.next();
            values.any(|value| Some(value) != first)
        };
        let asked = codebook.questions.iter().map(|question| question.id.as_str());
        let contested: Vec<String> = asked.filter(differ).map(str::to_lowercase).collect();
        if !contested.is_empty() {
            tags.entry(task_of(item).to_owned()).or_default().contested.extend(contested);
        }
    }
    Ok((tags, None))
}

/// Of each task how many have finished labelling it, of how many.
fn count_finished(desk: &Desk, tags: &mut HashMap<String, Tag>) -> Result<(), StudyError> {
    let round = &desk.round;
    for (annotator, progress) in desk.progress()? {
        let missing: HashSet<&str> = progress.missing.values().flatten().map(String::as_str).collect();
        for item in round.queue(annotator).filter_map(|number| round.items.get(number)) {
            let tag = tags.entry(task_of(item).to_owned()).or_default();
            let (finished, all) = tag.finished.get_or_insert((0, 0));
            *finished += u32::from(!missing.contains(item.name.as_str()));
            *all += 1;
        }
    }
    Ok(())
}
