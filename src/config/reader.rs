//! What readers of configuration files have in common: lines of spans, and hints at what was meant.

use std::ops::Range;

/// The line of a span, from 1.
pub(super) fn line(text: &str, span: Range<usize>) -> usize {
    let start = span.start.min(text.len());
    text.as_bytes()[..start].iter().filter(|byte| **byte == b'\n').count() + 1
}

/// The known name that is closest in spelling, or all of them.
pub(super) fn hint(name: &str, known: &[&str]) -> String {
    let nearest = known
        .iter()
        .map(|known| (strsim::damerau_levenshtein(name, known), *known))
        .filter(|(distance, known)| *distance <= 2 && *distance < known.len())
        .min();
    match nearest {
        Some((_, nearest)) => format!("did you mean `{nearest}`?"),
        None => format!("known are {}", known.join(", ")),
    }
}
