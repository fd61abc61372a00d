//! Placeholder of the room `theme`.
