//! Placeholder of the room `syntax`.
