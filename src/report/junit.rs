//! Reads JUnit XML, of pytest, node, Gradle, CTest and others.
//!
//! Promises: ids are `classname.name`; a document type ends the reading, so no entity is ever defined, expanded or
//! fetched; nesting, attributes and texts are bounded; a document cut short keeps the cases before the cut and is
//! not complete. Leaves to others: getting the file.
//!
//! `quick-xml` because it reads events from a slice without building a tree, knows only the five entities that
//! XML itself defines, has one dependency that is in our tree already, and is kept up.

use super::collect::{Collector, LONGEST_MESSAGE, cut};
use super::{Report, Status};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// Largest document, in bytes.
pub const MOST_BYTES: usize = 50 << 20;
/// Deepest nesting.
const DEEPEST: usize = 64;
/// Most attributes looked at of one element.
const MOST_ATTRIBUTES: usize = 64;

/// Holds the document until its end.
#[derive(Debug, Default)]
pub(super) struct Junit {
    held: Vec<u8>,
    too_large: bool,
}

/// A `testcase` that is being read.
#[derive(Debug, Default)]
struct Open {
    id: String,
    seconds: Option<f64>,
    status: Option<Status>,
    expected: bool,
    message: String,
    /// Inside an element whose text explains the status.
    explains: bool,
}

/// What the suites say of themselves: cases and failures.
#[derive(Debug, Default)]
struct Told {
    tests: Option<usize>,
    failures: Option<usize>,
    /// Suites within suites, or cases outside all: whose counts are meant differs between runners.
    unusual: bool,
}

impl Junit {
    pub(super) fn push(&mut self, chunk: &[u8]) {
        let room = MOST_BYTES - self.held.len();
        self.too_large |= chunk.len() > room;
        self.held.extend_from_slice(&chunk[..chunk.len().min(room)]);
    }

    pub(super) fn finish(self) -> Report {
        let mut found = Collector::default();
        let text = String::from_utf8_lossy(&self.held);
        let start = document_start(&text);
        let (complete, told) = match start {
            Some(start) => read(&text[start..], &mut found),
            None => {
                if !text.trim().is_empty() {
                    found.note("no JUnit document was found");
                }
                (false, Told::default())
            }
        };
        if self.too_large {
            found.note(format!("the document is larger than {} MiB and was cut", MOST_BYTES >> 20));
        }
        if complete && !told.unusual {
            let cases = found.cases().len();
            let failures = found.cases().iter().filter(|case| case.status.is_failure()).count();
            // pytest counts a test with an error in its tear-down twice.
            if let Some(tests) = told.tests.filter(|tests| *tests < cases) {
                found.contradiction(format!("{cases} cases, and the document counts {tests}"));
            }
            if told.failures.is_some_and(|told| (told == 0) != (failures == 0)) {
                found.contradiction(format!(
                    "{failures} cases failed, and the document counts {}",
                    told.failures.unwrap_or(0)
                ));
            }
        }
        let planned = told.tests.filter(|_| !told.unusual);
        found.report(complete && !self.too_large, planned)
    }
}

/// Where the document begins: other output may stand before it.
fn document_start(text: &str) -> Option<usize> {
    ["<?xml", "<testsuites", "<testsuite"].iter().filter_map(|start| text.find(start)).min()
}

/// Reads a document; whether it came to its end, and what it says of itself.
fn read(text: &str, found: &mut Collector) -> (bool, Told) {
    let mut reader = Reader::from_str(text);
    reader.config_mut().expand_empty_elements = true;
    let mut open: Option<Open> = None;
    let (mut depth, mut roots) = (0_usize, 0_usize);
    let mut told = Told::default();
    // Per open suite: whether a suite inside it was counted.
    let mut counted: Vec<(Told, Told)> = Vec::new();
    loop {
        match reader.read_event() {
            Ok(Event::Start(element)) => {
                if depth == 0 {
                    roots += 1;
                    if roots > 1 {
                        found.contradiction("a second document follows the first");
                        return (false, told);
                    }
                }
                depth += 1;
                if depth > DEEPEST {
                    found.note(format!("elements are nested more than {DEEPEST} deep"));
                    return (false, told);
                }
                match element.local_name().as_ref() {
                    "testsuite" => {
                        told.unusual |= !counted.is_empty();
                        counted.push((suite(&element), Told::default()));
                    }
                    "testcase" => {
                        told.unusual |= counted.is_empty();
                        open = Some(case(&element));
                    }
                    name => {
                        if let Some(open) = &mut open {
                            open.child(name, &element);
                        }
                    }
                }
            }
            Ok(Event::End(element)) => {
                depth = depth.saturating_sub(1);
                match element.local_name().as_ref() {
                    "testcase" => {
                        if let Some(open) = open.take() {
                            open.close(found);
                        }
                    }
                    "testsuite" => {
                        let Some((own, inner)) = counted.pop() else { continue };
                        let sum = counted.last_mut().map_or(&mut told, |(_, inner)| inner);
                        add(&mut sum.tests, own.tests.or(inner.tests));
                        add(&mut sum.failures, own.failures.or(inner.failures));
                    }
                    _ => {
                        if let Some(open) = &mut open {
                            open.explains = false;
                        }
                    }
                }
                if depth == 0 && roots > 0 && reader_is_done(&reader, text) {
                    return (true, told);
                }
            }
            Ok(Event::Text(part)) => {
                if let Some(open) = &mut open {
                    open.text(&part);
                }
            }
            Ok(Event::CData(part)) => {
                if let Some(open) = &mut open {
                    open.text(&part);
                }
            }
            Ok(Event::GeneralRef(reference)) => {
                if let Some(open) = &mut open {
                    let known = match reference.as_ref() {
                        "lt" => Some('<'),
                        "gt" => Some('>'),
                        "amp" => Some('&'),
                        "quot" => Some('"'),
                        "apos" => Some('\''),
                        _ => reference.resolve_char_ref().ok().flatten(),
                    };
                    open.text(known.unwrap_or('\u{fffd}').encode_utf8(&mut [0; 4]));
                }
            }
            Ok(Event::DocType(_)) => {
                found.contradiction("the document declares a document type, which no test report needs");
                return (false, told);
            }
            Ok(Event::Eof) => return (depth == 0 && roots > 0, told),
            Ok(_) => {}
            Err(error) => {
                found.note(format!(
                    "the document breaks off or is damaged at byte {}: {error}",
                    reader.error_position()
                ));
                return (false, told);
            }
        }
    }
}

/// Whether only blanks or ordinary output follow the root element: some runners print on after it.
fn reader_is_done(reader: &Reader<&[u8]>, text: &str) -> bool {
    let at = usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX);
    text.get(at..).is_none_or(|rest| document_start(rest).is_none())
}

fn add(sum: &mut Option<usize>, more: Option<usize>) {
    if let Some(more) = more {
        *sum = Some(sum.unwrap_or(0).saturating_add(more));
    }
}

/// Hands every attribute that counts to `take`, decoded and cut.
fn attributes(element: &BytesStart<'_>, mut take: impl FnMut(&str, String)) {
    // Looking for doubled names is quadratic, and a hostile element has a million attributes.
    for attribute in element.attributes().with_checks(false).take(MOST_ATTRIBUTES).flatten() {
        let raw = cut(&attribute.value, 4 * LONGEST_MESSAGE);
        let value =
            quick_xml::escape::unescape(raw).map_or_else(|_| raw.to_owned(), |value| value.into_owned());
        take(attribute.key.local_name().as_ref(), value);
    }
}

fn suite(element: &BytesStart<'_>) -> Told {
    let mut told = Told::default();
    attributes(element, |key, value| match key {
        "tests" => told.tests = value.trim().parse().ok(),
        "failures" | "errors" => add(&mut told.failures, value.trim().parse().ok()),
        _ => {}
    });
    told
}

fn case(element: &BytesStart<'_>) -> Open {
    let (mut class, mut name, mut seconds) = (String::new(), String::new(), None);
    let mut status = None;
    attributes(element, |key, value| match key {
        "classname" => class = value,
        "name" => name = value,
        "time" => seconds = value.parse::<f64>().ok().filter(|time| time.is_finite() && *time >= 0.0),
        // CTest and GoogleTest say so here.
        "status" if matches!(value.as_str(), "notrun" | "disabled") => status = Some(Status::Skipped),
        _ => {}
    });
    let id = if class.is_empty() { name } else { format!("{class}.{name}") };
    Open { id, seconds, status, ..Open::default() }
}

impl Open {
    fn child(&mut self, name: &str, element: &BytesStart<'_>) {
        let (mut message, mut kind) = (String::new(), String::new());
        attributes(element, |key, value| match key {
            "message" => message = value,
            "type" => kind = value,
            _ => {}
        });
        let status = match name {
            "failure" => Status::Failed,
            "error" => Status::Errored,
            // node's TODO: a failure that may be.
            "skipped" if kind == "todo" || kind == "pytest.xfail" => {
                self.expected = true;
                return;
            }
            "skipped" => Status::Skipped,
            _ => return,
        };
        self.explains = message.is_empty();
        self.status = self.status.max(Some(status));
        if self.message.is_empty() {
            self.message = message;
        }
    }

    fn text(&mut self, text: &str) {
        if self.explains && self.message.len() < LONGEST_MESSAGE {
            self.message.push_str(cut(text, LONGEST_MESSAGE));
        }
    }

    fn close(self, found: &mut Collector) {
        let status = match (self.expected, self.status) {
            (true, Some(Status::Failed | Status::Errored) | None) => Status::ExpectedFailure,
            (_, status) => status.unwrap_or(Status::Passed),
        };
        found.add_case(&self.id, status, Some(&self.message), self.seconds);
    }
}
