//! Reasoning that a model writes into its answer: `<think>…</think>` and its broken forms.
//!
//! Promises: one pass; every byte is in exactly one of the two kinds of ranges, but for the tags themselves.
//! Leaves to others: reasoning that arrives in a field of its own (`model`).

use std::ops::Range;

/// Names of tags that hold reasoning.
const NAMES: [&str; 6] = ["think", "thinking", "thought", "reasoning", "reflection", "scratchpad"];
/// What stands before the final message where a server left the channel marks in.
const FINAL: &str = "<|channel|>final<|message|>";

/// An answer taken apart.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Parts {
    /// What the model says.
    pub visible: Vec<Range<usize>>,
    /// What it thinks.
    pub reasoning: Vec<Range<usize>>,
    /// The reasoning never ends.
    pub unclosed: bool,
}

/// Takes the reasoning out. A tag counts at the start of a line, a closing one also at the end of a line;
/// a closing tag without an opening one ends reasoning that began with the answer.
pub(super) fn split(answer: &str) -> Parts {
    if let Some(at) = answer.rfind(FINAL) {
        let start = at + FINAL.len();
        return Parts {
            visible: std::iter::once(start..answer.len()).collect(),
            reasoning: std::iter::once(0..at).collect(),
            unclosed: false,
        };
    }
    let mut parts = Parts::default();
    let (mut depth, mut from) = (0_usize, 0_usize);
    for (tag, opens, stands_out) in tags(answer) {
        if depth == 0 && !stands_out {
            continue;
        }
        match (opens, depth) {
            (true, 0) => {
                push(&mut parts.visible, answer, from..tag.start);
                (depth, from) = (1, tag.end);
            }
            (true, _) => depth += 1,
            (false, 0) => {
                // What was taken for the answer was reasoning whose opening tag is lost.
                for range in parts.visible.drain(..) {
                    parts.reasoning.push(range);
                }
                push(&mut parts.reasoning, answer, from..tag.start);
                from = tag.end;
            }
            (false, 1) => {
                push(&mut parts.reasoning, answer, from..tag.start);
                (depth, from) = (0, tag.end);
            }
            (false, _) => depth -= 1,
        }
    }
    if depth > 0 {
        // Nested openings that were never closed: a single closing tag ends them all, if there was one.
        let rest = from..answer.len();
        match answer.get(rest.clone()).and_then(|text| tags(text).filter(|(_, opens, _)| !opens).last()) {
            Some((close, ..)) => {
                push(&mut parts.reasoning, answer, from..from + close.start);
                push(&mut parts.visible, answer, from + close.end..answer.len());
            }
            None => {
                push(&mut parts.reasoning, answer, rest);
                parts.unclosed = true;
            }
        }
    } else {
        push(&mut parts.visible, answer, from..answer.len());
    }
    parts
}

fn push(ranges: &mut Vec<Range<usize>>, answer: &str, range: Range<usize>) {
    if answer.get(range.clone()).is_some_and(|text| !text.trim().is_empty()) {
        ranges.push(range);
    }
}

/// Tags with their ranges, whether each opens, and whether it stands at an end of its line.
fn tags(text: &str) -> impl Iterator<Item = (Range<usize>, bool, bool)> {
    text.match_indices('<').filter_map(move |(at, _)| {
        let rest = text.get(at + 1..)?;
        let (opens, rest) = match rest.strip_prefix('/') {
            Some(rest) => (false, rest),
            None => (true, rest),
        };
        let length = rest.bytes().take_while(u8::is_ascii_alphabetic).take(20).count();
        let name = rest.get(..length)?.to_ascii_lowercase();
        if !NAMES.contains(&name.as_str()) {
            return None;
        }
        let tail = rest.get(length..)?;
        // A tag may carry attributes, on its line.
        let close = tail.bytes().take(200).take_while(|byte| *byte != b'\n').position(|byte| byte == b'>')?;
        if close > 0 && !(opens && tail.starts_with(' ')) {
            return None;
        }
        let end = at + 1 + usize::from(!opens) + length + close + 1;
        let stands_out = is_blank_before(text, at) || (!opens && is_blank_after(text, end));
        Some((at..end, opens, stands_out))
    })
}

/// Longest run of blanks that is looked through around a tag; bounded, for a line may be megabytes long.
const BLANKS: usize = 200;

/// Whether only blanks, or another tag, stand before a place on its line.
fn is_blank_before(text: &str, at: usize) -> bool {
    let before = text.as_bytes()[..at].iter().rev().take(BLANKS).find(|byte| !matches!(byte, b' ' | b'\t'));
    before.is_none_or(|byte| matches!(byte, b'\n' | b'>'))
}

/// Whether only blanks stand behind a place on its line.
fn is_blank_after(text: &str, at: usize) -> bool {
    let after = text.as_bytes()[at..].iter().take(BLANKS).find(|byte| !matches!(byte, b' ' | b'\t' | b'\r'));
    after.is_none_or(|byte| *byte == b'\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts<'a>(answer: &'a str, ranges: &[Range<usize>]) -> Vec<&'a str> {
        ranges.iter().map(|range| answer[range.clone()].trim()).collect()
    }

    #[test]
    fn forms() {
        for (answer, visible, reasoning, unclosed) in [
            ("code", &["code"][..], &[][..], false),
            ("<think>a</think>b", &["b"], &["a"], false),
            ("<think>\na\n</think>\n\nb", &["b"], &["a"], false),
            ("a\n</think>\nb", &["b"], &["a"], false),
            ("a</think>\nb", &["b"], &["a"], false),
            ("<think>a", &[], &["a"], true),
            ("<THINK>a</THINK>b", &["b"], &["a"], false),
            ("<thinking budget=\"3\">a</thinking>b", &["b"], &["a"], false),
            ("<think>a\n<think>b</think>\nc</think>\nd", &["d"], &["a\n<think>b</think>\nc"], false),
            ("<think>a\n<think>b</think>\nc", &["c"], &["a\n<think>b"], false),
            ("x\n<think>a</think>\ny", &["x", "y"], &["a"], false),
            ("<think></think>b", &["b"], &[], false),
            ("uses `<think>` tags", &["uses `<think>` tags"], &[], false),
            ("s = '<think>'", &["s = '<think>'"], &[], false),
            ("<thinker>a", &["<thinker>a"], &[], false),
            (
                "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b",
                &["b"],
                &["<|channel|>analysis<|message|>a<|end|><|start|>assistant"],
                false,
            ),
        ] {
            let parts = split(answer);
            assert_eq!(texts(answer, &parts.visible), visible, "{answer}");
            assert_eq!(texts(answer, &parts.reasoning), reasoning, "{answer}");
            assert_eq!(parts.unclosed, unclosed, "{answer}");
        }
    }
}
