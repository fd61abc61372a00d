//! What in an answer could be meant, and how well each fits what was asked.
//!
//! Promises: every block of the answer becomes a candidate with its span; a judgement depends on the block
//! and the tree only.
//! Leaves to others: finding blocks (`fences`, `replace`, `bare`), the choice (`choose`).

use super::fences::Block;
use super::lazy::{elision, is_promise};
use super::replace::named;
use super::tidy::{Code, tidy};
use super::{PieceKind, Rule, patches};
use crate::repair::file::same_but_blanks;
use crate::repair::find::{self, Found};
use crate::repair::form::Asked;
use crate::syntax::language::canonical_name;
use crate::syntax::{ItemKind, Outline, outline};
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

/// Something that could be meant.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub kind: PieceKind,
    pub span: Range<usize>,
    pub code: Code,
    /// File that the answer names for it, as far as it is one of the tree.
    pub path: Option<String>,
    /// Words before it.
    pub lead: String,
    pub closed: bool,
    /// Why it cannot be meant.
    pub dropped: Option<&'static str>,
    /// How it was found, where that decides more than how it was chosen.
    pub found_by: Option<Rule>,
}

/// The files that an answer is about, parsed once.
pub(super) struct Known<'a> {
    pub files: Vec<KnownFile<'a>>,
}

pub(super) struct KnownFile<'a> {
    pub path: &'a str,
    pub functions: Vec<&'a str>,
    pub language: String,
    pub text: Cow<'a, str>,
    pub outline: Option<Outline>,
}

impl<'a> Known<'a> {
    pub(super) fn of(asked: &'a Asked<'_>) -> Known<'a> {
        let files = asked.files().into_iter().map(|(path, functions)| {
            let text = asked.current.get(path).and_then(|content| content.text()).unwrap_or_default();
            let language = asked.language_of(path).to_owned();
            let outline = outline(&language, &text);
            KnownFile { path, functions, language, text, outline }
        });
        Known { files: files.collect() }
    }

    /// The language in which code for a path is read.
    fn language(&self, path: Option<&str>, asked: &Asked<'_>) -> String {
        match path.or(self.files.first().map(|file| file.path)) {
            Some(path) => asked.language_of(path).to_owned(),
            None => asked.language.to_owned(),
        }
    }
}

/// How a candidate for code fits.
#[derive(Debug, Clone, Default)]
pub(super) struct Judgement {
    /// Which of the functions asked for it defines: file and function, by their numbers.
    pub targets: Vec<(usize, usize)>,
    /// Functions of the files that it defines, asked for or not.
    pub known: usize,
    /// It defines functions or types.
    pub defines: bool,
    /// It only calls what was asked for.
    pub only_calls: bool,
    /// It consists of imports only.
    pub imports_only: bool,
    /// It is what the tree holds already.
    pub same: bool,
    /// The line that stands for code left out.
    pub lazy: Option<String>,
    /// Errors of the parser.
    pub errors: usize,
    /// The last error reaches the end of the text.
    pub breaks_off: bool,
}

const SHELLS: [&str; 11] =
    ["sh", "bash", "zsh", "shell", "console", "terminal", "powershell", "cmd", "shellsession", "fish", "bat"];
const OUTPUTS: [&str; 8] = ["text", "txt", "plaintext", "output", "log", "traceback", "pytest", "plain"];

/// The candidate that a fenced block is; one of several pieces where it holds a patch.
pub(super) fn of_block(answer: &str, block: &Block, asked: &Asked<'_>, known: &Known<'_>) -> Candidate {
    let tag = block.tag();
    let lead = lead(answer, block.opens);
    let path = path_of(block, &lead, asked);
    let language = known.language(path.as_deref(), asked);
    let mut candidate = Candidate {
        kind: PieceKind::Code,
        span: block.span.clone(),
        code: Code::default(),
        path,
        lead,
        closed: block.closed,
        dropped: None,
        found_by: None,
    };
    if let Some(kind) = patches::kind_of(&block.text, &tag) {
        candidate.kind = kind;
        // A patch names its own files.
        candidate.path = None;
        candidate.code.text = block.text.clone();
        return candidate;
    }
    candidate.code = tidy(&language, &block.text);
    if candidate.code.errors() > 0 || !block.closed {
        longer(answer, block, &language, &mut candidate);
    }
    let is_other = canonical_name(&tag).is_some_and(|name| {
        name != language
            && matches!(
                name,
                "json"
                    | "xml"
                    | "yaml"
                    | "toml"
                    | "html"
                    | "markdown"
                    | "sql"
                    | "css"
                    | "ini"
                    | "make"
                    | "cmake"
                    | "dockerfile"
            )
    });
    candidate.dropped = if candidate.code.text.trim().is_empty() {
        Some("it is empty")
    } else if language != "shell" && (SHELLS.contains(&tag.as_str()) || is_commands(&block.text)) {
        Some("it holds commands for a shell")
    } else if OUTPUTS.contains(&tag.as_str()) && candidate.code.errors() > 0 {
        Some("it holds output")
    } else if is_other {
        Some("it is in another language")
    } else {
        None
    };
    candidate
}

/// Longest code that is tried at later ends, in bytes.
const LONGER: usize = 64 << 10;

/// Code that holds fences of its own (in a docstring): where the block does not parse and would at a later
/// closing fence, it ends there.
fn longer(answer: &str, block: &Block, language: &str, candidate: &mut Candidate) {
    for end in block.later_ends.iter().filter(|end| *end - block.span.start <= LONGER) {
        let code = tidy(language, &block.text_until(answer, *end));
        if code.outline.is_some() && code.errors() == 0 {
            candidate.span = block.span.start..*end;
            candidate.code = code;
            candidate.closed = true;
            candidate.found_by = Some(Rule::LaterFence);
            return;
        }
    }
}

/// The last two lines of words before a place.
fn lead(answer: &str, at: usize) -> String {
    let before = answer.get(..at).unwrap_or_default();
    let lines: Vec<&str> = before.lines().rev().filter(|line| !line.trim().is_empty()).take(2).collect();
    lines.into_iter().rev().flat_map(|line| line.chars().take(300).chain(['\n'])).collect()
}

/// The file that a block's info string, the words before it or its first line name.
fn path_of(block: &Block, lead: &str, asked: &Asked<'_>) -> Option<String> {
    let is_known = |name: &str| match find::file(asked, name) {
        Ok(Found::File(path)) => Some(path),
        _ => None,
    };
    let words = block
        .info
        .split([' ', ',', ':', '=', '{', '}', '"', '\'', '(', ')'])
        .filter(|word| word.contains('.'));
    let first = block.text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    let comment = ["#", "//", "/*", "--"]
        .iter()
        .find_map(|start| first.strip_prefix(start))
        .map(|rest| named(rest.trim_end_matches("*/")));
    let before = lead.lines().rev().take(1).flat_map(|line| line.split_whitespace()).map(named);
    words.chain(comment).chain(before).filter(|name| !name.is_empty()).find_map(is_known)
}

/// Whether every line looks like a command.
fn is_commands(text: &str) -> bool {
    const PROGRAMS: [&str; 16] = [
        "$ ", "pip ", "pip3 ", "npm ", "npx ", "python ", "python3 ", "pytest", "cargo ", "gcc ", "make ",
        "git ", "cd ", "java ", "javac ", "node ",
    ];
    let mut lines =
        text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).peekable();
    lines.peek().is_some() && lines.all(|line| PROGRAMS.iter().any(|program| line.starts_with(program)))
}

/// Functions of a candidate that are looked through for code left out.
const LOOKED_THROUGH: usize = 50;

/// Judges a candidate for code.
pub(super) fn judge(candidate: &Candidate, known: &Known<'_>) -> Judgement {
    let mut judgement = Judgement { errors: candidate.code.errors(), ..Judgement::default() };
    let text = candidate.code.text.as_str();
    let Some(outline) = &candidate.code.outline else {
        judgement.same = known.files.iter().any(|file| same_but_blanks(&file.text, text));
        judgement.defines = !text.trim().is_empty();
        // Nobody can tell a definition; what names a function may hold one.
        let words: std::collections::HashSet<&str> = crate::repair::apply::words(text).collect();
        for (number, file) in known.files.iter().enumerate() {
            let named =
                file.functions.iter().enumerate().filter(|(_, name)| words.contains(find::plain_name(name)));
            judgement.targets.extend(named.map(|(which, _)| (number, which)));
        }
        let current = known.files.first().map_or("", |file| file.text.as_ref());
        let language = known.files.first().map_or("", |file| file.language.as_str());
        judgement.lazy = elision(language, text, current).map(|line| line.trim().to_owned());
        return judgement;
    };
    let end = text.trim_end().len();
    judgement.breaks_off = outline.errors.last().is_some_and(|error| error.end >= end);
    let real = |kind: ItemKind| outline.items.iter().filter(|item| item.kind == kind).count();
    judgement.defines = !outline.definitions.is_empty() || real(ItemKind::Type) > 0;
    let words = outline.items.len() - real(ItemKind::Comment);
    judgement.imports_only = words > 0 && real(ItemKind::Import) == words;
    let (mut compared, mut equal) = (0, 0);
    for (number, file) in known.files.iter().enumerate() {
        if candidate.path.as_deref().is_some_and(|path| path != file.path) {
            continue;
        }
        for (which, function) in file.functions.iter().enumerate() {
            if !find::functions(outline, function).is_empty() {
                judgement.targets.push((number, which));
            }
        }
        let Some(old) = &file.outline else { continue };
        let mut by_name: HashMap<&str, Vec<&str>> = HashMap::new();
        for definition in &old.definitions {
            let bytes = definition.core..definition.span.bytes.end;
            by_name.entry(&definition.span.name).or_default().push(file.text.get(bytes).unwrap_or_default());
        }
        for definition in &outline.definitions {
            let Some(olds) = by_name.get(definition.span.name.as_str()) else { continue };
            let new = text.get(definition.core..definition.span.bytes.end).unwrap_or_default();
            judgement.known += 1;
            compared += 1;
            equal += usize::from(olds.iter().any(|old| same_but_blanks(old, new)));
            let old_body = old.definitions.iter().find(|old| old.span.name == definition.span.name);
            let old_body = old_body.and_then(|old| file.text.get(old.span.body.clone())).unwrap_or_default();
            let new_body = text.get(definition.span.body.clone()).unwrap_or_default();
            let asked_for =
                file.functions.iter().any(|function| find::plain_name(function) == definition.span.name);
            if judgement.lazy.is_none()
                && compared <= LOOKED_THROUGH
                && (asked_for || file.functions.is_empty())
            {
                judgement.lazy = elision(&file.language, new, &file.text)
                    .map(|line| line.trim().to_owned())
                    .or_else(|| is_promise(new_body, old_body).then(|| first_line(new_body)));
            }
        }
        if compared == 0 && !judgement.defines {
            judgement.lazy = judgement
                .lazy
                .or_else(|| elision(&file.language, text, &file.text).map(|line| line.trim().to_owned()));
        }
    }
    if judgement.targets.is_empty() && crate::repair::apply::code::is_body(outline, text) {
        judgement.defines = false;
    }
    let mut asked = known.files.iter().flat_map(|file| &file.functions);
    judgement.only_calls = !judgement.defines
        && judgement.errors == 0
        && asked.any(|function| crate::repair::apply::code::only_calls(text, function));
    let strangers = outline.definitions.iter().filter(|definition| definition.span.depth == 0).count();
    judgement.same = compared > 0 && equal == compared && strangers <= compared
        || known.files.iter().any(|file| same_but_blanks(&file.text, text));
    judgement
}

pub(super) fn first_line(text: &str) -> String {
    text.lines()
        .map(str::trim)
        .find(|line| !matches!(*line, "" | "{"))
        .unwrap_or_default()
        .chars()
        .take(120)
        .collect()
}
