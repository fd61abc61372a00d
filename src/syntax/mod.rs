//! What a text says as code: functions and their spans (tree-sitter), syntax colours as roles.

pub mod highlight;
pub mod language;
