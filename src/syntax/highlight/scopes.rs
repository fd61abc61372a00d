//! From the grammar's scopes to our roles.
//!
//! A grammar names each piece of text by a stack of dotted scopes. The innermost scope that the table
//! below knows decides the role, and of several entries that fit it the longest one. Stacks are kept as
//! a tree whose nodes remember their role, so that a push costs one look-up and a pop none.

use super::role::SyntaxRole;
use std::collections::HashMap;
use std::sync::OnceLock;
use syntect::parsing::Scope;

/// Scope prefixes and what they are to us.
const TABLE: &[(&str, SyntaxRole)] = &[
    ("comment", SyntaxRole::Comment),
    ("text.html.javadoc", SyntaxRole::Comment),
    ("punctuation.definition.comment", SyntaxRole::Comment),
    ("string", SyntaxRole::String),
    ("punctuation.definition.string", SyntaxRole::String),
    ("string.unquoted.label", SyntaxRole::Property),
    ("meta.interpolation", SyntaxRole::Text),
    ("meta.embedded", SyntaxRole::Text),
    ("meta.template.expression", SyntaxRole::Text),
    ("constant", SyntaxRole::Constant),
    ("constant.numeric", SyntaxRole::Number),
    ("constant.other.datetime", SyntaxRole::Number),
    ("storage.type.numeric", SyntaxRole::Number),
    ("punctuation.definition.numeric", SyntaxRole::Number),
    ("punctuation.separator.decimal", SyntaxRole::Number),
    ("constant.character", SyntaxRole::Escape),
    ("constant.other.placeholder", SyntaxRole::Escape),
    ("punctuation.definition.placeholder", SyntaxRole::Escape),
    ("variable.other.placeholder", SyntaxRole::Escape),
    ("punctuation.section.interpolation", SyntaxRole::Escape),
    ("punctuation.definition.template-expression", SyntaxRole::Escape),
    ("keyword", SyntaxRole::Keyword),
    ("keyword.operator", SyntaxRole::Operator),
    ("keyword.operator.word", SyntaxRole::Keyword),
    ("keyword.control.import.define", SyntaxRole::Macro),
    ("keyword.control.import.include", SyntaxRole::Macro),
    ("keyword.control.import.c", SyntaxRole::Macro),
    ("keyword.control.import.c++", SyntaxRole::Macro),
    ("keyword.control.import.else", SyntaxRole::Macro),
    ("keyword.control.import.error", SyntaxRole::Macro),
    ("keyword.control.anchor.regexp", SyntaxRole::Escape),
    ("storage", SyntaxRole::Keyword),
    ("storage.modifier.lifetime", SyntaxRole::Attribute),
    ("storage.type.c", SyntaxRole::Type),
    ("storage.type.c++", SyntaxRole::Type),
    ("storage.type.go", SyntaxRole::Type),
    ("storage.type.rust", SyntaxRole::Type),
    ("storage.type.primitive", SyntaxRole::Type),
    ("storage.type.string", SyntaxRole::String),
    ("storage.type.function.arrow", SyntaxRole::Operator),
    ("entity.name", SyntaxRole::Type),
    ("entity.name.function", SyntaxRole::Function),
    ("entity.name.function.preprocessor", SyntaxRole::Macro),
    ("entity.name.constant", SyntaxRole::Constant),
    ("entity.name.label", SyntaxRole::Property),
    ("entity.name.section", SyntaxRole::Heading),
    ("entity.name.table", SyntaxRole::Heading),
    ("entity.name.tag", SyntaxRole::Tag),
    ("entity.other.inherited-class", SyntaxRole::Type),
    ("entity.other.attribute-name", SyntaxRole::Attribute),
    ("support", SyntaxRole::Type),
    ("support.function", SyntaxRole::Function),
    ("support.macro", SyntaxRole::Macro),
    ("support.constant", SyntaxRole::Constant),
    ("support.variable", SyntaxRole::Variable),
    ("support.type.property-name", SyntaxRole::Property),
    ("variable.function", SyntaxRole::Function),
    ("variable.language", SyntaxRole::Variable),
    ("variable.parameter", SyntaxRole::Parameter),
    ("variable.annotation", SyntaxRole::Attribute),
    ("variable.other.member", SyntaxRole::Property),
    ("variable.other.readwrite.member", SyntaxRole::Property),
    ("variable.other.property", SyntaxRole::Property),
    ("variable.object.property", SyntaxRole::Property),
    ("variable.other.constant", SyntaxRole::Constant),
    ("variable.other.readwrite.shell", SyntaxRole::Variable),
    ("variable.other.readwrite.assignment.shell", SyntaxRole::Variable),
    ("meta.assumed-macro", SyntaxRole::Macro),
    ("punctuation", SyntaxRole::Punctuation),
    ("punctuation.definition.annotation", SyntaxRole::Attribute),
    ("punctuation.definition.heading", SyntaxRole::Heading),
    ("meta.mapping.key", SyntaxRole::Property),
    ("markup.heading", SyntaxRole::Heading),
    ("markup.raw", SyntaxRole::String),
    ("markup.underline.link", SyntaxRole::String),
    ("markup.bold", SyntaxRole::Keyword),
    ("markup.italic", SyntaxRole::Attribute),
    ("markup.quote", SyntaxRole::Comment),
    ("markup.inserted", SyntaxRole::String),
    ("markup.deleted", SyntaxRole::Error),
    ("invalid", SyntaxRole::Error),
];

/// The table with its scopes interned; made once.
fn table() -> &'static [(Scope, SyntaxRole)] {
    static SCOPES: OnceLock<Vec<(Scope, SyntaxRole)>> = OnceLock::new();
    SCOPES.get_or_init(|| {
        TABLE.iter().filter_map(|(name, role)| Scope::new(name).ok().map(|scope| (scope, *role))).collect()
    })
}

/// The role of a single scope, if the table knows it.
fn role_of(scope: Scope) -> Option<SyntaxRole> {
    table()
        .iter()
        .filter(|(prefix, _)| prefix.is_prefix_of(scope))
        .max_by_key(|(prefix, _)| prefix.len())
        .map(|(_, role)| *role)
}

/// A scope stack: a node of a [`ScopeTree`].
pub(super) type Node = u32;

/// The empty stack.
pub(super) const EMPTY: Node = 0;

/// Every scope stack met so far.
pub(super) struct ScopeTree {
    nodes: Vec<(Node, SyntaxRole)>,
    children: HashMap<(Node, Scope), Node>,
}

impl ScopeTree {
    pub(super) fn new() -> ScopeTree {
        ScopeTree { nodes: vec![(EMPTY, SyntaxRole::Text)], children: HashMap::new() }
    }

    /// The stack with one scope more.
    pub(super) fn push(&mut self, node: Node, scope: Scope) -> Node {
        if let Some(child) = self.children.get(&(node, scope)) {
            return *child;
        }
        let role = role_of(scope).unwrap_or_else(|| self.role(node));
        let child = Node::try_from(self.nodes.len()).unwrap_or(EMPTY);
        self.nodes.push((node, role));
        self.children.insert((node, scope), child);
        child
    }

    /// The stack with one scope less; the empty one stays empty.
    pub(super) fn pop(&self, node: Node) -> Node {
        self.nodes.get(node as usize).map_or(EMPTY, |(parent, _)| *parent)
    }

    /// What text under this stack is.
    pub(super) fn role(&self, node: Node) -> SyntaxRole {
        self.nodes.get(node as usize).map_or(SyntaxRole::Text, |(_, role)| *role)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_prefix_of_the_table_is_a_scope() {
        assert_eq!(table().len(), TABLE.len());
    }

    #[test]
    fn the_longest_entry_decides() {
        let role = |name: &str| role_of(Scope::new(name).unwrap());
        assert_eq!(role("keyword.operator.word.c"), Some(SyntaxRole::Keyword));
        assert_eq!(role("keyword.operator.assignment.c"), Some(SyntaxRole::Operator));
        assert_eq!(role("keyword.control.c"), Some(SyntaxRole::Keyword));
        assert_eq!(role("storage.type.c"), Some(SyntaxRole::Type));
        assert_eq!(role("storage.type.function.python"), Some(SyntaxRole::Keyword));
        assert_eq!(role("meta.block.c"), None);
    }

    #[test]
    fn a_stack_remembers_the_innermost_known_scope() {
        let mut tree = ScopeTree::new();
        let string = tree.push(EMPTY, Scope::new("string.quoted.c").unwrap());
        let inner = tree.push(string, Scope::new("meta.unknown").unwrap());
        assert_eq!(tree.role(inner), SyntaxRole::String);
        let reset = tree.push(inner, Scope::new("meta.interpolation.x").unwrap());
        assert_eq!(tree.role(reset), SyntaxRole::Text);
        assert_eq!(tree.pop(reset), inner);
        assert_eq!(tree.pop(tree.pop(tree.pop(tree.pop(reset)))), EMPTY);
        assert_eq!(tree.push(EMPTY, Scope::new("string.quoted.c").unwrap()), string);
    }
}
