//! Templates of operators: comparisons, connectives, arithmetic, assignments, negation.
//!
//! Promises: what cannot compile by its operators alone (arithmetic on string literals) is not offered.
//! Leaves to others: numbers (`literals`).

use super::code::{Speech, Unit};
use super::mutation::{Sink, Template, quoted};
use crate::repair::file::Edit;

/// Offers what can be done with operators at a node.
pub(super) fn offer(sink: &mut Sink<'_, '_>, node: usize) {
    let unit = sink.unit;
    if !unit.node(node).named {
        operator(sink, node);
        return;
    }
    match unit.kind(node) {
        "not_operator" | "unary_expression" => remove_not(sink, node),
        "boolean_operator" | "binary_expression" => drop_operand(sink, node),
        _ => {}
    }
    if is_condition(unit, node) {
        negate(sink, node);
    }
}

fn operator(sink: &mut Sink<'_, '_>, node: usize) {
    let unit = sink.unit;
    let operator = unit.text(node);
    match unit.parent_kind(node) {
        "comparison_operator" | "binary_expression" | "binary_operator" | "boolean_operator" => {
            compare(sink, node, operator);
            connect(sink, node, operator);
            calculate(sink, node, operator);
        }
        "augmented_assignment"
        | "augmented_assignment_expression"
        | "compound_assignment_expr"
        | "assignment_expression"
        | "assignment" => assign(sink, node, operator),
        "update_expression" => {
            let other = match operator {
                "++" => "--",
                "--" => "++",
                _ => return,
            };
            sink.exchange(Template::Assignment, 0.4, unit.bytes(node), other);
        }
        "range_expression" | "range_pattern" => {
            let other = match operator {
                ".." => "..=",
                "..=" => "..",
                _ => return,
            };
            sink.exchange(Template::Step, 0.6, unit.bytes(node), other);
        }
        _ => {}
    }
}

/// Comparisons that take the place of one, with their weights.
fn comparisons(operator: &str) -> &'static [(&'static str, f64)] {
    match operator {
        "<" => &[("<=", 1.0), (">", 0.5), (">=", 0.35), ("==", 0.2), ("!=", 0.15)],
        "<=" => &[("<", 1.0), (">=", 0.45), (">", 0.4), ("==", 0.25)],
        ">" => &[(">=", 1.0), ("<", 0.5), ("<=", 0.35), ("==", 0.2), ("!=", 0.15)],
        ">=" => &[(">", 1.0), ("<=", 0.45), ("<", 0.4), ("==", 0.25)],
        "==" => &[("!=", 0.8), (">=", 0.35), ("<=", 0.35), (">", 0.2), ("<", 0.2)],
        "!=" => &[("==", 0.8), (">", 0.25), ("<", 0.25)],
        "===" => &[("!==", 0.8), (">=", 0.3), ("<=", 0.3), ("==", 0.1)],
        "!==" => &[("===", 0.8), (">", 0.25), ("<", 0.25), ("!=", 0.1)],
        "in" => &[("not in", 0.7), ("==", 0.2)],
        "not in" => &[("in", 0.7), ("!=", 0.2)],
        "is" => &[("is not", 0.7), ("==", 0.2)],
        "is not" => &[("is", 0.7), ("!=", 0.2)],
        _ => &[],
    }
}

fn compare(sink: &mut Sink<'_, '_>, node: usize, operator: &str) {
    let unit = sink.unit;
    let known = comparisons(operator);
    if known.is_empty() {
        return;
    }
    let (left, right) = sides(unit, node);
    let names_none =
        [left, right].into_iter().flatten().any(|side| Some(unit.text(side)) == unit.speech.none());
    for (other, weight) in known {
        let ordered = other.starts_with(['<', '>']);
        let weight = if names_none && ordered { weight * 0.1 } else { *weight };
        sink.exchange_all(
            Template::Comparison,
            weight,
            unit.bytes(node),
            *other,
            &format!("{operator} {other}"),
        );
    }
    if !unit.speech.is_python() || !matches!(operator, "<" | "<=" | ">" | ">=" | "==" | "!=") {
        return;
    }
    let is_literal =
        |side: Option<usize>, kinds: &[&str]| side.is_some_and(|side| kinds.contains(&unit.kind(side)));
    let (is, within) = if names_none {
        (1.2, 0.0)
    } else if is_literal(right, &["integer", "float", "unary_operator"])
        || is_literal(left, &["integer", "float"])
    {
        (0.0, 0.0)
    } else if is_literal(left, &["string"]) && !is_literal(right, &["string"]) {
        (0.0, 0.9)
    } else {
        (0.05, 0.25)
    };
    for (other, weight) in [("is", is), ("is not", is), ("in", within), ("not in", within * 0.8)] {
        sink.exchange_all(
            Template::Comparison,
            weight,
            unit.bytes(node),
            other,
            &format!("{operator} {other}"),
        );
    }
}

/// What stands left and right of an operator.
fn sides(unit: &Unit<'_>, operator: usize) -> (Option<usize>, Option<usize>) {
    let Some(parent) = unit.parent(operator) else { return (None, None) };
    let named = unit.named(parent);
    let left = named.iter().rfind(|side| **side < operator).copied();
    (left, named.into_iter().find(|side| *side > operator))
}

fn connect(sink: &mut Sink<'_, '_>, node: usize, operator: &str) {
    let others: &[(&str, f64)] = match operator {
        "and" => &[("or", 0.9)],
        "or" => &[("and", 0.9)],
        "&&" => &[("||", 0.9)],
        "||" if sink.unit.speech == Speech::JavaScript => &[("&&", 0.9), ("??", 0.2)],
        "||" => &[("&&", 0.9)],
        "??" => &[("||", 0.3)],
        _ => return,
    };
    for (other, weight) in others {
        let place = sink.unit.bytes(node);
        sink.exchange_all(Template::Connective, *weight, place, *other, other);
    }
}

fn calculate(sink: &mut Sink<'_, '_>, node: usize, operator: &str) {
    let unit = sink.unit;
    let python = unit.speech.is_python();
    let others: &[(&str, f64)] = match operator {
        "+" => &[("-", 0.7), ("*", 0.25)],
        "-" => &[("+", 0.7), ("/", 0.1), ("*", 0.1)],
        "*" if python => &[("/", 0.3), ("+", 0.35), ("**", 0.25), ("//", 0.25)],
        "*" => &[("/", 0.35), ("+", 0.35)],
        "/" if python => &[("//", 0.7), ("*", 0.4), ("%", 0.2)],
        "/" => &[("*", 0.4), ("%", 0.35), ("-", 0.1)],
        "//" => &[("/", 0.6), ("%", 0.4), ("*", 0.25)],
        "%" if python => &[("//", 0.4), ("/", 0.3), ("*", 0.15)],
        "%" => &[("/", 0.4), ("*", 0.15)],
        "**" => &[("*", 0.6)],
        "<<" => &[(">>", 0.5)],
        ">>" => &[("<<", 0.5)],
        "&" => &[("|", 0.4), ("^", 0.2)],
        "|" => &[("&", 0.4), ("^", 0.2)],
        "^" => &[("|", 0.3), ("&", 0.3)],
        _ => return,
    };
    let (left, right) = sides(unit, node);
    // Strings are put together with `+` and nothing else; `%` formats them.
    let text = [left, right].into_iter().flatten().any(|side| is_text(unit.kind(side)));
    if text && operator != "*" && operator != "-" {
        return;
    }
    for (other, weight) in others {
        sink.exchange_all(
            Template::Arithmetic,
            *weight,
            unit.bytes(node),
            *other,
            &format!("{operator} {other}"),
        );
    }
    if text && operator == "-" {
        sink.exchange_all(Template::Arithmetic, 1.0, unit.bytes(node), "+", "text");
    }
}

pub(super) fn is_text(kind: &str) -> bool {
    matches!(
        kind,
        "string" | "string_literal" | "template_string" | "concatenated_string" | "raw_string_literal"
    )
}

fn assign(sink: &mut Sink<'_, '_>, node: usize, operator: &str) {
    let others: &[(&str, f64)] = match operator {
        "+=" => &[("-=", 0.55), ("=", 0.4), ("*=", 0.35)],
        "-=" => &[("+=", 0.55), ("=", 0.3)],
        "*=" => &[("+=", 0.4), ("/=", 0.3)],
        "/=" => &[("*=", 0.35), ("-=", 0.15)],
        "//=" => &[("/=", 0.4), ("%=", 0.3), ("-=", 0.2)],
        "%=" => &[("/=", 0.3), ("-=", 0.2)],
        "|=" => &[("&=", 0.4)],
        "&=" => &[("|=", 0.4)],
        "<<=" => &[(">>=", 0.4)],
        ">>=" => &[("<<=", 0.4)],
        "=" => &[("+=", 0.15)],
        _ => return,
    };
    for (other, weight) in others {
        sink.exchange(Template::Assignment, *weight, sink.unit.bytes(node), *other);
    }
}

/// `a and b` becomes `a`, or `b`.
fn drop_operand(sink: &mut Sink<'_, '_>, node: usize) {
    let unit = sink.unit;
    let connects = unit
        .field(node, "operator")
        .is_some_and(|operator| matches!(unit.text(operator), "and" | "or" | "&&" | "||"));
    let (Some(left), Some(right)) = (unit.field(node, "left"), unit.field(node, "right")) else { return };
    if !connects {
        return;
    }
    for (kept, gone) in [(left, right), (right, left)] {
        let what = format!("without {}", quoted(unit.text(gone)));
        sink.offer(Template::Operand, 0.22, unit.bytes(node), unit.text(kept), what);
    }
}

/// Whether a node is what a branch or loop decides on.
fn is_condition(unit: &Unit<'_>, node: usize) -> bool {
    match unit.parent_kind(node) {
        "if_clause" => unit.node(node).named,
        "conditional_expression" if unit.speech.is_python() => {
            let place = unit.parent(node).map(|parent| unit.named(parent));
            place.is_some_and(|named| named.get(1) == Some(&node))
        }
        "parenthesized_expression" | "condition_clause" => {
            let outer = unit.parent(node);
            outer.is_some_and(|outer| unit.node(outer).field == Some("condition"))
        }
        _ => {
            unit.node(node).field == Some("condition")
                && !matches!(
                    unit.kind(node),
                    "parenthesized_expression" | "condition_clause" | "let_condition" | "let_chain"
                )
        }
    }
}

fn negate(sink: &mut Sink<'_, '_>, node: usize) {
    let unit = sink.unit;
    let kind = unit.kind(node);
    let single_comparison = unit.named(node).len() == 2
        && (kind == "comparison_operator"
            || unit
                .field(node, "operator")
                .is_some_and(|operator| !comparisons(unit.text(operator)).is_empty()));
    // A comparison is turned round by its operator, and what is negated by losing that.
    if single_comparison || kind == "not_operator" || unit.text(node).starts_with('!') {
        return;
    }
    let simple = matches!(
        kind,
        "identifier"
            | "call"
            | "call_expression"
            | "attribute"
            | "field_expression"
            | "member_expression"
            | "method_invocation"
            | "subscript"
            | "subscript_expression"
    );
    let (before, after) = match (unit.speech.is_python(), simple) {
        (true, true) => ("not ", ""),
        (true, false) => ("not (", ")"),
        (false, true) => ("!", ""),
        (false, false) => ("!(", ")"),
    };
    let text = unit.text(node);
    let what = format!("{} turned round", quoted(text));
    sink.offer(Template::Negation, 0.45, unit.bytes(node), format!("{before}{text}{after}"), what);
}

fn remove_not(sink: &mut Sink<'_, '_>, node: usize) {
    let unit = sink.unit;
    let text = unit.text(node);
    let is_not =
        if unit.speech.is_python() { unit.kind(node) == "not_operator" } else { text.starts_with('!') };
    let Some(inner) = unit.named(node).last().copied().filter(|_| is_not) else { return };
    let place = unit.bytes(node);
    let what = format!("{} turned round", quoted(text));
    let edit = Edit { range: place.start..unit.bytes(inner).start, text: String::new() };
    sink.offer_all(Template::Negation, 0.7, vec![edit], what);
}
