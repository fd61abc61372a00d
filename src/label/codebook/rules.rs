//! The rules that every codebook keeps, wherever it came from.
//!
//! Promises: all flaws of a codebook, not only the first; a codebook without flaws has unique ids, a tree of
//! answers, one free key for each answer that can be given, and conditions that look back only.
//! Leaves to others: the lines of a file (`read`).

use super::flaw::hint;
use super::{Answer, Codebook, Condition, Flaw, Kind, Place, Problem, Question, ReservedKeys};
use crate::label::value::NOT_APPLICABLE;
use crate::text::{truncate, width};
use std::collections::{HashMap, HashSet};

/// Most questions of a codebook.
pub(super) const MOST_QUESTIONS: usize = 200;

/// Most answers of a question: agreement keeps tables of the square of it.
pub(super) const MOST_ANSWERS: usize = 400;

/// Longest title, label and question, in bytes; definitions and guides may be as long as a file.
const LONGEST_LINE: usize = 2000;

impl Codebook {
    /// Everything that is wrong with it; nothing for a codebook that was read with the same reserved keys.
    pub fn flaws(&self, reserved: &ReservedKeys) -> Vec<Flaw> {
        let mut rules = Rules { book: self, reserved, flaws: Vec::new() };
        rules.book();
        rules.ids_of_questions();
        for (number, question) in self.questions.iter().enumerate().take(MOST_QUESTIONS) {
            rules.question(number, question);
            rules.answers(number, question);
            rules.hierarchy(number, question);
            rules.keys(number, question);
            if let Some(condition) = &question.when {
                rules.condition(number, condition);
            }
        }
        rules.flaws
    }
}

struct Rules<'a> {
    book: &'a Codebook,
    reserved: &'a ReservedKeys,
    flaws: Vec<Flaw>,
}

impl Rules<'_> {
    fn flaw(&mut self, place: Place, problem: Problem) {
        self.flaws.push(Flaw { place, problem });
    }

    fn book(&mut self) {
        self.id(Place::book("id"), &self.book.id);
        self.line(Place::book("title"), &self.book.title, "a name for people");
        if self.book.version == 0 {
            self.flaw(Place::book("version"), Problem::Missing("a whole number from 1"));
        }
        match self.book.questions.len() {
            0 => self.flaw(Place::book("question"), Problem::Missing("write `[[question]]` at least once")),
            found if found > MOST_QUESTIONS => {
                self.flaw(Place::book("question"), Problem::TooMany { found, most: MOST_QUESTIONS });
            }
            _ => {}
        }
    }

    fn id(&mut self, place: Place, id: &str) {
        let fits = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        if id.is_empty() {
            self.flaw(place, Problem::Missing("the name in labels and exports"));
        } else if id.len() > 64 || id.starts_with(['.', '-']) || !id.chars().all(fits) {
            self.flaw(place, Problem::BadId(truncate(id, 70).into_owned()));
        } else if id == NOT_APPLICABLE {
            self.flaw(place, Problem::ReservedId(id.to_owned()));
        }
    }

    fn line(&mut self, place: Place, text: &str, what: &'static str) {
        if text.trim().is_empty() {
            self.flaw(place, Problem::Missing(what));
        } else if text.len() > LONGEST_LINE {
            self.flaw(place, Problem::TooLong(LONGEST_LINE));
        }
    }

    /// Ids, and the names that things had before, are told apart without regard to case: a table that is opened in
    /// a spreadsheet or a database would not tell them apart.
    fn unique<'a>(
        &mut self,
        things: impl Iterator<Item = (&'a str, &'a [String])> + Clone,
        place: impl Fn(usize, &'static str) -> Place,
    ) {
        let mut taken: HashMap<String, String> = HashMap::new();
        for (number, (id, _)) in things.clone().enumerate().filter(|(_, (id, _))| !id.is_empty()) {
            match taken.get(&id.to_ascii_lowercase()) {
                Some(other) => self.flaw(
                    place(number, "id"),
                    Problem::Duplicate { id: truncate(id, 70).into_owned(), other: other.clone() },
                ),
                None => {
                    let name = format!("number {}, `{}`", number + 1, truncate(id, 70));
                    taken.insert(id.to_ascii_lowercase(), name);
                }
            }
        }
        for (number, (id, old)) in things.enumerate() {
            for old in old {
                self.id(place(number, "renamed_from"), old);
                match taken.get(&old.to_ascii_lowercase()) {
                    // A name that only changed its case was renamed all the same.
                    Some(_) if old != id && old.eq_ignore_ascii_case(id) => {}
                    Some(other) => self.flaw(
                        place(number, "renamed_from"),
                        Problem::Duplicate { id: truncate(old, 70).into_owned(), other: other.clone() },
                    ),
                    None => {
                        let name = format!("`renamed_from` of number {}, `{}`", number + 1, truncate(id, 70));
                        taken.insert(old.to_ascii_lowercase(), name);
                    }
                }
            }
        }
    }

    fn ids_of_questions(&mut self) {
        let questions = &self.book.questions;
        let things = questions.iter().map(|question| (question.id.as_str(), &*question.renamed_from));
        self.unique(things, Place::question);
    }

    fn question(&mut self, number: usize, question: &Question) {
        let at = |field| Place::question(number, field);
        self.id(at("id"), &question.id);
        self.line(at("text"), &question.text, "what is asked");
        if question.kind == Kind::Text && question.counts {
            self.flaw(at("counts"), Problem::TextCounts);
        }
        if let Kind::Number { min: Some(min), max: Some(max), .. } = &question.kind
            && min > max
        {
            self.flaw(at("min"), Problem::EmptyRange { min: min.to_string(), max: max.to_string() });
        }
    }

    fn answers(&mut self, number: usize, question: &Question) {
        let place = Place::question(number, "answer");
        let answers = &question.answers;
        let given = question.categories().count();
        let kind = question.kind.name();
        let wrong = match question.kind {
            _ if answers.len() > MOST_ANSWERS => {
                self.flaw(place, Problem::TooMany { found: answers.len(), most: MOST_ANSWERS });
                return;
            }
            Kind::Number { .. } | Kind::Text if !answers.is_empty() => Some(format!(
                "makes no sense in a question of kind {kind}: take it out, or take another kind"
            )),
            Kind::Single | Kind::Ordinal if given < 2 => Some(format!(
                "must be there at least twice with a key: a question of kind {kind} is a choice"
            )),
            Kind::Multiple if given < 1 => {
                Some("must be there at least once with a key: write `[[question.answer]]`".to_owned())
            }
            Kind::YesNo => {
                let ids: Vec<&str> = answers.iter().map(|answer| answer.id.as_str()).collect();
                let right = ids.len() == 2 && ids.contains(&"yes") && ids.contains(&"no");
                (!right).then(|| "must be `yes` and `no`; other answers need kind single".to_owned())
            }
            _ => None,
        };
        if let Some(wrong) = wrong {
            self.flaw(place, Problem::Answers(wrong));
        }
        let things = answers.iter().map(|answer| (answer.id.as_str(), &*answer.renamed_from));
        self.unique(things, |answer, field| Place::answer(number, answer, field));
        for (place, answer) in answers.iter().enumerate() {
            self.id(Place::answer(number, place, "id"), &answer.id);
            self.line(Place::answer(number, place, "label"), &answer.label, "a few words");
        }
    }

    fn hierarchy(&mut self, number: usize, question: &Question) {
        let by_id: HashMap<&str, (usize, &Answer)> = question
            .answers
            .iter()
            .enumerate()
            .rev()
            .map(|(at, answer)| (answer.id.as_str(), (at, answer)))
            .collect();
        let parent = |answer: &Answer| answer.parent.as_deref().and_then(|parent| by_id.get(parent)).copied();
        let mut told: HashSet<usize> = HashSet::new();
        for (at, answer) in question.answers.iter().enumerate().take(MOST_ANSWERS) {
            let Some(name) = &answer.parent else { continue };
            let place = Place::answer(number, at, "parent");
            if matches!(question.kind, Kind::Ordinal | Kind::YesNo) {
                self.flaw(place, Problem::NoHierarchy(question.kind.name()));
            }
            if parent(answer).is_none() {
                let known = question.answers.iter().map(|answer| answer.id.as_str());
                let hint = hint(name, known.filter(|known| *known != answer.id));
                self.flaw(place, Problem::UnknownParent { parent: truncate(name, 70).into_owned(), hint });
                continue;
            }
            // Up from here until the top, or until a place that was met before.
            let (mut path, mut next) = (vec![at], parent(answer));
            while let Some((above, answer)) = next {
                if let Some(start) = path.iter().position(|met| *met == above) {
                    let circle = &path[start..];
                    if circle.iter().all(|place| told.insert(*place)) {
                        let ids: Vec<String> = circle
                            .iter()
                            .chain([&above])
                            .filter_map(|place| question.answers.get(*place))
                            .map(|answer| format!("`{}`", truncate(&answer.id, 70)))
                            .collect();
                        self.flaw(Place::answer(number, above, "parent"), Problem::Cycle(ids.join(" → ")));
                    }
                    break;
                }
                path.push(above);
                next = parent(answer);
            }
        }
    }

    fn keys(&mut self, number: usize, question: &Question) {
        let headings: HashSet<&str> =
            question.answers.iter().filter_map(|answer| answer.parent.as_deref()).collect();
        let mut taken: HashMap<char, &str> = HashMap::new();
        for (at, answer) in question.answers.iter().enumerate().take(MOST_ANSWERS) {
            let place = Place::answer(number, at, "key");
            let Some(key) = answer.key else {
                if !headings.contains(answer.id.as_str()) {
                    self.flaw(place, Problem::NoKey);
                }
                continue;
            };
            let text = key.to_string();
            if key.is_whitespace() || key.is_control() || width(&text) != 1 {
                self.flaw(place, Problem::BadKey(text.escape_debug().to_string()));
                continue;
            }
            if let Some(action) = self.reserved.meaning(key) {
                let (action, free) = (action.to_owned(), self.reserved.free());
                self.flaw(place, Problem::KeyReserved { key, action, free });
            }
            match taken.get(&key) {
                Some(other) => {
                    let other = truncate(other, 70).into_owned();
                    self.flaw(place, Problem::KeyClash { key, other });
                }
                None => {
                    taken.insert(key, &answer.id);
                }
            }
        }
    }

    fn condition(&mut self, number: usize, condition: &Condition) {
        let place = Place::question(number, "when");
        let questions = &self.book.questions;
        let name = truncate(&condition.question, 70).into_owned();
        let Some(at) = questions.iter().position(|question| question.id == condition.question) else {
            let hint = hint(&name, questions[..number].iter().map(|question| question.id.as_str()));
            self.flaw(place, Problem::UnknownCondition { question: name, hint });
            return;
        };
        if at >= number {
            self.flaw(place, Problem::LateCondition(name));
            return;
        }
        let earlier = &questions[at];
        if !earlier.kind.is_choice() {
            self.flaw(place, Problem::NoAnswers { question: name, kind: earlier.kind.name() });
            return;
        }
        if condition.answers.is_empty() {
            self.flaw(
                place,
                Problem::Missing("`answers`, which answers of the earlier question it waits for"),
            );
        }
        for answer in &condition.answers {
            if earlier.answer(answer).is_none() {
                let hint = hint(answer, earlier.answers.iter().map(|answer| answer.id.as_str()));
                let answer = truncate(answer, 70).into_owned();
                self.flaw(place, Problem::UnknownAnswer { answer, question: name.clone(), hint });
            }
        }
    }
}
