//! Tables and the methods paragraph: complete, and safe for their readers.

use super::study;
use mendbench::label::export::{RoundFacts, Stage, latex, markdown, methods};
use mendbench::label::phase::Phase;

#[test]
fn the_paragraph_names_n_interval_version_and_deviations() {
    let study = study();
    let text = methods(&study);
    let stamp = &study.codebook.as_ref().unwrap().stamp;
    for words in [
        "2 annotators (ann, ben) labelled 13 items in 1 round (1: 13 items, drawn with seed 7; 13 in all)",
        &format!("(defects4c, version {stamp})"),
        "bug-related (round 1, ann and ben): Cohen's kappa 0.400 (95 % interval",
        ", n = 12)",
        "1 item with one label only left out",
        "root-cause (round 1, ann and ben, items where it was asked of all): Cohen's kappa",
        "root-cause (round 1, ann and ben, all items, \"not applicable\" as a category): Cohen's kappa",
        "Cohen's kappa undefined: expected agreement is 1: everyone always answered `yes` (n = 7)",
        "agreement on revised labels is not agreement of independent judgements",
        "1 contested label was decided by cem, who had labelled none of these items before.",
        "Deviation from the protocol (round 1, 2026-01-02T03:04:05Z): dana looked at the running agreement.",
    ] {
        assert!(text.contains(words), "{words}\n---\n{text}");
    }
    assert!(!text.contains("NaN"));
}

#[test]
fn items_that_were_verified_again_are_never_called_independent() {
    let mut study = study();
    for row in study.rows.iter_mut().take(6) {
        row.seen_before = true;
    }
    let text = methods(&study);
    assert!(text.contains("ann and ben, not independent: 1 item was verified again"), "{text}");
    assert!(markdown(&study).contains("blind\\*"));
    study.deviations.clear();
    study.rows.retain(|row| row.stage == Stage::Blind);
    assert!(methods(&study).contains("No deviation from the protocol was recorded."));
}

#[test]
fn tables_have_their_columns_whatever_stands_in_them() {
    let mut study = study();
    let evil = "a|b & c_d \\input{x} $y$ <z> `q` \u{1b}[31m\u{202e}%#~^\n\\\\";
    for row in &mut study.rows {
        if &*row.annotator == "ben" {
            row.annotator = evil.into();
        }
        row.round = "r&1|".into();
    }
    study.deviations[0].what = evil.to_owned();
    let table = latex(&study);
    let rows: Vec<&str> = table
        .lines()
        .skip_while(|line| *line != "\\midrule")
        .skip(1)
        .take_while(|line| *line != "\\bottomrule")
        .collect();
    assert!(!rows.is_empty());
    for row in rows {
        let separators = row.replace("\\&", "").matches('&').count();
        assert_eq!(separators, 7, "{row}");
        assert!(row.ends_with(" \\\\"), "{row}");
        assert_eq!(row.matches("\\\\").count(), 1, "{row}");
        assert!(!row.contains("\\input"), "{row}");
    }
    let table = markdown(&study);
    for row in table.lines().filter(|line| line.starts_with('|')) {
        assert_eq!(row.replace("\\|", "").matches('|').count(), 9, "{row}");
        assert!(!row.contains('<'), "{row}");
    }
    for text in [latex(&study), markdown(&study), methods(&study)] {
        assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'), "{text}");
    }
}

#[test]
fn of_a_round_that_is_not_over_it_is_said_what_may_still_change() {
    let mut study = study();
    let end = "at the end of the blind phase";
    assert!(methods(&study).contains(end), "it is over, or not known");
    study.rounds[0].phase = Some(Phase::Discussion);
    let text = methods(&study);
    assert!(text.contains(end), "{text}");
    assert!(
        text.contains("The discussion of round 1 has not ended: revised labels may still change."),
        "{text}"
    );
    study.rounds[0].phase = Some(Phase::Adjudication);
    let text = methods(&study);
    assert!(text.contains("The adjudication of round 1 has not ended: revised labels may still"), "{text}");
    assert!(text.contains("before; the adjudication of round 1 has not ended."), "{text}");
    for table in [latex(&study), markdown(&study)] {
        assert!(table.contains("Round 1 is not over: it is in adjudication"), "{table}");
    }
    // In the blind phase.
    study.rows.retain(|row| row.stage == Stage::Blind);
    study.rounds[0].phase = Some(Phase::Labelling);
    let text = methods(&study);
    assert!(!text.contains(end), "{text}");
    assert!(
        text.contains("on the blind labels given so far: the blind phase of round 1 has not ended"),
        "{text}"
    );
    // Beside a round whose blind phase has ended.
    let mut rows = study.rows.clone();
    rows.iter_mut().for_each(|row| row.round = "0".into());
    study.rows.extend(rows);
    let over = RoundFacts { name: "0".to_owned(), phase: None, ..study.rounds[0].clone() };
    study.rounds.insert(0, over);
    let text = methods(&study);
    assert!(
        text.contains("at the end of the blind phase; of round 1, where that phase has not ended"),
        "{text}"
    );
}

#[test]
fn a_number_in_brackets_is_a_revision_and_a_letter_a_note() {
    let table = markdown(&study());
    assert!(table.contains("revised (1)"), "{table}");
    assert!(table.contains("– (a)") && table.contains("(a) Undefined: "), "{table}");
    assert!(!table.contains("\n(1) "), "{table}");
}
