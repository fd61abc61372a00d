//! What an answer brings beside the functions that it replaces: imports, helpers, constants, types.
//!
//! Promises: an import comes along where the file has not got it; anything else only where the code that came
//! in names it and the file has nothing of that name; every addition and every omission is in the notes.
//! Leaves to others: replaced functions (`splice`).

use super::code::Site;
use super::hunks::Laid;
use super::indent::{Moved, moved, of_line};
use super::words;
use crate::repair::extract::{Code, tidy};
use crate::repair::file::Edit;
use crate::repair::outcome::ApplicationOutcome;
use crate::syntax::{Definition, Item, ItemKind, Outline, outline};
use std::collections::BTreeSet;

/// Most items and new functions of an answer among which the needed ones are looked for.
const MOST_ITEMS: usize = 400;

/// Adds to `laid` what `code` brings beside the functions that were replaced. `strangers` are its functions
/// that the file has not got; `target` is the function of the file beside which they go.
#[allow(clippy::too_many_arguments)]
pub(super) fn add<'c>(
    site: &Site<'_>,
    old: &Outline,
    new: &Outline,
    code: &'c Code,
    strangers: &[&Definition],
    target: Option<&Definition>,
    kept: &mut BTreeSet<&'c str>,
    laid: &mut Laid,
) {
    let file = site.file.text.as_ref();
    if new.items.len() + strangers.len() > MOST_ITEMS {
        laid.notes.push(
            "the code has too many parts to tell which of them are needed; none was taken along".to_owned(),
        );
        return;
    }
    let known: BTreeSet<&str> = names(old).collect();
    let is_method = |definition: &Definition| {
        let alone = !new.items.iter().any(|item| item.kind == ItemKind::Type && holds(item, definition));
        let text = code.text.get(definition.core..definition.span.body.start).unwrap_or_default();
        let takes_self = match site.language {
            "python" => text.contains("(self") || text.contains("(cls"),
            "rust" => words(text).any(|word| word == "self"),
            "java" => true,
            "javascript" => definition.node == "method_definition",
            _ => false,
        };
        !alone || takes_self
    };
    // Items that are wanted pull in what they name in turn.
    let mut wanted: Vec<usize> = Vec::new();
    let mut methods: Vec<&Definition> = Vec::new();
    loop {
        let before = (wanted.len(), methods.len());
        for (number, item) in new.items.iter().enumerate() {
            let fits = matches!(
                item.kind,
                ItemKind::Function | ItemKind::Type | ItemKind::Value | ItemKind::Prototype
            ) && !item.names.iter().any(|name| known.contains(name.as_str()))
                && item.names.iter().any(|name| kept.contains(name.as_str()));
            let replaced = new.definitions.iter().any(|definition| {
                let here = definition.span.depth == 0 && holds(item, definition);
                here && !strangers.iter().any(|stranger| stranger.span.bytes == definition.span.bytes)
            });
            if fits
                && !replaced
                && !wanted.contains(&number)
                && !is_in_class_as_method(item, strangers, &is_method, target, old)
            {
                wanted.push(number);
                kept.extend(words(code.text.get(item.bytes.clone()).unwrap_or_default()));
            }
        }
        for stranger in strangers {
            let has_class = target.is_some_and(|target| target.span.qualified != target.span.name);
            let new_class = new
                .items
                .iter()
                .enumerate()
                .any(|(number, item)| wanted.contains(&number) && holds(item, stranger));
            let chosen = methods.iter().any(|method| method.span.bytes == stranger.span.bytes);
            if has_class
                && is_method(stranger)
                && kept.contains(stranger.span.name.as_str())
                && !new_class
                && !chosen
            {
                methods.push(stranger);
                kept.extend(words(code.text.get(stranger.span.bytes.clone()).unwrap_or_default()));
            }
        }
        if before == (wanted.len(), methods.len()) {
            break;
        }
    }
    imports(site, old, new, code, kept, laid);
    if let Some(target) = target {
        wanted.sort_unstable();
        let items: Vec<&Item> = wanted.iter().filter_map(|number| new.items.get(*number)).collect();
        before_item(site, old, code, &items, target, laid);
        beside(file, code, &methods, target, laid);
    }
    let brought: BTreeSet<&str> = wanted
        .iter()
        .filter_map(|number| new.items.get(*number))
        .flat_map(|item| item.names.iter().map(String::as_str))
        .collect();
    let left: Vec<&str> = strangers
        .iter()
        .map(|stranger| stranger.span.name.as_str())
        .filter(|name| !brought.contains(name) && !methods.iter().any(|method| method.span.name == *name))
        .collect();
    if !left.is_empty() {
        laid.notes.push(format!("left out, since nothing needs it: {}", left.join(", ")));
    }
}

fn names(outline: &Outline) -> impl Iterator<Item = &str> {
    let items =
        outline.items.iter().filter(|item| item.kind != ItemKind::Import).flat_map(|item| &item.names);
    items.map(String::as_str)
}

fn holds(item: &Item, definition: &Definition) -> bool {
    item.bytes.start <= definition.core && definition.span.bytes.end <= item.bytes.end
}

/// A function that goes into the class of the target is no top-level item of its own.
fn is_in_class_as_method(
    item: &Item,
    strangers: &[&Definition],
    is_method: &dyn Fn(&Definition) -> bool,
    target: Option<&Definition>,
    old: &Outline,
) -> bool {
    let in_class = target.is_some_and(|target| {
        target.span.qualified != target.span.name
            && old.items.iter().any(|item| item.kind == ItemKind::Type && holds(item, target))
    });
    in_class
        && item.kind == ItemKind::Function
        && strangers.iter().any(|stranger| holds(item, stranger) && is_method(stranger))
}

/// Puts new imports behind the file's last one, or at its top.
fn imports(
    site: &Site<'_>,
    old: &Outline,
    new: &Outline,
    code: &Code,
    kept: &BTreeSet<&str>,
    laid: &mut Laid,
) {
    let file = site.file.text.as_ref();
    let known: BTreeSet<&str> = old
        .items
        .iter()
        .filter(|item| item.kind == ItemKind::Import)
        .flat_map(|item| item.names.iter().map(String::as_str))
        .collect();
    let mut lines = String::new();
    let mut told = Vec::new();
    for item in new.items.iter().filter(|item| item.kind == ItemKind::Import) {
        let Some(text) = code.text.get(item.bytes.clone()) else { continue };
        let text = text.trim_end();
        if item.names.iter().any(|name| known.contains(name.as_str()))
            || has_import(site.language, file, old, text)
        {
            continue;
        }
        // Languages whose imports bind names need only those that are used; a header may hold anything.
        let binds = !matches!(site.language, "c" | "cpp") && !text.contains('*');
        if binds && !words(text).any(|word| kept.contains(word)) {
            continue;
        }
        lines.push_str(text);
        lines.push('\n');
        told.push(text.split_whitespace().collect::<Vec<_>>().join(" "));
    }
    if lines.is_empty() {
        return;
    }
    let last = old
        .items
        .iter()
        .rev()
        .find(|item| item.kind == ItemKind::Import && at_margin(file, item.bytes.start));
    let at = match last {
        Some(item) => line_end(file, item.bytes.end),
        None => top(site.language, old, file),
    };
    if file.get(..at).is_some_and(|before| !before.is_empty() && !before.ends_with('\n')) {
        lines.insert(0, '\n');
    }
    laid.notes.push(format!("brings {}", told.join("; ")));
    laid.edits.push(Edit { range: at..at, text: lines });
    laid.manner = laid.manner.and(ApplicationOutcome::Exact);
}

/// Whether the file imports all of it already, in other words (`from a import b, c` beside `from a import b`).
fn has_import(language: &str, file: &str, old: &Outline, text: &str) -> bool {
    let words_of = |text: &'_ str| words(text).map(str::to_owned).collect::<BTreeSet<String>>();
    let wanted = words_of(text);
    old.items
        .iter()
        .filter(|item| item.kind == ItemKind::Import)
        .filter_map(|item| file.get(item.bytes.clone()))
        .any(|own| if matches!(language, "c" | "cpp") { false } else { wanted.is_subset(&words_of(own)) })
}

fn at_margin(file: &str, at: usize) -> bool {
    of_line(file, at).is_empty()
}

/// The end of the line that holds a place, behind its line end.
fn line_end(file: &str, at: usize) -> usize {
    let rest = file.get(at..).unwrap_or_default();
    // An `#include` spans its line end.
    if file.get(..at).is_some_and(|before| before.ends_with('\n')) {
        return at;
    }
    rest.find('\n').map_or(file.len(), |end| at + end + 1)
}

/// Where the first import of a file goes: behind what must come first.
fn top(language: &str, old: &Outline, file: &str) -> usize {
    let mut at = 0;
    for item in &old.items {
        let text = file.get(item.bytes.clone()).unwrap_or_default();
        let comes_first = match item.kind {
            ItemKind::Comment => true,
            ItemKind::Other => {
                let words = text.trim_start();
                (language == "python" && words.starts_with(['"', '\'']))
                    || words.starts_with("package ")
                    || words.starts_with("#!")
                    || words.starts_with("'use strict'")
            }
            _ => false,
        };
        if !comes_first {
            break;
        }
        at = line_end(file, item.bytes.end);
    }
    at
}

/// Puts helpers, constants and types before the top-level item that holds the target.
fn before_item(
    site: &Site<'_>,
    old: &Outline,
    code: &Code,
    items: &[&Item],
    target: &Definition,
    laid: &mut Laid,
) {
    if items.is_empty() {
        return;
    }
    let file = site.file.text.as_ref();
    let holder = old.items.iter().find(|item| holds(item, target));
    let mut at = holder.map_or(target.span.bytes.start, |item| item.bytes.start.min(target.span.bytes.start));
    at = comments_above(file, old, at);
    let between = if site.language == "python" { "\n\n\n" } else { "\n\n" };
    let mut text = String::new();
    let mut told = Vec::new();
    for (number, item) in items.iter().enumerate() {
        let Some(own) = code.text.get(item.bytes.clone()) else { continue };
        text.push_str(own.trim_end());
        let next_is_value = items.get(number + 1).is_some_and(|next| next.kind == ItemKind::Value);
        text.push_str(if item.kind == ItemKind::Value && next_is_value { "\n" } else { between });
        told.push(item.names.join(", "));
    }
    laid.notes.push(format!("brings {}", told.join("; ")));
    laid.edits.push(Edit { range: at..at, text });
    laid.manner = laid.manner.and(ApplicationOutcome::Exact);
}

/// The start of the comment lines right above a place at the margin.
fn comments_above(file: &str, old: &Outline, at: usize) -> usize {
    let mut start = at - of_line(file, at).len().min(at);
    for item in old.items.iter().rev().filter(|item| item.kind == ItemKind::Comment && item.bytes.end <= at) {
        let gap = file.get(item.bytes.end..start).unwrap_or("x");
        if gap.trim().is_empty() && gap.matches('\n').count() <= 1 && at_margin(file, item.bytes.start) {
            start = item.bytes.start;
        } else {
            break;
        }
    }
    start
}

/// Puts new methods behind the target, in its class.
fn beside(file: &str, code: &Code, methods: &[&Definition], target: &Definition, laid: &mut Laid) {
    let indentation = of_line(file, target.span.bytes.start);
    let empty = Vec::new();
    let literals = code.outline.as_ref().map_or(&empty, |outline| &outline.literals);
    for method in methods {
        let code = Moved { text: &code.text, range: method.span.bytes.clone(), literals };
        let like = file.get(target.span.bytes.clone()).unwrap_or_default();
        let text = format!("\n\n{indentation}{}", moved(&code, indentation, like));
        laid.notes.push(format!("brings {}", method.span.name));
        laid.edits.push(Edit { range: target.span.bytes.end..target.span.bytes.end, text });
        laid.manner = laid.manner.and(ApplicationOutcome::Normalised);
    }
}

/// A block that the chosen code needs: its imports and definitions that the file, changed already, has not got.
pub(super) fn supplement(site: &Site<'_>, text: &str) -> Laid {
    let mut laid = Laid { edits: Vec::new(), manner: ApplicationOutcome::NoOp, notes: Vec::new() };
    let code = tidy(site.language, text);
    let (Some(old), Some(new)) = (outline(site.language, &site.file.text), &code.outline) else {
        return laid;
    };
    let file_words: BTreeSet<String> = words(&site.file.text).map(str::to_owned).collect();
    let mut kept: BTreeSet<&str> = words(&code.text).filter(|word| file_words.contains(*word)).collect();
    let strangers: Vec<&Definition> =
        new.definitions.iter().filter(|definition| definition.span.depth == 0).collect();
    let known: BTreeSet<&str> =
        old.definitions.iter().map(|definition| definition.span.name.as_str()).collect();
    let strangers: Vec<&Definition> =
        strangers.into_iter().filter(|stranger| !known.contains(stranger.span.name.as_str())).collect();
    let target = site
        .functions
        .iter()
        .find_map(|function| crate::repair::find::functions(&old, function).first().copied());
    add(site, &old, new, &code, &strangers, target.or(old.definitions.first()), &mut kept, &mut laid);
    laid
}

/// Adds functions that were asked for and that the file has not got: to the class that the answer puts them in
/// where the file has it, otherwise with their top-level item at the end of the file.
pub(super) fn create(
    site: &Site<'_>,
    old: &Outline,
    new: &Outline,
    code: &Code,
    names: &[&&str],
    laid: &mut Laid,
) {
    let file = site.file.text.as_ref();
    let mut done: Vec<&Item> = Vec::new();
    for name in names {
        for made in crate::repair::find::functions(new, name) {
            let Some(item) = new.items.iter().find(|item| holds(item, made)) else { continue };
            let class = old.items.iter().find(|own| {
                own.kind == ItemKind::Type && item.kind == ItemKind::Type && own.names == item.names
            });
            let last = class.and_then(|class| {
                old.definitions.iter().rev().find(|own| own.span.depth == 0 && holds(class, own))
            });
            if let Some(last) = last {
                beside(file, code, &[made], last, laid);
            } else if !done.iter().any(|other| other.bytes == item.bytes) {
                done.push(item);
                let text = code.text.get(item.bytes.clone()).unwrap_or_default().trim_end();
                let gap = match (file.trim().is_empty(), file.ends_with('\n'), site.language) {
                    (true, ..) => "",
                    (_, true, "python") => "\n\n",
                    (_, true, _) => "\n",
                    (_, false, "python") => "\n\n\n",
                    (_, false, _) => "\n\n",
                };
                let end = if file.is_empty() || file.ends_with('\n') { "\n" } else { "" };
                laid.edits.push(Edit { range: file.len()..file.len(), text: format!("{gap}{text}{end}") });
                laid.manner = laid.manner.and(ApplicationOutcome::Exact);
            }
            laid.notes.push(format!("`{name}` is not in the file yet and was added"));
        }
    }
}
