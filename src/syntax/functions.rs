//! The functions of a source text, with their spans, by tree-sitter.
//!
//! Promises: pure; no recursion of ours, so deep nesting costs heap and not stack; work is bounded by a
//! count of parser steps, not by a clock, so the same text always gives the same answer; a text with
//! syntax errors gives the functions that could be recognised.
//! Leaves to others: telling the language (`language`), what is done with a span.

use super::gate::is_harmless;
use std::ops::{ControlFlow, Range};
use tree_sitter::{Language, Node, ParseOptions, ParseState, Parser, Tree, TreeCursor};

/// Longest text that is parsed.
const MAX_BYTES: usize = 1 << 20;
/// Parser steps that are always allowed; the parser reports once in a hundred operations.
const STEPS_AT_LEAST: usize = 2_000;
/// Longest name kept, in bytes.
const MAX_NAME: usize = 200;
/// Innermost scopes that a qualified name shows.
const MAX_SCOPES: usize = 8;
/// Name of a function definition whose name could not be read (a macro, a syntax error).
const UNNAMED: &str = "(unnamed)";

/// A function, method or constructor with a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionSpan {
    /// Its own name.
    pub name: String,
    /// Its name with the classes, namespaces, modules and functions around it:
    /// `Class.method`, `Type::name`.
    pub qualified: String,
    /// Bytes of the whole function, decorators and attributes included.
    pub bytes: Range<usize>,
    /// The lines of `bytes`, counted from 0.
    pub lines: Range<u32>,
    /// Bytes of the body.
    pub body: Range<usize>,
    /// How many functions it lies in.
    pub depth: u32,
}

/// A function with what an editor of code needs to know beside its span.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// The function.
    pub span: FunctionSpan,
    /// Where it begins without decorators, attributes, annotations and `template <…>`.
    pub core: usize,
    /// The bytes of its parameter list, where the grammar names one.
    pub parameters: Option<Range<usize>>,
    /// The whole statement, where the function is the only thing that a declaration declares
    /// (`const f = () => 1;`); otherwise the same as the function.
    pub statement: Range<usize>,
    /// The node of the grammar, which tells a declaration from an assignment.
    pub node: String,
}

/// The innermost function that holds `line`.
pub fn enclosing(functions: &[FunctionSpan], line: u32) -> Option<&FunctionSpan> {
    functions.iter().filter(|function| function.lines.contains(&line)).max_by_key(|function| function.depth)
}

/// The functions of `source`, in order of their start, nested ones and methods included.
///
/// `None`: no grammar for the language, text over 1 MiB, a degenerate text (see `gate`),
/// or one that cost more parser steps than its length explains.
pub fn functions(language: &str, source: &str) -> Option<Vec<FunctionSpan>> {
    let (grammar, tree) = tree_of(language, source)?;
    Some(definitions(grammar, source, &tree).into_iter().map(|definition| definition.span).collect())
}

/// The syntax tree of a text that may be parsed; `None` as for [`functions`].
pub(super) fn tree_of(language: &str, source: &str) -> Option<(Grammar, Tree)> {
    let grammar = Grammar::of(language)?;
    if source.len() > MAX_BYTES || !is_harmless(source.as_bytes(), grammar == Grammar::Python) {
        return None;
    }
    Some((grammar, parse(&grammar.language(), source)?))
}

/// The functions of a tree, in order of their start.
pub(super) fn definitions(grammar: Grammar, source: &str, tree: &Tree) -> Vec<Definition> {
    let mut walk = Walk { grammar, source, scopes: Vec::new(), found: Vec::new() };
    walk.run(tree);
    let mut found = walk.found;
    found.sort_by_key(|definition| (definition.span.bytes.start, definition.span.depth));
    found
}

/// Languages with a grammar, in the order of [`super::language::names`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Grammar {
    Python,
    C,
    Cpp,
    Java,
    Javascript,
    Rust,
}

impl Grammar {
    fn of(language: &str) -> Option<Grammar> {
        Some(match language {
            "python" => Grammar::Python,
            "c" => Grammar::C,
            "cpp" => Grammar::Cpp,
            "java" => Grammar::Java,
            "javascript" => Grammar::Javascript,
            "rust" => Grammar::Rust,
            _ => return None,
        })
    }

    fn language(self) -> Language {
        match self {
            Grammar::Python => tree_sitter_python::LANGUAGE.into(),
            Grammar::C => tree_sitter_c::LANGUAGE.into(),
            Grammar::Cpp => tree_sitter_cpp::LANGUAGE.into(),
            Grammar::Java => tree_sitter_java::LANGUAGE.into(),
            Grammar::Javascript => tree_sitter_javascript::LANGUAGE.into(),
            Grammar::Rust => tree_sitter_rust::LANGUAGE.into(),
        }
    }

    fn separator(self) -> &'static str {
        match self {
            Grammar::C | Grammar::Cpp | Grammar::Rust => "::",
            Grammar::Python | Grammar::Java | Grammar::Javascript => ".",
        }
    }
}

fn parse(language: &Language, source: &str) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(language).ok()?;
    let bytes = source.as_bytes();
    let mut steps_left = STEPS_AT_LEAST + bytes.len() / 16;
    let mut count = |_: &ParseState| match steps_left.checked_sub(1) {
        Some(left) => {
            steps_left = left;
            ControlFlow::Continue(())
        }
        None => ControlFlow::Break(()),
    };
    let mut read = |offset: usize, _| bytes.get(offset..).unwrap_or_default();
    parser.parse_with_options(&mut read, None, Some(ParseOptions::new().progress_callback(&mut count)))
}

/// A class, namespace, module or function around the place of the walk.
struct Scope {
    level: usize,
    name: String,
    is_function: bool,
}

/// One level of the walk: the node there, and where the attributes in front of it begin.
struct Level<'tree> {
    node: Node<'tree>,
    attributes: Option<Node<'tree>>,
}

struct Walk<'source> {
    grammar: Grammar,
    source: &'source str,
    scopes: Vec<Scope>,
    found: Vec<Definition>,
}

impl Walk<'_> {
    fn run(&mut self, tree: &Tree) {
        let mut cursor = tree.walk();
        let mut levels = vec![Level { node: cursor.node(), attributes: None }];
        loop {
            self.enter(&levels);
            if cursor.goto_first_child() {
                levels.push(Level { node: cursor.node(), attributes: None });
                continue;
            }
            if !self.advance(&mut cursor, &mut levels) {
                return;
            }
        }
    }

    /// Moves to the next node that is not inside the present one; false at the end.
    fn advance<'tree>(&mut self, cursor: &mut TreeCursor<'tree>, levels: &mut Vec<Level<'tree>>) -> bool {
        loop {
            while self.scopes.last().is_some_and(|scope| scope.level >= levels.len()) {
                self.scopes.pop();
            }
            let Some(level) = levels.last_mut() else { return false };
            if cursor.goto_next_sibling() {
                level.attributes = match level.node.kind() {
                    "attribute_item" => level.attributes.or(Some(level.node)),
                    "line_comment" | "block_comment" => level.attributes,
                    _ => None,
                };
                level.node = cursor.node();
                return true;
            }
            levels.pop();
            if !cursor.goto_parent() {
                return false;
            }
        }
    }

    fn enter(&mut self, levels: &[Level<'_>]) {
        let Some((here, above)) = levels.split_last() else { return };
        if !here.node.is_named() {
            return;
        }
        let is_function = match self.classify(here.node, above) {
            Class::Nothing => return,
            Class::Scope(name) => {
                self.scopes.push(Scope { level: levels.len(), name, is_function: false });
                return;
            }
            Class::Function(function) => function,
        };
        let Some(body) = here.node.child_by_field_name("body") else { return };
        let mut first = is_function.whole;
        for level in above.iter().rev() {
            match level.node.kind() {
                "decorated_definition" | "template_declaration" => first = level.node,
                _ => break,
            }
        }
        if let Some(attributes) = here.attributes {
            first = attributes;
        }
        let last = is_function.whole;
        let end = last.end_position();
        let end_line = if end.column == 0 { end.row } else { end.row + 1 };
        let start_line = first.start_position().row;
        let name = is_function.name;
        let span = FunctionSpan {
            qualified: self.qualified(&is_function.path),
            bytes: first.start_byte()..last.end_byte(),
            lines: line(start_line)..line(end_line.max(start_line + 1)),
            body: body.byte_range(),
            depth: line(self.scopes.iter().filter(|scope| scope.is_function).count()),
            name: name.clone(),
        };
        // A function that is assigned stands in a declarator or assignment, and that in a statement.
        let declaration = above.iter().rev().nth(1).filter(|level| {
            last != here.node
                && level.node.named_child_count() == 1
                && matches!(
                    level.node.kind(),
                    "lexical_declaration" | "variable_declaration" | "expression_statement"
                )
        });
        self.found.push(Definition {
            core: plain_start(last),
            parameters: parameters(here.node),
            statement: declaration.map_or(span.bytes.clone(), |level| level.node.byte_range()),
            node: last.kind().to_owned(),
            span,
        });
        self.scopes.push(Scope { level: levels.len(), name, is_function: true });
    }

    fn qualified(&self, path: &str) -> String {
        let separator = self.grammar.separator();
        let mut text = String::new();
        for scope in self.scopes.iter().skip(self.scopes.len().saturating_sub(MAX_SCOPES)) {
            text.push_str(&scope.name);
            text.push_str(separator);
        }
        text.push_str(path);
        text
    }

    fn classify<'tree>(&self, node: Node<'tree>, above: &[Level<'tree>]) -> Class<'tree> {
        match (self.grammar, node.kind()) {
            (Grammar::Python, "function_definition")
            | (Grammar::Java, "method_declaration" | "constructor_declaration")
            | (Grammar::Java, "compact_constructor_declaration")
            | (Grammar::Javascript, "function_declaration" | "generator_function_declaration")
            | (Grammar::Javascript, "method_definition")
            | (Grammar::Rust, "function_item") => self.named_function(node, node),
            (Grammar::C | Grammar::Cpp, "function_definition") => self.declared_function(node),
            (Grammar::Javascript, "function_expression" | "generator_function" | "arrow_function") => {
                self.assigned_function(node, above)
            }
            (Grammar::Python, "class_definition")
            | (Grammar::Java, "class_declaration" | "interface_declaration" | "enum_declaration")
            | (Grammar::Java, "record_declaration" | "annotation_type_declaration")
            | (Grammar::Javascript, "class_declaration" | "class")
            | (Grammar::Cpp, "class_specifier" | "struct_specifier" | "union_specifier")
            | (Grammar::Cpp, "namespace_definition")
            | (Grammar::Rust, "mod_item" | "trait_item") => self.scope(node, "name"),
            (Grammar::Rust, "impl_item") => self.scope(node, "type"),
            _ => Class::Nothing,
        }
    }

    fn scope<'tree>(&self, node: Node<'tree>, field: &str) -> Class<'tree> {
        if node.child_by_field_name("body").is_none() {
            return Class::Nothing;
        }
        match node.child_by_field_name(field) {
            Some(name) => {
                let plain = name.child_by_field_name("type").filter(|_| name.kind() == "generic_type");
                Class::Scope(self.text(plain.unwrap_or(name)))
            }
            None => Class::Nothing,
        }
    }

    fn named_function<'tree>(&self, node: Node<'tree>, whole: Node<'tree>) -> Class<'tree> {
        let name = node.child_by_field_name("name").map(|name| self.text(name)).unwrap_or_default();
        function(name, whole)
    }

    /// C and C++: the name is the innermost declarator (`int (*f(void))(int) { … }` is named `f`).
    fn declared_function<'tree>(&self, node: Node<'tree>) -> Class<'tree> {
        let mut declarator = node;
        for _ in 0..32 {
            let inner = declarator.child_by_field_name("declarator").or_else(|| {
                matches!(declarator.kind(), "parenthesized_declarator" | "reference_declarator")
                    .then(|| declarator.named_child(0))
                    .flatten()
            });
            match inner {
                Some(_) if matches!(declarator.kind(), "qualified_identifier" | "operator_cast") => break,
                Some(inner) => declarator = inner,
                None => break,
            }
        }
        let name = if declarator == node { String::new() } else { self.text(declarator) };
        function(name, node)
    }

    /// JavaScript: a function without a name of its own has the name of what it is assigned to, or none
    /// and is a part of the function around it.
    fn assigned_function<'tree>(&self, node: Node<'tree>, above: &[Level<'tree>]) -> Class<'tree> {
        let target = above.last().and_then(|level| {
            let field = match level.node.kind() {
                "variable_declarator" => "name",
                "assignment_expression" => "left",
                "pair" => "key",
                "field_definition" => "property",
                _ => return None,
            };
            level.node.child_by_field_name(field).map(|name| (self.text(name), level.node))
        });
        match target {
            Some((name, whole)) => function(name.trim_matches(['"', '\'']).to_owned(), whole),
            None if node.child_by_field_name("name").is_some() => self.named_function(node, node),
            None => Class::Nothing,
        }
    }

    /// The text of a name, on one line and not longer than names are.
    fn text(&self, node: Node<'_>) -> String {
        let text = self.source.get(node.byte_range()).unwrap_or_default();
        let mut end = text.len().min(MAX_NAME);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text[..end].split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

enum Class<'tree> {
    Nothing,
    Scope(String),
    Function(Found<'tree>),
}

struct Found<'tree> {
    name: String,
    path: String,
    whole: Node<'tree>,
}

/// A name such as `Ring::push` or `exports.push` gives the last part as the name.
fn function<'tree>(path: String, whole: Node<'tree>) -> Class<'tree> {
    let path = if path.is_empty() { UNNAMED.to_owned() } else { path };
    let plain = path
        .bytes()
        .all(|byte| !byte.is_ascii() || byte.is_ascii_alphanumeric() || b"_:.$~#".contains(&byte));
    let name = match path.rsplit([':', '.']).next() {
        Some(last) if plain && !last.is_empty() => last.to_owned(),
        _ => path.rsplit("::").next().unwrap_or(&path).to_owned(),
    };
    Class::Function(Found { name, path, whole })
}

/// Where a function begins without the annotations that its node holds (Java's, JavaScript's decorators).
fn plain_start(node: Node<'_>) -> usize {
    let is_mark = |node: Node<'_>| matches!(node.kind(), "annotation" | "marker_annotation" | "decorator");
    let mut children = node.walk();
    let Some(first) = node.children(&mut children).find(|child| !is_mark(*child)) else {
        return node.start_byte();
    };
    if first.kind() != "modifiers" {
        return first.start_byte();
    }
    let mut modifiers = first.walk();
    let plain = first.children(&mut modifiers).find(|child| !is_mark(*child));
    plain.or_else(|| first.next_sibling()).unwrap_or(first).start_byte()
}

/// The parameter list of a function: a field of it, or of one of its declarators.
fn parameters(node: Node<'_>) -> Option<Range<usize>> {
    let mut place = node;
    for _ in 0..32 {
        if let Some(list) = place.child_by_field_name("parameters") {
            return Some(list.byte_range());
        }
        place = place.child_by_field_name("declarator").or_else(|| place.child_by_field_name("parameter"))?;
    }
    None
}

fn line(row: usize) -> u32 {
    u32::try_from(row).unwrap_or(u32::MAX)
}

#[cfg(test)]
#[path = "functions_tests.rs"]
mod tests;
