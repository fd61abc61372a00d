//! Placeholder.
/// Canonical.
pub fn canonical_name(name: &str) -> Option<&'static str> {
    match name {
        "py" => Some("python"),
        "js" => Some("javascript"),
        _ => None,
    }
}
