//! The file of a codebook.
//!
//! Promises: any text gives either a codebook without flaws or all of its errors, each with line and key; after a
//! mistake in the syntax those of the syntax alone, because the rest would be guessed.
//! Leaves to others: opening files.
//!
//! ```toml
//! schema = 1
//! id = "leaks"
//! title = "Leaks in bug fixes"
//! version = 1
//! subject = "task"                      # or "turn"
//! guide = "Read the change, then the tests."
//!
//! [[question]]
//! id = "leak"
//! text = "Does the buggy version leak?"
//! kind = "yes-no"                       # single, multiple, ordinal, yes-no, number, text
//!
//! [[question]]
//! id = "what"
//! text = "What is leaked?"
//! kind = "single"
//! when = { question = "leak", answers = ["yes"] }
//! counts = true                         # for agreement; default: all but texts
//! required = true                       # the default
//! renamed_from = "leaked"               # or a list: earlier ids, whose labels are kept
//!
//! [[question.answer]]
//! id = "memory"                         # no key: a heading
//! label = "Memory"
//!
//! [[question.answer]]
//! id = "heap"
//! parent = "memory"
//! key = "1"
//! label = "Heap"
//! definition = "…"
//! positive = ["…"]                      # examples of it
//! negative = ["…"]                      # what only looks like it
//! ```
//!
//! Numbers may have `min`, `max` and `unit`. A yes-no question has its two answers without being told; they may be
//! written out to define them.

use super::fields::{Fields, Reader};
use super::flaw::hint;
use super::rules::{MOST_ANSWERS, MOST_QUESTIONS};
use super::{
    Answer, Codebook, CodebookError, CodebookErrors, Condition, Kind, Place, Problem, Question, ReservedKeys,
    Subject,
};
use toml::de::{DeTable, DeValue};

/// The version of the file that is read.
const SCHEMA: i64 = 1;

const BOOK_KEYS: [&str; 7] = ["schema", "id", "title", "version", "subject", "guide", "question"];
const QUESTION_KEYS: [&str; 11] =
    ["id", "text", "kind", "answer", "when", "counts", "required", "renamed_from", "min", "max", "unit"];
const ANSWER_KEYS: [&str; 8] =
    ["id", "parent", "key", "label", "definition", "positive", "negative", "renamed_from"];
const CONDITION_KEYS: [&str; 2] = ["question", "answers"];

impl Codebook {
    /// Reads the text of a file; `file` is its name in errors.
    ///
    /// # Errors
    /// All that is wrong with it.
    pub fn read(file: &str, text: &str, reserved: &ReservedKeys) -> Result<Codebook, CodebookErrors> {
        let mut reader = Reader::new(text);
        let (root, errors) = DeTable::parse_recoverable(text.strip_prefix('\u{feff}').unwrap_or(text));
        for error in &errors {
            let at = error.span().unwrap_or(0..0);
            reader.problem_at(Place::book("file"), at, Problem::Syntax(error.message().replace('\n', ", ")));
        }
        let mut codebook = None;
        if errors.is_empty() {
            let fields = Fields { table: root.get_ref(), question: None, answer: None };
            codebook = book(&mut reader, &fields);
        }
        if let Some(codebook) = &codebook {
            for flaw in codebook.flaws(reserved) {
                reader.flaw(flaw);
            }
        }
        match (codebook, reader.finish()) {
            (Some(codebook), problems) if problems.is_empty() => Ok(codebook),
            (codebook, problems) => {
                let name = |place: Place| names(codebook.as_ref(), place);
                let errors = problems.into_iter().map(|(line, place, key, problem)| {
                    let (question, answer) = name(place);
                    CodebookError { file: file.to_owned(), line, question, answer, key, problem }
                });
                Err(CodebookErrors(errors.collect()))
            }
        }
    }
}

/// Question and answer of a place, by id, or by number where there is none.
fn names(codebook: Option<&Codebook>, place: Place) -> (Option<String>, Option<String>) {
    let question = place.question.and_then(|number| codebook?.questions.get(number));
    let answer = place.answer.and_then(|number| question?.answers.get(number));
    let name = |id: Option<&str>, number: usize| match id.filter(|id| !id.is_empty()) {
        Some(id) => crate::text::truncate(id, 70).into_owned(),
        None => format!("number {}", number + 1),
    };
    (
        place.question.map(|number| name(question.map(|question| question.id.as_str()), number)),
        place.answer.map(|number| name(answer.map(|answer| answer.id.as_str()), number)),
    )
}

/// None where the file is for another program, about which nothing else is worth saying.
fn book(reader: &mut Reader<'_>, fields: &Fields<'_>) -> Option<Codebook> {
    match reader.integer(fields, "schema") {
        Some(SCHEMA) => {}
        Some(other) => {
            reader.problem(fields, "schema", Problem::Schema(other.to_string()));
            return None;
        }
        None if fields.table.contains_key("schema") => return None,
        None => reader.problem(fields, "schema", Problem::Missing("write `schema = 1` as the first line")),
    }
    reader.refuse_unknown(fields, &BOOK_KEYS);
    let version = match reader.integer(fields, "version").map(u32::try_from) {
        Some(Ok(version)) => version,
        Some(Err(_)) => {
            reader.problem(fields, "version", Problem::Missing("a whole number from 1 to 4294967295"));
            1
        }
        // Where a version of the wrong type stands, that has been said.
        None => u32::from(fields.table.contains_key("version")),
    };
    let subjects = Subject::ALL.map(Subject::name);
    let subject = reader.choice(fields, "subject", &subjects).and_then(Subject::by_name);
    if subject.is_none() && !fields.table.contains_key("subject") {
        reader.problem(fields, "subject", Problem::Missing("write `subject = \"task\"`, or \"turn\""));
    }
    let mut codebook = Codebook {
        id: reader.text(fields, "id").unwrap_or_default(),
        title: reader.text(fields, "title").unwrap_or_default(),
        version,
        subject: subject.unwrap_or(Subject::Task),
        guide: reader.text(fields, "guide").unwrap_or_default(),
        questions: Vec::new(),
    };
    let tables = reader.tables(fields, "question", "tables: write `[[question]]`", MOST_QUESTIONS);
    for (number, (at, table)) in tables.into_iter().enumerate() {
        let fields = Fields { table, question: Some(number), answer: None };
        reader.stands_at(&fields, at);
        codebook.questions.push(question(reader, &fields));
    }
    Some(codebook)
}

fn question(reader: &mut Reader<'_>, fields: &Fields<'_>) -> Question {
    reader.refuse_unknown(fields, &QUESTION_KEYS);
    let tables = reader.tables(fields, "answer", "tables: write `[[question.answer]]`", MOST_ANSWERS);
    let kind = kind(reader, fields, !tables.is_empty());
    let mut answers = Vec::new();
    for (number, (at, table)) in tables.into_iter().enumerate() {
        let fields = Fields { table, question: fields.question, answer: Some(number) };
        reader.stands_at(&fields, at);
        answers.push(answer(reader, &fields, kind == Kind::YesNo));
    }
    if kind == Kind::YesNo {
        for (id, key, label) in [("yes", 'y', "Yes"), ("no", 'n', "No")] {
            if !answers.iter().any(|answer| answer.id == id) {
                let (id, label) = (id.to_owned(), label.to_owned());
                answers.push(Answer { id, key: Some(key), label, ..Answer::default() });
            }
        }
    }
    let counts = reader.boolean(fields, "counts").unwrap_or(kind != Kind::Text);
    Question {
        id: reader.text(fields, "id").unwrap_or_default(),
        text: reader.text(fields, "text").unwrap_or_default(),
        answers,
        when: condition(reader, fields),
        counts,
        required: reader.boolean(fields, "required").unwrap_or(true),
        renamed_from: reader.texts(fields, "renamed_from", true),
        kind,
    }
}

fn kind(reader: &mut Reader<'_>, fields: &Fields<'_>, has_answers: bool) -> Kind {
    let (min, max) = (reader.number(fields, "min"), reader.number(fields, "max"));
    let unit = reader.text(fields, "unit");
    let name = reader.choice(fields, "kind", &Kind::NAMES);
    let kind = match name {
        Some("single") => Kind::Single,
        Some("multiple") => Kind::Multiple,
        Some("ordinal") => Kind::Ordinal,
        Some("yes-no") => Kind::YesNo,
        Some("number") => return Kind::Number { min, max, unit },
        Some("text") => Kind::Text,
        _ => {
            if !fields.table.contains_key("kind") {
                let wanted = "one of single, multiple, ordinal, yes-no, number, text";
                reader.problem(fields, "kind", Problem::Missing(wanted));
            }
            // What comes nearest, so that as few mistakes as possible follow from this one.
            return if has_answers { Kind::Single } else { Kind::Number { min, max, unit } };
        }
    };
    for key in ["min", "max", "unit"] {
        if fields.table.contains_key(key) {
            reader.problem(fields, key, Problem::WrongKind { wanted: "number", found: kind.name() });
        }
    }
    kind
}

fn answer(reader: &mut Reader<'_>, fields: &Fields<'_>, yes_no: bool) -> Answer {
    reader.refuse_unknown(fields, &ANSWER_KEYS);
    let id = reader.text(fields, "id").unwrap_or_default();
    let mut key = None;
    if let Some(text) = reader.text(fields, "key") {
        let mut characters = text.chars();
        match (characters.next(), characters.next()) {
            (Some(only), None) => key = Some(only),
            _ => {
                let text = crate::text::truncate(&text, 40).into_owned();
                reader.problem(fields, "key", Problem::BadKey(text));
            }
        }
    }
    let label = reader.text(fields, "label");
    // Of yes and no everything is known.
    let (usual_key, usual_label) = match (yes_no, id.as_str()) {
        (true, "yes") => (Some('y'), "Yes"),
        (true, "no") => (Some('n'), "No"),
        _ => (None, ""),
    };
    Answer {
        parent: reader.text(fields, "parent"),
        key: key.or(usual_key),
        label: label.unwrap_or_else(|| usual_label.to_owned()),
        definition: reader.text(fields, "definition").unwrap_or_default(),
        positive: reader.texts(fields, "positive", false),
        negative: reader.texts(fields, "negative", false),
        renamed_from: reader.texts(fields, "renamed_from", true),
        id,
    }
}

fn condition(reader: &mut Reader<'_>, fields: &Fields<'_>) -> Option<Condition> {
    let value = fields.table.get("when")?;
    reader.stands_at_key(fields, "when");
    let DeValue::Table(table) = value.get_ref() else {
        let wanted = "a table: `when = { question = \"…\", answers = [\"…\"] }`";
        reader.wrong_type(fields, "when", wanted, value.get_ref());
        return None;
    };
    for name in table.keys().filter(|name| !CONDITION_KEYS.contains(&name.get_ref().as_ref())) {
        let hint = hint(name.get_ref(), CONDITION_KEYS.iter().copied());
        reader.unknown(fields, name, hint);
    }
    // Places inside the condition are those of the condition: the keys are told by the messages.
    let inside = Fields { table, ..*fields };
    let question = reader.text_within(&inside, "question", "when");
    let answers = reader.texts_within(&inside, "answers", "when");
    if question.is_none() && !table.contains_key("question") {
        reader.problem(fields, "when", Problem::Missing("`question`, the earlier question"));
    }
    Some(Condition { question: question?, answers })
}
