//! Files as people and programs write them, good and bad.
#![allow(clippy::unwrap_used)]

use super::*;

fn read_with(text: &str, layout: &Layout) -> Result<RatingsFile, RatingsError> {
    let bytes = read_text("file.csv", text.as_bytes())?;
    read_ratings(&[("file.csv".to_owned(), bytes)], layout)
}

fn read(text: &str) -> RatingsFile {
    read_with(text, &Layout::default()).unwrap()
}

fn labels(sheet: &Sheet, rater: usize) -> Vec<Option<&str>> {
    let text = |cell: Cell| cell.label.map(|label| sheet.labels.texts()[label].as_str());
    sheet.cells(rater).map(|cell| cell.and_then(text)).collect()
}

#[test]
fn long_files_in_every_dress_read_the_same() {
    let plain = "item,rater,label\n1,ann,yes\n1,ben,no\n2,ann,yes\n";
    let wanted = read(plain);
    let sheet = &wanted.sheets[0];
    assert_eq!((sheet.question.as_deref(), wanted.rows, wanted.bad_count), (None, 3, 0));
    assert_eq!(sheet.raters.texts(), ["ann", "ben"]);
    assert_eq!(labels(sheet, 0), [Some("yes"), Some("yes")]);
    assert_eq!(labels(sheet, 1), [Some("no"), None]);
    for other in [
        format!("\u{feff}{plain}"),
        plain.replace('\n', "\r\n"),
        "\"item\",\"rater\",\"label\"\n\"1\",\"ann\",\"yes\"\n1,ben,no\n2,ann,yes".to_owned(),
        " item , rater,label \n1,ann,yes\n1,ben,no\n2,ann,yes\n".to_owned(),
        plain.replace("1,ben", "\n\n1,ben"),
    ] {
        let found = read(&other);
        assert_eq!(labels(&found.sheets[0], 1), labels(sheet, 1), "{other:?}");
        assert_eq!(found.sheets[0].raters, sheet.raters, "{other:?}");
    }
}

#[test]
fn questions_and_rounds_are_sheets_of_their_own() {
    let found =
        read("item,rater,label,question,round\n1,a,x,bug,1\n1,a,y,type,1\n1,a,z,bug,2\n1,b,x,bug,1\n");
    let keys: Vec<_> =
        found.sheets.iter().map(|sheet| (sheet.question.as_deref(), sheet.round.as_deref())).collect();
    assert_eq!(keys, [(Some("bug"), Some("1")), (Some("type"), Some("1")), (Some("bug"), Some("2"))]);
    assert_eq!(found.sheets[0].raters.len(), 2);
}

#[test]
fn wide_files_have_a_column_for_each_rater() {
    let layout = Layout { wide: true, ..Layout::default() };
    let found = read_with("item,ann,ben\n1,yes,no\n2,,no\n2,yes,yes\n", &layout).unwrap();
    let sheet = &found.sheets[0];
    assert_eq!(sheet.raters.texts(), ["ann", "ben"]);
    assert_eq!(labels(sheet, 0), [Some("yes"), None]);
    assert_eq!((found.missing, found.bad_count), (1, 1));
    assert_eq!((found.bad[0].line, found.bad[0].reason.as_str()), (4, "duplicate"));
    let chosen = Layout { raters: vec!["ben".to_owned()], ..layout };
    let found = read_with("item,ann,ben,note\n1,yes,no,x\n", &chosen).unwrap();
    assert_eq!(found.sheets[0].raters.texts(), ["ben"]);
}

#[test]
fn bad_rows_are_all_told_with_their_lines_and_the_rest_is_read() {
    let text = "item,rater,label\n1,ann,yes\n1,ann,yes\n1,ann,no\n2,ann\n3,ann,yes,more\n,ann,yes\n4,,yes\n5,ann,no\n6,ann,\"never closed\n7,ann,yes\n";
    let found = read(text);
    let told: Vec<(u64, &str)> = found.bad.iter().map(|bad| (bad.line, bad.reason.as_str())).collect();
    assert_eq!(
        told,
        [
            (3, "duplicate"),
            (4, "duplicate"),
            (5, "ragged"),
            (6, "ragged"),
            (7, "empty-field"),
            (8, "empty-field"),
            (10, "line-break"),
        ]
    );
    assert_eq!((found.rows, found.bad_count), (9, 7));
    assert_eq!(found.sheets[0].items.texts(), ["1", "5"]);
    assert!(found.bad[0].reason.to_string().contains("with the same label; first on line 2"));
    assert!(found.bad[1].reason.to_string().contains("with another label"));
    assert!(found.bad[2].reason.to_string().contains("2 fields where there are 3 columns"));
    assert!(found.bad[6].reason.to_string().contains("is a quote not closed?"));
}

#[test]
fn lines_are_those_of_an_editor() {
    for (text, wanted) in [
        ("item,rater,label\r\n1,a,x\r\n2\r\n3\r\n", vec![3, 4]),
        ("item,rater,label\n\n\n1\n\n2\n", vec![4, 6]),
        ("item,rater,label\r1,a,x\r2\r", vec![3]),
        ("\n\nitem,rater,label\n\"1\n1\",a,x\n2\n", vec![4, 6]),
        ("\u{feff}item,rater,label\r\n\r\n1", vec![3]),
    ] {
        let found: Vec<u64> = read(text).bad.iter().map(|bad| bad.line).collect();
        assert_eq!(found, wanted, "{text:?}");
    }
}

#[test]
fn bytes_that_are_no_text_are_a_bad_row() {
    let bytes = b"item,rater,label\n1,ann,\xff\xfe\n2,ann,yes\n".to_vec();
    let found = read_ratings(&[("f".to_owned(), bytes)], &Layout::default()).unwrap();
    assert_eq!((found.bad[0].line, found.bad[0].reason.as_str()), (2, "not-utf8"));
    assert_eq!(found.sheets[0].items.len(), 1);
}

#[test]
fn a_duplicate_in_another_file_names_that_file() {
    let file = |name: &str| (name.to_owned(), b"item,rater,label\n1,ann,yes\n".to_vec());
    let found = read_ratings(&[file("one.csv"), file("two.csv")], &Layout::default()).unwrap();
    assert_eq!(found.bad[0].file, "two.csv");
    assert!(found.bad[0].reason.to_string().contains("`one.csv` line 2"), "{}", found.bad[0].reason);
}

#[test]
fn odd_spellings_stay_apart_and_are_found() {
    let text = "item,rater,label\n1,ann,Bug\n2,ann,bug \n3,ann,bug\n4,ann,other\n5,ann,  \n";
    let found = read(text);
    assert_eq!(found.sheets[0].labels.texts(), ["Bug", "bug ", "bug", "other"]);
    assert_eq!((found.missing, found.blank), (1, 1));
    let texts = found.sheets[0].labels.texts().iter().map(String::as_str);
    assert_eq!(lookalikes(texts), [vec!["Bug", "bug ", "bug"]]);
    let folded = read_with(text, &Layout { fold: true, ..Layout::default() }).unwrap();
    assert_eq!(folded.sheets[0].labels.texts(), ["Bug", "other"]);
    assert_eq!(folded.folded, 2);
}

#[test]
fn words_for_missing_are_missing_when_said_so() {
    let text = "item,rater,label\n1,ann,NA\n2,ann,no\n";
    assert_eq!(read(text).missing, 0);
    let layout = Layout { missing: vec!["NA".to_owned()], ..Layout::default() };
    assert_eq!(read_with(text, &layout).unwrap().missing, 1);
}

#[test]
fn what_cannot_be_read_says_what_is_there_and_what_to_do() {
    let wide = Layout { wide: true, ..Layout::default() };
    let twice =
        Layout { columns: Columns { rater: "item".to_owned(), ..Columns::default() }, ..Layout::default() };
    for (text, layout, words) in [
        ("", &Layout::default(), vec!["`file.csv` is empty"]),
        ("\r\n \n", &Layout::default(), vec!["is empty"]),
        ("item,rater,label\n", &Layout::default(), vec!["column names and no rows"]),
        (
            "item,Rater,lable\n1,a,b\n",
            &Layout::default(),
            vec!["no columns `rater`, `label`", "`item`, `Rater`, `lable`", "--rater Rater --label lable"],
        ),
        ("item;rater;label\n1;a;b\n", &Layout::default(), vec!["--delimiter ';'"]),
        ("id,ann\n1,a\n", &wide, vec!["no column `item`", "`id`, `ann`"]),
        ("item,ann,ann\n1,a,b\n", &wide, vec!["two columns `ann`"]),
        ("item,label\n1,a\n", &twice, vec!["cannot be both item and rater"]),
        ("item,rater,label,label\n1,a,b,c\n", &Layout::default(), vec!["two columns `label`"]),
    ] {
        let error = read_with(text, layout).unwrap_err().to_string();
        for word in words {
            assert!(error.contains(word), "{text:?}: {word:?} is not in {error}");
        }
    }
    let utf16 = read_text("file.csv", &b"\xff\xfei\0"[..]).unwrap_err().to_string();
    assert!(utf16.contains("UTF-16"), "{utf16}");
}

#[test]
fn tables_have_names_or_none() {
    let numbers =
        |matrix: &Matrix| -> Vec<Vec<f64>> { matrix.rows.iter().map(|row| row.numbers.clone()).collect() };
    let wanted = vec![vec![20.0, 5.0], vec![10.0, 15.0]];
    for text in [
        "20,5\n10,15\n",
        "yes,no\n20,5\n10,15\n",
        ",yes,no\nyes,20,5\nno,10,15\n",
        "yes,no\nyes,20,5\nno,10,15\n",
    ] {
        let matrix = parse_matrix("t", text.as_bytes(), b',').unwrap();
        assert_eq!(numbers(&matrix), wanted, "{text}");
        assert_eq!(matrix.columns.is_some(), text.contains("yes"), "{text}");
    }
    for (text, word) in [
        ("1,2\n3\n", "line 2: a row of 1"),
        ("1,2\n3,x\n", "`x` is not a number"),
        ("a,b\n", "no rows"),
        ("1,2\n3,inf\n", "not a number"),
    ] {
        let error = parse_matrix("t", text.as_bytes(), b',').unwrap_err().to_string();
        assert!(error.contains(word), "{text:?}: {error}");
    }
    assert!(looks_inline("20,5; 10,15") && looks_inline("20 5;10 15"));
    assert!(!looks_inline("table.csv") && !looks_inline("2024") && !looks_inline("a,b"));
}
