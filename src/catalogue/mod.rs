//! Placeholder of the room `catalogue`.
