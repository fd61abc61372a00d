//! Code of an answer laid into a file: as the whole file, function by function, or as lines of a function.
//!
//! Promises: functions are found by the syntax tree of both sides and replaced by span; what an answer brings
//! beside them (imports, helpers) comes along where it is needed, and the notes say so; nothing is guessed
//! where two functions fit.
//! Leaves to others: the text of one replaced function (`splice`), lines without a definition (`lines`),
//! what is inserted where (`additions`).

use super::hunks::Laid;
use super::{additions, lines, splice, words};
use crate::repair::extract::{Code, elision, tidy};
use crate::repair::file::{Edit, FileText, same_but_blanks};
use crate::repair::find;
use crate::repair::form::{Form, Place};
use crate::repair::outcome::ApplicationOutcome;
use crate::syntax::{Definition, ItemKind, Outline, outline};
use std::collections::BTreeSet;

/// What code is laid site.
pub(super) struct Site<'a> {
    pub file: &'a FileText<'a>,
    pub language: &'a str,
    /// The functions that were asked for in it.
    pub functions: &'a [&'a str],
    pub form: Form,
    /// The lines that were marked in it.
    pub place: Option<&'a Place>,
    pub fuzzy: bool,
    /// The file exists.
    pub exists: bool,
}

/// Lays code into a file.
pub(super) fn lay(site: &Site<'_>, text: &str) -> Result<Laid, String> {
    let code = tidy(site.language, text);
    if !site.exists {
        return Ok(whole(site, &code, Vec::new()));
    }
    let old = outline(site.language, &site.file.text);
    let (Some(old), Some(new)) = (&old, &code.outline) else { return without_grammar(site, &code) };
    if site.place.is_some() && matches!(site.form, Form::Line | Form::Hunk) && !defines_asked(site, new) {
        return lines::lay(site, old, &code);
    }
    if let Some(notes) = is_whole(site, old, new, &code.text) {
        return Ok(whole(site, &code, notes));
    }
    let outer: Vec<&Definition> = outer(new);
    if outer.is_empty() || (is_body(new, &code.text) && !defines_asked(site, new)) {
        return lines::lay(site, old, &code);
    }
    functions(site, old, new, &code, &outer)
}

fn defines_asked(site: &Site<'_>, new: &Outline) -> bool {
    site.functions.iter().any(|function| !find::functions(new, function).is_empty())
}

/// Whether code stands inside a function although it defines some: it returns outside of all of them.
pub(in crate::repair) fn is_body(outline: &Outline, text: &str) -> bool {
    let mut at = 0;
    text.split_inclusive('\n').any(|line| {
        let start = at + (line.len() - line.trim_start().len());
        at += line.len();
        let returns = line
            .trim()
            .strip_prefix("return")
            .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', ';', '(', '\n']));
        let inside = |range: &std::ops::Range<usize>| range.contains(&start);
        returns
            && !outline.definitions.iter().any(|definition| inside(&definition.span.bytes))
            && !outline.literals.iter().any(inside)
            && !outline.items.iter().any(|item| item.kind == ItemKind::Type && inside(&item.bytes))
    })
}

/// Whether lines only call a function, as an example of its use does: they name it and never leave one.
pub(in crate::repair) fn only_calls(text: &str, function: &str) -> bool {
    let (name, bare) = (find::plain_name(function), without_docstrings(text));
    let leaves = ["return", "yield", "raise", "throw"];
    let calls = bare.match_indices(name).any(|(at, _)| {
        let before = bare[..at].chars().next_back();
        let after = bare[at + name.len()..].trim_start();
        // `self.f(…)` and `super().f(…)` are what a body may say.
        after.starts_with('(')
            && before.is_none_or(|before| !before.is_alphanumeric() && !matches!(before, '_' | '.'))
    });
    calls && !words(&bare).any(|word| leaves.contains(&word))
}

/// Functions that lie in no other.
fn outer(outline: &Outline) -> Vec<&Definition> {
    outline.definitions.iter().filter(|definition| definition.span.depth == 0).collect()
}

/// The text as the whole file.
fn whole(site: &Site<'_>, code: &Code, notes: Vec<String>) -> Laid {
    let old = site.file.text.as_ref();
    let mut text = code.text.clone();
    let bare = !old.is_empty() && !old.ends_with('\n');
    if bare {
        if text.ends_with('\n') {
            text.pop();
        }
    } else if !text.ends_with('\n') && !text.is_empty() {
        text.push('\n');
    }
    let edit = Edit { range: 0..old.len(), text };
    Laid { edits: vec![edit], manner: ApplicationOutcome::Exact, notes }
}

/// Whether code is the whole file: it has every import, function, type and value of it, and something beside
/// the functions that were asked for. Where a whole file was asked for, two thirds of the definitions are
/// enough. Gives notes.
fn is_whole(site: &Site<'_>, old: &Outline, new: &Outline, text: &str) -> Option<Vec<String>> {
    let defined = |outline: &Outline| -> BTreeSet<String> {
        let own = |item: &&crate::syntax::Item| {
            matches!(item.kind, ItemKind::Function | ItemKind::Type | ItemKind::Value)
        };
        let items = outline.items.iter().filter(own).flat_map(|item| &item.names).cloned();
        let methods = outline
            .definitions
            .iter()
            .filter(|definition| definition.span.depth == 0)
            .map(|definition| definition.span.qualified.clone());
        items.chain(methods).collect()
    };
    let (olds, news) = (defined(old), defined(new));
    let missing: Vec<&String> = olds.difference(&news).collect();
    let imported: BTreeSet<&str> = imports(new, text).flat_map(words).collect();
    let imports_there = imports(old, &site.file.text).flat_map(words).all(|word| imported.contains(word));
    let asked: BTreeSet<&str> = site.functions.iter().map(|function| find::plain_name(function)).collect();
    let is_asked = |item: &crate::syntax::Item| {
        item.kind == ItemKind::Function
            && item.names.iter().any(|name| asked.contains(find::plain_name(name)))
    };
    let more = new.items.iter().any(|item| !is_asked(item));
    if missing.is_empty() && imports_there && (more || site.form == Form::File) {
        return Some(Vec::new());
    }
    // What the new text still names and no longer has was left out and not taken away; where it has nothing
    // but what was asked for, only helpers of that can have been taken away.
    let bare = without_docstrings(text);
    let mentioned: BTreeSet<&str> = words(&bare).collect();
    let inside: BTreeSet<&str> =
        new.definitions.iter().map(|definition| definition.span.name.as_str()).collect();
    let old_text = site.file.text.as_ref();
    let helped: BTreeSet<&str> = site
        .functions
        .iter()
        .flat_map(|function| find::functions(old, function))
        .flat_map(|target| words(old_text.get(target.span.body.clone()).unwrap_or_default()))
        .collect();
    let left_out = missing.iter().any(|name| {
        let name = find::plain_name(name);
        let of_value = old
            .items
            .iter()
            .any(|item| item.kind == ItemKind::Value && item.names.iter().any(|own| own == name));
        mentioned.contains(name) && !inside.contains(name) || !more && !of_value && !helped.contains(name)
    });
    const GRAMMAR: [&str; 6] = ["import", "from", "as", "use", "const", "require"];
    let needs_import = !imports_there && !more && {
        let headers = matches!(site.language, "c" | "cpp");
        let missing = imports(old, old_text).flat_map(words).filter(|word| !imported.contains(word));
        headers || missing.filter(|word| !GRAMMAR.contains(word)).any(|word| mentioned.contains(word))
    };
    let left_out = left_out || needs_import;
    let is_value = |name: &str| {
        let values =
            old.items.iter().filter(|item| item.kind == ItemKind::Value).flat_map(|item| &item.names);
        values.into_iter().any(|value| value == name)
    };
    let (lost, all) = (
        missing.iter().filter(|name| !is_value(name)).count(),
        olds.iter().filter(|name| !is_value(name)).count(),
    );
    let few = lost * 3 <= all || (all <= 3 && lost <= 1);
    let enough = few && !left_out && (site.functions.is_empty() || defines_asked(site, new));
    (site.form == Form::File && enough && !olds.is_empty()).then(|| {
        let names: Vec<&str> = missing.iter().take(8).map(|name| name.as_str()).collect();
        match names.is_empty() {
            true => vec!["imports of the old file are not in the new one".to_owned()],
            false => vec![format!("the new file no longer has {}", names.join(", "))],
        }
    })
}

/// A text without its triple-quoted strings, which name things and do not use them.
fn without_docstrings(text: &str) -> String {
    let mut bare = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = ["\"\"\"", "'''"].iter().filter_map(|quote| rest.find(quote)).min() {
        let (before, from) = rest.split_at(start);
        bare.push_str(before);
        let (quote, inner) = from.split_at(3);
        rest = inner.find(quote).map_or("", |end| &inner[end + 3..]);
    }
    bare.push_str(rest);
    bare
}

fn imports<'a>(outline: &'a Outline, text: &'a str) -> impl Iterator<Item = &'a str> {
    let imports = outline.items.iter().filter(|item| item.kind == ItemKind::Import);
    imports.filter_map(|item| text.get(item.bytes.clone()))
}

/// Without a grammar only a whole file can be told: one that was asked for, or one half of whose lines are
/// the old file's.
fn without_grammar(site: &Site<'_>, code: &Code) -> Result<Laid, String> {
    if site.place.is_some() {
        return lines::lay(site, &Outline::default(), code);
    }
    let lines: BTreeSet<&str> = code.text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let old: BTreeSet<&str> = site.file.text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let kept = old.intersection(&lines).count();
    if site.form == Form::File || kept * 2 >= old.len() {
        return Ok(whole(site, code, Vec::new()));
    }
    Err(format!(
        "functions of {} cannot be told apart (no grammar, or a text that is too large); ask for the whole file or a patch",
        crate::syntax::language::display_name(site.language)
    ))
}

/// Lays every function of the code that the file has, and what they need.
fn functions(
    site: &Site<'_>,
    old: &Outline,
    new: &Outline,
    code: &Code,
    outer: &[&Definition],
) -> Result<Laid, String> {
    let file = site.file.text.as_ref();
    let mut laid = Laid { edits: Vec::new(), manner: ApplicationOutcome::NoOp, notes: Vec::new() };
    let mut placed: Vec<(&Definition, &Definition)> = Vec::new();
    let mut strangers: Vec<&Definition> = Vec::new();
    for definition in outer {
        match counterpart(site, old, new, &code.text, definition)? {
            Some(found) if placed.iter().any(|(old, _)| old.span.bytes == found.span.bytes) => {
                if matches!(site.language, "python" | "javascript") {
                    // The later definition is the one that runs.
                    placed.retain(|(old, _)| old.span.bytes != found.span.bytes);
                    placed.push((found, definition));
                    continue;
                }
                return Err(format!("the code defines `{}` twice", definition.span.qualified));
            }
            Some(found) => placed.push((found, definition)),
            None => strangers.push(definition),
        }
    }
    let is_asked = |definition: &Definition| {
        site.functions.is_empty()
            || site.functions.iter().any(|function| find::plain_name(function) == definition.span.name)
    };
    let is_new = |function: &&&str| {
        find::functions(old, function).is_empty() && !find::functions(new, function).is_empty()
    };
    let created: Vec<&&str> = site.functions.iter().filter(is_new).collect();
    if !created.is_empty() {
        additions::create(site, old, new, code, &created, &mut laid);
    } else if !placed.iter().any(|(old, _)| is_asked(old)) {
        let names: Vec<&str> =
            outer.iter().take(5).map(|definition| definition.span.qualified.as_str()).collect();
        let asked = site.functions.join(", ");
        return Err(match asked.is_empty() {
            true => format!("the file has no function {}", names.join(", ")),
            false => format!("the code defines {}, and `{asked}` was asked for", names.join(", ")),
        });
    }
    let mut kept_words: BTreeSet<&str> = BTreeSet::new();
    for function in &created {
        let texts = find::functions(new, function)
            .into_iter()
            .filter_map(|made| code.text.get(made.span.bytes.clone()));
        kept_words.extend(texts.flat_map(words));
    }
    let strangers: Vec<&Definition> = strangers
        .into_iter()
        .filter(|stranger| !created.iter().any(|function| find::plain_name(function) == stranger.span.name))
        .collect();
    for (old, new) in &placed {
        let (before, after) = (
            file.get(old.core..old.span.bytes.end).unwrap_or_default(),
            code.text.get(new.core..new.span.bytes.end).unwrap_or_default(),
        );
        let same = same_but_blanks(before, after);
        if !is_asked(old) {
            if same {
                continue;
            }
            if elision(site.language, after, before).is_some()
                || after.lines().count() * 3 < before.lines().count()
            {
                laid.notes.push(format!(
                    "`{}` of the answer looks like a shortened copy and was left out",
                    new.span.qualified
                ));
                continue;
            }
            laid.notes.push(format!("`{}` is changed too", old.span.qualified));
        }
        kept_words.extend(words(after));
        let (edit, moved) = splice::replace(file, old, code, new);
        laid.manner =
            laid.manner.and(if moved { ApplicationOutcome::Normalised } else { ApplicationOutcome::Exact });
        laid.edits.push(edit);
    }
    let target = placed.iter().map(|(old, _)| *old).find(|old| is_asked(old));
    additions::add(site, old, new, code, &strangers, target, &mut kept_words, &mut laid);
    Ok(laid)
}

/// The function of the file that a function of the answer is meant to replace.
fn counterpart<'o>(
    site: &Site<'_>,
    old: &'o Outline,
    new: &Outline,
    text: &str,
    definition: &Definition,
) -> Result<Option<&'o Definition>, String> {
    let mut found = find::functions(old, &definition.span.qualified);
    let asked = |found: &Definition| {
        site.functions.iter().any(|function| find::plain_name(function) == found.span.name)
    };
    found.retain(|found| found.span.depth == 0 || asked(found));
    if found.len() > 1 {
        let asked =
            site.functions.iter().filter(|function| find::plain_name(function) == definition.span.name);
        let by_asked: Vec<&Definition> = asked.flat_map(|function| find::functions(old, function)).collect();
        if !by_asked.is_empty() && by_asked.len() < found.len() {
            found = by_asked;
        }
    }
    if found.len() > 1 {
        // Overloads: the same parameters; of the others, the one that is left over.
        let dark = |text: &'_ str| text.split_whitespace().collect::<String>();
        let list = |definition: &Definition, text: &'_ str| {
            definition.parameters.clone().and_then(|range| text.get(range)).map(dark).unwrap_or_default()
        };
        let own = list(definition, text);
        let same: Vec<&Definition> =
            found.iter().copied().filter(|old| list(old, &site.file.text) == own).collect();
        if same.is_empty() {
            let others: Vec<String> = new
                .definitions
                .iter()
                .filter(|other| other.span.name == definition.span.name)
                .map(|other| list(other, text))
                .collect();
            found.retain(|old| !others.contains(&list(old, &site.file.text)));
        } else {
            found = same;
        }
    }
    if found.len() > 1 && matches!(site.language, "python" | "javascript") {
        // The last of several definitions is the one that runs; accessors share a name and mean different things.
        let alike = found.iter().all(|other| {
            other.span.qualified == definition.span.qualified
                || other.span.qualified == found[0].span.qualified
        });
        let plain = found.iter().all(|other| other.core == other.span.bytes.start);
        if alike && plain {
            found.drain(..found.len() - 1);
        }
    }
    match found.as_slice() {
        [] => Ok(None),
        [one] => Ok(Some(one)),
        several => {
            let lines: Vec<String> =
                several.iter().take(6).map(|found| (found.span.lines.start + 1).to_string()).collect();
            Err(format!(
                "`{}` could be the function at line {}; nothing tells which",
                definition.span.qualified,
                lines.join(" or ")
            ))
        }
    }
}
