//! Rounds as the neutral table of labels that exports are made of.
//!
//! Promises: pure; blind labels are the frozen ones, read by the codebook that was in force then; revised ones are a
//! revision of their own; decisions stand under the arbitrator; training, gold and repeated items are left out, so
//! that exports and `compare` count the same; deviations come along. Leaves to others: which labels somebody may
//! take away (`visible`), how tables are written (`export`).

use super::adjudicate::Decisions;
use super::codebook::Codebook;
use super::compare::Basis;
use super::export::{
    Answer, CodebookFacts, Deviation, Name, RoundFacts, Row, Stage, Study, StudyQuestion, answers,
};
use super::extent::Extent;
use super::fold::{Given, Sheet};
use super::phase::Phase;
use super::reading::Reading;
use super::round::Round;
use super::value::Labels;
use std::collections::HashMap;

/// A round with what of it may be taken away.
#[derive(Debug, Clone)]
pub struct Told {
    /// The round.
    pub round: Round,
    /// The labels of each annotator; none: not to be taken away.
    pub sheets: Vec<Option<Sheet>>,
    /// The decisions; none: not to be taken away.
    pub decisions: Option<Decisions>,
}

/// The table of rounds of one study, the earliest first.
pub fn table(study: &str, rounds: &[Told]) -> Study {
    let mut table = Study { name: study.to_owned(), ..Study::default() };
    for told in rounds {
        let round = &told.round;
        table.codebook = Some(CodebookFacts::of(round.codebook()));
        let compared = round.items.list().iter().filter(|item| item.purpose.is_compared());
        table.rounds.push(RoundFacts {
            name: round.name.clone(),
            items: compared.count() as u64,
            second: Extent::of(round).second as u64,
            annotators: round.annotators.iter().map(|person| person.name.clone()).collect(),
            seed: Some(round.sampling.seed),
            arbitrator: Some(round.arbitrator.name.clone()),
            phase: (round.phase < Phase::Closed).then_some(round.phase),
        });
        table.deviations.extend(round.deviations.iter().map(|deviated| Deviation {
            round: round.name.clone(),
            at: Some(deviated.at.to_string()),
            what: deviated.deviation.words(),
        }));
        let mut rows = Rows { told, names: HashMap::new(), rows: &mut table.rows };
        rows.labels(Basis::Blind);
        if round.phase > Phase::Labelling {
            rows.labels(Basis::Revised);
        }
        rows.decisions();
        for version in &round.codebooks {
            questions(&mut table.questions, &version.codebook);
        }
    }
    table
}

/// Adds the questions of a codebook; of one that is there already the categories that are new.
fn questions(all: &mut Vec<StudyQuestion>, codebook: &Codebook) {
    for question in &codebook.questions {
        let mut new = StudyQuestion::of(question);
        match all.iter_mut().find(|known| known.id == new.id) {
            None => all.push(new),
            Some(known) => {
                // The newest words; categories that only an earlier codebook had stay, for there are labels of them.
                let gone = known.categories.iter().filter(|category| !new.categories.contains(category));
                let gone: Vec<String> = gone.cloned().collect();
                if !gone.is_empty() {
                    if let super::export::Form::Hierarchy(paths) = &mut new.form {
                        paths.extend(gone.iter().map(|category| vec![category.clone()]));
                    }
                    new.categories.extend(gone);
                }
                *known = new;
            }
        }
    }
}

struct Rows<'a> {
    told: &'a Told,
    names: HashMap<String, Name>,
    rows: &'a mut Vec<Row>,
}

impl Rows<'_> {
    fn name(&mut self, text: &str) -> Name {
        if let Some(name) = self.names.get(text) {
            return name.clone();
        }
        let name: Name = text.into();
        self.names.insert(text.to_owned(), name.clone());
        name
    }

    /// The labels of everybody on a basis.
    fn labels(&mut self, basis: Basis) {
        let told = self.told;
        let round = &told.round;
        let (codebook, stage) = match basis {
            Basis::Blind => (round.codebook_in(Phase::Labelling), Stage::Blind),
            Basis::Revised => (round.codebook(), Stage::Revised(1)),
        };
        let none = Labels::new();
        for (annotator, sheet) in told.sheets.iter().enumerate() {
            let (Some(sheet), Some(person)) = (sheet, round.annotators.get(annotator)) else { continue };
            let given: Vec<&Given> = match basis {
                Basis::Blind => sheet.answers(Phase::Labelling),
                Basis::Revised => sheet.answers_now(),
            };
            let mut times: HashMap<(&str, &str), &Given> = HashMap::new();
            for one in &given {
                times.insert((one.answer.item.as_str(), one.answer.question.as_str()), one);
            }
            let reading = Reading::of(round, codebook, &given);
            for number in round.queue(annotator) {
                let Some(item) = round.items.get(number).filter(|item| item.purpose.is_compared()) else {
                    continue;
                };
                let labels = reading.item(&item.name).unwrap_or(&none);
                for (question, answer) in answers(codebook, labels) {
                    let given = times.get(&(item.name.as_str(), question.as_str()));
                    let given = given.filter(|_| answer != Answer::NotApplicable);
                    let stamp = given.map_or_else(String::new, |given| given.answer.codebook.to_string());
                    let at = given.map_or_else(String::new, |given| given.at.to_string());
                    let row = Row {
                        round: self.name(&round.name),
                        item: self.name(&format!("{}@{}", item.name, item.revision)),
                        subject: self.name(codebook.subject.name()),
                        annotator: self.name(&person.name),
                        question: self.name(&question),
                        stage,
                        answer,
                        seen_before: !item.seen_in.is_empty(),
                        codebook: self.name(&stamp),
                        at: at.into(),
                    };
                    self.rows.push(row);
                }
            }
        }
    }

    /// What the arbitrator decided.
    fn decisions(&mut self) {
        let told = self.told;
        let round = &told.round;
        let Some(decisions) = &told.decisions else { return };
        for ((name, question), decided) in &decisions.present {
            let item = round.items.place(name).and_then(|place| round.items.get(place));
            let Some(item) = item else { continue };
            let row = Row {
                round: self.name(&round.name),
                item: self.name(&format!("{}@{}", item.name, item.revision)),
                subject: self.name(round.codebook().subject.name()),
                annotator: self.name(&round.arbitrator.name),
                question: self.name(question),
                stage: Stage::Adjudicated,
                answer: Answer::Value(decided.decision.value.clone()),
                seen_before: !item.seen_in.is_empty(),
                codebook: self.name(&decided.decision.codebook.to_string()),
                at: decided.at.to_string().into(),
            };
            self.rows.push(row);
        }
    }
}
