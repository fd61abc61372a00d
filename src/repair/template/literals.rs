//! Templates of constants and of values one too large or one too small.
//!
//! Promises: numbers are read in decimal and keep their suffix; what is no plain number stays.
//! Leaves to others: names (`names`).

use super::code::{Speech, Unit};
use super::mutation::{Sink, Template, quoted};
use super::operators::is_text;
use std::collections::BTreeSet;
use std::ops::Range;

/// Most constants of the function that are tried in the place of one.
const MOST_OTHERS: usize = 4;

/// Constants of a function, by kind.
#[derive(Debug, Default)]
pub(super) struct Constants {
    room: Range<usize>,
    numbers: BTreeSet<String>,
    texts: BTreeSet<String>,
    returns_truth: bool,
}

impl Constants {
    /// Those of the function around a byte; kept while the next byte is in the same.
    fn at<'k>(kept: &'k mut Constants, unit: &Unit<'_>, places: &[usize], at: usize) -> &'k Constants {
        let room = unit.room(at);
        if kept.room != room {
            *kept = Constants { room: room.clone(), ..Constants::default() };
            let start = places.partition_point(|place| unit.node(*place).bytes.start < room.start);
            for place in places[start..].iter().take_while(|place| unit.node(**place).bytes.start < room.end)
            {
                let text = unit.text(*place);
                match unit.kind(*place) {
                    kind if is_number(kind) => drop(kept.numbers.insert(text.to_owned())),
                    kind if is_text(kind) && text.len() < 60 => drop(kept.texts.insert(text.to_owned())),
                    "true" | "false" => {
                        kept.returns_truth |= unit.parent_kind(*place).starts_with("return");
                    }
                    _ => {}
                }
            }
        }
        kept
    }
}

fn is_number(kind: &str) -> bool {
    matches!(
        kind,
        "integer"
            | "float"
            | "number_literal"
            | "decimal_integer_literal"
            | "number"
            | "integer_literal"
            | "decimal_floating_point_literal"
            | "float_literal"
    )
}

/// Offers what can be done with constants and values at a node.
pub(super) fn offer(sink: &mut Sink<'_, '_>, node: usize, places: &[usize], kept: &mut Constants) {
    let unit = sink.unit;
    match unit.kind(node) {
        kind if is_number(kind) => {
            number(sink, node);
            others(sink, node, Constants::at(kept, unit, places, unit.bytes(node).start));
        }
        kind if is_text(kind) => {
            text(sink, node);
            others(sink, node, Constants::at(kept, unit, places, unit.bytes(node).start));
        }
        "true" | "false" | "boolean_literal" => truth(sink, node),
        "none" | "null_literal" | "null" => nothing(sink, node),
        "binary_operator" | "binary_expression" => without_step(sink, node),
        _ => {}
    }
    step(sink, node);
}

fn number(sink: &mut Sink<'_, '_>, node: usize) {
    let unit = sink.unit;
    let text = unit.text(node);
    let place = unit.bytes(node);
    if let Some((whole, _)) = text.split_once('.').filter(|(_, rest)| rest.trim_matches('0').is_empty()) {
        if unit.speech.is_python() && !whole.is_empty() {
            sink.exchange_all(Template::Constant, 0.9, place, whole, "whole");
        }
        return;
    }
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (Ok(value), suffix) = (text[..digits].parse::<u64>(), &text[digits..]) else { return };
    if suffix.contains(['x', 'b', 'o', '.', 'e']) || (text.starts_with('0') && digits > 1) {
        return;
    }
    let negative = matches!(unit.parent_kind(node), "unary_operator" | "unary_expression")
        && unit.parent(node).is_some_and(|parent| unit.text(parent).starts_with('-'));
    let large = if value > 64 { 0.5 } else { 1.0 };
    for (other, weight) in [(value.checked_add(1), 0.6), (value.checked_sub(1), 0.65)] {
        if let Some(other) = other {
            sink.exchange(Template::Constant, weight * large, place.clone(), format!("{other}{suffix}"));
        }
    }
    for (other, weight) in [(0, 0.2), (1, 0.25), (2, 0.1)] {
        if other + 1 < value || other > value + 1 {
            sink.exchange(Template::Constant, weight * large, place.clone(), format!("{other}{suffix}"));
        }
    }
    if value == 0 && !negative {
        sink.exchange(Template::Constant, 0.2, place.clone(), format!("-1{suffix}"));
    }
    if let (true, Some(parent)) = (negative, unit.parent(node)) {
        sink.exchange(Template::Constant, 0.3, unit.bytes(parent), text);
    }
    let decides = unit.parent_kind(node).starts_with("return") || unit.node(node).field == Some("value");
    if unit.speech.is_python() && value <= 2 && decides && !negative {
        let weight = if unit.parent_kind(node).starts_with("return") { 0.45 } else { 0.2 };
        sink.exchange_all(Template::Truth, weight, place.clone(), "True", text);
        sink.exchange_all(Template::Truth, weight, place, "False", text);
    }
}

/// Other constants of the same function.
fn others(sink: &mut Sink<'_, '_>, node: usize, constants: &Constants) {
    let unit = sink.unit;
    let own = unit.text(node);
    let (pool, template, weight) = match is_number(unit.kind(node)) {
        true => (&constants.numbers, Template::Constant, 0.12),
        false => (&constants.texts, Template::Text, 0.12),
    };
    for other in pool.iter().filter(|other| *other != own).take(MOST_OTHERS) {
        sink.exchange(template, weight, unit.bytes(node), other.as_str());
    }
    if constants.returns_truth && unit.parent_kind(node).starts_with("return") && is_number(unit.kind(node)) {
        for other in if unit.speech.is_python() { ["True", "False"] } else { ["true", "false"] } {
            sink.exchange(Template::Truth, 0.6, unit.bytes(node), other);
        }
    }
}

fn text(sink: &mut Sink<'_, '_>, node: usize) {
    let unit = sink.unit;
    let own = unit.text(node);
    let Some(quote) = own.chars().last().filter(|quote| matches!(quote, '"' | '\'')) else { return };
    let Some(inner) = own.strip_suffix(quote).and_then(|own| own.strip_prefix(quote)) else { return };
    let others: &[(&str, f64)] = match inner {
        "" => &[(" ", 0.35), (", ", 0.1), ("\\n", 0.1)],
        " " => &[("", 0.35), (", ", 0.1)],
        ", " => &[(",", 0.15), (" ", 0.15)],
        "," => &[(", ", 0.15), (" ", 0.15)],
        "\\n" => &[("", 0.15), (" ", 0.1)],
        _ => &[],
    };
    for (other, weight) in others {
        sink.exchange(Template::Text, *weight, unit.bytes(node), format!("{quote}{other}{quote}"));
    }
}

fn truth(sink: &mut Sink<'_, '_>, node: usize) {
    let other = match sink.unit.text(node) {
        "True" => "False",
        "False" => "True",
        "true" => "false",
        "false" => "true",
        _ => return,
    };
    sink.exchange(Template::Truth, 0.6, sink.unit.bytes(node), other);
}

fn nothing(sink: &mut Sink<'_, '_>, node: usize) {
    let unit = sink.unit;
    if !unit.parent_kind(node).starts_with("return") {
        return;
    }
    let others: &[&str] = match unit.speech {
        Speech::Python => &["[]", "0", "False", "''", "-1"],
        Speech::JavaScript => &["[]", "undefined", "0"],
        _ => return,
    };
    for (other, weight) in others.iter().zip([0.2, 0.15, 0.15, 0.1, 0.1]) {
        sink.exchange(Template::Constant, weight, unit.bytes(node), *other);
    }
}

/// `a + 1` becomes `a`.
fn without_step(sink: &mut Sink<'_, '_>, node: usize) {
    let unit = sink.unit;
    let (Some(left), Some(right)) = (unit.field(node, "left"), unit.field(node, "right")) else { return };
    let steps = unit.field(node, "operator").is_some_and(|operator| matches!(unit.text(operator), "+" | "-"));
    if steps && unit.text(right) == "1" {
        sink.exchange(Template::Step, 0.6, unit.bytes(node), unit.text(left));
    } else if steps && unit.text(left) == "1" {
        sink.exchange(Template::Step, 0.4, unit.bytes(node), unit.text(right));
    }
}

/// One more or one less of a value that is an index, a bound, or compared.
fn step(sink: &mut Sink<'_, '_>, node: usize) {
    let unit = sink.unit;
    let is_value = matches!(
        unit.kind(node),
        "identifier"
            | "call"
            | "call_expression"
            | "method_invocation"
            | "attribute"
            | "field_expression"
            | "member_expression"
            | "field_access"
            | "binary_operator"
            | "binary_expression"
    );
    let decides = unit.field(node, "operator").is_some_and(|operator| {
        !matches!(unit.text(operator), "+" | "-" | "*" | "/" | "//" | "%" | "<<" | ">>" | "**")
    });
    let Some(weight) = (is_value && !decides).then(|| step_weight(unit, node)).flatten() else { return };
    let own = unit.text(node);
    // What already ends with a step is changed there.
    if own.ends_with("+ 1") || own.ends_with("- 1") {
        return;
    }
    for sign in ["+", "-"] {
        let what = format!("{} {sign} 1", quoted(own));
        sink.offer(Template::Step, weight, unit.bytes(node), format!("{own} {sign} 1"), what);
    }
}

fn step_weight(unit: &Unit<'_>, node: usize) -> Option<f64> {
    let parent = unit.parent(node)?;
    let field = unit.node(node).field;
    match unit.kind(parent) {
        "slice" | "range_expression" => Some(0.45),
        "subscript" if field == Some("subscript") => Some(0.35),
        "subscript_expression" | "array_access" if field == Some("index") => Some(0.35),
        "subscript_argument_list" => Some(0.35),
        "index_expression" => (unit.named(parent).last() == Some(&node)).then_some(0.3),
        "argument_list" | "arguments" => {
            let call = unit.parent(parent)?;
            let function = unit.field(call, "function").or_else(|| unit.field(call, "name"))?;
            match unit.text(function) {
                "range" => Some(0.5),
                "malloc" | "realloc" | "substring" | "slice" | "islice" => Some(0.3),
                _ => None,
            }
        }
        "comparison_operator" => Some(0.2),
        "binary_expression" => {
            let operator = unit.field(parent, "operator")?;
            matches!(unit.text(operator), "<" | "<=" | ">" | ">=").then_some(0.2)
        }
        "return_statement" => Some(0.18),
        _ => None,
    }
}
