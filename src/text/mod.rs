//! Placeholder of the room `text`.
