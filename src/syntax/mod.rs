//! Placeholder of the room `syntax`.
pub mod language;
