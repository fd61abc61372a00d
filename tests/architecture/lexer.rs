//! Enough of Rust's lexical rules to tell code from comments and strings.
#![allow(dead_code)]

/// A piece of source text that matters to the rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Token {
    /// A name or keyword.
    Word(String),
    /// The inside of a string literal, as it is written.
    Text(String),
    /// `::`
    Path,
    /// Any other character that is not white space.
    Sign(char),
}

/// The tokens of a file with their lines, counted from 1. Comments are left out.
pub fn tokens(source: &str) -> Vec<(usize, Token)> {
    let chars: Vec<char> = source.chars().collect();
    let at = |index: usize| chars.get(index).copied().unwrap_or('\0');
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    let (mut here, mut line) = (0, 1);
    while here < chars.len() {
        let from = here;
        let c = chars[here];
        if c == '/' && at(here + 1) == '/' {
            while here < chars.len() && chars[here] != '\n' {
                here += 1;
            }
        } else if c == '/' && at(here + 1) == '*' {
            let mut depth = 0;
            loop {
                match (at(here), at(here + 1)) {
                    ('/', '*') => (depth, here) = (depth + 1, here + 2),
                    ('*', '/') => (depth, here) = (depth - 1, here + 2),
                    _ => here += 1,
                }
                if depth == 0 || here >= chars.len() {
                    break;
                }
            }
        } else if let Some((start, hashes)) = raw_string(&chars, here) {
            let end = (start..chars.len())
                .find(|end| at(*end) == '"' && (1..=hashes).all(|hash| at(end + hash) == '#'))
                .unwrap_or(chars.len());
            found.push((line, Token::Text(chars[start..end].iter().collect())));
            here = end + 1 + hashes;
        } else if c == '"' {
            here += 1;
            while here < chars.len() && chars[here] != '"' {
                here += if chars[here] == '\\' { 2 } else { 1 };
            }
            let inside = &chars[from + 1..here.min(chars.len())];
            found.push((line, Token::Text(inside.iter().collect())));
            here += 1;
        } else if c == '\'' && at(here + 1) == '\\' {
            here += 3;
            while here < chars.len() && chars[here] != '\'' {
                here += 1;
            }
            found.push((line, Token::Text(chars[from + 1..here.min(chars.len())].iter().collect())));
            here += 1;
        } else if c == '\'' && at(here + 2) == '\'' {
            found.push((line, Token::Text(at(here + 1).to_string())));
            here += 3;
        } else if is_word(c) {
            while is_word(at(here)) {
                here += 1;
            }
            found.push((line, Token::Word(chars[from..here].iter().collect())));
        } else if c == ':' && at(here + 1) == ':' {
            found.push((line, Token::Path));
            here += 2;
        } else {
            if !c.is_whitespace() {
                found.push((line, Token::Sign(c)));
            }
            here += 1;
        }
        line += chars[from..here.min(chars.len())].iter().filter(|c| **c == '\n').count();
    }
    found
}

/// Where the inside of a raw string that begins here starts, and its number of `#`.
fn raw_string(chars: &[char], here: usize) -> Option<(usize, usize)> {
    let at = |index: usize| chars.get(index).copied().unwrap_or('\0');
    if here > 0 && (at(here - 1).is_alphanumeric() || at(here - 1) == '_') {
        return None;
    }
    let mut index = if matches!(at(here), 'b' | 'c') { here + 1 } else { here };
    if at(index) != 'r' {
        return None;
    }
    index += 1;
    let mut hashes = 0;
    while at(index) == '#' {
        (index, hashes) = (index + 1, hashes + 1);
    }
    (at(index) == '"').then_some((index + 1, hashes))
}
