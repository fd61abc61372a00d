//! Templates of checks that are put in: before a call that takes no null, at the beginning of a function, behind a value
//! that may be missing or out of bounds.
//!
//! Promises: what a check returns, the function returns elsewhere, or is the empty value of its language.
//! Leaves to others: checks that are taken out (`statements`).

use super::code::{Speech, Unit};
use super::mutation::{Sink, Template, quoted};
use super::names::Names;
use super::statements::{has_word, lines_of};

/// Most parameters for which a check is put in.
const MOST_PARAMETERS: usize = 3;
/// Most bounds that a value is held to.
const MOST_BOUNDS: usize = 3;

/// Offers checks at a node.
pub(super) fn offer(sink: &mut Sink<'_, '_>, node: usize, names: &Names) {
    let unit = sink.unit;
    match unit.kind(node) {
        "call_expression" | "call" | "method_invocation" => only_with_value(sink, node),
        "init_declarator" | "variable_declarator" | "assignment" => {
            after_call(sink, node);
            clamp(sink, node, names);
        }
        "let_declaration" => clamp(sink, node, names),
        "function_definition" => at_the_start(sink, node),
        "return_statement" => at_least(sink, node),
        _ => {}
    }
}

/// `f(p)` becomes `p != NULL ? f(p) : NULL`, where the value is kept and `p` came of a call.
fn only_with_value(sink: &mut Sink<'_, '_>, call: usize) {
    let unit = sink.unit;
    let (Some(none), Some(list)) = (unit.speech.none(), unit.field(call, "arguments")) else { return };
    let kept = matches!(unit.node(call).field, Some("value" | "right"))
        || unit.parent_kind(call) == "return_statement";
    if !kept {
        return;
    }
    let at = unit.bytes(call).start;
    let before = unit.slice(unit.room(at).start..at);
    for argument in
        unit.named(list).into_iter().filter(|argument| unit.kind(*argument) == "identifier").take(3)
    {
        let name = unit.text(argument);
        let own = unit.text(call);
        if !came_of_call(before, name) {
            continue;
        }
        let text = match unit.speech {
            Speech::Python => format!("{own} if {name} is not None else None"),
            _ => format!("{name} != {none} ? {own} : {none}"),
        };
        let what = format!("{} only where {} is there", quoted(own), quoted(name));
        sink.offer(Template::Guard, 0.25, unit.bytes(call), text, what);
    }
}

/// Whether a text assigns the value of a call to a name.
fn came_of_call(text: &str, name: &str) -> bool {
    text.lines().any(|line| {
        let Some((left, right)) = line.split_once('=') else { return false };
        has_word(left, name) && !left.contains(['(', '<', '>', '!']) && right.contains('(')
    })
}

/// `if (x == NULL) return …;` behind `x = f()`.
fn after_call(sink: &mut Sink<'_, '_>, node: usize) {
    let unit = sink.unit;
    let value = unit.field(node, "value").or_else(|| unit.field(node, "right"));
    let name = ["declarator", "name", "left"].iter().find_map(|field| unit.field(node, field));
    let (Some(value), Some(name), Some(none)) = (value, name, unit.speech.none()) else { return };
    if !matches!(unit.kind(value), "call_expression" | "call" | "method_invocation" | "await_expression") {
        return;
    }
    let pointer = unit.kind(name) == "pointer_declarator";
    if matches!(unit.speech, Speech::C | Speech::Cpp) && !pointer {
        return;
    }
    let name = unit.text(name).trim_start_matches('*').trim();
    let Some(statement) = unit.around(node).find(|outer| lines_of(unit, *outer).is_some()) else { return };
    let (Some(lines), Some(blanks)) =
        (lines_of(unit, statement), unit.indentation(unit.bytes(statement).start))
    else {
        return;
    };
    if name.chars().any(|character| !character.is_alphanumeric() && character != '_') {
        return;
    }
    let results = results(unit, unit.bytes(node).start);
    for (rank, result) in results.iter().take(2).enumerate() {
        let text = match unit.speech {
            Speech::Python => format!("{blanks}if {name} is None:\n{blanks}    return {result}\n"),
            _ => format!("{blanks}if ({name} == {none})\n{blanks}    return {result};\n"),
        };
        let weight = if rank == 0 { 0.14 } else { 0.08 };
        let what = format!("{} given back where {} is missing", quoted(result), quoted(name));
        sink.offer(Template::Guard, weight, lines.end..lines.end, text, what);
    }
}

/// What the function around a byte returns as a constant, most likely first, and the empty values of the language.
fn results(unit: &Unit<'_>, at: usize) -> Vec<String> {
    let room = unit.room(at);
    let mut found: Vec<String> = Vec::new();
    let first = unit.nodes.all.partition_point(|node| node.bytes.start < room.start);
    for node in first..unit.nodes.all.len() {
        if unit.node(node).bytes.start >= room.end {
            break;
        }
        if unit.kind(node) != "return_statement" {
            continue;
        }
        let Some(value) = unit.named(node).first().copied() else { continue };
        let constant = match unit.kind(value) {
            "identifier" => initial(unit, &room, unit.text(value)),
            "integer"
            | "number_literal"
            | "decimal_integer_literal"
            | "number"
            | "null"
            | "null_literal"
            | "none"
            | "true"
            | "false"
            | "string"
            | "string_literal"
            | "list"
            | "dictionary"
            | "array"
            | "unary_operator"
            | "unary_expression"
            | "float" => Some(unit.text(value).to_owned()),
            _ => None,
        };
        if let Some(constant) = constant.filter(|constant| constant.len() < 40 && !found.contains(constant)) {
            found.push(constant);
        }
    }
    let empty: &[&str] = match unit.speech {
        Speech::Python => &["None", "[]", "0", "''"],
        Speech::JavaScript => &["undefined"],
        Speech::Java => &["null"],
        Speech::C => &["0", "NULL"],
        Speech::Cpp => &["0"],
        Speech::Rust => &[],
    };
    found.extend(
        empty
            .iter()
            .filter(|empty| !found.iter().any(|known| known == *empty))
            .map(|empty| (*empty).to_owned())
            .collect::<Vec<_>>(),
    );
    found
}

/// The constant that a variable begins as.
fn initial(unit: &Unit<'_>, room: &std::ops::Range<usize>, name: &str) -> Option<String> {
    unit.slice(room.clone()).lines().find_map(|line| {
        let (left, right) = line.split_once('=')?;
        let right = right.trim().trim_end_matches(';');
        let plain =
            matches!(right, "[]" | "{}" | "\"\"" | "''" | "0" | "True" | "False" | "true" | "false" | "None");
        (plain && has_word(left, name)).then(|| right.to_owned())
    })
}

/// Python: a check of a parameter before everything else.
fn at_the_start(sink: &mut Sink<'_, '_>, function: usize) {
    let unit = sink.unit;
    let (Some(parameters), Some(body)) = (unit.field(function, "parameters"), unit.field(function, "body"))
    else {
        return;
    };
    if !unit.speech.is_python() {
        return;
    }
    let first = unit.named(body).into_iter().find(|statement| {
        !(unit.kind(*statement) == "expression_statement"
            && unit.nodes.children(*statement).all(|child| unit.kind(child) == "string"))
    });
    let Some(first) = first else { return };
    let (Some(lines), Some(blanks)) = (lines_of(unit, first), unit.indentation(unit.bytes(first).start))
    else {
        return;
    };
    let results = results(unit, unit.bytes(first).start);
    for parameter in unit.named(parameters).into_iter().take(MOST_PARAMETERS + 1) {
        let name = unit.named(parameter).first().map_or(unit.text(parameter), |inner| unit.text(*inner));
        if matches!(name, "self" | "cls")
            || !name.chars().all(|character| character.is_alphanumeric() || character == '_')
        {
            continue;
        }
        for (rank, result) in results.iter().take(4).enumerate() {
            let weight = [0.2, 0.1, 0.07, 0.05].get(rank).copied().unwrap_or(0.05);
            let text = format!("{blanks}if not {name}:\n{blanks}    return {result}\n");
            let what = format!("{} given back where {} is empty", quoted(result), quoted(name));
            sink.offer(Template::Guard, weight, lines.start..lines.start, text, what);
        }
    }
}

/// A value that is held to a bound behind its statement.
fn clamp(sink: &mut Sink<'_, '_>, node: usize, names: &Names) {
    let unit = sink.unit;
    let value = unit.field(node, "value").or_else(|| unit.field(node, "right"));
    let name = ["declarator", "name", "left", "pattern"].iter().find_map(|field| unit.field(node, field));
    let (Some(value), Some(name)) = (value, name) else { return };
    let computed = matches!(
        unit.kind(value),
        "binary_expression"
            | "binary_operator"
            | "conditional_expression"
            | "ternary_expression"
            | "parenthesized_expression"
    );
    let Some(statement) = unit.around(node).chain([node]).find(|outer| lines_of(unit, *outer).is_some())
    else {
        return;
    };
    if !computed || unit.kind(name) != "identifier" || unit.speech == Speech::Rust {
        return;
    }
    let (Some(lines), Some(blanks)) =
        (lines_of(unit, statement), unit.indentation(unit.bytes(statement).start))
    else {
        return;
    };
    let own = unit.text(name);
    let at = unit.bytes(statement).start;
    let before = unit.slice(unit.room(at).start..at);
    let bounds: Vec<&str> =
        names.plain(at).filter(|bound| *bound != own && has_word(before, bound)).take(MOST_BOUNDS).collect();
    for bound in bounds {
        for sign in ["<", ">"] {
            let text = match unit.speech {
                Speech::Python => format!("{blanks}if {own} {sign} {bound}:\n{blanks}    {own} = {bound}\n"),
                _ => format!("{blanks}if ({own} {sign} {bound})\n{blanks}    {own} = {bound};\n"),
            };
            let least = if sign == "<" { "least" } else { "most" };
            let what = format!("{} at {least} {}", quoted(own), quoted(bound));
            sink.offer(Template::Clamp, 0.08, lines.end..lines.end, text, what);
        }
    }
}

/// Python: what is returned, without being less than nothing or without a sign.
fn at_least(sink: &mut Sink<'_, '_>, node: usize) {
    let unit = sink.unit;
    let Some(value) = unit.named(node).first().copied().filter(|_| unit.speech.is_python()) else { return };
    if !matches!(unit.kind(value), "binary_operator" | "call" | "identifier") {
        return;
    }
    let own = unit.text(value);
    for (function, text, weight) in [
        ("abs", format!("abs({own})"), 0.06),
        ("sorted", format!("sorted({own})"), 0.08),
        ("list", format!("list({own})"), 0.06),
        ("round", format!("round({own}, 2)"), 0.03),
    ] {
        if !own.starts_with(&format!("{function}(")) {
            sink.exchange(Template::Conversion, weight, unit.bytes(value), text);
        }
    }
}
