//! Telling a patch from code, and finding a patch that stands among words without fences.
//!
//! Promises: one pass each. Leaves to others: reading the patch (`repair::apply`).

use super::PieceKind;
use super::replace::{envelope_span, replace_blocks};
use std::ops::Range;

/// Which kind of patch a fenced text is; `None`: none, so it is code.
pub(super) fn kind_of(text: &str, tag: &str) -> Option<PieceKind> {
    if envelope_span(text).is_some() {
        return Some(PieceKind::Envelope);
    }
    if text.contains("<<<<<") && !replace_blocks(text, 0..text.len()).is_empty() {
        return Some(PieceKind::SearchReplace);
    }
    let changes = text.lines().filter(|line| line.starts_with(['+', '-'])).count();
    let has_hunk = text.lines().any(is_hunk_header);
    let named = text
        .lines()
        .zip(text.lines().skip(1))
        .any(|(one, two)| one.starts_with("--- ") && two.starts_with("+++ "));
    let tagged = matches!(tag, "diff" | "patch" | "udiff");
    let is_patch = text.lines().any(|line| line.starts_with("diff --git "))
        || (changes > 0 && (has_hunk || tagged || named));
    is_patch.then_some(PieceKind::Patch)
}

/// `@@ -1,2 +1,2 @@`, or what models write in its place: `@@`, `@@ ... @@`, `@@ def f():`.
pub(in crate::repair) fn is_hunk_header(line: &str) -> bool {
    line.strip_prefix("@@").is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\r', '@']))
}

/// The patch in a text without fences: from its first header to the last line that belongs to it.
pub(super) fn bare_patch(answer: &str, within: Range<usize>) -> Option<Range<usize>> {
    let text = answer.get(within.clone())?;
    if !text.contains("@@") && !text.contains("diff --git ") {
        return None;
    }
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let (mut at, mut start, mut end) = (within.start, None, 0);
    let (mut in_hunk, mut changes) = (false, 0);
    for (number, line) in lines.iter().enumerate() {
        let begins = at;
        at += line.len();
        let next = lines.get(number + 1).copied().unwrap_or_default();
        let names = line.starts_with("--- ") && next.starts_with("+++ ");
        if line.starts_with("diff --git ") || names {
            start = start.or(Some(begins));
            (in_hunk, end) = (false, at);
        } else if is_hunk_header(line.trim_end()) {
            start = start.or(Some(begins));
            (in_hunk, end) = (true, at);
        } else if start.is_some() && in_hunk {
            let belongs = line.starts_with(['+', '-', ' ', '\\']);
            let blank = line.trim().is_empty() && next.starts_with(['+', '-', ' ', '@']);
            if belongs || blank {
                end = at;
                changes += usize::from(line.starts_with(['+', '-']));
            } else {
                in_hunk = false;
            }
        } else if start.is_some()
            && (line.starts_with("+++ ") || line.starts_with("index ") || line.contains("file mode"))
        {
            end = at;
        }
    }
    start.filter(|_| changes > 0).map(|start| start..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds() {
        for (text, tag, expected) in [
            ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", "", Some(PieceKind::Patch)),
            ("@@ ... @@\n-a\n+b\n", "", Some(PieceKind::Patch)),
            ("-a\n+b\n", "diff", Some(PieceKind::Patch)),
            ("-a\n+b\n", "c", None),
            ("@decorator\ndef f(): pass\n", "", None),
            ("*** Begin Patch\n*** Update File: x\n-a\n+b\n*** End Patch\n", "", Some(PieceKind::Envelope)),
            ("<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n", "", Some(PieceKind::SearchReplace)),
            ("int x;\n", "diff", None),
        ] {
            assert_eq!(kind_of(text, tag), expected, "{text}");
        }
    }

    #[test]
    fn among_words() {
        let text = "Here is it:\n\n--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n\nThat is all.\n";
        let range = bare_patch(text, 0..text.len());
        assert_eq!(
            range.map(|range| &text[range]),
            Some("--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n")
        );
        assert_eq!(bare_patch("no patch @@ here\n", 0..17), None);
    }
}
