//! Templates of statements: left out, exchanged, moved, and jumps.
//!
//! Promises: statements are moved with the lines that they fill; where one shares its line with other code only its own
//! text is moved. A statement that declares what the next one uses stays before it.
//! Leaves to others: checks that are put in (`guards`).

use super::code::{Speech, Unit, is_comment};
use super::mutation::{Sink, Template, quoted};
use crate::repair::file::Edit;
use std::ops::Range;

/// Offers what can be done with the statements of a block, or with a jump.
pub(super) fn offer(sink: &mut Sink<'_, '_>, node: usize) {
    let unit = sink.unit;
    match unit.kind(node) {
        "block" | "compound_statement" | "statement_block" => {
            let held = statements(unit, node);
            for (number, statement) in held.iter().enumerate() {
                delete(sink, *statement, held.len());
                if let Some(next) = held.get(number + 1) {
                    swap(sink, *statement, *next);
                }
            }
            if let Some(last) = held.last() {
                move_out(sink, node, *last, held.len());
            }
            for pair in held.windows(2) {
                if let [before, after] = pair {
                    move_in(sink, *before, *after);
                }
            }
        }
        "break_statement" | "continue_statement" | "break_expression" | "continue_expression" => {
            jump(sink, node)
        }
        "case_statement" | "switch_case" | "switch_block_statement_group" => missing_break(sink, node),
        "elif_clause" => branch(sink, node, "elif", "if", 0.2),
        "if_statement" => {
            branch(sink, node, "if", "while", 0.08);
            else_if(sink, node);
        }
        "while_statement" => branch(sink, node, "while", "if", 0.08),
        "return_statement" => bare_return(sink, node),
        _ => {}
    }
}

fn statements(unit: &Unit<'_>, block: usize) -> Vec<usize> {
    unit.nodes
        .children(block)
        .filter(|child| unit.node(*child).named && !is_comment(unit.kind(*child)))
        .collect()
}

/// The lines that a node fills alone, line end included; `None`: other code shares them.
pub(super) fn lines_of(unit: &Unit<'_>, node: usize) -> Option<Range<usize>> {
    let bytes = unit.bytes(node);
    unit.indentation(bytes.start)?;
    let end = unit.line_end(bytes.end.saturating_sub(1).max(bytes.start));
    let rest = unit.slice(bytes.end..end).trim();
    (rest.is_empty() || rest == ";").then(|| unit.line_start(bytes.start)..end)
}

fn is_declaration(kind: &str) -> bool {
    matches!(
        kind,
        "declaration"
            | "lexical_declaration"
            | "variable_declaration"
            | "let_declaration"
            | "local_variable_declaration"
            | "function_definition"
            | "function_item"
            | "class_definition"
            | "function_declaration"
    )
}

fn delete(sink: &mut Sink<'_, '_>, statement: usize, held: usize) {
    let unit = sink.unit;
    let kind = unit.kind(statement);
    let weight = match kind {
        _ if is_declaration(kind) => 0.0,
        "expression_statement" => 0.25,
        "if_statement" | "if_expression" => 0.2,
        "return_statement" | "break_statement" | "continue_statement" => 0.18,
        "pass_statement" | "comment" => 0.0,
        _ => 0.06,
    };
    let weight = match assigned(unit, statement) {
        // What is made here and used below is needed.
        Some((_, true)) => weight * 0.3,
        _ => weight,
    };
    let what = format!("without {}", quoted(unit.text(statement)));
    if unit.speech.is_python() && held == 1 {
        sink.offer(Template::DeleteStatement, weight * 0.7, unit.bytes(statement), "pass", what);
        return;
    }
    let range = lines_of(unit, statement).unwrap_or(unit.bytes(statement));
    sink.offer(Template::DeleteStatement, weight, range, "", what);
}

/// The name that a statement assigns, and whether it is the first that does so in its function.
fn assigned<'u>(unit: &'u Unit<'_>, statement: usize) -> Option<(&'u str, bool)> {
    let inner = unit.named(statement).first().copied()?;
    if !matches!(unit.kind(inner), "assignment" | "assignment_expression") {
        return None;
    }
    let left = unit.field(inner, "left")?;
    let name = unit.text(left);
    let before = unit.slice(unit.room(unit.bytes(statement).start).start..unit.bytes(statement).start);
    Some((name, unit.kind(left) == "identifier" && !has_word(before, name)))
}

/// Whether a text has a word of its own.
pub(super) fn has_word(text: &str, word: &str) -> bool {
    text.split(|character: char| !character.is_alphanumeric() && character != '_').any(|own| own == word)
}

/// The text of a statement as it stands on its lines, or of the node alone.
fn swap(sink: &mut Sink<'_, '_>, one: usize, two: usize) {
    let unit = sink.unit;
    let (first, second) = (unit.bytes(one), unit.bytes(two));
    let leaves =
        |kind: &str| kind.starts_with("return") || kind.starts_with("break") || kind.starts_with("continue");
    if leaves(unit.kind(two)) && is_declaration(unit.kind(one)) {
        return;
    }
    let declares = declared(unit, one).is_some_and(|name| has_word(unit.text(two), name));
    if declares || leaves(unit.kind(one)) {
        return;
    }
    let loops = |kind: &str| kind.starts_with("while") || kind.starts_with("for");
    let weight = match (unit.kind(one), unit.kind(two)) {
        ("expression_statement", "expression_statement") => 0.28,
        ("expression_statement", other) | (other, "expression_statement")
            if loops(other) || other.starts_with("if") =>
        {
            0.3
        }
        (_, other) if leaves(other) => 0.1,
        _ => 0.15,
    };
    let edits = vec![
        Edit { range: first, text: unit.text(two).to_owned() },
        Edit { range: second, text: unit.text(one).to_owned() },
    ];
    let what = format!("{} before {}", quoted(unit.text(two)), quoted(unit.text(one)));
    sink.offer_all(Template::SwapStatements, weight, edits, what);
}

/// The name that a statement brings in, where it is a declaration or the first assignment.
fn declared<'u>(unit: &'u Unit<'_>, statement: usize) -> Option<&'u str> {
    if let Some((name, true)) = assigned(unit, statement) {
        return Some(name);
    }
    if !is_declaration(unit.kind(statement)) {
        return None;
    }
    let holds = unit.node(statement);
    let names = (statement + 1)..holds.end;
    names.into_iter().find(|node| unit.kind(*node) == "identifier").map(|node| unit.text(node))
}

/// The last statement of a block, behind what the block belongs to.
fn move_out(sink: &mut Sink<'_, '_>, block: usize, last: usize, held: usize) {
    let unit = sink.unit;
    let Some(owner) = owner(unit, block) else { return };
    let (Some(own), Some(outer)) = (lines_of(unit, last), unit.indentation(unit.bytes(owner).start)) else {
        return;
    };
    let Some(inner) = unit.indentation(unit.bytes(last).start) else { return };
    let Some(behind) = lines_of(unit, owner).map(|lines| lines.end) else { return };
    if held < 2 || behind < own.end || inner == outer {
        return;
    }
    let text = shifted(unit.slice(own.clone()), inner, outer);
    let weight = if unit.kind(last) == "return_statement" { 0.5 } else { 0.16 };
    let what = format!("{} behind the block", quoted(unit.text(last)));
    let edits = if behind == own.end {
        vec![Edit { range: own, text }]
    } else {
        vec![Edit { range: own, text: String::new() }, Edit { range: behind..behind, text }]
    };
    sink.offer_all(Template::MoveStatement, weight, edits, what);
}

/// The loop or branch that a block belongs to; not a function.
fn owner(unit: &Unit<'_>, block: usize) -> Option<usize> {
    let owner = unit.around(block).find(|node| !matches!(unit.kind(*node), "elif_clause" | "else_clause"))?;
    let kind = unit.kind(owner);
    (kind.starts_with("for_")
        || kind.starts_with("while_")
        || kind.starts_with("if_")
        || kind == "enhanced_for_statement"
        || kind == "expression_statement")
        .then_some(owner)
        .filter(|_| !unit.parent_kind(block).starts_with("function"))
}

/// A statement that stands behind a block, at its end inside.
fn move_in(sink: &mut Sink<'_, '_>, before: usize, statement: usize) {
    let unit = sink.unit;
    let kind = unit.kind(before);
    let block = unit.field(before, "body").or_else(|| unit.field(before, "consequence"));
    let has_else = unit.field(before, "alternative").is_some();
    if has_else || !(kind.starts_with("for_") || kind.starts_with("while_") || kind.starts_with("if_")) {
        return;
    }
    let Some(last) = block.and_then(|block| statements(unit, block).last().copied()) else { return };
    let (Some(own), Some(place)) = (lines_of(unit, statement), lines_of(unit, last)) else { return };
    let (Some(outer), Some(inner)) =
        (unit.indentation(unit.bytes(statement).start), unit.indentation(unit.bytes(last).start))
    else {
        return;
    };
    if place.end > own.start {
        return;
    }
    let text = shifted(unit.slice(own.clone()), outer, inner);
    let what = format!("{} into the block before it", quoted(unit.text(statement)));
    let edits = vec![Edit { range: place.end..place.end, text }, Edit { range: own, text: String::new() }];
    sink.offer_all(Template::MoveStatement, 0.1, edits, what);
}

/// Lines with another indentation.
fn shifted(lines: &str, old: &str, new: &str) -> String {
    lines
        .split_inclusive('\n')
        .map(|line| match line.strip_prefix(old) {
            Some(rest) if !rest.trim().is_empty() => format!("{new}{rest}"),
            _ => line.to_owned(),
        })
        .collect()
}

fn jump(sink: &mut Sink<'_, '_>, node: usize) {
    let unit = sink.unit;
    let own = unit.text(node);
    let other = match own.split([' ', ';']).next() {
        Some("break") => "continue",
        Some("continue") => "break",
        _ => return,
    };
    let place = unit.bytes(node).start;
    let length = if other == "continue" { "break".len() } else { "continue".len() };
    sink.exchange(Template::Jump, 0.45, place..place + length, other);
}

/// A case that runs into the next one.
fn missing_break(sink: &mut Sink<'_, '_>, case: usize) {
    let unit = sink.unit;
    let held = statements(unit, case);
    let Some(last) = held.last().copied().filter(|_| held.len() > 1) else { return };
    let kind = unit.kind(last);
    let leaves =
        ["break", "return", "continue", "throw", "goto", "yield"].iter().any(|word| kind.starts_with(word));
    let is_last = unit.parent(case).is_some_and(|block| statements(unit, block).last() == Some(&case));
    let (Some(lines), Some(blanks)) = (lines_of(unit, last), unit.indentation(unit.bytes(last).start)) else {
        return;
    };
    if leaves || is_last || kind.contains("label") {
        return;
    }
    let what = format!("`break` behind {}", quoted(unit.text(last)));
    sink.offer(Template::Jump, 0.6, lines.end..lines.end, format!("{blanks}break;\n"), what);
}

/// The word at the beginning of a statement.
fn branch(sink: &mut Sink<'_, '_>, node: usize, own: &str, other: &str, weight: f64) {
    let unit = sink.unit;
    let place = unit.bytes(node).start;
    let has_more = unit.field(node, "alternative").is_some() && own != "elif";
    if !has_more && unit.text(node).starts_with(own) && unit.speech != Speech::Rust {
        sink.exchange(Template::Branch, weight, place..place + own.len(), other);
    }
}

/// Python's `if` behind an `if`, as its `elif`.
fn else_if(sink: &mut Sink<'_, '_>, node: usize) {
    let unit = sink.unit;
    let Some(parent) = unit.parent(node).filter(|_| unit.speech.is_python()) else { return };
    let held = statements(unit, parent);
    let place = held.iter().position(|held| *held == node);
    let before = place.and_then(|place| place.checked_sub(1)).map(|before| held[before]);
    let follows = before.is_some_and(|before| {
        unit.kind(before) == "if_statement"
            && !unit.nodes.children(before).any(|child| unit.kind(child) == "else_clause")
    });
    if follows {
        let place = unit.bytes(node).start;
        sink.exchange(Template::Branch, 0.2, place..place + "if".len(), "elif");
    }
}

/// A `return` inside a loop that leaves it too early: the loop goes on instead.
fn bare_return(sink: &mut Sink<'_, '_>, node: usize) {
    let unit = sink.unit;
    let mut around = unit
        .around(node)
        .take_while(|outer| !unit.kind(*outer).contains("function") && !unit.kind(*outer).contains("method"));
    let in_loop =
        around.any(|outer| unit.kind(outer).starts_with("for_") || unit.kind(outer).starts_with("while_"));
    if in_loop {
        let text = if unit.speech.is_python() { "continue" } else { "continue;" };
        sink.exchange(Template::Jump, 0.12, unit.bytes(node), text);
    }
}
