//! Labels of others become studies: linux-bugs, SWE-bench, any table, and what was exported before; bad files are told in
//! words.
#![allow(clippy::unwrap_used)]

use mendbench::dataset::labels::{Imported, LabelFormat, LabelsError, Mapping, read_labels};
use mendbench::dataset::ratings::{Columns, Layout, read_text};
use mendbench::label::codebook::{ReservedKeys, SHIPPED};
use mendbench::label::export::{
    Answer, Measured, Raters, Reading, Row, Stage, Study, StudyQuestion, long_csv, measure, methods,
};
use mendbench::label::value::Value;
use std::io::Write;
use std::path::PathBuf;

/// A file of the shared data; none, and a word about it, where it is not here.
fn shared(name: &str) -> Option<PathBuf> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/data").join(name);
    if !path.exists() {
        let note = format!("skipped: {name} is not here\n");
        std::io::stderr().write_all(note.as_bytes()).unwrap();
        return None;
    }
    Some(path)
}

fn file(path: &PathBuf) -> (String, Vec<u8>) {
    let name = path.display().to_string();
    let bytes = read_text(&name, std::fs::File::open(path).unwrap()).unwrap();
    (name, bytes)
}

fn text(name: &str, text: &str) -> (String, Vec<u8>) {
    (name.to_owned(), read_text(name, text.as_bytes()).unwrap())
}

/// Reads a table of ratings that is one.
fn ratings(content: &str) -> Imported {
    read_labels(LabelFormat::Ratings, &[text("t.csv", content)], &Mapping::default(), &[]).unwrap()
}

fn value(measured: &Measured, statistic: &str) -> f64 {
    measured.get(statistic).unwrap().value.clone().unwrap()
}

#[test]
fn the_linux_bugs_study_has_its_kappas() {
    let Some(folder) = shared("linux-bugs-annotations/expected_kappa.json") else { return };
    let expected: serde_json::Value = serde_json::from_slice(&std::fs::read(&folder).unwrap()).unwrap();
    let files: Vec<(String, Vec<u8>)> = (0..3)
        .flat_map(|round| ["A1", "A2", "A3"].map(|rater| format!("round{round}_{rater}.csv")))
        .map(|name| file(&folder.with_file_name(name)))
        .collect();
    assert!(files.iter().all(|(_, bytes)| LabelFormat::detect(bytes) == LabelFormat::LinuxBugs));
    let read = read_labels(LabelFormat::LinuxBugs, &files, &Mapping::default(), &[]).unwrap();
    assert_eq!((read.bad_count, read.study.problems()), (0, Vec::new()));
    assert_eq!(read.rows, 3 * (757 + 690 + 690));
    let measured = measure(&read.study);
    let entries = expected.as_array().unwrap();
    assert_eq!(entries.len(), 9);
    for entry in entries {
        let stage = match entry["round"].as_u64().unwrap() {
            0 => Stage::Blind,
            round => Stage::Revised(u32::try_from(round).unwrap()),
        };
        let pair = entry["pair"].as_str().unwrap();
        let of = |question: &str| {
            measured
                .iter()
                .find(|found| {
                    let Raters::Pair(one, other) = &found.raters else { return false };
                    found.place.stage == stage
                        && &*found.place.question == question
                        && format!("{one}-{other}") == pair
                })
                .unwrap()
        };
        let label = of("label");
        assert_eq!(label.joint, entry["n_common"], "{pair}");
        let only = entry["only_first"].as_u64().unwrap() + entry["only_second"].as_u64().unwrap();
        assert_eq!(label.one_sided, only, "{pair}");
        assert_eq!(label.is_independent(), stage == Stage::Blind);
        assert_eq!(label.reading, Reading::Plain);
        for (found, wanted) in [
            (value(label, "cohen_kappa"), "kappa_label"),
            (value(label, "percent_agreement"), "observed"),
            (value(of("bfc"), "cohen_kappa"), "kappa_bfc_0to4_unweighted"),
            (value(of("bfc"), "cohen_kappa_linear"), "kappa_bfc_linear"),
            (value(of("bfc"), "cohen_kappa_quadratic"), "kappa_bfc_quadratic"),
        ] {
            let wanted_value = entry[wanted].as_f64().unwrap();
            assert!((found - wanted_value).abs() < 1e-6, "{stage:?} {pair} {wanted}: {found} {wanted_value}");
        }
    }
    // Of all three: what A1 alone has labelled is left out, as it is said.
    let understand = measured
        .iter()
        .find(|found| {
            matches!(found.raters, Raters::All(_))
                && found.place.stage == Stage::Blind
                && &*found.place.question == "understand"
        })
        .unwrap();
    assert_eq!((understand.joint, understand.one_sided), (690, 67));
    let (fleiss, alpha) =
        (value(understand, "fleiss_kappa"), value(understand, "krippendorff_alpha_nominal"));
    // Alpha is Fleiss' kappa with a correction for n labels: 1 - (1 - kappa) (n - 1) / n.
    let labels = 3.0 * 690.0;
    assert!((alpha - (1.0 - (1.0 - fleiss) * (labels - 1.0) / labels)).abs() < 1e-9, "{fleiss} {alpha}");
    let text = methods(&read.study);
    assert!(text.contains("3 annotators (A1, A2, A3) labelled 757 items in 1 round"), "{text}");
    assert!(text.contains("agreement on revised labels is not agreement of independent judgements"));
    // Files that do not say their round are not guessed at.
    let nameless = [("a1.csv".to_owned(), files[0].1.clone())];
    let error = read_labels(LabelFormat::LinuxBugs, &nameless, &Mapping::default(), &[]).unwrap_err();
    assert!(matches!(error, LabelsError::NoRound(_)) && error.to_string().contains("round0_A1.csv"));
}

#[test]
fn annotations_of_swe_bench_are_decisions_and_those_of_one_rater_have_no_agreement() {
    let Some(verified) = shared("swebench/verified_annotations_ensembled.csv") else { return };
    let verified = file(&verified);
    assert_eq!(LabelFormat::detect(&verified.1), LabelFormat::SweBench);
    let read = read_labels(LabelFormat::SweBench, &[verified], &Mapping::default(), &[]).unwrap();
    assert_eq!((read.bad_count, read.study.problems()), (0, Vec::new()));
    assert_eq!(read.study.questions.len(), 5);
    assert_eq!(read.study.rows.len() as u64, read.rows * 5);
    assert!(read.study.rows.iter().all(|row| row.stage == Stage::Adjudicated));
    let hard =
        read.study.rows.iter().filter(|row| row.answer == Answer::Value(Value::one(">4 hours"))).count();
    assert!(hard > 0);
    assert_eq!(measure(&read.study), []);

    let Some(lite) = shared("swebench/lite_problem_classification.csv") else { return };
    let read = read_labels(LabelFormat::SweBench, &[file(&lite)], &Mapping::default(), &[]).unwrap();
    assert_eq!(read.study.questions.len(), 5);
    assert!(read.study.questions.iter().all(|question| question.categories.len() > 1));
    assert!(read.remarks.iter().any(|remark| remark.contains("only one annotator")), "{:?}", read.remarks);
    let measured = measure(&read.study);
    assert!(measured.iter().all(|found| found.statistics[0].value.is_err()));
}

#[test]
fn any_table_with_named_columns_is_read() {
    let mapping = Mapping {
        layout: Layout {
            columns: Columns {
                item: "commit".to_owned(),
                rater: "who".to_owned(),
                label: "type".to_owned(),
                question: None,
                round: Some("pass".to_owned()),
            },
            delimiter: b';',
            ..Layout::default()
        },
        sets: Some("|".to_owned()),
        stage: Stage::Revised(2),
        question: "causes".to_owned(),
        ..Mapping::default()
    };
    let content = "\u{feff}commit;who;type;pass\r\na;ann;x|y;1\r\na;ben;y;1\r\nb;ann;{};1\r\nb;ben;;1\r\n";
    let read = read_labels(LabelFormat::Ratings, &[text("t.csv", content)], &mapping, &[]).unwrap();
    assert_eq!(read.study.rows.len(), 3);
    let row: &Row = &read.study.rows[0];
    assert_eq!((&*row.round, &*row.question, row.stage), ("1", "causes", Stage::Revised(2)));
    assert_eq!(row.answer, Answer::Value(Value::many(["x", "y"])));
    assert!(read.study.rows.iter().any(|row| row.answer == Answer::Value(Value::many::<&str>([]))));
    let declared = Mapping { categories: ["yes", "no"].map(str::to_owned).to_vec(), ..Mapping::default() };
    let content = "item,rater,label\na,ann,yes\na,ben,yse\n";
    let read = read_labels(LabelFormat::Ratings, &[text("t.csv", content)], &declared, &[]).unwrap();
    assert_eq!(read.bad_count, 1);
    assert_eq!(read.bad[0].line, 3);
    assert!(read.bad[0].reason.to_string().contains("yse"), "{}", read.bad[0].reason);
}

#[test]
fn bad_tables_are_told_in_words() {
    let error = |content: &str| {
        read_labels(LabelFormat::Ratings, &[text("t.csv", content)], &Mapping::default(), &[])
            .unwrap_err()
            .to_string()
    };
    assert!(error("").contains("is empty"));
    assert!(error("item,rater,label\n").contains("no rows"));
    assert!(
        error("item;rater;label\na;x;1\n").contains("--delimiter ';'"),
        "{}",
        error("item;rater;label\na;x;1\n")
    );
    // Twice the same, blanks, too few fields.
    let read = ratings("item,rater,label\na,x,1\na,x,2\na,x,1\n,x,1\nb,x\nb,y, \n");
    let told: Vec<(u64, String)> = read.bad.iter().map(|row| (row.line, row.reason.to_string())).collect();
    assert_eq!(read.bad_count, 4, "{told:?}");
    assert_eq!(told.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [3, 4, 5, 6]);
    assert!(read.remarks.iter().any(|remark| remark.contains("white space only")), "{:?}", read.remarks);
    assert_eq!(read.study.rows.len(), 1);
    for (content, wanted) in [
        ("item,rater,label\na,x,1\nb,x,2\n", "only one annotator, `x`: agreement needs two"),
        ("item,rater,label\na,x,1\na,y,1\n", "`label` has only one category, `1`"),
        ("item,rater,label\na,x,1\nb,y,2\n", "`x` and `y` have no item in common for `label`"),
    ] {
        let read = ratings(content);
        assert!(read.remarks.iter().any(|remark| remark.contains(wanted)), "{wanted}: {:?}", read.remarks);
        assert!(
            measure(&read.study)
                .iter()
                .all(|found| found.get("cohen_kappa").is_none_or(|kappa| kappa.value.is_err()))
        );
    }
}

/// A study in which every form of question occurs.
fn varied() -> (Study, Vec<StudyQuestion>) {
    let book = SHIPPED.iter().find(|book| book.id == "failure-pattern").unwrap();
    let codebook = book.read(&ReservedKeys::none()).unwrap();
    let mut questions: Vec<StudyQuestion> = codebook.questions.iter().map(StudyQuestion::of).collect();
    questions.push(StudyQuestion {
        id: "lines".to_owned(),
        text: String::new(),
        form: mendbench::label::export::Form::Numbers,
        categories: Vec::new(),
        counts: true,
        conditional: false,
    });
    let mut study = Study { questions: questions.clone(), ..Study::default() };
    let mut row = |item: &str, annotator: &str, question: &str, stage, answer| {
        study.rows.push(Row {
            round: "=1".into(),
            item: item.into(),
            subject: "turn".into(),
            annotator: annotator.into(),
            question: question.into(),
            stage,
            answer,
            seen_before: item == "b",
            codebook: "1-abc".into(),
            at: "2026-01-02T03:04:05Z".into(),
        });
    };
    for annotator in ["-ann", "'ben", "c,\"d"] {
        for (item, yes) in [("a", true), ("b", false)] {
            for stage in [Stage::Blind, Stage::Revised(1)] {
                row(
                    item,
                    annotator,
                    "models-fault",
                    stage,
                    Answer::Value(Value::one(if yes { "yes" } else { "no" })),
                );
                let set = Answer::Value(Value::many(["deletion-centric", "weak-feedback"]));
                row(item, annotator, "pattern", stage, if yes { set } else { Answer::NotApplicable });
                row(item, annotator, "lines", stage, Answer::Value(Value::number(-1.5).unwrap()));
            }
        }
        row("a", annotator, "note", Stage::Blind, Answer::Value(Value::Text("=SUM(A1)\n\"x\",;".to_owned())));
        row("c", annotator, "pattern", Stage::Blind, Answer::Value(Value::many::<&str>([])));
    }
    row("a", "judge", "models-fault", Stage::Adjudicated, Answer::Value(Value::one("yes")));
    (study, questions)
}

#[test]
fn what_was_exported_comes_back() {
    let (study, questions) = varied();
    let exported = long_csv(&study);
    assert_eq!(LabelFormat::detect(exported.as_bytes()), LabelFormat::Own);
    let read =
        read_labels(LabelFormat::Own, &[text("l.csv", &exported)], &Mapping::default(), &questions).unwrap();
    assert_eq!((read.bad_count, read.rows), (0, study.rows.len() as u64));
    assert_eq!(read.study.rows, study.rows);
    assert_eq!(measure(&read.study), measure(&study));
    // Once more behind it: every row is there already.
    let twice = format!("{exported}{}", exported.split_once('\n').unwrap().1);
    let read =
        read_labels(LabelFormat::Own, &[text("l.csv", &twice)], &Mapping::default(), &questions).unwrap();
    assert_eq!(read.bad_count, study.rows.len() as u64);
    assert_eq!(read.study.rows, study.rows);
    // Without the codebook names and sets are told apart by what stands in the cells.
    let read = read_labels(LabelFormat::Own, &[text("l.csv", &exported)], &Mapping::default(), &[]).unwrap();
    assert!(read.study.rows.iter().any(|row| row.answer == Answer::Value(Value::many::<&str>([]))));
    let damaged = exported.replacen("blind,0", "blind,7", 1);
    let read =
        read_labels(LabelFormat::Own, &[text("l.csv", &damaged)], &Mapping::default(), &questions).unwrap();
    assert_eq!((read.bad_count, read.bad[0].line), (1, 2));
}

#[test]
fn many_rows_are_read_and_measured() {
    let mut content = String::from("item,rater,label\n");
    for number in 0..100_000_u32 {
        let label = number % 7;
        content.push_str(&format!(
            "i{number},ann,{label}\ni{number},ben,{}\n",
            if number % 10 == 0 { 0 } else { label }
        ));
    }
    let read = ratings(&content);
    assert_eq!((read.rows, read.bad_count), (200_000, 0));
    let measured = measure(&read.study);
    assert_eq!(measured[0].joint, 100_000);
    assert!(value(&measured[0], "cohen_kappa") > 0.8);
    let long = long_csv(&read.study);
    assert_eq!(long.bytes().filter(|byte| *byte == b'\n').count(), 200_001);
}
