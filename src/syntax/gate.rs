//! Which texts are not given to a parser.
//!
//! Error recovery of tree-sitter takes time and memory in the square of what is left open or repeated,
//! and reports no progress meanwhile, so a count of steps cannot stop it: measured, 20 kB of `a=>` as
//! Java asked for over 6 GB, and 60 kB of `case a:` as JavaScript took 14 s. Ordinary code, code in
//! the wrong language, tables of numbers and random bytes were all harmless (400 kB: under 3 s, 80 MB).
//!
//! Promises: one pass; text that people or formatters write passes; degenerate text does not.
//! Leaves to others: a text built on purpose to differ from every rule here can still be slow.

/// Deepest nesting of brackets.
const MAX_NESTING: usize = 256;
/// Most punctuation in a row without one of `;,{})` or an empty line between.
const MAX_UNBROKEN: usize = 1_000;
/// Longest repeated unit that is looked for.
const MAX_PERIOD: usize = 16;
/// Bytes over which one unit may repeat; white space does not count.
const MAX_REPEATED: u32 = 1_500;
/// The same for units that hold a comma: tables of equal numbers are code.
const MAX_REPEATED_LIST: u32 = 20_000;

/// Whether a parser may see the text. `lines_end_statements`: a line end does what `;` does elsewhere.
pub(super) fn is_harmless(bytes: &[u8], lines_end_statements: bool) -> bool {
    let (mut nesting, mut unbroken) = (0_usize, 0_usize);
    let mut repeated = [0_u32; MAX_PERIOD];
    for (at, &byte) in bytes.iter().enumerate() {
        let before = at.checked_sub(1).map_or(b'\n', |before| bytes[before]);
        match byte {
            b'(' | b'[' | b'{' => nesting += 1,
            b')' | b']' | b'}' => nesting = nesting.saturating_sub(1),
            _ => {}
        }
        match byte {
            b';' | b',' | b'{' | b'}' | b')' => unbroken = 0,
            b'\n' if before == b'\n' || (lines_end_statements && before != b'\\') => unbroken = 0,
            _ if byte.is_ascii_punctuation() && byte != before => unbroken += 1,
            _ => {}
        }
        if nesting > MAX_NESTING || unbroken > MAX_UNBROKEN {
            return false;
        }

        let window = &bytes[at.saturating_sub(MAX_PERIOD)..at];
        for (count, &earlier) in repeated.iter_mut().zip(window.iter().rev()) {
            *count = if earlier == byte { *count + u32::from(!byte.is_ascii_whitespace()) } else { 0 };
        }
        if byte != b' ' && repeated.iter().any(|count| *count > MAX_REPEATED) {
            let unit = &bytes[at.saturating_sub(MAX_PERIOD)..=at];
            if !unit.contains(&b',') || repeated.iter().any(|count| *count > MAX_REPEATED_LIST) {
                return false;
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_and_formatters_pass() {
        for text in [
            "0, ".repeat(5_000),
            " ".repeat(100_000),
            "\n".repeat(100_000),
            format!("/{}/\n", "*".repeat(1_000)),
            "int f(void) { return 1; }\n".repeat(10_000),
            "x = 1\n".repeat(200),
            format!("{}1{}", "(".repeat(200), ")".repeat(200)),
            "\"some words of a long string\" +\n    \"and more of them\" +\n".repeat(100),
        ] {
            assert!(is_harmless(text.as_bytes(), false), "{}", &text[..20]);
            assert!(is_harmless(text.as_bytes(), true), "{}", &text[..20]);
        }
    }

    #[test]
    fn degenerate_texts_do_not() {
        for unit in ["a=>", "a<", "{a<b}", "case a:", "\\\n", "r#\"", "((a)", "!a", "a,", "[{", "a::"] {
            assert!(!is_harmless(unit.repeat(30_000).as_bytes(), false), "{unit}");
            assert!(!is_harmless(unit.repeat(30_000).as_bytes(), true), "{unit}");
        }
        let varied: String = (0..2_000).map(|n| format!("a{n}=>\n")).collect();
        assert!(!is_harmless(varied.as_bytes(), false));
    }
}
