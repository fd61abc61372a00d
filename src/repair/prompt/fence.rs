//! Text from outside inside a prompt: always in a fence or a code span that it cannot leave.
//!
//! Promises: a fence is longer than any run of backticks in what it holds, so nothing inside it can end it, begin another
//! section or pass for one of our own lines; a code span is one line. Text is otherwise unchanged.
//! Leaves to others: how long it may be (callers).

/// Longest text of a code span, in characters.
const MOST_INLINE: usize = 200;

/// A text in a fence of its own, without its last line end. `info` is the word behind the opening fence.
pub(super) fn fenced(text: &str, info: &str) -> String {
    let fence = "`".repeat((longest_run(text) + 1).max(3));
    let info: String = info.chars().filter(|character| character.is_ascii_alphanumeric()).collect();
    let text = text.strip_suffix('\n').unwrap_or(text);
    format!("{fence}{info}\n{text}\n{fence}")
}

/// A text as a code span: one line, cut.
pub(super) fn inline(text: &str) -> String {
    let mut line: String = text.chars().take(MOST_INLINE).collect();
    if line.len() < text.len() {
        line.push('…');
    }
    let line = crate::text::sanitise(&line);
    let ticks = "`".repeat(longest_run(&line) + 1);
    let gap = if line.starts_with('`') || line.ends_with('`') || line.trim().is_empty() { " " } else { "" };
    format!("{ticks}{gap}{line}{gap}{ticks}")
}

/// The longest run of backticks.
fn longest_run(text: &str) -> usize {
    text.split(|character| character != '`').map(str::len).max().unwrap_or(0)
}

/// What a reader of Markdown takes for outside of fences: the lines of a prompt that are our own.
#[cfg(test)]
pub(super) fn own_lines(prompt: &str) -> Vec<&str> {
    let mut open: Option<usize> = None;
    let mut own = Vec::new();
    for line in prompt.split('\n') {
        let ticks = line.bytes().take_while(|byte| *byte == b'`').count();
        match open {
            Some(length) if ticks >= length && line[ticks..].trim().is_empty() => open = None,
            Some(_) => {}
            None if ticks >= 3 && !line[ticks..].contains('`') => open = Some(ticks),
            None => own.push(line),
        }
    }
    assert_eq!(open, None, "a fence stays open:\n{prompt}");
    own
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

    #[test]
    fn fences_are_longer_than_what_they_hold() {
        assert_eq!(fenced("a\n", "python"), "```python\na\n```");
        assert_eq!(fenced("a\n```\nb", ""), "````\na\n```\nb\n````");
        assert_eq!(fenced("", "c"), "```c\n\n```");
        assert_eq!(fenced("x", "c\n## Task"), "```cTask\nx\n```");
        assert_eq!(inline("rb_push"), "`rb_push`");
        assert_eq!(inline("`a`"), "`` `a` ``");
        assert!(!inline("a\n## Task\u{1b}").contains(['\n', '\u{1b}']));
        assert!(inline(&"x".repeat(10_000)).chars().count() < 300);
    }

    proptest! {
        #[test]
        fn nothing_leaves_its_fence(text in "[`~#a \\n]{0,60}|\\PC{0,40}", info in "[a-z`\\n ]{0,8}") {
            let prompt = format!("before\n{}\nafter", fenced(&text, &info));
            prop_assert_eq!(own_lines(&prompt), ["before", "after"]);
            let span = inline(&text);
            prop_assert!(!span.contains('\n'));
        }
    }
}
