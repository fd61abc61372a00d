//! Places in code that tracebacks, sanitisers, panics and stacks name.
//!
//! Promises: the innermost frame of the tree's own files is found first, else nothing: a frame of a library is never
//! passed off as one's own. Leaves to others: what the failure was (`class`).

use serde::{Deserialize, Serialize};

/// A place in the code.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Place {
    /// Path inside the tree.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Function, if it is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.file, self.line)?;
        match &self.function {
            Some(function) => write!(f, ":{function}"),
            None => Ok(()),
        }
    }
}

/// The tree that counts as one's own.
#[derive(Debug, Clone, Copy)]
pub struct Ground<'a> {
    /// Where it lay when the tests ran.
    pub root: &'a str,
    /// Its files; empty: every relative path and every path below the root is own.
    pub files: &'a [&'a str],
}

impl Ground<'_> {
    /// The path inside the tree, if the file is one's own.
    pub fn own(&self, path: &str) -> Option<String> {
        let path = path.strip_prefix("file://").unwrap_or(path);
        let root = self.root.trim_end_matches('/');
        let inside = match path.strip_prefix(root).filter(|_| !root.is_empty()) {
            Some(rest) => rest.strip_prefix('/'),
            None if !path.starts_with('/') => Some(path.trim_start_matches("./")),
            None => None,
        };
        let foreign = ["site-packages/", "node_modules/", "dist-packages/", "/rustc/", "node:", "<"];
        if let Some(inside) = inside {
            let is_foreign = foreign
                .iter()
                .any(|start| inside.starts_with(start) || inside.contains(&format!("/{start}")));
            let own = if self.files.is_empty() {
                !is_foreign && !inside.starts_with("../")
            } else {
                self.files.contains(&inside)
            };
            if own {
                return Some(inside.to_owned());
            }
        }
        // A tool below the root, or in a container, names another root: the longest tail that is a file counts.
        let system = ["/usr/", "/lib/", "/rustc/", "/opt/"].iter().any(|start| path.starts_with(start));
        if system || foreign.iter().any(|part| path.contains(part)) {
            return None;
        }
        self.files
            .iter()
            .filter(|file| path.strip_suffix(**file).is_some_and(|before| before.ends_with('/')))
            .max_by_key(|file| file.len())
            .map(|file| (*file).to_owned())
    }
}

/// Which end of a stack is printed first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    /// Python: the newest call is last.
    NewestLast,
    /// All others.
    NewestFirst,
    /// No stack, just a place: counts when no stack has one.
    Alone,
}

/// The innermost frame of the tree's own code in the first stack that has one.
pub fn first_own(output: &str, ground: Ground<'_>) -> Option<Place> {
    let mut innermost: Option<Place> = None;
    let mut inside_python = false;
    let mut alone = None;
    let mut lines = output.lines().peekable();
    while let Some(line) = lines.next() {
        let text = line.trim_start();
        let is_python = text.starts_with("File \"") || short_python(line).is_some();
        // A traceback of Python ends with its exception; its last own frame is the place.
        if inside_python && !is_python && !line.starts_with(' ') && !text.is_empty() {
            if innermost.is_some() {
                return innermost;
            }
            inside_python = false;
        }
        let next = lines.peek().copied().unwrap_or_default();
        let Some((frame, order)) = frame(text, next) else { continue };
        let Some(file) = ground.own(frame.file) else { continue };
        let place = Place { file, line: frame.line, function: frame.function.map(plain) };
        match order {
            Order::NewestFirst => return Some(place),
            Order::Alone => alone = alone.or(Some(place)),
            Order::NewestLast => {
                inside_python = true;
                innermost = Some(place);
            }
        }
    }
    innermost.or(alone)
}

/// A frame as it is printed.
struct Frame<'a> {
    file: &'a str,
    line: u32,
    function: Option<&'a str>,
}

fn frame<'a>(text: &'a str, next: &'a str) -> Option<(Frame<'a>, Order)> {
    if let Some(rest) = text.strip_prefix("File \"") {
        let (file, rest) = rest.split_once("\", line ")?;
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let line = rest[..end].parse().ok()?;
        let function = rest[end..].strip_prefix(", in ");
        return Some((Frame { file, line, function }, Order::NewestLast));
    }
    if let Some(found) = short_python(text) {
        return Some((found, Order::NewestLast));
    }
    if let Some(found) = script(text) {
        return Some((found, Order::Alone));
    }
    let found = sanitizer(text)
        .or_else(|| node(text))
        .or_else(|| panic(text))
        .or_else(|| rust_frame(text, next))
        .or_else(|| assertion(text))
        .or_else(|| perl(text))
        .or_else(|| plain_place(text))?;
    Some((found, Order::NewestFirst))
}

/// `test_a.py:2: in <module>`, as pytest shortens it.
fn short_python(text: &str) -> Option<Frame<'_>> {
    let (place, function) = text.split_once(": in ")?;
    let (file, line) = position(place).filter(|(file, _)| file.ends_with(".py") && !file.contains(' '))?;
    (!function.contains(' ')).then_some(Frame { file, line, function: Some(function) })
}

/// `#0 0x55… in read_past /tmp/tree/memory.c:10:12`.
fn sanitizer(text: &str) -> Option<Frame<'_>> {
    let rest = text.strip_prefix('#')?;
    let (number, rest) = rest.split_once(" 0x")?;
    number.parse::<u32>().ok()?;
    let (_, rest) = rest.split_once(" in ")?;
    let (function, place) = rest.rsplit_once(' ')?;
    let (file, line) = position(place)?;
    Some(Frame { file, line, function: Some(function) })
}

/// `file:///tmp/tree/a.mjs:2`, as node heads the line that it shows; in TAP behind a `#`.
fn script(text: &str) -> Option<Frame<'_>> {
    let text = text.strip_prefix("# ").unwrap_or(text);
    let (file, line) = text.rsplit_once(':')?;
    let is_script =
        [".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"].iter().any(|ending| file.ends_with(ending));
    let line = line.parse().ok().filter(|_| is_script && !file.contains(' '))?;
    Some(Frame { file, line, function: None })
}

/// `at inner (file:///tmp/tree/a.mjs:2:16)`, `at file:///tmp/tree/a.mjs:4:1`, and without `at` in node's TAP.
fn node(text: &str) -> Option<Frame<'_>> {
    let (is_stack, text) = match text.strip_prefix("at ") {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let text = text.strip_prefix("async ").unwrap_or(text);
    if let Some((function, rest)) = text.split_once(" (")
        && let Some((file, line)) = rest.strip_suffix(')').and_then(position)
        && (is_stack || file.starts_with("file://") || file.starts_with('/'))
    {
        return Some(Frame { file, line, function: Some(function) });
    }
    let is_script = text.starts_with("file://") || is_stack;
    let (file, line) = position(text).filter(|_| is_script && !text.contains(' '))?;
    Some(Frame { file, line, function: None })
}

/// `thread 'tests::fails' (1) panicked at src/lib.rs:20:9:`.
fn panic(text: &str) -> Option<Frame<'_>> {
    let (thread, place) = text.strip_prefix("thread '")?.split_once(" panicked at ")?;
    let (file, line) = position(place.strip_suffix(':')?)?;
    let name = thread.split('\'').next().filter(|name| *name != "main");
    Some(Frame { file, line, function: name })
}

/// `5: forms::tests::unwraps`, with `at ./forms.rs:50:17` in the next line.
fn rust_frame<'a>(text: &'a str, next: &'a str) -> Option<Frame<'a>> {
    let (number, function) = text.split_once(": ")?;
    number.parse::<u32>().ok()?;
    let (file, line) = position(next.trim_start().strip_prefix("at ")?)?;
    Some(Frame { file, line, function: Some(function) })
}

/// `memory: memory.c:45: main: Assertion ``…' failed.`
fn assertion(text: &str) -> Option<Frame<'_>> {
    let (before, _) = text.split_once(": Assertion `")?;
    let (before, function) = before.rsplit_once(": ")?;
    let (_, place) = before.rsplit_once(": ").unwrap_or(("", before));
    let (file, line) = position(place)?;
    // `int add(int, int)` in C++.
    let function = function.split('(').next().and_then(|name| name.rsplit([' ', '*', '&']).next());
    Some(Frame { file, line, function })
}

/// `#   at t/shapes.t line 6.`
fn perl(text: &str) -> Option<Frame<'_>> {
    let (file, line) = text.strip_prefix('#')?.trim_start().strip_prefix("at ")?.split_once(" line ")?;
    Some(Frame { file, line: line.trim_end_matches('.').parse().ok()?, function: None })
}

/// `memory.c:30:16: runtime error: …`, `bad.c:8:19: error: …`, pytest's `test_forms.py:19: AssertionError`.
fn plain_place(text: &str) -> Option<Frame<'_>> {
    let (place, rest) = text.split_once(": ")?;
    let told = rest.starts_with("runtime error: ")
        || rest.starts_with("error: ")
        || rest.starts_with("fatal error: ")
        || (place.ends_with(|c: char| c.is_ascii_digit())
            && !rest.is_empty()
            && rest.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.')));
    if !told || place.contains(' ') {
        return None;
    }
    let (file, line) = position(place)?;
    Some(Frame { file, line, function: None })
}

/// `file:line` or `file:line:column`.
fn position(text: &str) -> Option<(&str, u32)> {
    let (rest, last) = text.rsplit_once(':')?;
    let last = last.parse::<u32>().ok()?;
    match rest.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse::<u32>().ok()?))) {
        Some((file, line)) if !file.is_empty() => Some((file, line)),
        _ if !rest.is_empty() => Some((rest, last)),
        _ => None,
    }
}

/// A function's name without what compilers add.
fn plain(name: &str) -> String {
    let name = name.trim();
    let name = name.split("::{{closure}}").next().unwrap_or(name);
    super::super::collect::cut(name, 200).to_owned()
}
