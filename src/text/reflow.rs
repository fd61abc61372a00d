//! Prose that was cut into lines at one width, made whole again for another.
//!
//! Promises: only line ends change, into blanks; what looks like code, a list, a table, a heading or a quote
//! keeps its lines.

use std::borrow::Cow;

/// Joins the lines of each paragraph of prose, so that [`wrap`](super::wrap) can cut them anew.
pub fn reflow(text: &str) -> Cow<'_, str> {
    if !text.contains('\n') {
        return Cow::Borrowed(text);
    }
    let mut joined = String::with_capacity(text.len());
    let mut fenced = false;
    let mut before: Option<&str> = None;
    for line in text.lines() {
        if let Some(before) = before {
            joined.push(if !fenced && goes_on(before) && continues(line) { ' ' } else { '\n' });
        }
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        joined.push_str(if fenced { line } else { line.trim_end() });
        before = Some(line);
    }
    Cow::Owned(joined)
}

/// Whether a line is the middle of a paragraph: prose, and long enough that its end was a matter of width.
fn goes_on(line: &str) -> bool {
    let shortest = 40;
    continues(line) && line.len() >= shortest || is_item(line) && line.len() >= shortest
}

/// Whether a line can be the next one of a paragraph.
fn continues(line: &str) -> bool {
    let is_prose = line.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '`' | '(' | '"' | '\''));
    is_prose && !is_item(line)
}

fn is_item(line: &str) -> bool {
    let numbered = line.find(['.', ')']).is_some_and(|end| {
        end > 0 && line[..end].bytes().all(|byte| byte.is_ascii_digit()) && line[end + 1..].starts_with(' ')
    });
    numbered || ["- ", "* ", "+ "].iter().any(|mark| line.starts_with(mark))
}

#[cfg(test)]
mod tests {
    use super::reflow;
    use proptest::prelude::*;

    #[test]
    fn paragraphs_are_joined_and_other_things_keep_their_lines() {
        let long = "this line was cut because it had come to its end";
        assert_eq!(reflow(&format!("{long}\nand goes on\n\nnext")), format!("{long} and goes on\n\nnext"));
        assert_eq!(reflow("short\nlines"), "short\nlines");
        let code = format!("{long}\n    code(1)\n    code(2)\n{long}\n>>> f()\n3");
        assert_eq!(reflow(&code), code);
        let list = format!("- {long}\n- {long}\n1. {long}\n2) x");
        assert_eq!(reflow(&list), list);
        let fence = format!("```\n{long}\n{long}\n```");
        assert_eq!(reflow(&fence), fence);
    }

    proptest! {
        #[test]
        fn nothing_but_white_space_changes(text in "[ a-z.\\-`\\n]{0,200}") {
            let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            prop_assert_eq!(letters(&reflow(&text)), letters(&text));
        }
    }
}
