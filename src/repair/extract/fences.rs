//! Fenced blocks of a text: CommonMark's rule, and what models make of it.
//!
//! Promises: one pass over the lines; a block's span is the bytes between its fences; indentation and quote
//! marks of the opening fence are taken off every line.
//! Leaves to others: which block is meant.

use std::ops::Range;

/// A fenced block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    /// What stands behind the opening fence.
    pub info: String,
    /// Bytes between the fences, in the whole answer.
    pub span: Range<usize>,
    /// The text, without what the fence was indented by.
    pub text: String,
    /// Whether it was closed.
    pub closed: bool,
    /// Where the opening fence begins.
    pub opens: usize,
    /// Ends at which it could be closed instead, where what stands in it holds fences; bounded.
    pub later_ends: Vec<usize>,
    /// What is taken off each line.
    margin: Margin,
}

/// What stands before an opening fence on its line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Margin {
    quote: bool,
    blanks: usize,
}

/// Later ends that are kept of a block.
const LATER_ENDS: usize = 8;

/// A line that is a fence: its character, length, and what follows.
struct Fence<'a> {
    mark: u8,
    length: usize,
    info: &'a str,
    margin: Margin,
}

fn fence(line: &str) -> Option<Fence<'_>> {
    let (quote, rest) = match line.trim_start().strip_prefix("> ") {
        Some(rest) => (true, rest),
        None => (false, line),
    };
    let plain = rest.trim_start_matches([' ', '\t']);
    // A list item may open a block on its own line.
    let opened =
        ["- ", "* ", "+ "].into_iter().find_map(|bullet| plain.strip_prefix(bullet)).unwrap_or(plain);
    let mark = *opened.as_bytes().first()?;
    if !matches!(mark, b'`' | b'~') {
        return None;
    }
    let length = opened.bytes().take_while(|byte| *byte == mark).count();
    let info = opened.get(length..)?.trim();
    if length < 3 || (mark == b'`' && info.contains('`')) {
        return None;
    }
    let blanks = rest.len() - opened.len();
    Some(Fence { mark, length, info, margin: Margin { quote, blanks } })
}

/// Blocks of the part `within` of an answer, in order.
pub(super) fn blocks(answer: &str, within: Range<usize>) -> Vec<Block> {
    let Some(text) = answer.get(within.clone()) else { return Vec::new() };
    let mut found: Vec<Block> = Vec::new();
    let mut open: Option<(Fence<'_>, usize, usize)> = None;
    let mut at = within.start;
    for line in text.split_inclusive('\n') {
        let (start, end) = (at, at + line.len());
        at = end;
        let bare = line.trim_end_matches(['\n', '\r']);
        match &open {
            None => {
                if let Some(fence) = fence(bare).or_else(|| late_opening(bare)) {
                    open = Some((fence, start, end));
                }
            }
            Some((opening, opens, from)) => {
                let closes = |fence: Fence<'_>| {
                    fence.mark == opening.mark && fence.length >= opening.length && fence.info.is_empty()
                };
                let end = match fence(bare) {
                    Some(fence) => closes(fence).then_some(start),
                    None => glued(bare, opening).map(|code| start + code),
                };
                if let Some(end) = end {
                    found.push(block(answer, opening, *opens, *from..end, true));
                    open = None;
                }
            }
        }
    }
    if let Some((opening, opens, from)) = open {
        found.push(block(answer, &opening, opens, from..within.end, false));
    }
    later_ends(answer, &within, &mut found);
    found
}

/// The length of the code on a line that a closing fence stands at the end of.
fn glued(line: &str, opening: &Fence<'_>) -> Option<usize> {
    let code = line.trim_end().strip_suffix("`".repeat(opening.length).as_str())?;
    (opening.mark == b'`' && !code.is_empty() && !code.ends_with([' ', '\t']) && !code.contains('`'))
        .then_some(code.len())
}

/// An opening fence behind a sentence: `Here it is: ```python`. Behind a word it is a word about fences.
fn late_opening(line: &str) -> Option<Fence<'_>> {
    let at = line.find("```")?;
    let info = line.get(at + 3..)?.trim();
    let is_tag = !info.is_empty()
        && info.len() <= 20
        && info.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+#-_".contains(&byte));
    (is_tag && line.get(..at)?.trim_end().ends_with([':', '.', '!', '?', ';', ')'])).then_some(Fence {
        mark: b'`',
        length: 3,
        info,
        margin: Margin::default(),
    })
}

fn block(answer: &str, fence: &Fence<'_>, opens: usize, span: Range<usize>, closed: bool) -> Block {
    let text = cleared(answer.get(span.clone()).unwrap_or_default(), &fence.margin);
    let (margin, info) = (fence.margin.clone(), fence.info.chars().take(200).collect());
    Block { info, text, span, closed, opens, later_ends: Vec::new(), margin }
}

impl Block {
    /// The text, had the block ended at `end`.
    pub(super) fn text_until(&self, answer: &str, end: usize) -> String {
        cleared(answer.get(self.span.start..end).unwrap_or_default(), &self.margin)
    }

    /// The first word of the info string, in lower case, without braces and what follows a colon.
    pub(super) fn tag(&self) -> String {
        let word =
            self.info.trim_start_matches(['{', '.']).split([' ', ',', '{', '}', ':', '=', '\t']).next();
        word.unwrap_or_default().to_ascii_lowercase()
    }
}

fn cleared(text: &str, margin: &Margin) -> String {
    if !margin.quote && margin.blanks == 0 {
        return text.to_owned();
    }
    text.split_inclusive('\n')
        .map(|line| {
            let line = match margin.quote {
                true => line
                    .trim_start_matches(' ')
                    .strip_prefix('>')
                    .map_or(line, |line| line.strip_prefix(' ').unwrap_or(line)),
                false => line,
            };
            let blanks =
                line.bytes().take(margin.blanks).take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            line.get(blanks..).unwrap_or(line)
        })
        .collect()
}

/// Fills in where each block could end later: at fences without info string behind it.
fn later_ends(answer: &str, within: &Range<usize>, blocks: &mut [Block]) {
    if blocks.len() < 2 && blocks.first().is_none_or(|block| block.closed && block.span.end >= within.end) {
        return;
    }
    let mut ends = Vec::new();
    let mut at = within.start;
    for line in answer.get(within.clone()).unwrap_or_default().split_inclusive('\n') {
        if fence(line.trim_end_matches(['\n', '\r'])).is_some_and(|fence| fence.info.is_empty()) {
            ends.push(at);
        }
        at += line.len();
    }
    for block in blocks {
        let first = ends.partition_point(|end| *end <= block.span.end);
        block.later_ends = ends[first..].iter().copied().take(LATER_ENDS).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(answer: &str) -> Vec<(String, String, bool)> {
        let blocks = blocks(answer, 0..answer.len());
        for block in &blocks {
            assert!(answer.get(block.span.clone()).is_some());
        }
        blocks.into_iter().map(|block| (block.tag(), block.text, block.closed)).collect()
    }

    #[test]
    fn shapes() {
        for (answer, expected) in [
            ("```python\na\n```\n", &[("python", "a\n", true)][..]),
            ("```\na\n```", &[("", "a\n", true)]),
            ("~~~c\na\n~~~", &[("c", "a\n", true)]),
            ("````md\n```\na\n```\n````\n", &[("md", "```\na\n```\n", true)]),
            ("~~~\n```\n~~~\n", &[("", "```\n", true)]),
            ("```js\na", &[("js", "a", false)]),
            ("1. do:\n   ```c\n   a\n     b\n   ```\n", &[("c", "a\n  b\n", true)]),
            ("> ```c\n> a\n> ```\n", &[("c", "a\n", true)]),
            ("- ```c\n  a\n  ```\n", &[("c", "a\n", true)]),
            ("```c\r\na\r\n```\r\n", &[("c", "a\r\n", true)]),
            ("```c\na;```\nDone.\n```sh\nls\n```", &[("c", "a;", true), ("sh", "ls\n", true)]),
            ("```c\na;```\nDone.\n", &[("c", "a;", true)]),
            ("Fix: ```c\na\n```", &[("c", "a\n", true)]),
            ("inline ```code``` here\n", &[]),
            ("```{.python .x}\na\n```", &[("python", "a\n", true)]),
            ("```python:src/a.py\na\n```", &[("python", "a\n", true)]),
            ("```a\n1\n```\ntext\n```b\n2\n```", &[("a", "1\n", true), ("b", "2\n", true)]),
        ] {
            let expected: Vec<_> = expected
                .iter()
                .map(|(tag, text, closed)| ((*tag).to_owned(), (*text).to_owned(), *closed))
                .collect();
            assert_eq!(found(answer), expected, "{answer:?}");
        }
    }
}
