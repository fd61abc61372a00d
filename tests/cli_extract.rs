//! `mendbench extract`: what a run would read in an answer, for people, for git and for programs.
#![allow(clippy::unwrap_used)]

mod cli_rig;

use cli_rig::Home;

const ANSWER: &str = "Check first:\n\n```c\nint rb_push(struct rb *rb, int v)\n{\n    if (rb->len == rb->cap) return -1;\n    return 0;\n}\n```\n";

#[test]
fn an_answer_that_can_be_used() {
    let home = Home::new();
    home.write("answer.md", ANSWER);
    let ran = home.run(&["extract", "c-ring-buffer", "answer.md"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}", ran.out);
    for line in [
        "extraction  found",
        "application exact",
        "chosen      code at lines 4 to 8, only-block",
        "+    if (rb->len == rb->cap) return -1;",
        "-    rb->len++;",
    ] {
        assert!(ran.out.lines().any(|own| own == line), "{line}\n{}", ran.out);
    }
    let ran = home.run(&["extract", "c-ring-buffer", "answer.md", "--json"]);
    let json: Vec<serde_json::Value> =
        ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(json.len(), 1);
    assert_eq!(json[0]["type"], "extraction");
    assert_eq!(
        (json[0]["extraction"].as_str(), json[0]["application"].as_str()),
        (Some("found"), Some("exact"))
    );
    assert_eq!(json[0]["pieces"][0]["rule"], "only-block");
    let patch = home.run(&["extract", "c-ring-buffer", "answer.md", "--patch"]);
    assert_eq!(json[0]["patch"].as_str().unwrap(), patch.out);
    assert!(patch.out.starts_with("diff --git a/src/ring_buffer.c b/src/ring_buffer.c\n"));
}

#[test]
fn an_answer_that_cannot() {
    let home = Home::new();
    home.write("answer.md", "I'm sorry, but I can't help with that.\u{1b}[2J\n");
    let ran = home.run(&["extract", "c-ring-buffer", "answer.md"]);
    assert_eq!(ran.code, 1);
    assert!(ran.out.contains("extraction  refusal\napplication rejected\n"), "{}", ran.out);
    home.write("answer.md", "```c\nint rb_push\u{1b}[2J(void)\n{\n    return 0;\n}\n```");
    let ran = home.run(&["extract", "c-ring-buffer", "answer.md"]);
    assert!(!ran.out.contains('\u{1b}'), "{:?}", ran.out);
}

#[test]
fn mistakes() {
    let home = Home::new();
    home.write("answer.md", ANSWER);
    for (arguments, word) in [
        (&["extract", "c-ring-buffer", "missing.md"][..], "missing.md: the answer cannot be read"),
        (&["extract", "c-ring-bufer", "answer.md"], "did you mean"),
        (&["extract", "c-ring-buffer", "answer.md", "--form", "poem"], "poem"),
        (&["extract", "c-ring-buffer", "answer.md", "--place", "x.c:1"], "no file `x.c`"),
        (&["extract", "c-ring-buffer", "answer.md", "--place", "src/ring_buffer.c:9-3"], "FIRST-LAST"),
    ] {
        let ran = home.run(arguments);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{arguments:?} {}", ran.err);
        assert!(ran.err.contains(word), "{arguments:?} {}", ran.err);
    }
}

#[test]
fn marked_lines_and_policies() {
    let home = Home::new();
    home.write("answer.md", "```c\nif (rb->len == rb->cap) return -1;\n```\n");
    let place =
        ["extract", "c-ring-buffer", "answer.md", "--form", "line", "--place", "src/ring_buffer.c:21"];
    let ran = home.run(&place);
    assert_eq!(ran.code, 0, "{}", ran.out);
    assert!(
        ran.out.contains("-    if (next == rb->tail) return -1;\n+    if (rb->len == rb->cap) return -1;\n"),
        "{}",
        ran.out
    );
    home.write("answer.md", "```c\nint rb_push(struct rb *rb, int v)\n{\n    return 0;\n");
    let cut = ["extract", "c-ring-buffer", "answer.md", "--finish", "length"];
    assert!(home.run(&cut).out.contains("extraction  truncated"));
    assert_eq!(home.run(&[&cut[..], &["--strict"]].concat()).code, 1);
}
