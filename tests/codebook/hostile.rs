//! Files that are no codebooks: all mistakes are told, each with file, line and key, and nothing panics.

use super::{HEAD, errors, reserved};
use mendbench::keymap::Keymap;
use mendbench::label::codebook::{Codebook, Kind, ReservedKeys, SHIPPED};
use proptest::prelude::*;

/// A question of kind single with these answers, each as the lines of its table.
fn single(answers: &[&str]) -> String {
    let answers: String = answers.iter().map(|answer| format!("[[question.answer]]\n{answer}\n")).collect();
    format!("{HEAD}[[question]]\nid = \"q\"\ntext = \"Q?\"\nkind = \"single\"\n{answers}")
}

/// An answer on one line of its own, and its key.
fn answer(id: &str, key: &str) -> String {
    format!("id = \"{id}\"\nlabel = \"L\"\nkey = \"{key}\"")
}

#[test]
fn every_mistake_is_told_with_line_and_key() {
    let good = answer("a", "1");
    let question =
        |more: &str| format!("{HEAD}[[question]]\nid = \"q\"\ntext = \"Q?\"\nkind = \"yes-no\"\n{more}");
    for (text, wanted) in [
        (String::new(), "book.toml:1: `schema` is missing: write `schema = 1`"),
        ("schema = 2\nid = 3".to_owned(), "book.toml:1: `schema` is 2, and this mendbench reads schema 1"),
        ("schema = \"1\"".to_owned(), "book.toml:1: `schema` must be a whole number, not a text"),
        (
            format!("{HEAD}question = 3"),
            "book.toml:6: `question` must be tables: write `[[question]]`, not a whole number",
        ),
        (
            format!("{HEAD}questoin = 3"),
            "book.toml:6: `questoin` is not known here: did you mean `question`?",
        ),
        (HEAD.replace("\"b\"", "\"b c\""), "book.toml:2: `id` cannot be `b c`: an id is 1 to 64 letters"),
        (
            HEAD.replace("version = 1", "version = 0"),
            "book.toml:4: `version` is missing: a whole number from 1",
        ),
        (
            HEAD.replace("version = 1", "version = -1"),
            "book.toml:4: `version` is missing: a whole number from 1",
        ),
        (HEAD.replace("task", "tsk"), "book.toml:5: `subject` cannot be `tsk`: did you mean `task`?"),
        (HEAD.replace("title = \"B\"", ""), "book.toml:1: `title` is missing: a name for people"),
        (HEAD.to_owned(), "`question` is missing: write `[[question]]` at least once"),
        (format!("{HEAD}id = \"b\""), "book.toml:6: `file` is not valid TOML: duplicate key"),
        (question("kind = 1"), "not valid TOML: duplicate key"),
        (question("wen = 1"), "book.toml:10: question `q`: `wen` is not known here: did you mean `when`?"),
        (
            question("counts = 1"),
            "book.toml:10: question `q`: `counts` must be true or false, not a whole number",
        ),
        (
            question("min = 1"),
            "book.toml:10: question `q`: `min` belongs to questions of kind number, and this one is yes-no",
        ),
        (question("when = \"q\""), "book.toml:10: question `q`: `when` must be a table"),
        (
            question("when = { question = \"q\", answers = [\"yes\"] }"),
            "`when` names the question `q`, which is asked later or is this one",
        ),
        (
            question("when = { question = \"p\", answers = [\"yes\"] }"),
            "`when` names the question `p`, and there is none: there is none",
        ),
        (question("when = { answer = [\"yes\"] }"), "`answer` is not known here: did you mean `answers`?"),
        (
            question("[[question.answer]]\nid = \"maybe\"\nkey = \"m\"\nlabel = \"Perhaps\""),
            "`answer` must be `yes` and `no`; other answers need kind single",
        ),
        (
            question("[[question]]\nid = \"q\"\ntext = \"R?\"\nkind = \"text\""),
            "book.toml:11: question `q`: `id` `q` is taken already, by number 1, `q`",
        ),
        (
            question("[[question]]\nid = \"Q\"\ntext = \"R?\"\nkind = \"text\""),
            "`id` `Q` is taken already, by number 1, `q`",
        ),
        (
            question("[[question]]\nid = \"r\"\nrenamed_from = \"q\"\ntext = \"R?\"\nkind = \"text\""),
            "book.toml:12: question `r`: `renamed_from` `q` is taken already",
        ),
        (
            question("[[question]]\nid = \"r\"\ntext = \"R?\"\nkind = \"text\"\ncounts = true"),
            "question `r`: `counts` cannot be true for texts",
        ),
        (
            question("[[question]]\nid = \"r\"\ntext = \"R?\"\nkind = \"number\"\nmin = 2\nmax = 1"),
            "question `r`: `min` 2 is larger than `max`, 1",
        ),
        (
            question("[[question]]\nid = \"r\"\ntext = \"R?\"\nkind = \"number\"\nmin = nan"),
            "question `r`: `min` must be a finite number, not a number with a point",
        ),
        (
            question(
                "[[question]]\nid = \"r\"\ntext = \"R?\"\nkind = \"text\"\nwhen = { question = \"q\", answers = [\"yse\"] }",
            ),
            "`when` names the answer `yse`, and `q` has no such answer: did you mean `yes`?",
        ),
        (
            question(
                "[[question]]\nid = \"r\"\ntext = \"R?\"\nkind = \"text\"\nwhen = { question = \"q\", answers = [] }",
            ),
            "`when` is missing: `answers`",
        ),
        (
            question("[[question]]\ntext = \"R?\"\nkind = \"text\""),
            "book.toml:10: question `number 2`: `id` is missing",
        ),
        (
            question("[[question]]\nid = \"not-applicable\"\ntext = \"R?\"\nkind = \"text\""),
            "`id` cannot be `not-applicable`: exports use it",
        ),
        (single(&[&good]), "`answer` must be there at least twice with a key"),
        (
            single(&[&good, &answer("b", "1")]),
            "book.toml:17: question `q`, answer `b`: `key` `1` is the key of `a` already",
        ),
        (
            single(&[&good, &answer("a", "2")]),
            "book.toml:15: question `q`, answer `a`: `id` `a` is taken already, by number 1, `a`",
        ),
        (
            single(&[&good, &answer("b", "q")]),
            "`key` `q` is not free: it means \"Leave mendbench\" in the workbench; free are the digits and a b",
        ),
        (single(&[&good, &answer("b", "j")]), "`key` `j` is not free: it means \"Move down\""),
        (single(&[&good, &answer("b", "g")]), "`key` `g` is not free"),
        (single(&[&good, &answer("b", "ab")]), "`key` cannot be `ab`: a key is one visible character"),
        (
            single(&[&good, &answer("b", "\\u0007")]),
            "`key` cannot be `\\u{7}`: a key is one visible character",
        ),
        (single(&[&good, &answer("b", "\\u202e")]), "a key is one visible character"),
        (single(&[&good, &answer("b", "")]), "`key` cannot be ``: a key is one visible character"),
        (
            single(&[&good, "id = \"b\"\nlabel = \"L\""]),
            "book.toml:14: question `q`, answer `b`: `key` is missing: an answer needs a key, unless",
        ),
        (
            single(&[&good, &format!("{}\nparent = \"aa\"", answer("b", "2"))]),
            "book.toml:18: question `q`, answer `b`: `parent` names `aa`, and the question has no such answer: known are a",
        ),
        (
            single(&[&good, &format!("{}\nparent = \"b\"", answer("b", "2"))]),
            "`parent` goes round in a circle: `b` → `b`",
        ),
        (
            single(&[&format!("{good}\nparent = \"b\""), &format!("{}\nparent = \"a\"", answer("b", "2"))]),
            "`parent` goes round in a circle: `a` → `b` → `a`",
        ),
        (
            single(&[&good, &format!("{}\nparent = \"a\"", answer("b", "2"))]).replace("single", "ordinal"),
            "`parent` makes no sense in a question of kind ordinal",
        ),
        (
            single(&[&good, &answer("b", "2")]).replace("single", "text"),
            "`answer` makes no sense in a question of kind text",
        ),
        (
            single(&[&good, &format!("{}\npositive = \"x\"", answer("b", "2"))]),
            "`positive` must be a list of texts in quotes, not a text",
        ),
        (
            single(&[&good, &format!("{}\nnegative = [1]", answer("b", "2"))]),
            "`negative` must be a list of texts in quotes, not a whole number",
        ),
    ] {
        let told = errors(&text);
        assert!(told.iter().any(|told| told.contains(wanted)), "wanted {wanted}\ntold {told:#?}\nof\n{text}");
        assert_eq!(told.len(), told.iter().collect::<std::collections::BTreeSet<_>>().len(), "{told:#?}");
    }
}

#[test]
fn all_mistakes_of_a_file_are_told_at_once_and_in_order() {
    let text = format!(
        "{}nonsense = 1\n[[question]]\nid = \"q q\"\nkind = \"chioce\"\n[[question.answer]]\nid = \"a\"\nkey = \"q\"\nparent = \"z\"\n",
        HEAD.replace("task", "tusk")
    );
    let told = errors(&text);
    let lines: Vec<&str> = told.iter().filter_map(|told| told.split(':').nth(1)).collect();
    assert!(lines.is_sorted_by_key(|line| line.parse::<usize>().unwrap()), "{told:#?}");
    for key in ["subject", "nonsense", "id", "text", "kind", "key", "parent", "label"] {
        assert!(told.iter().any(|told| told.contains(&format!("`{key}`"))), "{key}: {told:#?}");
    }
}

#[test]
fn keys_that_the_user_moved_are_free_and_the_new_ones_are_not() {
    let moved = Keymap::new().with_overrides("config.toml", "[keys.global]\nquit = [\"y\"]\n").unwrap();
    let reserved = ReservedKeys::of(&moved);
    let told = SHIPPED[0].read(&reserved).unwrap_err().to_string();
    assert!(told.contains("`key` `y` is not free: it means \"Leave mendbench\""), "{told}");
    let text = single(&[&answer("a", "1"), &answer("b", "q")]);
    assert!(Codebook::read("book.toml", &text, &reserved).is_ok());
    assert!(Codebook::read("book.toml", &text, &ReservedKeys::none()).is_ok());
}

#[test]
fn a_codebook_from_elsewhere_is_asked_for_its_flaws() {
    let mut book = SHIPPED[0].read(&reserved()).unwrap();
    for answer in &mut book.questions[2].answers {
        answer.parent = Some("A".to_owned());
    }
    book.questions[0].when = book.questions[1].when.clone();
    book.questions.push(book.questions[0].clone());
    let json = serde_json::to_string(&book).unwrap();
    let book: Codebook = serde_json::from_str(&json).unwrap();
    assert!(book.flaws(&reserved()).len() >= 3);
    // What is asked about it must end all the same.
    for question in &book.questions {
        book.applies(question, &super::labels(&[("bug-related", "yes")]));
        for answer in &question.answers {
            question.path(&answer.id);
            question.distance(&answer.id, "A.1");
        }
    }
    for bad in [
        json.replace("\"version\":1", "\"version\":1,\"extra\":2"),
        json.replace("yes-no", "perhaps"),
        json[..json.len() / 2].to_owned(),
    ] {
        assert!(serde_json::from_str::<Codebook>(&bad).is_err());
    }
}

#[test]
fn sizes_are_bounded() {
    let many: Vec<String> = (0..500).map(|number| answer(&format!("a{number}"), "1")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let told = errors(&single(&many));
    assert!(told.iter().any(|told| told.contains("has 401 entries, more than 400")), "{:#?}", &told[..3]);
    let questions: String = (0..300)
        .map(|number| format!("[[question]]\nid = \"q{number}\"\ntext = \"?\"\nkind = \"yes-no\"\n"))
        .collect();
    let told = errors(&format!("{HEAD}{questions}"));
    assert_eq!(told.len(), 1, "{told:#?}");
    assert!(told[0].contains("more than 200"), "{told:#?}");
    let deep = format!("{HEAD}x = {}{}", "[".repeat(50_000), "]".repeat(50_000));
    assert!(!errors(&deep).is_empty());
    let long = "n".repeat(100_000);
    let told = errors(&format!(
        "{HEAD}{long} = 1\n[[question]]\nid = \"{long}\"\ntext = \"{long}\"\nkind = \"{long}\"\n"
    ));
    assert!(told.iter().all(|told| told.len() < 600), "{}", told.iter().map(String::len).max().unwrap());
}

proptest! {
    /// Any text at all, and any damage to a good file, gives a codebook or errors, and a codebook that was read has
    /// no flaws.
    #[test]
    fn damaged_files_give_errors_or_sound_codebooks(
        book in 0..SHIPPED.len(),
        cuts in proptest::collection::vec((any::<prop::sample::Index>(), "[\\PC\n\"\\[\\]={}]{0,6}", 0..40_usize), 1..6),
    ) {
        let mut text = SHIPPED[book].text.to_owned();
        for (at, put, gone) in cuts {
            let place = |index: usize, text: &str| (0..=index.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
            let from = place(at.index(text.len()), &text);
            let to = place(from + gone, &text).max(from);
            text.replace_range(from..to, &put);
        }
        match Codebook::read("book.toml", &text, &reserved()) {
            Ok(book) => {
                prop_assert!(book.flaws(&reserved()).is_empty());
                for question in &book.questions {
                    prop_assert!(question.kind != Kind::Text || !question.counts);
                    for answer in question.categories() {
                        prop_assert!(question.path(&answer.id).len() <= question.answers.len());
                    }
                }
            }
            Err(errors) => {
                prop_assert!(!errors.0.is_empty());
                let lines = text.lines().count() + 1;
                prop_assert!(errors.0.iter().all(|error| (1..=lines).contains(&error.line)));
            }
        }
    }

    #[test]
    fn any_text_is_read_without_panic(text in "\\PC{0,200}") {
        if let Err(errors) = Codebook::read("book.toml", &text, &reserved()) {
            prop_assert!(!errors.to_string().is_empty());
        }
    }
}
