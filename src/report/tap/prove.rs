//! The pages of `prove` around the TAP of its files.
//!
//! Promises: without `-v` a file is one case; with it the file's points are the cases, and prove's own words only
//! bound them. Leaves to others: TAP.

use super::Status;

/// What prove said so far.
#[derive(Debug, Default)]
pub(super) struct Prove {
    file: Option<String>,
    used: bool,
    done: bool,
}

/// What a line means.
pub(super) enum Event {
    /// A file begins, or begins and ends.
    File { name: String, status: Option<Status> },
    /// The bare `ok` behind a file's points.
    EndOfFile,
    /// The file did not do as planned.
    Failed { name: String, why: String },
    /// The last line.
    Result,
}

impl Prove {
    pub(super) fn is_used(&self) -> bool {
        self.used
    }

    pub(super) fn is_done(&self) -> bool {
        self.done
    }

    /// What the line means to prove; `None`: it is none of prove's.
    pub(super) fn line(&mut self, text: &str) -> Option<Event> {
        if let Some((name, rest)) = file(text) {
            self.used = true;
            let status = match rest {
                "ok" => Some(Status::Passed),
                rest if rest.starts_with("skipped") => Some(Status::Skipped),
                _ => None,
            };
            self.file = Some(name.to_owned());
            return Some(Event::File { name: name.to_owned(), status });
        }
        if !self.used {
            return None;
        }
        if matches!(text, "Result: PASS" | "Result: FAIL" | "Result: NOTESTS") {
            self.done = true;
            return Some(Event::Result);
        }
        let name = self.file.clone()?;
        if text == "ok" {
            self.file = None;
            return Some(Event::EndOfFile);
        }
        let failed = text.starts_with("Dubious, test returned ")
            || (text.starts_with("Failed ") && text.trim_end().ends_with(" subtests"))
            || text.starts_with("No subtests run");
        failed.then(|| Event::Failed { name, why: text.trim().to_owned() })
    }
}

/// `t/good.t .... ok`: a name, at least two dots, and how it ended, if that is known.
fn file(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = text.split_once(" ..")?;
    let rest = rest.trim_start_matches('.');
    let ending = rest.strip_prefix(' ').unwrap_or(rest).trim();
    let known = ending.is_empty() || ending == "ok" || ending.starts_with("skipped");
    let is_path = !name.is_empty() && !name.contains(' ') && name.contains('.');
    (known && is_path).then_some((name, ending))
}
