//! What holds for any answer.

use super::apply_to;
use mendbench::dataset::sample_tasks;
use mendbench::repair::{Asked, FinishReason, Form, Policy, Prediction, apply, extract, predict};
use mendbench::task::paths::check_path;
use mendbench::task::{Content, Target};
use proptest::prelude::*;

/// Pieces of which hostile and half-right answers are made.
fn piece() -> impl Strategy<Value = String> {
    let pieces: &[&str] = &[
        "```",
        "```python\n",
        "```c\n",
        "~~~\n",
        "````\n",
        "\n",
        " ",
        "    ",
        "<think>",
        "</think>",
        "<think>\n",
        "\n</think>\n",
        "def two(x):\n",
        "    return y + 1\n",
        "    y = one(x)\n",
        "def one(x):\n",
        "class A:\n",
        "import math\n",
        "@dec\n",
        "\"\"\"",
        "'''",
        "<<<<<<< SEARCH\n",
        "=======\n",
        ">>>>>>> REPLACE\n",
        "--- a/a.py\n",
        "+++ b/a.py\n",
        "+++ /dev/null\n",
        "@@ -1,2 +1,2 @@\n",
        "@@\n",
        "+    return 3\n",
        "-    return y - 1\n",
        "     y = one(x)\n",
        "\\ No newline at end of file\n",
        "*** Begin Patch\n",
        "*** Update File: a.py\n",
        "*** Add File: ../x\n",
        "*** Add File: new.py\n",
        "*** Delete File: a.py\n",
        "*** Move to: b.py\n",
        "*** End Patch\n",
        "diff --git a/a.py b/b.py\n",
        "rename from a.py\n",
        "rename to /etc/x\n",
        "...\n",
        "# ... rest unchanged\n",
        "1 | ",
        ">>> ",
        "{\"code\": \"",
        "\"}",
        "<code>",
        "</code>",
        "\u{feff}",
        "\u{201c}",
        "\r\n",
        "return\n",
        "pass\n",
        "}",
        "{",
        "(",
        "\0",
        "\u{1b}[31m",
    ];
    prop_oneof![8 => proptest::sample::select(pieces).prop_map(str::to_owned), 1 => "\\PC{0,8}", 1 => "[ -~\n]{0,12}"]
}

fn setting() -> impl Strategy<Value = (Form, FinishReason, Policy)> {
    let finish = [FinishReason::Stop, FinishReason::Length, FinishReason::Unknown];
    (
        proptest::sample::select(&Form::ALL[..]),
        proptest::sample::select(finish.to_vec()),
        proptest::sample::select(vec![Policy::Lenient, Policy::Strict]),
    )
}

const FILE: &str = "import os\n\n\ndef one(x):\n    return x\n\n\ndef two(x):\n    y = one(x)\n    return y - 1\n\n\ndef last(x):\n    return x\n";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    /// Whatever comes: no panic, the same result twice, spans inside the answer, no path outside the tree and
    /// no protected path changed.
    #[test]
    fn any_answer(pieces in proptest::collection::vec(piece(), 0..24), (form, finish, policy) in setting()) {
        let answer = pieces.concat();
        let (file, other) = (Content::from(FILE), Content::from("x = 1\n"));
        let targets = [Target { file: "a.py".to_owned(), function: Some("two".to_owned()) }];
        let protected = ["b.py".to_owned(), "tests/**".to_owned()];
        let asked = Asked {
            language: "python", current: [("a.py", &file), ("b.py", &other)].into(), targets: &targets,
            protected: &protected, form, place: None, policy,
        };
        let extraction = extract(&answer, finish, &asked);
        prop_assert_eq!(&extraction, &extract(&answer, finish, &asked));
        for span in extraction.pieces.iter().map(|piece| &piece.span).chain(extraction.rivals.iter().map(|rival| &rival.span)) {
            prop_assert!(answer.get(span.clone()).is_some(), "{:?}", span);
        }
        let application = apply(&asked, extraction.usable(policy));
        prop_assert_eq!(&application, &apply(&asked, extraction.usable(policy)));
        for (path, content) in &application.changes {
            prop_assert!(check_path(path).is_ok(), "{}", path);
            prop_assert!(path != "b.py" && !path.starts_with("tests/"));
            prop_assert!(content.as_ref() != asked.current.get(path.as_str()).copied());
        }
        let json = serde_json::to_string(&(&extraction, &application)).unwrap();
        let back: (mendbench::repair::Extraction, mendbench::repair::Application) = serde_json::from_str(&json).unwrap();
        prop_assert_eq!((extraction, application), back);
    }

    /// A function is replaced and every other byte stays, whatever it is.
    #[test]
    fn bytes_outside_stay(
        before in "(# [ -~é]{0,20}(\r\n|\n)){0,4}", after in "((\r\n|\n)# [ -~]{0,20}){0,4}", marked: bool, crlf: bool,
    ) {
        let mark = if marked { "\u{feff}" } else { "" };
        let end = if crlf { "\r\n" } else { "\n" };
        let current = format!("{mark}{before}def two(x):{end}    return 1{after}");
        let file = Content::from(current.as_str());
        let targets = [Target { file: "a.py".to_owned(), function: Some("two".to_owned()) }];
        let asked = Asked {
            language: "python", current: [("a.py", &file)].into(), targets: &targets, protected: &[],
            form: Form::Function, place: None, policy: Policy::Lenient,
        };
        let answer = "```python\ndef two(x):\n    return 2\n```".to_owned();
        let predicted = predict(&Prediction::RawAnswer(answer), &asked);
        let tree = apply_to(&asked, &predicted.application);
        let text = std::str::from_utf8(tree["a.py"].bytes()).unwrap();
        prop_assert!(text.starts_with(&format!("{mark}{before}def two(x):")), "{:?}", text);
        prop_assert!(text.ends_with(&format!("    return 2{after}")), "{:?}", text);
        prop_assert_eq!(text.len(), current.len());
    }

    /// Any slice of a real file as an answer to its task: no panic, and only files of the task are changed.
    #[test]
    fn slices_of_real_files(number in 0_usize..10, start in 0_usize..4000, length in 0_usize..3000, fenced: bool) {
        let tasks = sample_tasks().tasks;
        let task = &tasks[number % tasks.len()];
        let asked = Asked::of_task(task);
        let text = asked.current[task.targets[0].file.as_str()].text().unwrap();
        let characters: Vec<char> = text.chars().collect();
        let start = start % characters.len();
        let slice: String = characters[start..(start + length).min(characters.len())].iter().collect();
        let answer = if fenced { format!("```\n{slice}\n```\n") } else { slice };
        let predicted = predict(&Prediction::RawAnswer(answer), &asked);
        prop_assert!(predicted.application.changes.keys().all(|path| *path == task.targets[0].file));
    }
}

/// Answers of nothing but openings.
const HOSTILE: [&str; 26] = [
    "```\n",
    "```python\nx\n",
    "<think>",
    "</think>\n",
    "<think>\n",
    "<",
    "<<<<<<< SEARCH\na\n=======\nb\n",
    "@@\n-a\n+b\n",
    "def two(x):\n",
    "((((",
    "`",
    "\"\"\"\n",
    "*** Update File: a.py\n",
    "<code>",
    "1 | x\n",
    "--- a\n+++ b\n",
    "    ",
    "\n",
    "def two(",
    "if x:\n ",
    "</s>",
    "```markdown\n```\n",
    "<<<<<<< SEARCH\n    return y - 1\n=======\n    return y + 1\n>>>>>>> REPLACE\n",
    "```python\ndef two(x):\n    return 1\n```\n",
    "> ```\n",
    "@@\n-    return y - 1\n+    return y - 1\n",
];

fn hostile(length: usize) {
    let file = Content::from(FILE);
    let targets = [Target { file: "a.py".to_owned(), function: Some("two".to_owned()) }];
    let asked = Asked {
        language: "python",
        current: [("a.py", &file)].into(),
        targets: &targets,
        protected: &[],
        form: Form::Function,
        place: None,
        policy: Policy::Lenient,
    };
    for unit in HOSTILE {
        for before in ["", "```diff\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n"] {
            let answer = before.to_owned() + &unit.repeat(length / unit.len());
            let extraction = extract(&answer, FinishReason::Unknown, &asked);
            let application = apply(&asked, extraction.usable(Policy::Lenient));
            assert!(application.changes.keys().all(|path| check_path(path).is_ok()));
        }
    }
}

/// They end, and name no path outside the tree.
#[test]
fn hostile_answers() {
    hostile(100_000);
}

#[test]
#[ignore = "the longest answers that are read, minutes in a debug build; shows that time grows with length only"]
fn hostile_answers_of_ten_megabytes() {
    hostile(10 << 20);
}
