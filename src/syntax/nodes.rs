//! The syntax tree of a text as a flat list, for those who look for places in it.
//!
//! Promises: pure and bounded as [`super::functions`] is; nodes stand in the order in which they begin, a node before
//! what it holds, so walking is counting and deep nesting costs no stack.
//! Leaves to others: what a kind of node means.

use super::functions::tree_of;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use tree_sitter::TreeCursor;

/// Most nodes of one text; a text with more has no list.
const MOST_NODES: usize = 400_000;

/// Fields that are kept; others are of no use to those who look for places.
pub const FIELDS: [&str; 27] = [
    "alternative",
    "argument",
    "arguments",
    "attribute",
    "body",
    "condition",
    "consequence",
    "declarator",
    "field",
    "function",
    "index",
    "key",
    "label",
    "left",
    "macro",
    "name",
    "object",
    "operator",
    "operators",
    "parameters",
    "path",
    "pattern",
    "property",
    "right",
    "subscript",
    "type",
    "value",
];

/// A node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxNode {
    /// Its kind, as the grammar names it.
    pub kind: Arc<str>,
    /// The field of its parent that it fills, where that is one that [`FIELDS`] names.
    pub field: Option<&'static str>,
    /// Whether the grammar names it; operators and brackets are not named.
    pub named: bool,
    /// Its bytes.
    pub bytes: Range<usize>,
    /// The node that holds it.
    pub parent: Option<usize>,
    /// The first node behind everything that it holds.
    pub end: usize,
}

/// The nodes of a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SyntaxNodes {
    /// All of them; each before what it holds.
    pub all: Vec<SyntaxNode>,
    /// How many of them the parser could not read, or missed.
    pub errors: usize,
}

impl SyntaxNodes {
    /// What a node holds directly, in order.
    pub fn children(&self, node: usize) -> impl Iterator<Item = usize> {
        let end = self.all.get(node).map_or(0, |node| node.end);
        let mut next = node + 1;
        std::iter::from_fn(move || {
            let child = next;
            (child < end).then(|| {
                next = self.all[child].end;
                child
            })
        })
    }
}

/// The nodes of `source`; `None` as for [`super::functions`], and for a text of too many nodes.
pub fn syntax_nodes(language: &str, source: &str) -> Option<SyntaxNodes> {
    let (_, tree) = tree_of(language, source)?;
    gathered(&mut tree.walk())
}

fn gathered(cursor: &mut TreeCursor<'_>) -> Option<SyntaxNodes> {
    let mut nodes = SyntaxNodes::default();
    let mut open: Vec<usize> = Vec::new();
    let mut kinds: HashMap<u16, Arc<str>> = HashMap::new();
    loop {
        let node = cursor.node();
        if nodes.all.len() >= MOST_NODES {
            return None;
        }
        nodes.errors += usize::from(node.is_error() || node.is_missing());
        nodes.all.push(SyntaxNode {
            kind: Arc::clone(kinds.entry(node.kind_id()).or_insert_with(|| Arc::from(node.kind()))),
            field: cursor.field_name().and_then(|name| FIELDS.iter().find(|field| **field == name).copied()),
            named: node.is_named(),
            bytes: node.byte_range(),
            parent: open.last().copied(),
            end: 0,
        });
        let here = nodes.all.len() - 1;
        if cursor.goto_first_child() {
            open.push(here);
            continue;
        }
        nodes.all[here].end = here + 1;
        while !cursor.goto_next_sibling() {
            let Some(parent) = open.pop() else { return Some(nodes) };
            nodes.all[parent].end = nodes.all.len();
            cursor.goto_parent();
        }
    }
}

/// How many places of `source` the parser cannot read; `None` as for [`super::functions`].
pub fn syntax_errors(language: &str, source: &str) -> Option<usize> {
    let (_, tree) = tree_of(language, source)?;
    let mut errors = 0;
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        errors += usize::from(node.is_error() || node.is_missing());
        if node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return Some(errors);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn nodes_stand_in_order_with_what_they_hold() {
        let source = "def f(a):\n    return a + 1\n";
        let nodes = syntax_nodes("python", source).unwrap();
        let find = |kind: &str| nodes.all.iter().position(|node| &*node.kind == kind).unwrap();
        let sum = find("binary_operator");
        let held: Vec<&str> =
            nodes.children(sum).map(|child| &source[nodes.all[child].bytes.clone()]).collect();
        assert_eq!(held, ["a", "+", "1"]);
        assert_eq!(nodes.all[find("integer")].field, Some("right"));
        assert_eq!(&*nodes.all[nodes.all[sum].parent.unwrap()].kind, "return_statement");
        assert_eq!(nodes.all[0].end, nodes.all.len());
        assert_eq!(nodes.errors, 0);
    }

    #[test]
    fn errors_are_counted() {
        for (language, source, errors) in [("python", "x = 1\n", 0), ("c", "int f(void) { return 1 }", 1)] {
            assert_eq!(syntax_errors(language, source), Some(errors), "{source}");
            assert_eq!(syntax_nodes(language, source).unwrap().errors, errors, "{source}");
        }
        assert_eq!(syntax_errors("klingon", ""), None);
        assert!(syntax_errors("python", "x = = 1\n").unwrap() > 0);
    }
}
