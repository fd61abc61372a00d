//! Templates of names: another variable, another member.
//!
//! Promises: only names that the function or file uses in the same way are put in.
//! Leaves to others: calls (`calls`).

use super::code::Unit;
use super::mutation::{Sink, Template, quoted};
use std::collections::BTreeMap;
use std::ops::Range;

/// Most names that are tried in the place of one.
const MOST_NAMES: usize = 8;
/// Most members that are tried in the place of one.
const MOST_MEMBERS: usize = 6;
/// Most variables of one function.
const MOST_VARIABLES: usize = 200;
/// Most members of one object that are compared with one another.
const MOST_COMPARED: usize = 5;

/// A variable of a function.
#[derive(Debug)]
struct Variable {
    name: String,
    /// Where it stands.
    places: Vec<usize>,
    /// Whether members are taken of it.
    has_members: bool,
    /// Whether it is indexed.
    is_indexed: bool,
}

impl Variable {
    fn distance(&self, at: usize) -> usize {
        self.places.iter().map(|place| place.abs_diff(at)).min().unwrap_or(usize::MAX)
    }
}

/// Variables of the functions, and members of the file.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// By the start of their function: each variable with its uses.
    variables: BTreeMap<usize, Vec<Variable>>,
    /// The functions by their start.
    rooms: BTreeMap<usize, Range<usize>>,
    /// Members that are read or written, with the receivers that they were seen on; the bool: called.
    members: BTreeMap<(String, bool), BTreeMap<String, usize>>,
}

impl Names {
    /// Gathers them.
    pub fn of(unit: &Unit<'_>) -> Names {
        let mut names = Names::default();
        for node in 0..unit.nodes.all.len() {
            names.member(unit, node);
            match unit.kind(node) {
                "identifier" | "shorthand_property_identifier" if is_variable(unit, node) => {
                    let at = unit.bytes(node).start;
                    if unit.scope(at).is_none() {
                        continue;
                    }
                    let room = unit.room(at);
                    let variables = names.variables.entry(room.start).or_default();
                    names.rooms.insert(room.start, room);
                    let name = unit.text(node);
                    let (has_members, is_indexed) = uses(unit, node);
                    let is_full = variables.len() >= MOST_VARIABLES;
                    match variables.iter_mut().find(|known| known.name == name) {
                        Some(known) => {
                            known.places.push(at);
                            known.has_members |= has_members;
                            known.is_indexed |= is_indexed;
                        }
                        None if is_full => {}
                        None => {
                            let name = name.to_owned();
                            variables.push(Variable { name, places: vec![at], has_members, is_indexed });
                        }
                    }
                }
                _ => {}
            }
        }
        names
    }

    fn member(&mut self, unit: &Unit<'_>, node: usize) {
        let name = match (unit.kind(node), unit.node(node).field) {
            (_, Some("attribute" | "field" | "property")) => node,
            // `{ listener, run: listener }` names members too.
            ("shorthand_property_identifier", _) => node,
            ("property_identifier", Some("key")) if unit.parent_kind(node) == "pair" => node,
            _ => return,
        };
        let called = is_called(unit, name);
        let receiver = receiver(unit, name).unwrap_or_default();
        if self.members.len() < 2_000 {
            let seen = self.members.entry((unit.text(name).to_owned(), called)).or_default();
            *seen.entry(receiver.to_owned()).or_default() += 1;
        }
    }

    /// Variables of the function around a byte, those that are used near it first.
    pub fn near(&self, at: usize) -> impl Iterator<Item = &str> {
        self.sorted(at).into_iter().map(|variable| variable.name.as_str())
    }

    /// The same, without those that have members or are indexed: plain values.
    pub fn plain(&self, at: usize) -> impl Iterator<Item = &str> {
        let plain =
            self.sorted(at).into_iter().filter(|variable| !variable.has_members && !variable.is_indexed);
        plain.map(|variable| variable.name.as_str())
    }

    fn sorted(&self, at: usize) -> Vec<&Variable> {
        let room =
            self.rooms.range(..=at).rev().find(|(_, room)| room.contains(&at)).map(|(start, _)| *start);
        let mut near: Vec<&Variable> =
            room.and_then(|start| self.variables.get(&start)).into_iter().flatten().collect();
        near.sort_by_key(|variable| (variable.distance(at), variable.name.as_str()));
        near
    }
}

/// Whether a member is taken of an identifier, and whether it is indexed.
fn uses(unit: &Unit<'_>, node: usize) -> (bool, bool) {
    let field = unit.node(node).field;
    let parent = unit.parent_kind(node);
    let has_members = match parent {
        "attribute" | "member_expression" | "field_access" | "method_invocation" => field == Some("object"),
        "field_expression" => matches!(field, Some("argument" | "value")),
        _ => false,
    };
    let is_indexed =
        matches!(parent, "subscript" | "subscript_expression" | "array_access" | "index_expression")
            && !matches!(field, Some("subscript" | "index"));
    (has_members, is_indexed)
}

/// Whether an identifier stands for a value, and not for a function that is called, a type, a keyword or a member.
fn is_variable(unit: &Unit<'_>, node: usize) -> bool {
    let field = unit.node(node).field;
    let parent = unit.parent_kind(node);
    match field {
        Some(
            "attribute" | "field" | "property" | "function" | "type" | "path" | "key" | "macro" | "label",
        ) => false,
        Some("name") => matches!(
            parent,
            "variable_declarator" | "formal_parameter" | "default_parameter" | "typed_default_parameter"
        ),
        _ => !matches!(
            parent,
            "import_statement"
                | "import_from_statement"
                | "dotted_name"
                | "aliased_import"
                | "type"
                | "goto_statement"
                | "labeled_statement"
                | "function_declarator"
                | "decorator"
                | "scoped_identifier"
                | "scoped_type_identifier"
                | "macro_invocation"
        ),
    }
}

fn is_called(unit: &Unit<'_>, name: usize) -> bool {
    let Some(parent) = unit.parent(name) else { return false };
    if unit.kind(parent) == "method_invocation" {
        return unit.node(name).field == Some("name");
    }
    unit.parent(parent).is_some_and(|call| unit.field(call, "function") == Some(parent))
}

/// What a member is taken of, as it is written.
fn receiver<'u>(unit: &'u Unit<'_>, name: usize) -> Option<&'u str> {
    let parent = unit.parent(name)?;
    let of = ["object", "argument", "value"].iter().find_map(|field| unit.field(parent, field))?;
    (of != name).then(|| unit.text(of))
}

/// Offers what can be done with a name at a node.
pub(super) fn offer(sink: &mut Sink<'_, '_>, node: usize, names: &Names) {
    let unit = sink.unit;
    match unit.kind(node) {
        "identifier" if unit.node(node).field == Some("attribute") => member(sink, node, names),
        "identifier" if unit.node(node).field == Some("field") => member(sink, node, names),
        "identifier" if is_variable(unit, node) => variable(sink, node, names),
        "field_identifier" | "property_identifier" if is_member(unit, node) => member(sink, node, names),
        "binary_expression" | "comparison_operator" => compare_members(sink, node, names),
        _ => {}
    }
}

fn is_member(unit: &Unit<'_>, node: usize) -> bool {
    matches!(unit.node(node).field, Some("field" | "property"))
}

fn variable(sink: &mut Sink<'_, '_>, node: usize, names: &Names) {
    let unit = sink.unit;
    let own = unit.text(node);
    let field = unit.node(node).field;
    let written = matches!(field, Some("left" | "declarator" | "pattern" | "name")) && {
        let parent = unit.parent_kind(node);
        parent.contains("assignment")
            || parent.contains("declarator")
            || parent.contains("declaration")
            || parent.starts_with("for_")
    };
    let bound = matches!(unit.parent_kind(node), "for_statement" | "for_in_clause" | "for_in_statement")
        && field == Some("left");
    if bound || matches!(own, "self" | "this" | "cls") || unit.parent_kind(node) == "pattern_list" {
        return;
    }
    let base = if written { 0.08 } else { 0.32 };
    let at = unit.bytes(node).start;
    let sorted = names.sorted(at);
    let known = sorted.iter().find(|variable| variable.name == own);
    let (members, indexed) = uses(unit, node);
    // What is used in the same way: members are taken of both, or of none.
    let fits = |other: &&&Variable| {
        let alike = known.is_none_or(|known| {
            known.has_members == other.has_members
                && (unit.speech.is_python() || known.is_indexed == other.is_indexed)
        });
        other.name != own
            && !matches!(other.name.as_str(), "self" | "this" | "cls")
            && (!members || other.has_members)
            && (!indexed || other.is_indexed)
            && (alike || unit.speech.is_python())
    };
    for (rank, other) in sorted.iter().filter(fits).take(MOST_NAMES).enumerate() {
        let other = other.name.as_str();
        let decay = 0.8_f64.powi(i32::try_from(rank).unwrap_or(i32::MAX));
        // `row` and `col`, `left` and `right`: short names of one length are taken for one another.
        let alike = if own.len().abs_diff(other.len()) <= 1 && own.len() <= 2 { 1.4 } else { 1.0 };
        sink.exchange(Template::Name, base * decay * alike, unit.bytes(node), other);
    }
}

fn member(sink: &mut Sink<'_, '_>, node: usize, names: &Names) {
    let unit = sink.unit;
    let own = unit.text(node);
    let called = is_called(unit, node);
    let Some(receiver) = receiver(unit, node) else { return };
    let mut others: Vec<(bool, usize, &str)> = names
        .members
        .iter()
        .filter(|((name, is_called), _)| {
            *is_called == called && name != own && name.starts_with('#') == own.starts_with('#')
        })
        .map(|((name, _), seen)| (seen.contains_key(receiver), seen.values().sum::<usize>(), name.as_str()))
        .collect();
    others.sort_by_key(|(same, count, name)| (std::cmp::Reverse((*same, *count)), *name));
    for (rank, (same, _, other)) in others.into_iter().take(MOST_MEMBERS).enumerate() {
        let base = match (called, same) {
            (true, true) => 0.15,
            (true, false) => 0.05,
            (false, true) => 0.32,
            (false, false) => 0.25,
        };
        let decay = 0.85_f64.powi(i32::try_from(rank).unwrap_or(i32::MAX));
        sink.exchange(Template::Member, base * decay, unit.bytes(node), other);
    }
}

/// `a == o.x` becomes `o.y == o.z`: two members of one object compared.
fn compare_members(sink: &mut Sink<'_, '_>, node: usize, names: &Names) {
    let unit = sink.unit;
    let [left, right] = unit.named(node)[..] else { return };
    let between = unit.slice(unit.bytes(left).end..unit.bytes(right).start);
    if !matches!(between.trim(), "==" | "!=" | "===" | "!==" | "<" | "<=" | ">" | ">=") {
        return;
    }
    let access = [right, left].into_iter().find_map(|side| {
        let whole = unit.text(side);
        let name = unit
            .field(side, "field")
            .or_else(|| unit.field(side, "attribute"))
            .or_else(|| unit.field(side, "property"))?;
        let of = receiver(unit, name)?;
        Some((of, whole.strip_suffix(unit.text(name))?))
    });
    let Some((of, before)) = access else { return };
    let mut members: Vec<(usize, &str)> = names
        .members
        .iter()
        .filter(|((_, called), seen)| !called && seen.contains_key(of))
        .map(|((name, _), seen)| (seen[of], name.as_str()))
        .collect();
    members.sort_by_key(|(count, name)| (std::cmp::Reverse(*count), *name));
    members.truncate(MOST_COMPARED);
    for (number, (_, one)) in members.iter().enumerate() {
        for (rank, (_, two)) in members.iter().enumerate().skip(number + 1) {
            let decay = 0.9_f64.powi(i32::try_from(number + rank).unwrap_or(i32::MAX));
            let text = format!("{before}{one}{between}{before}{two}");
            let what = format!("{} in place of {}", quoted(&text), quoted(unit.text(node)));
            sink.offer(Template::Members, 0.2 * decay, unit.bytes(node), text, what);
        }
    }
}
