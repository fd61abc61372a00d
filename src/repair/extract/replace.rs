//! SEARCH/REPLACE blocks and the patches that begin with `*** Begin Patch`, found in a text.
//!
//! Promises: one pass; an unclosed last block is kept and marked; merge-conflict markers count as blocks.
//! Leaves to others: laying them (`repair::apply`).

use std::ops::Range;

/// A SEARCH/REPLACE block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::repair) struct ReplaceBlock {
    /// The line before the block that may name its file, as it was written.
    pub path: Option<String>,
    /// Text that stands in the file.
    pub search: String,
    /// Text that takes its place.
    pub replace: String,
    /// The whole block.
    pub span: Range<usize>,
    /// Whether something ended it: its last marker, a fence, the next block.
    pub complete: bool,
}

/// Which marker a line is: five to nine of its character, with a word or without.
fn marker(line: &str, mark: u8) -> bool {
    let line = line.trim();
    let length = line.bytes().take_while(|byte| *byte == mark).count();
    let word = line.get(length..).unwrap_or_default().trim();
    let known = match mark {
        b'<' => matches!(word, "SEARCH" | "ORIGINAL" | "HEAD" | "BEFORE" | "OLD") || word.is_empty(),
        b'>' => {
            matches!(word, "REPLACE" | "UPDATED" | "AFTER" | "NEW" | "MODIFIED")
                || word.is_empty()
                || !word.contains(' ')
        }
        b'|' => true,
        _ => word.is_empty(),
    };
    (5..=9).contains(&length) && known
}

/// The blocks of a part of an answer, in order.
pub(in crate::repair) fn replace_blocks(answer: &str, within: Range<usize>) -> Vec<ReplaceBlock> {
    let mut found = Vec::new();
    let Some(text) = answer.get(within.clone()) else { return found };
    if !text.contains("<<<<<") {
        return found;
    }
    enum State {
        Outside,
        Search,
        Base,
        Replace,
    }
    let (mut state, mut at) = (State::Outside, within.start);
    let mut block = ReplaceBlock {
        path: None,
        search: String::new(),
        replace: String::new(),
        span: 0..0,
        complete: false,
    };
    let mut before: [&str; 3] = [""; 3];
    let last_close = closing_ends(text, within.start);
    for line in text.split_inclusive('\n') {
        let (start, end) = (at, at + line.len());
        at = end;
        match state {
            State::Outside if marker(line, b'<') => {
                let path = before.iter().rev().map(|line| named(line)).find(|name| !name.is_empty());
                block = ReplaceBlock {
                    path: path.map(str::to_owned),
                    search: String::new(),
                    replace: String::new(),
                    span: start..within.end,
                    complete: false,
                };
                state = State::Search;
            }
            State::Outside => {
                if !line.trim().is_empty() {
                    before = [before[1], before[2], line];
                }
            }
            State::Search if marker(line, b'=') => state = State::Replace,
            State::Search if marker(line, b'|') => state = State::Base,
            State::Search => block.search.push_str(line),
            State::Base if marker(line, b'=') => state = State::Replace,
            State::Base => {}
            State::Replace if marker(line, b'>') => {
                block.span.end = end;
                block.complete = true;
                found.push(block.clone());
                before = [""; 3];
                state = State::Outside;
            }
            // Some write the divider twice.
            State::Replace if marker(line, b'=') && block.replace.is_empty() => {}
            State::Replace if marker(line, b'<') => {
                // The closing marker was forgotten and the next block begins.
                block.span.end = start;
                block.complete = true;
                found.push(block.clone());
                block = ReplaceBlock {
                    search: String::new(),
                    replace: String::new(),
                    span: start..within.end,
                    complete: false,
                    ..block
                };
                state = State::Search;
            }
            // A fence closes what has no last marker; others are lines of the replacement.
            State::Replace
                if line.trim_start().starts_with("```")
                    && !block.replace.is_empty()
                    && !is_closed(&last_close, start) =>
            {
                block.span.end = start;
                block.complete = true;
                found.push(block.clone());
                before = [""; 3];
                state = State::Outside;
            }
            State::Replace => block.replace.push_str(line),
        }
    }
    if matches!(state, State::Replace) {
        found.push(block);
    }
    found
}

/// Starts of the lines that are an opening or closing marker, and whether each closes.
fn closing_ends(text: &str, offset: usize) -> Vec<(usize, bool)> {
    let mut found = Vec::new();
    let mut at = offset;
    for line in text.split_inclusive('\n') {
        if marker(line, b'>') {
            found.push((at, true));
        } else if marker(line, b'<') {
            found.push((at, false));
        }
        at += line.len();
    }
    found
}

/// Whether the next marker behind a place closes.
fn is_closed(markers: &[(usize, bool)], place: usize) -> bool {
    let next = markers.partition_point(|(at, _)| *at <= place);
    markers.get(next).is_some_and(|(_, closes)| *closes)
}

/// A line taken as the name of a file, without what people put around one.
pub(in crate::repair) fn named(line: &str) -> &str {
    let line = line.trim();
    if line.starts_with("```") || line.starts_with("~~~") {
        return "";
    }
    let line = line.trim_matches(['#', '*', '`', ':', '/', ' ', '"', '\'', '-', '<', '>', '!']);
    let line = ["File:", "file:", "FILE:", "Filename:", "filename:", "Path:", "path:"]
        .into_iter()
        .find_map(|start| line.strip_prefix(start))
        .unwrap_or(line)
        .trim_matches(['*', '`', ':', ' ', '"', '\'']);
    let is_name = !line.is_empty()
        && line.len() < 300
        && !line.contains([' ', '(', '{', ';', '='])
        && line.contains('.');
    if is_name { line } else { "" }
}

/// What a `*** …` patch does to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::repair) struct EnvelopeFile {
    /// Path as written.
    pub path: String,
    /// New path of a file that moves.
    pub moves_to: Option<String>,
    /// What is done.
    pub action: EnvelopeAction,
}

/// Kinds of change of a `*** …` patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::repair) enum EnvelopeAction {
    /// A new file with this text.
    Add(String),
    /// The file goes.
    Delete,
    /// Runs of lines, each with the text behind its `@@` and its lines with their marks.
    Update(Vec<(String, Vec<String>)>),
}

/// Whether a text holds such a patch, and where it is.
pub(in crate::repair) fn envelope_span(text: &str) -> Option<Range<usize>> {
    let starts = ["*** Begin Patch", "*** Update File: ", "*** Add File: ", "*** Delete File: "];
    let mut at = 0;
    let (mut start, mut end) = (None, text.len());
    let mut names_file = false;
    for line in text.split_inclusive('\n') {
        if start.is_none() && starts.iter().any(|word| line.starts_with(word)) {
            start = Some(at);
        }
        names_file |= starts[1..].iter().any(|word| line.starts_with(word));
        at += line.len();
        if line.starts_with("*** End Patch") {
            end = at;
            break;
        }
    }
    start.filter(|_| names_file).map(|start| start..end)
}

/// The files of such a patch.
pub(in crate::repair) fn envelope(text: &str) -> Vec<EnvelopeFile> {
    let mut files: Vec<EnvelopeFile> = Vec::new();
    for line in text.lines() {
        let started = [("*** Update File: ", 'u'), ("*** Add File: ", 'a'), ("*** Delete File: ", 'd')]
            .into_iter()
            .find_map(|(start, action)| line.strip_prefix(start).map(|path| (path, action)));
        if let Some((path, action)) = started {
            let action = match action {
                'u' => EnvelopeAction::Update(Vec::new()),
                'a' => EnvelopeAction::Add(String::new()),
                _ => EnvelopeAction::Delete,
            };
            files.push(EnvelopeFile { path: path.trim().to_owned(), moves_to: None, action });
            continue;
        }
        let Some(file) = files.last_mut() else { continue };
        if let Some(path) = line.strip_prefix("*** Move to: ") {
            file.moves_to = Some(path.trim().to_owned());
        } else if line.starts_with("*** End Patch") {
            break;
        } else if line.starts_with("*** ") {
        } else {
            match &mut file.action {
                EnvelopeAction::Add(content) => {
                    content.push_str(line.strip_prefix('+').unwrap_or(line));
                    content.push('\n');
                }
                EnvelopeAction::Delete => {}
                EnvelopeAction::Update(hunks) => match line.strip_prefix("@@") {
                    Some(anchor) => {
                        hunks.push((anchor.trim().trim_end_matches("@@").trim().to_owned(), Vec::new()))
                    }
                    None => {
                        if hunks.is_empty() {
                            hunks.push((String::new(), Vec::new()));
                        }
                        if let Some((_, lines)) = hunks.last_mut() {
                            lines.push(line.to_owned());
                        }
                    }
                },
            }
        }
    }
    files
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn found(text: &str) -> Vec<(Option<String>, String, String, bool)> {
        let blocks = replace_blocks(text, 0..text.len());
        blocks.into_iter().map(|block| (block.path, block.search, block.replace, block.complete)).collect()
    }

    fn one(
        path: Option<&str>,
        search: &str,
        replace: &str,
        complete: bool,
    ) -> Vec<(Option<String>, String, String, bool)> {
        vec![(path.map(str::to_owned), search.to_owned(), replace.to_owned(), complete)]
    }

    #[test]
    fn search_and_replace() {
        for (text, expected) in [
            ("<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n", one(None, "a\n", "b\n", true)),
            (
                "src/a.c\n```c\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n```\n",
                one(Some("src/a.c"), "a\n", "b\n", true),
            ),
            (
                "**`src/a.c`:**\n<<<<< SEARCH\na\n=====\n>>>>> REPLACE\n",
                one(Some("src/a.c"), "a\n", "", true),
            ),
            ("```\n<<<<<<< SEARCH\na\n=======\nb\n```\n", one(None, "a\n", "b\n", true)),
            ("<<<<<<< HEAD\na\n||||||| base\nz\n=======\nb\n>>>>>>> fix\n", one(None, "a\n", "b\n", true)),
            ("<<<<<<< SEARCH\na\n=======\nb\n", one(None, "a\n", "b\n", false)),
            ("<<<<<<< SEARCH\na\n", vec![]),
            ("x = 1 << 2\n", vec![]),
        ] {
            assert_eq!(found(text), expected, "{text}");
        }
        let two =
            found("a.c\n<<<<<<< SEARCH\na\n=======\nb\n<<<<<<< SEARCH\nc\n=======\nd\n>>>>>>> REPLACE\n");
        assert_eq!(two.len(), 2);
        assert!(two[0].3 && two[1].3);
    }

    #[test]
    fn envelopes() {
        let text = "Here:\n*** Begin Patch\n*** Update File: a.py\n@@ def f():\n-x\n+y\n*** Add File: b.py\n+one\n+two\n*** Delete File: c.py\n*** End Patch\nDone\n";
        let span = envelope_span(text).unwrap();
        assert!(text[span.clone()].ends_with("*** End Patch\n"));
        let files = envelope(&text[span]);
        assert_eq!(files.len(), 3);
        assert_eq!(
            files[0].action,
            EnvelopeAction::Update(vec![("def f():".to_owned(), vec!["-x".to_owned(), "+y".to_owned()])])
        );
        assert_eq!(files[1].action, EnvelopeAction::Add("one\ntwo\n".to_owned()));
        assert_eq!(files[2].action, EnvelopeAction::Delete);
        assert_eq!(envelope_span("*** nothing"), None);
    }
}
