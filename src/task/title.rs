//! The title of a task for who is to judge it.
//!
//! Promises: what the dataset found out about the fault (how its tests failed, its error type, its class, how it was
//! made) is not in it, for that would answer in the judge's place; the rule is that of what the task itself states, so
//! no list of names is kept here. Leaves to others: where it is shown.

use super::{Task, taxonomy};
use std::borrow::Cow;

/// Between the parts of a title that a reader of a dataset puts together.
const BETWEEN: &str = " \u{b7} ";

/// The key of `[meta]` under which readers of datasets keep how the tests failed.
const FAILURE: &str = "failure";

impl Task {
    /// The title without those of its parts that are findings of the dataset; the function or the id where nothing else
    /// is in it.
    pub fn title_without_findings(&self) -> Cow<'_, str> {
        let findings = self.findings();
        let says = |part: &str| findings.iter().any(|finding| part.trim().eq_ignore_ascii_case(finding));
        if !self.title.split(BETWEEN).any(says) {
            return Cow::Borrowed(&self.title);
        }
        let left: Vec<&str> = self.title.split(BETWEEN).filter(|part| !says(part)).collect();
        if !left.is_empty() {
            return Cow::Owned(left.join(BETWEEN));
        }
        let function = self.targets.iter().find_map(|target| target.function.as_deref());
        Cow::Borrowed(function.unwrap_or(&self.id))
    }

    /// What the dataset found out about the fault.
    fn findings(&self) -> Vec<&str> {
        let from = &self.provenance;
        let mut findings: Vec<&str> = Vec::new();
        findings.extend(self.meta.get(FAILURE).and_then(|failure| failure.as_str()));
        findings
            .extend([&from.error_type, &from.cve, &from.operator].into_iter().flatten().map(String::as_str));
        findings.extend(from.class.map(|class| class.as_str()));
        if let Some((category, name)) = from.error_type.as_deref().and_then(taxonomy::error_type) {
            findings.extend([category, name]);
        }
        findings.into_iter().map(str::trim).filter(|finding| !finding.is_empty()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(title: &str) -> Task {
        let mut task = Task::new("made", "sum#1");
        task.title = title.to_owned();
        task
    }

    #[test]
    fn what_the_dataset_found_out_is_not_in_it() {
        let mut one = task("truncate_number · AssertionError");
        assert_eq!(
            one.title_without_findings(),
            "truncate_number · AssertionError",
            "nothing is known of it"
        );
        one.meta.insert("failure".to_owned(), "AssertionError".into());
        assert_eq!(one.title_without_findings(), "truncate_number");
        one.title = "assertionerror".to_owned();
        assert_eq!(one.title_without_findings(), "sum#1");
        // A word that is not a part of its own stays: it is what somebody wrote.
        one.title = "Catches AssertionError too late · parser".to_owned();
        assert_eq!(one.title_without_findings(), one.title);
        one.meta.clear();
        one.provenance.error_type = Some("C.3".to_owned());
        one.provenance.class = Some(crate::task::FaultClass::Vulnerability);
        for title in ["C.3 · copy of a name", "copy of a name · Memory Overflow · vulnerability"] {
            one.title = title.to_owned();
            assert_eq!(one.title_without_findings(), "copy of a name");
        }
    }
}
