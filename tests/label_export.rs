//! Exports of a study: what they hold, that nothing breaks out of them, and that other programs find the same kappas.
#![allow(clippy::unwrap_used)]

#[path = "label_export/python.rs"]
mod python;
#[path = "label_export/r.rs"]
mod r;
#[path = "label_export/texts.rs"]
mod texts;

use mendbench::label::codebook::{Codebook, ReservedKeys, SHIPPED};
use mendbench::label::export::{
    Answer, CodebookFacts, Deviation, Measured, Place, RoundFacts, Row, Stage, Study, StudyError,
    StudyQuestion, answers, counts_csv, from_cell, json_lines, long_csv, measure, to_cell, wide_csv,
};
use mendbench::label::value::{Labels, Value};
use proptest::prelude::*;

fn defects4c() -> Codebook {
    SHIPPED[0].read(&ReservedKeys::none()).unwrap()
}

/// Labels of an item by an annotator as rows.
fn rows(
    codebook: &Codebook,
    round: &str,
    stage: Stage,
    item: &str,
    annotator: &str,
    labels: &[(&str, &str)],
) -> Vec<Row> {
    let labels: Labels = labels
        .iter()
        .map(|(question, answer)| {
            let text = codebook.question(question).is_some_and(|question| !question.kind.is_choice());
            let value = if text { Value::Text((*answer).to_owned()) } else { Value::one(*answer) };
            ((*question).to_owned(), value)
        })
        .collect();
    let stamp = codebook.stamp().to_string();
    answers(codebook, &labels)
        .into_iter()
        .map(|(question, answer)| Row {
            round: round.into(),
            item: item.into(),
            subject: "task".into(),
            annotator: annotator.into(),
            question: question.into(),
            stage,
            answer,
            seen_before: false,
            codebook: stamp.as_str().into(),
            at: "2026-01-02T03:04:05Z".into(),
        })
        .collect()
}

/// Twelve items, two annotators: ten called a bug by one of them, seven by both; revised and adjudicated labels.
fn study() -> Study {
    let codebook = defects4c();
    let mut study = Study {
        name: "pilot".to_owned(),
        codebook: Some(CodebookFacts::of(&codebook)),
        questions: codebook.questions.iter().map(StudyQuestion::of).collect(),
        rounds: vec![RoundFacts {
            name: "1".to_owned(),
            items: 13,
            second: 0,
            annotators: vec!["ann".to_owned(), "ben".to_owned()],
            seed: Some(7),
            arbitrator: Some("cem".to_owned()),
            phase: None,
        }],
        rows: Vec::new(),
        deviations: vec![Deviation {
            round: "1".to_owned(),
            at: Some("2026-01-02T03:04:05Z".to_owned()),
            what: "dana looked at the running agreement".to_owned(),
        }],
    };
    let causes = ["A.1", "A.2", "B", "C.3", "D.1", "D.2", "B"];
    for (number, cause) in causes.iter().enumerate() {
        let item = format!("d/{number}@r");
        let other = if number % 3 == 2 { "A.1" } else { cause };
        for (annotator, cause) in [("ann", *cause), ("ben", other)] {
            let labels = [("bug-related", "yes"), ("test-relevant", "yes"), ("root-cause", cause)];
            study.rows.extend(rows(&codebook, "1", Stage::Blind, &item, annotator, &labels));
        }
    }
    for (number, (ann, ben)) in
        [("yes", "no"), ("no", "yes"), ("yes", "no"), ("no", "no"), ("no", "no")].iter().enumerate()
    {
        let item = format!("d/{}@r", number + causes.len());
        for (annotator, answer) in [("ann", *ann), ("ben", *ben)] {
            let labels = [("bug-related", answer), ("test-relevant", "no"), ("root-cause", "B")];
            study.rows.extend(rows(&codebook, "1", Stage::Blind, &item, annotator, &labels));
        }
    }
    study.rows.extend(rows(&codebook, "1", Stage::Blind, "d/12@r", "ann", &[("bug-related", "no")]));
    study.rows.extend(rows(&codebook, "1", Stage::Revised(1), "d/7@r", "ann", &[("bug-related", "no")]));
    study.rows.extend(rows(&codebook, "1", Stage::Revised(1), "d/7@r", "ben", &[("bug-related", "no")]));
    study.rows.extend(rows(&codebook, "1", Stage::Adjudicated, "d/8@r", "cem", &[("bug-related", "yes")]));
    study
}

/// What was measured of two annotators' blind labels, with Cohen's kappa: what other programs compute anew.
fn pairs_measured(study: &Study) -> Vec<Measured> {
    let is_wanted =
        |found: &Measured| found.place.stage == Stage::Blind && found.get("cohen_kappa").is_some();
    let measured: Vec<Measured> = measure(study).into_iter().filter(is_wanted).collect();
    assert!(measured.len() >= 5, "{}", measured.len());
    measured
}

/// Rows of a CSV file, as lists of fields.
fn records(text: &str) -> Vec<Vec<String>> {
    csv::ReaderBuilder::new()
        .has_headers(false)
        .from_reader(text.as_bytes())
        .records()
        .map(|record| record.unwrap().iter().map(str::to_owned).collect())
        .collect()
}

#[test]
fn conditional_questions_are_read_twice_with_their_n() {
    let study = study();
    assert_eq!(study.problems(), []);
    let measured = measure(&study);
    let of = |question: &str, reading: &str| {
        measured
            .iter()
            .find(|found| {
                &*found.place.question == question
                    && found.reading.name() == reading
                    && found.place.stage == Stage::Blind
            })
            .unwrap()
    };
    let bug = of("bug-related", "all");
    assert_eq!((bug.items, bug.joint, bug.one_sided), (13, 12, 1));
    assert!(bug.is_independent());
    // 9 of 12 agree; ann: 9 yes, ben: 8 yes.
    let kappa = *bug.get("cohen_kappa").unwrap().value.as_ref().unwrap();
    let (po, pe) = (9.0 / 12.0, (9.0 * 8.0 + 3.0 * 4.0) / 144.0);
    assert!((kappa - (po - pe) / (1.0 - pe)).abs() < 1e-12, "{kappa}");
    let asked = of("root-cause", "where-asked");
    assert_eq!((asked.items, asked.joint, asked.one_sided), (7, 7, 0));
    assert_eq!(asked.categories.len(), 10);
    assert!(asked.get("cohen_kappa_taxonomy").is_some());
    let all = of("root-cause", "with-not-applicable");
    assert_eq!((all.items, all.joint, all.one_sided), (13, 12, 1));
    assert_eq!(all.categories.last().unwrap(), "not-applicable");
    assert!(all.get("cohen_kappa_taxonomy").is_none());
    let percent = all.get("percent_agreement").unwrap().value.clone().unwrap();
    assert!((percent - 7.0 / 12.0).abs() < 1e-12, "{percent}");
    // All answered yes where asked: undefined, in words.
    let test = of("test-relevant", "where-asked").get("cohen_kappa").unwrap();
    assert_eq!(test.value.as_ref().unwrap_err(), "expected agreement is 1: everyone always answered `yes`");
    let revised = measured.iter().find(|found| found.place.stage == Stage::Revised(1)).unwrap();
    assert!(!revised.is_independent());
    assert!(measured.iter().all(|found| found.place.stage != Stage::Adjudicated));
    assert!(measured.iter().all(|found| &*found.place.question != "note"));
}

#[test]
fn the_long_file_has_every_label_and_the_wide_one_a_column_for_each_annotator() {
    let study = study();
    let long = records(&long_csv(&study));
    assert_eq!(long.len(), study.rows.len() + 1);
    assert_eq!(
        long[0][..8],
        ["round", "phase", "revision", "question", "item", "subject", "annotator", "label"]
    );
    assert_eq!(long[1][..8], ["1", "blind", "0", "bug-related", "d/0@r", "task", "ann", "yes"]);
    assert!(long.iter().any(|row| row[1] == "revised" && row[2] == "1" && row[7] == "no"));
    // A later "no" rules the other labels out, whatever was answered before.
    assert!(long.iter().any(|row| row[3] == "root-cause"
        && row[4] == "d/8@r"
        && row[6] == "ann"
        && row[7] == "not-applicable"));
    let wide = records(&wide_csv(&study));
    assert_eq!(wide[0], ["round", "phase", "revision", "question", "item", "ann", "ben", "cem"]);
    let row =
        wide.iter().find(|row| row[3] == "root-cause" && row[4] == "d/7@r" && row[1] == "blind").unwrap();
    assert_eq!(row[5..], ["B", "not-applicable", ""]);
    let place = Place { round: "1".into(), stage: Stage::Blind, question: "root-cause".into() };
    let where_asked = records(&counts_csv(&study, &place, false).unwrap());
    assert_eq!(where_asked.len(), 1 + 7);
    assert_eq!(where_asked[0].len(), 1 + 10);
    let all = records(&counts_csv(&study, &place, true).unwrap());
    assert_eq!(all.len(), 1 + 13);
    assert_eq!(all[0].last().unwrap(), "not-applicable");
    for row in &all[1..] {
        let labels: u64 = row[1..].iter().map(|count| count.parse::<u64>().unwrap()).sum();
        assert_eq!(labels, if row[0] == "d/12@r" { 1 } else { 2 }, "{row:?}");
    }
    let note = Place { question: "note".into(), ..place };
    assert!(counts_csv(&study, &note, true).is_none());
}

#[test]
fn json_lines_hold_everything_and_never_a_nan() {
    let study = study();
    let text = json_lines(&study);
    let objects: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |kind: &str| objects.iter().filter(|object| object["type"] == kind).count();
    assert_eq!(of("study"), 1);
    assert_eq!(of("study-round"), 1);
    assert_eq!(of("deviation"), 1);
    assert_eq!(of("study-label"), study.rows.len());
    assert_eq!(of("study-agreement"), measure(&study).len());
    assert!(objects.iter().all(|object| object["v"] == 1));
    let undefined = objects
        .iter()
        .find(|object| object["question"] == "test-relevant" && object["reading"] == "where-asked")
        .unwrap();
    let kappa = &undefined["statistics"]["cohen_kappa"];
    assert!(kappa["value"].is_null());
    assert!(kappa["why"].as_str().unwrap().contains("everyone always answered"));
    assert!(!text.contains("NaN") && !text.contains("nan") && !text.contains("inf,"));
}

#[test]
fn what_does_not_fit_is_told_with_its_row() {
    let mut study = study();
    let mut twice = study.rows[0].clone();
    twice.answer = Answer::Value(Value::one("no"));
    let mut unknown = twice.clone();
    unknown.question = "colour".into();
    let mut other = twice.clone();
    other.item = "elsewhere".into();
    other.answer = Answer::Value(Value::one("maybe"));
    let mut form = other.clone();
    form.item = "further".into();
    form.answer = Answer::Value(Value::Text("yes".to_owned()));
    let first = study.rows.len() + 1;
    study.rows.extend([twice, unknown, other, form]);
    let problems = study.problems();
    assert_eq!(problems.len(), 4, "{problems:#?}");
    assert!(matches!(&problems[0], StudyError::Duplicate { row, .. } if *row == first));
    assert!(problems[0].to_string().contains("`ann` has a second blind label of `d/0@r`"));
    assert!(problems[1].to_string().contains("no question `colour`"));
    assert!(problems[2].to_string().contains("`maybe` is no label of `bug-related`; declared are yes, no"));
}

#[test]
fn nobody_one_and_strangers_are_undefined_in_words() {
    let codebook = defects4c();
    let empty = Study { rows: Vec::new(), ..study() };
    assert_eq!(measure(&empty), []);
    let mut one = empty.clone();
    one.rows = rows(&codebook, "1", Stage::Blind, "a", "ann", &[("bug-related", "yes")]);
    let measured = measure(&one);
    let why = measured[0].statistics[0].value.clone().unwrap_err();
    assert_eq!(why, "fewer than two raters have labels");
    one.rows.extend(rows(&codebook, "1", Stage::Blind, "b", "ben", &[("bug-related", "yes")]));
    let measured = measure(&one);
    assert_eq!((measured[0].joint, measured[0].one_sided), (0, 2));
    assert_eq!(measured[0].get("cohen_kappa").unwrap().value.clone().unwrap_err(), "no jointly rated item");
    // Three annotators: pairs, and all together.
    one.rows.extend(rows(&codebook, "1", Stage::Blind, "b", "cem", &[("bug-related", "no")]));
    let bug: Vec<_> =
        measure(&one).into_iter().filter(|found| &*found.place.question == "bug-related").collect();
    assert_eq!(bug.len(), 4);
    assert!(bug[3].get("krippendorff_alpha_nominal").is_some());
}

#[test]
fn sets_numbers_and_scales_have_their_own_coefficients() {
    let book = SHIPPED.iter().find(|book| book.id == "failure-pattern").unwrap();
    let codebook = book.read(&ReservedKeys::none()).unwrap();
    let row = |item: &str, annotator: &str, question: &str, value: Value| Row {
        round: "1".into(),
        item: item.into(),
        subject: "turn".into(),
        annotator: annotator.into(),
        question: question.into(),
        stage: Stage::Blind,
        answer: Answer::Value(value),
        seen_before: false,
        codebook: "".into(),
        at: "".into(),
    };
    let mut study =
        Study { questions: codebook.questions.iter().map(StudyQuestion::of).collect(), ..Study::default() };
    for (item, ann, ben) in [
        ("a", vec!["deletion-centric"], vec!["deletion-centric", "weak-feedback"]),
        ("b", vec![], vec![]),
        ("c", vec!["missing-context"], vec!["missing-context"]),
    ] {
        study.rows.push(row(item, "ann", "pattern", Value::many(ann)));
        study.rows.push(row(item, "ben", "pattern", Value::many(ben)));
    }
    assert_eq!(study.problems(), []);
    let measured = measure(&study);
    let masi = measured[0].get("krippendorff_alpha_masi").unwrap().value.clone().unwrap();
    assert!(masi > 0.0 && masi < 1.0, "{masi}");
    let long = records(&long_csv(&study));
    assert!(long.iter().any(|row| row[7] == "deletion-centric;weak-feedback"));
    assert!(long.iter().any(|row| row[7] == "{}"));

    let mut study = Study::default();
    for (item, ann, ben) in [("a", 1.0, 1.5), ("b", 40.0, 39.0), ("c", 7.0, 7.0)] {
        study.rows.push(row(item, "ann", "lines", Value::number(ann).unwrap()));
        study.rows.push(row(item, "ben", "lines", Value::number(ben).unwrap()));
    }
    study.questions = Study::questions_of(&study.rows);
    let measured = measure(&study);
    assert!(measured[0].get("krippendorff_alpha_interval").unwrap().value.clone().unwrap() > 0.9);
    // More different numbers than tables can be kept for: said, not computed.
    for number in 0..600 {
        for who in ["ann", "ben"] {
            let value = Value::number(f64::from(number)).unwrap();
            study.rows.push(row(&format!("x{number}"), who, "lines", value));
        }
    }
    let measured = measure(&study);
    assert!(measured[0].statistics[0].value.clone().unwrap_err().contains("categories are more than"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn cells_come_back_as_they_were(text in "[='+@\\t\r\n\\-＝ a-z0-9.,\"]{0,8}") {
        let cell = to_cell(&text);
        prop_assert_eq!(from_cell(&cell), text.as_str());
        let first = cell.trim_start_matches(' ').chars().next();
        let number = text.trim_start_matches(['-', '+']).starts_with(|c: char| c.is_ascii_digit());
        prop_assert!(!matches!(first, Some('=' | '+' | '-' | '@' | '\t' | '\r' | '\n' | '＝')) || number, "{:?}", cell);
    }

    /// Whatever names and texts there are, each row of each file has its fields, and the files come back.
    #[test]
    fn hostile_names_stay_in_their_cells(names in proptest::collection::vec("[=\"',;\n|\\\\{}&%<>@a-c\u{202e}\u{1b}-]{1,6}", 3)) {
        let mut study = study();
        study.rows.truncate(8);
        for row in &mut study.rows {
            row.item = format!("{}{}", names[0], row.item).into();
            row.annotator = names[1].as_str().into();
            row.round = names[2].as_str().into();
        }
        let long = records(&long_csv(&study));
        prop_assert!(long.iter().all(|row| row.len() == long[0].len()));
        prop_assert_eq!(from_cell(&long[1][6]), names[1].as_str());
        prop_assert_eq!(from_cell(&long[1][4]), &*study.rows[0].item);
        let wide = records(&wide_csv(&study));
        prop_assert!(wide.iter().all(|row| row.len() == wide[0].len()));
    }
}
