//! Agreement statistics against reference values, published tables and the properties that they must have.
#![allow(clippy::unwrap_used)]

#[path = "agreement/cases.rs"]
mod cases;
#[path = "agreement/properties.rs"]
mod properties;
#[path = "agreement/published.rs"]
mod published;
