//! Agreement as a table for LaTeX and for Markdown.
//!
//! Promises: names and texts cannot break out of their cell or command anything; a statistic that is undefined is a
//! dash with its reason below the table, under a letter, for numbers in brackets count revisions; the n stands in every
//! row; a round that is not over is told.
//! Leaves to others: everything that is not a table (`methods`).

use super::measure::{Measured, Raters, Reading, Statistic};
use super::{Study, measure};
use crate::label::round::called;
use crate::text::{sanitise, three};

/// What stands over the columns.
const HEADS: [&str; 8] =
    ["Round", "Labels", "Question", "Items", "Annotators", "n", "Coefficient", "Agreement"];

/// The table for LaTeX, with `booktabs` (`\toprule` and so on).
pub fn latex(study: &Study) -> String {
    let (rows, notes) = rows(study);
    let mut text = String::from("% needs \\usepackage{booktabs}\n\\begin{tabular}{lllllrll}\n\\toprule\n");
    text.push_str(&HEADS.join(" & "));
    text.push_str(" \\\\\n\\midrule\n");
    for row in rows {
        let cells: Vec<String> = row.iter().map(|cell| escape_latex(cell)).collect();
        text.push_str(&cells.join(" & "));
        text.push_str(" \\\\\n");
    }
    text.push_str("\\bottomrule\n\\end{tabular}\n");
    for note in notes {
        text.push_str(&format!("\\par\\noindent {}\n", escape_latex(&note)));
    }
    text
}

/// The table for Markdown (pipes, as on GitHub).
pub fn markdown(study: &Study) -> String {
    let (rows, notes) = rows(study);
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let mut text = line(&HEADS.map(str::to_owned));
    text.push_str("|---|---|---|---|---|---:|---|---|\n");
    for row in rows {
        let cells: Vec<String> = row.iter().map(|cell| escape_markdown(cell)).collect();
        text.push_str(&line(&cells));
    }
    for note in notes {
        text.push_str(&format!("\n{}\n", escape_markdown(&note)));
    }
    text
}

/// The cells of the table, and what stands below it.
fn rows(study: &Study) -> (Vec<Vec<String>>, Vec<String>) {
    let mut rows = Vec::new();
    let mut notes: Vec<String> = Vec::new();
    let mut again = false;
    for measured in measure(study) {
        let mut mark = String::new();
        let main = measured.statistics.first();
        for reason in main.iter().flat_map(|main| reasons(main)) {
            let note = match notes.iter().position(|known| *known == reason) {
                Some(at) => at,
                None => {
                    notes.push(reason);
                    notes.len() - 1
                }
            };
            mark.push_str(&format!(" ({})", letter(note)));
        }
        again |= !measured.is_independent();
        let star = if measured.is_independent() { "" } else { "*" };
        let percent = match measured.get("percent_agreement").map(|percent| &percent.value) {
            Some(Ok(share)) => format!("{:.1} %", share * 100.0),
            _ => "–".to_owned(),
        };
        rows.push(vec![
            measured.place.round.to_string(),
            format!("{}{star}", measured.place.stage.words()),
            measured.place.question.to_string(),
            items(&measured).to_owned(),
            match &measured.raters {
                Raters::Pair(one, other) => format!("{one}, {other}"),
                Raters::All(all) if all.len() > 1 => format!("all {}", all.len()),
                Raters::All(all) => all.iter().map(|name| name.to_string()).collect(),
            },
            measured.joint.to_string(),
            main.map_or_else(|| "–".to_owned(), |main| format!("{} {}{mark}", main.words, in_numbers(main))),
            percent,
        ]);
    }
    let mut notes: Vec<String> =
        notes.into_iter().enumerate().map(|(at, note)| format!("({}) {note}.", letter(at))).collect();
    if again {
        notes.push(
            "* Not independent: given after a discussion, or on items that were verified again.".to_owned(),
        );
    }
    notes.push("n: items with two labels. In brackets 95 % intervals.".to_owned());
    notes.extend(study.rounds.iter().filter_map(|round| {
        let phase = round.phase?;
        let named = called(&round.name);
        // It begins a sentence.
        let named = named.strip_prefix("round ").map_or(named.clone(), |rest| format!("Round {rest}"));
        Some(format!("{named} is not over: it is in {phase}, and its numbers may still change."))
    }));
    notes.extend(study.codebook.as_ref().map(|codebook| {
        format!("Codebook: {}, {}, version {}.", codebook.title, codebook.id, codebook.stamp)
    }));
    notes.extend(study.deviations.iter().map(deviation));
    (rows, notes)
}

/// The mark of a note: a, b, …, z, aa, ab, …
fn letter(place: usize) -> String {
    let last = char::from(b'a' + (place % 26) as u8);
    match place / 26 {
        0 => last.to_string(),
        more => format!("{}{last}", letter(more - 1)),
    }
}

fn items(measured: &Measured) -> &'static str {
    match measured.reading {
        Reading::Plain => "all",
        Reading::WhereAsked => "where asked",
        Reading::WithNotApplicable => "all, with not applicable",
    }
}

/// A deviation as a sentence.
pub(super) fn deviation(deviation: &super::Deviation) -> String {
    let at = deviation.at.as_deref().map(|at| format!(", {at}")).unwrap_or_default();
    format!("Deviation from the protocol ({}{at}): {}.", called(&deviation.round), deviation.what)
}

/// `0.704 [0.665, 0.743]`, or a dash.
fn in_numbers(statistic: &Statistic) -> String {
    match (&statistic.value, &statistic.interval) {
        (Ok(value), Some(Ok(interval))) => {
            format!("{} [{}, {}]", three(*value), three(interval.low), three(interval.high))
        }
        (Ok(value), _) => three(*value),
        (Err(_), _) => "–".to_owned(),
    }
}

fn reasons(statistic: &Statistic) -> Vec<String> {
    match (&statistic.value, &statistic.interval) {
        (Err(why), _) => vec![format!("Undefined: {why}")],
        (Ok(_), Some(Err(why))) => vec![format!("No interval: {why}")],
        _ => Vec::new(),
    }
}

/// A text that LaTeX prints as it is.
pub(super) fn escape_latex(text: &str) -> String {
    let mut escaped = String::new();
    for character in sanitise(text).chars() {
        match character {
            '\\' => escaped.push_str("\\textbackslash{}"),
            '{' | '}' | '$' | '&' | '#' | '%' | '_' => {
                escaped.push('\\');
                escaped.push(character);
            }
            '^' => escaped.push_str("\\textasciicircum{}"),
            '~' => escaped.push_str("\\textasciitilde{}"),
            '<' => escaped.push_str("\\textless{}"),
            '>' => escaped.push_str("\\textgreater{}"),
            '|' => escaped.push_str("\\textbar{}"),
            '"' => escaped.push_str("\\textquotedbl{}"),
            '`' => escaped.push_str("\\textasciigrave{}"),
            '–' => escaped.push_str("--"),
            // Groups keep `--` and `[` from meaning anything behind a line break.
            '-' => escaped.push_str("{-}"),
            '[' => escaped.push_str("{[}"),
            ']' => escaped.push_str("{]}"),
            '*' => escaped.push_str("{*}"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// A text that Markdown prints as it is, on one line.
pub(super) fn escape_markdown(text: &str) -> String {
    let mut escaped = String::new();
    for character in sanitise(text).chars() {
        match character {
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '#' | '|' | '!' | '~' | '@' | '$' => {
                escaped.push('\\');
                escaped.push(character);
            }
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::letter;

    #[test]
    fn notes_have_letters_however_many_there_are() {
        assert_eq!(
            [0, 1, 25, 26, 27, 51, 52, 701, 702].map(letter),
            ["a", "b", "z", "aa", "ab", "az", "ba", "zz", "aaa"]
        );
    }
}
