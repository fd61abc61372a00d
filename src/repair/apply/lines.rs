//! Lines of an answer that define nothing: the body of the function that was asked for, or a part of it.
//!
//! Promises: where lines were marked they are what is replaced; a part of a body is laid only where its first
//! and last line, or for one line the line most like it, are found once in the function.
//! Leaves to others: indentation (`indent`), definitions (`code`).

use super::code::Site;
use super::hunks::Laid;
use super::indent::{moved_lines, of_line};
use super::seek::{FUZZY_AT_LEAST, Haystack, Hints, Likeness};
use super::splice::lines_of;
use crate::repair::extract::Code;
use crate::repair::file::{Edit, plain};
use crate::repair::find;
use crate::repair::form::Form;
use crate::repair::outcome::{ApplicationOutcome, Score};
use crate::syntax::{Definition, Outline};
use std::ops::Range;

/// Least likeness of the line that a single line replaces.
const LINE_AT_LEAST: f64 = 0.6;

/// Lays lines into the function that was asked for, or at the lines that were marked.
pub(super) fn lay(site: &Site<'_>, old: &Outline, code: &Code) -> Result<Laid, String> {
    let text = code.text.trim_matches('\n');
    if text.trim().is_empty() {
        return Err("the code is empty".to_owned());
    }
    if let Some(place) = site.place {
        return at_place(site, &place.lines, text);
    }
    let [function] = site.functions else {
        return Err(
            "the lines define nothing, and no single function was asked for that they could belong to"
                .to_owned(),
        );
    };
    let found = find::functions(old, function);
    let [definition] = found.as_slice() else {
        return Err(format!(
            "the lines define nothing, and the file has {} functions `{function}`",
            found.len()
        ));
    };
    if super::code::only_calls(text, function) {
        return Err(format!("the code only calls `{function}`"));
    }
    if code.errors() > 0 && names_head(text, find::plain_name(function)) {
        return Err(format!("the code begins `{function}` and does not end it"));
    }
    let short = matches!(site.form, Form::Line | Form::Hunk);
    let several = lines_of(&site.file.text, &definition.span.body).len() > 4;
    let one_line = text.trim().lines().count() == 1;
    if (short || one_line && several)
        && let Some(laid) = part(site, definition, text)
    {
        return Ok(laid);
    }
    if let Some(laid) = part_by_ends(site, definition, text) {
        return Ok(laid);
    }
    if short {
        return Err(format!("nothing in `{function}` says where the lines belong"));
    }
    body(site, definition, code, text)
}

/// Whether one of the first lines of a text begins the function itself.
fn names_head(text: &str, name: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.by_ref().take(5).any(|line| {
        let head = line.split_once(name).map(|(before, after)| (before.trim_end(), after.trim_start()));
        head.is_some_and(|(before, after)| {
            after.starts_with('(')
                && !before.is_empty()
                && !before.ends_with(['=', '(', '.', ','])
                && !before.ends_with("return")
        })
    })
}

fn one(edit: Edit, manner: ApplicationOutcome, note: String) -> Laid {
    Laid { edits: vec![edit], manner, notes: vec![note] }
}

/// Replaces marked lines.
fn at_place(site: &Site<'_>, lines: &Range<u32>, text: &str) -> Result<Laid, String> {
    let file = site.file.text.as_ref();
    let count = file.split_inclusive('\n').count();
    let (start, end) = (lines.start as usize, lines.end as usize);
    if start > end || end > count {
        return Err(format!("lines {} to {end} were marked, and the file has {count}", start + 1));
    }
    let range = bytes_of(file, start..end);
    let old = file.get(range.clone()).unwrap_or_default();
    let first = old.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let target = if first.is_empty() { of_line(file, range.start) } else { of_line(first, first.len()) };
    let mut new = moved_lines(text, &[], target, &plain(old), true);
    if old.ends_with('\n') || (range.is_empty() && range.start < file.len()) {
        new.push('\n');
    }
    let manner = if new.trim_end_matches('\n') == text.trim_end_matches('\n') {
        ApplicationOutcome::Exact
    } else {
        ApplicationOutcome::Normalised
    };
    Ok(one(Edit { range, text: new }, manner, "laid at the lines that were marked".to_owned()))
}

fn bytes_of(file: &str, lines: Range<usize>) -> Range<usize> {
    let mut starts = vec![0];
    starts.extend(file.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1));
    let start = |line: usize| starts.get(line).copied().unwrap_or(file.len()).min(file.len());
    start(lines.start)..start(lines.end)
}

/// The lines of the body that are inside its braces, or below the head.
fn inner_lines(file: &str, body: &Range<usize>) -> Range<usize> {
    let lines = lines_of(file, body);
    let text = file.get(body.clone()).unwrap_or_default();
    if text.starts_with('{') && text.ends_with('}') && lines.len() > 2 {
        lines.start + 1..lines.end - 1
    } else {
        lines
    }
}

/// A part of the body whose first and last line stand in it, each once and in this order.
fn part_by_ends(site: &Site<'_>, definition: &Definition, text: &str) -> Option<Laid> {
    let file = site.file.text.as_ref();
    let inner = inner_lines(file, &definition.span.body);
    let all: Vec<&str> = file.lines().collect();
    let body = all.get(inner.clone())?;
    let mut given = text.lines().filter(|line| !line.trim().is_empty());
    let (first, last) = (given.next()?.trim(), given.next_back()?.trim());
    let only = |wanted: &str| {
        let mut found = body.iter().enumerate().filter(|(_, line)| line.trim() == wanted);
        match (found.next(), found.next()) {
            (Some((at, _)), None) => Some(at),
            _ => None,
        }
    };
    let (from, to) = (only(first)?, only(last)?);
    let filled = |mut lines: std::slice::Iter<'_, &str>| lines.any(|line| !line.trim().is_empty());
    let is_whole = !filled(body[..from.min(body.len())].iter()) && !filled(body.get(to + 1..)?.iter());
    // A text that begins like the body and ends by leaving the function is another body, not a part of this one.
    let begins = !filled(body[..from.min(body.len())].iter());
    let leaves = ["return", "raise ", "throw "].iter().any(|word| last.starts_with(word));
    if from >= to || is_whole || (begins && leaves) {
        return None;
    }
    let range = bytes_of(file, inner.start + from..inner.start + to + 1);
    let old = file.get(range.clone())?;
    let mut new = moved_lines(text, &[], of_line(file, range.start), &plain(old), true);
    if old.ends_with('\n') {
        new.push('\n');
    }
    let note = format!(
        "laid between lines {} and {}, which the answer repeats",
        inner.start + from + 1,
        inner.start + to + 1
    );
    Some(one(Edit { range, text: new }, ApplicationOutcome::BodySpliced, note))
}

/// A line, or a few, for the ones most like them.
fn part(site: &Site<'_>, definition: &Definition, text: &str) -> Option<Laid> {
    if !site.fuzzy {
        return None;
    }
    let file = site.file.text.as_ref();
    let inner = inner_lines(file, &definition.span.body);
    let all: Vec<&str> = file.lines().collect();
    let body = all.get(inner.clone())?;
    let given: Vec<&str> = text.trim_end().lines().filter(|line| !line.trim().is_empty()).collect();
    let (from, score) = match given.as_slice() {
        [line] => most_like(body, line.trim())?,
        several => {
            let place = Haystack::new(body.to_vec())
                .find(several, &Hints { fuzzy: true, ..Hints::default() })
                .ok()?;
            let Likeness::Fuzzy(score) = place.likeness else { return None };
            (place.line, score)
        }
    };
    debug_assert!(score.share() >= LINE_AT_LEAST.min(FUZZY_AT_LEAST));
    let range = bytes_of(file, inner.start + from..inner.start + from + given.len());
    let old = file.get(range.clone())?;
    let mut new = moved_lines(&given.join("\n"), &[], of_line(file, range.start), &plain(old), true);
    if old.ends_with('\n') {
        new.push('\n');
    }
    let note = format!("laid at line {}, which is the most alike", inner.start + from + 1);
    Some(one(Edit { range, text: new }, ApplicationOutcome::Fuzzy(score), note))
}

/// The line that is clearly the most like another, and not the same.
fn most_like(body: &[&str], line: &str) -> Option<(usize, Score)> {
    if line.len() > 500 {
        return None;
    }
    let mut scores: Vec<(f64, usize)> = body
        .iter()
        .enumerate()
        .filter(|(_, own)| !own.trim().is_empty() && own.len() <= 1000)
        .take(5_000)
        .map(|(at, own)| (strsim::normalized_levenshtein(own.trim(), line), at))
        .collect();
    scores.sort_by(|one, two| two.0.total_cmp(&one.0).then(one.1.cmp(&two.1)));
    let (best, at) = *scores.first()?;
    let second = scores.get(1).map_or(0.0, |(score, _)| *score);
    ((LINE_AT_LEAST..1.0).contains(&best) && best - second >= 0.1).then(|| (at, Score::new(best)))
}

/// The text as the whole body, under the head that is there.
fn body(site: &Site<'_>, definition: &Definition, code: &Code, text: &str) -> Result<Laid, String> {
    let file = site.file.text.as_ref();
    let head = of_line(file, definition.core);
    let old_body = file.get(definition.span.body.clone()).unwrap_or_default();
    let empty = Vec::new();
    let trimmed = code.text.len() - code.text.trim_start_matches('\n').len();
    let literals: Vec<Range<usize>> = code
        .outline
        .as_ref()
        .map_or(&empty, |outline| &outline.literals)
        .iter()
        .map(|range| range.start.saturating_sub(trimmed)..range.end.saturating_sub(trimmed))
        .collect();
    let note = "laid as the body, under the head that the file has".to_owned();
    if site.language == "python" {
        return Ok(one(
            python_body(file, definition, text, &literals, head),
            ApplicationOutcome::BodySpliced,
            note,
        ));
    }
    if !old_body.starts_with('{') {
        return Err("the lines define nothing, and the function has no block that they could fill".to_owned());
    }
    let given = text.trim();
    let braced = given.starts_with('{') && given.ends_with('}') && is_one_block(given);
    if braced {
        let start = text.len() - text.trim_start().len();
        let shifted: Vec<Range<usize>> = literals
            .iter()
            .map(|range| range.start.saturating_sub(start)..range.end.saturating_sub(start))
            .collect();
        let at = of_line(file, definition.span.body.start);
        let moved = super::indent::moved(
            &super::indent::Moved { text: given, range: 0..given.len(), literals: &shifted },
            at,
            &plain(old_body),
        );
        return Ok(one(
            Edit { range: definition.span.body.clone(), text: moved },
            ApplicationOutcome::BodySpliced,
            note,
        ));
    }
    let inner = definition.span.body.start + 1..definition.span.body.end - 1;
    let old_inner = file.get(inner.clone()).unwrap_or_default();
    let first = old_inner.lines().find(|line| !line.trim().is_empty() && !line.starts_with('#'));
    let unit = if head.starts_with('\t') { "\t".to_owned() } else { "    ".to_owned() };
    let target = match first {
        Some(line) if old_inner.starts_with(['\n', '\r']) => of_line(line, line.len()).to_owned(),
        _ => format!("{head}{unit}"),
    };
    let moved = moved_lines(text.trim_end(), &literals, &target, &plain(old_body), false);
    Ok(one(Edit { range: inner, text: format!("\n{moved}\n{head}") }, ApplicationOutcome::BodySpliced, note))
}

/// Whether the first brace is closed by the last one.
fn is_one_block(text: &str) -> bool {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && at + 1 < text.len() {
            return false;
        }
    }
    true
}

/// The edit that replaces the body of a Python function; its docstring stays unless the text brings one.
fn python_body(
    file: &str,
    definition: &Definition,
    text: &str,
    literals: &[Range<usize>],
    head: &str,
) -> Edit {
    let body = definition.span.body.clone();
    let old = file.get(body.clone()).unwrap_or_default();
    let is_string = |text: &'_ str| ["\"\"\"", "'''", "r\"\"\""].iter().any(|quote| text.starts_with(quote));
    let own_line =
        file.get(..body.start).is_some_and(|before| before.trim_end_matches([' ', '\t']).ends_with('\n'));
    if !own_line {
        let target = format!("{head}    ");
        return Edit {
            range: body,
            text: format!("\n{}", moved_lines(text.trim_end(), literals, &target, "", true)),
        };
    }
    let target = of_line(file, body.start);
    let moved = moved_lines(text.trim_end(), literals, target, &plain(old), true);
    let kept = if is_string(old) && !is_string(text.trim_start()) { docstring_end(old) } else { None };
    match kept {
        Some(length) => Edit { range: body.start + length..body.end, text: format!("\n{moved}") },
        None => Edit { range: body.start - target.len()..body.end, text: moved },
    }
}

/// The length of a triple-quoted string at the start of a text, where more follows it.
fn docstring_end(text: &str) -> Option<usize> {
    let start = text.find(['"', '\''])?;
    let quote = text.get(start..start + 3)?;
    let end = start + 3 + text.get(start + 3..)?.find(quote)? + 3;
    (end < text.trim_end().len()).then_some(end)
}
