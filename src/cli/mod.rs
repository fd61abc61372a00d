//! Placeholder of the room `cli`.
