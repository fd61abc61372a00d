//! The keys of `task.toml`, in one table: what is known, what is near, where a key belongs.

use crate::dataset::error::nearest_name;

/// The newest `schema` that this program reads.
pub(crate) const SCHEMA: i64 = 1;

/// Keys by section; the empty name is the top level.
pub(crate) const KEYS: &[(&str, &[&str])] = &[
    (
        "",
        &[
            "schema",
            "id",
            "title",
            "kind",
            "language",
            "group",
            "description",
            "context",
            "sections",
            "target",
            "repo",
            "expected",
            "feature",
            "test",
            "protected",
            "feedback",
            "provenance",
            "limits",
            "sandbox",
            "meta",
        ],
    ),
    ("sections", &["issue_title", "issue_body", "pr_title", "pr_body", "folder_tree"]),
    ("target", &["file", "function"]),
    ("repo", &["url", "commit", "subdir"]),
    ("expected", &["answer", "files", "patch"]),
    ("feature", &["components", "hints", "non_code_patch"]),
    ("test", &["build", "command", "parser", "timeout_s", "fail_to_pass", "pass_to_pass"]),
    ("feedback", &["compiler", "test", "minimal", "llm-skilled", "llm-expert", "mixed", "human"]),
    ("provenance", &["source", "commit", "licence", "error_type", "class", "cve", "operator", "site"]),
    ("limits", &["timeout_s", "memory_mb", "processes", "disk_mb", "output_kb"]),
    ("sandbox", &["image"]),
];

/// The keys of a section.
pub(crate) fn keys_of(section: &str) -> &'static [&'static str] {
    KEYS.iter().find(|(name, _)| *name == section).map_or(&[], |(_, keys)| keys)
}

/// What to say about a key that a section does not have.
pub(crate) fn unknown(section: &str, key: &str) -> String {
    if let Some(near) = nearest_name(key, keys_of(section).iter().copied()) {
        return format!("unknown key; did you mean `{near}`?");
    }
    if !section.is_empty() && keys_of("").contains(&key) {
        return format!("unknown key here; `{key}` belongs to the top level, before the first `[…]`");
    }
    let homes: Vec<String> = KEYS
        .iter()
        .filter(|(name, keys)| !name.is_empty() && *name != section && keys.contains(&key))
        .map(|(name, _)| format!("`[{name}]`"))
        .collect();
    if !homes.is_empty() {
        return format!("unknown key here; it belongs into {}", homes.join(" or "));
    }
    let known = keys_of(section).join(", ");
    format!("unknown key; the keys here are {known}; free keys belong into `[meta]`")
}
