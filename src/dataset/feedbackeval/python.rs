//! The little that has to be known of Python to read these rows: names, docstrings, indentation.
//!
//! Promises: works on broken programs too, since half of them are; gives nothing rather than a guess.

/// The function that the test text checks: the last line `check(name)`.
pub(super) fn checked_function(test: &str) -> Option<&str> {
    test.lines().rev().find_map(|line| {
        let name = line.trim_end().strip_prefix("check(")?.strip_suffix(')')?.trim();
        is_identifier(name).then_some(name)
    })
}

/// The first function that a program defines.
pub(super) fn first_function(code: &str) -> Option<String> {
    code.lines().find_map(defined).map(str::to_owned)
}

/// The name that a line `def name(` defines.
fn defined(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let rest = line.strip_prefix("async").map_or(line, str::trim_start).strip_prefix("def")?;
    let name = rest.strip_prefix([' ', '\t'])?.trim_start();
    let end = name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len());
    is_identifier(&name[..end]).then(|| &name[..end])
}

pub(super) fn is_identifier(name: &str) -> bool {
    name.len() <= 100
        && name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// Whether a file of this name can be imported and hides nothing that its tests may import.
pub(super) fn is_module_name(name: &str) -> bool {
    // Names that are words of the language, modules of the standard library, or our own test file.
    const TAKEN: [&str; 30] = [
        "ast",
        "bisect",
        "calendar",
        "code",
        "collections",
        "copy",
        "datetime",
        "decimal",
        "enum",
        "fractions",
        "functools",
        "hashlib",
        "heapq",
        "io",
        "itertools",
        "json",
        "math",
        "numbers",
        "operator",
        "os",
        "pickle",
        "queue",
        "random",
        "re",
        "statistics",
        "string",
        "sys",
        "time",
        "typing",
        "test_solution",
    ];
    const WORDS: [&str; 10] = ["and", "class", "def", "for", "if", "import", "is", "not", "or", "while"];
    is_identifier(name) && !TAKEN.contains(&name) && !WORDS.contains(&name)
}

/// The docstring of `function`, tidied as Python's `inspect.cleandoc` does.
pub(super) fn docstring(code: &str, function: &str) -> Option<String> {
    let mut start = 0;
    for line in code.split_inclusive('\n') {
        if defined(line) == Some(function) {
            return docstring_after(&code[start..]).filter(|text| !text.is_empty());
        }
        start += line.len();
    }
    None
}

/// The docstring of the function that `text` begins with.
fn docstring_after(text: &str) -> Option<String> {
    let mut scan = Scan { text, at: text.find('(')? };
    scan.signature()?;
    scan.blank();
    // HumanEval/115 imports a module first, so that its text is none for Python, but one for people.
    while ["import ", "from "].iter().any(|word| scan.rest().starts_with(word)) {
        scan.at += scan.rest().find('\n')?;
        scan.blank();
    }
    let (literal, _) = scan.literal()?;
    Some(clean(literal))
}

struct Scan<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scan<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Goes to behind the colon that ends the signature.
    fn signature(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            let c = self.rest().chars().next()?;
            match c {
                '\'' | '"' => {
                    self.literal()?;
                    continue;
                }
                '#' => {
                    self.at += self.rest().find('\n')?;
                    continue;
                }
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth = depth.checked_sub(1)?,
                ':' if depth == 0 => {
                    self.at += 1;
                    return Some(());
                }
                _ => {}
            }
            self.at += c.len_utf8();
        }
    }

    /// Passes over white space and comments.
    fn blank(&mut self) {
        loop {
            let rest = self.rest().trim_start();
            self.at = self.text.len() - rest.len();
            match rest.strip_prefix('#').map(|_| rest.find('\n')) {
                Some(Some(end)) => self.at += end,
                Some(None) => self.at = self.text.len(),
                None => return,
            }
        }
    }

    /// The inside of the string literal here, and whether it was raw.
    fn literal(&mut self) -> Option<(&'a str, bool)> {
        let rest = self.rest();
        let prefix = rest.find(['\'', '"'])?;
        if prefix > 2
            || !rest[..prefix].chars().all(|c| matches!(c, 'r' | 'R' | 'u' | 'U' | 'b' | 'B' | 'f' | 'F'))
        {
            return None;
        }
        let opened = &rest[prefix..];
        let quote = if opened.starts_with("\"\"\"") || opened.starts_with("'''") {
            &opened[..3]
        } else {
            &opened[..1]
        };
        let inside = &opened[quote.len()..];
        let mut at = 0;
        while at < inside.len() {
            let tail = &inside[at..];
            if tail.starts_with(quote) {
                self.at += prefix + 2 * quote.len() + at;
                return Some((&inside[..at], rest[..prefix].contains(['r', 'R'])));
            }
            if quote.len() == 1 && tail.starts_with('\n') {
                return None;
            }
            let mut chars = tail.chars();
            let first = chars.next()?;
            at += first.len_utf8();
            if first == '\\' {
                at += chars.next().map_or(0, char::len_utf8);
            }
        }
        None
    }
}

/// Takes the indentation of a docstring away.
fn clean(text: &str) -> String {
    let mut lines: Vec<String> = text.lines().map(|line| line.replace('\t', "        ")).collect();
    let indent = |line: &String| line.len() - line.trim_start().len();
    let common = lines.iter().skip(1).filter(|line| !line.trim().is_empty()).map(indent).min().unwrap_or(0);
    for (index, line) in lines.iter_mut().enumerate() {
        let cut = if index == 0 { indent(line) } else { common.min(indent(line)) };
        *line = line[cut..].trim_end().to_owned();
    }
    let text = lines.join("\n");
    text.trim_matches('\n').to_owned()
}

/// A function cut out of a class, moved to the left margin; and the indentation that was taken away.
///
/// Two shapes occur: every line is indented alike, or only the first line was moved already and its
/// body still stands where it stood in the class. A text that fits neither stays as it is.
pub(super) fn to_the_margin(code: &str) -> (String, String) {
    let filled = |line: &&str| !line.trim().is_empty();
    let mut lines = code.lines().filter(filled);
    let Some(first) = lines.next() else { return (code.to_owned(), String::new()) };
    let margin = indentation(first);
    let mut common = margin;
    if margin.is_empty() {
        // The body stands one step (four columns) deeper than the `def` stood.
        let Some(body) = lines.clone().map(indentation).min_by_key(|indent| indent.len()) else {
            return (code.to_owned(), String::new());
        };
        let decorated = first.starts_with('@');
        let spaces = body.chars().all(|c| c == ' ');
        let step = if decorated { 0 } else { 4 };
        if !spaces || body.len() <= step || (defined(first).is_none() && !decorated) {
            return (code.to_owned(), String::new());
        }
        common = &body[step..];
    } else {
        for line in lines {
            let shared = common.bytes().zip(line.bytes()).take_while(|(a, b)| a == b).count();
            common = &common[..shared];
        }
    }
    if common.is_empty() {
        return (code.to_owned(), String::new());
    }
    let move_line = |line| if filled(&line) { line.strip_prefix(common).unwrap_or(line) } else { line };
    let moved = code.split_inclusive('\n').map(move_line).collect::<String>();
    (moved, common.to_owned())
}

fn indentation(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

#[cfg(test)]
#[path = "python_tests.rs"]
mod tests;
