//! Answers about several files, protected paths, and files that are not UTF-8.

use super::apply_to;
use mendbench::repair::{
    Application, ApplicationOutcome, Asked, ExtractionOutcome, FinishReason, Flag, Form, Policy, Prediction,
    apply, extract, predict,
};
use mendbench::task::{Content, Target};
use std::collections::BTreeMap;

/// Lays an answer into a tree of C files.
fn lay(
    tree: &[(&str, &[u8])],
    targets: &[(&str, Option<&str>)],
    protected: &[&str],
    answer: &str,
) -> (ExtractionOutcome, Application, BTreeMap<String, String>) {
    let contents: Vec<(&str, Content)> =
        tree.iter().map(|(path, bytes)| (*path, Content::new(*bytes))).collect();
    let targets: Vec<Target> = targets
        .iter()
        .map(|(file, function)| Target { file: (*file).to_owned(), function: function.map(str::to_owned) })
        .collect();
    let protected: Vec<String> = protected.iter().map(|pattern| (*pattern).to_owned()).collect();
    let asked = Asked {
        language: "c",
        current: contents.iter().map(|(path, content)| (*path, content)).collect(),
        targets: &targets,
        protected: &protected,
        form: Form::Function,
        place: None,
        policy: Policy::Lenient,
    };
    let extraction = extract(answer, FinishReason::Stop, &asked);
    let application = apply(&asked, extraction.usable(asked.policy));
    let tree = apply_to(&asked, &application);
    let text = |content: &Content| content.latin1();
    let tree = tree.iter().map(|(path, content)| (path.clone(), text(content))).collect();
    (extraction.outcome, application, tree)
}

const A: &[u8] = b"int f(void)\n{\n    return 0;\n}\n";
const B: &[u8] = b"int g(void)\n{\n    return 0;\n}\n";

#[test]
fn one_block_for_each_file() {
    let answer = "src/a.c\n```c\nint f(void)\n{\n    return 1;\n}\n```\n\nAnd `src/b.c`:\n\n```c\nint g(void)\n{\n    return 2;\n}\n```\n";
    let (outcome, application, tree) = lay(
        &[("src/a.c", A), ("src/b.c", B)],
        &[("src/a.c", Some("f")), ("src/b.c", Some("g"))],
        &[],
        answer,
    );
    assert_eq!((outcome, application.outcome), (ExtractionOutcome::Found, ApplicationOutcome::Exact));
    assert!(tree["src/a.c"].contains("return 1;") && tree["src/b.c"].contains("return 2;"));
}

#[test]
fn one_block_for_two_files_is_split_by_targets() {
    let answer = "```c\nint g(void)\n{\n    return 2;\n}\n```\n";
    let (outcome, application, tree) =
        lay(&[("a.c", A), ("b.c", B)], &[("a.c", Some("f")), ("b.c", Some("g"))], &[], answer);
    assert_eq!((outcome, application.outcome), (ExtractionOutcome::Found, ApplicationOutcome::Exact));
    assert_eq!(tree["a.c"].as_bytes(), A);
    assert!(tree["b.c"].contains("return 2;"));
}

#[test]
fn protected_files_stay_and_are_told() {
    let answer = "```diff\n--- a/a.c\n+++ b/a.c\n@@ -3 +3 @@\n-    return 0;\n+    return 1;\n--- a/tests/t.c\n+++ b/tests/t.c\n@@ -3 +3 @@\n-    return 0;\n+    return 9;\n```\n";
    let tree: &[(&str, &[u8])] = &[("a.c", A), ("tests/t.c", B)];
    let (_, application, after) = lay(tree, &[("a.c", Some("f"))], &["tests/**"], answer);
    assert_eq!(application.outcome, ApplicationOutcome::Exact);
    assert_eq!(application.touched_protected, ["tests/t.c"]);
    assert!(application.flags().contains(&Flag::TouchedProtected));
    assert_eq!(after["tests/t.c"].as_bytes(), B);
    assert!(after["a.c"].contains("return 1;"));

    let only = "tests/new.c\n```diff\n--- /dev/null\n+++ b/tests/new.c\n@@ -0,0 +1 @@\n+int x;\n```\n";
    let (_, application, after) = lay(tree, &[("a.c", Some("f"))], &["tests/**"], only);
    assert_eq!(application.outcome, ApplicationOutcome::Rejected);
    assert!(application.why.unwrap().contains("protected"));
    assert_eq!(after.len(), 2);
}

#[test]
fn files_come_go_and_move() {
    let answer = "*** Begin Patch\n*** Add File: new.c\n+int n;\n*** Delete File: b.c\n*** Update File: a.c\n*** Move to: src/a.c\n@@\n-    return 0;\n+    return 1;\n*** End Patch\n";
    let (_, application, tree) = lay(&[("a.c", A), ("b.c", B)], &[("a.c", Some("f"))], &[], answer);
    assert_eq!(application.outcome, ApplicationOutcome::Exact, "{:?}", application.why);
    assert_eq!(tree.keys().collect::<Vec<_>>(), ["new.c", "src/a.c"]);
    assert!(tree["src/a.c"].contains("return 1;"));
}

#[test]
fn all_hunks_or_none() {
    let answer = "```diff\n--- a/a.c\n+++ b/a.c\n@@ -3 +3 @@\n-    return 0;\n+    return 1;\n@@ -9 +9 @@\n-nothing like this\n+at all\n```\n";
    let (_, application, tree) = lay(&[("a.c", A)], &[("a.c", Some("f"))], &[], answer);
    assert_eq!(application.outcome, ApplicationOutcome::Rejected);
    assert!(application.why.unwrap().contains("hunk 2 of 2"));
    assert_eq!(tree["a.c"].as_bytes(), A);
}

#[test]
fn what_is_not_utf8_stays_what_it_is() {
    let file = b"/* caf\xe9 */\nint f(void)\n{\n    return 0; /* \xfc */\n}\n/* \xe4 */\n";
    let (_, application, tree) = lay(
        &[("a.c", file)],
        &[("a.c", Some("f"))],
        &[],
        "```c\nint f(void)\n{\n    return 1; /* ü */\n}\n```",
    );
    assert_eq!(application.outcome, ApplicationOutcome::Exact);
    assert_eq!(tree["a.c"], "/* café */\nint f(void)\n{\n    return 1; /* ü */\n}\n/* ä */\n");
    let (_, application, _) = lay(
        &[("a.c", file)],
        &[("a.c", Some("f"))],
        &[],
        "```c\nint f(void)\n{\n    return 1; /* … → */\n}\n```",
    );
    assert_eq!(application.outcome, ApplicationOutcome::Rejected);
    assert!(application.why.unwrap().contains("Latin-1"));
    let (_, application, _) =
        lay(&[("a.c", b"\0\x01")], &[("a.c", Some("f"))], &[], "```c\nint f(void) { return 1; }\n```");
    assert_eq!(application.outcome, ApplicationOutcome::Rejected);
}

#[test]
fn mixed_line_ends_stay_mixed() {
    let file = b"int f(void)\r\n{\n    int a = 0;\r\n    return a;\n}\r\n";
    let (_, application, tree) = lay(
        &[("a.c", file)],
        &[("a.c", Some("f"))],
        &[],
        "```c\nint f(void)\n{\n    int a = 1;\n    return a;\n}\n```",
    );
    assert_eq!(application.outcome, ApplicationOutcome::Exact);
    assert_eq!(tree["a.c"], "int f(void)\r\n{\n    int a = 1;\r\n    return a;\n}\r\n");
}

#[test]
fn predictions_of_other_tools() {
    let content = Content::new(A);
    let targets = [Target { file: "a.c".to_owned(), function: Some("f".to_owned()) }];
    let asked = Asked {
        language: "c",
        current: [("a.c", &content)].into(),
        targets: &targets,
        protected: &[],
        form: Form::Function,
        place: None,
        policy: Policy::Lenient,
    };
    let wanted = "int f(void)\n{\n    return 1;\n}\n";
    for prediction in [
        Prediction::Code(wanted.to_owned()),
        Prediction::Code("    return 1;".to_owned()),
        Prediction::Patch("--- a/a.c\n+++ b/a.c\n@@ -3 +3 @@\n-    return 0;\n+    return 1;\n".to_owned()),
        Prediction::Patch(
            "*** Begin Patch\n*** Update File: a.c\n@@\n-    return 0;\n+    return 1;\n*** End Patch\n"
                .to_owned(),
        ),
        Prediction::Patch(
            "<<<<<<< SEARCH\n    return 0;\n=======\n    return 1;\n>>>>>>> REPLACE\n".to_owned(),
        ),
        Prediction::RawAnswer(format!("So:\n```c\n{wanted}```\n")),
    ] {
        let predicted = predict(&prediction, &asked);
        assert_eq!(
            apply_to(&asked, &predicted.application)["a.c"],
            Content::from(wanted),
            "{prediction:?} {:?}",
            predicted.application
        );
    }
    let empty = predict(&Prediction::Code(String::new()), &asked);
    assert_eq!(empty.application.outcome, ApplicationOutcome::Rejected);
}
