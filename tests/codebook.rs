//! Codebooks: reading them, all that can be wrong with them, what applies, and what a new version makes stale.
#![allow(clippy::unwrap_used)]

#[path = "codebook/hostile.rs"]
mod hostile;
#[path = "codebook/versions.rs"]
mod versions;

use mendbench::keymap::Keymap;
use mendbench::label::codebook::{Applies, Codebook, Kind, ReservedKeys, SHIPPED, Subject, shipped};
use mendbench::label::value::{Labels, Value};

/// Reads a text that must be a codebook.
fn read(text: &str) -> Codebook {
    Codebook::read("book.toml", text, &reserved()).unwrap_or_else(|errors| panic!("{errors}"))
}

/// All that is wrong with a text, as it is told.
fn errors(text: &str) -> Vec<String> {
    let errors = Codebook::read("book.toml", text, &reserved()).unwrap_err();
    errors.0.iter().map(ToString::to_string).collect()
}

fn reserved() -> ReservedKeys {
    ReservedKeys::of(&Keymap::new())
}

fn labels(labels: &[(&str, &str)]) -> Labels {
    labels.iter().map(|(question, answer)| ((*question).to_owned(), Value::one(*answer))).collect()
}

fn asked<'a>(book: &'a Codebook, labels: &Labels) -> Vec<&'a str> {
    book.asked(labels).iter().map(|question| question.id.as_str()).collect()
}

/// The start of every file here.
const HEAD: &str = "schema = 1\nid = \"b\"\ntitle = \"B\"\nversion = 1\nsubject = \"task\"\n";

#[test]
fn what_comes_with_mendbench_can_be_read() {
    for book in SHIPPED {
        let read = book.read(&reserved()).unwrap_or_else(|errors| panic!("{errors}"));
        assert_eq!(read.id, book.id);
        assert!(read.flaws(&reserved()).is_empty());
        assert!(!read.guide.is_empty(), "{}", book.id);
        for question in read.questions.iter().filter(|question| question.kind.is_choice()) {
            for answer in &question.answers {
                assert!(!answer.definition.is_empty(), "{} {} {}", book.id, question.id, answer.id);
            }
        }
        let json = serde_json::to_string(&read).unwrap();
        let again: Codebook = serde_json::from_str(&json).unwrap();
        assert_eq!(again, read);
        assert_eq!(again.stamp(), read.stamp());
    }
    assert!(shipped("nothing").is_none());
}

#[test]
fn the_root_causes_are_those_of_the_study() {
    let book = shipped("defects4c").unwrap().read(&reserved()).unwrap();
    let cause = book.question("root-cause").unwrap();
    let ids: Vec<&str> = cause.categories().map(|answer| answer.id.as_str()).collect();
    assert_eq!(ids, mendbench::task::taxonomy::ERROR_TYPES);
    assert_eq!(cause.path("C.3"), ["C", "C.3"]);
    assert_eq!(cause.distance("A.1", "A.1"), 0.0);
    assert_eq!(cause.distance("A.1", "A.4"), 0.5);
    assert_eq!(cause.distance("A.1", "D.1"), 1.0);
    assert_eq!(cause.distance("A.1", "B"), 1.0);
    assert_eq!(cause.distance("A.1", "nothing"), 1.0);
    assert_eq!(cause.answer_of_key('0').unwrap().id, "D.2");
    assert_eq!(shipped("failure-pattern").unwrap().read(&reserved()).unwrap().subject, Subject::Turn);
}

#[test]
fn what_is_asked_depends_on_what_was_answered() {
    let book = shipped("defects4c").unwrap().read(&reserved()).unwrap();
    let none = Labels::new();
    assert_eq!(asked(&book, &none), ["bug-related", "note"]);
    let cause = book.question("root-cause").unwrap();
    assert_eq!(book.applies(cause, &none), Applies::NotYet);
    assert_eq!(book.missing(&none).len(), 1);

    let no = labels(&[("bug-related", "no")]);
    assert_eq!(asked(&book, &no), ["bug-related", "note"]);
    assert_eq!(book.applies(cause, &no), Applies::No);
    assert!(book.missing(&no).is_empty());

    let mut yes = labels(&[("bug-related", "yes"), ("test-relevant", "no")]);
    assert_eq!(asked(&book, &yes), ["bug-related", "test-relevant", "root-cause", "note"]);
    assert_eq!(book.missing(&yes).iter().map(|question| &*question.id).collect::<Vec<_>>(), ["root-cause"]);
    yes.insert("root-cause".to_owned(), Value::one("B"));
    assert!(book.missing(&yes).is_empty());
    // The first answer turns round: the others stay written and do not count.
    yes.insert("bug-related".to_owned(), Value::one("no"));
    assert_eq!(book.effective(&yes), labels(&[("bug-related", "no")]));
}

#[test]
fn a_condition_on_a_heading_takes_what_stands_under_it() {
    let book = read(&format!(
        "{HEAD}
[[question]]
id = \"cause\"
text = \"?\"
kind = \"multiple\"
[[question.answer]]
id = \"memory\"
label = \"Memory\"
[[question.answer]]
id = \"heap\"
parent = \"memory\"
label = \"Heap\"
[[question.answer]]
id = \"leak\"
parent = \"heap\"
key = \"1\"
label = \"Leak\"
[[question.answer]]
id = \"logic\"
key = \"2\"
label = \"Logic\"
[[question]]
id = \"bytes\"
text = \"How many?\"
kind = \"number\"
min = 0
max = 4096.5
unit = \"bytes\"
when = {{ question = \"cause\", answers = [\"memory\"] }}
[[question]]
id = \"where\"
text = \"Where?\"
kind = \"text\"
when = {{ question = \"cause\", answers = [\"logic\"] }}
"
    ));
    let of = |answers: &[&str]| Labels::from([("cause".to_owned(), Value::many(answers.iter().copied()))]);
    assert_eq!(asked(&book, &of(&["leak"])), ["cause", "bytes"]);
    assert_eq!(asked(&book, &of(&["leak", "logic"])), ["cause", "bytes", "where"]);
    assert_eq!(asked(&book, &of(&[])), ["cause"]);
    assert!(!book.question("where").unwrap().counts);

    let number = |number: f64| Value::number(number).unwrap();
    let said = |question: &str, value: Value, labels: &Labels| {
        book.check(question, &value, labels).map_err(|error| error.to_string())
    };
    assert_eq!(said("bytes", number(4096.5), &of(&["leak"])), Ok(()));
    for (question, value, others, wanted) in [
        ("bytes", number(-1.0), of(&["leak"]), "`bytes`: it must be 0 to 4096.5"),
        ("bytes", number(1.0), of(&["logic"]), "is asked where `cause` is memory"),
        ("bytes", number(1.0), Labels::new(), "waits for an answer to `cause`"),
        ("bytes", Value::one("leak"), of(&["leak"]), "takes a number, not one answer"),
        ("cause", Value::one("leak"), Labels::new(), "takes a set of answers, not one answer"),
        (
            "cause",
            Value::many(["leak", "memory"]),
            Labels::new(),
            "`memory` of `cause` is a heading: choose from leak",
        ),
        (
            "cause",
            Value::many(["lek"]),
            Labels::new(),
            "`lek` is no answer of `cause`: choose from leak, logic",
        ),
        ("where", Value::Text(" \n".to_owned()), of(&["logic"]), "an empty text is no answer"),
        ("where", Value::Text("x".repeat(70_000)), of(&["logic"]), "longer than"),
        (
            "whose",
            Value::one("x"),
            Labels::new(),
            "there is no question `whose`: the codebook asks cause, bytes, where",
        ),
    ] {
        let error = said(question, value, &others).unwrap_err();
        assert!(error.contains(wanted), "{error}");
    }
}

#[test]
fn the_stamp_notices_a_silent_edit_and_nothing_else() {
    let text = format!("{HEAD}[[question]]\nid = \"q\"\ntext = \"Q?\"\nkind = \"yes-no\"\n");
    let stamp = read(&text).stamp();
    assert_eq!(stamp.version, 1);
    assert_eq!(stamp.hash.len(), 64);
    assert!(stamp.to_string().starts_with("1-"));
    let other_order = text.replace("id = \"q\"\ntext = \"Q?\"", "# why\ntext = \"Q?\"\nid   = 'q'");
    assert_eq!(read(&other_order).stamp(), stamp);
    let edited = read(&text.replace("Q?", "Q!")).stamp();
    assert_eq!(edited.version, 1);
    assert_ne!(edited.hash, stamp.hash);
}

#[test]
fn yes_and_no_need_not_be_written_out() {
    let text = format!("{HEAD}[[question]]\nid = \"q\"\ntext = \"Q?\"\nkind = \"yes-no\"\n");
    let short = read(&text);
    assert_eq!(short.questions[0].kind, Kind::YesNo);
    assert_eq!(short.questions[0].answer_of_key('y').unwrap().id, "yes");
    let long = read(&format!("{text}[[question.answer]]\nid = \"no\"\ndefinition = \"Never.\"\n"));
    let no = long.questions[0].answer("no").unwrap();
    assert_eq!((no.key, no.label.as_str(), no.definition.as_str()), (Some('n'), "No", "Never."));
    assert_eq!(long.questions[0].answers.len(), 2);
}
