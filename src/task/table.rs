//! The list of tasks.
