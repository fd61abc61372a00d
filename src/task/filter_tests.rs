//! Tests of filter expressions.
#![allow(clippy::unwrap_used)]
use super::*;
use crate::task::table::Summary;
use proptest::prelude::*;

fn table() -> TaskTable {
    let mut table = TaskTable::new();
    let base = Summary {
        dataset: "samples",
        id: "c-ring-buffer",
        group: "c-ring-buffer",
        title: "Ring buffer reports full too early",
        kind: Kind::Repair,
        language: "c",
        error_type: "B",
        class: Some(FaultClass::Bug),
        granularity: Some(Granularity::Line),
        added: 1,
        removed: 1,
        tests: 6,
        marks: 0,
        key: 0,
    };
    let rows = [
        base,
        Summary {
            id: "py-cache",
            title: "Cache returns stale prices",
            language: "python",
            error_type: "C.2",
            granularity: Some(Granularity::Function),
            added: 9,
            ..base
        },
        Summary {
            id: "rust-merge",
            title: "Merge drops touching intervals",
            language: "rust",
            error_type: "",
            class: None,
            granularity: None,
            marks: MarkKind::Identical.bit(),
            added: 0,
            removed: 0,
            ..base
        },
        Summary {
            id: "js-emitter",
            title: "Listener is skipped",
            language: "javascript",
            error_type: "D.2",
            class: Some(FaultClass::Vulnerability),
            kind: Kind::Feature,
            group: "emitters",
            ..base
        },
    ];
    for row in rows {
        assert!(table.push(&row));
    }
    table
}

fn ids(expression: &str) -> Vec<String> {
    let table = table();
    let all: Vec<u32> = (0..table.len() as u32).collect();
    let filter = Filter::parse(expression).unwrap();
    filter
        .select(&table, &all, &|| false)
        .into_iter()
        .map(|(row, _)| table.get(row).unwrap().id.to_owned())
        .collect()
}

#[test]
fn fields_narrow_the_list() {
    let all = ["c-ring-buffer", "py-cache", "rust-merge", "js-emitter"];
    let cases: &[(&str, &[usize])] = &[
        ("", &[0, 1, 2, 3]),
        ("lang:c", &[0]),
        ("lang:py", &[1]),
        ("lang:C,JS", &[0, 3]),
        ("-lang:c", &[1, 2, 3]),
        ("kind:feature", &[3]),
        ("type:B", &[0]),
        ("type:b", &[0]),
        ("type:C", &[1]),
        ("type:C.2", &[1]),
        ("type:C.", &[]),
        ("type:none", &[2]),
        ("granularity:line", &[0, 3]),
        ("granularity:none", &[2]),
        ("class:vuln", &[3]),
        ("group:emitters", &[3]),
        ("dataset:samples lang:rust", &[2]),
        ("mark:any", &[2]),
        ("mark:identical", &[2]),
        ("mark:none", &[0, 1, 3]),
        ("changed:>2", &[1]),
        ("changed:2", &[0, 3]),
        ("changed:0..2", &[0, 2, 3]),
        ("changed:<1", &[2]),
        ("changed:<0", &[]),
        ("id:buffer", &[0]),
        ("lang:", &[0, 1, 2, 3]),
        ("rngbuf", &[0]),
        ("stale cache", &[1]),
        ("\"ring buffer\"", &[0]),
        ("lang:c stale", &[]),
    ];
    for (expression, expected) in cases {
        let expected: Vec<&str> = expected.iter().map(|i| all[*i]).collect();
        assert_eq!(ids(expression), expected, "{expression}");
    }
}

#[test]
fn errors_name_the_nearest_field_and_the_allowed_values() {
    let error = Filter::parse("langg:c").unwrap_err().to_string();
    assert!(error.contains("did you mean `lang:`"), "{error}");
    let error = Filter::parse("granularity:lines").unwrap_err().to_string();
    assert!(error.contains("line, hunk, function, file, repository"), "{error}");
    assert_eq!(Filter::parse("\"open"), Err(FilterError::OpenQuote));
    assert!(Filter::parse("changed:many").unwrap_err().to_string().contains("changed:>10"));
    assert_eq!(Filter::parse("std::vector").unwrap().words(), ["std::vector"]);
    assert_eq!(Filter::parse("\"lang:c\"").unwrap().words(), ["lang:c"]);
}

#[test]
fn full_text_terms_are_left_to_whoever_holds_the_texts() {
    let filter = Filter::parse("text:\"use after\" -text:free lang:c").unwrap();
    assert_eq!(filter.texts(), [("use after".to_owned(), false), ("free".to_owned(), true)]);
    assert!(!filter.ranks());
    let filter = Filter::parse("text:== text:\" a,  b \" text:").unwrap();
    assert_eq!(filter.texts(), [("==".to_owned(), false), (" a,  b ".to_owned(), false)]);
}

#[test]
fn positions_point_at_the_matched_characters() {
    let filter = Filter::parse("ring").unwrap();
    assert_eq!(filter.positions("é ring"), [2, 3, 4, 5]);
}

#[test]
fn typing_on_narrows_and_changing_a_field_does_not() {
    let filter = |expression: &str| Filter::parse(expression).unwrap();
    assert!(filter("ri").narrows(&filter("r")));
    assert!(filter("ring bu").narrows(&filter("ring")));
    assert!(filter("lang:c ring").narrows(&filter("lang:c")));
    assert!(!filter("lang:cpp").narrows(&filter("lang:c")));
    assert!(!filter("r").narrows(&filter("ri")));
    assert!(!filter("xring").narrows(&filter("ring")));
}

proptest! {
    #[test]
    fn no_expression_panics(expression in "\\PC{0,40}") {
        let table = table();
        if let Ok(filter) = Filter::parse(&expression) {
            let all: Vec<u32> = (0..table.len() as u32).collect();
            let selected = filter.select(&table, &all, &|| false);
            prop_assert!(selected.len() <= table.len());
        }
    }

    #[test]
    fn a_narrowing_filter_selects_a_part(older in "[a-z ]{0,3}", more in "[a-zA-Z ]{0,3}") {
        let table = table();
        let all: Vec<u32> = (0..table.len() as u32).collect();
        let (Ok(older), Ok(newer)) = (Filter::parse(&older), Filter::parse(&format!("{older}{more}"))) else { return Ok(()) };
        if newer.narrows(&older) {
            let before: Vec<u32> = older.select(&table, &all, &|| false).into_iter().map(|(row, _)| row).collect();
            let after: Vec<u32> = newer.select(&table, &all, &|| false).into_iter().map(|(row, _)| row).collect();
            prop_assert!(after.iter().all(|row| before.contains(row)));
        }
    }

    #[test]
    fn the_letter_test_never_loses_a_match(word in "[a-zA-Z0-9]{1,4}") {
        // Without the quick refusal every row is asked by the matcher itself.
        let table = table();
        let all: Vec<u32> = (0..table.len() as u32).collect();
        let filter = Filter::parse(&word).unwrap();
        let found: Vec<u32> = filter.select(&table, &all, &|| false).into_iter().map(|(row, _)| row).collect();
        let asked: Vec<u32> = all.into_iter().filter(|row| !filter.positions(table.haystack(*row)).is_empty()).collect();
        prop_assert_eq!(found, asked);
    }
}

#[test]
fn accents_hide_nothing() {
    let mut table = TaskTable::new();
    let summary = Summary {
        dataset: "d",
        id: "1",
        group: "1",
        title: "Résumé · naïve",
        kind: Kind::Repair,
        language: "c",
        error_type: "",
        class: None,
        granularity: None,
        added: 0,
        removed: 0,
        tests: 0,
        marks: 0,
        key: 0,
    };
    assert!(table.push(&summary));
    for (words, found) in [("resume", 1), ("résumé", 1), ("naive", 1), ("rsm", 1), ("resumes", 0), ("·", 1)]
    {
        assert_eq!(Filter::parse(words).unwrap().select(&table, &[0], &|| false).len(), found, "{words}");
    }
}

#[test]
fn labels_are_asked_where_they_are_at_hand() {
    use crate::task::tags::{Tag, Tags};
    for ask in ["label:flagged", "-label:q=yes", "lang:c disagree:q"] {
        let error = Filter::parse_without_labels(ask).unwrap_err().to_string();
        assert!(error.contains("in the workbench only"), "{error}");
        assert!(Filter::parse(ask).unwrap().asks_labels());
    }
    assert!(Filter::parse_without_labels("lang:c flagged").is_ok());
    for bad in ["label:flaged", "label:=yes", "label:q="] {
        assert!(Filter::parse(bad).unwrap_err().to_string().contains("question=answer"), "{bad}");
    }
    let mut table = TaskTable::new();
    let task = crate::task::Task::new("d", "1");
    for key in 0..3 {
        table.push(&Summary::of(&task, None, 0, 0, key));
    }
    let one = Tag {
        mine: true,
        open: true,
        answers: vec![("q".to_owned(), "a,b".to_owned())],
        contested: vec!["q".to_owned()],
        ..Tag::default()
    };
    let two = Tag { mine: true, flagged: true, ..Tag::default() };
    let tags: Tags = [(0, one), (1, two)].into_iter().collect();
    let tags = Arc::new(tags);
    for (ask, wanted) in [
        ("label:unlabelled", &[0][..]),
        ("label:labelled", &[1]),
        ("label:unlabelled,flagged", &[0, 1]),
        ("-label:labelled", &[0, 2]),
        ("label:Q=B", &[0]),
        ("label:q=c", &[]),
        ("disagree:q", &[0]),
        ("disagree:any", &[0]),
        ("disagree:other", &[]),
    ] {
        let filter = Filter::parse(ask).unwrap().with_tags(Some(tags.clone()));
        let rows: Vec<u32> =
            filter.select(&table, &[0, 1, 2], &|| false).iter().map(|(row, _)| *row).collect();
        assert_eq!(rows, wanted, "{ask}");
    }
    let untold = Filter::parse("label:labelled").unwrap();
    assert!(untold.select(&table, &[0, 1, 2], &|| false).is_empty());
}
