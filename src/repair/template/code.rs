//! The code that the baseline works on: what it may see of a task, parsed, and the places where it may change it.
//!
//! Promises: reads the buggy tree, the targets, the protected patterns and the language of a task and nothing else.
//! Leaves to others: which change is made where.

use crate::repair::file::FileText;
use crate::repair::find;
use crate::repair::form::Asked;
use crate::syntax::{Definition, SyntaxNode, SyntaxNodes, outline, syntax_nodes};
use crate::task::{Content, Task};
use std::collections::BTreeMap;
use std::ops::Range;

/// How a language writes what the templates need; the languages that have a grammar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Speech {
    Python,
    C,
    Cpp,
    Java,
    JavaScript,
    Rust,
}

impl Speech {
    fn of(language: &str) -> Option<Speech> {
        Some(match language {
            "python" => Speech::Python,
            "c" => Speech::C,
            "cpp" => Speech::Cpp,
            "java" => Speech::Java,
            "javascript" => Speech::JavaScript,
            "rust" => Speech::Rust,
            _ => return None,
        })
    }

    /// The word for no value, where there is one that fits a pointer.
    pub fn none(self) -> Option<&'static str> {
        match self {
            Speech::Python => Some("None"),
            Speech::C => Some("NULL"),
            Speech::Cpp => Some("nullptr"),
            Speech::Java | Speech::JavaScript => Some("null"),
            Speech::Rust => None,
        }
    }

    pub fn is_python(self) -> bool {
        self == Speech::Python
    }
}

/// The files that may be changed.
#[derive(Debug)]
pub(super) struct Code<'a> {
    /// Each with its text.
    pub units: Vec<Unit<'a>>,
}

/// A file that may be changed.
#[derive(Debug)]
pub(super) struct Unit<'a> {
    pub path: &'a str,
    pub content: &'a Content,
    pub file: FileText<'a>,
    pub language: &'a str,
    pub speech: Speech,
    pub nodes: SyntaxNodes,
    pub definitions: Vec<Definition>,
    /// Where changes belong: the functions that the task names, or the whole file.
    pub scopes: Vec<Range<usize>>,
    /// Whether `scopes` are functions.
    pub in_functions: bool,
    line_starts: Vec<usize>,
}

impl<'a> Code<'a> {
    /// What may be seen of a task.
    pub fn of_task(task: &'a Task) -> Code<'a> {
        let tree: BTreeMap<&'a str, &'a Content> = task.buggy_tree();
        let asked = Asked::of_task(task);
        let protected = asked.protected();
        let mut units = Vec::new();
        for (path, functions) in asked.files() {
            let Some((path, content)) = tree.get_key_value(path) else { continue };
            if protected.matches(path) {
                continue;
            }
            let language = crate::syntax::language::language_of_file(path, &task.language);
            units.extend(Unit::read(path, content, language, &functions));
        }
        Code { units }
    }
}

impl<'a> Unit<'a> {
    /// `None`: not text, no grammar, or a text that no parser may see.
    pub fn read(
        path: &'a str,
        content: &'a Content,
        language: &'a str,
        functions: &[&str],
    ) -> Option<Unit<'a>> {
        let speech = Speech::of(language)?;
        let file = FileText::read(content)?;
        let nodes = syntax_nodes(language, &file.text)?;
        let outline = outline(language, &file.text)?;
        let mut scopes: Vec<Range<usize>> = functions
            .iter()
            .flat_map(|function| find::functions(&outline, function))
            .map(|definition| definition.span.bytes.clone())
            .collect();
        scopes.sort_by_key(|scope| (scope.start, std::cmp::Reverse(scope.end)));
        let mut outer: Vec<Range<usize>> = Vec::new();
        for scope in scopes {
            if outer.last().is_none_or(|last| scope.start >= last.end) {
                outer.push(scope);
            }
        }
        let in_functions = !outer.is_empty();
        if !in_functions {
            outer.push(0..file.text.len());
        }
        let ends = file.text.match_indices('\n').map(|(at, _)| at + 1);
        let line_starts = std::iter::once(0).chain(ends).collect();
        let definitions = outline.definitions;
        Some(Unit {
            path,
            content,
            file,
            language,
            speech,
            nodes,
            definitions,
            scopes: outer,
            in_functions,
            line_starts,
        })
    }

    pub fn node(&self, node: usize) -> &SyntaxNode {
        &self.nodes.all[node]
    }

    pub fn kind(&self, node: usize) -> &str {
        &self.node(node).kind
    }

    pub fn slice(&self, range: Range<usize>) -> &str {
        self.file.text.get(range).unwrap_or_default()
    }

    pub fn text(&self, node: usize) -> &str {
        self.slice(self.node(node).bytes.clone())
    }

    pub fn bytes(&self, node: usize) -> Range<usize> {
        self.node(node).bytes.clone()
    }

    pub fn parent(&self, node: usize) -> Option<usize> {
        self.node(node).parent
    }

    pub fn parent_kind(&self, node: usize) -> &str {
        self.parent(node).map_or("", |parent| self.kind(parent))
    }

    /// Named children, comments left out.
    pub fn named(&self, node: usize) -> Vec<usize> {
        let is_code = |child: &usize| self.node(*child).named && !is_comment(self.kind(*child));
        self.nodes.children(node).filter(is_code).collect()
    }

    pub fn field(&self, node: usize, field: &str) -> Option<usize> {
        self.nodes.children(node).find(|child| self.node(*child).field == Some(field))
    }

    /// Nodes around a node, innermost first.
    pub fn around(&self, node: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(self.parent(node), |node| self.parent(*node))
    }

    /// The line of a byte, from 0.
    pub fn line(&self, at: usize) -> usize {
        self.line_starts.partition_point(|start| *start <= at).saturating_sub(1)
    }

    /// Where the line of a byte begins.
    pub fn line_start(&self, at: usize) -> usize {
        self.line_starts.get(self.line(at)).copied().unwrap_or(0)
    }

    /// Behind the line end of the line of a byte.
    pub fn line_end(&self, at: usize) -> usize {
        self.line_starts.get(self.line(at) + 1).copied().unwrap_or(self.file.text.len())
    }

    /// The blanks before a byte, where nothing else stands before it on its line.
    pub fn indentation(&self, at: usize) -> Option<&str> {
        let before = self.slice(self.line_start(at)..at);
        before.chars().all(|character| matches!(character, ' ' | '\t')).then_some(before)
    }

    /// The scope that holds a byte.
    pub fn scope(&self, at: usize) -> Option<Range<usize>> {
        self.scopes.iter().find(|scope| scope.contains(&at)).cloned()
    }

    /// The innermost function that holds a byte.
    pub fn function(&self, at: usize) -> Option<&Definition> {
        let holds = self.definitions.iter().filter(|definition| definition.span.bytes.contains(&at));
        holds.max_by_key(|definition| definition.span.bytes.start)
    }

    /// The bytes of the innermost function of a scope, or of the scope.
    pub fn room(&self, at: usize) -> Range<usize> {
        let function = self.function(at).map(|definition| definition.span.bytes.clone());
        function.or_else(|| self.scope(at)).unwrap_or(0..self.file.text.len())
    }

    /// The nodes where a change can be made: inside the scopes, without what is no code, or not this function's to
    /// decide: comments, docstrings, types, parameters, imports.
    pub fn places(&self) -> Vec<usize> {
        let mut places = Vec::new();
        for scope in &self.scopes {
            let mut node = self.nodes.all.partition_point(|node| node.bytes.start < scope.start);
            while node < self.nodes.all.len() && self.node(node).bytes.start < scope.end {
                let here = self.node(node);
                if here.named && (is_fixed(&here.kind) || self.is_docstring(node)) {
                    node = here.end;
                    continue;
                }
                if scope.start <= here.bytes.start && here.bytes.end <= scope.end {
                    places.push(node);
                }
                node += 1;
            }
        }
        places
    }

    fn is_docstring(&self, node: usize) -> bool {
        self.speech.is_python()
            && self.kind(node) == "expression_statement"
            && self
                .nodes
                .children(node)
                .all(|child| matches!(self.kind(child), "string" | "concatenated_string"))
    }
}

pub(super) fn is_comment(kind: &str) -> bool {
    matches!(kind, "comment" | "line_comment" | "block_comment")
}

/// Kinds whose insides stay as they are.
fn is_fixed(kind: &str) -> bool {
    is_comment(kind)
        || matches!(
            kind,
            "type"
                | "type_annotation"
                | "type_arguments"
                | "type_parameters"
                | "type_descriptor"
                | "template_argument_list"
                | "template_parameter_list"
                | "generic_type"
                | "reference_type"
                | "primitive_type"
                | "type_identifier"
                | "parameters"
                | "lambda_parameters"
                | "parameter_list"
                | "formal_parameters"
                | "closure_parameters"
                | "decorator"
                | "annotation"
                | "marker_annotation"
                | "modifiers"
                | "attribute_item"
                | "import_statement"
                | "import_from_statement"
                | "import_declaration"
                | "use_declaration"
                | "using_declaration"
                | "preproc_include"
                | "preproc_def"
                | "string_content"
                | "string_start"
                | "string_end"
                | "escape_sequence"
                | "struct_specifier"
                | "enum_specifier"
                | "global_statement"
                | "nonlocal_statement"
        )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn places_are_those_of_the_functions_that_are_named() {
        let source = "import os\n\ndef f(a=1):\n    \"\"\"Says 2.\"\"\"\n    # 3\n    return a + 4\n\ndef g():\n    return 5\n";
        let content = Content::from(source);
        let numbers = |functions: &[&str]| -> Vec<String> {
            let unit = Unit::read("a.py", &content, "python", functions).unwrap();
            let found = unit.places().into_iter().filter(|node| unit.kind(*node) == "integer");
            found.map(|node| unit.text(node).to_owned()).collect()
        };
        assert_eq!(numbers(&["f"]), ["4"]);
        assert_eq!(numbers(&["f", "g"]), ["4", "5"]);
        assert_eq!(numbers(&["nowhere"]), ["4", "5"], "without its function the file is the place");
        let unit = Unit::read("a.py", &content, "python", &["g"]).unwrap();
        assert_eq!(unit.line(source.len() - 2), 8);
        assert_eq!(unit.indentation(source.find("return 5").unwrap()), Some("    "));
        assert_eq!(unit.indentation(source.find("g()").unwrap()), None);
    }

    #[test]
    fn what_cannot_be_parsed_is_left_out() {
        assert!(Unit::read("a", &Content::from("x"), "klingon", &[]).is_none());
        assert!(Unit::read("a.c", &Content::new(vec![0, 1]), "c", &[]).is_none());
    }
}
