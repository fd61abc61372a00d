//! Templates of calls: their arguments, related functions, calls left out, values turned into another type.
//!
//! Promises: only names that the code of the same function has are put in as arguments.
//! Leaves to others: which names there are (`names`).

use super::code::{Speech, Unit};
use super::evidence::Evidence;
use super::mutation::{Sink, Template, quoted};
use super::names::Names;
use crate::repair::file::Edit;

/// Functions and methods that are taken for one another; each for each in its group.
const RELATED: [(&[&str], f64); 47] = [
    (&["min", "max"], 0.9),
    (&["any", "all"], 0.9),
    (&["lower", "upper"], 0.8),
    (&["islower", "isupper"], 0.7),
    (&["isdigit", "isalpha", "isalnum"], 0.4),
    (&["lstrip", "rstrip", "strip"], 0.5),
    (&["startswith", "endswith"], 0.8),
    (&["append", "extend"], 0.5),
    (&["find", "rfind"], 0.5),
    (&["index", "rindex"], 0.4),
    (&["floor", "ceil", "round"], 0.45),
    (&["keys", "values", "items"], 0.4),
    (&["add", "discard"], 0.2),
    (&["union", "intersection", "difference"], 0.35),
    (&["int", "float", "round"], 0.3),
    (&["ord", "chr"], 0.4),
    (&["split", "rsplit"], 0.3),
    (&["sin", "cos"], 0.4),
    (&["bin", "hex", "oct"], 0.3),
    (&["sorted", "reversed", "list"], 0.3),
    (&["popleft", "pop"], 0.3),
    (&["appendleft", "append"], 0.25),
    (&["toLowerCase", "toUpperCase"], 0.7),
    (&["startsWith", "endsWith"], 0.8),
    (&["indexOf", "lastIndexOf"], 0.6),
    (&["some", "every"], 0.8),
    (&["find", "findLast"], 0.5),
    (&["findIndex", "findLastIndex"], 0.5),
    (&["push", "unshift"], 0.5),
    (&["shift", "pop"], 0.5),
    (&["slice", "splice"], 0.3),
    (&["trimStart", "trimEnd", "trim"], 0.4),
    (&["parseInt", "parseFloat"], 0.4),
    (&["equals", "equalsIgnoreCase"], 0.4),
    (&["containsKey", "containsValue"], 0.5),
    (&["addFirst", "addLast"], 0.6),
    (&["getFirst", "getLast"], 0.6),
    (&["add", "addAll"], 0.3),
    (&["tolower", "toupper"], 0.8),
    (&["strchr", "strrchr"], 0.6),
    (&["strspn", "strcspn"], 0.7),
    (&["memcpy", "memmove"], 0.5),
    (&["fmin", "fmax"], 0.8),
    (&["push_back", "push_front"], 0.6),
    (&["is_some", "is_none"], 0.8),
    (&["is_ok", "is_err"], 0.8),
    (&["first", "last"], 0.6),
];

/// Offers what can be done with a call at a node.
pub(super) fn offer(sink: &mut Sink<'_, '_>, node: usize, names: &Names, evidence: &Evidence) {
    let unit = sink.unit;
    match unit.kind(node) {
        "identifier" | "property_identifier" | "field_identifier" => related(sink, node),
        "call" | "call_expression" | "method_invocation" => {
            arguments(sink, node, names);
            unwrap(sink, node);
            reverse(sink, node);
        }
        "conditional_expression" | "ternary_expression" => one_branch(sink, node),
        _ => {}
    }
    convert(sink, node, evidence);
}

fn related(sink: &mut Sink<'_, '_>, node: usize) {
    let unit = sink.unit;
    // The name of a function that is called, or of a method.
    let called = match unit.parent(node) {
        Some(parent) => {
            let field = unit.node(node).field;
            let callee = |call: usize, part: usize| unit.field(call, "function") == Some(part);
            callee(parent, node)
                || (unit.kind(parent) == "method_invocation" && field == Some("name"))
                || (matches!(field, Some("attribute" | "property" | "field"))
                    && unit.parent(parent).is_some_and(|call| callee(call, parent)))
        }
        None => false,
    };
    if !called {
        return;
    }
    let own = unit.text(node);
    for (group, weight) in RELATED.iter().filter(|(group, _)| group.contains(&own)) {
        for other in group.iter().filter(|other| **other != own) {
            sink.exchange_all(
                Template::Related,
                *weight,
                unit.bytes(node),
                *other,
                &format!("{own} {other}"),
            );
        }
    }
}

/// The argument list of a call, and what it holds.
fn list_of(unit: &Unit<'_>, call: usize) -> Option<(usize, Vec<usize>)> {
    let list = unit.field(call, "arguments")?;
    matches!(unit.kind(list), "argument_list" | "arguments").then(|| (list, unit.named(list)))
}

fn arguments(sink: &mut Sink<'_, '_>, call: usize, names: &Names) {
    let unit = sink.unit;
    let Some((list, held)) = list_of(unit, call) else { return };
    drop_argument(sink, &held);
    for pair in held.windows(2).take(4) {
        let [one, two] = pair else { continue };
        let (first, second) = (unit.text(*one), unit.text(*two));
        if first == second || [*one, *two].iter().any(|node| unit.kind(*node) == "keyword_argument") {
            continue;
        }
        let simple = |node: usize| {
            matches!(
                unit.kind(node),
                "identifier" | "attribute" | "field_expression" | "member_expression" | "field_access"
            )
        };
        let weight = if simple(*one) && simple(*two) { 0.45 } else { 0.25 };
        let edits = vec![
            Edit { range: unit.bytes(*one), text: second.to_owned() },
            Edit { range: unit.bytes(*two), text: first.to_owned() },
        ];
        let what = format!("{} before {}", quoted(second), quoted(first));
        sink.offer_all(Template::SwapArguments, weight, edits, what);
    }
    let inside = unit.bytes(list).start + 1;
    let called = unit.text(call).split('(').next().unwrap_or_default();
    for (rank, name) in names.near(unit.bytes(call).start).take(6).enumerate() {
        let decay = 0.75_f64.powi(i32::try_from(rank).unwrap_or(i32::MAX));
        let (weight, text) = match held.is_empty() {
            true => (0.3, name.to_owned()),
            false => (0.05, format!("{name}, ")),
        };
        let taken =
            held.iter().any(|held| unit.text(*held) == name) || called.split('.').next() == Some(name);
        if !taken {
            let what = format!("{} given to {}", quoted(name), quoted(called));
            sink.offer(Template::AddArgument, weight * decay, inside..inside, text, what);
        }
    }
}

fn drop_argument(sink: &mut Sink<'_, '_>, held: &[usize]) {
    let unit = sink.unit;
    for (number, argument) in held.iter().enumerate() {
        let place = unit.bytes(*argument);
        let range = match (number.checked_sub(1).and_then(|before| held.get(before)), held.get(number + 1)) {
            (Some(before), _) => unit.bytes(*before).end..place.end,
            (None, Some(after)) => place.start..unit.bytes(*after).start,
            (None, None) => place,
        };
        let kind = unit.kind(*argument);
        let last = number + 1 == held.len();
        let weight = match kind {
            "integer" if last => 0.45,
            "keyword_argument" => 0.2,
            _ if held.len() > 1 => 0.12,
            _ => 0.04,
        };
        let what = format!("without the argument {}", quoted(unit.text(*argument)));
        let before = sink.found.len();
        sink.offer(Template::DropArgument, weight, range.clone(), "", what);
        if let Some(new) = sink.found.get_mut(before).filter(|_| kind == "integer" && last) {
            new.together = Some(format!("{}:drop", unit.room(range.start).start));
        }
    }
}

/// `f(x)` becomes `x`, and `a.f()` becomes `a`.
fn unwrap(sink: &mut Sink<'_, '_>, call: usize) {
    let unit = sink.unit;
    let Some((_, held)) = list_of(unit, call) else { return };
    let place = unit.bytes(call);
    let statement = unit.parent_kind(call) == "expression_statement";
    if statement || unit.speech == Speech::Rust {
        return;
    }
    let what = format!("without the call {}", quoted(unit.text(call)));
    if let ([only], Some(function)) = (held.as_slice(), unit.field(call, "function"))
        && unit.kind(function) == "identifier"
        && !matches!(unit.kind(*only), "generator_expression" | "list_splat" | "keyword_argument")
    {
        sink.offer(Template::Unwrap, 0.1, place.clone(), unit.text(*only), what.clone());
    }
    let receiver = unit.field(call, "object").or_else(|| {
        let function = unit.field(call, "function")?;
        unit.field(function, "object").or_else(|| unit.field(function, "argument"))
    });
    if let Some(receiver) =
        receiver.filter(|receiver| !matches!(unit.text(*receiver), "self" | "this" | "super()"))
    {
        sink.offer(Template::Unwrap, 0.1, place, unit.text(receiver), what);
    }
}

/// Python's `sorted` and `sort` the other way round; losing `reverse=True` is losing an argument.
fn reverse(sink: &mut Sink<'_, '_>, call: usize) {
    let unit = sink.unit;
    let sorts = unit.field(call, "function").is_some_and(|function| {
        let name = unit.text(function);
        name == "sorted" || name.ends_with(".sort")
    });
    let Some((list, held)) = list_of(unit, call) else { return };
    if !unit.speech.is_python() || !sorts || unit.text(list).contains("reverse") {
        return;
    }
    let inside = unit.bytes(list).end.saturating_sub(1);
    let text = if held.is_empty() { "reverse=True" } else { ", reverse=True" };
    let what = format!("{} from the greatest on", quoted(unit.text(call)));
    sink.offer(Template::Related, 0.25, inside..inside, text, what);
}

/// `a if c else b` becomes `a`, or `b`; or they change places.
fn one_branch(sink: &mut Sink<'_, '_>, node: usize) {
    let unit = sink.unit;
    let (yes, no) = match unit.speech {
        Speech::Python => match unit.named(node).as_slice() {
            [yes, _, no] => (*yes, *no),
            _ => return,
        },
        _ => match (unit.field(node, "consequence"), unit.field(node, "alternative")) {
            (Some(yes), Some(no)) => (yes, no),
            _ => return,
        },
    };
    for (kept, gone) in [(yes, no), (no, yes)] {
        let what = format!("{} in any case", quoted(unit.text(kept)));
        let weight = if unit.text(kept) == unit.text(gone) { 0.0 } else { 0.12 };
        sink.offer(Template::Operand, weight, unit.bytes(node), unit.text(kept), what);
    }
    let edits = vec![
        Edit { range: unit.bytes(yes), text: unit.text(no).to_owned() },
        Edit { range: unit.bytes(no), text: unit.text(yes).to_owned() },
    ];
    sink.offer_all(Template::Operand, 0.25, edits, "the two sides of the choice exchanged".to_owned());
}

/// Turns a value into another type; only where the failure speaks of types.
fn convert(sink: &mut Sink<'_, '_>, node: usize, evidence: &Evidence) {
    let unit = sink.unit;
    if !unit.speech.is_python() || !unit.node(node).named || !is_value(unit, node) {
        return;
    }
    let own = unit.text(node);
    for (wrap, weight) in evidence.conversions() {
        let text = match wrap.strip_prefix('.') {
            Some(method) => {
                let simple =
                    matches!(unit.kind(node), "call" | "identifier" | "attribute" | "subscript" | "string");
                if simple { format!("{own}.{method}()") } else { format!("({own}).{method}()") }
            }
            None if own.starts_with(&format!("{wrap}(")) => continue,
            None => format!("{wrap}({own})"),
        };
        let what = format!("{} turned by `{wrap}`", quoted(own));
        sink.offer(Template::Conversion, *weight, unit.bytes(node), text, what);
    }
}

/// Whether a node is a whole value: what is returned, assigned, given, added or an index.
fn is_value(unit: &Unit<'_>, node: usize) -> bool {
    let field = unit.node(node).field;
    match unit.parent_kind(node) {
        "return_statement" => true,
        "assignment" => field == Some("right"),
        "argument_list" => unit.kind(node) != "keyword_argument",
        "binary_operator" => field != Some("operator"),
        "subscript" => field == Some("subscript") && unit.kind(node) != "slice",
        "slice" => true,
        _ => false,
    }
}
