//! Placeholder of the room `keymap`.
