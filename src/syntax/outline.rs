//! What a source text consists of: its top-level items, its functions, its syntax errors, and the string
//! literals whose lines may not be moved.
//!
//! Promises: pure and bounded as [`super::functions`] is; a text with errors gives what could be recognised.
//! Leaves to others: what is done with an item (`repair`).

use super::functions::{Definition, definitions, tree_of};
use std::ops::Range;
use tree_sitter::{Node, TreeCursor};

/// Longest name kept of an item, in bytes.
const MAX_NAME: usize = 200;
/// Most names kept of one item.
const MAX_NAMES: usize = 100;

/// The parts of a source text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outline {
    /// Functions and methods, nested ones included, in order of their start.
    pub definitions: Vec<Definition>,
    /// Top-level items in order. What preprocessor conditions, `extern "C"` and namespaces hold counts as
    /// top level.
    pub items: Vec<Item>,
    /// Where the parser met something that it could not read, or missed something; in order.
    pub errors: Vec<Range<usize>>,
    /// String literals of more than one line, docstrings left out.
    pub literals: Vec<Range<usize>>,
}

/// A top-level item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// What it is.
    pub kind: ItemKind,
    /// Names that it brings in, or the normalised text of an import.
    pub names: Vec<String>,
    /// Its bytes, without comments before it.
    pub bytes: Range<usize>,
}

/// Kinds of items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ItemKind {
    /// `import`, `#include`, `use`, `require`.
    Import,
    /// A function.
    Function,
    /// A class, struct, enum, trait, interface, type or module.
    Type,
    /// A constant, variable or macro.
    Value,
    /// A declaration without a body: a prototype.
    Prototype,
    /// A comment.
    Comment,
    /// Anything else: a statement, a package line.
    Other,
}

/// The outline of `source`; `None` as for [`super::functions`].
pub fn outline(language: &str, source: &str) -> Option<Outline> {
    let (grammar, tree) = tree_of(language, source)?;
    let mut outline = Outline { definitions: definitions(grammar, source, &tree), ..Outline::default() };
    walk(&mut tree.walk(), &mut outline);
    items(tree.root_node(), source, &mut outline.items);
    Some(outline)
}

/// The outline of a piece of a file that need not stand on its own: indented code, methods without their
/// class. It is read as it is and, where that leaves errors or finds nothing, as if it stood inside
/// something; the reading with fewer errors counts.
pub fn outline_of_part(language: &str, source: &str) -> Option<Outline> {
    let plain = outline(language, source);
    let indented =
        source.lines().find(|line| !line.trim().is_empty()).is_some_and(|line| line.starts_with([' ', '\t']));
    let (before, after, field) = match language {
        "python" if indented => ("if 1:\n", "\n", "consequence"),
        "java" | "javascript" => ("class C__ {\n", "\n}\n", "body"),
        "cpp" => ("struct C__ {\n", "\n};\n", "body"),
        _ => return plain,
    };
    if plain.as_ref().is_some_and(|plain| plain.errors.is_empty() && !plain.definitions.is_empty()) {
        return plain;
    }
    let inside = part(language, source, before, after, field);
    let rank = |outline: &Outline| (outline.errors.len(), usize::MAX - outline.definitions.len());
    match (plain, inside) {
        (Some(plain), Some(inside)) => Some(if rank(&inside) < rank(&plain) { inside } else { plain }),
        (plain, inside) => plain.or(inside),
    }
}

/// The outline of `source` between two texts, its ranges those of `source`.
fn part(language: &str, source: &str, before: &str, after: &str, field: &str) -> Option<Outline> {
    let whole = format!("{before}{source}{after}");
    let (grammar, tree) = tree_of(language, &whole)?;
    let mut outline = Outline { definitions: definitions(grammar, &whole, &tree), ..Outline::default() };
    walk(&mut tree.walk(), &mut outline);
    let body = tree.root_node().named_child(0).and_then(|outer| outer.child_by_field_name(field));
    items(body?, &whole, &mut outline.items);
    let shift = |range: &mut Range<usize>| {
        let moved = |at: usize| at.saturating_sub(before.len()).min(source.len());
        *range = moved(range.start)..moved(range.end);
    };
    for definition in &mut outline.definitions {
        shift(&mut definition.span.bytes);
        shift(&mut definition.span.body);
        shift(&mut definition.statement);
        definition.parameters.as_mut().map(shift);
        definition.core = definition.core.saturating_sub(before.len());
        let lines = u32::from(before.ends_with('\n'));
        let span = &mut definition.span;
        span.lines = span.lines.start.saturating_sub(lines)..span.lines.end.saturating_sub(lines);
        if let Some(own) =
            span.qualified.strip_prefix("C__.").or_else(|| span.qualified.strip_prefix("C__::"))
        {
            span.qualified = own.to_owned();
        }
    }
    outline.items.iter_mut().for_each(|item| shift(&mut item.bytes));
    outline.errors.iter_mut().for_each(shift);
    outline.literals.iter_mut().for_each(shift);
    Some(outline)
}

/// Gathers errors and literals of the whole tree.
fn walk(cursor: &mut TreeCursor<'_>, outline: &mut Outline) {
    loop {
        let node = cursor.node();
        if node.is_error() || node.is_missing() {
            outline.errors.push(node.byte_range());
        }
        let literal = is_literal(node.kind());
        if literal && node.start_position().row < node.end_position().row {
            let is_statement = node.parent().is_some_and(|parent| {
                parent.kind() == "expression_statement" && parent.named_child_count() == 1
            });
            if !is_statement {
                outline.literals.push(node.byte_range());
            }
        }
        if !literal && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

fn is_literal(kind: &str) -> bool {
    matches!(
        kind,
        "string"
            | "string_literal"
            | "raw_string_literal"
            | "template_string"
            | "text_block"
            | "concatenated_string"
    )
}

/// Gathers the items of a container; containers in it are opened, not by recursion.
fn items(root: Node<'_>, source: &str, found: &mut Vec<Item>) {
    let mut open = vec![root];
    while let Some(container) = open.pop() {
        let mut cursor = container.walk();
        if !cursor.goto_first_child() {
            continue;
        }
        loop {
            let node = cursor.node();
            if is_container(node.kind()) {
                open.push(node.child_by_field_name("body").unwrap_or(node));
            } else if node.is_named() {
                found.push(item(node, source));
            }
            if !cursor.goto_next_sibling() {
                break;
            }
        }
    }
    found.sort_by_key(|item| item.bytes.start);
}

fn is_container(kind: &str) -> bool {
    matches!(
        kind,
        "preproc_if"
            | "preproc_ifdef"
            | "preproc_else"
            | "preproc_elif"
            | "linkage_specification"
            | "namespace_definition"
            | "declaration_list"
    )
}

fn item(node: Node<'_>, source: &str) -> Item {
    use ItemKind::{Comment, Function, Import, Other, Prototype, Type, Value};
    let inner = inner(node);
    let named =
        |field: &str| inner.child_by_field_name(field).map(|name| text(name, source)).into_iter().collect();
    let (kind, names): (ItemKind, Vec<String>) = match inner.kind() {
        "import_statement"
        | "import_from_statement"
        | "future_import_statement"
        | "import_declaration"
        | "preproc_include"
        | "use_declaration"
        | "using_declaration"
        | "extern_crate_declaration" => (Import, vec![squeezed(node, source)]),
        "comment" | "line_comment" | "block_comment" => (Comment, Vec::new()),
        "function_definition" if inner.child_by_field_name("name").is_none() => {
            (Function, declared(inner, source))
        }
        "function_definition"
        | "function_declaration"
        | "generator_function_declaration"
        | "function_item"
        | "method_declaration"
        | "constructor_declaration" => (Function, named("name")),
        "class_definition"
        | "class_declaration"
        | "interface_declaration"
        | "enum_declaration"
        | "record_declaration"
        | "struct_item"
        | "enum_item"
        | "trait_item"
        | "type_item"
        | "mod_item"
        | "union_item"
        | "macro_definition"
        | "struct_specifier"
        | "class_specifier"
        | "union_specifier"
        | "enum_specifier"
        | "type_alias_statement" => (Type, named("name")),
        "impl_item" => (Type, named("type").into_iter().map(|name| format!("impl {name}")).collect()),
        "type_definition" => (Type, declared(inner, source)),
        "preproc_def" | "preproc_function_def" | "const_item" | "static_item" => (Value, named("name")),
        "declaration" => declaration(inner, source),
        "lexical_declaration" | "variable_declaration" => variables(inner, source),
        "expression_statement" => statement(inner, source),
        "function_signature_item" => (Prototype, named("name")),
        _ => (Other, Vec::new()),
    };
    Item { kind, names, bytes: node.byte_range() }
}

/// What a decorated, exported or templated definition defines.
fn inner(node: Node<'_>) -> Node<'_> {
    let mut node = node;
    for _ in 0..4 {
        let next = match node.kind() {
            "decorated_definition" => node.child_by_field_name("definition"),
            "export_statement" => node.child_by_field_name("declaration"),
            "template_declaration" => {
                node.named_child(u32::try_from(node.named_child_count().saturating_sub(1)).unwrap_or(0))
            }
            _ => None,
        };
        match next {
            Some(next) => node = next,
            None => break,
        }
    }
    node
}

/// The names of a C declaration's declarators.
fn declared(node: Node<'_>, source: &str) -> Vec<String> {
    let mut cursor = node.walk();
    let declarators: Vec<Node<'_>> =
        node.children_by_field_name("declarator", &mut cursor).take(MAX_NAMES).collect();
    let mut names: Vec<String> =
        declarators.into_iter().map(|declarator| text(innermost(declarator).0, source)).collect();
    // `typedef struct node { … } *list;` brings `node` too.
    if let Some(name) = node.child_by_field_name("type").and_then(|of| of.child_by_field_name("name")) {
        names.push(text(name, source));
    }
    names
}

/// The name inside a declarator, and whether it is a function's.
fn innermost(declarator: Node<'_>) -> (Node<'_>, bool) {
    let (mut node, mut is_function) = (declarator, false);
    for _ in 0..32 {
        is_function |= node.kind() == "function_declarator";
        let inner = node.child_by_field_name("declarator").or_else(|| {
            matches!(node.kind(), "parenthesized_declarator" | "reference_declarator")
                .then(|| node.named_child(0))
                .flatten()
        });
        match inner {
            Some(inner) => node = inner,
            None => break,
        }
    }
    (node, is_function)
}

fn declaration(node: Node<'_>, source: &str) -> (ItemKind, Vec<String>) {
    let mut cursor = node.walk();
    let all_functions = node
        .children_by_field_name("declarator", &mut cursor)
        .all(|declarator| declarator.kind() != "init_declarator" && innermost(declarator).1);
    let names = declared(node, source);
    (if all_functions && !names.is_empty() { ItemKind::Prototype } else { ItemKind::Value }, names)
}

/// JavaScript's `const`, `let` and `var`: a value, a function, or an import by `require`.
fn variables(node: Node<'_>, source: &str) -> (ItemKind, Vec<String>) {
    let mut kind = ItemKind::Value;
    let mut names = Vec::new();
    let mut cursor = node.walk();
    for declarator in node.named_children(&mut cursor).take(MAX_NAMES) {
        let Some(name) = declarator.child_by_field_name("name") else { continue };
        names.push(text(name, source));
        match declarator.child_by_field_name("value").map(|value| (value.kind(), value)) {
            Some(("arrow_function" | "function_expression" | "generator_function", _)) => {
                kind = ItemKind::Function
            }
            Some(("class", _)) => kind = ItemKind::Type,
            Some((_, value))
                if source.get(value.byte_range()).is_some_and(|text| text.starts_with("require(")) =>
            {
                return (ItemKind::Import, vec![squeezed(node, source)]);
            }
            _ => {}
        }
    }
    (kind, names)
}

/// An assignment is a value; another statement is none.
fn statement(node: Node<'_>, source: &str) -> (ItemKind, Vec<String>) {
    let assignment = node.named_child(0).filter(|child| {
        matches!(child.kind(), "assignment" | "assignment_expression") && node.named_child_count() == 1
    });
    match assignment.and_then(|assignment| assignment.child_by_field_name("left")) {
        Some(left) => (ItemKind::Value, vec![text(left, source)]),
        None => (ItemKind::Other, Vec::new()),
    }
}

fn text(node: Node<'_>, source: &str) -> String {
    cut(source.get(node.byte_range()).unwrap_or_default()).to_owned()
}

/// The text of a node with its runs of white space made one blank.
fn squeezed(node: Node<'_>, source: &str) -> String {
    let text = cut(source.get(node.byte_range()).unwrap_or_default());
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn cut(text: &str) -> &str {
    let mut end = text.len().min(MAX_NAME);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
#[path = "outline_tests.rs"]
mod tests;
