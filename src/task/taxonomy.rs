//! Names of the error types of the Defects4C study (ASE 2025, Table III).
//!
//! Promises: facts only; an id that is not in the table has no name and is shown as it is.

/// Category and name of an error type: `("Memory Error", "Memory Overflow")` for `C.3`.
pub fn error_type(id: &str) -> Option<(&'static str, &'static str)> {
    Some(match id {
        "A.1" => ("Signature", "Incorrect Function Usage"),
        "A.2" => ("Signature", "Fault Input Type"),
        "A.3" => ("Signature", "Incorrect Function Return Value"),
        "A.4" => ("Signature", "Incorrect Variable Usage"),
        "B" => ("Sanitizer", "Control Expression Error"),
        "C.1" => ("Memory Error", "Null Pointer Dereference"),
        "C.2" => ("Memory Error", "Uncontrolled Resource Consumption"),
        "C.3" => ("Memory Error", "Memory Overflow"),
        "D.1" => ("Logic Organization", "Improper Condition Organization"),
        "D.2" => ("Logic Organization", "Wrong Function Call Sequence"),
        _ => return None,
    })
}

/// Ids of the error types, in order.
pub const ERROR_TYPES: [&str; 10] = ["A.1", "A.2", "A.3", "A.4", "B", "C.1", "C.2", "C.3", "D.1", "D.2"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_taxonomy_file() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data/defects4c/taxonomy.json");
        let Ok(text) = std::fs::read_to_string(path) else {
            let note = "skipped: the taxonomy file is not here\n";
            std::io::Write::write_all(&mut std::io::stderr(), note.as_bytes()).ok();
            return;
        };
        let taxonomy: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
        let mut seen = Vec::new();
        for category in taxonomy["categories"].as_array().into_iter().flatten() {
            for entry in category["error_types"].as_array().into_iter().flatten() {
                let id = entry["id"].as_str().unwrap_or_default();
                let expected = (
                    category["name"].as_str().unwrap_or_default(),
                    entry["name"].as_str().unwrap_or_default(),
                );
                assert_eq!(error_type(id), Some(expected), "{id}");
                seen.push(id.to_owned());
            }
        }
        assert_eq!(seen, ERROR_TYPES);
    }
}
