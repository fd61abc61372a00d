//! The part of an output that tells why.
//!
//! Promises: bounded in lines, columns and bytes; lines of assertions, errors and frames are kept before all others,
//! with their neighbours; what was left out is said with its number of lines.
//! Leaves to others: making it equal from run to run (`normalise`).

use crate::report::collect::cut;

/// Most lines of an excerpt.
pub const MOST_LINES: usize = 60;
/// Most characters of one line.
pub const MOST_COLUMNS: usize = 240;
/// Most lines of the output that are looked at: its first and last half.
const MOST_LOOKED_AT: usize = 20_000;

/// An excerpt of at most [`MOST_LINES`] lines.
pub(super) fn excerpt(output: &str) -> String {
    let all: Vec<&str> = output.lines().map(str::trim_end).collect();
    let (lines, gap) = bounded(&all);
    let mut keep = vec![0_u8; lines.len()];
    let mut score = |at: usize, value: u8| {
        if let Some(known) = keep.get_mut(at) {
            *known = (*known).max(value);
        }
    };
    for (at, line) in lines.iter().enumerate() {
        let value = weight(line);
        if value == 0 {
            continue;
        }
        score(at, value);
        if value >= 3 {
            for step in 1..=3 {
                score(at + step, 2);
                score(at.wrapping_sub(step), 1);
            }
        }
    }
    // Nothing known: the end tells most.
    if keep.iter().all(|value| *value == 0) {
        let from = lines.len().saturating_sub(MOST_LINES / 2);
        keep[from..].iter_mut().for_each(|value| *value = 1);
    }
    // The heaviest lines first, the earlier ones first among equals.
    let mut order: Vec<usize> =
        (0..lines.len()).filter(|at| keep[*at] > 0 && !lines[*at].is_empty()).collect();
    order.sort_by_key(|at| (std::cmp::Reverse(keep[*at]), *at));
    order.truncate(MOST_LINES);
    order.sort_unstable();
    let mut out = String::new();
    let mut next = 0;
    for at in order {
        let between: Vec<&str> = lines[next..at].iter().copied().filter(|line| !line.is_empty()).collect();
        let mut skipped = between.len();
        if gap.is_some_and(|(place, _)| next <= place && place < at) {
            skipped += gap.map_or(0, |(_, count)| count);
        }
        // A single line takes no more room than saying that it is missing.
        match between.as_slice() {
            [line] if skipped == 1 => show(&mut out, line),
            _ => say(&mut out, skipped),
        }
        show(&mut out, lines[at]);
        next = at + 1;
    }
    say(&mut out, lines[next..].iter().filter(|line| !line.is_empty()).count());
    out
}

/// First and last half of a long output, and where how many lines are missing between.
fn bounded<'a>(all: &[&'a str]) -> (Vec<&'a str>, Option<(usize, usize)>) {
    if all.len() <= MOST_LOOKED_AT {
        return (all.to_vec(), None);
    }
    let half = MOST_LOOKED_AT / 2;
    let mut lines = all[..half].to_vec();
    lines.extend(&all[all.len() - half..]);
    (lines, Some((half, all.len() - MOST_LOOKED_AT)))
}

fn show(out: &mut String, line: &str) {
    let kept = cut(line, MOST_COLUMNS);
    out.push_str(kept);
    if kept.len() < line.len() {
        out.push('…');
    }
    out.push('\n');
}

fn say(out: &mut String, skipped: usize) {
    match skipped {
        0 => {}
        1 => out.push_str("… 1 line left out\n"),
        _ => out.push_str(&format!("… {skipped} lines left out\n")),
    }
}

/// How much a line tells: 4 what went wrong, 3 which test, 2 where, 0 nothing.
pub fn weight(line: &str) -> u8 {
    let text = line.trim_start();
    let starts = |words: &[&str]| words.iter().any(|word| text.starts_with(word));
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    // Long tables that sanitisers print.
    if text.starts_with("0x") || text.starts_with("=>0x") {
        return 0;
    }
    if starts(&[
        "E  ",
        "AssertionError",
        "assertion `",
        "assertion failed",
        "not ok ",
        "left: ",
        "right: ",
        "SUMMARY: ",
    ]) || has(&[
        "Error: ",
        "Exception: ",
        ": Assertion `",
        "Sanitizer: ",
        ": runtime error: ",
        " error: ",
        "[ERR_ASSERTION]",
    ]) || starts(&[
        "error: ",
        "error[",
        "fatal error: ",
        "called `",
        "- expected",
        "+ actual",
        "Segmentation fault",
        "Aborted",
        "free(): ",
        "expected: ",
        "actual: ",
        "got: ",
        "Error: ",
        "undefined reference",
    ]) || (text.ends_with("Error") && !text.contains(' '))
    {
        return 4;
    }
    if starts(&[
        "FAIL: ",
        "ERROR: ",
        "FAILED ",
        "ERROR ",
        "---- ",
        "thread '",
        "READ of size",
        "WRITE of size",
        "Failed ",
        "failures:",
    ]) || (text.starts_with("test ") && text.ends_with("... FAILED"))
    {
        return 3;
    }
    if starts(&["File \"", "#0 ", "#1 ", "#2 ", "at ", ">  "])
        || (text.starts_with('#') && has(&["expected", "got", "at "]))
    {
        return 2;
    }
    0
}
