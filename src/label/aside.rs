//! Answers that count nowhere because they have no place in the round, and what is said of them.
//!
//! Promises: pure; nothing that a stream of labels holds is left out without being counted: answers to questions that
//! no codebook of the round asks, answers that the question never took, answers to items that are somebody else's.
//! Such answers come with copies of a workspace from elsewhere, or from a process that was killed between an answer
//! and the look at what was assigned meanwhile. Leaves to others: what else does not hold (`reading`).

use super::codebook::Change;
use super::reading::Reading;
use super::round::Round;
use crate::text::counted;
use std::collections::HashSet;

/// How many answers have no place, by the reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Aside {
    /// To questions that no codebook of the round asks.
    pub unasked: usize,
    /// Answers that the question does not have and never had.
    pub untaken: usize,
    /// To items that are not assigned to who answered.
    pub not_theirs: usize,
}

impl Aside {
    /// Those of an annotator, by the number in the round, whose labels read so.
    pub fn of(round: &Round, annotator: usize, reading: &Reading) -> Aside {
        let mine: HashSet<&str> = round
            .queue(annotator)
            .filter_map(|number| round.items.get(number))
            .map(|item| item.name.as_str())
            .collect();
        let is_mine = |item: &str| mine.contains(item);
        let labels = reading.labels.iter().filter(|(item, _)| !is_mine(item));
        let mut aside =
            Aside { not_theirs: labels.map(|(_, labels)| labels.len()).sum(), ..Aside::default() };
        for stale in &reading.stale {
            if !is_mine(&stale.item) {
                aside.not_theirs += 1;
            } else if stale.changes.contains(&Change::NeverAsked) {
                aside.unasked += 1;
            } else if stale.changes.contains(&Change::NeverTaken) {
                aside.untaken += 1;
            }
        }
        aside
    }

    /// Both together.
    pub fn and(self, other: Aside) -> Aside {
        Aside {
            unasked: self.unasked + other.unasked,
            untaken: self.untaken + other.untaken,
            not_theirs: self.not_theirs + other.not_theirs,
        }
    }

    /// How many.
    pub fn count(self) -> usize {
        self.unasked + self.untaken + self.not_theirs
    }

    /// A line for each reason there is, with its number.
    pub fn words(self) -> Vec<String> {
        let all = [
            (self.unasked, "to questions that the codebook does not have"),
            (self.untaken, "with a value that the codebook does not have"),
            (self.not_theirs, "to items that are assigned to others or not in the round"),
        ];
        let told = all.into_iter().filter(|(count, _)| *count > 0);
        told.map(|(count, what)| format!("{} {what}: kept and counted nowhere", counted(count, "answer")))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::codebook::Stamp;
    use super::super::event::{Answer, What};
    use super::super::fold::Sheet;
    use super::super::phase::Phase;
    use super::super::status::{progress, reading};
    use super::super::testing::{Log, answered, items, round_log};
    use super::*;
    use std::sync::Arc;

    /// What anna's labels come to.
    fn read(log: &Log) -> (Round, Reading, Sheet) {
        let round = Round::of(round_log(items(3)).events).unwrap();
        let sheet = Sheet::of(log.events.clone());
        let reading = reading(&round, &sheet);
        (round, reading, sheet)
    }

    #[test]
    fn each_reason_is_counted_and_nothing_else_is() {
        let mut log = Log::new();
        for (item, question, value) in [
            ("d/0", "bug", "no"),
            ("d/1", "bug", "perhaps"),
            ("d/2", "mood", "fine"),
            ("d/9", "bug", "no"),
            ("d/9", "mood", "fine"),
        ] {
            log.answer(item, question, value, Phase::Labelling);
        }
        let (round, reading, sheet) = read(&log);
        let aside = Aside::of(&round, 0, &reading);
        assert_eq!(aside, Aside { unasked: 1, untaken: 1, not_theirs: 2 });
        assert_eq!(aside.count(), 4);
        assert_eq!(
            aside.words(),
            [
                "1 answer to questions that the codebook does not have: kept and counted nowhere",
                "1 answer with a value that the codebook does not have: kept and counted nowhere",
                "2 answers to items that are assigned to others or not in the round: kept and counted nowhere",
            ]
        );
        assert_eq!(aside.and(aside).count(), 8);
        assert!(Aside::default().words().is_empty());
        let whys: Vec<String> = reading.stale.iter().map(super::super::reading::Stale::why).collect();
        assert_eq!(
            whys,
            [
                "the question does not take such an answer",
                "the question is not in the codebook",
                "the question is not in the codebook"
            ]
        );
        // An answer that the codebook does not have is to be given again; a question that it does not have holds
        // nobody up.
        let progress = progress(&round, 0, &sheet);
        assert_eq!((progress.done, progress.aside), (1, aside));
        let missing: Vec<(&str, usize)> =
            progress.missing.iter().map(|(what, items)| (what.as_str(), items.len())).collect();
        assert_eq!(missing, [("unlabelled", 1), ("answer-unknown", 1)]);
    }

    #[test]
    fn who_answers_again_has_nothing_aside() {
        let mut log = Log::new();
        log.answer("d/1", "bug", "perhaps", Phase::Labelling);
        log.answer("d/1", "bug", "no", Phase::Labelling);
        let (round, reading, _) = read(&log);
        assert_eq!(Aside::of(&round, 0, &reading), Aside::default());
    }

    #[test]
    fn an_answer_by_a_codebook_that_nobody_has_is_stale_and_not_aside() {
        let mut log = Log::new();
        let What::Answered(answer) = answered("d/1", "bug", "no", Phase::Labelling, None) else {
            panic!("it is an answer")
        };
        let codebook = Stamp { version: 9, hash: "9".repeat(64) };
        log.push("anna", What::Answered(Arc::new(Answer { codebook, ..(*answer).clone() })));
        let (round, reading, _) = read(&log);
        assert_eq!(reading.stale[0].why(), "its codebook is not here");
        assert_eq!(Aside::of(&round, 0, &reading), Aside::default());
    }
}
