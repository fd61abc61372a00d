//! Texts from outside made fit to be told: cleaned, and short enough.
//!
//! Promises: a bounded text has at most so many characters; its beginning, its end and the lines that tell why something
//! failed are kept, and what is left out is said. Leaves to others: what varies from run to run (`report::dig`).

use crate::report::dig::weight;
use crate::text::is_hidden;
use std::cmp::Reverse;

/// Longest line, in characters.
const MOST_COLUMNS: usize = 300;

/// A text without escape sequences and without characters that hide or command; line ends are `\n`.
pub(super) fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(sequence) = rest.strip_prefix('[') {
            let parameters = sequence.bytes().take_while(|byte| (0x20..0x40).contains(byte)).count();
            let end = sequence.as_bytes().get(parameters).is_some_and(|byte| (0x40..0x7f).contains(byte));
            rest = if end { &sequence[parameters + 1..] } else { sequence };
        }
    }
    out.push_str(rest);
    out.retain(|character| matches!(character, '\n' | '\t') || !is_hidden(character));
    out
}

/// A text of at most `most` characters: lines of assertions and errors first, then the lines nearest to both ends.
pub fn bounded(text: &str, most: usize) -> String {
    let lines: Vec<String> = text.lines().map(|line| cut(line.trim_end(), MOST_COLUMNS)).collect();
    let whole = render(&lines, &vec![true; lines.len()]);
    if whole.chars().count() <= most {
        return whole;
    }
    // The last and the first line, then what tells most.
    let count = lines.len();
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|at| {
        let to_end = (*at).min(count - 1 - at);
        (Reverse(weight(&lines[*at])), to_end, *at)
    });
    let with = |taken: usize| {
        let mut kept = vec![false; count];
        order.iter().take(taken).for_each(|at| kept[*at] = true);
        render(&lines, &kept)
    };
    // More lines make a longer text, but for a gap that closes: the search need not be exact, only safe.
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = (low + high).div_ceil(2);
        if with(middle).chars().count() <= most { low = middle } else { high = middle - 1 }
    }
    cut(&with(low.max(1)), most)
}

/// The first characters of a text, with a sign where more follow.
pub(super) fn cut(text: &str, most: usize) -> String {
    if text.len() <= most || text.chars().count() <= most {
        return text.to_owned();
    }
    let mut kept: String = text.chars().take(most.saturating_sub(1)).collect();
    if most > 0 {
        kept.push('…');
    }
    kept
}

fn render(lines: &[String], kept: &[bool]) -> String {
    let mut out: Vec<String> = Vec::new();
    let mut missing = 0_usize;
    let say = |missing: usize, out: &mut Vec<String>| match missing {
        0 => {}
        1 => out.push("… 1 line left out".to_owned()),
        _ => out.push(format!("… {missing} lines left out")),
    };
    for (line, kept) in lines.iter().zip(kept) {
        if *kept {
            say(missing, &mut out);
            missing = 0;
            out.push(line.clone());
        } else {
            missing += 1;
        }
    }
    say(missing, &mut out);
    out.join("\n")
}
