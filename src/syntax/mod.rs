//! What the program knows about code as code: language names, functions with their spans (tree-sitter),
//! syntax colours as roles (syntect).
//!
//! Promises: pure and bounded; a text that does not parse gives what could be recognised.
//! Leaves to others: colours (`theme`), which version of a text is meant (`diff`, `task`).

mod functions;
mod gate;
pub mod highlight;
pub mod language;
mod nodes;
mod outline;

pub use functions::{Definition, FunctionSpan, enclosing, functions};
pub use nodes::{FIELDS, SyntaxNode, SyntaxNodes, syntax_errors, syntax_nodes};
pub use outline::{Item, ItemKind, Outline, outline, outline_of_part};
