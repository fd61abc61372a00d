//! Rounds that are taken back.
//!
//! Promises: only a round in which nobody has answered anything, not even an answer that was taken back later: streams
//! of labels are closed first, in a place where no answer can slip in between, and opened again where somebody was
//! quicker; nothing is deleted, the round's stream says what happened. Where a process died between the streams of
//! labels and that of the round, the round stays shut and says so, with what ends that. Leaves to others: leaving such rounds out
//! (`keep`).

use super::keep::{label_stream, refuse_withdrawn};
use super::{Desk, StudyError};
use crate::label::event::{LabelEvent, What};
use crate::label::fold::Sheet;

impl Desk {
    /// Takes the round back.
    ///
    /// # Errors
    ///
    /// Who asks does not lead it; somebody has answered; it was withdrawn before; the workspace fails.
    pub fn withdraw(&mut self, why: &str) -> Result<(), StudyError> {
        if !self.role.leads() {
            return Err(self.not_your_part("only its lead withdraws it"));
        }
        loop {
            self.refresh()?;
            refuse_withdrawn(&self.round)?;
            let mut streams = Vec::new();
            for annotator in 0..self.round.annotators.len() {
                let stream = self.stream(annotator)?;
                streams.push((stream.seq, Sheet::of(stream.events)));
            }
            let mut who: Vec<String> = Vec::new();
            for (person, (_, sheet)) in self.round.annotators.iter().zip(&streams) {
                // What was handed in sealed may hold answers that cannot be read yet.
                if sheet.events().iter().any(is_answer) || self.round.seals.of(&person.key).is_some() {
                    who.push(person.name.clone());
                }
            }
            if !who.is_empty() {
                self.open_again(&streams)?;
                return Err(StudyError::HasAnswers { round: self.round.name.clone(), who });
            }
            if !self.shut(&streams, why)? {
                continue;
            }
            let what = withdrawn(true, why);
            self.round = self.studies.change(self.round.id, &self.actor(), &|_| Ok(vec![what.clone()]))?;
            return Ok(());
        }
    }

    /// Lets labelling go on after a withdrawal that was broken off. Answers with how many streams of labels were shut.
    ///
    /// # Errors
    ///
    /// Who asks does not lead it; it is withdrawn already; the workspace fails.
    pub fn keep(&mut self) -> Result<usize, StudyError> {
        if !self.role.leads() {
            return Err(self.not_your_part("only its lead lets it go on"));
        }
        self.refresh()?;
        refuse_withdrawn(&self.round)?;
        let mut streams = Vec::new();
        for annotator in 0..self.round.annotators.len() {
            let stream = self.stream(annotator)?;
            streams.push((stream.seq, Sheet::of(stream.events)));
        }
        let shut = streams.iter().filter(|(_, sheet)| sheet.withdrawn).count();
        self.open_again(&streams)?;
        Ok(shut)
    }

    /// Why nothing is labelled where streams of labels are shut though the round is not withdrawn, and what ends it.
    pub fn shut_words(&self) -> String {
        let (lead, name) = (&self.round.lead.name, &self.round.name);
        format!(
            "its lead, {lead}, is withdrawing it; if that was broken off, {lead} finishes it with `mendbench round withdraw {name}`, or lets labelling go on with `mendbench round withdraw {name} --keep`"
        )
    }

    /// Closes the streams of labels; false: somebody wrote meanwhile.
    fn shut(&self, streams: &[(u64, Sheet)], why: &str) -> Result<bool, StudyError> {
        for (annotator, (seq, sheet)) in streams.iter().enumerate() {
            if !sheet.withdrawn && !self.write(annotator, *seq, sheet, &withdrawn(true, why))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Opens streams again that were closed before somebody turned out to have answered.
    fn open_again(&self, streams: &[(u64, Sheet)]) -> Result<(), StudyError> {
        for (annotator, (seq, sheet)) in streams.iter().enumerate() {
            let (mut seq, mut sheet) = (*seq, sheet.clone());
            while sheet.withdrawn && !self.write(annotator, seq, &sheet, &withdrawn(false, ""))? {
                let stream = self.stream(annotator)?;
                (seq, sheet) = (stream.seq, Sheet::of(stream.events));
            }
        }
        Ok(())
    }

    /// Appends to a stream of labels, if it is as it was read.
    fn write(&self, annotator: usize, seq: u64, sheet: &Sheet, what: &What) -> Result<bool, StudyError> {
        let event = self.studies.event(self.round.id, sheet.next_order(), &self.actor(), what);
        let stream = label_stream(self.round.id, &self.key(annotator));
        Ok(self.studies.append(&stream, seq, &[event])?)
    }
}

fn withdrawn(on: bool, why: &str) -> What {
    What::Withdrawn { on, why: why.trim().to_owned() }
}

/// Whether somebody answered something, or handed it in.
fn is_answer(event: &LabelEvent) -> bool {
    matches!(event.what, What::Answered(_) | What::Sealed { .. })
}
