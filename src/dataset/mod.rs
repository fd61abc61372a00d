//! Placeholder of the room `dataset`.
