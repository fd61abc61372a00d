//! A whole workspace as JSON Lines.
