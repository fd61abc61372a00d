//! Two versions of a codebook: exactly the labels that might be others today are stale.

use super::{HEAD, read};
use mendbench::label::codebook::{Carried, Change, changes};
use mendbench::label::value::Value;

/// The old version: a single question with a hierarchy, a number, a set, an ordinal and a text.
fn old() -> String {
    format!(
        "{HEAD}
[[question]]
id = \"cause\"
text = \"Why?\"
kind = \"single\"
[[question.answer]]
id = \"memory\"
label = \"Memory\"
[[question.answer]]
id = \"leak\"
parent = \"memory\"
key = \"1\"
label = \"Leak\"
definition = \"Not given back.\"
[[question.answer]]
id = \"logic\"
key = \"2\"
label = \"Logic\"
definition = \"Wrong thought.\"
[[question.answer]]
id = \"other\"
key = \"3\"
label = \"Other\"
[[question]]
id = \"lines\"
text = \"How many?\"
kind = \"number\"
max = 100
[[question]]
id = \"tags\"
text = \"Which?\"
kind = \"multiple\"
when = {{ question = \"cause\", answers = [\"logic\"] }}
[[question.answer]]
id = \"x\"
key = \"1\"
label = \"X\"
[[question.answer]]
id = \"y\"
key = \"2\"
label = \"Y\"
"
    )
}

/// What becomes of three labels after the file was changed: `kept` or the reasons.
fn after(edit: &[(&str, &str)]) -> Vec<Result<Value, Vec<Change>>> {
    let mut text = old();
    for (from, to) in edit {
        assert!(text.contains(from), "{from}");
        text = text.replacen(from, to, 1);
    }
    let changes = changes(&read(&old()), &read(&text));
    [
        ("cause", Value::one("leak")),
        ("cause", Value::one("other")),
        ("lines", Value::number(50.0).unwrap()),
        ("tags", Value::many(["x", "y"])),
    ]
    .into_iter()
    .map(|(question, value)| match changes.carry(question, &value) {
        Carried::Kept { value, .. } => Ok(value),
        Carried::Stale(why) => Err(why),
    })
    .collect()
}

#[test]
fn nothing_is_stale_where_nothing_changed_its_meaning() {
    let book = read(&old());
    assert!(changes(&book, &book).is_empty());
    for edit in [
        ("title = \"B\"", "title = \"C\""),
        ("version = 1", "version = 2"),
        ("key = \"1\"", "key = \"9\""),
        ("label = \"Leak\"", "label = \"A leak\""),
        ("definition = \"Not given back.\"", "definition = \"Not  given\\nback.\""),
        ("definition = \"Not given back.\"", "definition = \"Not given back.\"\npositive = [\"x\"]"),
        ("kind = \"single\"", "kind = \"single\"\nrequired = false"),
        ("max = 100", "max = 50"),
        (", answers = [\"logic\"]", ", answers = [\"memory\"]"),
    ] {
        let after = after(&[edit]);
        assert!(after.iter().all(Result::is_ok), "{edit:?} {after:?}");
    }
}

#[test]
fn what_changed_its_meaning_makes_the_labels_of_that_question_stale_and_no_others() {
    for (edit, why) in [
        (("text = \"Why?\"", "text = \"Why not?\""), Change::Text),
        (("kind = \"single\"", "kind = \"ordinal\""), Change::Kind),
        (("Not given back.", "Given back too late."), Change::AnswerMeaning("leak".to_owned())),
        // An answer without definition means what its label says.
        (("label = \"Other\"", "label = \"Rest\""), Change::AnswerMeaning("other".to_owned())),
        (
            (
                "id = \"other\"",
                "id = \"new\"\nkey = \"4\"\nlabel = \"N\"\n[[question.answer]]\nid = \"other\"",
            ),
            Change::AnswerAdded("new".to_owned()),
        ),
        (("id = \"other\"", "id = \"other\"\nparent = \"memory\""), Change::AnswerMoved("other".to_owned())),
    ] {
        let edits = match why {
            Change::Kind => vec![
                edit,
                ("parent = \"memory\"\n", ""),
                ("[[question.answer]]\nid = \"memory\"\nlabel = \"Memory\"\n", ""),
            ],
            _ => vec![edit],
        };
        let after = after(&edits);
        for stale in &after[..2] {
            assert!(stale.as_ref().unwrap_err().contains(&why), "{edit:?} {stale:?}");
        }
        assert!(after[2..].iter().all(Result::is_ok), "{edit:?} {after:?}");
    }
}

#[test]
fn a_removed_answer_makes_stale_what_holds_it() {
    let after = after(&[("[[question.answer]]\nid = \"other\"\nkey = \"3\"\nlabel = \"Other\"\n", "")]);
    assert_eq!(after[0], Ok(Value::one("leak")));
    assert_eq!(after[1], Err(vec![Change::AnswerRemoved("other".to_owned())]));
}

#[test]
fn numbers_are_stale_where_they_are_no_longer_allowed_or_count_something_else() {
    assert!(after(&[("max = 100", "max = 49.5")])[2].is_err());
    assert_eq!(after(&[("max = 100", "unit = \"bytes\"")])[2], Err(vec![Change::Unit]));
}

#[test]
fn renaming_keeps_labels_under_the_new_names() {
    let renamed = [
        ("id = \"cause\"", "id = \"reason\"\nrenamed_from = \"cause\""),
        ("question = \"cause\"", "question = \"reason\""),
        ("id = \"leak\"", "id = \"lost\"\nrenamed_from = [\"drip\", \"leak\"]"),
        ("id = \"memory\"", "id = \"store\"\nrenamed_from = \"memory\""),
        ("parent = \"memory\"", "parent = \"store\""),
        ("id = \"x\"", "id = \"z\"\nrenamed_from = \"x\""),
    ];
    let all = after(&renamed);
    assert_eq!(all[0], Ok(Value::one("lost")));
    assert_eq!(all[1], Ok(Value::one("other")));
    assert_eq!(all[3], Ok(Value::many(["y", "z"])));
    // Without saying that it is the same, it is another.
    let not_said = after(&[("id = \"leak\"", "id = \"lost\"")]);
    let why = not_said[0].as_ref().unwrap_err();
    assert!(why.contains(&Change::AnswerRemoved("leak".to_owned())), "{why:?}");
    let gone = after(&[("id = \"lines\"", "id = \"rows\"")]);
    assert_eq!(gone[2], Err(vec![Change::Removed]));
}

#[test]
fn another_subject_leaves_nothing() {
    let after = after(&[("subject = \"task\"", "subject = \"turn\"")]);
    assert!(after.iter().all(Result::is_err));
}

#[test]
fn the_scale_of_an_ordinal_question_is_part_of_its_meaning() {
    let scale = |order: [&str; 3]| {
        let answers: String = order
            .iter()
            .map(|id| format!("[[question.answer]]\nid = \"{id}\"\nkey = \"{id}\"\nlabel = \"{id}\"\n"))
            .collect();
        read(&format!("{HEAD}[[question]]\nid = \"q\"\ntext = \"?\"\nkind = \"ordinal\"\n{answers}"))
    };
    let (old, turned) = (scale(["0", "1", "2"]), scale(["0", "2", "1"]));
    assert_eq!(changes(&old, &turned).carry("q", &Value::one("0")), Carried::Stale(vec![Change::Order]));
    assert_eq!(old.question("q").unwrap().distance("0", "1"), 0.5);
    assert_eq!(turned.question("q").unwrap().distance("0", "1"), 1.0);
}
