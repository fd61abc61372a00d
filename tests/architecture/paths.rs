//! The paths that a source file names, made absolute.

use super::lexer::Token;

/// A path that a file names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// Line, counted from 1.
    pub line: usize,
    /// `["crate", "store", "Clock"]`, `["std", "fs"]`, …
    pub path: Vec<String>,
}

/// The module of a file below `src`: `src/tui/screens/mod.rs` is `crate, tui, screens`.
pub fn module_of(file: &str) -> Vec<String> {
    let inside = file.strip_prefix("src/").unwrap_or(file).trim_end_matches(".rs");
    let mut module = vec!["crate".to_owned()];
    module.extend(inside.split('/').map(str::to_owned));
    if matches!(module.last().map(String::as_str), Some("mod" | "lib" | "main")) {
        module.pop();
    }
    module
}

/// All paths of a file. What a macro makes is not seen.
pub fn paths(file: &str, tokens: &[(usize, Token)]) -> Vec<Named> {
    let mut found = Vec::new();
    let mut module = module_of(file);
    // Depth of braces at which each inline module ends.
    let mut inline: Vec<usize> = Vec::new();
    let mut depth = 0;
    let mut here = 0;
    while here < tokens.len() {
        let word = |index: usize| match tokens.get(index) {
            Some((_, Token::Word(word))) => Some(word.as_str()),
            _ => None,
        };
        let sign = |index: usize, wanted: char| matches!(tokens.get(index), Some((_, Token::Sign(c))) if *c == wanted);
        if word(here) == Some("mod") && sign(here + 2, '{') {
            module.push(word(here + 1).unwrap_or_default().to_owned());
            inline.push(depth);
            depth += 1;
            here += 3;
        } else if sign(here, '{') {
            depth += 1;
            here += 1;
        } else if sign(here, '}') {
            depth = depth.saturating_sub(1);
            if inline.last() == Some(&depth) {
                inline.pop();
                module.pop();
            }
            here += 1;
        } else if word(here).is_some() && matches!(tokens.get(here + 1), Some((_, Token::Path))) {
            here = tree(tokens, here, &[], &mut |line, path| {
                found.push(Named { line, path: absolute(&module, path) });
            });
        } else {
            here += 1;
        }
    }
    found
}

/// Reads a path with the `{…}` that may end it; gives the index behind it.
fn tree(
    tokens: &[(usize, Token)],
    mut here: usize,
    before: &[String],
    report: &mut dyn FnMut(usize, &[String]),
) -> usize {
    let mut path = before.to_vec();
    let mut line = 0;
    while let Some((at, Token::Word(word))) = tokens.get(here) {
        line = *at;
        path.push(word.clone());
        here += 1;
        if !matches!(tokens.get(here), Some((_, Token::Path))) {
            break;
        }
        here += 1;
        if matches!(tokens.get(here), Some((_, Token::Sign('{')))) {
            here += 1;
            while here < tokens.len() && !matches!(tokens[here].1, Token::Sign('}')) {
                // `name as other` names nothing more.
                let renamed = matches!(&tokens[here].1, Token::Word(word) if word == "as");
                here = if renamed { here + 2 } else { tree(tokens, here, &path, report).max(here + 1) };
            }
            return here + 1;
        }
    }
    if path.len() > before.len() {
        report(line, &path);
    }
    here
}

/// The tokens without what stands in a `#[cfg(test)] mod … { … }`.
pub fn without_tests(tokens: &[(usize, Token)]) -> Vec<(usize, Token)> {
    let start = [
        Token::Sign('#'),
        Token::Sign('['),
        Token::Word("cfg".to_owned()),
        Token::Sign('('),
        Token::Word("test".to_owned()),
        Token::Sign(')'),
        Token::Sign(']'),
    ];
    let is = |index: usize, wanted: &Token| tokens.get(index).is_some_and(|(_, token)| token == wanted);
    let mut kept = Vec::new();
    let mut here = 0;
    while here < tokens.len() {
        let tests = start.iter().enumerate().all(|(offset, wanted)| is(here + offset, wanted));
        let module = here + start.len();
        if tests && is(module, &Token::Word("mod".to_owned())) && is(module + 2, &Token::Sign('{')) {
            let mut depth = 0;
            here = module + 2;
            while here < tokens.len() {
                depth += i32::from(is(here, &Token::Sign('{'))) - i32::from(is(here, &Token::Sign('}')));
                here += 1;
                if depth == 0 {
                    break;
                }
            }
        } else {
            kept.push(tokens[here].clone());
            here += 1;
        }
    }
    kept
}

fn absolute(module: &[String], path: &[String]) -> Vec<String> {
    let mut base = module.to_vec();
    let mut rest = path;
    match rest.first().map(String::as_str) {
        Some("crate") => return path.to_vec(),
        Some("mendbench") => return [&["crate".to_owned()], &path[1..]].concat(),
        Some("self") => rest = &rest[1..],
        Some("super") => {
            while rest.first().is_some_and(|word| word == "super") {
                base.pop();
                rest = &rest[1..];
            }
        }
        // Another crate, or something that was imported by a path of its own.
        _ => return path.to_vec(),
    }
    base.extend(rest.iter().cloned());
    base
}
